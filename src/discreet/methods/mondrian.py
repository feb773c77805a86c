# SPDX-License-Identifier: Apache-2.0
"""Mondrian: cut the table in two, again and again, while both sides keep k persons.

Papers: LeFevre, DeWitt, Ramakrishnan, "Mondrian Multidimensional k-Anonymity" (strict partitioning, median cuts) and
"Workload-Aware Anonymization" (cuts of least class entropy).
Departures from the papers:
1. Cuts run on distinct rows with counts, so the work depends on them, not on the rows.
2. The median cut is the one that parts the persons most evenly, when that one keeps k on both sides; a median value
   that many rows share would otherwise forbid any cut of the column.
3. Numbers are published as the interval between cuts, not as the smallest and largest value of the group, so that
   new rows can be recoded and no group prints the value of its outermost member; categories as the set that occurs.
4. A category that fewer than k persons have is never named: all such values together are called "other".
5. Missing is a value, placed after the largest.
6. split="information" falls back on the median cut where no cut tells more about the class.
"""

from __future__ import annotations

from numbers import Integral
from typing import ClassVar

import numba
import numpy as np

from discreet.axis import Axis, recode
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.methods.base import Decision, Method
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.parameters import Interval, StrOptions
from discreet.privacy.base import Promise
from discreet.privacy.k_anonymity import KAnonymity
from discreet.randomness import Randomness
from discreet.tally import group, tally


class Mondrian(Method):
    """Generalise the quasi-identifiers until every combination is shared by k persons, each region by itself.

    Parameters
    ----------
    k : int in [2, inf)
    split : "median" or "information"
        "median" halves the group along its widest column; "information" takes the cut that tells most about the target.
    max_suppressed : float, dict or None
        At most this share of the quasi-identifier cells may be suppressed, or there is no release. A dict limits
        "cells", "rows" (left out, or suppressed in all quasi-identifiers) or both.
    random_state : int or None
        Only the order of the released rows is random.

    Promise
    -------
    KAnonymity(k) on the quasi-identifiers, counted in persons when the roles name a person column.

    Examples
    --------
    >>> table = {"age": [21, 22, 23, 61, 62, 63], "sex": ["f", "m", "f", "m", "f", "m"], "y": [0, 0, 0, 1, 1, 1]}
    >>> release = Mondrian(k=3).release(table, Roles(target="y", quasi=["age", "sex"]))
    >>> sorted(set(release.data.column("age").to_pylist()))
    ['< 42', '>= 42']
    """

    name = "mondrian"
    _parameter_constraints: ClassVar[dict] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "split": [StrOptions({"median", "information"})],
        "max_suppressed": MAX_SUPPRESSED,
        "random_state": [Integral, None],
    }

    def __init__(self, k=5, *, split="median", max_suppressed=None, random_state=None):
        self.k = k
        self.split = split
        self.max_suppressed = max_suppressed
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KAnonymity(self.k)

    def _plan(self, table: Table, roles: Roles, randomness: Randomness) -> Decision:
        by_class = roles.target if self.split == "information" else None
        axes = [Axis.of(table, name, rarest=self.k, person=roles.person, by_class=by_class) for name in roles.quasi]
        counted = tally(table, roles.quasi, target=roles.target)
        ranks = np.column_stack([axis.rank_of_code[counted.codes[:, i]] for i, axis in enumerate(axes)])
        column, below, above, left, leaf_of = partition(
            ranks.astype(np.int64),
            counted.counts.astype(np.int64),
            *_persons(counted.group_of_row, table, roles),
            _stack([axis.position for axis in axes]),
            self.k,
            self.split == "information",
        )
        cut = np.array([axes[c].cut(b, a) if c >= 0 else 0.0 for c, b, a in zip(column, below, above, strict=True)])
        plan = recode(axes, ranks, leaf_of, column, cut, left)
        trace: list[dict] = [{"groups": int((column < 0).sum())}]
        trace += [{"column": axis.name, "cuts": int((column == i).sum())} for i, axis in enumerate(axes)]
        return Decision(plan, trace)


def _stack(positions: list[np.ndarray]) -> np.ndarray:
    longest = max(map(len, positions))
    return np.column_stack([np.pad(position, (0, longest - len(position))) for position in positions])


def _persons(groups: np.ndarray | None, table: Table, roles: Roles) -> tuple[np.ndarray, np.ndarray]:
    """The persons of each distinct row, as starts and numbers; nothing when every row is a person."""
    if roles.person is None or groups is None:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    codes = table.column(roles.person).codes.astype(np.int64)
    _, first = group([groups, codes], len(groups))  # each person once per distinct row, in the order of the rows
    starts = np.concatenate([[0], np.cumsum(np.bincount(groups[first]))])
    return starts.astype(np.int64), codes[first]


def partition(
    ranks: np.ndarray,
    counts: np.ndarray,
    starts: np.ndarray,
    persons: np.ndarray,
    position: np.ndarray,
    k: int,
    by_information: bool,
) -> tuple[np.ndarray, ...]:
    """Cut until no cut keeps k on both sides.

    Returns, per node, the column it cuts (-1 at a leaf), the ranks just below and above the cut, and its left child
    (the right one follows it) or the number of the leaf; and the leaf of each distinct row.
    """
    n = len(ranks)
    tree = np.zeros((4, 2 * n), dtype=np.int64)
    tree[0] = -1
    leaf_of = np.empty(n, dtype=np.int64)
    n_persons = int(persons.max()) + 1 if len(persons) else 0
    n_nodes = _partition(
        np.ascontiguousarray(ranks), counts, starts, persons, n_persons, position, k, by_information, *tree, leaf_of
    )
    return (*tree[:, :n_nodes], leaf_of)


_TELLING, _EVEN, _FOUND = 0, 1, 2  # what a node is looked at for

# The kernels use scalars, loops and np.empty of whole numbers only: what NumPy offers beyond that takes numba longer to
# compile than all of this together. Arrays that a loop would replace or slice cost a reference count at each turn.


@numba.njit(cache=True, nogil=True)
def _partition(
    ranks, counts, starts, persons, n_persons, position, k, by_information, column, below, above, left, leaf_of
):
    n, n_columns = ranks.shape
    rows = np.empty(n, dtype=np.int64)  # distinct rows, those of a node side by side
    for row in range(n):
        rows[row] = row
    spare = np.empty(n, dtype=np.int64)
    low = np.empty(n_columns, dtype=np.int64)
    high = np.empty(n_columns, dtype=np.int64)
    is_open = np.empty(n_columns, dtype=np.int64)
    before = np.empty(n + 1, dtype=np.int64)  # persons among a node's first i rows
    after = np.empty(n + 1, dtype=np.int64)  # and among the others
    seen = np.empty(n_persons, dtype=np.int64)
    last = np.empty(n_persons, dtype=np.int64)
    for person in range(n_persons):
        seen[person] = -1
    in_all = np.empty(counts.shape[1], dtype=np.int64)
    on_left = np.empty(counts.shape[1], dtype=np.int64)
    room = np.empty(256, dtype=np.int64)
    stack = np.empty(3 * n, dtype=np.int64)  # node, start and stop of its rows
    stack[0], stack[1], stack[2] = 0, 0, n
    waiting, n_nodes, n_leaves, asked = 1, 1, 0, 0
    while waiting > 0:
        waiting -= 1
        node, start, stop = stack[3 * waiting], stack[3 * waiting + 1], stack[3 * waiting + 2]
        for c in range(n_columns):
            low[c] = high[c] = ranks[rows[start], c]
        for i in range(start + 1, stop):
            for c in range(n_columns):
                rank = ranks[rows[i], c]
                low[c] = min(low[c], rank)
                high[c] = max(high[c], rank)
        best_column, best_place, best_gain = -1, 0, 1e-9
        for c in range(n_columns):
            is_open[c] = low[c] < high[c]
        looking = _TELLING if by_information else _EVEN
        c = -1
        while True:  # one loop for both kinds of cut: each place that calls a kernel compiles it again
            if looking == _TELLING:
                c += 1
                if c == n_columns:
                    c = best_column
                    looking = _FOUND if best_column >= 0 else _EVEN
            if looking == _EVEN:
                c = _widest(low, high, position, is_open)
                if c < 0:
                    break
                is_open[c] = 0
            if low[c] == high[c]:
                continue
            _sort(rows, start, stop, ranks, c, low[c], high[c], spare, room)
            if looking == _FOUND:
                break
            asked += 1
            _count(rows, start, stop, counts, starts, persons, seen, last, asked, before, after)
            if looking == _TELLING:
                place, gain = _telling_cut(rows, start, stop, ranks, c, counts, before, after, k, in_all, on_left)
                if place > 0 and gain > best_gain:
                    best_column, best_place, best_gain = c, place, gain + 1e-9
            else:
                best_place = _even_cut(rows, start, stop, ranks, c, before, after, k)
                if best_place > 0:
                    best_column = c
                    break
        if best_column < 0:
            left[node] = n_leaves
            for i in range(start, stop):
                leaf_of[rows[i]] = n_leaves
            n_leaves += 1
            continue
        middle = start + best_place
        column[node] = c
        below[node] = ranks[rows[middle - 1], c]
        above[node] = ranks[rows[middle], c]
        left[node] = n_nodes
        for child, first, end in ((n_nodes + 1, middle, stop), (n_nodes, start, middle)):
            stack[3 * waiting], stack[3 * waiting + 1], stack[3 * waiting + 2] = child, first, end
            waiting += 1
        n_nodes += 2
    return n_nodes


@numba.njit(cache=True, nogil=True)
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


@numba.njit(cache=True, nogil=True)
def _widest(low, high, position, is_open):
    """The open column with the longest range, the lowest of equals; -1 when none is open."""
    widest, width = -1, 0.0
    for c in range(len(low)):
        if is_open[c]:
            span = position[high[c], c] - position[low[c], c]
            if widest < 0 or span > width:
                widest, width = c, span
    return widest


@numba.njit(cache=True, nogil=True)
def _count(rows, start, stop, counts, starts, persons, seen, last, asked, before, after):
    """Persons among the first i rows and among the rest, for every i."""
    n = stop - start
    before[0] = 0
    if len(starts) == 0:
        for i in range(n):
            total = 0
            for label in range(counts.shape[1]):
                total += counts[rows[start + i], label]
            before[i + 1] = before[i] + total
        for i in range(n + 1):
            after[i] = before[n] - before[i]
        return
    for i in range(n):
        for p in range(starts[rows[start + i]], starts[rows[start + i] + 1]):
            last[persons[p]] = i
    after[0] = 0  # at first those who are not met again
    for i in range(n):
        before[i + 1] = before[i]
        after[i + 1] = after[i]
        for p in range(starts[rows[start + i]], starts[rows[start + i] + 1]):
            if seen[persons[p]] != asked:
                seen[persons[p]] = asked
                before[i + 1] += 1
            if last[persons[p]] == i:
                last[persons[p]] = -1
                after[i + 1] += 1
    for i in range(n + 1):
        after[i] = before[n] - after[i]


@numba.njit(cache=True, nogil=True)
def _even_cut(rows, start, stop, ranks, c, before, after, k):
    """Where to cut so that both sides keep k and are as equal as can be; 0 for nowhere."""
    best, least = 0, 0
    for i in range(1, stop - start):
        if before[i] >= k and after[i] >= k and ranks[rows[start + i], c] != ranks[rows[start + i - 1], c]:
            difference = abs(before[i] - after[i])
            if best == 0 or difference < least:
                best, least = i, difference
    return best


@numba.njit(cache=True, nogil=True)
def _telling_cut(rows, start, stop, ranks, c, counts, before, after, k, in_all, on_left):
    """Where to cut so that both sides keep k and the class entropy falls most; and by how much, times the rows."""
    n_classes = counts.shape[1]
    for label in range(n_classes):
        in_all[label] = on_left[label] = 0
    for i in range(start, stop):
        for label in range(n_classes):
            in_all[label] += counts[rows[i], label]
    whole = _entropy(in_all, on_left)
    best, best_gain = 0, -1.0
    for i in range(1, stop - start):
        for label in range(n_classes):
            on_left[label] += counts[rows[start + i - 1], label]
        if before[i] >= k and after[i] >= k and ranks[rows[start + i], c] != ranks[rows[start + i - 1], c]:
            gain = whole - _entropy(in_all, on_left)
            if gain > best_gain + 1e-9:
                best, best_gain = i, gain
    return best, best_gain


@numba.njit(cache=True, nogil=True)
def _entropy(in_all, on_left):
    """Entropy of the class on the left and on the right in bits, each times its rows."""
    bits = 0.0
    left = right = 0
    for label in range(len(in_all)):
        here, there = on_left[label], in_all[label] - on_left[label]
        left += here
        right += there
        if here > 0:
            bits -= here * np.log2(here)
        if there > 0:
            bits -= there * np.log2(there)
    if left > 0:
        bits += left * np.log2(left)
    if right > 0:
        bits += right * np.log2(right)
    return bits
