# SPDX-License-Identifier: Apache-2.0
"""Groups written by value trees.

A group is written as the lowest label that its values have in common, or, `by_branches` of a tree that was given, by
the labels of the branches from its first value to its last (value_lines.py).

Categories stand in the order of the tree, so that neighbours share labels. A tree that was given, or whose labels name
no value (intervals, prefixes of a code), holds all values. An automatic tree of categories, whose labels do name them,
holds those that at least k persons have, and "other" for the rest.

A value that fewer than k persons have is not named: where the lowest label is such a value, or holds its name, the next
one above it is written.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from discreet.counting.coded_rows import CodedRows
from discreet.data.column import SUPPRESSED, Column
from discreet.methods.trees.number_lines import NumberLine, tree_line
from discreet.methods.trees.value_lines import TreeLine
from discreet.prepare.automatic_hierarchy import automatic, is_post_code
from discreet.prepare.hierarchy import Hierarchy
from discreet.recoding.axis import Axis
from discreet.recoding.labels import EVERYTHING, MISSING, Labelling, Meaning
from discreet.recoding.own_order import in_own_order
from discreet.recoding.readable import readable_axis


@dataclass(frozen=True, eq=False)
class TreeLabels:
    """How ranks of an axis are written. `leaf_of_rank` is their leaf; the last is for missing, -1 where it has none."""

    hierarchy: Hierarchy
    leaf_of_rank: np.ndarray
    known: Labelling  # all labels of the tree, as far as they may be explained
    other: str | None  # the leaf that stands for the values too rare to be named, if there is one
    is_hidden: np.ndarray  # which leaves are too rare to be named

    def label(self, ranks: tuple[int, ...]) -> str | None:
        leaves = self._leaves(ranks)
        if not len(leaves):
            return None
        name = self._lowest(leaves)
        return name if not self._aside(ranks) or name == SUPPRESSED else f"{name} or missing"

    def meaning(self, ranks: tuple[int, ...]) -> Meaning:
        leaves = self._leaves(ranks)
        if not len(leaves):
            return MISSING
        name = self._lowest(leaves)
        if name == SUPPRESSED:
            return EVERYTHING
        meaning = self.known.meanings[self.known.labels.index(name)]
        if self.other in meaning.texts:
            meaning = replace(meaning, texts=meaning.texts - {self.other}, others=True)
        return replace(meaning, missing=self._missing in ranks)

    @property
    def _missing(self) -> int:
        return len(self.leaf_of_rank) - 1

    def _aside(self, ranks: tuple[int, ...]) -> bool:
        """Whether missing occurs, and is no value of the tree."""
        return self._missing in ranks and self.leaf_of_rank[-1] < 0

    def _leaves(self, ranks: tuple[int, ...]) -> np.ndarray:
        """The leaves of the ranks; none when all is missing."""
        if ranks == (self._missing,):
            return np.empty(0, dtype=np.int64)
        leaves = self.leaf_of_rank[list(ranks)]
        return leaves[leaves >= 0]

    def _lowest(self, leaves: np.ndarray) -> str:
        ancestors = self.hierarchy.ancestors[leaves]
        level = int(np.argmax((ancestors == ancestors[0]).all(axis=0)))
        if level == 0 and self.is_hidden[leaves[0]]:
            level = 1  # of labels above the leaves none names a rare value
        return self.hierarchy.labels(level)[ancestors[0, level]]


@dataclass(frozen=True, eq=False)
class LineLabels:
    """How ranks of an axis are written along a given tree: by the labels of the branches from the first to the last of
    them. `place_of_rank` is their place on the line, missing last.
    """

    line: TreeLine
    place_of_rank: np.ndarray

    def label(self, ranks: tuple[int, ...]) -> str | None:
        return self.line.label_of(self._inside(ranks))

    def meaning(self, ranks: tuple[int, ...]) -> Meaning:
        return self.line.meaning_of(self._inside(ranks))

    def _inside(self, ranks: tuple[int, ...]) -> np.ndarray:
        inside = np.zeros(self.line.n_places, dtype=bool)
        missing = self.line.aside and ranks[-1] == len(self.place_of_rank) - 1
        values = list(ranks[:-1] if missing else ranks)
        if values:
            places, last = self.place_of_rank[values], len(self.place_of_rank) - 2
            start = 0 if values[0] == 0 else places.min()  # leaves beyond all values belong to the values at the end
            stop = self.line.n_places - self.line.aside if last in values else places.max() + 1
            inside[start:stop] = True
        inside[-1] |= missing
        return inside


def _along(line: TreeLine, axis: Axis) -> Axis:
    """The axis with its categories in the order of a line, written by the line's labels; those of one place are one.
    Numbers whose labels are no neighbours are categories.
    """
    places = line.place_of_code
    if not isinstance(line, NumberLine):
        _, first, rank_of_code = np.unique(places[:-1], return_index=True, return_inverse=True)
        names = tuple(axis.column.texts[code] for code in first)
        axis = Axis(axis.column, np.append(rank_of_code.ravel(), len(first)), axis.counts, names)
    place_of_rank = np.empty(axis.n_values + 1, dtype=np.int64)
    place_of_rank[axis.rank_of_code] = places
    return replace(axis, tree=LineLabels(line, place_of_rank), by_region=isinstance(line, NumberLine))


def tree_axis(rows: CodedRows, name: str, *, rarest: int, given: Hierarchy | None, by_branches: bool = False) -> Axis:
    """The column on a line in the order of its tree, which is given or built, and written by the tree's labels."""
    axis = Axis.of(rows, name, rarest=rarest, readable=False)
    column, rare = axis.column, axis.rare
    assert rare is not None
    if given is not None:
        given.check_against(column)
        given = given.completed(column)
    elif not len(column.values):
        return axis
    if given is not None and by_branches and len(column.values):
        return _along(tree_line(rows, name, given, rarest=rarest), axis)
    if axis.names is None or given is not None or is_post_code(column):
        hierarchy = given or automatic(column, counts=axis.counts[:-1].sum(axis=1))
        hierarchy = hierarchy.veiled(rare.is_named_by)
        leaf_of_code = hierarchy.leaf_codes(column)
        is_hidden = np.array([rare.is_named_by(value) for value in hierarchy.values])
        if axis.names is None:
            leaf_of_rank = np.empty(axis.n_values + 1, dtype=np.int64)
            leaf_of_rank[axis.rank_of_code] = leaf_of_code
        else:
            axis, leaf_of_rank = _in_order_of(hierarchy, leaf_of_code, axis)
    else:  # the labels of such a tree name values
        counts = axis.counts_of_ranks.sum(axis=1)[: axis.n_values]
        names = np.array(axis.names)
        order = np.argsort(names)
        values = pa.array(names[order].tolist(), pa.string())
        hierarchy = automatic(Column(name, "category", values, np.arange(len(order))), counts=counts[order])
        leaf_of_rank, is_hidden = np.append(np.argsort(order), -1), np.zeros(len(order), dtype=bool)
    other = axis.other if axis.has_other else None
    labelling = Labelling.of_hierarchy(hierarchy, column.kind, [*rare.common, *([] if other is None else [other])])
    return replace(axis, tree=TreeLabels(hierarchy, leaf_of_rank, labelling, other, is_hidden))


def free_axis(rows: CodedRows, name: str, *, rarest: int, given: Hierarchy, n_columns: int) -> Axis:
    """The column in the order that it has without the tree: categories in that of their class shares, written by the
    labels of the tree; along the tree, where its order is the column's, or the tree is coarser than the column.
    """
    axis = Axis.of(rows, name, rarest=rarest, by_class=True)
    found = in_own_order(axis, given)
    if found is None or isinstance(tree_line(rows, name, given.completed(axis.column), rarest=rarest), NumberLine):
        return tree_axis(rows, name, rarest=rarest, given=given, by_branches=True)
    own, whole = found
    return own if whole is None else readable_axis(rows, name, rarest=rarest, by_class=True, n_columns=n_columns)


def _in_order_of(hierarchy: Hierarchy, leaf_of_code: np.ndarray, axis: Axis) -> tuple[Axis, np.ndarray]:
    """The categories so that the values below a label stand side by side."""
    leaves = leaf_of_code[:-1]
    order = np.lexsort(hierarchy.ancestors[leaves].T)  # the root's labels decide first
    rank_of_code = np.append(np.argsort(order), len(order))
    names = tuple(axis.column.texts[code] for code in order)
    return Axis(axis.column, rank_of_code, axis.counts, names, readable=False), np.append(
        leaves[order], leaf_of_code[-1]
    )
