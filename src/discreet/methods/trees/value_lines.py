# SPDX-License-Identifier: Apache-2.0
"""One quasi-identifier as a line that groups cut by themselves: the values below a label stand side by side.

A part is a stretch of the line, from one place up to another. It is written by the largest labels of the tree that it
is made of: a stretch that is a whole branch by the label of that branch, any other by the labels of several branches.

AxisLine    a column without a tree: numbers and dates in their order, categories in that of their class shares
NumberLine  numbers and dates with a tree, in their order (number_lines.py)
ValueLine   all other columns with a tree; the branches below a label stand in the order of their class shares

Of a ValueLine, branches that fewer than k persons have are never named. Those below one label are one place, which is
called "other", with the name of that label.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.column import MISSING_MARKS, SUPPRESSED, Column
from discreet.prepare.hierarchy import Hierarchy
from discreet.prepare.rare import Rare
from discreet.recoding.axis import Axis, in_class_order, written
from discreet.recoding.labels import EVERYTHING, Labelling, Meaning, other_mark
from discreet.recoding.names import MOST_SPELT, Names

Part = tuple[int, ...]  # where the part begins and ends in each order of the places
MOST_UNNAMED = 0.01  # share of the rows whose values new rows may have and no record names
_MOST_POOLED = 0.5  # share of the rows that may be "other" from the start: beyond it, the column would be lost


@dataclass(frozen=True, eq=False)
class LabelStretch:
    """A stretch of the line that has a label of its own."""

    start: int
    stop: int
    label: str


class Line:
    """The places of a column: `place_of_code` is the place of each code, missing last."""

    def __init__(self, column: Column, place_of_code: np.ndarray, n_places: int):
        self.name, self.column, self.n_places = column.name, column, n_places
        self.place_of_code = place_of_code.astype(np.int32)
        self.orders = [np.arange(n_places)]  # the rank of each place in the orders in which it may be cut

    def border(self, order: int, below: int, above: int) -> int:
        """Where to cut between two ranks of an order: the right side begins there. No row has what lies between."""
        raise NotImplementedError

    def labelling(self, parts: Sequence[Part]) -> Labelling:
        """How the parts are written, and what that means."""
        labels = tuple(self._label(part) for part in parts)
        return Labelling(self.name, self.column.kind, labels, tuple(map(self._meaning, parts)), known=self._known())

    def _label(self, part: Part) -> str | None:
        raise NotImplementedError

    def _meaning(self, part: Part) -> Meaning:
        raise NotImplementedError

    def _known(self) -> frozenset[str]:
        return frozenset()


class AxisLine(Line):
    """The places are the ranks of an axis."""

    def __init__(self, axis: Axis):
        self.axis = axis
        super().__init__(axis.column, axis.rank_of_code, len(axis.counts_of_ranks))

    def border(self, order: int, below: int, above: int) -> int:
        if above == self.axis.n_values:  # missing
            return above
        if self.axis.numbers is None:
            return (below + above + 1) // 2
        return int(np.searchsorted(self.axis.numbers, self.axis.cut(below, above)))

    def _label(self, part: Part) -> str | None:
        return self.axis.set_of(tuple(range(*part))) if self.axis.names else self.axis.interval(*self._ends(part))

    def _meaning(self, part: Part) -> Meaning:
        if self.axis.names:
            return self.axis.meaning_of_set(tuple(range(*part)))
        return self.axis.meaning_of_interval(*self._ends(part))

    def _known(self) -> frozenset[str]:
        return self.axis.known

    def _ends(self, part: Part) -> tuple[float, float, bool]:
        start, stop = part
        low = self.axis.cut(start - 1, start) if start else -np.inf
        high = self.axis.cut(stop - 1, stop) if stop < self.n_places else np.inf
        return low, high, self.column.has_missing and stop == self.n_places


class TreeLine(Line):
    """A line below a tree: `branches` are the labels and their stretches, a place or more each; missing is the last
    place, unless the tree has a value for it.
    """

    def __init__(
        self, column: Column, place_of_code: np.ndarray, n_places: int, branches: Sequence[LabelStretch], *, aside: bool
    ):
        super().__init__(column, place_of_code, n_places)
        self.aside = aside  # whether the last place is missing
        self._from: dict[int, list[LabelStretch]] = {}
        for branch in sorted(branches, key=lambda branch: branch.start - branch.stop):
            self._from.setdefault(branch.start, []).append(branch)  # the largest first
        self._rank = np.zeros(n_places + 1, dtype=np.int64)  # how large the branches are that begin or end at a place
        for branch in branches:
            for end in (branch.start, branch.stop):
                self._rank[end] = max(self._rank[end], branch.stop - branch.start)

    def border(self, order: int, below: int, above: int) -> int:
        if order:
            return (below + above + 1) // 2
        return below + 1 + int(np.argmax(self._rank[below + 1 : above + 1]))

    def cover(self, inside: np.ndarray) -> list[str]:
        """The labels of the largest branches that some places are made of; `inside` says which."""
        labels, place = [], 0
        upto = np.concatenate([[0], np.cumsum(inside)])
        while place < len(inside):
            if not inside[place]:
                place += 1
                continue
            largest = next(b for b in self._from[place] if upto[b.stop] - upto[b.start] == b.stop - b.start)
            labels.append(largest.label)
            place = largest.stop
        return labels

    def _inside(self, part: Part) -> np.ndarray:
        """Which places belong to the part."""
        inside = np.ones(self.n_places, dtype=bool)
        for rank, start, stop in zip(self.orders, part[::2], part[1::2], strict=True):
            inside &= (start <= rank) & (rank < stop)
        return inside

    def _label(self, part: Part) -> str | None:
        return self.label_of(self._inside(part))

    def _meaning(self, part: Part) -> Meaning:
        return self.meaning_of(self._inside(part))

    def label_of(self, inside: np.ndarray) -> str | None:
        """How a set of places is written; `inside` says which."""
        missing, values = self.aside and bool(inside[-1]), inside[:-1] if self.aside else inside
        if not values.any():
            return None
        if values.all():
            return SUPPRESSED if missing == self.aside else "not missing"
        name = self._name(values)
        return f"{name} or missing" if missing else name

    def meaning_of(self, inside: np.ndarray) -> Meaning:
        raise NotImplementedError

    def _name(self, values: np.ndarray) -> str | None:
        raise NotImplementedError


class ValueLine(TreeLine):
    """The places are the values that occur, those of branches too rare to be named together."""

    def __init__(
        self, column: Column, place_of_code: np.ndarray, n_places: int, branches: Sequence[LabelStretch], rare: Rare, *,
        aside: bool, others: Sequence[int], by_class: np.ndarray,
    ):  # fmt: skip
        super().__init__(column, place_of_code, n_places, branches, aside=aside)
        self._texts: list[list[str]] = [[] for _ in range(n_places)]
        common = set(rare.common)
        for text, place in zip(column.texts, self.place_of_code[:-1], strict=True):
            if text in common:
                self._texts[place].append(text)
        self._others = others[0] if len(others) == 1 else -1  # the only place of values that are not named
        self._named = frozenset(common)
        self._sets: dict[str, bytes] = {}  # the values that each name stands for
        self._names = Names()
        self.orders.append(np.append(np.argsort(by_class), np.full(int(aside), n_places - 1)))

    @classmethod
    def of(cls, tree: Hierarchy, rows: CodedRows, rare: Rare, k: int) -> ValueLine:
        column = rare.column
        leaf_of_code = tree.leaf_codes(column)
        aside = column.has_missing and leaf_of_code[-1] < 0
        laid = _Layout(tree, leaf_of_code, rows, rare, k)
        places = np.zeros(len(leaf_of_code), dtype=np.int64)
        has_leaf = leaf_of_code >= 0
        places[has_leaf] = laid.place_of_leaf[leaf_of_code[has_leaf]]
        places[-1] = laid.n_places if aside or leaf_of_code[-1] < 0 else places[-1]
        return cls(
            column,
            places,
            laid.n_places + aside,
            laid.branches,
            rare,
            aside=aside,
            others=laid.others,
            by_class=laid.by_class,
        )

    def _name(self, values: np.ndarray) -> str | None:
        """A name that no other set of values has."""
        name, number = self._first_name(values), 1
        if name is None:
            return None
        while (
            self._sets.setdefault(name if number == 1 else f"{name} ({number})", values.tobytes()) != values.tobytes()
        ):
            number += 1
        return name if number == 1 else f"{name} ({number})"

    def _first_name(self, values: np.ndarray) -> str | None:
        inside = self.cover(values)
        if len(inside) == 1:
            return None if inside[0] in MISSING_MARKS else inside[0]
        outside = self.cover(~values)
        if len(inside) > min(MOST_SPELT, len(outside)) and len(outside) <= MOST_SPELT:
            return "not {" + _listed(outside) + "}"
        if len(inside) <= MOST_SPELT:
            return "{" + _listed(inside) + "}"
        return self._names.name(values.tobytes(), sorted(written(label) for label in inside))

    def meaning_of(self, inside: np.ndarray) -> Meaning:
        if inside.all():
            return EVERYTHING
        missing = self.column.has_missing and bool(inside[self.place_of_code[-1]])
        texts = [text for place in np.flatnonzero(inside) for text in self._texts[place]]
        return Meaning.of(texts, others=self._others >= 0 and bool(inside[self._others]), missing=missing)

    def _known(self) -> frozenset[str]:
        return self._named if self._others >= 0 else frozenset()


def _listed(labels: Sequence[str]) -> str:
    return ", ".join(sorted(written(label) for label in labels))


class _Layout:
    """Lays the leaves that occur on a line: the branches below a label in the order of their class shares."""

    def __init__(self, tree: Hierarchy, leaf_of_code: np.ndarray, rows: CodedRows, rare: Rare, k: int):
        self.tree, self.k = tree, k
        codes, has_leaf = rows.column(rare.column.name).codes, leaf_of_code >= 0
        counts = rows.class_counts(rare.column.name)
        self._counts = np.zeros((len(tree), counts.shape[1]), dtype=np.int64)
        np.add.at(self._counts, leaf_of_code[has_leaf], counts[has_leaf])
        pooled = leaf_of_code[:-1][rare.is_rare]
        unnamed = self._counts[pooled].sum() / max(rows.n_rows, 1)
        self._pooled = pooled if MOST_UNNAMED < unnamed <= _MOST_POOLED else pooled[:0]
        leaf = leaf_of_code[codes]
        inside = np.flatnonzero((leaf >= 0) & ~np.isin(leaf, self._pooled))
        self._persons = [
            rows.sizes(tree.codes(level)[leaf[inside]].astype(np.int64), len(tree.labels(level)), inside)
            for level in range(tree.levels)
        ]
        self._labels = frozenset(  # that may be named: a mark of others must be none of them
            label
            for level, persons in enumerate(self._persons)
            for label, n in zip(tree.labels(level), persons, strict=True)
            if n >= k
        )
        self.place_of_leaf = np.full(len(tree), -1, dtype=np.int64)
        self.n_places, self.branches, self.others = 0, list[LabelStretch](), list[int]()
        self._lay(tree.levels - 1, 0)
        self.branches = _named_apart(self.branches)
        counts = np.zeros((self.n_places, self._counts.shape[1]), dtype=np.int64)
        laid = self.place_of_leaf >= 0
        np.add.at(counts, self.place_of_leaf[laid], self._counts[laid])
        self.by_class = in_class_order(counts)

    def _lay(self, level: int, code: int) -> None:
        start, label = self.n_places, self.tree.labels(level)[code]
        if label == SUPPRESSED and level < self.tree.levels - 1:
            label = other_mark(self._labels)  # values without a line of their own, or below labels that name rare ones
        leaves = np.flatnonzero(self.tree.codes(level) == code)
        if level == 0:
            self.place_of_leaf[leaves] = self.n_places
            self.n_places += 1
        else:
            below = [
                child for child in np.unique(self.tree.codes(level - 1)[leaves]) if self._persons[level - 1][child]
            ]
            at_root = level == self.tree.levels - 1
            if len(below) == 1 and not (at_root and len(self._pooled)) and self._persons[level - 1][below[0]] >= self.k:
                self._lay(level - 1, below[0])
            else:
                self._lay_children(level - 1, below, label)
        self.branches.append(LabelStretch(start, self.n_places, label))

    def _lay_children(self, level: int, below: list[int], label: str) -> None:
        leaves_of = [np.flatnonzero(self.tree.codes(level) == child) for child in below]
        named = [self._persons[level][child] >= self.k for child in below]
        units: list[tuple[np.ndarray, Callable[[], None]]] = [
            (leaves, lambda child=child: self._lay(level, child))  # type: ignore[misc]
            for child, leaves, enough in zip(below, leaves_of, named, strict=True)
            if enough
        ]
        few = [leaves for leaves, enough in zip(leaves_of, named, strict=True) if not enough]
        few += [self._pooled] if level == self.tree.levels - 2 and len(self._pooled) else []
        if few:
            units.append((np.concatenate(few), lambda: self._lay_few(np.concatenate(few), label, alone=not any(named))))
        if not units:  # no cell has a value
            return
        counts = np.array([self._counts[leaves].sum(axis=0) for leaves, _ in units])
        for place in in_class_order(counts):
            units[place][1]()

    def _lay_few(self, leaves: np.ndarray, above: str, *, alone: bool) -> None:
        """One place for branches that are not named, and a name for it, unless it is all there is below a label."""
        below = "" if above == SUPPRESSED else above
        name = below if alone and below else other_mark(self._labels, below)
        self.others.append(self.n_places)
        self.place_of_leaf[leaves] = self.n_places
        self.n_places += 1
        self.branches.append(LabelStretch(self.n_places - 1, self.n_places, name))


def _named_apart(branches: Sequence[LabelStretch]) -> list[LabelStretch]:
    """Each label once: a smaller branch of the same label is left out, or numbered if it is a single place."""
    named: dict[str, LabelStretch] = {}
    for branch in sorted(branches, key=lambda branch: branch.start - branch.stop):
        label, number = branch.label, 1
        while label in named and (named[label].start, named[label].stop) != (branch.start, branch.stop):
            number += 1
            label = f"{branch.label} ({number})"
        if number == 1 or branch.stop - branch.start == 1:
            named.setdefault(label, LabelStretch(branch.start, branch.stop, label))
    return list(named.values())
