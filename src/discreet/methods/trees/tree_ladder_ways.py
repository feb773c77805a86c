# SPDX-License-Identifier: Apache-2.0
"""A way to make a release, and what it makes of the rows: bins, a tree on them or none, and the climb in its leaves.

least       persons in every set that stays in the climb; k or more
trust       rows on both sides of every cut of the tree; no fewer
ahead       whether the tree is grown with look-ahead
strictness  of its pruning; None for no tree: everybody is in one leaf
most        bins that a column has at most
bins        which ladders: of bins that tell most about the "class"; "even" ones, of about equally many rows in the
            order of the values; or "free" ones, as without hierarchies, whose labels alone are then theirs
smooth      whether the tree follows a logistic regression on the bins, instead of the classes themselves
climbs      share of the steps of the climb that are taken; whoever is left then is halved; 1 for all steps
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows
from discreet.counting.entropy import entropy
from discreet.foundation.compiled_kernels import compiled
from discreet.methods.trees.label_worth import LabelWorth
from discreet.methods.trees.tree_ladder_blank import blank_columns, revive
from discreet.methods.trees.tree_ladder_climb import Met, climb, spans, steps_of
from discreet.methods.trees.tree_ladder_growth import ClassTree, grow
from discreet.methods.trees.tree_ladder_halving import Halves, halve
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_smooth import grow_smoothly, regression_answers

Bins = Literal["class", "even", "free"]


@dataclass(frozen=True)
class Way:
    """See above."""

    least: int
    trust: int
    ahead: bool
    strictness: float | None
    most: int
    bins: Bins = "class"
    smooth: bool = False
    climbs: float = 1.0

    def at(self, size: int, least: int) -> Way:
        """The same with sets of `least` persons, if it has the smallest ones of a series, `size`."""
        if self.least != size:
            return self
        return replace(self, least=least, trust=least if self.trust == size else self.trust)

    def __str__(self) -> str:
        kind = "" if self.bins == "class" else f"{self.bins} "
        below = f"{self.most} {kind}bins, sets of {self.least} persons"
        if self.climbs < 1:
            below += f", {self.climbs:.0%} of the climb and halving"
        if self.strictness is None:
            return f"no tree, {below}"
        grown = ("that looks ahead" if self.ahead else "of greedy cuts") + " by a regression" * self.smooth
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

    def summed(self, counts: np.ndarray) -> np.ndarray:
        """Counts of the distinct rows of values, by distinct rows of bins."""
        return np.column_stack([np.bincount(self.place, of_class, len(self.rows)) for of_class in counts.T])

    def parted(self, way: Way, met: Met, smallest: Met | None = None) -> Parted:
        """The rows parted in this way, into sets that may be published.

        The way may ask for more persons than k. `smallest`, if given, asks for k alone: by it sets are told apart where
        a column would be blank.
        """
        parted = self.made(way, self.groups(way, met), met)
        if smallest is not None:
            self.revive(parted, smallest)
        return parted

    def groups(self, way: Way, met: Met) -> Leaves:
        """The groups of the way's tree, or one of everybody."""
        if way.strictness is None:
            low, high = (
                np.zeros((1, len(self.ladders)), dtype=np.int64),
                [[ladder.n_bins - 1 for ladder in self.ladders]],
            )
            return Leaves(np.zeros(len(self.rows), dtype=np.int64), low, np.array(high))
        tree = self._tree(way.trust, way.ahead, way.smooth)
        return leaves(self.rows, tree, tree.pruned(way.strictness), met)

    def made(self, way: Way, groups: Leaves, met: Met) -> Parted:
        """The rows as they are published after the climb within these groups, and halving."""
        leaf, low, high = groups
        steps = self._steps[: round(way.climbs * len(self._steps))]
        rungs = climb(self.rows, self.ladders, steps, leaf, met)
        first, last = spans(self.rows.codes, self.ladders, leaf, rungs, low, high)
        if way.climbs < 1:
            top = [ladder.top for ladder in self.ladders]
            left = np.flatnonzero((rungs == top).all(axis=1))
            at = np.bincount(np.array(steps, dtype=np.int64), minlength=len(top))
            first[left], last[left] = self._halved(groups, left, at, way, met)
            rungs[left] = np.where(self._blank(first[left], last[left]), top, at)
        parted = Parted(leaf, rungs, first, last)
        self.revive(parted, met)
        return parted

    def revive(self, parted: Parted, met: Met) -> None:
        """Columns that would be blank tell sets apart that may be; done before the labels are read."""
        for column in blank_columns(parted.first, parted.last, self.ladders):
            revive(self.rows, self.ladders, parted.rungs, parted.first, parted.last, column, met)

    def _halved(
        self, groups: Leaves, left: np.ndarray, at: np.ndarray, way: Way, met: Met
    ) -> tuple[np.ndarray, np.ndarray]:
        """The first and last bins of those who are left on the rungs `at`, once they are cut between bins of these."""
        leaf = np.full(len(self.rows), -1, dtype=np.int64)
        leaf[left] = groups.leaf[left]
        on = [ladder.bins[rung] for ladder, rung in zip(self.ladders, at, strict=True)]

        def moved(bins: np.ndarray) -> np.ndarray:
            return np.column_stack([of[bins[:, c]] for c, of in enumerate(on)])

        bins, price = moved(self.rows.codes), self._price
        halves = halve(bins, self.rows.rows, leaf, moved(groups.low), moved(groups.high), way.least, price)
        node = halves.node_of[left]
        used = np.bincount(node, minlength=len(halves.left)) > 0
        if not met(node, len(used), left)[used].all():
            node = _allowed(bins[left], halves, lambda of, n, some: met(of, n, left[some]), leaf[left])
        first = [np.searchsorted(of, halves.low[node, c]) for c, of in enumerate(on)]
        last = [np.searchsorted(of, halves.high[node, c], side="right") - 1 for c, of in enumerate(on)]
        low, high = groups.low[groups.leaf[left]], groups.high[groups.leaf[left]]
        return np.maximum(np.column_stack(first), low), np.minimum(np.column_stack(last), high)

    @cached_property
    def _price(self) -> np.ndarray:
        """What a bit of each column is worth: its share of the column's bits, times the column's weight."""
        return np.array([1 / bits if bits > 0 else 0.0 for bits in self._information]) * self.worth.weights

    def _tree(self, trust: int, ahead: bool, smooth: bool) -> ClassTree:
        asked = trust, ahead, smooth
        if asked not in self._trees:
            weights, (codes, counts) = self.worth.weights, self._occurring
            if smooth:
                tree = grow_smoothly(codes, counts, self._answers, trust, ahead=ahead, weights=weights)
            else:
                tree = grow(codes, counts, trust, ahead=ahead, weights=weights)
            self._trees[asked] = tree
        return self._trees[asked]

    @cached_property
    def _occurring(self) -> tuple[np.ndarray, np.ndarray]:
        """The bins and class counts of the rows that occur."""
        occurring = np.flatnonzero(self.rows.rows > 0)
        return self.rows.codes[occurring], self.rows.counts[occurring]

    @cached_property
    def _answers(self) -> np.ndarray:
        return regression_answers(*self._occurring)

    @cached_property
    def _trees(self) -> dict[tuple[int, bool, bool], ClassTree]:
        return {}

    @cached_property
    def _steps(self) -> list[int]:
        return steps_of(self.ladders, self.worth)

    def detail(self, parted: Parted) -> float:
        """The share of their information that the columns keep: log(1 / share of the rows that a label covers)."""
        n_bins = max(ladder.n_bins for ladder in self.ladders)
        rows, n = self.rows.rows, max(float(self.rows.rows.sum()), 1.0)
        of_label, kept = np.zeros((len(self.ladders), n_bins * n_bins)), []
        _count_labels(parted.first, parted.last, rows, n_bins, of_label)
        for c, below in enumerate(self._below):
            label = np.flatnonzero(of_label[c])
            covered = np.maximum(below[label % n_bins + 1] - below[label // n_bins], 1.0)
            bits = float(of_label[c, label] @ np.log2(n / covered)) / n
            kept.append(bits / self._information[c] if self._information[c] > 0 else 0.0)
        weights = self.worth.weights
        return float(np.average(kept, weights=weights)) if weights.sum() > 0 else 0.0

    @cached_property
    def _below(self) -> list[np.ndarray]:
        """Of each column, the rows in bins below each one."""
        codes, rows = self.rows.codes, self.rows.rows
        of_bin = [np.bincount(codes[:, c], rows, ladder.n_bins) for c, ladder in enumerate(self.ladders)]
        return [np.append(0.0, np.cumsum(counts)) for counts in of_bin]

    def unrecoded(self, parted: Parted) -> np.ndarray:
        """The labels that a recipient reads who does not recode: of each column the narrowest that covers the cell."""
        read = np.empty_like(parted.labels)
        width, occurring = int(parted.last.max(initial=0)) + 1, self.rows.rows > 0
        for c, ladder in enumerate(self.ladders):
            spans = np.flatnonzero(np.bincount(parted.labels[occurring, c]))
            first, last = spans // width, spans % width
            widest = np.argsort(first - last, kind="stable")
            label = np.full(ladder.n_bins, spans[widest[0]])
            for one in widest:  # a narrower one later
                label[first[one] : last[one] + 1] = spans[one]
            read[:, c] = label[self.rows.codes[:, c]]
        return read

    @cached_property
    def _information(self) -> list[float]:
        return [float(entropy(ladder.axis.counts_of_ranks.sum(axis=1))) for ladder in self.ladders]

    def suppressed(self, parted: Parted) -> dict[str, float]:
        """The shares of rows and of cells that are suppressed."""
        blank = self._blank(parted.first, parted.last)
        rows, n = self.rows.rows, max(self.rows.n_rows, 1)
        return {"rows": float(rows[blank.all(axis=1)].sum() / n), "cells": float((rows @ blank.mean(axis=1)) / n)}

    def _blank(self, first: np.ndarray, last: np.ndarray) -> np.ndarray:
        """Which cells are suppressed."""
        return np.asarray((first == 0) & (last == [ladder.n_bins - 1 for ladder in self.ladders]))

    def trace(self, parted: Parted) -> list[dict[str, Any]]:
        """How many rows stand on each rung."""
        return [
            {"column": ladder.axis.name, "rows on each rung": np.bincount(rungs, self.rows.rows).astype(int).tolist()}
            for ladder, rungs in zip(self.ladders, parted.rungs.T, strict=True)
        ]


@compiled
def _count_labels(first, last, rows, n_bins, of_label):
    """The rows of each label of each column."""
    for i in range(len(rows)):
        if rows[i] > 0:
            for c in range(first.shape[1]):
                of_label[c, first[i, c] * n_bins + last[i, c]] += rows[i]


def leaves(rows: DistinctRows, tree: ClassTree, stands: np.ndarray, met: Met) -> Leaves:
    """The leaf of each distinct row, and each leaf's first and last bins.

    A cut is made where both sides may be published; where one of them may not (rows can be many where persons are few)
    the node stays whole. What a group needs holds for a node if it holds for all below it, so nothing is missed by
    asking from the root down.
    """
    at = stands[tree.locate(rows.codes)]
    nodes, leaf = np.unique(at, return_inverse=True)
    if not _all_met(leaf.ravel(), met):
        cut = replace(tree, left=np.where(stands == np.arange(len(stands)), -1, tree.left))
        nodes, leaf = np.unique(_allowed(rows.codes, cut, met), return_inverse=True)
    return Leaves(leaf.ravel(), tree.low[nodes], tree.high[nodes])


def _all_met(node_of: np.ndarray, met: Met) -> bool:
    """Whether every node that has rows may be published."""
    used = np.bincount(node_of) > 0
    return bool(met(node_of, len(used), np.arange(len(node_of)))[used].all())


def _allowed(bins: np.ndarray, tree: ClassTree | Halves, met: Met, root: np.ndarray | None = None) -> np.ndarray:
    """The node that each row reaches, from its root, by cuts whose both sides may be published."""
    at = np.zeros(len(bins), dtype=np.int64) if root is None else root.astype(np.int64)
    inside = np.arange(len(bins))
    while len(inside := inside[tree.left[at[inside]] >= 0]):
        node = at[inside]
        below = tree.left[node] + (bins[inside, tree.column[node]] > tree.cut[node])
        nodes, of = np.unique(below, return_inverse=True)
        refused = nodes[~met(of.ravel(), len(nodes), inside)]
        cut = ~np.isin(tree.left[node], np.concatenate([refused, refused - 1]))
        inside, below = inside[cut], below[cut]
        at[inside] = below
    return at
