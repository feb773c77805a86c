# SPDX-License-Identifier: Apache-2.0
"""Find the absences that leave the fewest persons: a depth-first branch-and-bound search for one distinct row.

A node of the search is a set of picked absences. Each level holds the rows not yet ruled out, and the items that would
rule out somebody, those that rule out most first. An item whose branch was searched is not picked again in later
branches of its level. A level is abandoned when even the largest remaining losses cannot lower the count.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from discreet.foundation.compiled_kernels import compiled

# Of each level: the rows not ruled out and how many, their persons, the items to pick with the persons that each
# removes, how many items, and which one is picked; of each item: its loss, zero between calls, and whether its branch
# was searched; of each person the node that counted them last; how many nodes there were.
Levels = namedtuple("Levels", "alive n_alive count picks removes n_picks at loss tried counted_in node")


@compiled
def levels_of(n_rows, n_items, n_persons, repeat, m):
    """Empty levels for at most m absences."""
    return Levels(
        np.empty((m + 1, n_rows), dtype=np.int64),
        np.zeros(m + 1, dtype=np.int64),
        np.zeros(m + 1, dtype=np.int64),
        np.empty((m, n_items), dtype=np.int64),
        np.empty((m, n_items), dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.zeros(m, dtype=np.int64),
        np.zeros(n_items, dtype=np.int64),
        np.zeros(n_items, dtype=np.bool_),
        np.full(n_persons if repeat else 1, -1, dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@compiled
def fewest_after(p, enough, sets, people, wanted_by, levels, m, effort):
    """Persons left after the worst m absences, exact below `enough`; and whether the search was given up.

    `levels.alive[0]` are the rows that contain row p, whose items are marked in `wanted_by`. A search that is given up
    returns a lower bound: m absences remove at most the m largest losses of single ones.
    """
    best, looked = _open(0, p, sets, people, wanted_by, levels, m)
    bound = max(_least(0, levels, m), people.start[p + 1] - people.start[p])  # equals of p cannot be ruled out
    depth = 0
    while depth >= 0:
        finished = depth == m or levels.at[depth] == levels.n_picks[depth]
        if finished or _least(depth, levels, m) >= min(best, enough):
            depth = _leave(depth, levels, m)
            continue
        looked += levels.n_alive[depth]
        _rule_out(levels.picks[depth, levels.at[depth]], depth, sets, levels)
        depth += 1
        if looked > effort:
            for level in range(min(depth, m)):
                _forget(level, levels)
            return min(best, bound), True
        fewest, more = _open(depth, p, sets, people, wanted_by, levels, m)
        best, looked = min(best, fewest), looked + more
    return best, False


@compiled
def _open(depth, p, sets, people, wanted_by, levels, m):
    """Count the persons left and the loss by each further absence; return an upper bound, and the cells visited."""
    levels.node[0] += 1
    total, n_picks, looked = 0, 0, 0
    for a in range(levels.n_alive[depth]):
        q = levels.alive[depth, a]
        weight = _new_persons(q, people, levels)
        total += weight
        if depth == m or weight == 0:  # already counted persons are removed only with another row of theirs
            continue
        looked += sets.row_start[q + 1] - sets.row_start[q]
        for i in range(sets.row_start[q], sets.row_start[q + 1]):
            item = sets.row_items[i]
            if wanted_by[item] != p and not levels.tried[item]:
                if levels.loss[item] == 0:
                    levels.picks[depth, n_picks] = item
                    n_picks += 1
                levels.loss[item] += weight
    levels.count[depth] = total
    if depth == m:
        return total, looked
    _order(depth, n_picks, levels)
    if depth == m - 1 and not people.repeat and n_picks > 0:  # the last absence: take the largest loss
        levels.n_picks[depth] = 0
        return total - levels.removes[depth, 0], looked
    return total, looked


@compiled
def _new_persons(q, people, levels):
    """Persons behind row q that the node has not counted yet."""
    if not people.repeat:
        return people.start[q + 1] - people.start[q]
    weight = 0
    for i in range(people.start[q], people.start[q + 1]):
        if levels.counted_in[people.persons[i]] != levels.node[0]:
            levels.counted_in[people.persons[i]] = levels.node[0]
            weight += 1
    return weight


@compiled
def _order(depth, n_picks, levels):
    """Sort the items to pick by decreasing loss, and reset the losses."""
    items = levels.picks[depth, :n_picks].copy()
    losses = levels.loss[items]
    by_loss = np.argsort(-losses)
    for t in range(n_picks):
        levels.picks[depth, t] = items[by_loss[t]]
        levels.removes[depth, t] = losses[by_loss[t]]
        levels.loss[items[t]] = 0
    levels.n_picks[depth], levels.at[depth] = n_picks, 0


@compiled
def _least(depth, levels, m):
    """A lower bound for all further picks: the count minus the largest remaining losses."""
    least = levels.count[depth]
    for t in range(levels.at[depth], min(levels.at[depth] + m - depth, levels.n_picks[depth])):
        least -= levels.removes[depth, t]
    return least


@compiled
def _rule_out(item, depth, sets, levels):
    """Pass the rows that lack the item on to the next level."""
    n_alive = 0
    for a in range(levels.n_alive[depth]):
        q = levels.alive[depth, a]
        has = False
        for i in range(sets.row_start[q], sets.row_start[q + 1]):
            if sets.row_items[i] >= item:
                has = sets.row_items[i] == item
                break
        if not has:
            levels.alive[depth + 1, n_alive] = q
            n_alive += 1
    levels.n_alive[depth + 1] = n_alive


@compiled
def _leave(depth, levels, m):
    """Return to the level above, whose pick is done; its number, -1 above the first."""
    if depth < m:
        _forget(depth, levels)
    above = depth - 1
    if above >= 0:
        levels.tried[levels.picks[above, levels.at[above]]] = True
        levels.at[above] += 1
    return above


@compiled
def _forget(depth, levels):
    """Allow the items searched on this level to be picked again."""
    for t in range(levels.at[depth]):
        levels.tried[levels.picks[depth, t]] = False
