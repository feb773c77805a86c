# SPDX-License-Identifier: Apache-2.0
"""The cut through all columns' values, made finer one part at a time while every set of columns keeps its k.

A cut says for each column into which parts its leaves fall; rows that agree on the parts of a set of columns are a
group of that set. Every part is linked to the groups that have it, so a refinement looks at the rows below it and at
no others; what it would leave of the smallest group is known beforehand, for every refinement there is.

All leaves of all columns are numbered through. A part goes by the number of its first leaf; a refinement by the
number of the leaf at which it is noted (see specialization_values.py). Ties thus fall to the lowest column, then the
lowest leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.counting.coded_rows import DistinctRows
from discreet.counting.tally import distinct_codes
from discreet.foundation.compiled_kernels import compiled
from discreet.methods.trees.specialization_values import LeafSet, Values

_MANY = 2**62  # persons; more than there are
_CLOSED, _SPLITS, _DISCLOSES = 0, 1, 2  # what may be done with a part


@dataclass(frozen=True)
class Step:
    """One refinement: the column, the part, what it became, the score, and the smallest group of each set then."""

    column: int
    part: LeafSet
    children: list[LeafSet]
    score: float
    smallest: tuple[int, ...]


class LeafRows:
    """Distinct rows of leaves.

    leaves   distinct rows x columns, the leaves numbered through all columns
    weights  rows of each distinct row
    persons  (distinct row, person) for each person of each distinct row, where one person may have several rows
    """

    def __init__(self, values: Sequence[Values], rows: DistinctRows):
        self.start = np.cumsum([0, *(column.n_leaves for column in values)])
        cells = [column.leaf_of_code[column.column.codes] for column in values]
        merged, self.place = rows.merged(cells, [column.n_leaves for column in values])
        self.leaves = merged.codes + self.start[:-1].astype(np.int32)
        self.weights, self.persons, self.total = merged.rows, merged.people, rows.n_persons

    def __len__(self) -> int:
        return len(self.leaves)


class SetGroups:
    """The groups of one set of columns, each a stretch of `order`, linked to the parts they have.

    smallest[i]   persons in the smallest group that refinement i would leave of those it parts
    size          persons in the smallest group there is
    """

    def __init__(self, rows: LeafRows, columns: Sequence[int], k: int):
        self.rows, self.columns, self.k = rows, np.array(columns, dtype=np.int64), k
        n, n_leaves = len(rows), int(rows.start[-1])
        self.size = rows.total
        self.smallest = np.full(n_leaves, _MANY)
        self._order = np.arange(n)
        self._start, self._stop = np.zeros(n, dtype=np.int64), np.full(n, n)
        self._link = np.full((n, rows.leaves.shape[1]), -1, dtype=np.int32)  # the next group with the same part
        self._head = np.full(n_leaves, -1, dtype=np.int32)  # the first group with a part
        self._head[rows.start[self.columns]] = 0
        self._n_groups = 1
        self._spare, self._touched = np.empty(n, dtype=np.int64), np.zeros(n, dtype=np.int64)
        self._room, self._count = np.zeros((2, n_leaves + 1), dtype=np.int64)
        self._seen = np.empty(n_leaves, dtype=np.int64)

    def split(self, column: int, part: int, number_of: np.ndarray, children: np.ndarray, part_of: np.ndarray) -> int:
        """Part the groups that have `part` by the number of each row's child; how many groups come of it."""
        self._n_groups, n_touched = _split(
            self.rows.leaves, self._order, self._start, self._stop, self._link, self._head, self._n_groups,
            self.columns, column, part, number_of, children, part_of, self._spare, self._room, self._touched,
        )  # fmt: skip
        return n_touched

    def measure(self, n_touched: int, part_of: np.ndarray, child_of: np.ndarray, mode: np.ndarray) -> None:
        """What each open refinement would leave of the groups just made."""
        if self.rows.persons is None:
            _measure(
                self.rows.leaves, self.rows.weights, self._order, self._start, self._stop, self._touched[:n_touched],
                self.columns, part_of, child_of, mode, self.smallest, self._count, self._seen,
            )  # fmt: skip
        else:
            self._measure_persons(n_touched, part_of, child_of, mode)

    def _measure_persons(self, n_touched: int, part_of: np.ndarray, child_of: np.ndarray, mode: np.ndarray) -> None:
        """As `_measure`, where a person with several rows counts once in a group."""
        assert self.rows.persons is not None
        group_of_row = np.full(len(self.rows), -1)
        for number, g in enumerate(self._touched[:n_touched]):
            group_of_row[self._order[self._start[g] : self._stop[g]]] = number
        row, person = self.rows.persons
        inside = group_of_row[row] >= 0
        row, person, groups = row[inside], person[inside], group_of_row[row[inside]]
        for column in self.columns:
            leaves = self.rows.leaves[row, column]
            is_open = mode[part_of[leaves]] != _CLOSED
            if not is_open.any():
                continue
            g, child, who = groups[is_open], child_of[leaves[is_open]], person[is_open]
            g, child, who = distinct_codes([g, child, who], len(g))[0].T  # each person once per child
            (group_of_cell, child), cell_of = _columns_and_places([g, child])
            (group_of_person, _), of_person = _columns_and_places([g, who])
            only_here = np.bincount(of_person)[of_person] == 1
            count = np.bincount(cell_of)
            persons = np.bincount(group_of_person)[group_of_cell]
            rest = persons - np.bincount(cell_of, weights=only_here).astype(np.int64)
            splits = mode[part_of[child]] == _SPLITS
            np.minimum.at(self.smallest, np.where(splits, part_of[child], child), count)
            shared = ~splits & (rest > 0)
            np.minimum.at(self.smallest, child[shared], rest[shared])


class Cut:
    """The cut, its open refinements, and the groups of every set of columns."""

    def __init__(self, values: Sequence[Values], rows: LeafRows, sets: Sequence[tuple[Sequence[int], int]]):
        self.values, self.start, self.leaves = values, rows.start, rows.leaves
        self.sets = [SetGroups(rows, columns, k) for columns, k in sets]
        self.parts: dict[int, LeafSet] = {}
        n_leaves = int(rows.start[-1])
        self._column_of = np.repeat(np.arange(len(values)), np.diff(rows.start))
        self._part_of, self._child_of, self._number_of = np.zeros((3, n_leaves), dtype=np.int32)
        self._mode = np.zeros(n_leaves, dtype=np.int8)
        self._gain, self._rows = np.zeros((2, n_leaves), dtype=np.int64)
        self._open = np.empty(0, dtype=np.int64)
        self._sets_of = np.array([[c in columns for c in range(len(values))] for columns, _ in sets])
        for column, of_column in enumerate(values):
            self._add(column, of_column.root())
        for groups in self.sets:
            groups.measure(1, self._part_of, self._child_of, self._mode)

    def _add(self, column: int, part: LeafSet) -> None:
        start, ways = self.start[column], self.values[column].ways(part)
        first, leaves = int(start) + part.first, start + part.leaves
        self.parts[first] = part
        self._part_of[leaves] = first
        self._mode[first] = _CLOSED
        if ways is None:
            return
        self._mode[first] = _DISCLOSES if ways.discloses else _SPLITS
        self._child_of[leaves] = start + ways.child
        self._gain[start + ways.at] = ways.gain
        self._rows[start + ways.at] = self.values[column].rows[part.leaves].sum()
        self._open = np.concatenate([self._open, start + ways.at])
        for groups in self.sets:
            groups.smallest[start + ways.at] = _MANY

    def refine(self) -> Step | None:
        """Make the valid refinement of the highest score; None if there is none."""
        self._close()
        if not len(self._open):
            return None
        scores = self._scores()
        at = int(self._open[scores == scores.max()].min())
        column, first = int(self._column_of[at]), int(self._part_of[at])
        part, start = self.parts.pop(first), int(self.start[column])
        children = self.values[column].children(part, at - start)
        for number, child in enumerate(children):
            self._number_of[start + child.leaves] = number
        mine = [groups for groups, has in zip(self.sets, self._sets_of[:, column], strict=True) if has]
        ids = np.array([start + child.first for child in children])
        for groups in mine:
            groups.size = min(groups.size, int(groups.smallest[at]))
        self._open = self._open[self._part_of[self._open] != first]
        touched = [groups.split(column, first, self._number_of, ids, self._part_of) for groups in mine]
        for child in children:
            self._add(column, child)
        for groups, n_touched in zip(mine, touched, strict=True):
            groups.measure(n_touched, self._part_of, self._child_of, self._mode)
        return Step(column, part, children, float(scores.max()), tuple(groups.size for groups in self.sets))

    def _close(self) -> None:
        """Drop refinements that would violate a k: they never become valid again, since groups only shrink."""
        valid = np.ones(len(self._open), dtype=bool)
        for groups in self.sets:
            valid &= groups.smallest[self._open] >= groups.k
        if valid.all():
            return
        parts = self._part_of[self._open]
        self._mode[np.setdiff1d(parts, parts[valid])] = _CLOSED
        self._open = self._open[valid]

    def _scores(self) -> np.ndarray:
        """Score = InfoGain / (AnonyLoss + 1), by one division of whole numbers, so that ties are exact."""
        at, column = self._open, self._column_of[self._open]
        loss, n_sets = np.zeros(len(at), dtype=np.int64), self._sets_of.sum(axis=0)[column]
        for groups, has in zip(self.sets, self._sets_of, strict=True):
            loss += np.where(has[column], groups.size - np.minimum(groups.size, groups.smallest[at]), 0)
        return self._gain[at] * n_sets / (self._rows[at] * (loss + n_sets))

    def of_column(self, column: int) -> list[LeafSet]:
        """The parts of a column in the order of their first leaves."""
        inside = range(int(self.start[column]), int(self.start[column + 1]))
        return [self.parts[first] for first in sorted(self.parts) if first in inside]

    def groups(self) -> tuple[np.ndarray, np.ndarray]:
        """The group of each distinct row by all columns, and the place of each group's parts in `of_column`."""
        firsts = np.array(sorted(self.parts))
        before = np.searchsorted(firsts, self.start[self._column_of])  # parts of columns before that of each leaf
        place = (np.searchsorted(firsts, self._part_of) - before).astype(np.int32)
        cells = [place[leaves] for leaves in self.leaves.T]
        parts, group_of = distinct_codes(cells, len(self.leaves))
        return group_of, parts


def _columns_and_places(columns: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows, as their columns, and the place of each row among them."""
    rows, place = distinct_codes(columns, len(columns[0]))
    return rows.T, place


# The kernels use scalars, loops and whole numbers only, which numba compiles quickly.


@compiled
def _split(
    leaves, order, start, stop, link, head, n_groups, columns, column, part, number_of, children, part_of, spare, room,
    touched,
):  # fmt: skip
    n_touched = 0
    g = head[part]
    head[part] = -1
    while g >= 0:
        following = link[g, column]
        first, end = start[g], stop[g]
        for j in range(len(children)):
            room[j] = 0
        for i in range(first, end):
            room[number_of[leaves[order[i], column]]] += 1
        place = first
        for j in range(len(children)):
            place += room[j]
            room[j] = place - room[j]
        for i in range(first, end):
            j = number_of[leaves[order[i], column]]
            spare[room[j]] = order[i]
            room[j] += 1
        for i in range(first, end):
            order[i] = spare[i]
        place = first
        for j in range(len(children)):
            if room[j] == place:  # no row goes there
                continue
            new = g
            if place > first:
                new = n_groups
                n_groups += 1
                for c in columns:
                    if c != column:
                        other = part_of[leaves[order[place], c]]
                        link[new, c] = head[other]
                        head[other] = new
            start[new], stop[new] = place, room[j]
            link[new, column] = head[children[j]]
            head[children[j]] = new
            touched[n_touched] = new
            n_touched += 1
            place = room[j]
        g = following
    return n_groups, n_touched


@compiled
def _measure(
    leaves, weights, order, start, stop, touched, columns, part_of, child_of, mode, smallest, count, seen
):  # fmt: skip
    is_open = np.empty(len(columns), dtype=np.int64)
    for g in touched:
        n_open = 0
        for c in columns:
            if mode[part_of[leaves[order[start[g]], c]]] != _CLOSED:
                is_open[n_open] = c
                n_open += 1
        if n_open == 0:
            continue
        total, n_met = 0, 0
        for i in range(start[g], stop[g]):
            row = order[i]
            total += weights[row]
            for j in range(n_open):
                child = child_of[leaves[row, is_open[j]]]
                if count[child] == 0:
                    seen[n_met] = child
                    n_met += 1
                count[child] += weights[row]
        for i in range(n_met):
            child = seen[i]
            inside, part = count[child], part_of[child]
            count[child] = 0
            if mode[part] == _SPLITS:
                smallest[part] = min(smallest[part], inside)
            else:
                smallest[child] = min(smallest[child], inside)
                if total > inside:
                    smallest[child] = min(smallest[child], total - inside)
