# SPDX-License-Identifier: Apache-2.0
"""The questions that kADET may ask at a node: their branches, whether these keep k persons, their information gain.

The work is on entries: distinct combinations of quasi-identifiers, class and, where persons are counted, person. A
node is the entries that come to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.compiled_entropy import entropy_times_n
from discreet.counting.tally import persons_per_group
from discreet.data.column import Column
from discreet.foundation.compiled_kernels import compiled
from discreet.prepare.automatic_hierarchy import automatic
from discreet.prepare.hierarchy import Hierarchy
from discreet.prepare.rare import Rare
from discreet.recoding.axis import Axis


@dataclass(frozen=True, eq=False)
class NodeEntries:
    """`codes[i]` are the quasi-identifiers of entry i, `label[i]` its class, `rows[i]` how many rows it stands for."""

    codes: np.ndarray
    label: np.ndarray
    rows: np.ndarray
    person: np.ndarray | None
    n_classes: int

    @classmethod
    def of(cls, rows: CodedRows) -> NodeEntries:
        entries = rows.entries
        return cls(rows.codes[entries.row], entries.label, entries.rows, entries.person, rows.counts.shape[1])

    def take(self, which: np.ndarray) -> NodeEntries:
        person = None if self.person is None else self.person[which]
        return NodeEntries(self.codes[which], self.label[which], self.rows[which], person, self.n_classes)

    def persons(self, branch: np.ndarray, n_branches: int, *, by_class: bool) -> np.ndarray:
        """Persons of each branch, in one column or by class; where persons are told apart, else they are rows."""
        if not by_class:
            return persons_per_group(branch, n_branches, self.person)[:, None]
        cells = persons_per_group(branch * self.n_classes + self.label, n_branches * self.n_classes, self.person)
        return cells.reshape(n_branches, self.n_classes)

    def persons_aside(self, place: np.ndarray, n_places: int, *, by_class: bool) -> tuple[np.ndarray, np.ndarray]:
        """Persons up to each place but the last, and after it; in one column or by class."""
        assert self.person is not None
        label = self.label if by_class else np.zeros_like(self.label)
        order = np.lexsort((place, label, self.person))
        who, of_class, at = self.person[order], label[order], place[order]
        is_first = np.append(True, (who[1:] != who[:-1]) | (of_class[1:] != of_class[:-1]))
        is_last = np.append(is_first[1:], True)
        sides = []
        for which in (is_first, is_last):
            reached = np.zeros((n_places, self.n_classes if by_class else 1), dtype=np.int64)
            np.add.at(reached, (at[which], of_class[which]), 1)
            sides.append(reached.cumsum(axis=0))
        return sides[0][:-1], sides[1][-1] - sides[1][:-1]


@compiled
def _stands(persons, k, public_class):
    """Whether a branch may stand: its persons, in all or by class, are k; where the class is public, also none."""
    some = False
    for c in range(len(persons)):
        some |= persons[c] > 0
        if persons[c] < k and not (public_class and persons[c] == 0):
            return False
    return some


@compiled
def _stand(persons, k, public_class):
    standing = np.empty(len(persons), np.bool_)
    for b in range(len(persons)):
        standing[b] = _stands(persons[b], k, public_class)
    return standing


@compiled
def _best_cut(ranks, order, classes, rows, n_classes, below, above, of_rows, k, public_class):
    """The cut that tells most of those that may be made: (gain, how many entries of `order` are below it, or 0).

    `below` and `above` are the persons on both sides of each cut, in all or by class; not looked at if `of_rows`.
    """
    left, right = np.zeros(n_classes, np.int64), np.zeros(n_classes, np.int64)
    for e in range(len(rows)):
        right[classes[e]] += rows[e]
    whole, cut, most, at = entropy_times_n(right), 0, -1.0, 0
    sums = np.array([[0], [right.sum()]])
    for j in range(1, len(order)):
        e = order[j - 1]
        left[classes[e]] += rows[e]
        right[classes[e]] -= rows[e]
        sums[0, 0] += rows[e]
        sums[1, 0] -= rows[e]
        if ranks[e] == ranks[order[j]]:
            continue
        if not of_rows:
            allowed = _stands(below[cut], k, public_class) and _stands(above[cut], k, public_class)
        elif public_class:
            allowed = _stands(left, k, True) and _stands(right, k, True)
        else:
            allowed = _stands(sums[0], k, False) and _stands(sums[1], k, False)
        cut += 1
        if allowed:
            gain = np.rint((whole - entropy_times_n(left) - entropy_times_n(right)) * 1e9)
            if gain > most:
                most, at = gain, j
    return most / 1e9, at


@compiled
def _weigh(codes, label_of, classes, rows, counts, persons, of_rows, k, public_class):
    """How much the labels of a level tell: (gain, allowed, largest label or -1, whether missing is a branch).

    `counts` has a line for each label, then one for missing and one for what is not named, both all zero; `persons` has
    no line for the last, and is filled here if they are `of_rows`.
    """
    n_labels, n_classes = len(persons), counts.shape[1]
    for e in range(len(codes)):
        counts[label_of[codes[e]], classes[e]] += rows[e]  # -1 takes the last
    if of_rows:
        for b in range(n_labels):
            for c in range(n_classes):
                persons[b, c if public_class else 0] += counts[b, c]
    apart = _stands(persons[-1], k, public_class)
    n_branches, largest, most, allowed = 0, -1, 0, True
    for b in range(n_labels if apart else n_labels - 1):
        here = persons[b].sum()
        if here > 0:
            n_branches += 1
            allowed &= _stands(persons[b], k, public_class)
            if here > most:
                largest, most = b, here
    if n_branches < 2:
        return 0.0, False, -1, apart
    for b in range(n_labels if apart else n_labels - 1, n_labels + 1):
        for c in range(n_classes):
            counts[largest, c] += counts[b, c]
            counts[b, c] = 0
    if of_rows and public_class:  # what goes otherwise may bring few of a class
        allowed &= _stands(counts[largest], k, public_class)
    whole, after = np.zeros(n_classes, np.int64), 0.0
    for b in range(n_labels):
        after += entropy_times_n(counts[b])
        for c in range(n_classes):
            whole[c] += counts[b, c]
    return entropy_times_n(whole) - after, allowed, largest, apart


_NOBODY = (np.zeros((0, 1), dtype=np.int64), np.zeros((0, 1), dtype=np.int64))
Parted = tuple[np.ndarray, int, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Split:
    """A way to part a node: how much it tells, whether it may be made, and how it is made: the branch of each entry,
    how many there are, and the node as it will be published, with the numbers of its branches where those of its
    children are to be.
    """

    gain: float
    allowed: bool
    make: Callable[[], Parted]


@dataclass(frozen=True)
class BranchRule:
    """Every branch has k persons; where the class is public, every class within it has k or none."""

    k: int
    public_class: bool

    def allows(self, persons: np.ndarray) -> np.ndarray:
        """For each line of persons, one column or one per class, whether it may stand."""
        return _stand(persons, self.k, self.public_class)


@dataclass(frozen=True, eq=False)
class CutQuestion:
    """Numbers and dates: below a cut or not. There is one split, the cut that tells most of those that may be made."""

    axis: Axis

    @property
    def column(self) -> Column:
        return self.axis.column

    def values(self) -> None:
        return None

    def splits(self, entries: NodeEntries, codes: np.ndarray, rule: BranchRule) -> Iterator[Split]:
        ranks, persons = self.axis.rank_of_code[codes], _NOBODY
        if entries.person is not None:
            _, place = np.unique(ranks, return_inverse=True)
            persons = entries.persons_aside(place, int(place.max()) + 1, by_class=rule.public_class)
        order = np.argsort(ranks, kind="stable")
        gain, at = _best_cut(
            ranks,
            order,
            entries.label,
            entries.rows,
            entries.n_classes,
            *persons,
            entries.person is None,
            rule.k,
            rule.public_class,
        )
        if at:
            yield Split(gain, True, partial(self._parted, ranks, int(ranks[order[at - 1]]), int(ranks[order[at]])))

    def _parted(self, ranks: np.ndarray, below: int, above: int) -> Parted:
        cut = float(self.axis.cut(below, above))
        node = {"column": self.column.name, "cut": None if cut == np.inf else cut, "below": 0, "not_below": 1}
        return (ranks >= above).astype(np.int64), 2, node


@dataclass(frozen=True, eq=False)
class LabelQuestion:
    """Categories: the label of the value on one level of its hierarchy. Values that too few persons have are not named.

    `label_of[level][code]` numbers the labels of a level; the number after the last is missing, -1 is not named.
    """

    column: Column
    paths: dict[str, list[str]]
    names: tuple[tuple[str, ...], ...]
    label_of: tuple[np.ndarray, ...]

    @classmethod
    def of(cls, column: Column, persons: np.ndarray, k: int, hierarchy: Hierarchy | None) -> LabelQuestion:
        named = np.flatnonzero(persons >= k)
        if not len(named):
            return cls(column, {}, (), ())
        if hierarchy is None:
            published = Column(
                column.name, column.kind, column.values.take(named), np.arange(len(named), dtype=np.int32)
            )
            hierarchy = automatic(published, counts=persons[named])
        else:
            hierarchy.check_against(column)
            hierarchy = hierarchy.completed(column)
        hierarchy = hierarchy.veiled(Rare(column, persons < k).is_named_by)
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

    def splits(self, entries: NodeEntries, codes: np.ndarray, rule: BranchRule) -> Iterator[Split]:
        of_rows = entries.person is None
        for level, (names, label_of) in enumerate(zip(self.names, self.label_of, strict=True)):
            n_labels = len(names) + 1  # missing is the last
            counts = np.zeros((n_labels + 1, entries.n_classes), dtype=np.int64)
            persons = np.zeros((n_labels, entries.n_classes if rule.public_class else 1), dtype=np.int64)
            if not of_rows:
                inside = np.flatnonzero((label := label_of[codes]) >= 0)
                persons = entries.take(inside).persons(label[inside], n_labels, by_class=rule.public_class)
            gain, allowed, largest, apart = _weigh(
                codes, label_of, entries.label, entries.rows, counts, persons, of_rows, rule.k, rule.public_class
            )
            if largest < 0:
                return
            make = partial(self._parted, codes, counts, level, largest, apart)
            if allowed and rule.public_class and not of_rows:  # what goes otherwise may bring few of a class
                branch, n_branches, _ = make()
                allowed = rule.allows(entries.persons(branch, n_branches, by_class=True)).all()
            yield Split(gain, bool(allowed), make)

    def _parted(self, codes: np.ndarray, counts: np.ndarray, level: int, largest: int, apart: bool) -> Parted:
        """LabelQuestion with rows in `counts` have a branch."""
        names, there = self.names[level], np.flatnonzero(counts.any(axis=1))
        otherwise = int(np.searchsorted(there, largest))
        branch_of = np.full(len(counts), otherwise)
        branch_of[there] = np.arange(len(there))
        number = {names[place]: b for b, place in enumerate(there) if place < len(names)}
        missing = len(there) - 1 if apart else None
        node = {"column": self.column.name, "level": level, "branches": number, "missing": missing}
        return branch_of[self.label_of[level][codes]], len(there), node | {"otherwise": otherwise}  # -1 takes the last


Question = (
    CutQuestion | LabelQuestion
)  # `splits` yields what may be asked about a column at a node, from fine to coarse
