# SPDX-License-Identifier: Apache-2.0
"""Median cuts of rows that are only counted: no sorting, and the rows of a node lie side by side.

The most even cut lies beside the rank at which half of the rows are reached, so it is looked for by counting ranks in a
few coarse steps. Rows then change places with all their ranks, so that every later pass reads memory in order; the
ranges of both sides are found on the way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.foundation.compiled_kernels import compiled

_FEW = 48  # rows that are sorted, not counted
_STEPS = 1024  # parts of a range that are counted at a time, at most


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

    The tree is the one that `_partition` of mondrian_partition.py makes of these rows, none of which weighs nothing.
    """
    n, n_columns = ranks.shape
    depth = (len(column) + 1) // 2 + 1
    work = _Work(
        np.arange(n, dtype=np.int32),
        np.empty((depth, 4 + 2 * n_columns), dtype=np.int64),
        *np.empty((2, 2, n_columns), dtype=np.int64),
        *(np.empty(size, dtype=np.int64) for size in (n_columns, _STEPS, 3, _FEW, _FEW)),
    )
    return int(_halve(ranks, weight, least, position, times, column, ends, begins, left, leaf_of, work))


class _Work(NamedTuple):
    """Room that the kernel writes to. If it made arrays, numba would load all that it has for them with the kernel."""

    origin: np.ndarray  # the rows in the places where they are now
    stack: np.ndarray  # of each node that waits: its number, first row, end and weight, and the range of each column
    low: np.ndarray  # of both sides of a cut, the least rank of each column
    high: np.ndarray
    is_open: np.ndarray  # whether a column was not tried yet
    room: np.ndarray
    found: np.ndarray
    keys: np.ndarray
    weights: np.ndarray


@compiled
def _halve(ranks, weight, least, position, times, column, ends, begins, left, leaf_of, work):
    n, n_columns = ranks.shape
    origin, stack, low, high, is_open, room, found, keys, weights = work
    total = 0
    for i in range(n):
        total += weight[i]
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, n, total
    for c in range(n_columns):
        least_rank = most_rank = np.int64(ranks[0, c])
        for i in range(n):
            least_rank, most_rank = min(least_rank, np.int64(ranks[i, c])), max(most_rank, np.int64(ranks[i, c]))
        stack[0, 4 + c], stack[0, 4 + n_columns + c] = least_rank, most_rank
    waiting, n_nodes, n_leaves = 1, 1, 0
    while waiting > 0:
        waiting -= 1
        node, start, stop, total = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2], stack[waiting, 3]
        c, first, on_left = -1, np.int64(0), np.int64(0)
        if total >= 2 * least:
            for i in range(n_columns):
                is_open[i] = stack[waiting, 4 + i] < stack[waiting, 4 + n_columns + i]
            while True:
                c = _widest(stack, waiting, position, is_open, times, node)
                if c < 0:
                    break
                is_open[c] = 0
                _reach_half(
                    ranks, weight, start, stop, c, stack[waiting, 4 + c], stack[waiting, 4 + n_columns + c], total,
                    room, keys, weights, found,
                )  # fmt: skip
                first, on_left = _cut_beside(found, least, total)
                if on_left > 0:
                    break
        if c < 0:
            column[node], left[node] = -1, n_leaves
            ends[node] = begins[node] = -1
            for i in range(start, stop):
                leaf_of[origin[i]] = n_leaves
            n_leaves += 1
            continue
        middle = _part(ranks, weight, origin, start, stop, c, first, low, high)
        column[node], left[node] = c, n_nodes
        ends[node], begins[node] = high[0, c], low[1, c]
        for i in range(times.shape[1] if len(times) > 0 else 0):
            times[n_nodes, i] = times[n_nodes + 1, i] = times[node, i] + (i == c)
        for side in range(1, -1, -1):
            stack[waiting, 0] = n_nodes + side
            stack[waiting, 1] = middle if side else start
            stack[waiting, 2] = stop if side else middle
            stack[waiting, 3] = total - on_left if side else on_left
            for i in range(n_columns):
                stack[waiting, 4 + i], stack[waiting, 4 + n_columns + i] = low[side, i], high[side, i]
            waiting += 1
        n_nodes += 2
    return n_nodes


@compiled
def _widest(stack, line, position, is_open, times, node):
    """The open column of widest normalised range, ties to the lowest; with `times`, the one cut least often; or -1."""
    widest, width = -1, 0.0
    n_columns = len(is_open)
    for c in range(n_columns):
        if is_open[c]:
            span = position[stack[line, 4 + n_columns + c], c] - position[stack[line, 4 + c], c]
            if len(times) > 0:
                span = -1.0 * times[node, c]
            if widest < 0 or span > width:
                widest, width = c, span
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
                room[(rank - low) >> shift] += weight[i]
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
        key, own, j = np.int64(ranks[start + i, c]), weight[start + i], i
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
def _part(ranks, weight, origin, start, stop, c, first, low, high):
    """Rows of a rank below `first` change places with the others; where those begin. The ranges of both sides."""
    n_columns = ranks.shape[1]
    for i in range(n_columns):
        low[0, i] = low[1, i] = np.int64(2**62)
        high[0, i] = high[1, i] = np.int64(-1)
    i, j = start, stop - 1
    while i <= j:
        side = 0 if ranks[i, c] < first else 1
        if side == 1:
            while j > i and ranks[j, c] >= first:
                _widen(ranks, j, 1, low, high)
                j -= 1
            if j > i:
                for place in range(n_columns):
                    ranks[i, place], ranks[j, place] = ranks[j, place], ranks[i, place]
                weight[i], weight[j] = weight[j], weight[i]
                origin[i], origin[j] = origin[j], origin[i]
                _widen(ranks, i, 0, low, high)
                i += 1
            _widen(ranks, j, 1, low, high)
            j -= 1
        else:
            _widen(ranks, i, 0, low, high)
            i += 1
    return i


@compiled
def _widen(ranks, row, side, low, high):
    for c in range(ranks.shape[1]):
        rank = np.int64(ranks[row, c])
        low[side, c] = min(low[side, c], rank)
        high[side, c] = max(high[side, c], rank)
