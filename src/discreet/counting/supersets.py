# SPDX-License-Identifier: Apache-2.0
"""Count the supersets of each distinct row, for containment, with and without knowledge of absences.

`covers` counts the persons whose rows contain a row (its AC). `fewest_left` leaves out those whom an attacker rules out
who also knows up to m items that the person lacks. Both visit only rows with the rarest item of the row in question,
and stop as soon as a count can change neither the minimum nor the number of rows below k.

The attacker picks the m absences that leave the fewest persons, among all items that the row lacks. The search for them
is bounded from below: m absences remove at most the sum of the m largest numbers of persons removed by single ones. If
the search would take too long, this bound replaces the count, which is then never overstated.
"""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.counting.partition import Partition
from discreet.counting.supersets_absences import fewest_after, levels_of
from discreet.counting.tally import group, order_of
from discreet.data.baskets import Baskets
from discreet.foundation.compiled_kernels import compiled

_EFFORT = 1 << 30  # cells that the search for absences may visit, shared equally by the distinct rows
_SHARE = 1 << 14  # cells that it may visit for each distinct row in any case


Sets = namedtuple("Sets", "row_start row_items item_start item_rows")  # items of each row, rows of each item
People = namedtuple("People", "start persons n_persons repeat")  # the persons behind each row; see Distinct


@dataclass(frozen=True)
class Distinct:
    """Distinct rows: items by row, rows by item, and the persons behind each, without repetition."""

    group_of_row: np.ndarray
    row_start: np.ndarray
    row_items: np.ndarray
    item_start: np.ndarray
    item_rows: np.ndarray
    start: np.ndarray
    persons: np.ndarray
    repeat: bool  # whether a person may have several distinct rows
    rows: np.ndarray  # of each distinct row

    @classmethod
    def of(cls, baskets: Baskets) -> Distinct:
        partition = Partition.of(baskets)
        distinct = baskets.matrix[partition.first_rows()]
        by_item = distinct.tocsc()
        sets = (distinct.indptr, distinct.indices, by_item.indptr, by_item.indices)
        return cls.from_sets(partition.group_of_row, sets, baskets.persons, baskets.weights)

    @classmethod
    def from_sets(
        cls,
        group_of_row: np.ndarray,
        sets: tuple[Any, ...],
        persons: np.ndarray | None,
        weights: np.ndarray | None = None,
    ) -> Distinct:
        """From the distinct rows (CSR and CSC: starts, numbers), and the person behind each row.

        `weights` are the persons that each row stands for, where none has several rows.
        """
        groups, n = group_of_row.astype(np.int64), len(group_of_row)
        row_start, row_items, item_start, item_rows = (part.astype(np.int64) for part in sets)
        rows = np.bincount(groups, weights).astype(np.int64)
        if weights is not None:
            start, last = np.append(0, np.cumsum(rows)), np.array([int(rows.sum()) - 1])
            return cls(groups, row_start, row_items, item_start, item_rows, start, last, False, rows)
        whose = np.arange(n) if persons is None else persons.astype(np.int64)
        first = order_of(groups) if persons is None else group([groups, whose], n)[1]
        start = np.concatenate([[0], np.cumsum(np.bincount(groups[first]))]).astype(np.int64)
        repeat = persons is not None
        return cls(groups, row_start, row_items, item_start, item_rows, start, whose[first], repeat, rows)

    def __len__(self) -> int:
        return len(self.row_start) - 1

    @property
    def own(self) -> np.ndarray:
        """Number of persons with exactly each distinct row."""
        return np.diff(self.start)

    @property
    def _sets(self) -> Sets:
        return Sets(self.row_start, self.row_items, self.item_start, self.item_rows)

    @property
    def _people(self) -> People:
        return People(self.start, self.persons, int(self.persons.max()) + 1, self.repeat)

    def covers(self, k: int) -> np.ndarray:
        """AC of each distinct row: exact if below k or the smallest, otherwise a lower bound above these."""
        return _count_supersets(self._sets, self._people, k)

    def fewest_left(self, k: int, absences: int, *, until_short: bool = False) -> tuple[np.ndarray, int]:
        """Persons left for each distinct row after the worst `absences`, exact or bounded as `covers`; and the number
        of distinct rows whose search was given up for its bound.

        `until_short` stops at the first distinct row with fewer than k; those after it count as k.
        """
        if absences == 0:
            return self.covers(k), 0
        if absences >= len(self.item_start) - 1:  # all absences are known: only equal rows are left
            return self.own, 0
        effort = max(_SHARE, _EFFORT // len(self))
        return _count_after_absences(self._sets, self._people, k, absences, effort, until_short)

    def label_of(self, labels: np.ndarray, n_classes: int) -> np.ndarray:
        """The common label of the rows of each distinct row, -1 if they have several."""
        cells = np.zeros((len(self), n_classes), dtype=bool)
        cells[self.group_of_row, labels] = True
        return np.where(cells.sum(axis=1) == 1, cells.argmax(axis=1), -1)

    def one_label(self, label: np.ndarray) -> np.ndarray:
        """Whether all rows that contain each distinct row have one label."""
        return _one_label(self._sets, label.astype(np.int64))


@compiled
def _want(p, sets, wanted_by, everyone):
    """Mark the items of row p; return the rows with its rarest item (all rows if it has none)."""
    rows = everyone
    for i in range(sets.row_start[p], sets.row_start[p + 1]):
        item = sets.row_items[i]
        wanted_by[item] = p
        if sets.item_start[item + 1] - sets.item_start[item] < len(rows):
            rows = sets.item_rows[sets.item_start[item] : sets.item_start[item + 1]]
    return rows


@compiled
def _contains(q, p, sets, wanted_by):
    """Whether row q has all items of row p, which are marked."""
    missing = sets.row_start[p + 1] - sets.row_start[p]
    if sets.row_start[q + 1] - sets.row_start[q] < missing:
        return False
    for i in range(sets.row_start[q], sets.row_start[q + 1]):
        if wanted_by[sets.row_items[i]] == p:
            missing -= 1
    return missing == 0


@compiled
def _count_supersets(sets, people, k):
    """Persons in the supersets of each distinct row; stops at max(k, smallest so far)."""
    n = len(sets.row_start) - 1
    covers = np.empty(n, dtype=np.int64)
    wanted_by = np.full(len(sets.item_start) - 1, -1, dtype=np.int64)
    counted_for = np.full(people.n_persons if people.repeat else 1, -1, dtype=np.int64)
    order = np.argsort(
        -(sets.row_start[1:] - sets.row_start[:-1])
    )  # long rows have few supersets, so the minimum is small early
    everyone = np.arange(n)
    smallest = people.n_persons
    for p in order:
        enough = max(k, smallest)
        total = 0
        if people.start[p + 1] - people.start[p] >= enough:
            total = people.start[p + 1] - people.start[p]
        else:
            for q in _want(p, sets, wanted_by, everyone):
                if not _contains(q, p, sets, wanted_by):
                    continue
                if people.repeat:
                    for i in range(people.start[q], people.start[q + 1]):
                        if counted_for[people.persons[i]] != p:
                            counted_for[people.persons[i]] = p
                            total += 1
                else:
                    total += people.start[q + 1] - people.start[q]
                if total >= enough:
                    break
        covers[p] = total
        smallest = min(smallest, total)
    return covers


@compiled
def _count_after_absences(sets, people, k, m, effort, until_short):
    """Persons left for each distinct row after the worst m absences, and the number of searches given up."""
    n, n_items = len(sets.row_start) - 1, len(sets.item_start) - 1
    n_left = np.full(n, k, dtype=np.int64)
    wanted_by = np.full(n_items, -1, dtype=np.int64)
    levels = levels_of(n, n_items, people.n_persons, people.repeat, m)
    everyone = np.arange(n)
    smallest, n_given_up = people.n_persons, 0
    for p in np.argsort(-(sets.row_start[1:] - sets.row_start[:-1])):
        enough = max(k, smallest)
        own = people.start[p + 1] - people.start[p]
        if own >= enough:  # equals of p cannot be ruled out
            n_left[p] = own
            continue
        levels.n_alive[0] = 0
        for q in _want(p, sets, wanted_by, everyone):
            if _contains(q, p, sets, wanted_by):
                levels.alive[0, levels.n_alive[0]] = q
                levels.n_alive[0] += 1
        fewest, given_up = fewest_after(p, enough, sets, people, wanted_by, levels, m, effort)
        n_given_up += given_up
        n_left[p] = min(fewest, enough)
        smallest = min(smallest, n_left[p])
        if until_short and n_left[p] < k:
            break
    return n_left, n_given_up


@compiled
def _one_label(sets, label):
    """Whether all supersets of each distinct row have one label; label -1 means several already."""
    n = len(sets.row_start) - 1
    alike = np.empty(n, dtype=np.bool_)
    wanted_by = np.full(len(sets.item_start) - 1, -1, dtype=np.int64)
    everyone = np.arange(n)
    for p in range(n):
        alike[p] = label[p] >= 0
        if alike[p]:
            for q in _want(p, sets, wanted_by, everyone):
                if label[q] != label[p] and _contains(q, p, sets, wanted_by):
                    alike[p] = False
                    break
    return alike
