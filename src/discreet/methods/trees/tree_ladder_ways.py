# SPDX-License-Identifier: Apache-2.0
"""A way to make a release, and what it makes of the rows: bins, a tree on them or none, and the climb in its leaves.

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
from typing import Any, NamedTuple

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows
from discreet.counting.entropy import entropy
from discreet.methods.trees.label_worth import LabelWorth, detail_kept
from discreet.methods.trees.tree_ladder_blank import blank_columns, revive
from discreet.methods.trees.tree_ladder_climb import Met, climb, spans, steps_of
from discreet.methods.trees.tree_ladder_growth import ClassTree, grow
from discreet.methods.trees.tree_ladder_rungs import Ladder


@dataclass(frozen=True)
class Way:
    """See above."""

    least: int
    trust: int
    ahead: bool
    strictness: float | None
    most: int

    def __str__(self) -> str:
        below = f"{self.most} bins, sets of {self.least} persons"
        if self.strictness is None:
            return f"no tree, {below}"
        grown = "that looks ahead" if self.ahead else "of greedy cuts"
        pruned = f", pruned at {self.strictness}" if self.strictness else ""
        return f"a tree {grown}{pruned}, {self.trust} rows at each side of a cut, {below}"


class Leaves(NamedTuple):
    """The group of each distinct row, and the first and last bins of each group."""

    leaf: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True, eq=False)
class Parted:
    """Distinct rows with the leaf, the rungs and the span of bins that each is published with."""

    leaf: np.ndarray
    rungs: np.ndarray
    first: np.ndarray
    last: np.ndarray

    @property
    def ends(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The first and last bins of each column."""
        return list(zip(self.first.T, self.last.T, strict=True))

    @cached_property
    def labels(self) -> np.ndarray:
        """A number for each label of each column."""
        return self.first.astype(np.int64) * (int(self.last.max(initial=0)) + 1) + self.last


@dataclass(frozen=True, eq=False)
class Binned:
    """Distinct rows of bins with their ladders.

    place  of each distinct row of values among these
    worth  what detail and columns count
    """

    rows: DistinctRows
    place: np.ndarray
    ladders: list[Ladder]
    worth: LabelWorth

    @classmethod
    def of(cls, rows: CodedRows, ladders: Sequence[Ladder], worth: LabelWorth, most: int) -> Binned:
        """With at most so many bins of a column."""
        ladders = [ladder.coarser(most) for ladder in ladders]
        cells, levels = [ladder.codes() for ladder in ladders], [ladder.n_bins for ladder in ladders]
        return cls(*rows.merged(cells, levels), ladders, worth)

    def parted(self, way: Way, met: Met) -> Parted:
        """The rows parted in this way, into sets that may be published."""
        return self.climbed(self.groups(way, met), met)

    def groups(self, way: Way, met: Met) -> Leaves:
        """The groups of the way's tree, or one of everybody."""
        if way.strictness is None:
            low, high = (
                np.zeros((1, len(self.ladders)), dtype=np.int64),
                [[ladder.n_bins - 1 for ladder in self.ladders]],
            )
            return Leaves(np.zeros(len(self.rows), dtype=np.int64), low, np.array(high))
        tree = self._tree(way.trust, way.ahead)
        return leaves(self.rows, tree, tree.pruned(way.strictness), met)

    def climbed(self, groups: Leaves, met: Met) -> Parted:
        """The rows as they are published after the climb within these groups."""
        leaf, low, high = groups
        rungs = climb(self.rows, self.ladders, self._steps, leaf, met)
        first, last = spans(self.rows.codes, self.ladders, leaf, rungs, low, high)
        for column in blank_columns(first, last, self.ladders):
            revive(self.rows, self.ladders, rungs, first, last, column, met)
        return Parted(leaf, rungs, first, last)

    def _tree(self, trust: int, ahead: bool) -> ClassTree:
        if (trust, ahead) not in self._trees:
            occurring = np.flatnonzero(self.rows.rows > 0)
            codes, counts = self.rows.codes[occurring], self.rows.counts[occurring]
            self._trees[trust, ahead] = grow(codes, counts, trust, ahead=ahead, weights=self.worth.weights)
        return self._trees[trust, ahead]

    @cached_property
    def _trees(self) -> dict[tuple[int, bool], ClassTree]:
        return {}

    @cached_property
    def _steps(self) -> list[int]:
        return steps_of(self.ladders, self.worth)

    def detail(self, parted: Parted) -> float:
        """The share of their information that the columns keep."""
        return detail_kept(self.rows.codes, parted.labels, self.rows.rows, self._information, self.worth.weights)

    @cached_property
    def _information(self) -> list[float]:
        return [float(entropy(ladder.axis.counts_of_ranks.sum(axis=1))) for ladder in self.ladders]

    def suppressed(self, parted: Parted) -> dict[str, float]:
        """The shares of rows and of cells that are suppressed."""
        blank = (parted.first == 0) & (parted.last == [ladder.n_bins - 1 for ladder in self.ladders])
        rows, n = self.rows.rows, max(self.rows.n_rows, 1)
        return {"rows": float(rows[blank.all(axis=1)].sum() / n), "cells": float((rows @ blank.mean(axis=1)) / n)}

    def trace(self, parted: Parted) -> list[dict[str, Any]]:
        """How many rows stand on each rung."""
        return [
            {"column": ladder.axis.name, "rows on each rung": np.bincount(rungs, self.rows.rows).astype(int).tolist()}
            for ladder, rungs in zip(self.ladders, parted.rungs.T, strict=True)
        ]


def leaves(rows: DistinctRows, tree: ClassTree, stands: np.ndarray, met: Met) -> Leaves:
    """The leaf of each distinct row, and each leaf's first and last bins.

    A cut is made where both sides may be published; where one of them may not (rows can be many where persons are few)
    the node stays whole. What a group needs holds for a node if it holds for all below it, so nothing is missed by
    asking from the root down.
    """
    at = stands[tree.locate(rows.codes)]
    nodes, leaf = np.unique(at, return_inverse=True)
    if not met(leaf.ravel(), len(nodes), np.arange(len(rows))).all():
        nodes, leaf = np.unique(_allowed(rows, tree, stands, met), return_inverse=True)
    return Leaves(leaf.ravel(), tree.low[nodes], tree.high[nodes])


def _allowed(rows: DistinctRows, tree: ClassTree, stands: np.ndarray, met: Met) -> np.ndarray:
    """The node that each row reaches by cuts whose both sides may be published."""
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
    return at
