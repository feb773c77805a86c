# SPDX-License-Identifier: Apache-2.0
"""Ladders: a few bins of a quasi-identifier, merged step by step into fewer, up to a single one.

Values are ordered on the column's axis (numbers by value, categories by class share, missing last). Each step merges
the neighbours that lose the least information about the class. All rungs are nested, and the same for the whole table:
a label means the same in every row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.counting.compiled_entropy import n_log_n
from discreet.counting.entropy import entropy_times_n
from discreet.foundation.compiled_kernels import compiled
from discreet.recoding.axis import Axis
from discreet.recoding.labels import MISSING, Labelling, Meaning

_PIECES = 256  # that a column is cut into at first, of about equally many rows
_SHRINK = 0.6  # bins on a rung, as a share of those on the rung below


@dataclass(frozen=True, eq=False)
class Ladder:
    """`bins[rung, bin]` is where bin `bin` of the lowest rung lies on a rung; `starts` its first rank, and the end.

    `information[rung]` is how much, in bits per row, the rung tells about the class.
    """

    axis: Axis
    starts: np.ndarray
    bins: np.ndarray
    information: np.ndarray

    @classmethod
    def of(cls, axis: Axis, most: int) -> Ladder:
        """The ladder of a column, with at most `most` bins on its lowest rung."""
        counts = axis.counts_of_ranks
        starts = _pieces(counts.sum(axis=1))
        counts = np.add.reduceat(counts, starts[:-1])
        everything, n_rows = entropy_times_n(counts.sum(axis=0)), max(int(counts.sum()), 1)
        rungs: list[np.ndarray] = []
        information: list[float] = []
        wanted, in_bin = min(most, len(counts)), np.arange(len(counts))
        while True:
            counts, in_bin = _join(counts, in_bin, wanted)
            if not rungs:
                starts, in_bin = starts[np.append(np.unique(in_bin, return_index=True)[1], -1)], np.arange(len(counts))
            rungs.append(in_bin)
            information.append((everything - entropy_times_n(counts).sum()) / n_rows)
            if len(counts) == 1:
                return cls(axis, starts, np.array(rungs), np.array(information))
            wanted = min(len(counts) - 1, round(_SHRINK * len(counts)))

    def coarser(self, most: int) -> Ladder:
        """The ladder from the first rung of at most `most` bins on."""
        rung = int(np.argmax(self.bins.max(axis=1) < most))
        first = np.unique(self.bins[rung], return_index=True)[1]
        return Ladder(self.axis, np.append(self.starts[first], self.starts[-1]), self.bins[rung:, first], self.information[rung:])

    @property
    def top(self) -> int:
        """The highest rung, which tells nothing."""
        return len(self.bins) - 1

    @property
    def n_bins(self) -> int:
        """Bins on the lowest rung."""
        return self.bins.shape[1]

    def codes(self) -> np.ndarray:
        """The bin of each distinct row, on the lowest rung."""
        bin_of_rank = np.searchsorted(self.starts, np.arange(self.starts[-1] + 1), side="right") - 1
        return bin_of_rank[self.axis.rank_of_code].astype(np.int32)[self.axis.column.codes]

    @cached_property
    def spans(self) -> tuple[np.ndarray, np.ndarray]:
        """For each rung and bin of the lowest rung: the first and the last bin that are joined with it there."""
        first, last = np.empty_like(self.bins), np.empty_like(self.bins)
        for rung, joined in enumerate(self.bins):
            first[rung] = np.searchsorted(joined, joined, side="left")
            last[rung] = np.searchsorted(joined, joined, side="right") - 1
        return first, last

    def label(self, first: int, last: int) -> tuple[str | None, Meaning]:
        """The label of a cell known only to lie in bins `first` to `last`, and its meaning."""
        axis, low, high = self.axis, int(self.starts[first]), int(self.starts[last + 1])
        if axis.names is not None:
            ranks = tuple(range(low, high))
            return axis.set_of(ranks), axis.meaning_of_set(ranks)
        missing = high > axis.n_values
        if low == axis.n_values:
            return None, MISSING
        ends = (
            axis.cut(low - 1, low) if low else -np.inf,
            axis.cut(high - 1, high) if high < axis.n_values else np.inf,
        )
        return axis.interval(*ends, missing), axis.meaning_of_interval(*ends, missing)

    def labelling(self, first: np.ndarray, last: np.ndarray) -> tuple[Labelling, np.ndarray]:
        """The labels of cells that lie from bin `first` to bin `last`, and the place of each cell's label."""
        _, example, code = np.unique(first * self.n_bins + last, return_index=True, return_inverse=True)
        labels = [self.label(int(first[i]), int(last[i])) for i in example]
        texts, meanings = zip(*labels, strict=True)
        return Labelling(self.axis.name, self.axis.column.kind, texts, meanings, known=self.axis.known), code.ravel()


def _pieces(rows: np.ndarray) -> np.ndarray:
    """Where the pieces of a long axis start, and its end: one rank each, or about equally many rows."""
    if len(rows) <= _PIECES:
        return np.arange(len(rows) + 1)
    piece = np.cumsum(rows) * _PIECES // (rows.sum() + 1)
    return np.append(np.unique(piece, return_index=True)[1], len(rows))


def _join(counts: np.ndarray, in_bin: np.ndarray, wanted: int) -> tuple[np.ndarray, np.ndarray]:
    """Join the two neighbours that lose least, the lowest of equals, until `wanted` bins are left."""
    joined, place = np.ascontiguousarray(counts, dtype=np.int64).copy(), np.arange(len(counts))
    _join_bins(joined, wanted, place)
    bins, of = np.unique(place, return_inverse=True)
    return joined[bins], of.ravel()[in_bin]


@compiled
def _join_bins(counts, wanted, place):
    """Add bins to their left neighbours; `place` is the first bin of those that each was joined with."""
    n, n_classes = counts.shape
    after = np.empty(n, dtype=np.int64)  # the next bin on the right
    loss = np.empty(n, dtype=np.float64)  # of joining with it
    for i in range(n):
        after[i] = i + 1
    for i in range(n - 1):
        loss[i] = _loss(counts, i, i + 1)
    left = n
    while left > wanted:
        best, i, before, before_best = -1, 0, -1, -1
        while after[i] < n:
            if best < 0 or loss[i] < loss[best]:
                best, before_best = i, before
            before, i = i, after[i]
        gone = after[best]
        for label in range(n_classes):
            counts[best, label] += counts[gone, label]
        after[best] = after[gone]
        if after[best] < n:
            loss[best] = _loss(counts, best, after[best])
        if before_best >= 0:
            loss[before_best] = _loss(counts, before_best, best)
        for i in range(gone, after[best]):
            place[i] = best
        left -= 1


@compiled
def _loss(counts, i, j):
    """Bits about the class that are lost when two bins are joined, rounded; without classes, about the bin itself."""
    if counts.shape[1] == 1:
        a, b = counts[i, 0], counts[j, 0]
        return np.round(n_log_n(a + b) - n_log_n(a) - n_log_n(b), 9)
    loss, here, there = 0.0, 0, 0
    for label in range(counts.shape[1]):
        a, b = counts[i, label], counts[j, label]
        here += a
        there += b
        loss += n_log_n(a) + n_log_n(b) - n_log_n(a + b)
    return np.round(loss + n_log_n(here + there) - n_log_n(here) - n_log_n(there), 9)
