# SPDX-License-Identifier: Apache-2.0
"""Numbers and dates with a tree as a line: the leaves of the tree in their order, parts written by its labels or as
intervals.
"""

from __future__ import annotations

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.column import MISSING_MARKS, SUPPRESSED, Column, text_of
from discreet.methods.trees.value_lines import MOST_UNNAMED, LabelStretch, TreeLine, ValueLine
from discreet.prepare.hierarchy import Hierarchy
from discreet.prepare.intervals import column_cut, interval_label, readable_cut
from discreet.prepare.ranges import read_range
from discreet.prepare.rare import Rare
from discreet.recoding.labels import EVERYTHING, MISSING, Meaning


class NumberLine(TreeLine):
    """The places are leaves of the tree in the order of their numbers; `borders[i]` lies between i and i + 1.

    Where the last value is rare and beside missing cells, its label would name it: the interval is written instead.
    """

    def __init__(self, rare: Rare, place_of_code: np.ndarray, branches: list[LabelStretch], borders: np.ndarray):
        aside = rare.column.has_missing
        super().__init__(rare.column, place_of_code, len(borders) + 1 + aside, branches, aside=aside)
        self.rare, self.borders = rare, borders

    @classmethod
    def of(cls, tree: Hierarchy, rare: Rare, *, strict: bool = True) -> NumberLine | None:
        """None if a leaf is no number, or, `strict`, the leaves of a label no neighbours; such labels are not used."""
        leaves, low, high = _leaves(tree, rare.column)
        order = np.lexsort((high, low))
        leaves, low, high = leaves[order], low[order], high[order]
        if not len(leaves) or (low[1:] < high[:-1]).any() or (np.diff(low) <= 0).any():
            return None
        place_of_leaf = np.full(len(tree), -1, dtype=np.int64)
        place_of_leaf[leaves] = np.arange(len(leaves))
        branches = []
        for label, places in _places(tree, place_of_leaf).items():
            if np.ptp(places) + 1 == len(places):
                branches.append(LabelStretch(int(places.min()), int(places.max()) + 1, _tidy(label)))
            elif strict:
                return None
        borders = [
            above if above == below else _border(rare, below, above)
            for below, above in zip(high[:-1], low[1:], strict=True)
        ]
        places = place_of_leaf[tree.leaf_codes(rare.column)[:-1]]
        if (places < 0).any():
            return None
        return cls(rare, np.append(places, len(leaves)), branches, np.array(borders, dtype=float))

    def _ends(self, start: int, stop: int) -> tuple[float, float]:
        low = self.borders[start - 1] if start else -np.inf
        return low, self.borders[stop - 1] if stop <= len(self.borders) else np.inf

    def _name(self, values: np.ndarray) -> str | None:
        whole, places = self.cover(values), np.flatnonzero(values)
        if len(whole) == 1 and not self.rare.is_named_by(whole[0]):
            return whole[0]
        low, high = self._ends(places[0], places[-1] + 1)
        ends = (None if low == -np.inf else low), (None if high == np.inf else high)
        return interval_label(*ends, "date" if self.column.kind == "date" else "number")

    def meaning_of(self, inside: np.ndarray) -> Meaning:
        missing = self.aside and bool(inside[-1])
        values = np.flatnonzero(inside[:-1] if self.aside else inside)
        if not len(values):
            return MISSING
        if inside.all():
            return EVERYTHING
        return Meaning(self._ends(values[0], values[-1] + 1), missing=missing)


def _border(rare: Rare, below: float, above: float) -> float:
    """The roundest border between the numbers of two leaves that is no rare number; else the middle one."""
    border = readable_cut(rare.column, below, above, avoid=rare.numbers)
    return border if border not in rare.numbers else column_cut(rare.column, below, above, avoid=rare.numbers)


def _leaves(tree: Hierarchy, column: Column) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The leaves that are on the line, and the lowest and highest number of each; none if some leaf has no number.

    Leaves of a tree of numbers are numbers or ranges; of dates, those that occur.
    """
    none = np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
    if column.kind == "category":
        return none
    if tree.cuts is not None:
        return np.arange(len(tree)), np.array([-np.inf, *tree.cuts]), np.array([*tree.cuts, np.inf])
    if column.kind == "date":
        leaves, places = np.unique(tree.leaf_codes(column)[:-1], return_inverse=True)
        low, high = np.full(len(leaves), np.inf), np.full(len(leaves), -np.inf)
        np.minimum.at(low, places, column.numbers)
        np.maximum.at(high, places, column.numbers)
        return leaves, low, high
    leaves = np.array([i for i, text in enumerate(tree.values) if text not in {SUPPRESSED, *MISSING_MARKS}])
    ranges = [found for i in leaves if (found := read_range(tree.values[i])) is not None]
    if len(ranges) < len(leaves):
        return none
    return leaves, np.array([found.low for found in ranges]), np.array([found.high for found in ranges])


def _places(tree: Hierarchy, place_of_leaf: np.ndarray) -> dict[str, np.ndarray]:
    """The places below each label, those of the highest level that has it."""
    found = {}
    for level in range(tree.levels):
        for code, label in enumerate(tree.labels(level)):
            places = place_of_leaf[tree.codes(level) == code]
            if (places >= 0).any():
                found[label] = places[places >= 0]
    return found


def _tidy(label: str) -> str:
    """A number as it is written elsewhere: 37, not 37.0."""
    found = read_range(label)
    return text_of(found.low) if found is not None and found.is_number else label


def tree_line(rows: CodedRows, name: str, given: Hierarchy, *, rarest: int) -> TreeLine:
    """The line of a column along a given tree; what fewer than `rarest` persons have is not named.

    Numbers with a tree whose labels are no neighbours are categories, unless too many of them could not be named.
    """
    rare = Rare.of(rows, name, rarest=rarest)
    given.check_against(rare.column)
    tree = given.completed(rare.column).veiled(rare.is_named_by)
    line = NumberLine.of(tree, rare)
    if line is None and rows.class_counts(name)[:-1][rare.is_rare].sum() > MOST_UNNAMED * rows.n_rows:
        line = NumberLine.of(tree, rare, strict=False)
    return ValueLine.of(tree, rows, rare, rarest) if line is None else line
