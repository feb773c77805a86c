# SPDX-License-Identifier: Apache-2.0
"""Leaves of a tree of cuts that are published alike, and so are one group, though each has what a group needs.

Together they have it, too, where rows are counted. Where persons are counted they may not: a person with rows in two
leaves is one person in the group, so the counts of its values are less than the sums. Then the cuts that part these
leaves are taken back, as far as the node above all of them, which had what it needs before it was cut.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.methods.group_needs import GroupNeeds
from discreet.methods.trees.cut_partition import CutTree
from discreet.recoding.plan import Recode


def cut_back(cuts: CutTree, label: Callable[[CutTree], Recode], needs: GroupNeeds) -> tuple[CutTree, Recode]:
    """The tree with fewer cuts, and its plan, so that all that is published alike has what a group needs together.

    `needs` are asked of sets of the rows that were parted, without those of a population, which follow them.
    """
    while True:
        plan = label(cuts)
        group_of_leaf = plan.alike
        several = np.bincount(group_of_leaf) > 1
        short = several & ~needs.met(group_of_leaf[cuts.leaf_of[: len(needs.rows)]], len(several))
        if not short.any():
            return cuts, plan
        leaves = [np.flatnonzero(group_of_leaf == one) for one in np.flatnonzero(short)]
        cuts = _pruned(cuts, _nodes_above(cuts, leaves))


def _nodes_above(cuts: CutTree, sets_of_leaves: list[np.ndarray]) -> np.ndarray:
    """For each set of leaves, the lowest node above all of them."""
    parent = np.full(len(cuts.column), -1)
    inner = np.flatnonzero(cuts.column >= 0)
    parent[cuts.left[inner]] = parent[cuts.left[inner] + 1] = inner
    node_of_leaf = np.empty(len(cuts.column) - len(inner), dtype=np.int64)
    outer = np.flatnonzero(cuts.column < 0)
    node_of_leaf[cuts.left[outer]] = outer
    found = []
    for leaves in sets_of_leaves:
        nodes = set(node_of_leaf[leaves].tolist())
        while len(nodes) > 1:  # children have higher numbers than their parent
            last = max(nodes)
            nodes.remove(last)
            nodes.add(int(parent[last]))
        found.append(nodes.pop())
    return np.array(found)


def _pruned(cuts: CutTree, nodes: np.ndarray) -> CutTree:
    """The tree in which these nodes are leaves."""
    n = len(cuts.column)
    column = cuts.column.copy()
    column[nodes] = -1
    top = np.arange(n)  # the node of the new tree that holds what the old one held
    is_kept = np.ones(n, dtype=bool)
    for node in range(n):  # children come after their parent
        if cuts.column[node] >= 0 and (column[node] < 0 or not is_kept[node]):
            children = slice(cuts.left[node], cuts.left[node] + 2)
            is_kept[children], top[children] = False, top[node]
    number = np.cumsum(is_kept) - 1
    is_leaf = column[is_kept] < 0
    new_leaf = np.cumsum(is_leaf) - 1
    left = np.where(is_leaf, new_leaf, number[np.where(is_leaf, 0, cuts.left[is_kept])])
    old = np.flatnonzero(cuts.column < 0)
    leaf_of_old = np.empty(len(old), dtype=np.int32)
    leaf_of_old[cuts.left[old]] = new_leaf[number[top[old]]]
    ends, above, below, begins = (
        np.where(is_leaf, -1, line[is_kept]) for line in (cuts.ends, cuts.above, cuts.below, cuts.begins)
    )
    leaf_of = leaf_of_old[cuts.leaf_of]
    return CutTree(column[is_kept], ends, above, below, begins, left.astype(np.int32), leaf_of)
