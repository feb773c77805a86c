# SPDX-License-Identifier: Apache-2.0
"""The r largest AC-maximal sets: feature sets that keep k-anonymity by containment and that no feature can join.

Columns that nobody has say nothing and are left out; columns that fewer than k have never fit. Some sets are made at
once: the largest frequent itemsets, which are all feasible, and the empty set, grown in several orders. Where columns
are few the search in `feasible` then finds all that are larger, and proves that there are no others; where they are
many it would not end, and is left out. Then there is a bound: two columns that some rows, but fewer than k, have
together exclude each other, and of columns that all exclude each other a set holds one at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from discreet.counting.bitmaps import Patterns
from discreet.counting.partition import Partition
from discreet.counting.tally import persons_per_group
from discreet.data.baskets import Baskets
from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import sparse as sp
from discreet.methods.containment.maximal_blocks import DONE, STACK_FULL
from discreet.methods.containment.maximal_feasible import conflicts, explore, most_conflicts
from discreet.methods.containment.maximal_frequent import arrays_of, largest_frequent
from discreet.methods.containment.maximal_pool import Clock, MaximalSets, OutOfTime, Pool

_BUDGET = 10_000_000  # words looked at between two looks at the clock
_WORK = 2e9  # words looked at in the search, when no time limit is given: some seconds
_SEED_WORK = 1e9  # and to find the frequent itemsets to begin with
_FEW = 400  # columns; with more, the search would not end
_WIDE = 20_000  # columns, and
_BOUND_WORK = 5e8  # cells looked at, up to which the size of the largest set is bounded
_CELLS = 5e7  # distinct rows times columns, to bound the memory of the search


def largest_contained(
    matrix: sp.csr_array,
    k: int,
    r: int = 20,
    *,
    persons: np.ndarray | None = None,
    orders: Sequence[np.ndarray] = (),
    clock: Clock | None = None,
    known_labels: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> MaximalSets:
    """The r largest AC-maximal sets; containment counts persons when they are given.

    `orders` are orders of the columns in which to grow sets greedily, besides that of support, in which a row counts by
    its weight. Where labels are known to everybody, the sets are only those.

    >>> largest_contained(sp.csr_array([[1, 0, 1], [1, 0, 1], [1, 1, 0], [1, 1, 0], [0, 1, 1]]), k=2).sets
    [(0, 1), (0, 2)]
    """
    clock = Clock() if clock is None else clock
    support = _support(matrix, persons)
    columns = np.flatnonzero(support >= k)
    pool = Pool(r, len(columns))
    if len(columns) == 0:
        return pool.result(proven=True)
    narrow = sp.csr_array(matrix[:, columns])
    by_support = np.argsort(-(support if weights is None else matrix.T @ weights)[columns], kind="stable")
    place = np.full(matrix.shape[1], -1)
    place[columns] = np.arange(len(columns))
    ours = [by_support, *(place[order][place[order] >= 0] for order in orders)]
    try:
        _grow(narrow, k, persons, ours, pool, clock, known_labels)
        cells = len(columns) * min(len(matrix.indptr), 2.0 ** min(len(columns), 64))
        is_small = known_labels is None and len(columns) <= _FEW and cells <= _CELLS
        if is_small:
            if clock.end is None and clock.work is None:
                clock = Clock(None, _WORK, clock.tick)
            _search(narrow, k, persons, pool, clock)
        proven = is_small
    except OutOfTime:
        proven = False
    largest = pool.result(proven)
    bound = largest.bound if proven or clock.over else _bound(narrow, k, persons)
    return MaximalSets([tuple(columns[list(chosen)].tolist()) for chosen in largest.sets], proven, bound)


def _support(matrix: sp.csr_array, persons: np.ndarray | None) -> np.ndarray:
    by_item = matrix.tocsc()
    item = np.repeat(np.arange(matrix.shape[1]), np.diff(by_item.indptr))
    return persons_per_group(item, matrix.shape[1], None if persons is None else persons[by_item.indices])


def _bound(matrix: sp.csr_array, k: int, persons: np.ndarray | None) -> int | None:
    """No feasible set has more columns than this; None when finding it would take too long."""
    n_items, lengths = matrix.shape[1], np.diff(matrix.indptr).astype(np.int64)
    if n_items > _WIDE or int((lengths**2).sum()) > _BOUND_WORK:
        return None
    row_start, row_items, item_start, item_rows, who, weight = _by_persons(matrix, persons)
    against = conflicts(row_start, row_items, item_start, item_rows, weight, who, k)
    return int(most_conflicts(_lines(np.array([0, n_items]), np.arange(n_items), n_items)[0], against)[1])


# -- sets that are made at once ---------------------------------------------------------------------------------------


def _grow(
    matrix: sp.csr_array,
    k: int,
    persons: np.ndarray | None,
    orders: list[np.ndarray],
    pool: Pool,
    clock: Clock,
    known_labels: np.ndarray | None = None,
) -> None:
    """Offer the largest frequent itemsets and the empty set, each grown until nothing fits."""
    whole = arrays_of(matrix, None)
    pool.state[1] = 1
    for order in orders:
        _complete(whole, matrix.shape, k, persons, (), order, pool, clock, known_labels)
    few = matrix.shape[1] <= 24 or known_labels is not None  # the search alone is quick; seeds know no labels
    seeds = [] if few else largest_frequent(matrix, k, len(pool.sizes), persons=persons,
                                            clock=clock.part(0.4, _SEED_WORK)).sets  # fmt: skip
    for seed in seeds:
        _complete(whole, matrix.shape, k, persons, seed, orders[0], pool, clock)


def _complete(
    whole: Any,
    shape: tuple[int, int],
    k: int,
    persons: np.ndarray | None,
    start: Any,
    order: Any,
    pool: Pool,
    clock: Clock,
    known_labels: np.ndarray | None = None,
) -> None:
    """Offer the feasible set `start` with all columns that fit it, in this order; at a time limit as far as it got."""
    _, _, item_start, item_rows, _ = whole
    patterns = Patterns(shape[0], persons, known_labels)
    chosen = np.zeros(shape[1], dtype=bool)
    chosen[list(start)] = True
    order = order[~chosen[order]]
    if persons is None and len(start):
        order = order[~_clashes(*whole[:4], chosen, order, k)]
    for column in start if len(order) else ():
        patterns.add(item_rows[item_start[column] : item_start[column + 1]])
    try:
        for place, column in enumerate(order.tolist()):
            if place or len(start):  # the first column always fits: there is an answer at any time limit
                clock.check()
            rows = item_rows[item_start[column] : item_start[column + 1]]
            if patterns.keeps_containment(rows, k):
                patterns.add(rows)
                chosen[column] = True
    finally:
        if chosen.any():
            pool.offer(np.flatnonzero(chosen))


@compiled
def _clashes(row_start, row_items, item_start, item_rows, chosen, order, k):
    """Which columns of the order occur with a chosen one, but fewer than k times? They do not fit."""
    n_rows = len(row_start) - 1
    start = np.zeros(n_rows + 1, dtype=np.int64)  # the rows with their chosen items only
    for row in range(n_rows):
        start[row + 1] = start[row]
        for i in range(row_start[row], row_start[row + 1]):
            start[row + 1] += chosen[row_items[i]]
    items = np.empty(start[n_rows], dtype=np.int64)
    n_items = 0
    for i in range(len(row_items)):
        if chosen[row_items[i]]:
            items[n_items] = row_items[i]
            n_items += 1
    clash = np.zeros(len(order), dtype=np.bool_)
    count = np.zeros(len(chosen), dtype=np.int64)
    counts = np.empty(len(chosen), dtype=np.int64)
    for o in range(len(order)):
        n_met = 0
        for r in range(item_start[order[o]], item_start[order[o] + 1]):
            for i in range(start[item_rows[r]], start[item_rows[r] + 1]):
                if count[items[i]] == 0:
                    counts[n_met] = items[i]
                    n_met += 1
                count[items[i]] += 1
        for i in range(n_met):
            clash[o] |= count[counts[i]] < k
            count[counts[i]] = 0
    return clash


# -- the search -------------------------------------------------------------------------------------------------------


def _search(matrix: sp.csr_array, k: int, persons: np.ndarray | None, pool: Pool, clock: Clock) -> None:
    """Find all AC-maximal sets that belong to the pool; OutOfTime when that takes too long."""
    row_start, row_items, item_start, item_rows, who, weight = _by_persons(matrix, persons)
    n_items = matrix.shape[1]
    lines = _lines(row_start, row_items, n_items)
    against = conflicts(row_start, row_items, item_start, item_rows, weight, who, k)
    sets = np.zeros((16, 3, lines.shape[1]), dtype=np.uint64)
    sets[0, 1] = _lines(np.array([0, n_items]), np.arange(n_items), n_items)[0]
    fresh = np.ones(16, dtype=np.bool_)
    status, top = STACK_FULL, 1
    while status != DONE:
        status, top, budget = explore(
            lines, item_start, item_rows, weight, who, against, sets, fresh, top, k, *pool.arrays, _BUDGET
        )
        clock.check(_BUDGET - budget)
        if status == STACK_FULL:
            sets, fresh = (np.concatenate([stack, np.zeros_like(stack)]) for stack in (sets, fresh))


def _by_persons(matrix: sp.csr_array, persons: np.ndarray | None) -> tuple[np.ndarray, ...]:
    """Distinct rows with their numbers; or, where persons count, all rows in the order of persons."""
    if persons is None:
        partition = Partition.of(Baskets(matrix, ()))
        return *arrays_of(matrix[partition.first_rows()], None), partition.sizes.copy()
    order = np.argsort(persons, kind="stable")
    return *arrays_of(matrix[order], persons[order]), np.ones(len(persons), dtype=np.int64)


@compiled
def _lines(row_start, row_items, n_items):
    """Rows as bits."""
    lines = np.zeros((len(row_start) - 1, (n_items + 63) // 64), dtype=np.uint64)
    for row in range(len(row_start) - 1):
        for i in range(row_start[row], row_start[row + 1]):
            lines[row, row_items[i] >> 6] |= np.uint64(1) << np.uint64(row_items[i] & 63)
    return lines
