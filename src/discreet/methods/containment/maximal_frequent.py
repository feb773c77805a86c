# SPDX-License-Identifier: Apache-2.0
"""The r largest maximal itemsets: sets of items that k rows share and that no further item can join.

Never lists all maximal sets. Sizes are tried from that of a first set, found greedily, downwards: for a size, rows with
fewer items and items with fewer than k rows are peeled off until nothing changes, which leaves little to search at
large ones. Where the first set is small, so are most, and all sizes are searched at once. Every set is looked for below
its rarest item, among the rows that have it (`blocks`), the rarest items first. As soon as
r sets are known, the smallest of them is the size to beat.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.lazy_modules import sparse as sp
from discreet.methods.containment.maximal_blocks import DONE, ITEMS, ROWS, STACK_FULL, search
from discreet.methods.containment.maximal_frequent_core import core_of, peel, supports
from discreet.methods.containment.maximal_pool import Clock, MaximalSets, OutOfTime, Pool, floor_of, offer

_SMALL = 4  # items of a first set that is so small that sizes are not tried one by one: there is little to search
_BUDGET = 20_000_000  # words looked at between two looks at the clock: some hundredths of a second


def largest_frequent(
    matrix: sp.csr_array,
    k: int,
    r: int = 20,
    *,
    persons: np.ndarray | None = None,
    clock: Clock | None = None,
    by: str | None = None,
) -> MaximalSets:
    """The r largest maximal itemsets of support k or more; support counts persons when they are given.

    `by` is "rows" or "items" to insist on one kind of search; without it the cheaper one is taken at every step.

    >>> largest_frequent(sp.csr_array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 1]]), k=2).sets
    [(0, 1), (2,)]
    """
    clock = Clock() if clock is None else clock
    if persons is not None:
        order = np.argsort(persons, kind="stable")
        matrix, persons = matrix[order], persons[order]
    width = int(np.diff(matrix.indptr).max(initial=0))
    frequent = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]) >= k)  # persons are at most rows
    if not len(frequent):
        return Pool(r, width).result(proven=True)
    found = _largest_of_frequent(_columns(matrix, frequent), k, Pool(r, width), persons, clock, by)
    return replace(found, sets=[tuple(frequent[list(chosen)].tolist()) for chosen in found.sets])


def _columns(matrix: sp.csr_array, columns: np.ndarray) -> sp.csr_array:
    """Some columns, in increasing order."""
    place = np.full(matrix.shape[1], -1, dtype=np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    indices = place[matrix.indices]
    upto = np.append(0, np.cumsum(indices >= 0))[matrix.indptr]
    indices = indices[indices >= 0]
    return sp.csr_array((np.ones(len(indices), np.uint8), indices, upto), shape=(matrix.shape[0], len(columns)))


def _largest_of_frequent(
    matrix: sp.csr_array, k: int, pool: Pool, persons: np.ndarray | None, clock: Clock, by: str | None
) -> MaximalSets:
    whole = arrays_of(matrix, persons)
    kind = {None: 0, "rows": ROWS, "items": ITEMS}[by]
    first = np.flatnonzero(_greedy(whole, k))
    if len(first) == 0:
        return pool.result(proven=True)
    pool.offer(first)
    small = len(first) <= _SMALL
    target, step = len(first), 1
    try:
        while True:
            pool.state[1] = target
            _search_from(whole, k, kind, pool, clock)
            if target == 1 or pool.smallest >= target:
                return pool.result(proven=True)
            target, step = (1 if small else max(target - step, pool.smallest, 1)), 2 * step
    except OutOfTime:
        return pool.result(proven=False)


def arrays_of(matrix: sp.csr_array, persons: np.ndarray | None) -> tuple[np.ndarray, ...]:
    """Rows, columns and persons as the kernels take them."""
    by_item = matrix.tocsc()
    who = np.empty(0) if persons is None else persons
    parts = [matrix.indptr, matrix.indices, by_item.indptr, by_item.indices, who]
    return tuple(part.astype(np.int64) for part in parts)


def _search_from(whole: Any, k: int, by: int, pool: Pool, clock: Clock) -> None:
    """Find the maximal sets of at least the pool's floor."""
    rows, items = peel(*whole[:4], k, pool.state[1])
    columns = np.flatnonzero(items)
    columns = columns[np.argsort(supports(*whole[2:4], rows, columns), kind="stable")]
    persons = whole[4][rows] if len(whole[4]) else whole[4]
    core, paired = core_of(*whole[2:4], rows, columns), np.zeros(0 if len(persons) else len(columns), dtype=np.bool_)
    place = 0
    while True:
        place, status, mine, wanted, budget = _next(*core, columns, place, k, paired, *pool.arrays, _BUDGET)
        clock.check(_BUDGET - budget)
        if status == _ALL_SEEN:
            return
        if status == _FOUND:
            wanted = wanted[np.argsort(columns[wanted])]
            _search_below(core, columns, place, mine, wanted, persons, whole, k, by, pool, clock)
            place += 1


def _search_below(
    core: Any,
    columns: Any,
    place: Any,
    mine: Any,
    wanted: Any,
    persons: Any,
    whole: Any,
    k: int,
    by: int,
    pool: Pool,
    clock: Clock,
) -> None:
    """Find the maximal sets whose rarest item has this place: some rows `mine`, some items `wanted`."""
    rows, items = _dense(core[0], core[1], mine, wanted, len(columns))
    own = persons[mine] if len(persons) else persons
    depth = 64
    stack_rows = np.zeros((depth, 2, items.shape[1]), dtype=np.uint64)
    stack_items = np.zeros((depth, 2, rows.shape[1]), dtype=np.uint64)
    _set_bits(stack_rows[0, 0], np.ones(len(mine), dtype=np.bool_))
    _set_bits(stack_items[0, 0], wanted >= place)
    _set_bits(stack_items[0, 1], wanted < place)
    status, top = STACK_FULL, 1
    while status != DONE:
        status, top, budget = search(
            rows, items, columns[wanted], own, stack_rows, stack_items, top, k, by, *pool.arrays, whole, _BUDGET
        )
        clock.check(_BUDGET - budget)
        if status == STACK_FULL:
            stack_rows = np.concatenate([stack_rows, np.zeros_like(stack_rows)])
            stack_items = np.concatenate([stack_items, np.zeros_like(stack_items)])


_FOUND, _ALL_SEEN, _PAUSE = 0, 1, 2


@compiled
def _greedy(matrix, k):
    """One maximal set, to have an answer at once: the item that most have, and so on among the rows that have it."""
    row_start, row_items, item_start, _, persons = matrix
    n_items = len(item_start) - 1
    rows = np.arange(len(row_start) - 1)
    member = np.zeros(n_items, dtype=np.bool_)
    while True:
        count = np.zeros(n_items, dtype=np.int64)
        last = np.full(n_items, -1, dtype=np.int64)
        for row in rows:
            for i in range(row_start[row], row_start[row + 1]):
                item = row_items[i]
                if not member[item] and (len(persons) == 0 or last[item] != persons[row]):
                    count[item] += 1
                    if len(persons):
                        last[item] = persons[row]
        best = 0
        for item in range(n_items):
            if count[item] > count[best]:
                best = item
        if count[best] < k:
            return member
        member[best] = True
        n_left = 0
        for row in rows:
            for i in range(row_start[row], row_start[row + 1]):
                if row_items[i] == best:
                    rows[n_left] = row
                    n_left += 1
                    break
        rows = rows[:n_left]


@compiled
def _next(row_start, row_items, item_start, item_rows, where, columns, place, k, paired, pool, sizes, state, budget):
    """The next item below which a set may be: its place, its rows, and their items that k of them have.

    Items after it are counted first, from its place in a row on: a row that has too few of them is left out at once.
    Those before it are counted only if a set may be here. An item that shares k rows with no other is a maximal set:
    `paired` are the items that share k rows with another so far; it is empty if persons are counted, not rows.
    """
    n_items = len(columns)
    count = np.zeros(n_items, dtype=np.int64)
    touched = np.empty(n_items, dtype=np.int64)
    single = np.empty(1, dtype=np.int64)
    nothing = np.empty(0, dtype=np.int64)
    while place < n_items:
        if budget <= 0:
            return place, _PAUSE, nothing, nothing, budget
        floor = floor_of(sizes, state)
        if n_items - place < floor:
            break
        mine = np.empty(item_start[place + 1] - item_start[place], dtype=np.int64)
        after = np.empty(len(mine), dtype=np.int64)
        n_mine = n_touched = 0
        for i in range(item_start[place], item_start[place + 1]):
            row = item_rows[i]
            budget -= 1
            if row_start[row + 1] - where[i] >= floor:
                mine[n_mine], after[n_mine] = row, where[i] + 1
                n_mine += 1
        if n_mine < k:
            place += 1
            continue
        for m in range(n_mine):
            budget -= row_start[mine[m] + 1] - after[m]
            for i in range(after[m], row_start[mine[m] + 1]):
                item = row_items[i]
                if count[item] == 0:
                    touched[n_touched] = item
                    n_touched += 1
                count[item] += 1
        changed = floor > 1  # else every row has enough, the item itself
        while changed and n_mine >= k:
            changed = False
            n_left = 0
            for m in range(n_mine):
                stop = row_start[mine[m] + 1]
                n_found = 1
                budget -= stop - after[m]
                for i in range(after[m], stop):
                    n_found += count[row_items[i]] >= k
                if n_found >= floor:
                    mine[n_left], after[n_left] = mine[m], after[m]
                    n_left += 1
                else:
                    changed = True
                    for i in range(after[m], stop):
                        count[row_items[i]] -= 1
            n_mine = n_left
        n_wanted = 0
        for i in range(n_touched):
            item = touched[i]
            if count[item] >= k:
                touched[n_wanted] = item
                n_wanted += 1
                if len(paired):
                    paired[place] = paired[item] = True
            count[item] = 0
        alive = n_mine >= k and n_wanted + 1 >= floor
        if alive and n_wanted == 0 and len(paired):  # the floor is 1, and all rows of items before it were counted
            if not paired[place]:
                single[0] = columns[place]
                offer(single, 1, pool, sizes, state)
            alive = False
        if alive:
            touched[n_wanted] = place
            n_wanted += 1
            n_touched = n_wanted
            for m in range(n_mine):
                budget -= after[m] - row_start[mine[m]]
                for i in range(row_start[mine[m]], after[m] - 1):
                    item = row_items[i]
                    if count[item] == 0:
                        touched[n_touched] = item
                        n_touched += 1
                    count[item] += 1
            for i in range(n_wanted, n_touched):
                item = touched[i]
                if count[item] == n_mine:
                    alive = False  # whatever is here, this rarer item can join it
                if count[item] >= k:
                    touched[n_wanted] = item
                    n_wanted += 1
                count[item] = 0
        if alive:
            return place, _FOUND, mine[:n_mine], touched[:n_wanted], budget
        place += 1
    return place, _ALL_SEEN, nothing, nothing, budget


@compiled
def _dense(row_start, row_items, mine, wanted, n_items):
    """Some rows and items as bits: a line per row, and a line per item."""
    number = np.full(n_items, -1, dtype=np.int64)
    for i in range(len(wanted)):
        number[wanted[i]] = i
    rows = np.zeros((len(mine), (len(wanted) + 63) // 64), dtype=np.uint64)
    items = np.zeros((len(wanted), (len(mine) + 63) // 64), dtype=np.uint64)
    for r in range(len(mine)):
        for i in range(row_start[mine[r]], row_start[mine[r] + 1]):
            item = number[row_items[i]]
            if item >= 0:
                rows[r, item >> 6] |= np.uint64(1) << np.uint64(item & 63)
                items[item, r >> 6] |= np.uint64(1) << np.uint64(r & 63)
    return rows, items


@compiled
def _set_bits(words, chosen):
    for i in range(len(chosen)):
        if chosen[i]:
            words[i >> 6] |= np.uint64(1) << np.uint64(i & 63)
