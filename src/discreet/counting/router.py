# SPDX-License-Identifier: Apache-2.0
"""Coded rows on their way down a tree of cuts, and how many rows of a node have each rank.

Where even the distinct rows outgrow memory, a tree is grown by such counts: an engine passes all rows through a
`Router` and adds up a histogram for each open node and column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from discreet.foundation.compiled_kernels import compiled

_AT_ONCE = 32  # rows that descend side by side, so that the machine waits for several of their nodes at a time


@dataclass(frozen=True, eq=False, repr=False)
class Router:
    """A tree of cuts over ranks; it can be pickled.

    rank_of_code  of each column, the rank of each code
    nodes         a line for each node: column (-1 at an end), first rank on the right, left child or number of the end

    >>> one_cut = np.array([[0, 2, 1], [-1, 0, 0], [-1, 0, 1]], dtype=np.int32)
    >>> Router((np.array([0, 1, 2, 3]),), one_cut).find([np.array([3, 0, 1, 2])]).tolist()
    [1, 0, 0, 1]
    """

    rank_of_code: Sequence[np.ndarray]
    nodes: np.ndarray

    @property
    def arrays(self) -> list[np.ndarray]:
        """All that decides."""
        return [self.nodes, *self.rank_of_code]

    def ranks(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The ranks of rows, given as one array of codes for each column: a line for each column."""
        ranks = np.empty((len(codes), len(codes[0])), dtype=np.int32)
        for line, of, column in zip(ranks, self.rank_of_code, codes, strict=True):
            np.take(of, column, out=line, mode="clip") if of.dtype == line.dtype else np.copyto(line, of[column])
        return ranks

    def ranks_of_rows(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The same, a line for each row."""
        ranks = np.empty((len(codes[0]), len(codes)), dtype=np.int32)
        for place, (of, column) in enumerate(zip(self.rank_of_code, codes, strict=True)):
            ranks[:, place] = of[column]
        return ranks

    def find(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The number of the end that each row reaches; -1 for rows with a code that is none."""
        strange = np.zeros(len(codes[0]), dtype=bool)
        for of, column in zip(self.rank_of_code, codes, strict=True):
            strange |= (column < 0) | (column >= len(of))
        if strange.any():
            codes = [np.where(strange, 0, column) for column in codes]
        found = self.ends(self.ranks(codes))
        found[strange] = -1
        return found

    def ends(self, ranks: np.ndarray) -> np.ndarray:
        """The number of the end that rows of these ranks reach; a line for each column."""
        found = np.empty(ranks.shape[1], dtype=np.int32)
        _descend(ranks, self.nodes, found)
        return found


@dataclass(frozen=True, eq=False)
class Histograms:
    """Rows of each open node by rank and class: `of[c][node, rank, label]`, for column c."""

    of: list[np.ndarray] = field(repr=False)

    @classmethod
    def count(
        cls,
        router: Router,
        batches: Iterable[tuple[Sequence[np.ndarray], np.ndarray | None]],
        *,
        opened: Sequence[int],
        n_classes: int = 1,
    ) -> Histograms:
        """Add up batches of codes, with the class of each row or None; ends that are not `opened` are left out."""
        levels = [int(of.max(initial=0)) + 1 for of in router.rank_of_code]
        starts = np.cumsum([0, *(len(opened) * n_levels * n_classes for n_levels in levels)])
        counts = np.zeros(int(starts[-1]), dtype=np.int64)
        n_ends = int(router.nodes[router.nodes[:, 0] < 0, 2].max()) + 1
        place = np.full(n_ends, -1, dtype=np.int64)
        place[list(opened)] = np.arange(len(opened))
        no_labels = np.zeros(0, dtype=np.int32)
        for codes, labels in batches:
            ranks = router.ranks(codes)
            labels = no_labels if labels is None else labels.astype(np.int32, copy=False)
            _add(ranks, place[router.ends(ranks)], labels, n_classes, starts, np.array(levels), counts)
        parts = (counts[start:end] for start, end in pairwise(starts))
        return cls(
            [part.reshape(len(opened), n_levels, n_classes) for part, n_levels in zip(parts, levels, strict=True)]
        )


@compiled
def _descend(ranks, nodes, found):
    at = np.empty(_AT_ONCE, dtype=np.int64)
    n_rows = ranks.shape[1]
    for start in range(0, n_rows, _AT_ONCE):
        n = min(_AT_ONCE, n_rows - start)
        for i in range(n):
            at[i] = 0
        moved = True
        while moved:
            moved = False
            for i in range(n):
                node = at[i]
                c = nodes[node, 0]
                if c >= 0:
                    at[i] = nodes[node, 2] + (1 if ranks[c, start + i] >= nodes[node, 1] else 0)
                    moved = True
        for i in range(n):
            found[start + i] = nodes[at[i], 2]


@compiled
def _add(ranks, place, labels, n_classes, starts, levels, counts):
    for c in range(ranks.shape[0]):
        for i in range(ranks.shape[1]):
            node = place[i]
            if node >= 0:
                label = labels[i] if n_classes > 1 else 0
                counts[starts[c] + (node * levels[c] + ranks[c, i]) * n_classes + label] += 1
