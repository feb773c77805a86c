# SPDX-License-Identifier: Apache-2.0
"""How kADET grows: which questions there are, which of them keep k persons in every branch, and which tells most.

The work is on entries: distinct combinations of quasi-identifiers, class and, where persons are counted, person. A
node is the entries that come to it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.axis import Axis
from discreet.data.column import Column
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.prepare.automatic import automatic
from discreet.prepare.hierarchy import Hierarchy
from discreet.published_tree import children_of
from discreet.tally import group, persons_per_group

_LEAST = 1e-9  # bits of information gain per row below which a question tells nothing


@dataclass(frozen=True, eq=False)
class Entries:
    """`codes[i]` are the quasi-identifiers of entry i, `label[i]` its class, `rows[i]` how many rows it stands for."""

    codes: np.ndarray
    label: np.ndarray
    rows: np.ndarray
    person: np.ndarray | None
    n_classes: int

    @classmethod
    def of(cls, table: Table, roles: Roles) -> Entries:
        columns = [*table.columns(roles.quasi), table.column(roles.target)]  # type: ignore[arg-type]
        person = [] if roles.person is None else [table.column(roles.person)]
        groups, first = group([c.codes for c in columns + person], len(table), [c.levels for c in columns + person])
        codes = np.column_stack([column.codes[first] for column in columns])
        return cls(
            codes[:, :-1],
            codes[:, -1],
            np.bincount(groups),
            person[0].codes[first] if person else None,
            columns[-1].levels,
        )

    def take(self, which: np.ndarray) -> Entries:
        person = None if self.person is None else self.person[which]
        return Entries(self.codes[which], self.label[which], self.rows[which], person, self.n_classes)

    def by_class(self, branch: np.ndarray, n_branches: int) -> np.ndarray:
        """Rows of each branch and class."""
        cell = branch * self.n_classes + self.label
        found = np.bincount(cell, weights=self.rows, minlength=n_branches * self.n_classes)
        return found.astype(np.int64).reshape(n_branches, self.n_classes)

    def persons(self, branch: np.ndarray, n_branches: int, *, by_class: bool) -> np.ndarray:
        """Persons of each branch, in one column or by class."""
        if self.person is None:
            rows = self.by_class(branch, n_branches)
            return rows if by_class else rows.sum(axis=1, keepdims=True)
        if not by_class:
            return persons_per_group(branch, n_branches, self.person)[:, None]
        cells = persons_per_group(branch * self.n_classes + self.label, n_branches * self.n_classes, self.person)
        return cells.reshape(n_branches, self.n_classes)

    def persons_aside(self, place: np.ndarray, n_places: int, *, by_class: bool) -> tuple[np.ndarray, np.ndarray]:
        """Persons up to each place but the last, and after it; in one column or by class."""
        if self.person is None:
            upto = self.persons(place, n_places, by_class=by_class).cumsum(axis=0)
            return upto[:-1], upto[-1] - upto[:-1]
        label = self.label if by_class else np.zeros_like(self.label)
        order = np.lexsort((place, label, self.person))
        who, of_class, at = self.person[order], label[order], place[order]
        is_first = np.append(True, (who[1:] != who[:-1]) | (of_class[1:] != of_class[:-1]))
        is_last = np.append(is_first[1:], True)
        sides = []
        for which in (is_first, is_last):
            met = np.zeros((n_places, self.n_classes if by_class else 1), dtype=np.int64)
            np.add.at(met, (at[which], of_class[which]), 1)
            sides.append(met.cumsum(axis=0))
        return sides[0][:-1], sides[1][-1] - sides[1][:-1]


@dataclass(frozen=True, eq=False)
class Split:
    """A way to part a node: the branch of each entry, how much it tells, and the node as it will be published, with
    the numbers of its branches where those of its children are to be.
    """

    branch: np.ndarray
    n_branches: int
    gain: float
    allowed: bool
    node: dict[str, Any]


@dataclass(frozen=True)
class Rule:
    """Every branch has k persons; where the class is public, every class within it has k or none."""

    k: int
    public_class: bool

    def allows(self, persons: np.ndarray) -> np.ndarray:
        """For each line of persons, one column or one per class, whether it may stand."""
        return ((persons >= self.k) | ((persons == 0) & self.public_class)).all(axis=-1) & (persons > 0).any(axis=-1)


@dataclass(frozen=True, eq=False)
class Cuts:
    """Numbers and dates: below a cut or not. There is one split, the cut that tells most of those that may be made."""

    axis: Axis

    @property
    def column(self) -> Column:
        return self.axis.column

    def values(self) -> None:
        return None

    def splits(self, entries: Entries, codes: np.ndarray, rule: Rule) -> Iterator[Split]:
        ranks, place = np.unique(self.axis.rank_of_code[codes], return_inverse=True)
        if len(ranks) < 2:
            return
        upto = entries.by_class(place, len(ranks)).cumsum(axis=0)
        sides = entries.persons_aside(place, len(ranks), by_class=rule.public_class)
        allowed = np.flatnonzero(rule.allows(sides[0]) & rule.allows(sides[1]))
        if not len(allowed):
            return
        left = upto[allowed]
        gains = _entropy(upto[-1]) - _entropy(left) - _entropy(upto[-1] - left)
        best = int(np.argmax(np.round(gains, 9)))
        at = int(allowed[best])
        cut = float(self.axis.cut(int(ranks[at]), int(ranks[at + 1])))
        node = {"column": self.column.name, "cut": None if cut == np.inf else cut, "below": 0, "not_below": 1}
        yield Split((place > at).astype(np.int64), 2, float(gains[best]), True, node)


@dataclass(frozen=True, eq=False)
class Labels:
    """Categories: the label of the value on one level of its hierarchy. Values that too few persons have are not named.

    `label_of[level][code]` numbers the labels of a level; the number after the last is missing, -1 is not named.
    """

    column: Column
    paths: dict[str, list[str]]
    names: tuple[tuple[str, ...], ...]
    label_of: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, column: Column, persons: np.ndarray, k: int, hierarchy: Hierarchy | None) -> Labels:
        named = np.flatnonzero(persons >= k)
        if not len(named):
            return cls(column, {}, (), ())
        if hierarchy is None:
            kept = Column(column.name, column.kind, column.values.take(named), np.arange(len(named), dtype=np.int32))
            hierarchy = automatic(kept, counts=persons[named])
        else:
            hierarchy.check_against(column)
        leaves = hierarchy.leaf_codes(column)
        paths = {column.texts[code]: list(hierarchy.paths[leaves[code]][:-1]) for code in named}
        names, label_of = [], []
        for level in range(hierarchy.levels - 1):
            labels = tuple(dict.fromkeys(path[level] for path in paths.values()))
            number = np.full(len(column.values) + 1, -1, dtype=np.int64)
            number[named] = [labels.index(path[level]) for path in paths.values()]
            number[-1] = len(labels)
            names.append(labels)
            label_of.append(number)
        return cls(column, paths, tuple(names), tuple(label_of))

    def values(self) -> dict[str, list[str]]:
        return self.paths

    def splits(self, entries: Entries, codes: np.ndarray, rule: Rule) -> Iterator[Split]:
        for level, (names, label_of) in enumerate(zip(self.names, self.label_of, strict=True)):
            split = self._split(entries, label_of[codes], names, level, rule)
            if split is None:
                return
            yield split

    def _split(self, entries: Entries, label: np.ndarray, names: Sequence[str], level: int, rule: Rule) -> Split | None:
        n_labels = len(names) + 1  # missing is the last
        inside = np.flatnonzero(label >= 0)
        persons = entries.take(inside).persons(label[inside], n_labels, by_class=rule.public_class)
        if not rule.allows(persons)[-1]:
            persons[-1] = 0  # too few are missing for a branch of their own
        there = np.flatnonzero(persons.sum(axis=1) > 0)
        if len(there) < 2:
            return None
        otherwise = int(np.argmax(persons[there].sum(axis=1)))
        branch_of = np.full(n_labels + 1, otherwise)
        branch_of[there] = np.arange(len(there))
        branch = branch_of[label]  # -1 takes the last
        rows = entries.by_class(branch, len(there))
        gain = float(_entropy(rows.sum(axis=0)) - _entropy(rows).sum())
        allowed = rule.allows(persons[there]).all()
        if allowed:  # what goes otherwise may bring few of a class
            allowed = rule.allows(entries.persons(branch, len(there), by_class=rule.public_class)).all()
        number = {names[int(label)]: b for b, label in enumerate(there) if label < len(names)}
        missing = len(there) - 1 if there[-1] == len(names) else None
        node = {"column": self.column.name, "level": level, "branches": number, "missing": missing}
        return Split(branch, len(there), gain, bool(allowed), node | {"otherwise": otherwise})


Question = Cuts | Labels  # `splits` yields what may be asked about a column at a node, from fine to coarse


@dataclass(frozen=True, eq=False)
class Growth:
    """Grows a tree; `named` are the classes that may be named."""

    questions: Sequence[Question]
    rule: Rule
    classes: Sequence[Any]
    named: np.ndarray
    prune: bool = True

    def nodes(self, entries: Entries) -> list[dict[str, Any]]:
        """The nodes as they are published: a child comes after its parent."""
        nodes: list[dict[str, Any]] = [{}]
        leaves: list[Leaf] = [self._leaf(entries)]  # what each node would be as a leaf
        waiting = [(0, entries)]
        while waiting:
            place, here = waiting.pop()
            split = self._best(here)
            if split is None:
                nodes[place] = leaves[place].node
                continue
            first = len(nodes)
            nodes[place] = _numbered(split, range(first, first + split.n_branches))
            parts = [here.take(split.branch == b) for b in range(split.n_branches)]
            leaves += [self._leaf(part) for part in parts]
            nodes += [{}] * split.n_branches
            waiting += zip(range(first, len(nodes)), parts, strict=True)
        return pruned(nodes, leaves) if self.prune else nodes

    def _best(self, entries: Entries) -> Split | None:
        """The split that tells most of those allowed. One that is not allowed makes way for its generalisation."""
        least = _LEAST * int(entries.rows.sum())
        ways = [question.splits(entries, entries.codes[:, i], self.rule) for i, question in enumerate(self.questions)]
        candidates = [next(way, None) for way in ways]
        while True:
            gains = [-1.0 if split is None else round(split.gain, 9) for split in candidates]
            best = int(np.argmax(gains))
            split = candidates[best]
            if split is None or split.gain <= least:
                return None
            if split.allowed:
                return split
            candidates[best] = next(ways[best], None)

    def _leaf(self, entries: Entries) -> Leaf:
        nowhere = np.zeros(len(entries.label), dtype=np.int64)
        rows = entries.by_class(nowhere, 1)[0]
        persons = entries.persons(nowhere, 1, by_class=True)[0]
        shown = ((persons == 0) | (persons >= self.rule.k)).all()
        node = {
            "class": self.classes[int(np.argmax(rows[self.named]))],
            "at_least": int(self.rule.k),
            "counts": rows[self.named].tolist() if shown else None,
        }
        return Leaf(node, int(rows.sum()), int(rows.sum() - rows[self.named].max()))


@dataclass(frozen=True)
class Leaf:
    """A leaf as it would be published, its rows, and those of them that are of another class."""

    node: dict[str, Any]
    rows: int
    errors: int


def pruned(nodes: list[dict[str, Any]], leaves: Sequence[Leaf]) -> list[dict[str, Any]]:
    """Pessimistic pruning (Quinlan 1987): a leaf takes the place of a subtree whose errors, with half a row more for
    each of its leaves and one standard error, are no fewer. A leaf of several has more persons: the promise is kept.
    """
    stays, errors = [True] * len(nodes), [leaf.errors + 0.5 for leaf in leaves]
    for place in reversed(range(len(nodes))):  # children first
        children = children_of(nodes[place])
        below = sum(errors[child] for child in children)
        rows = leaves[place].rows
        if children and errors[place] > below + math.sqrt(max(below * (rows - below), 0) / rows):
            errors[place] = below
        else:
            stays[place] = False
    number, queue, kept = {0: 0}, [0], []
    for place in queue:
        children = children_of(nodes[place]) if stays[place] else []
        number |= {child: len(number) + i for i, child in enumerate(children)}
        queue += children
        kept.append(place)
    return [_renumbered(nodes[place], number) if stays[place] else leaves[place].node for place in kept]


def _numbered(split: Split, numbers: Sequence[int]) -> dict[str, Any]:
    """The node of a split with the numbers of its children."""
    return _renumbered(split.node, dict(enumerate(numbers)))


def _renumbered(node: dict[str, Any], number: Mapping[int, int]) -> dict[str, Any]:
    if "cut" in node:
        return node | {field: number[node[field]] for field in ("below", "not_below")}
    new = {"branches": {name: number[child] for name, child in node["branches"].items()}}
    return node | new | {field: number.get(node[field]) for field in ("missing", "otherwise")}


def _entropy(counts: np.ndarray) -> np.ndarray:
    """The entropy of the class in bits, times the rows; of each line of counts."""
    logs = np.log2(np.maximum(counts, 1))
    rows = counts.sum(axis=-1)
    return rows * np.log2(np.maximum(rows, 1)) - (counts * logs).sum(axis=-1)
