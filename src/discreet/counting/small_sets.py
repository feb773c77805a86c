# SPDX-License-Identifier: Apache-2.0
"""Sets of up to m items that occur together in a row, and how many persons have each: the smallest such number, the
rows with a set that fewer than k persons have, or these sets themselves.

Sets grow item by item, as in Apriori, depth first: the rows that have all items of a set are at hand, and one pass over
them counts all sets that have one item more. Items come in the order of their support, the rarest first, so that the
rows at hand are few. The number of cells that are looked at is limited; a search that is given up says so.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.counting.partition import Partition
from discreet.counting.tally import persons_per_group
from discreet.data.baskets import Baskets
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import sparse as sp

EFFORT = 1 << 29  # cells, a few seconds
_NODE = 100  # cells that a set takes beside those of its rows


class SmallSets(NamedTuple):
    """fewest    persons with any one set of at most m items, or all persons if there is no set
    short     whether each row has a set that fewer than k persons have
    complete  whether all sets were looked at; otherwise `fewest` may be too large and `short` too rarely true
    """

    fewest: int
    short: np.ndarray
    complete: bool


def persons_with(baskets: Baskets) -> np.ndarray:
    """How many persons have each item."""
    if baskets.persons is None:
        return baskets.support
    by_item = baskets.columns
    item = np.repeat(np.arange(baskets.shape[1]), np.diff(by_item.indptr))
    return persons_per_group(item, baskets.shape[1], baskets.persons[by_item.indices])


def smallest_sets(baskets: Baskets, k: int, m: int, *, effort: int = EFFORT) -> SmallSets:
    """How few persons have a set of at most m items that somebody has.

    >>> smallest_sets(Baskets.of([[1, 1, 0], [1, 0, 1], [1, 1, 0], [1, 0, 1], [1, 1, 1]]), 2, 2).fewest
    1
    """
    rows = _Rows.of(baskets)
    short, none = np.zeros(len(rows.weight), dtype=np.bool_), np.empty((0, m), dtype=np.int64)
    fewest, _, complete = _walk(*rows.sets, rows.who, rows.weight, baskets.shape[1], k, m, effort, short, none)
    return SmallSets(min(int(fewest), rows.n_persons), short[rows.of_row], bool(complete))


def rare_sets(baskets: Baskets, k: int, m: int, *, most: int, effort: int = EFFORT) -> tuple[np.ndarray, bool]:
    """Sets of at most m items that somebody has, but fewer than k persons: a line each, -1 where there are fewer items.

    Sets that contain another such set are left out where the search meets that one first. At most so many are found;
    and whether these are all.
    """
    rows = _Rows.of(baskets)
    short, found = np.zeros(len(rows.weight), dtype=np.bool_), np.full((most, m), -1, dtype=np.int64)
    _, n_found, complete = _walk(*rows.sets, rows.who, rows.weight, baskets.shape[1], k, m, effort, short, found)
    sets = found[:n_found]
    return np.where(sets >= 0, rows.item_of[sets], -1), bool(complete)


class _Rows(NamedTuple):
    """Distinct rows with their numbers; where persons count, all rows in the order of persons. Items are numbered in
    the order of their support.
    """

    sets: tuple[np.ndarray, np.ndarray]  # CSR: starts and items
    who: np.ndarray
    weight: np.ndarray
    of_row: np.ndarray
    item_of: np.ndarray
    n_persons: int

    @classmethod
    def of(cls, baskets: Baskets) -> _Rows:
        item_of = np.argsort(persons_with(baskets), kind="stable")
        if baskets.persons is None:
            partition = Partition.of(baskets)
            chosen, of_row, weight = partition.first_rows(), partition.group_of_row, partition.sizes.copy()
            who, n_persons = np.arange(len(chosen)), len(baskets)
        else:
            chosen = np.argsort(baskets.persons, kind="stable")
            of_row = np.empty(len(chosen), dtype=np.int64)
            of_row[chosen] = np.arange(len(chosen))
            who, weight = baskets.persons[chosen].astype(np.int64), np.ones(len(chosen), dtype=np.int64)
            n_persons = len(np.unique(who))
        rank = np.empty(len(item_of), dtype=np.int64)
        rank[item_of] = np.arange(len(item_of))
        matrix = baskets.matrix[chosen]
        ranked = sp.csr_array((matrix.data, rank[matrix.indices], matrix.indptr), shape=matrix.shape)
        ranked.sort_indices()
        sets = ranked.indptr.astype(np.int64), ranked.indices.astype(np.int64)
        return cls(sets, who, weight.astype(np.int64), of_row.astype(np.int64), item_of, n_persons)


@compiled
def _walk(row_start, row_items, who, weight, n_items, k, m, effort, short, found):
    """The fewest persons with a set, the number of sets found, and whether the search is complete."""
    n_rows = len(row_start) - 1
    lists = np.empty((max(m - 1, 1), len(row_items) if m > 1 else 0), dtype=np.int64)  # rows of each item, by level
    picks = np.empty((m, n_items), dtype=np.int64)
    counts = np.empty((m, n_items), dtype=np.int64)
    ends = np.empty((m, n_items), dtype=np.int64)  # where the rows of each pick end in the lists of its level
    n_picks = np.zeros(m, dtype=np.int64)
    at = np.zeros(m, dtype=np.int64)
    prefix = np.empty(m, dtype=np.int64)
    count = np.zeros(n_items, dtype=np.int64)
    times = np.zeros(n_items, dtype=np.int64)
    last = np.full(n_items, -1, dtype=np.int64)
    everyone = np.arange(n_rows)
    fewest, n_found, looked, depth = np.int64(2**62), 0, np.int64(0), 0
    rows = everyone
    opened = True
    while depth >= 0:
        if opened:  # count the sets with one item more
            opened = False
            looked += _NODE
            after = prefix[depth - 1] if depth > 0 else -1
            n, looked = _count(rows, row_start, row_items, who, weight, after, count, times, last, picks[depth], looked)
            is_rare = False
            for i in range(n):
                item = picks[depth, i]
                counts[depth, i] = count[item]
                fewest = min(fewest, count[item])
                if count[item] < k:
                    is_rare = True
                    if len(found) > 0:
                        if n_found == len(found):
                            return fewest, n_found, False
                        for level in range(depth):
                            found[n_found, level] = prefix[level]
                        found[n_found, depth] = item
                        n_found += 1
            if is_rare:
                _mark(rows, row_start, row_items, after, count, k, short)
            if depth + 1 < m:
                _deliver(rows, row_start, row_items, after, n, picks[depth], times, ends[depth], lists[depth])
            for i in range(n):
                item = picks[depth, i]
                count[item] = times[item] = 0
                last[item] = -1
            n_picks[depth] = n if depth + 1 < m else 0
            at[depth] = 0
            if looked > effort:
                return fewest, n_found, False
        if at[depth] == n_picks[depth]:
            depth -= 1
            continue
        i = at[depth]
        at[depth] += 1
        if counts[depth, i] < k and (fewest == 1 or len(found) > 0):  # its rows are marked, and nothing is rarer
            continue
        prefix[depth] = picks[depth, i]
        start = ends[depth, i - 1] if i > 0 else 0
        rows = lists[depth, start : ends[depth, i]]
        depth += 1
        opened = True
    return fewest, n_found, True


@compiled
def _count(rows, row_start, row_items, who, weight, after, count, times, last, picks, looked):
    """Persons and rows with each item after `after` among these rows; the items, how many, and cells looked at."""
    n = 0
    for row in rows:
        for p in range(row_start[row + 1] - 1, row_start[row] - 1, -1):
            item = row_items[p]
            if item <= after:
                break
            if times[item] == 0:
                picks[n] = item
                n += 1
            times[item] += 1
            if last[item] != who[row]:
                last[item] = who[row]
                count[item] += weight[row]
            looked += 1
    return n, looked


@compiled
def _mark(rows, row_start, row_items, after, count, k, short):
    for row in rows:
        for p in range(row_start[row + 1] - 1, row_start[row] - 1, -1):
            item = row_items[p]
            if item <= after:
                break
            if count[item] < k:
                short[row] = True
                break


@compiled
def _deliver(rows, row_start, row_items, after, n, picks, times, ends, lists):
    """The rows of each item, one item after another; `times` are used up."""
    place = 0
    for i in range(n):
        item = picks[i]
        place += times[item]
        ends[i] = place
        times[item] = place - times[item]  # where its rows begin
    for row in rows:
        for p in range(row_start[row + 1] - 1, row_start[row] - 1, -1):
            item = row_items[p]
            if item <= after:
                break
            lists[times[item]] = row
            times[item] += 1
