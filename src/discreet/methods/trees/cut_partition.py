# SPDX-License-Identifier: Apache-2.0
"""Mondrian's recursive partitioning: cut the rows of a group in two while both sides keep what is required. TreeLadder
cuts so, too, where more is required than persons.

Requirements are counted in keys: k different persons, l different values of a sensitive column. Each line of `starts`
says where the keys of the rows begin in `keys`; without keys for persons, every row is a person. Persons of a
population may have rows of their own, which count for no class (mondrian_population.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.foundation.compiled_kernels import compiled
from discreet.methods.trees.cut_halving import halve
from discreet.methods.trees.cut_needs import SideNeeds, sides_meet
from discreet.methods.trees.cut_telling import telling_cut


@dataclass(frozen=True)
class Need:
    """So many different keys on each side of a cut; `keys` are (row, key) in the rows' order, None for rows as keys."""

    least: int
    keys: tuple[np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True)
class CutTree:
    """The tree of cuts, a line of each array per node.

    column       that is cut, -1 at a leaf
    ends, above  the last rank on the left, and the next one above it among the rows of the node, -1 for none
    below, begins  the rank below the first on the right, -1 for none, and that first one
    left         the left child (the right one follows it), or the number of the leaf
    leaf_of      the leaf of each row

    A cut between two ranks has ends = below and above = begins. A rank that both sides share is both `ends` and
    `begins`.
    """

    column: np.ndarray
    ends: np.ndarray
    above: np.ndarray
    below: np.ndarray
    begins: np.ndarray
    left: np.ndarray
    leaf_of: np.ndarray


def partition(
    ranks: np.ndarray,
    counts: np.ndarray,
    needs: Sequence[Need],
    position: np.ndarray,
    *,
    by_information: bool,
    relaxed: bool = False,
    in_turn: bool = False,
    cut_before: np.ndarray | None = None,
    sides: SideNeeds | None = None,
) -> CutTree:
    """Cut until no cut leaves both sides what they need; the first of the needs is the one that is parted evenly.

    `ranks`, whose lines change places here, and `counts` are of the rows to part; counts of no class are one each, for
    median cuts of rows alone, which leave the lines of a leaf side by side, in the order of the leaves. Relaxed, rows
    of equal rank may go to different sides, in the order they have. A cut at the median is one of the widest column,
    or, `in_turn`, of the column that was cut least often on the way, from `cut_before` times on. `sides` are needs that
    are no number of keys.
    """
    n = len(ranks)
    n_columns, n_classes = ranks.shape[1], counts.shape[1]
    n_nodes = _most_nodes(counts, needs[0])
    times = np.zeros((n_nodes if in_turn else 0, n_columns), dtype=np.int32)
    if in_turn and cut_before is not None:
        times[0] = cut_before
    leaf_of = np.empty(n, dtype=np.int32)
    ranks = np.ascontiguousarray(ranks, dtype=np.int32)
    if len(needs) == 1 and needs[0].keys is None and not (by_information or relaxed or sides is not None):
        column, ends, begins, left = np.empty((4, n_nodes), dtype=np.int32)  # what is not written takes no memory
        weight = counts.sum(axis=1) if counts.shape[1] > 0 else np.empty(0, dtype=np.int64)
        n_nodes = halve(ranks, weight, needs[0].least, position, times, column, ends, begins, left, leaf_of)
        column, ends, begins, left = (line[:n_nodes] for line in (column, ends, begins, left))
        return CutTree(column, ends, begins, ends, begins, left, leaf_of)
    tree = np.full((6, n_nodes), -1, dtype=np.int32)
    starts = np.zeros((len(needs), n + 1), dtype=np.int64)
    keys: list[np.ndarray] = [np.empty(0, dtype=np.int64)]
    n_keys = 0
    for line, need in enumerate(needs):
        if need.keys is not None:
            row, key = need.keys
            starts[line, 1:] = np.cumsum(np.bincount(row, minlength=n))
            starts[line] += sum(map(len, keys))
            keys.append(key + n_keys)
            n_keys += int(key.max()) + 1
    limits = _Asked(
        ranks,
        counts.astype(np.int64),
        starts,
        np.concatenate(keys),
        np.array([need.least for need in needs], dtype=np.int64),
        needs[0].keys is None,
        position,
        by_information,
        relaxed,
    )
    low, high, is_open = np.empty((3, n_columns), dtype=np.int64)
    before, after, fits = np.empty((3, n + 1), dtype=np.int64)
    seen, last = np.full((2, n_keys), -1, dtype=np.int64)
    in_all, on_left = np.empty((2, n_classes), dtype=np.int64)
    spare, room = np.empty(n, dtype=np.int64), np.empty(256, dtype=np.int64)
    work = _Work(np.arange(n), low, high, is_open, before, after, fits, seen, last, in_all, on_left, spare, room)
    n_nodes = _partition(limits, work, sides, np.empty(3 * n_nodes, dtype=np.int64), times, *tree, leaf_of)
    column, ends, above, below, begins, left = tree[:, :n_nodes]
    return CutTree(column, ends, above, below, begins, left, leaf_of)


def stacked(positions: Sequence[np.ndarray]) -> np.ndarray:
    """The positions of all columns side by side."""
    longest = max(map(len, positions))
    return np.column_stack([np.pad(position, (0, longest - len(position))) for position in positions])


def _most_nodes(counts: np.ndarray, need: Need) -> int:
    """Nodes that a tree can have: every leaf has a row, and the persons that are needed, unless there is one leaf."""
    rows = int(counts.sum()) if counts.shape[1] else len(counts)
    persons = rows if need.keys is None else len(need.keys[0])
    return 2 * max(1, min(len(counts), persons // max(need.least, 1)))


class _Asked(NamedTuple):
    """What is to be cut, and how; see `partition`. The keys of row r for need i lie from starts[i, r] on in `keys`."""

    ranks: np.ndarray
    counts: np.ndarray
    starts: np.ndarray
    keys: np.ndarray
    least: np.ndarray  # of each need
    by_rows: bool  # whether the first need counts rows, which have no keys
    position: np.ndarray
    by_information: bool
    relaxed: bool


class _Work(NamedTuple):
    """Room that the kernels write to, made once."""

    rows: np.ndarray  # all rows, those of a node side by side
    low: np.ndarray  # the least rank of the node in each column
    high: np.ndarray
    is_open: np.ndarray  # whether a column was not tried yet
    before: np.ndarray  # different keys among the first i rows of the node
    after: np.ndarray  # and among the others
    fits: np.ndarray  # whether both have what they need
    seen: np.ndarray  # by key: when it was last counted
    last: np.ndarray  # by key: the last row that has it
    in_all: np.ndarray  # rows of each class in the node
    on_left: np.ndarray
    spare: np.ndarray
    room: np.ndarray


_TELLING, _EVEN, _FOUND = 0, 1, 2  # what a node is looked at for

# The kernels use scalars, loops and np.empty of whole numbers only: what NumPy offers beyond that takes numba longer to
# compile than all of this together. Arrays that a loop would replace or slice cost a reference count at each turn.


@compiled
def _partition(limits, work, sides, stack, times, column, ends, above, below, begins, left, leaf_of):
    """Cut nodes until none can be cut; how many nodes there are. `stack` holds node, start and stop of its rows."""
    ranks, rows = limits.ranks, work.rows
    stack[0], stack[1], stack[2] = 0, 0, len(rows)
    waiting, n_nodes, n_leaves, count = 1, 1, 0, 0
    while waiting > 0:
        waiting -= 1
        node, start, stop = stack[3 * waiting], stack[3 * waiting + 1], stack[3 * waiting + 2]
        c, place, count = _best_cut(limits, work, sides, start, stop, times, node, count)
        if c < 0:
            left[node] = n_leaves
            for i in range(start, stop):
                leaf_of[rows[i]] = n_leaves
            n_leaves += 1
            continue
        middle = start + place
        column[node], left[node] = c, n_nodes
        ends[node], begins[node] = ranks[rows[middle - 1], c], ranks[rows[middle], c]
        above[node] = _next_rank(rows, middle, stop, 1, ranks, c, ends[node])
        below[node] = _next_rank(rows, middle - 1, start - 1, -1, ranks, c, begins[node])
        for i in range(times.shape[1] if len(times) > 0 else 0):
            times[n_nodes, i] = times[n_nodes + 1, i] = times[node, i] + (i == c)
        for child, first, end in ((n_nodes + 1, middle, stop), (n_nodes, start, middle)):
            stack[3 * waiting], stack[3 * waiting + 1], stack[3 * waiting + 2] = child, first, end
            waiting += 1
        n_nodes += 2
    return n_nodes


@compiled
def _next_rank(rows, i, end, step, ranks, c, rank):
    """The first rank from row i on, up or down, that differs from `rank`; -1 for none."""
    while i != end and ranks[rows[i], c] == rank:
        i += step
    return ranks[rows[i], c] if i != end else -1


@compiled
def _best_cut(limits, work, sides, start, stop, times, node, count):
    """The column to cut and how many rows lie left of the cut, sorted by it; column -1 for no cut.

    By information (Workload-Aware Anonymization): the cut of least class entropy over all columns. Else, and where no
    cut is informative (Mondrian): the median cut of the widest column that can be cut. `count` is a stamp for keys.
    """
    ranks, rows, low, high, is_open = limits.ranks, work.rows, work.low, work.high, work.is_open
    n_columns = ranks.shape[1]
    _find_ends(rows, start, stop, ranks, low, high, is_open)
    best_column, best_place, best_gain = -1, 0, 1e-9
    looking = _TELLING if limits.by_information else _EVEN
    c = -1
    while True:  # one loop for both kinds of cut: each place that calls a kernel compiles it again
        if looking == _TELLING:
            c += 1
            if c == n_columns:
                c = best_column
                looking = _FOUND if best_column >= 0 else _EVEN
        if looking == _EVEN:
            c = _widest(low, high, limits.position, is_open, times, node)
            if c < 0:
                return -1, 0, count
            is_open[c] = 0
        if low[c] == high[c]:
            continue
        _sort(rows, start, stop, ranks, c, low[c], high[c], work.spare, work.room)
        if looking == _FOUND:
            return c, best_place, count
        count = _find_fits(limits, work, start, stop, count)
        if sides is not None:
            sides_meet(sides, rows, start, stop, ranks, c, limits.relaxed, work.fits)
        if looking == _TELLING:
            place, gain = telling_cut(rows, start, stop, ranks, c, limits.counts, work.fits, work.in_all, work.on_left)
            if place > 0 and gain > best_gain:
                best_column, best_place, best_gain = c, place, gain + 1e-9
        else:
            place = _even_cut(rows, start, stop, ranks, c, work.before, work.after, work.fits, limits.relaxed)
            if place > 0:
                return c, place, count


@compiled
def _find_ends(rows, start, stop, ranks, low, high, is_open):
    """The least and the largest rank of a node in each column; a column of one rank cannot be cut."""
    n_columns = len(low)
    for c in range(n_columns):
        low[c] = high[c] = ranks[rows[start], c]
    for i in range(start + 1, stop):
        for c in range(n_columns):
            rank = ranks[rows[i], c]
            low[c] = min(low[c], rank)
            high[c] = max(high[c], rank)
    for c in range(n_columns):
        is_open[c] = low[c] < high[c]


@compiled
def _find_fits(limits, work, start, stop, count):
    """Where both sides meet all requirements; `before` and `after` end with the counts of the first requirement."""
    before, after, fits, least = work.before, work.after, work.fits, limits.least
    for i in range(stop - start + 1):
        fits[i] = 1
    for need in range(len(least) - 1, -1, -1):
        count += 1
        _count(
            work.rows, start, stop, limits.counts, limits.starts, limits.keys, need, limits.by_rows and need == 0,
            work.seen, work.last, count, before, after,
        )  # fmt: skip
        for i in range(stop - start + 1):
            if before[i] < least[need] or after[i] < least[need]:
                fits[i] = 0
    return count


@compiled
def _sort(rows, start, stop, ranks, c, low, high, spare, room):
    """Put the rows from `start` to `stop` in the order of their ranks: few by insertion, many by the ranks' bytes."""
    if stop - start <= 32:
        for i in range(start + 1, stop):
            row = rows[i]
            rank = ranks[row, c]
            j = i
            while j > start and ranks[rows[j - 1], c] > rank:
                rows[j] = rows[j - 1]
                j -= 1
            rows[j] = row
        return
    shift = 0
    while (high - low) >> shift > 0:
        for byte in range(256):
            room[byte] = 0
        for i in range(start, stop):
            room[((ranks[rows[i], c] - low) >> shift) & 255] += 1
        end = start
        for byte in range(256):
            end += room[byte]
            room[byte] = end - room[byte]
        for i in range(start, stop):
            byte = ((ranks[rows[i], c] - low) >> shift) & 255
            spare[room[byte]] = rows[i]
            room[byte] += 1
        for i in range(start, stop):
            rows[i] = spare[i]
        shift += 8


@compiled
def _widest(low, high, position, is_open, times, node):
    """The open column of widest normalised range, ties to the lowest; -1 if none is open.

    With `times`, the column that was cut least often.
    """
    widest, width = -1, 0.0
    for c in range(len(low)):
        if is_open[c]:
            span = position[high[c], c] - position[low[c], c]
            if len(times) > 0:
                span = -1.0 * times[node, c]
            if widest < 0 or span > width:
                widest, width = c, span
    return widest


@compiled
def _count(rows, start, stop, counts, starts, keys, line, by_rows, seen, last, stamp, before, after):
    """Different keys among the first i rows and among the rest, for every i; or numbers of rows."""
    n = stop - start
    before[0] = 0
    if by_rows:
        for i in range(n):
            total = 0
            for label in range(counts.shape[1]):
                total += counts[rows[start + i], label]
            before[i + 1] = before[i] + total
        for i in range(n + 1):
            after[i] = before[n] - before[i]
        return
    for i in range(n):
        for p in range(starts[line, rows[start + i]], starts[line, rows[start + i] + 1]):
            last[keys[p]] = i
    after[0] = 0  # at first those who are not met again
    for i in range(n):
        before[i + 1] = before[i]
        after[i + 1] = after[i]
        for p in range(starts[line, rows[start + i]], starts[line, rows[start + i] + 1]):
            if seen[keys[p]] != stamp:
                seen[keys[p]] = stamp
                before[i + 1] += 1
            if last[keys[p]] == i:
                last[keys[p]] = -1
                after[i + 1] += 1
    for i in range(n + 1):
        after[i] = before[n] - after[i]


@compiled
def _even_cut(rows, start, stop, ranks, c, before, after, fits, relaxed):
    """Where to cut so that both sides have what they need and are as equal as can be; 0 for nowhere.

    Relaxed, the cut may fall among equal ranks; of equally even cuts one between ranks is taken.
    """
    best, least = 0, 0
    for i in range(1, stop - start):
        among = 1 if ranks[rows[start + i], c] == ranks[rows[start + i - 1], c] else 0
        if fits[i] and (relaxed or among == 0):
            difference = 2 * abs(before[i] - after[i]) + among
            if best == 0 or difference < least:
                best, least = i, difference
    return best
