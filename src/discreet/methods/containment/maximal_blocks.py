# SPDX-License-Identifier: Apache-2.0
"""Branch and bound for the largest blocks of ones: at least k rows, and as many columns as possible.

A node of the search is a pair (rows, items) and stands for the sets S of items with S inside `items` whose cover, the
rows that have all of S, is inside `rows`. Wanted are maximal S of at least `floor` items that k rows have:
- an item that fewer than k of the rows have is not in S; a row that has fewer than `floor` of the items is not in its
  cover. Both are dropped until nothing changes, and the node ends when too few of either are left.
- when k rows have all items, S = items is the only answer here.
- otherwise a row, or an item, is first taken for granted (the items shrink to those of the row, the rows to those that
  have the item), then excluded. An excluded row that has all items ends the node: every S here has it in its cover. So
  does an excluded item that all rows have: S could be extended by it.
Which of both is taken is a matter of cost: k of the rows, or `floor` of the items, have to be guessed.
The bits of rows are in the order of persons, so that persons are counted as changes from one row to the next.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.counting.bitmaps import lowest_bit, popcount
from discreet.foundation.compiled_kernels import compiled
from discreet.methods.containment.maximal_pool import floor_of, offer, precedes

DONE, OUT_OF_BUDGET, STACK_FULL = 0, 1, 2
_PRUNE, _LEAF, _BRANCH = 0, 1, 2
ROWS, ITEMS = 1, 2  # what is branched on, when the caller insists


@compiled
def _count(words, persons):
    """Rows in the set, or persons behind them when `persons` is not empty."""
    total = np.int64(0)
    if len(persons) == 0:
        for w in range(len(words)):
            total += np.int64(popcount(words[w]))
        return total
    last = -1
    for w in range(len(words)):
        rest = words[w]
        while rest:
            person = persons[w * 64 + np.int64(lowest_bit(rest))]
            rest &= rest - np.uint64(1)
            if person != last:
                total += 1
                last = person
    return total


@compiled
def _common(a, b):
    total = np.int64(0)
    for w in range(len(a)):
        total += np.int64(popcount(a[w] & b[w]))
    return total


@compiled
def _inside(a, b):
    w = 0
    while w < len(a) and not a[w] & ~b[w]:
        w += 1
    return w == len(a)


@compiled
def _reduce(rows, items, persons, T, C, k, floor, best):
    """Shrink the rows T and the items C of a node in place. `best` gets what the choice of a branch needs."""
    both = np.empty(len(T), dtype=np.uint64)
    empty = persons[:0]
    while True:
        n_rows = _count(T, empty)
        n_items = _count(C, empty)
        if n_items < floor or n_rows < k or (len(persons) and _count(T, persons) < k):
            return _PRUNE
        dropped_items, full_items = _drop_items(items, persons, T, C, k, n_rows, best, both)
        n_items -= dropped_items
        if n_items < floor:
            return _PRUNE
        dropped_rows, full_rows, full_persons = _drop_rows(rows, persons, T, C, floor, n_items, best)
        if full_persons >= k:
            return _LEAF
        if dropped_items + dropped_rows == 0:
            best[2] = _cost(n_items - full_items, floor - full_items)
            best[3] = _cost(n_rows - full_rows, k - full_persons)
            return _BRANCH


@compiled
def _drop_items(items, persons, T, C, k, n_rows, best, both):
    """Drop items of C that fewer than k of the rows T have. Returns how many, and how many items all rows have.

    best[0] is the item, not of all rows, that most rows have; `both` is scratch space.
    """
    dropped = full = 0
    most = -1
    for w in range(len(C)):
        rest = C[w]
        while rest:
            bit = rest & (~rest + np.uint64(1))
            item = w * 64 + np.int64(lowest_bit(rest))
            rest ^= bit
            n_common = _common(T, items[item])
            if n_common == n_rows:
                full += 1
                continue
            enough = n_common >= k
            if enough and len(persons):
                for v in range(len(T)):
                    both[v] = T[v] & items[item, v]
                enough = _count(both, persons) >= k
            if not enough:
                C[w] ^= bit
                dropped += 1
            elif n_common > most:
                most = n_common
                best[0] = item
    return dropped, full


@compiled
def _drop_rows(rows, persons, T, C, floor, n_items, best):
    """Drop rows of T that have fewer than `floor` of the items C.

    Returns how many were dropped, how many rows have all items, and how many persons these are. best[1] is the row,
    without all items, that has most of them.
    """
    dropped = full = full_persons = 0
    last = most = -1
    for w in range(len(T)):
        rest = T[w]
        while rest:
            bit = rest & (~rest + np.uint64(1))
            row = w * 64 + np.int64(lowest_bit(rest))
            rest ^= bit
            n_common = _common(C, rows[row])
            if n_common == n_items:
                full += 1
                if len(persons) == 0 or persons[row] != last:
                    full_persons += 1
                    last = persons[row] if len(persons) else last
            elif n_common < floor:
                T[w] ^= bit
                dropped += 1
            elif n_common > most:
                most = n_common
                best[1] = row
    return dropped, full, full_persons


@compiled
def _cost(n, needed):
    """About the logarithm of the number of ways to choose `needed` of n, times 1000."""
    return np.int64(1000 * max(1, min(needed, n - needed + 1)) * math.log(n + 2))


@compiled
def search(rows, items, columns, persons, stack_rows, stack_items, top, k, by, pool, sizes, state, matrix, budget):
    """Work off the stack of nodes; what is found goes to the pool. Returns (status, nodes left, budget left).

    A node on the stack: stack_rows[i] = (rows, excluded rows), stack_items[i] = (items, excluded items).
    """
    best = np.zeros(4, dtype=np.int64)
    empty = persons[:0]
    wanted = np.empty(len(columns), dtype=np.int64)
    while top > 0:
        if budget <= 0:
            return OUT_OF_BUDGET, top, budget
        if top == len(stack_rows):
            return STACK_FULL, top, budget
        node = top - 1
        top = node
        T, XR, C, XI = stack_rows[node, 0], stack_rows[node, 1], stack_items[node, 0], stack_items[node, 1]
        budget -= 20 + len(T) * (_count(C, empty) + 4) + len(C) * (_count(T, empty) + 4)
        floor = floor_of(sizes, state)
        kind = _reduce(rows, items, persons, T, C, k, floor, best)
        if kind == _PRUNE or _is_elsewhere(T, XI, items) or _is_elsewhere(C, XR, rows):
            continue
        size = _columns_of(C, columns, wanted)
        if size == floor and not precedes(wanted, size, pool, sizes, state):
            continue
        if kind == _LEAF:
            budget -= matrix_work(matrix, wanted, size)
            if is_maximal(matrix, wanted, size, k):
                offer(wanted, size, pool, sizes, state)
            continue
        for w in range(len(T)):
            stack_rows[node + 1, 0, w] = T[w]
            stack_rows[node + 1, 1, w] = XR[w]
        for w in range(len(C)):
            stack_items[node + 1, 0, w] = C[w]
            stack_items[node + 1, 1, w] = XI[w]
        if by == ROWS or (by != ITEMS and best[3] < best[2]):
            row = best[1]
            for w in range(len(C)):
                stack_items[node + 1, 0, w] &= rows[row, w]
            _exclude(T, C, rows, row)
            XR[row >> 6] |= np.uint64(1) << np.uint64(row & 63)
        else:
            item = best[0]
            for w in range(len(T)):
                stack_rows[node + 1, 0, w] &= items[item, w]
            _exclude(C, T, items, item)
            XI[item >> 6] |= np.uint64(1) << np.uint64(item & 63)
        top = node + 2  # the node itself, now without the row or item, waits below its child
    return DONE, 0, budget


@compiled
def _exclude(mine, theirs, lines, out):
    """Drop `out`, and what has no more of `theirs` than it: were that in, `out` would be in too."""
    for w in range(len(mine)):
        rest = mine[w]
        while rest:
            bit = rest & (~rest + np.uint64(1))
            other = w * 64 + np.int64(lowest_bit(rest))
            rest ^= bit
            weaker = True
            for v in range(len(theirs)):
                if lines[other, v] & theirs[v] & ~lines[out, v]:
                    weaker = False
                    break
            if weaker:
                mine[w] ^= bit


@compiled
def _is_elsewhere(mine, excluded, lines):
    """Does something excluded have all of mine?"""
    for w in range(len(excluded)):
        rest = excluded[w]
        while rest:
            if _inside(mine, lines[w * 64 + np.int64(lowest_bit(rest))]):
                return True
            rest &= rest - np.uint64(1)
    return False


@compiled
def _columns_of(C, columns, out):
    n = 0
    for w in range(len(C)):
        rest = C[w]
        while rest:
            out[n] = columns[w * 64 + np.int64(lowest_bit(rest))]
            n += 1
            rest &= rest - np.uint64(1)
    return n


# -- the whole matrix: (start of rows, columns of rows, start of columns, rows of columns, persons of rows) -----------


@compiled
def _rarest(matrix, wanted, size):
    item_start = matrix[2]
    rarest = wanted[0]
    for i in range(1, size):
        if item_start[wanted[i] + 1] - item_start[wanted[i]] < item_start[rarest + 1] - item_start[rarest]:
            rarest = wanted[i]
    return rarest


@compiled
def matrix_work(matrix, wanted, size):
    """About what it costs to look at the rows of a set."""
    item = _rarest(matrix, wanted, size)
    return (matrix[2][item + 1] - matrix[2][item]) * (1 + len(matrix[1]) // max(1, len(matrix[0]))) + len(matrix[2])


@compiled
def is_maximal(matrix, wanted, size, k):
    """Is there no further column that k rows, or persons, have together with these?"""
    row_start, row_items, item_start, item_rows, persons = matrix
    n_columns = len(item_start) - 1
    member = np.zeros(n_columns, dtype=np.bool_)
    for i in range(size):
        member[wanted[i]] = True
    count = np.zeros(n_columns, dtype=np.int32)
    last = np.full(n_columns if len(persons) else 0, -1, dtype=np.int64)
    item = _rarest(matrix, wanted, size)
    for i in range(item_start[item], item_start[item + 1]):
        row = item_rows[i]
        missing = size
        for j in range(row_start[row], row_start[row + 1]):
            if member[row_items[j]]:
                missing -= 1
        if missing:
            continue
        for j in range(row_start[row], row_start[row + 1]):
            other = row_items[j]
            if member[other]:
                continue
            if len(persons):
                if last[other] == persons[row]:
                    continue
                last[other] = persons[row]
            count[other] += 1
            if count[other] >= k:
                return False
    return True
