# SPDX-License-Identifier: Apache-2.0
"""PART: a list of rules, each the largest leaf of a C4.5 tree that is built only as far as needed, on distinct rows.

Paper: E. Frank and I. H. Witten, *Generating Accurate Rule Sets Without Global Optimization*, ICML 1998. A rule is made
from the rows that no rule covers yet: split by C4.5's test; expand the branches in order of increasing entropy; as soon
as one stays a subtree, stop; if all became leaves, replace the test by a leaf where that is not expected to make more
errors. The path to the leaf with the most rows becomes the rule, the rows it covers are taken away, the rest of the
tree is forgotten. The last rule has no condition.

Departures from the paper, all as in Weka's PART: 1. Branches lighter than `min_objects` are never expanded and never
become a rule. 2. A leaf may be expected to make 0.1 errors more than the test it replaces, as in C4.5. 3. A row with an
unknown value in a condition is covered in part, by the share of the known rows that took the branch; it stays with the
rest of its weight. 4. Tests and ties are those of C45.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np

from discreet.counting.entropy import entropy
from discreet.counting.tally import distinct_codes
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import special
from discreet.foundation.parameters import Interval, check_parameters
from discreet.learning.c45_entries import Entries, entries_of, memory_of
from discreet.learning.c45_grow import part, ways_of
from discreet.learning.c45_prune import FREE, expected
from discreet.learning.c45_split import SMALL, Stretch, choose
from discreet.learning.examples import Examples, Feature

_NONE = memory_of(0, 0)  # rules ask about each stretch of rows once
_DIGITS = 9  # weights and entropies that are equal to so many decimals are equal: the first branch is taken
_FEATURE, _LIMIT, _BRANCH = range(3)  # columns of a condition; LIMIT is the last code below the cut, -1 of a category


@compiled
def _covered(codes, unknown, conditions, shares):
    """The part of a row that a rule covers."""
    covered = 1.0
    for j in range(len(conditions)):
        f, limit, branch = conditions[j, _FEATURE], conditions[j, _LIMIT], conditions[j, _BRANCH]
        code = np.int64(codes[f])
        if code == unknown[f]:
            covered *= shares[j]
        elif (code if limit < 0 else np.int64(code > limit)) != branch:
            return 0.0
    return covered


@compiled
def _uncovered(entries, items, weights, n, conditions, shares):
    """Move the items that the rule does not cover, or not wholly, to the front; returns how many there are."""
    n_kept = 0
    for j in range(n):
        weight = 1.0 - _covered(entries.codes[:, items[j]], entries.levels, conditions, shares)
        if weight > SMALL:
            items[n_kept], weights[n_kept] = items[j], weights[j] * weight
            n_kept += 1
    return n_kept


@compiled
def _apply(codes, unknown, conditions, shares, ends, probabilities):
    """The class shares of each row: of the first rule that covers it, or in parts of several."""
    probability = np.zeros((len(codes), probabilities.shape[1]))
    for row in range(len(codes)):
        weight, start = 1.0, 0
        for r in range(len(ends)):
            covered = _covered(codes[row], unknown, conditions[start : ends[r]], shares[start : ends[r]])
            probability[row] += weight * covered * probabilities[r]
            weight *= 1.0 - covered
            start = ends[r]
            if weight <= SMALL:
                break
    return probability


@dataclass(eq=False)
class _Node:
    """A node under expansion: its test, and of each branch the entries, class counts and share of the known rows."""

    test: int
    limit: int
    starts: np.ndarray
    sizes: np.ndarray
    counts: np.ndarray
    shares: np.ndarray
    waiting: list[int]  # branches to expand, the next one last
    covers: np.ndarray  # rows of the leaf that a rule through the branch would end at; 0 if not expanded
    at: int = -1  # the branch under expansion


class _Partial:
    """A tree built only as far as a rule needs, from the entries that no rule covers yet; again and again.

    The nodes under expansion form one path, since a branch that stays a subtree ends the expansion of all above it.
    """

    def __init__(self, entries: Entries, least: float, confidence: float):
        self.entries, self.ways, self.weights = entries, ways_of(entries), entries.weight.copy()
        self.items = np.arange(len(self.weights), dtype=np.int32)
        self.left = len(self.weights)  # entries that are not covered stand before the others
        self.least, self.confidence, self.z = least, confidence, float(special.ndtri(1 - confidence))

    def rule(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The next rule: conditions, shares of unknown values, class counts. What it covers is taken away."""
        labels, n_classes = self.entries.label[self.items[: self.left]], self.entries.hist.shape[1]
        counts = np.bincount(labels, self.weights[: self.left], minlength=n_classes)
        path = self._path(counts)
        conditions, shares = np.empty((len(path), 3), dtype=np.int64), np.empty(len(path))
        end, covers, deepest = 0, 0.0, len(path) - 1
        for depth in range(deepest, -1, -1):
            node = path[depth]
            if depth < deepest:
                node.covers[node.at] = covers
            best = int(np.argmax(np.round(node.covers, _DIGITS)))
            if depth == deepest or best != node.at:
                end, counts = depth + 1, node.counts[best]
            covers = node.covers[best]
            conditions[depth], shares[depth] = (node.test, node.limit, best), node.shares[best]
        conditions, shares = conditions[:end], shares[:end]
        self.left = _uncovered(self.entries, self.items, self.weights, self.left, conditions, shares)
        return conditions, shares, counts

    def _path(self, counts: np.ndarray) -> list[_Node]:
        """The nodes from the root to the first one that stays a subtree although its branches are leaves, or none."""
        self.end = self.left
        root = self._split(0, self.left, counts)
        path = [root] if root else []
        while path:
            node = path[-1]
            while node.waiting:
                node.at = node.waiting.pop()
                below = self._split(node.starts[node.at], node.sizes[node.at], node.counts[node.at])
                if below:
                    path.append(below)
                    break
                node.covers[node.at] = node.counts[node.at].sum()
            else:
                if self._errors(node.counts.sum(axis=0)) > sum(map(self._errors, node.counts)) + FREE + SMALL:
                    return path
                path.pop()  # a leaf does as well
                if path:
                    path[-1].covers[path[-1].at] = path[-1].counts[path[-1].at].sum()
        return path

    def _split(self, start: int, size: int, counts: np.ndarray) -> _Node | None:
        """The node with C4.5's test of a stretch of entries, or None if it is a leaf."""
        total = counts.sum()
        if total < 2 * self.least - SMALL or counts.max() >= total - SMALL:
            return None
        stretch = Stretch(self.items, self.weights, start, start + size)
        test, limit = choose(self.entries, _NONE, -1, stretch, total, self.least, True)
        if test < 0:
            return None
        width = int(self.entries.levels[test]) if limit < 0 else 2
        sizes, shares = np.empty(width, dtype=np.int64), np.empty(width)
        self.items, self.weights, self.end, first = part(
            self.ways, self.items, self.weights, self.end, start, size, test, limit, width, sizes, shares
        )
        starts = first + np.cumsum(sizes) - sizes
        branch = np.repeat(np.arange(width), sizes)
        placed = slice(first, first + len(branch))
        cells = branch * len(counts) + self.entries.label[self.items[placed]]
        of_branch = np.bincount(cells, self.weights[placed], minlength=width * len(counts)).reshape(width, -1)
        weights = of_branch.sum(axis=1)
        heavy = np.flatnonzero(weights >= self.least - SMALL)
        order = heavy[np.argsort(np.round(entropy(of_branch[heavy]), _DIGITS), kind="stable")]
        return _Node(test, limit, starts, sizes, of_branch, shares, order[::-1].tolist(), np.zeros(width))

    def _errors(self, counts: np.ndarray) -> float:
        """Errors to come at a leaf with these class counts."""
        return expected(counts[None, :], 0, self.confidence, self.z)


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """Conditions that all must hold (feature, cut or NaN, code or side), and the training rows of each class."""

    conditions: tuple[tuple[Feature, float, int], ...]
    counts: np.ndarray

    def to_text(self, classes: tuple[str, ...]) -> str:
        """The rule for people, with the training rows it covers and how many it gets wrong."""
        tests = [_condition_text(*condition) for condition in self.conditions]
        weight, best = float(self.counts.sum()), int(self.counts.argmax())
        wrong = weight - float(self.counts[best])
        rows = f"({weight:.6g}, {wrong:.6g} wrong)" if wrong > 0 else f"({weight:.6g})"
        return f"{' and '.join(tests) or 'otherwise'}: {classes[best]} {rows}"


def _condition_text(feature: Feature, cut: float, branch: int) -> str:
    if feature.texts is not None:
        return f"{feature.name} = {feature.texts[branch] or 'missing'}"
    return f"{feature.name} {'>=' if branch else '<'} {cut:.10g}"


class Part:
    """A PART decision list.

    Parameters
    ----------
    min_objects : the least weight of at least two branches of every test, and of every rule with a condition
    confidence : of the pessimistic errors; less prunes more

    Attributes
    ----------
    rules_ : tuple of DecisionRule, in the order in which they are asked; the last one has no condition
    classes_ : the classes, as texts

    Examples
    --------
    >>> days = {"sky": ["sun", "sun", "rain", "rain"], "wind": [2, 9, 3, 8], "play": ["yes", "yes", "yes", "no"]}
    >>> table = Table.of({name: cells * 3 for name, cells in days.items()})
    >>> learner = Part().fit(Examples.of(table, ["sky", "wind"], "play"))
    >>> print(learner.to_text())
    sky = sun: yes (6)
    wind < 5.5: yes (3)
    otherwise: no (3)
    >>> learner.predict(Table.of({"sky": ["rain", None], "wind": [9, 9]})).tolist()
    ['no', 'no']
    """

    missing: ClassVar[Literal["unknown", "value"]] = "unknown"
    suppressed: ClassVar[Literal["unknown", "value"]] = "unknown"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "min_objects": [Interval(Integral, 1, None, closed="left")],
        "confidence": [Interval(Real, 0, 0.5, closed="right")],
    }

    rules_: tuple[DecisionRule, ...]
    classes_: tuple[str, ...]

    def __init__(self, *, min_objects: int = 2, confidence: float = 0.25):
        self.min_objects = min_objects
        self.confidence = confidence

    def fit(self, examples: Examples) -> Part:
        check_parameters(self, self._parameter_constraints)
        if not examples.counts.sum() > 0:
            raise DataError("A classifier needs at least one row whose class is known, and there is none.")
        partial, rules = _Partial(entries_of(examples), float(self.min_objects), float(self.confidence)), []
        while partial.left:
            rules.append(partial.rule())
        conditions, unknown, counts = zip(*rules, strict=True)
        self._conditions, self._unknown, self._counts = (
            np.concatenate(conditions),
            np.concatenate(unknown),
            np.stack(counts),
        )
        self._ends = np.cumsum([len(of_rule) for of_rule in conditions])
        self._cuts = examples.cuts(self._conditions[:, _FEATURE], self._conditions[:, _LIMIT])
        self.features_, self.classes_ = examples.features, examples.classes
        lines = [
            (examples.features[f], float(cut), int(branch))
            for (f, _, branch), cut in zip(self._conditions, self._cuts, strict=True)
        ]
        starts = np.append(0, self._ends[:-1])
        self.rules_ = tuple(
            DecisionRule(tuple(lines[start:end]), counts)
            for start, end, counts in zip(starts, self._ends, self._counts, strict=True)
        )
        return self

    def to_text(self) -> str:
        """The rules for people, one on each line."""
        return "\n".join(rule.to_text(self.classes_) for rule in self.rules_)

    def predict(self, table: Table) -> np.ndarray:
        """The class of each row, as text: the most probable one, the first of equals."""
        return np.array(self.classes_)[self.predict_proba(table).argmax(axis=1)]

    def predict_proba(self, table: Table) -> np.ndarray:
        """The share of each class among the training rows of the rules that cover a row."""
        conditions = self._conditions.copy()
        codes: list[np.ndarray] = []
        unknown: list[int] = []
        for place, f in enumerate(np.unique(conditions[:, _FEATURE])):
            feature, column = self.features_[f], table.column(self.features_[f].name)
            at = np.flatnonzero(self._conditions[:, _FEATURE] == f)
            conditions[at, _FEATURE] = place
            if feature.is_number:
                cuts = np.unique(self._cuts[at])
                conditions[at, _LIMIT] = np.searchsorted(cuts, self._cuts[at])
                numbers = feature.numbers_of(column)
                places = np.where(np.isnan(numbers), len(cuts) + 1, np.searchsorted(cuts, numbers, side="right"))
                codes.append(places[column.codes])
                unknown.append(len(cuts) + 1)
            else:
                codes.append(feature.codes(column))
                unknown.append(feature.unknown)
        shares = self._counts / self._counts.sum(axis=1, keepdims=True)
        if not codes:
            return np.repeat(shares[:1], len(table), axis=0)
        distinct, groups = distinct_codes(codes, len(table), [level + 1 for level in unknown], ordered=False)
        levels = np.array(unknown, dtype=np.int64)
        return _apply(distinct, levels, conditions, self._unknown, self._ends, shares)[groups]
