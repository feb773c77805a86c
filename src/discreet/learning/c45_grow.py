# SPDX-License-Identifier: Apache-2.0
"""How C4.5 grows a tree, level by level.

The entries of a node are a stretch of one long array, ordered by branch when the node is split. Where a tested value is
unknown, the entry goes to every branch with a part of its weight, and the stretches of the children stand at the end of
the array instead. A part is a multiple of 2^-28 of a row: up to 2^25 rows sums of parts are exact then, in any order
and however many equal rows stand in one entry.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.learning.c45_entries import Entries, Memory
from discreet.learning.c45_split import SMALL, Stretch, choose

# What is known of a node. LIMIT is the last code below the cut, -1 for a category; START and SIZE are its stretch;
# ROW is its line in the memory of tests, -1 if it has none.
TEST, LIMIT, FIRST, WIDTH, START, SIZE, ROW = range(7)
_COLUMNS = 7
_SOME = 64  # nodes that there is room for at first
_MANY = 4.0  # rows of a node that is remembered
_PARTS = 2.0**28  # of a row
_ITEM, _BRANCH = range(2)  # of an entry in `moved`
Grown = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]
# Of the entries, what sends them down branches: each array more is an argument more in every kernel.
Ways = namedtuple("Ways", "codes levels label weight moved moved_weights places sums")


@compiled
def longer(array, n):
    """The array with room for n, twice as long at least."""
    if n <= len(array):
        return array
    more = np.empty(max(n, 2 * len(array)), array.dtype)
    for i in range(len(array)):
        more[i] = array[i]
    return more


def ways_of(entries: Entries) -> Ways:
    """What of the entries sends them down branches."""
    codes, levels, label, weight = entries.codes, entries.levels, entries.label, entries.weight
    return Ways(codes, levels, label, weight, entries.moved, entries.moved_weights, entries.met, entries.sums)


@compiled
def part(ways, items, weights, end, start, size, f, limit, width, sizes, shares):
    """Order the entries of a stretch by the branch of the test that they take.

    Returns the items and weights, where they end, and where the stretch of the first branch starts: in place, or at
    the end if some value is unknown. `sizes` and `shares` receive the entries and the share of each branch.
    """
    n_unknown = _take_out(ways, items, weights, start, size, f, limit, width, sizes, shares)
    if n_unknown:
        start = end
        for b in range(width):
            end += sizes[b]
        items, weights = longer(items, end), longer(weights, end)
    _put_back(ways, items, weights, start, size, width, sizes, shares)
    return items, weights, end, start


@compiled(_nrt=False)
def _take_out(ways, items, weights, start, size, f, limit, width, sizes, shares):
    """Keep a stretch in `moved`, with the branch of each entry, -1 where the value is unknown; how many are."""
    codes, unknown, moved, moved_weights = ways.codes, ways.levels[f], ways.moved, ways.moved_weights
    for b in range(width):
        sizes[b] = 0
        shares[b] = 0.0
    n_unknown, known_weight = 0, 0.0
    for j in range(size):
        moved[_ITEM, j] = items[start + j]
        moved_weights[j] = weights[start + j]
        code = codes[f, moved[_ITEM, j]]
        if code == unknown:
            moved[_BRANCH, j] = -1
            n_unknown += 1
            continue
        b = code if limit < 0 else (1 if code > limit else 0)
        moved[_BRANCH, j] = b
        sizes[b] += 1
        shares[b] += moved_weights[j]
        known_weight += moved_weights[j]
    for b in range(width):
        shares[b] = shares[b] / known_weight if known_weight > 0 else 1 / width
        if shares[b] > SMALL:
            sizes[b] += n_unknown
    return n_unknown


@compiled(_nrt=False)
def _put_back(ways, items, weights, start, size, width, sizes, shares):
    """Write the stretch in `moved` from `start` on, by branches."""
    whole, moved, moved_weights, places = ways.weight, ways.moved, ways.moved_weights, ways.places
    for b in range(width):
        places[b] = start
        start += sizes[b]
    for j in range(size):
        item, b = moved[_ITEM, j], moved[_BRANCH, j]
        if b >= 0:
            items[places[b]] = item
            weights[places[b]] = moved_weights[j]
            places[b] += 1
            continue
        for b in range(width):
            if shares[b] > SMALL:
                share = np.rint(moved_weights[j] / whole[item] * shares[b] * _PARTS) / _PARTS
                items[places[b]] = item
                weights[places[b]] = whole[item] * share
                places[b] += 1


@compiled(_nrt=False)
def _children(nodes, counts, n_classes, first, at, width, sizes, label, items, weights):
    """Leaves from node `first` on, whose stretches follow each other from `at`; of an empty one no more is told."""
    for b in range(width):
        node, own = _COLUMNS * (first + b), n_classes * (first + b)
        nodes[node + TEST] = -1
        for c in range(n_classes):
            counts[own + c] = 0.0
        if sizes[b] == 0:
            continue
        nodes[node + START], nodes[node + SIZE], nodes[node + ROW] = at, sizes[b], -1
        for j in range(at, at + sizes[b]):
            counts[own + label[items[j]]] += weights[j]
        at += sizes[b]


@compiled(_nrt=False)
def _line(memory):
    """A new line of the memory, nothing rated; -1 if there is no room."""
    line = memory.used[0]
    if line >= len(memory.gains):
        return -1
    memory.used[0] += 1
    for f in range(memory.gains.shape[1]):
        memory.gains[line, f] = np.nan
        memory.below[line, f] = -1
    return line


@compiled(_nrt=False)
def _branches(memory, line, place, width):
    """Where the lines of the branches of a test stand in `memory.nodes`; -1 if there is no room."""
    if memory.below[line, place] < 0 and memory.used[1] + width <= len(memory.nodes):
        memory.below[line, place] = memory.used[1]
        for b in range(memory.used[1], memory.used[1] + width):
            memory.nodes[b] = -1
        memory.used[1] += width
    return memory.below[line, place]


def grow(entries: Entries, memory: Memory, least: float, mdl: bool) -> Grown:
    """A whole tree, not pruned: its nodes and class counts, level by level; items and weights of entries; their end."""
    n, n_classes = len(entries.weight), entries.hist.shape[1]
    items, weights = np.arange(n, dtype=np.int32), entries.weight.astype(np.float64)
    nodes, waiting = np.zeros((2, _COLUMNS * _SOME), dtype=np.int32)
    counts = np.zeros(n_classes * _SOME)
    counts[:n_classes] = np.bincount(entries.label, entries.weight, minlength=n_classes)
    room = branch_room(entries)
    n_nodes, nodes, counts, items, weights, end = _grow(
        entries, ways_of(entries), memory, least, mdl, items, weights, nodes, counts, waiting, *room
    )
    nodes, counts = nodes[: _COLUMNS * n_nodes], counts[: n_classes * n_nodes]
    return nodes.reshape(n_nodes, _COLUMNS), counts.reshape(n_nodes, n_classes), items, weights, end


def branch_room(entries: Entries) -> tuple[np.ndarray, np.ndarray]:
    """Room for the entries and the share of each branch of a test."""
    return np.zeros(len(entries.met), dtype=np.int64), np.zeros(len(entries.met))


@compiled
def _grow(entries, ways, memory, least, mdl, items, weights, nodes, counts, waiting, sizes, shares):
    """A node is seven numbers in a row, its class counts one number for each class; `waiting` are those with rows."""
    label, n_classes, end = entries.label, entries.hist.shape[1], len(entries.weight)
    nodes[TEST], nodes[SIZE], nodes[ROW] = -1, end, 0 if memory.used[0] else _line(memory)
    place, n_waiting, n_nodes = 0, 1, np.int64(1)  # one kind of number: kernels are compiled anew for each mixture
    while place < n_waiting:
        node = waiting[place]
        place += 1
        here, total, most = _COLUMNS * node, 0.0, 0.0
        for c in range(n_classes * node, n_classes * (node + 1)):
            total += counts[c]
            most = max(most, counts[c])
        if total < 2 * least - SMALL or most >= total - SMALL:
            continue
        start, size = np.int64(nodes[here + START]), np.int64(nodes[here + SIZE])
        row = nodes[here + ROW]
        f, limit = choose(entries, memory, row, Stretch(items, weights, start, start + size), total, least, mdl)
        if f < 0:
            continue
        width, first = entries.levels[f] if limit < 0 else 2, n_nodes
        n_nodes += width
        nodes, counts = longer(nodes, _COLUMNS * n_nodes), longer(counts, n_classes * n_nodes)
        nodes[here + TEST], nodes[here + LIMIT], nodes[here + FIRST], nodes[here + WIDTH] = f, limit, first, width
        items, weights, end, at = part(ways, items, weights, end, start, size, f, limit, width, sizes, shares)
        branches = _branches(memory, row, f, width) if row >= 0 else -1
        _children(nodes, counts, n_classes, first, at, width, sizes, label, items, weights)
        waiting = longer(waiting, n_waiting + width)
        for b in range(width):
            if sizes[b] == 0:
                continue
            waiting[n_waiting] = first + b
            n_waiting += 1
            if branches >= 0 and shares[b] * total >= _MANY:
                if memory.nodes[branches + b] < 0:
                    memory.nodes[branches + b] = _line(memory)
                nodes[_COLUMNS * (first + b) + ROW] = memory.nodes[branches + b]
    return n_nodes, nodes, counts, items, weights, end
