# SPDX-License-Identifier: Apache-2.0
"""Median cuts of rows that are only counted: no sorting, and the rows of a node lie side by side.

The most even cut lies beside the rank at which half of the rows are reached, so it is looked for by counting ranks in a
few coarse steps. Rows then change places with all their ranks, so that every later pass reads memory in order.

A node's ranges lie within those of the node above it. So only the columns that may be the widest by these are looked
at, which are few, and none of a node that is too small to be cut.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.foundation.compiled_kernels import compiled

_FEW = 48  # rows that are sorted, not counted
_STEPS = 1024  # parts of a range that are counted at a time, at most
_BLOCK = 64  # rows of either side that are looked at before some of them change places
_CLOSED, _WITHIN, _KNOWN = 0, 1, 2  # a column was tried or has one rank; its range lies within that; this is its range


def halve(
    ranks: np.ndarray,
    weight: np.ndarray,
    least: int,
    position: np.ndarray,
    times: np.ndarray,
    column: np.ndarray,
    ends: np.ndarray,
    begins: np.ndarray,
    left: np.ndarray,
    leaf_of: np.ndarray,
) -> int:
    """Cut nodes until none can be cut; how many nodes there are. Lines of `ranks` and `weight` change places.

    The tree is the one that `_partition` of cut_partition.py makes of these rows, none of which weighs nothing;
    without weights, each is one.
    """
    n, n_columns = ranks.shape
    depth = (len(column) + 1) // 2 + 1
    work = _Work(
        np.arange(n, dtype=np.int32),
        np.empty((depth, 5 + 2 * n_columns), dtype=np.int64),
        np.empty((depth, n_columns), dtype=np.float64),
        *(np.empty(size, dtype=np.int64) for size in (n_columns, _STEPS, 3, _FEW, _FEW, _BLOCK, _BLOCK)),
    )
    return int(_halve(ranks, weight, least, position, times, column, ends, begins, left, leaf_of, work))


class _Work(NamedTuple):
    """Room that the kernel writes to. If it made arrays, numba would load all that it has for them with the kernel."""

    origin: np.ndarray  # the rows in the places where they are now
    stack: np.ndarray  # of each node that waits: see _halve
    width: np.ndarray  # and of each of its columns, how wide it is at most
    is_open: np.ndarray  # what is known of each column
    room: np.ndarray
    found: np.ndarray
    keys: np.ndarray
    weights: np.ndarray
    on_left: np.ndarray  # rows of a block that belong to the other side
    on_right: np.ndarray


@compiled
def _halve(ranks, weight, least, position, times, column, ends, begins, left, leaf_of, work):
    """A line of the stack: node, first row, end, weight, the column whose range is known (-1 for all), then the least
    rank of each column, and the largest; those of the node above it, where they are not known.
    """
    n, n_columns = ranks.shape
    origin, stack, width, is_open, room, found, keys, weights, on_left, on_right = work
    total = np.int64(n)
    if len(weight) > 0:
        total = np.int64(0)
        for i in range(n):
            total += weight[i]
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3], stack[0, 4] = 0, 0, n, total, -1
    for c in range(n_columns):
        stack[0, 5 + c], stack[0, 5 + n_columns + c] = _range_of(ranks, 0, n, c)
        width[0, c] = position[stack[0, 5 + n_columns + c], c] - position[stack[0, 5 + c], c]
    waiting, n_nodes, n_leaves = 1, 1, 0
    while waiting > 0:
        waiting -= 1
        node, start, stop, total = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        c, first, rows_left = -1, np.int64(0), np.int64(0)
        if total >= 2 * least:
            known = stack[waiting, 4]
            for i in range(n_columns):
                is_open[i] = _KNOWN if known < 0 or known == i else _WITHIN
                if stack[waiting, 5 + i] == stack[waiting, 5 + n_columns + i]:
                    is_open[i] = _CLOSED
            while True:
                c = _widest(width, waiting, is_open, times, node)
                if c < 0:
                    break
                if is_open[c] == _WITHIN:
                    low, high = _range_of(ranks, start, stop, c)
                    stack[waiting, 5 + c], stack[waiting, 5 + n_columns + c] = low, high
                    width[waiting, c] = position[high, c] - position[low, c]
                    is_open[c] = _KNOWN if low < high else _CLOSED
                    continue
                is_open[c] = _CLOSED
                _reach_half(
                    ranks, weight, start, stop, c, stack[waiting, 5 + c], stack[waiting, 5 + n_columns + c], total,
                    room, keys, weights, found,
                )  # fmt: skip
                first, rows_left = _cut_beside(found, least, total)
                if rows_left > 0:
                    break
        if c < 0:
            column[node], left[node] = -1, n_leaves
            ends[node] = begins[node] = -1
            for i in range(start, stop):
                leaf_of[origin[i]] = n_leaves
            n_leaves += 1
            continue
        middle = _part(ranks, weight, origin, start, stop, c, first, on_left, on_right, found)
        column[node], left[node] = c, n_nodes
        ends[node], begins[node] = found[0], found[1]
        for i in range(times.shape[1] if len(times) > 0 else 0):
            times[n_nodes, i] = times[n_nodes + 1, i] = times[node, i] + (i == c)
        for i in range(5, 5 + 2 * n_columns):
            stack[waiting + 1, i] = stack[waiting, i]
        for i in range(n_columns):
            width[waiting + 1, i] = width[waiting, i]
        for side in range(1, -1, -1):  # the left one is met first
            stack[waiting, 0] = n_nodes + side
            stack[waiting, 1] = middle if side else start
            stack[waiting, 2] = stop if side else middle
            stack[waiting, 3] = total - rows_left if side else rows_left
            stack[waiting, 4] = c
            stack[waiting, 5 + c + (0 if side else n_columns)] = begins[node] if side else ends[node]
            width[waiting, c] = position[stack[waiting, 5 + n_columns + c], c] - position[stack[waiting, 5 + c], c]
            waiting += 1
        n_nodes += 2
    return n_nodes


@compiled
def _range_of(ranks, start, stop, c):
    """The least and the largest rank of some rows in a column."""
    low = high = np.int64(ranks[start, c])
    for i in range(start + 1, stop):
        rank = np.int64(ranks[i, c])
        low, high = min(low, rank), max(high, rank)
    return low, high


@compiled
def _widest(width, line, is_open, times, node):
    """The open column that is widest, ties to the lowest; with `times`, the one cut least often; or -1."""
    widest, most = -1, 0.0
    for c in range(len(is_open)):
        if is_open[c] != _CLOSED:
            span = -1.0 * times[node, c] if len(times) > 0 else width[line, c]
            if widest < 0 or span > most:
                widest, most = c, span
    return widest


@compiled
def _reach_half(ranks, weight, start, stop, c, low, high, total, room, keys, weights, found):
    """Write to `found` the first rank up to which more than half of the rows lie, the rows below it, and its own."""
    if stop - start <= len(keys):
        _reach_half_of_few(ranks, weight, start, stop, c, total, keys, weights, found)
        return
    under = np.int64(0)
    while True:
        shift = 0
        while (high - low) >> shift >= len(room):
            shift += 1
        n_steps = ((high - low) >> shift) + 1
        for step in range(n_steps):
            room[step] = 0
        for i in range(start, stop):
            rank = np.int64(ranks[i, c])
            if low <= rank <= high:
                room[(rank - low) >> shift] += weight[i] if len(weight) > 0 else 1
        step = 0
        while 2 * (under + room[step]) <= total:
            under += room[step]
            step += 1
        low += step << shift
        if shift == 0:
            found[0], found[1], found[2] = low, under, room[step]
            return
        high = min(high, low + (1 << shift) - 1)


@compiled
def _reach_half_of_few(ranks, weight, start, stop, c, total, keys, weights, found):
    n = stop - start
    for i in range(n):
        key, j = np.int64(ranks[start + i, c]), i
        own = weight[start + i] if len(weight) > 0 else np.int64(1)
        while j > 0 and keys[j - 1] > key:
            keys[j], weights[j] = keys[j - 1], weights[j - 1]
            j -= 1
        keys[j], weights[j] = key, own
    under, i = np.int64(0), 0
    while True:
        here, j = weights[i], i + 1
        while j < n and keys[j] == keys[i]:
            here += weights[j]
            j += 1
        if 2 * (under + here) > total:
            found[0], found[1], found[2] = keys[i], under, here
            return
        under += here
        i = j


@compiled
def _cut_beside(found, least, total):
    """Cut below or above the rank that reaches half: the first rank on the right, and the rows on the left; 0 for none.

    Any other cut is less even, and leaves less on its smaller side.
    """
    rank, below, above = found[0], found[1], found[1] + found[2]
    fits_above = above >= least and total - above >= least
    if below >= least and total - below >= least and not (fits_above and 2 * above - total < total - 2 * below):
        return rank, below
    return (rank + 1, above) if fits_above else (rank, np.int64(0))


@compiled
def _part(ranks, weight, origin, start, stop, c, first, on_left, on_right, found):
    """Rows of a rank below `first` change places with the others; where those begin. Writes to `found` the largest rank
    on the left, and the least on the right.

    Of a block at either end, the rows that belong to the other side are noted before any of them moves: a processor
    that has to guess at each row where it belongs is wrong half of the time.
    """
    n_block = len(on_left)
    n_left, n_right, next_left, next_right = 0, 0, 0, 0
    low, high = np.int64(-1), np.int64(2**62)
    ends, begins = low, high
    i, j = start, stop - 1
    while j - i >= 2 * n_block:
        if n_left == 0:
            next_left = 0
            for b in range(n_block):
                rank = np.int64(ranks[i + b, c])
                on_left[n_left] = i + b
                n_left += rank >= first
                ends, begins = max(ends, rank if rank < first else low), min(begins, rank if rank >= first else high)
        if n_right == 0:
            next_right = 0
            for b in range(n_block):
                rank = np.int64(ranks[j - b, c])
                on_right[n_right] = j - b
                n_right += rank < first
                ends, begins = max(ends, rank if rank < first else low), min(begins, rank if rank >= first else high)
        n_moved = min(n_left, n_right)
        for b in range(n_moved):
            _exchange(ranks, weight, origin, on_left[next_left + b], on_right[next_right + b])
        n_left, n_right, next_left, next_right = (
            n_left - n_moved,
            n_right - n_moved,
            next_left + n_moved,
            next_right + n_moved,
        )
        i += n_block if n_left == 0 else 0
        j -= n_block if n_right == 0 else 0
    while True:
        while i <= j and ranks[i, c] < first:
            ends = max(ends, np.int64(ranks[i, c]))
            i += 1
        while i <= j and ranks[j, c] >= first:
            begins = min(begins, np.int64(ranks[j, c]))
            j -= 1
        if i >= j:
            break
        _exchange(ranks, weight, origin, i, j)
    found[0], found[1] = ends, begins
    return i


@compiled
def _exchange(ranks, weight, origin, i, j):
    for place in range(ranks.shape[1]):
        ranks[i, place], ranks[j, place] = ranks[j, place], ranks[i, place]
    origin[i], origin[j] = origin[j], origin[i]
    if len(weight) > 0:
        weight[i], weight[j] = weight[j], weight[i]
