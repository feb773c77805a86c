# SPDX-License-Identifier: Apache-2.0
"""Who has all the items of a row, and who of them lacks some others: counting for containment, on distinct rows.

`covers` counts the persons whose rows contain a row (its AC). `fewest_left` takes away those that an attacker rules out
who also knows up to m items that the person lacks. Both look only at rows that have the rarest item of the row in
question, and stop as soon as a count can change neither the minimum nor the number of rows below k.

The attacker picks the m absences that leave the fewest, out of all items that the row lacks. That is a search, bounded
from below: picking m items removes at most the sum of the m largest numbers of persons that single items remove.
Where the search would take too long, this bound stands for the count: it never says more than is true.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.counting.partition import Partition
from discreet.counting.tally import group
from discreet.data.baskets import Baskets
from discreet.foundation.compiled_kernels import compiled

_EFFORT = 1 << 30  # cells that the search for absences may look at, shared equally by the distinct rows
_SHARE = 1 << 14  # what each distinct row may look at in any case


@dataclass(frozen=True)
class Distinct:
    """Distinct rows: which they have, items by row, rows by item, and the persons behind each, every one once."""

    group_of_row: np.ndarray
    row_start: np.ndarray
    row_items: np.ndarray
    item_start: np.ndarray
    item_rows: np.ndarray
    start: np.ndarray
    persons: np.ndarray
    repeat: bool  # whether a person may stand behind several distinct rows

    @classmethod
    def of(cls, baskets: Baskets) -> Distinct:
        partition = Partition.of(baskets)
        distinct = baskets.matrix[partition.first_rows()]
        by_item = distinct.tocsc()
        sets = (distinct.indptr, distinct.indices, by_item.indptr, by_item.indices)
        return cls.from_sets(partition.group_of_row, sets, baskets.persons)

    @classmethod
    def from_sets(cls, group_of_row: np.ndarray, sets: tuple, persons: np.ndarray | None) -> Distinct:
        """From the distinct rows by items and by rows (CSR and CSC: starts, numbers), and whose row each row is."""
        groups, n = group_of_row.astype(np.int64), len(group_of_row)
        whose = np.arange(n) if persons is None else persons.astype(np.int64)
        _, first = group([groups, whose], n)
        start = np.concatenate([[0], np.cumsum(np.bincount(groups[first]))]).astype(np.int64)
        row_start, row_items, item_start, item_rows = (part.astype(np.int64) for part in sets)
        repeat = persons is not None
        return cls(groups, row_start, row_items, item_start, item_rows, start, whose[first], repeat)

    def __len__(self) -> int:
        return len(self.row_start) - 1

    @property
    def own(self) -> np.ndarray:
        """Persons behind each distinct row itself."""
        return np.diff(self.start)

    @property
    def _sets(self) -> tuple[np.ndarray, ...]:
        return self.row_start, self.row_items, self.item_start, self.item_rows

    @property
    def _people(self) -> tuple[np.ndarray, np.ndarray, int, bool]:
        return self.start, self.persons, int(self.persons.max()) + 1, self.repeat

    def covers(self, k: int) -> np.ndarray:
        """AC of each distinct row: exact where it is below k or the smallest, a lower bound above that elsewhere."""
        return _count_supersets(*self._sets, *self._people, k)

    def fewest_left(self, k: int, absences: int, *, until_short: bool = False) -> tuple[np.ndarray, int]:
        """Persons left for each distinct row after the worst `absences`, exact or bounded as `covers`.

        And for how many distinct rows the search was given up for its bound. `until_short` stops at the first distinct
        row with fewer than k; those after it are counted as k.
        """
        if absences == 0:
            return self.covers(k), 0
        if absences >= len(self.item_start) - 1:  # all that a row lacks is known: its equals are left
            return self.own, 0
        effort = max(_SHARE, _EFFORT // len(self))
        return _count_left(*self._sets, *self._people, k, absences, effort, until_short)

    def label_of(self, labels: np.ndarray, n_classes: int) -> np.ndarray:
        """The label that all rows of a distinct row have, -1 when they have several."""
        cells = np.zeros((len(self), n_classes), dtype=bool)
        cells[self.group_of_row, labels] = True
        return np.where(cells.sum(axis=1) == 1, cells.argmax(axis=1), -1)

    def one_label(self, label: np.ndarray) -> np.ndarray:
        """Whether all rows that contain a distinct row have one label."""
        return _one_label(*self._sets, label.astype(np.int64))


@compiled
def _want(p, row_start, row_items, item_start, item_rows, wanted_by, everyone):
    """Mark the items of row p; return the rows that have its rarest item (all rows when it has none)."""
    rows = everyone
    for i in range(row_start[p], row_start[p + 1]):
        item = row_items[i]
        wanted_by[item] = p
        if item_start[item + 1] - item_start[item] < len(rows):
            rows = item_rows[item_start[item] : item_start[item + 1]]
    return rows


@compiled
def _contains(q, p, row_start, row_items, wanted_by):
    """Does row q have all items of row p, which are marked?"""
    missing = row_start[p + 1] - row_start[p]
    if row_start[q + 1] - row_start[q] < missing:
        return False
    for i in range(row_start[q], row_start[q + 1]):
        if wanted_by[row_items[i]] == p:
            missing -= 1
    return missing == 0


@compiled
def _count_supersets(row_start, row_items, item_start, item_rows, start, persons, n_persons, repeat, k):
    """Persons in the supersets of each distinct row; stops at max(k, smallest so far)."""
    n = len(row_start) - 1
    covers = np.empty(n, dtype=np.int64)
    wanted_by = np.full(len(item_start) - 1, -1, dtype=np.int64)
    counted_for = np.full(n_persons if repeat else 1, -1, dtype=np.int64)
    order = np.argsort(-(row_start[1:] - row_start[:-1]))  # long rows have few supersets: the minimum is found early
    everyone = np.arange(n)
    smallest = n_persons
    for p in order:
        enough = max(k, smallest)
        total = 0
        if start[p + 1] - start[p] >= enough:
            total = start[p + 1] - start[p]
        else:
            for q in _want(p, row_start, row_items, item_start, item_rows, wanted_by, everyone):
                if not _contains(q, p, row_start, row_items, wanted_by):
                    continue
                if repeat:
                    for i in range(start[q], start[q + 1]):
                        if counted_for[persons[i]] != p:
                            counted_for[persons[i]] = p
                            total += 1
                else:
                    total += start[q + 1] - start[q]
                if total >= enough:
                    break
        covers[p] = total
        smallest = min(smallest, total)
    return covers


@compiled
def _count_left(
    row_start, row_items, item_start, item_rows, start, persons, n_persons, repeat, k, m, effort, until_short
):
    """Persons left of each distinct row after the worst m absences; stops at max(k, smallest so far)."""
    n, n_items = len(row_start) - 1, len(item_start) - 1
    left = np.full(n, k, dtype=np.int64)
    given_up = 0
    wanted_by = np.full(n_items, -1, dtype=np.int64)
    counted_in = np.full(n_persons if repeat else 1, -1, dtype=np.int64)
    order = np.argsort(-(row_start[1:] - row_start[:-1]))
    everyone = np.arange(n)
    alive = np.empty((m + 1, n), dtype=np.int64)  # the rows not ruled out yet, for each number of absences picked
    n_alive = np.zeros(m + 1, dtype=np.int64)
    count = np.zeros(m + 1, dtype=np.int64)
    picks = np.empty((m, n_items), dtype=np.int64)  # items that rule out somebody, those that rule out most first
    removes = np.empty((m, n_items), dtype=np.int64)
    n_picks = np.zeros(m, dtype=np.int64)
    at = np.zeros(m, dtype=np.int64)
    loss = np.zeros(n_items, dtype=np.int64)
    tried = np.zeros(n_items, dtype=np.bool_)
    smallest = n_persons
    node = 0
    for p in order:
        enough = max(k, smallest)
        own = start[p + 1] - start[p]
        if own >= enough:  # whoever is equal to p cannot be ruled out
            left[p] = own
            continue
        n_alive[0] = 0
        for q in _want(p, row_start, row_items, item_start, item_rows, wanted_by, everyone):
            if _contains(q, p, row_start, row_items, wanted_by):
                alive[0, n_alive[0]] = q
                n_alive[0] += 1
        depth = 0
        fresh = True
        best = n_persons
        bound = 0
        looked = 0
        while depth >= 0:
            if fresh:  # count who is alive, and what each further absence would remove
                node += 1
                fresh = False
                count[depth] = 0
                met = 0
                for a in range(n_alive[depth]):
                    q = alive[depth, a]
                    weight = 0
                    if repeat:  # a person is removed only if this row of theirs is: the others need not be counted
                        for i in range(start[q], start[q + 1]):
                            if counted_in[persons[i]] != node:
                                counted_in[persons[i]] = node
                                weight += 1
                    else:
                        weight = start[q + 1] - start[q]
                    count[depth] += weight
                    if depth == m or weight == 0:
                        continue
                    looked += row_start[q + 1] - row_start[q]
                    for i in range(row_start[q], row_start[q + 1]):
                        item = row_items[i]
                        if wanted_by[item] != p and not tried[item]:
                            if loss[item] == 0:
                                picks[depth, met] = item
                                met += 1
                            loss[item] += weight
                best = min(best, count[depth])
                if depth < m:
                    found = picks[depth, :met].copy()
                    sizes = loss[found]
                    by_size = np.argsort(-sizes)
                    for t in range(met):
                        picks[depth, t] = found[by_size[t]]
                        removes[depth, t] = sizes[by_size[t]]
                        loss[found[t]] = 0
                    n_picks[depth] = met
                    at[depth] = 0
                    if depth == m - 1 and not repeat and met > 0:  # the last absence: the largest loss is the answer
                        best = min(best, count[depth] - removes[depth, 0])
                        n_picks[depth] = 0
                    if depth == 0:
                        bound = count[0]
                        for t in range(min(m, met)):
                            bound -= removes[0, t]
            least = n_persons
            if depth < m and at[depth] < n_picks[depth]:
                least = count[depth]
                for t in range(at[depth], min(at[depth] + m - depth, n_picks[depth])):
                    least -= removes[depth, t]
            if least >= min(best, enough):  # nothing here can lower the count any more
                if depth < m:
                    for t in range(at[depth]):
                        tried[picks[depth, t]] = False
                depth -= 1
                if depth >= 0:
                    tried[picks[depth, at[depth]]] = True
                    at[depth] += 1
                continue
            item = picks[depth, at[depth]]
            n_alive[depth + 1] = 0
            for a in range(n_alive[depth]):
                q = alive[depth, a]
                has = False
                for i in range(row_start[q], row_start[q + 1]):
                    if row_items[i] >= item:
                        has = row_items[i] == item
                        break
                if not has:
                    alive[depth + 1, n_alive[depth + 1]] = q
                    n_alive[depth + 1] += 1
            looked += n_alive[depth]
            depth += 1
            fresh = True
            if looked > effort:
                break
        if depth >= 0:  # given up: back to a clean slate
            given_up += 1
            for d in range(min(depth, m)):
                for t in range(at[d]):
                    tried[picks[d, t]] = False
            best = min(best, max(bound, own))
        left[p] = min(best, enough)
        smallest = min(smallest, left[p])
        if until_short and left[p] < k:
            break
    return left, given_up


@compiled
def _one_label(row_start, row_items, item_start, item_rows, label):
    """Whether all supersets of each distinct row have one label; label -1 means several already."""
    n = len(row_start) - 1
    alike = np.empty(n, dtype=np.bool_)
    wanted_by = np.full(len(item_start) - 1, -1, dtype=np.int64)
    everyone = np.arange(n)
    for p in range(n):
        alike[p] = label[p] >= 0
        if alike[p]:
            for q in _want(p, row_start, row_items, item_start, item_rows, wanted_by, everyone):
                if label[q] != label[p] and _contains(q, p, row_start, row_items, wanted_by):
                    alike[p] = False
                    break
    return alike
