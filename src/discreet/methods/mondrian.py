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
        "random_state": [Integral, None],
    }

    def __init__(self, k=5, *, split="median", random_state=None):
        self.k = k
        self.split = split
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return KAnonymity(self.k)

    def _plan(self, table: Table, roles: Roles, randomness: Randomness) -> Decision:
        by_class = roles.target if self.split == "information" else None
        axes = [Axis.of(table, name, rarest=self.k, person=roles.person, by_class=by_class) for name in roles.quasi]
        counted = tally(table, roles.quasi, target=roles.target)
        ranks = np.column_stack([axis.rank_of_code[counted.codes[:, i]] for i, axis in enumerate(axes)])
        column, below, above, left, leaf_of = _partition(
            ranks.astype(np.int32),
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


@numba.njit(cache=True, nogil=True)
def _partition(ranks, counts, starts, persons, position, k, by_information):
    """Cut until no cut keeps k on both sides.

    Returns, per node, the column it cuts (-1 at a leaf), the ranks just below and above the cut, and its left child
    (the right one follows it) or the number of the leaf; and the leaf of each distinct row.
    """
    n, n_columns = ranks.shape
    column = np.full(2 * n, -1, dtype=np.int64)
    below = np.zeros(2 * n, dtype=np.int64)
    above = np.zeros(2 * n, dtype=np.int64)
    left = np.zeros(2 * n, dtype=np.int64)
    leaf_of = np.empty(n, dtype=np.int64)
    rows = np.arange(n)  # distinct rows, those of a node side by side
    by_rank = np.empty(n, dtype=np.int64)
    room = np.zeros(int(ranks.max()) + 2, dtype=np.int64)
    seen = np.full(persons.max() + 1 if len(persons) else 1, -1, dtype=np.int64)
    last = np.zeros(len(seen), dtype=np.int64)
    stack = [(0, 0, n)]
    n_nodes = 1
    n_leaves = 0
    asked = 0
    while len(stack) > 0:
        node, start, stop = stack.pop()
        mine = rows[start:stop]
        low = ranks[mine[0]].copy()
        high = low.copy()
        for row in mine:
            for c in range(n_columns):
                low[c] = min(low[c], ranks[row, c])
                high[c] = max(high[c], ranks[row, c])
        best_column = -1
        best_place = 0
        if by_information:
            best = 0.0
            for c in range(n_columns):
                if low[c] < high[c]:
                    ordered = _by_rank(mine, ranks[:, c], low[c], high[c], by_rank, room)
                    asked += 1
                    place, gain = _telling_cut(ordered, ranks[:, c], counts, starts, persons, seen, last, asked, k)
                    if place > 0 and gain > best + 1e-9:
                        best_column, best_place, best = c, place, gain
        if best_column < 0:
            widths = np.empty(n_columns)
            for c in range(n_columns):
                widths[c] = position[high[c], c] - position[low[c], c] if low[c] < high[c] else -1.0
            for c in np.argsort(-widths, kind="mergesort"):  # widest first, ties to the lowest column
                if low[c] == high[c]:
                    continue
                ordered = _by_rank(mine, ranks[:, c], low[c], high[c], by_rank, room)
                asked += 1
                place = _even_cut(ordered, ranks[:, c], counts, starts, persons, seen, last, asked, k)
                if place > 0:
                    best_column, best_place = c, place
                    break
        if best_column < 0:
            left[node] = n_leaves
            for row in mine:
                leaf_of[row] = n_leaves
            n_leaves += 1
            continue
        c = best_column
        mine[:] = _by_rank(mine, ranks[:, c], low[c], high[c], by_rank, room)
        column[node] = c
        below[node] = ranks[mine[best_place - 1], c]
        above[node] = ranks[mine[best_place], c]
        left[node] = n_nodes
        stack.append((n_nodes + 1, start + best_place, stop))
        stack.append((n_nodes, start, start + best_place))
        n_nodes += 2
    return column[:n_nodes], below[:n_nodes], above[:n_nodes], left[:n_nodes], leaf_of


@numba.njit(cache=True, nogil=True)
def _by_rank(mine, rank, low, high, out, room):
    """The rows in increasing rank, rows of equal rank as they were: by counting where the ranks lie densely."""
    n = len(mine)
    if high - low > 4 * n + 64:
        return mine[np.argsort(rank[mine], kind="mergesort")]
    for row in mine:
        room[rank[row] - low + 1] += 1
    for r in range(high - low + 1):
        room[r + 1] += room[r]
    for row in mine:
        out[room[rank[row] - low]] = row
        room[rank[row] - low] += 1
    room[: high - low + 2] = 0
    return out[:n]


@numba.njit(cache=True, nogil=True)
def _sides(ordered, counts, starts, persons, seen, last, asked):
    """Persons among the first i rows and among the rest, for every i."""
    n = len(ordered)
    before = np.zeros(n + 1, dtype=np.int64)
    after = np.zeros(n + 1, dtype=np.int64)
    if len(starts) == 0:
        for i in range(n):
            before[i + 1] = before[i] + counts[ordered[i]].sum()
        for i in range(n + 1):
            after[i] = before[n] - before[i]
        return before, after
    for i in range(n):
        for p in range(starts[ordered[i]], starts[ordered[i] + 1]):
            last[persons[p]] = i
    gone = np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        before[i + 1] = before[i]
        gone[i + 1] = gone[i]
        for p in range(starts[ordered[i]], starts[ordered[i] + 1]):
            if seen[persons[p]] != asked:
                seen[persons[p]] = asked
                before[i + 1] += 1
            if last[persons[p]] == i:
                gone[i + 1] += 1
    for i in range(n + 1):
        after[i] = before[n] - gone[i]
    return before, after


@numba.njit(cache=True, nogil=True)
def _even_cut(ordered, rank, counts, starts, persons, seen, last, asked, k):
    """Where to cut so that both sides keep k and are as equal as can be; 0 for nowhere."""
    before, after = _sides(ordered, counts, starts, persons, seen, last, asked)
    best = 0
    for i in range(1, len(ordered)):
        allowed = rank[ordered[i]] != rank[ordered[i - 1]] and before[i] >= k and after[i] >= k
        if allowed and (best == 0 or abs(before[i] - after[i]) < abs(before[best] - after[best])):
            best = i
    return best


@numba.njit(cache=True, nogil=True)
def _telling_cut(ordered, rank, counts, starts, persons, seen, last, asked, k):
    """Where to cut so that both sides keep k and the class entropy falls most; and by how much, times the rows."""
    before, after = _sides(ordered, counts, starts, persons, seen, last, asked)
    n_classes = counts.shape[1]
    total = np.zeros(n_classes, dtype=np.int64)
    for row in ordered:
        total += counts[row]
    with_left = np.zeros(n_classes, dtype=np.int64)
    whole = _entropy(total)
    best = 0
    best_gain = -1.0
    for i in range(1, len(ordered)):
        with_left += counts[ordered[i - 1]]
        if rank[ordered[i]] != rank[ordered[i - 1]] and before[i] >= k and after[i] >= k:
            gain = whole - _entropy(with_left) - _entropy(total - with_left)
            if gain > best_gain + 1e-9:
                best, best_gain = i, gain
    return best, best_gain


@numba.njit(cache=True, nogil=True)
def _entropy(counts):
    """Entropy of the class in bits, times the rows."""
    total = 0
    bits = 0.0
    for count in counts:
        if count > 0:
            total += count
            bits -= count * np.log2(count)
    return bits + total * np.log2(total) if total > 0 else 0.0
