# SPDX-License-Identifier: Apache-2.0
"""Branch and bound for the largest feature sets that may be published: AC-maximal sets.

S is feasible when every pattern of its items that a row has is contained in k rows; so is every subset of S.
A node of the search is (S, candidates, excluded): S is feasible and grows by candidates; a candidate that does not fit
never will again. Two items that some rows, but fewer than k, have together are in conflict: they exclude each other
whatever else is in S. The conflicts bound the size (of items that all exclude each other only one can join), and choose
the item to branch on: the one in most of them. An item that fits even S with all candidates fits every set below: a
candidate of this kind joins at once, an excluded item of this kind ends the node, for nothing below it is maximal.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from discreet.counting.bitmaps import lowest_bit, popcount
from discreet.foundation.compiled_kernels import compiled
from discreet.methods.containment.maximal_blocks import DONE, OUT_OF_BUDGET, STACK_FULL
from discreet.methods.containment.maximal_pool import floor_of, offer, precedes

_Data = namedtuple("_Data", "lines item_start item_rows weight persons k")  # the rows as bits, and by item
_Room = namedtuple("_Room", "own first group table counted todo joint work")  # scratch space of the kernels


@compiled
def conflicts(row_start, row_items, item_start, item_rows, weight, persons, k):
    """For each item the items that some, but fewer than k, have together with it."""
    n_items = len(item_start) - 1
    in_conflict = np.zeros((n_items, (n_items + 63) // 64), dtype=np.uint64)
    count = np.zeros(n_items, dtype=np.int64)
    last = np.full(n_items, -1, dtype=np.int64)
    for item in range(n_items):
        count[:] = 0
        last[:] = -1
        for i in range(item_start[item], item_start[item + 1]):
            row = item_rows[i]
            for j in range(row_start[row], row_start[row + 1]):
                other = row_items[j]
                if len(persons) == 0:
                    count[other] += weight[row]
                elif last[other] != persons[row]:
                    last[other] = persons[row]
                    count[other] += 1
        for other in range(n_items):
            if other != item and 0 < count[other] < k:
                in_conflict[item, other >> 6] |= np.uint64(1) << np.uint64(other & 63)
    return in_conflict


@compiled
def _size(words):
    total = np.int64(0)
    for w in range(len(words)):
        total += np.int64(popcount(words[w]))
    return total


@compiled
def _list(words, out):
    n = 0
    for w in range(len(words)):
        rest = words[w]
        while rest:
            out[n] = w * 64 + np.int64(lowest_bit(rest))
            n += 1
            rest &= rest - np.uint64(1)
    return n


@compiled
def _contains(ours, theirs, S):
    w = 0
    while w < len(S) and not theirs[w] & S[w] & ~ours[w]:
        w += 1
    return w == len(S)


@compiled
def _contained(rows, S, lines, group, weight, persons, k, own, first, counted, work):
    """Is every pattern on S that one of these rows has contained in k of them? `group` numbers the patterns."""
    work[0] += 4 * len(rows)
    n_patterns = 0
    for row in rows:
        if own[group[row]] == 0:
            first[n_patterns] = row
            n_patterns += 1
        own[group[row]] += weight[row]
    fine = True
    for a in range(n_patterns - 1, -1, -1):
        mine = first[a]
        total = 0
        if len(persons):
            counted[0] += 1
            for row in rows:
                work[0] += 2
                if counted[1 + persons[row]] != counted[0] and _contains(lines[row], lines[mine], S):
                    counted[1 + persons[row]] = counted[0]
                    total += 1
                    if total >= k:
                        break
        else:
            total = own[group[mine]]
            b = 0
            while total < k and b < n_patterns:
                if b != a and _contains(lines[first[b]], lines[mine], S):
                    total += own[group[first[b]]]
                b += 1
            work[0] += 2 * b
        if total < k:
            fine = False
            break
    for a in range(n_patterns):
        own[group[first[a]]] = 0
    return fine


@compiled
def _fits(item, S, data, room):
    """Whether the item can join S: every pattern on S of the rows that have it is contained in k of them."""
    rows = data.item_rows[data.item_start[item] : data.item_start[item + 1]]
    return _contained(
        rows,
        S,
        data.lines,
        room.group,
        data.weight,
        data.persons,
        data.k,
        room.own,
        room.first,
        room.counted,
        room.work,
    )


@compiled
def _number(lines, S, table, group):
    """Number the patterns of the rows on S, by open addressing; `table` has a power of two of places."""
    mask = len(table) - 1
    for i in range(len(table)):
        table[i] = -1
    n_groups = 0
    for row in range(len(lines)):
        key = np.uint64(0)
        for w in range(len(S)):
            key = (key ^ (lines[row, w] & S[w])) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(29)
        place = np.int64(key >> np.uint64(8)) & mask
        while True:
            first = table[place]
            if first < 0:
                table[place] = row
                group[row] = n_groups
                n_groups += 1
                break
            w = 0
            while w < len(S) and (lines[first, w] ^ lines[row, w]) & S[w] == 0:
                w += 1
            if w == len(S):
                group[row] = group[first]
                break
            place = (place + 1) & mask


@compiled
def most_conflicts(candidates, against):
    """The candidate in conflict with most others, and how many cliques of conflicts cover the candidates."""
    pick = np.int64(-1)
    most = np.int64(0)
    bound = 0
    left_over = candidates.copy()
    clique = np.empty(len(candidates), dtype=np.uint64)
    for w in range(len(candidates)):
        rest = candidates[w]
        while rest:
            item = w * 64 + np.int64(lowest_bit(rest))
            rest &= rest - np.uint64(1)
            degree = np.int64(0)
            for v in range(len(candidates)):
                degree += np.int64(popcount(candidates[v] & against[item, v]))
            if degree > most:
                most = degree
                pick = item
            if not left_over[w] >> np.uint64(item & 63) & np.uint64(1):
                continue
            bound += 1
            left_over[w] &= ~(np.uint64(1) << np.uint64(item & 63))
            for v in range(len(candidates)):
                clique[v] = left_over[v] & against[item, v]
            v = 0
            while v < len(clique):
                if clique[v] == 0:
                    v += 1
                    continue
                other = v * 64 + np.int64(lowest_bit(clique[v]))
                left_over[v] &= ~(np.uint64(1) << np.uint64(other & 63))
                for u in range(len(clique)):
                    clique[u] &= against[other, u]
    return pick, bound


@compiled
def _room(n, n_items, n_words, persons):
    places = 1
    while places < 2 * n:
        places *= 2
    n_persons = persons.max() + 1 if len(persons) else 0
    return _Room(
        own=np.zeros(n, dtype=np.int64),
        first=np.empty(n, dtype=np.int64),
        group=np.empty(n, dtype=np.int64),
        table=np.empty(places, dtype=np.int64),
        counted=np.zeros(1 + n_persons, dtype=np.int64),
        todo=np.empty(n_items, dtype=np.int64),
        joint=np.empty(n_words, dtype=np.uint64),
        work=np.zeros(1, dtype=np.int64),
    )


@compiled
def _group_rows(S, data, room):
    _number(data.lines, S, room.table, room.group)
    room.work[0] += 8 * data.lines.shape[0] * len(S)


@compiled
def _drop_unfit(part, S, data, room):
    """Drop the items that do not fit S, and never will again."""
    todo = room.todo
    for i in range(_list(part, todo)):
        if not _fits(todo[i], S, data, room):
            part[todo[i] >> 6] &= ~(np.uint64(1) << np.uint64(todo[i] & 63))


@compiled
def _any_fits(part, S, data, room):
    n = _list(part, room.todo)
    i = 0
    while i < n and not _fits(room.todo[i], S, data, room):
        i += 1
    return i < n


@compiled
def _take_fitting(S, candidates, data, room):
    """Move candidates that fit even S with all candidates to S; returns the last of the others, or -1."""
    todo, last = room.todo, np.int64(-1)
    for i in range(_list(candidates, todo)):
        mark = np.uint64(1) << np.uint64(todo[i] & 63)
        if _fits(todo[i], room.joint, data, room):
            candidates[todo[i] >> 6] ^= mark
            S[todo[i] >> 6] |= mark
        else:
            last = todo[i]
    return last


@compiled
def _branch(sets, node, pick, against):
    """Put the node with the item on the stack above the node without it."""
    mark = np.uint64(1) << np.uint64(pick & 63)
    S, candidates, excluded = sets[node, 0], sets[node, 1], sets[node, 2]
    candidates[pick >> 6] &= ~mark
    for w in range(len(S)):
        sets[node + 1, 0, w] = S[w]
        sets[node + 1, 1, w] = candidates[w] & ~against[pick, w]
        sets[node + 1, 2, w] = excluded[w] & ~against[pick, w]
    sets[node + 1, 0, pick >> 6] |= mark
    excluded[pick >> 6] |= mark


@compiled
def explore(lines, item_start, item_rows, weight, persons, against, sets, fresh, top, k, pool, sizes, state, budget):
    """Work off the stack of nodes, sets[i] = (S, candidates, excluded).

    A node is fresh until its candidates and its excluded items were tried on S. Returns (status, nodes left, budget).
    """
    data = _Data(lines, item_start, item_rows, weight, persons, k)
    n_items = len(item_start) - 1
    room = _room(len(lines), n_items, sets.shape[2], persons)
    todo, joint, work = room.todo, room.joint, room.work
    while top > 0:
        budget -= work[0]
        work[0] = 0
        if budget <= 0:
            return OUT_OF_BUDGET, top, budget
        if top == len(sets):
            return STACK_FULL, top, budget
        node = top - 1
        top = node
        S, candidates, excluded = sets[node, 0], sets[node, 1], sets[node, 2]
        floor = floor_of(sizes, state)
        work[0] += 100 + 4 * n_items
        if _size(S) + _size(candidates) < floor:
            continue
        if fresh[node]:
            fresh[node] = False
            _group_rows(S, data, room)
            _drop_unfit(candidates, S, data, room)
            _drop_unfit(excluded, S, data, room)
        for w in range(len(S)):
            joint[w] = S[w] | candidates[w]
        size = _list(joint, todo)
        if size < floor or (size == floor and not precedes(todo, size, pool, sizes, state)):
            continue
        work[0] += 2 * size * len(S)
        pick, bound = most_conflicts(candidates, against)
        if _size(S) + bound < floor:
            continue
        _group_rows(joint, data, room)
        if _any_fits(excluded, joint, data, room):
            continue
        last = _take_fitting(S, candidates, data, room)
        if last < 0:  # all fit together, and nothing excluded joins them
            offer(todo, _list(S, todo), pool, sizes, state)
            continue
        _branch(sets, node, pick if pick >= 0 else last, against)
        fresh[node + 1] = True
        top = node + 2
    return DONE, 0, budget
