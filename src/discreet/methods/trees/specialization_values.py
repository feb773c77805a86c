# SPDX-License-Identifier: Apache-2.0
"""One quasi-identifier as values that can be made finer: along a tree, by cutting an interval, or one value at a time.

The smallest values that matter are the leaves, numbered from 0. A part is a set of leaves that is published as one
label; at first all leaves are one part. `ways` says how a part may become finer and what each way tells about the
class, `children` does it.

ValueTree  a hierarchy, given or automatic: a label is replaced by its children
Intervals  numbers and dates: an interval is cut in two where the class entropy falls most
Star       categories without a tree: all are suppressed at first, and one is disclosed at a time

Entropies are whole numbers of 2^-20 bits, so that equal counts make equal gains in whatever order they are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.entropy import n_log_n
from discreet.data.column import MISSING_MARKS, SUPPRESSED, Column
from discreet.prepare.automatic_hierarchy import merged_levels
from discreet.prepare.hierarchy import Hierarchy, Node
from discreet.prepare.rare import Rare
from discreet.recoding.axis import Axis
from discreet.recoding.labels import EVERYTHING, Labelling

FINEST = 2.0**20  # parts of a bit
_FANOUT = 2  # of automatic trees: small steps keep k more often than large ones

Labellings = tuple[Labelling, Labelling]  # the owner's, and the one that may be published


def fixed_point_bits(counts: np.ndarray) -> np.ndarray:
    """Entropy of the class times the rows, in 2^-20 bits; classes lie along the last axis.

    >>> (fixed_point_bits(np.array([[4, 4], [8, 0], [1, 3]])) / 2**20).round(3).tolist()
    [8.0, 0.0, 3.245]
    """
    return _n_log_n(counts.sum(axis=-1)) - _n_log_n(counts).sum(axis=-1)


def _n_log_n(n: np.ndarray) -> np.ndarray:
    return np.rint(n_log_n(n) * FINEST).astype(np.int64)


@dataclass(frozen=True, eq=False)
class ValueLabel:
    """A label of a value tree, the leaves below it in increasing order, its children. None is missing."""

    label: str | None
    leaves: np.ndarray
    children: tuple[ValueLabel, ...] = ()


@dataclass(frozen=True, eq=False)
class LeafSet:
    """Leaves that are published as one; of a tree their branch. A value that was disclosed is `shown`."""

    leaves: np.ndarray
    branch: ValueLabel | None = None
    shown: bool = False

    @property
    def first(self) -> int:
        return int(self.leaves[0])


@dataclass(frozen=True, eq=False)
class Ways:
    """How a part may become finer: the leaf at which each way is noted, what it tells, whether it discloses a value.

    `child` is, for each leaf of the part, the first leaf of the child it would go to; where values are disclosed one
    at a time, the leaf itself.
    """

    at: np.ndarray
    gain: np.ndarray  # class entropy lost, times the rows of the part
    child: np.ndarray
    discloses: bool = False


class Values:
    """The leaves of a column and their rows per class; `leaf_of_code` leads from the column's codes to them.

    `counts` are the rows of each code, missing last, by class.
    """

    def __init__(self, column: Column, leaf_of_code: np.ndarray, n_leaves: int, counts: np.ndarray):
        self.name, self.column, self.n_leaves = column.name, column, n_leaves
        self.leaf_of_code = leaf_of_code.astype(np.int32)
        self.counts = np.zeros((n_leaves, counts.shape[1]), dtype=np.int64)
        occurring = np.flatnonzero(counts.any(axis=1))
        np.add.at(self.counts, self.leaf_of_code[occurring], counts[occurring])
        self.rows = self.counts.sum(axis=1)

    def root(self) -> LeafSet:
        return LeafSet(np.arange(self.n_leaves))

    def ways(self, part: LeafSet) -> Ways | None:
        """How the part may become finer; None if it cannot, or if its rows have one class only."""
        whole = self.counts[part.leaves].sum(axis=0)
        return self._ways(part, whole) if (whole > 0).sum() > 1 else None

    def _ways(self, part: LeafSet, whole: np.ndarray) -> Ways | None:
        raise NotImplementedError

    def children(self, part: LeafSet, at: int) -> list[LeafSet]:
        """The parts that the way noted at this leaf leads to."""
        raise NotImplementedError

    def labelling(self, parts: Sequence[LeafSet]) -> Labellings:
        """How the parts are written, and what that means."""
        raise NotImplementedError

    def label(self, part: LeafSet) -> str | None:
        raise NotImplementedError


# -- trees ---------------------------------------------------------------------------------------------------------


class ValueTree(Values):
    """Values in a tree. A branch that no row has is carried along, for new rows; nobody has to be in it."""

    def __init__(self, column: Column, leaf_of_code: np.ndarray, root: ValueLabel, counts: np.ndarray):
        super().__init__(column, leaf_of_code, len(root.leaves), counts)
        self._root = root

    def root(self) -> LeafSet:
        return LeafSet(self._root.leaves, self._root)

    def _ways(self, part: LeafSet, whole: np.ndarray) -> Ways | None:
        children = self.children(part, part.first)
        if not children:
            return None
        child = np.empty(self.n_leaves, dtype=np.int64)
        for below in children:
            child[below.leaves] = below.first
        inside = np.array([self.counts[below.leaves].sum(axis=0) for below in children])
        gain = np.maximum(fixed_point_bits(whole) - fixed_point_bits(inside).sum(), 0)
        return Ways(part.leaves[:1], np.array([gain]), child[part.leaves])

    def children(self, part: LeafSet, at: int) -> list[LeafSet]:
        """The children; where all rows are in one child, its children in its place."""
        assert part.branch is not None
        children = list(part.branch.children)
        while True:
            full = [place for place, child in enumerate(children) if self.rows[child.leaves].any()]
            if len(full) != 1 or not children[full[0]].children:
                return [LeafSet(child.leaves, child) for child in children] if len(full) > 1 else []
            children[full[0] : full[0] + 1] = children[full[0]].children

    def label(self, part: LeafSet) -> str | None:
        assert part.branch is not None
        return part.branch.label


class GivenTree(ValueTree):
    """The tree of a hierarchy. Missing is a child of the root, unless the hierarchy has a leaf for it.

    Neither labels nor published meanings name `rare` values. A leaf needs no care: it is a part only if enough have it.
    """

    def __init__(self, hierarchy: Hierarchy, rows: CodedRows, name: str, rarest: int):
        rare = Rare.of(rows, name, rarest=rarest)
        column = rare.column
        hierarchy.check_against(column)
        hierarchy = hierarchy.completed(column).veiled(rare.is_named_by)
        self.hierarchy, self.named = hierarchy, rare.common
        leaf_of_code, root = hierarchy.leaf_codes(column), _branch(hierarchy.root)
        if column.has_missing and leaf_of_code[-1] < 0:
            missing = np.array([len(hierarchy)])
            leaf_of_code[-1] = len(hierarchy)
            root = ValueLabel(SUPPRESSED, np.append(root.leaves, missing), (*root.children, ValueLabel(None, missing)))
        super().__init__(column, leaf_of_code, root, rows.class_counts(name))

    def labelling(self, parts: Sequence[LeafSet]) -> Labellings:
        own = self._labelling(parts, {*self.hierarchy.values, *self.column.texts})
        return own, self._labelling(parts, set(self.named))

    def _labelling(self, parts: Sequence[LeafSet], named: set[str]) -> Labelling:
        labelling = Labelling.of_hierarchy(
            self.hierarchy, self.column.kind, named, [self.label(part) for part in parts]
        )
        meanings = []
        for part, meaning in zip(parts, labelling.meanings, strict=True):
            codes = np.flatnonzero(np.isin(self.leaf_of_code, part.leaves))
            if meaning.interval is None and not meaning.but:  # the same number may be spelt differently in the tree
                texts = {self.column.texts[code] for code in codes if code < len(self.column.values)}
                texts |= {self.hierarchy.values[leaf] for leaf in part.leaves if leaf < len(self.hierarchy)}
                meaning = replace(meaning, texts=frozenset(texts & named))
            meanings.append(replace(meaning, missing=meaning.missing or len(self.column.values) in codes))
        return replace(labelling, meanings=tuple(meanings))


def _branch(node: Node) -> ValueLabel:
    label = None if node.label in MISSING_MARKS else node.label
    return ValueLabel(label, np.sort(node.leaves).astype(np.int64), tuple(_branch(child) for child in node.children))


class AutomaticTree(ValueTree):
    """Categories on an axis: neighbours are merged, again and again, so that siblings hold about equally many rows."""

    def __init__(self, axis: Axis):
        self.axis = axis
        rows = axis.counts_of_ranks.sum(axis=1)
        n_leaves = len(rows)
        level = [ValueLabel(axis.set_of((leaf,)), np.array([leaf])) for leaf in range(n_leaves)]
        for starts in [*merged_levels(rows, _FANOUT), [0]]:
            below, level = level, []
            for start, end in pairwise([*starts, n_leaves]):
                inside = [branch for branch in below if start <= branch.leaves[0] < end]
                whole = ValueLabel(axis.set_of(tuple(range(start, end))), np.arange(start, end), tuple(inside))
                level.append(inside[0] if len(inside) == 1 else whole)
        super().__init__(axis.column, axis.rank_of_code, replace(level[0], label=SUPPRESSED), axis.counts)

    def labelling(self, parts: Sequence[LeafSet]) -> Labellings:
        meanings = [self.axis.meaning_of_set(tuple(part.leaves.tolist())) for part in parts]
        labels = tuple(self.label(part) for part in parts)
        labelling = Labelling(self.name, "category", labels, tuple(meanings), known=self.axis.known)
        return labelling, labelling


# -- without a tree ------------------------------------------------------------------------------------------------


class Star(Values):
    """Categories that are disclosed one at a time; what fewer than k persons have stays suppressed."""

    def __init__(self, axis: Axis):
        self.axis = axis
        super().__init__(axis.column, axis.rank_of_code, len(axis.counts_of_ranks), axis.counts)
        self._nameable = np.ones(self.n_leaves, dtype=bool)
        if axis.has_other:
            self._nameable[axis.n_values - 1] = False

    def _ways(self, part: LeafSet, whole: np.ndarray) -> Ways | None:
        at = part.leaves[self._nameable[part.leaves]]
        if part.shown or not len(at):
            return None
        gain = fixed_point_bits(whole) - fixed_point_bits(self.counts[at]) - fixed_point_bits(whole - self.counts[at])
        return Ways(at, np.maximum(gain, 0), part.leaves, discloses=True)

    def children(self, part: LeafSet, at: int) -> list[LeafSet]:
        value, rest = LeafSet(np.array([at]), shown=True), part.leaves[part.leaves != at]
        return [value, LeafSet(rest)] if len(rest) else [value]

    def label(self, part: LeafSet) -> str | None:
        return self.axis.set_of((part.first,)) if part.shown else SUPPRESSED

    def labelling(self, parts: Sequence[LeafSet]) -> Labellings:
        meanings = [self.axis.meaning_of_set((part.first,)) if part.shown else EVERYTHING for part in parts]
        labelling = Labelling(self.name, "category", tuple(self.label(part) for part in parts), tuple(meanings))
        return labelling, labelling


class Intervals(Values):
    """Numbers or dates in their order, missing after the largest."""

    def __init__(self, axis: Axis):
        self.axis = axis
        super().__init__(axis.column, axis.rank_of_code, len(axis.counts_of_ranks), axis.counts)

    @cached_property
    def _upto(self) -> np.ndarray:
        return np.concatenate([np.zeros_like(self.counts[:1]), np.cumsum(self.counts, axis=0)])

    def _ways(self, part: LeafSet, whole: np.ndarray) -> Ways | None:
        start, end = part.first, part.first + len(part.leaves)
        if end - start < 2:
            return None
        left = self._upto[start + 1 : end] - self._upto[start]
        gain = np.maximum(fixed_point_bits(whole) - fixed_point_bits(left) - fixed_point_bits(whole - left), 0)
        best = int(np.argmax(gain))  # the lowest of equals
        child = np.where(part.leaves <= start + best, start, start + best + 1)
        return Ways(part.leaves[:1], gain[best : best + 1], child)

    def children(self, part: LeafSet, at: int) -> list[LeafSet]:
        ways = self.ways(part)
        assert ways is not None
        return [LeafSet(part.leaves[ways.child == first]) for first in np.unique(ways.child)]

    def label(self, part: LeafSet) -> str | None:
        return self.axis.interval(*self._ends(part))

    def labelling(self, parts: Sequence[LeafSet]) -> Labellings:
        meanings = [self.axis.meaning_of_interval(*self._ends(part)) for part in parts]
        labels = tuple(self.label(part) for part in parts)
        labelling = Labelling(self.name, self.column.kind, labels, tuple(meanings))
        return labelling, labelling

    def _ends(self, part: LeafSet) -> tuple[float, float, bool]:
        """Where the part begins, where it ends, and whether missing belongs to it."""
        end = part.first + len(part.leaves)
        low = self.axis.cut(part.first - 1, part.first) if part.first else -np.inf
        high = self.axis.cut(end - 1, end) if end < self.n_leaves else np.inf
        return low, high, self.column.has_missing and end == self.n_leaves
