# SPDX-License-Identifier: Apache-2.0
"""A way to make a release: bins, a tree on them, or none, and the climb in its leaves.

least       persons in every set that stays in the climb; k or more
trust       rows on both sides of every cut of the tree; no fewer
ahead       whether the tree is grown with look-ahead
strictness  of its pruning; None for no tree: everybody is in one leaf
most        bins that a column has at most
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.counting.coded_rows import DistinctRows
from discreet.methods.trees.tree_ladder_climb import Met, climb, spans
from discreet.methods.trees.tree_ladder_growth import ClassTree
from discreet.methods.trees.tree_ladder_rungs import Ladder


@dataclass(frozen=True)
class Way:
    """See above."""

    least: int
    trust: int
    ahead: bool
    strictness: float | None
    most: int


@dataclass(frozen=True, eq=False)
class Parted:
    """Distinct rows with the leaf, the rungs and the span of bins that each is published with."""

    leaf: np.ndarray
    rungs: np.ndarray
    first: np.ndarray
    last: np.ndarray

    @classmethod
    def of(
        cls,
        rows: DistinctRows,
        ladders: Sequence[Ladder],
        tree: tuple[ClassTree, np.ndarray] | None,
        steps: Sequence[int],
        met: Met,
    ) -> Parted:
        """Part the rows by the tree and the nodes that stand for its nodes, and climb within the leaves."""
        if tree is None:
            leaf = np.zeros(len(rows), dtype=np.int64)
            low, high = np.zeros((1, len(ladders)), dtype=np.int64), np.array([[lad.n_bins - 1 for lad in ladders]])
        else:
            leaf, low, high = leaves(rows, *tree, met)
        rungs = climb(rows, ladders, steps, leaf, met)
        return cls(leaf, rungs, *spans(rows.codes, ladders, leaf, rungs, low, high))

    @cached_property
    def labels(self) -> np.ndarray:
        """A number for each label of each column."""
        return self.first.astype(np.int64) * (int(self.last.max(initial=0)) + 1) + self.last


def leaves(
    rows: DistinctRows, tree: ClassTree, stands: np.ndarray, met: Met
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The leaf of each distinct row, and each leaf's first and last bins.

    A cut is made where both sides may be published; where one of them may not (rows can be many where persons are few)
    the node stays whole. What a group needs holds for a node if it holds for all below it, so nothing is missed by
    asking from the root down.
    """
    at, inside = np.zeros(len(rows), dtype=np.int64), np.arange(len(rows))
    while len(inside):
        inside = inside[(tree.left[at[inside]] >= 0) & (stands[at[inside]] != at[inside])]
        node = at[inside]
        below = tree.left[node] + (rows.codes[inside, tree.column[node]] > tree.cut[node])
        nodes, of = np.unique(below, return_inverse=True)
        refused = nodes[~met(of.ravel(), len(nodes), inside)]
        cut = ~np.isin(tree.left[node], np.concatenate([refused, refused - 1]))
        inside, below = inside[cut], below[cut]
        at[inside] = below
    nodes, leaf = np.unique(at, return_inverse=True)
    return leaf.ravel(), tree.low[nodes], tree.high[nodes]
