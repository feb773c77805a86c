# SPDX-License-Identifier: Apache-2.0
"""Ladders: a few bins of a quasi-identifier, merged step by step into fewer, up to a single one.

Values are ordered on the column's axis (numbers by value, categories by class share, missing last). Each step merges
the neighbours that lose the least information about the class. All rungs are nested, and the same for the whole table:
a label means the same in every row.

On a readable axis borders are round, missing stays apart, and codes have the rungs of their prefixes. A given hierarchy
has the bins and rungs of its own labels. (See recoding/borders.py and recoding/branches.py.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.prepare.hierarchy import Hierarchy
from discreet.recoding.axis import Axis
from discreet.recoding.borders import Borders, bits_of
from discreet.recoding.branch_sets import WholeBranches
from discreet.recoding.branches import in_branches
from discreet.recoding.labels import MISSING, Labelling, Meaning
from discreet.recoding.own_order import in_own_order


@dataclass(frozen=True, eq=False)
class Ladder:
    """`bins[rung, bin]` is where bin `bin` of the lowest rung lies on a rung; `starts` its first rank, and the end.

    `information[rung]` is how much, in bits per row, the rung tells about the class.
    """

    axis: Axis
    starts: np.ndarray
    bins: np.ndarray
    information: np.ndarray
    whole: WholeBranches | None = None  # labels of a hierarchy whose order is not that of the axis

    @classmethod
    def of(
        cls, axis: Axis, most: int, hierarchy: Hierarchy | None = None, *, even: bool = False, free: bool = False
    ) -> Ladder:
        """The ladder of a column, with at most `most` bins on its lowest rung; that of a hierarchy where one is given.

        The ladder's own axis is then in the order of the hierarchy. `free`, it is as without a hierarchy, only written
        by its labels; where the hierarchy's values are coarser than the column's, any neighbours in its order may be
        merged, not siblings alone. `even` bins keep the information about the value itself, whatever the classes.
        """
        own = in_own_order(axis, hierarchy) if free and hierarchy is not None else None
        axis, whole = own or (in_branches(axis, hierarchy, by_class=not even), None)
        borders = Borders.of(axis, free=free and hierarchy is not None and own is None)
        counts = np.add.reduceat(axis.counts_of_ranks, borders.starts[:-1])
        kept = borders.lowest(counts.sum(axis=1, keepdims=True) if even else counts, most)
        starts = borders.starts[[0, *kept, -1]]
        counts = np.add.reduceat(axis.counts_of_ranks, starts[:-1])
        everything, n_rows = float(bits_of(counts.sum(axis=0))), max(int(counts.sum()), 1)
        rungs = [np.arange(len(counts))]
        for left in borders.rungs(counts.sum(axis=1, keepdims=True) if even else counts, kept):
            above = np.zeros(len(counts), dtype=np.int64)
            above[left] = 1
            rungs.append(np.cumsum(above))
        information = []
        for bins in rungs:
            joined = np.add.reduceat(counts, np.unique(bins, return_index=True)[1])
            information.append((everything - float(bits_of(joined).sum())) / n_rows)
        return cls(axis, starts, np.array(rungs), np.array(information), whole)

    def coarser(self, most: int) -> Ladder:
        """The ladder from the first rung of at most `most` bins on."""
        rung = int(np.argmax(self.bins.max(axis=1) < most))
        first = np.unique(self.bins[rung], return_index=True)[1]
        starts = np.append(self.starts[first], self.starts[-1])
        return Ladder(self.axis, starts, self.bins[rung:, first], self.information[rung:], self.whole)

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
        if axis.tree is not None:
            ranks = tuple(range(low, high))
            return axis.tree.label(ranks), axis.tree.meaning(ranks)
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
        if self.whole is not None:  # names that nothing else has
            whole = map(self.whole.label, meanings)
            texts = tuple(
                text if name is None or name in texts else name for text, name in zip(texts, whole, strict=True)
            )
        return Labelling(self.axis.name, self.axis.column.kind, texts, meanings, known=self.axis.known), code.ravel()
