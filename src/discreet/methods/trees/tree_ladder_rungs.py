# SPDX-License-Identifier: Apache-2.0
"""Ladders: a few bins of a quasi-identifier, merged step by step into fewer, up to a single one.

Values are ordered on the column's axis (numbers by value, categories by class share, missing last). Each step merges
the neighbours that lose the least information about the class. All rungs are nested, and the same for the whole table:
a label means the same in every row.

On a readable axis the borders of numbers and dates are moved to the roundest place that loses no more than chance would
(see `_noise`), and of borders that lose about the same the roundest stay longest; codes have the bins and rungs of
their prefixes; missing stays apart up to the last step, if k persons have it. A given hierarchy has bins and rungs of
its own: siblings are merged with siblings only, until a whole branch is one bin.

Without a class, or with a single one, it is the information about the value itself that is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.counting.entropy import entropy_times_n
from discreet.prepare.hierarchy import Hierarchy
from discreet.prepare.intervals import readable_cut, roundness
from discreet.recoding.axis import Axis
from discreet.recoding.branches import Branches, in_branches
from discreet.recoding.labels import MISSING, Labelling, Meaning

_PIECES = 256  # that a column is cut into at first, of about equally many rows
_MOST_LEAVES = 2048  # of a tree, before its lowest branches are merged
_SHRINK = 0.6  # bins on a rung, as a share of those on the rung below
_NO_CLASS = 0.01  # bits per row that a round border may lose where no class says what it tells
_KEPT = 0.5  # of the rows on each side of a border, when it is moved


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
    def of(cls, axis: Axis, most: int, hierarchy: Hierarchy | None = None) -> Ladder:
        """The ladder of a column, with at most `most` bins on its lowest rung; that of a hierarchy where one is given.

        The ladder's own axis is then in the order of the hierarchy.
        """
        axis = in_branches(axis, hierarchy)
        borders = _Borders.of(axis)
        counts = np.add.reduceat(axis.counts_of_ranks, borders.starts[:-1])
        kept = borders.lowest(counts, most)
        starts = borders.starts[[0, *kept, -1]]
        counts = np.add.reduceat(axis.counts_of_ranks, starts[:-1])
        everything, n_rows = float(_bits(counts.sum(axis=0))), max(int(counts.sum()), 1)
        rungs = [np.arange(len(counts))]
        for left in borders.rungs(counts, kept):
            above = np.zeros(len(counts), dtype=np.int64)
            above[left] = 1
            rungs.append(np.cumsum(above))
        information = []
        for bins in rungs:
            joined = np.add.reduceat(counts, np.unique(bins, return_index=True)[1])
            information.append((everything - float(_bits(joined).sum())) / n_rows)
        return cls(axis, starts, np.array(rungs), np.array(information))

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
        return Labelling(self.axis.name, self.axis.column.kind, texts, meanings, known=self.axis.known), code.ravel()


# -- borders ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Borders:
    """The pieces of an axis, whose `starts` are ranks, the end last. Border j lies before piece j; border 0 is none.

    A border goes only before its neighbours of a higher `level`. The `round` ones stay longer; None where all are
    alike.
    """

    axis: Axis
    starts: np.ndarray
    level: np.ndarray
    round: np.ndarray | None

    @classmethod
    def of(cls, axis: Axis) -> _Borders:
        rows = axis.counts_of_ranks.sum(axis=1)
        n_values = axis.n_values
        if isinstance(axis.tree, Branches):
            levels = np.append(0, axis.tree.levels)
            while (kept := np.append(0, 1 + np.flatnonzero(levels[1:] > 0))).size > _MOST_LEAVES:
                levels = np.maximum(levels - 1, 0)
            many = len(levels) > _MOST_LEAVES
            starts, level = (kept, levels[kept]) if many else (np.arange(len(levels)), levels)
        else:
            starts = _pieces(axis, rows[:n_values])
            level = np.zeros(len(starts), dtype=np.int64)
        if axis.column.has_missing:
            level = np.append(level, level.max(initial=0) + 1 if _stays_apart(axis) and len(level) else 0)
            starts = np.append(starts, n_values)
        round_ = None
        if axis.readable and axis.tree is None and axis.numbers is not None:
            round_ = np.array([_roundness(axis, int(rank)) for rank in starts])
        return cls(axis, np.append(starts, len(rows)).astype(np.int64), level, round_)

    def lowest(self, counts: np.ndarray, most: int) -> np.ndarray:
        """The borders of the lowest rung: those that tell most, moved to the roundest places nearby."""
        kept = np.arange(1, len(counts))
        kept = self._removed(counts, kept, most - 1, levels_up_to=None, by_roundness=False)
        return kept if self.round is None else self._moved(counts, kept)

    def rungs(self, counts: np.ndarray, kept: np.ndarray) -> list[np.ndarray]:
        """For each further rung the bins, of those between the borders `kept`, that begin there; 0 is left out."""
        here = _Borders(
            self.axis,
            self.starts[[0, *kept, -1]],
            self.level[[0, *kept]],
            None if self.round is None else self.round[[0, *kept]],
        )
        left, rungs = np.arange(1, len(counts)), []
        for level in np.unique(here.level[left]):
            while (stays := int((here.level[left] > level).sum())) < len(left):
                wanted = max(stays, min(len(left), round(_SHRINK * (len(left) + 1))) - 1)
                left = here._removed(counts, left, wanted, levels_up_to=int(level), by_roundness=True)
                rungs.append(left)
        return rungs

    def _removed(
        self, counts: np.ndarray, left: np.ndarray, wanted: int, *, levels_up_to: int | None, by_roundness: bool
    ) -> np.ndarray:
        """Remove the border that loses least, the lowest of equals, until `wanted` are left.

        By roundness, of those that lose about as little the least round one.
        """
        borders = left.tolist()
        parts = [part.sum(axis=0) for part in np.split(counts, borders)]
        bits = [float(_bits(part)) for part in parts]
        loss = [_loss(parts, bits, i) for i in range(len(borders))]
        noise = _noise(counts.sum(axis=0)) if by_roundness and self.round is not None else 0.0
        while len(borders) > wanted:
            level = self.level[borders]
            around = np.concatenate([[np.iinfo(np.int64).max], level, [np.iinfo(np.int64).max]])
            allowed = (level <= around[:-2]) & (level <= around[2:])
            if levels_up_to is not None:
                allowed &= level <= levels_up_to
            cost = np.where(allowed, np.round(loss, 9), np.inf)
            i = int(np.argmin(cost))
            if noise:
                about = np.flatnonzero(cost <= cost[i] + noise)
                i = int(about[np.lexsort((cost[about], self.round[borders][about]))[0]])  # type: ignore[index]
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
            bits[i : i + 2] = [float(_bits(parts[i]))]
            del borders[i], loss[i]
            for j in (i - 1, i):
                if 0 <= j < len(loss):
                    loss[j] = _loss(parts, bits, j)
        return np.array(borders, dtype=np.int64)

    def _moved(self, counts: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """The borders one after the other at the roundest place between their neighbours that costs only noise.

        It leaves half of its rows to each side; of equally round places the one that tells most is taken.
        """
        assert self.round is not None
        upto = np.concatenate([np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)])
        noise = _noise(upto[-1])
        fixed = len(counts) - 1 if self.axis.column.has_missing else len(counts)  # the border before missing stays
        moved = [0, *kept.tolist()]
        moved += [len(counts)] if not len(kept) or kept[-1] != len(counts) else []
        for i in range(1, len(moved) - 1):
            if moved[i] >= fixed:
                continue
            low, at, high = moved[i - 1], moved[i], min(moved[i + 1], fixed)
            places = np.arange(low + 1, high)
            left, right = upto[places] - upto[low], upto[moved[i + 1]] - upto[places]
            bits = _bits(left) + _bits(right)
            here = at - low - 1
            fits = left.sum(axis=1) >= _KEPT * left[here].sum()
            fits &= right.sum(axis=1) >= _KEPT * right[here].sum()
            fits &= bits <= bits[here] + noise
            fits[here] = True
            best = np.lexsort((np.round(bits, 9), -self.round[places]))
            moved[i] = int(places[next(p for p in best if fits[p])])
        return np.array(moved[1:-1], dtype=np.int64)


def _loss(parts: list[np.ndarray], bits: list[float], i: int) -> float:
    """What is lost when two neighbouring parts are joined."""
    return float(_bits(parts[i] + parts[i + 1])) - bits[i] - bits[i + 1]


def _pieces(axis: Axis, rows: np.ndarray) -> np.ndarray:
    """Where the pieces of a long axis start: one rank each, or about equally many rows.

    On a readable axis they start at round numbers, up to a quarter of the rows away.
    """
    if len(rows) <= _PIECES:
        return np.arange(len(rows))
    upto = np.cumsum(rows)
    if not axis.readable or axis.numbers is None:
        return np.unique(upto * _PIECES // (upto[-1] + 1), return_index=True)[1]
    starts = {0}
    for piece in range(1, _PIECES):
        low, high = np.searchsorted(upto, upto[-1] * np.array([piece - 0.25, piece + 0.25]) / _PIECES)
        low, high = min(int(low), len(rows) - 2), min(max(int(high), int(low) + 1), len(rows) - 1)
        cut = readable_cut(axis.column, float(axis.numbers[low]), float(axis.numbers[high]))
        starts.add(int(np.searchsorted(axis.numbers, cut)))
    return np.array(sorted(starts))


def _stays_apart(axis: Axis) -> bool:
    """Whether missing is merged last: k persons have it."""
    rare = axis.rare
    return axis.readable and (rare is None or rare.persons is None or bool(rare.persons[-1] >= rare.rarest))


def _roundness(axis: Axis, rank: int) -> int:
    return roundness(axis.column, axis.cut(rank - 1, rank)) if 0 < rank < axis.n_values else 0


def _noise(counts: np.ndarray) -> float:
    """Bits that the exact place of a border must save to be worth stating: half of the logarithm of the rows.

    From n rows a number is known to about 1 / sqrt(n) of its scale, so more digits say nothing (Rissanen 1978).
    """
    rows = max(int(counts.sum()), 1)
    return float(np.log2(rows)) / 2 if len(counts) > 1 else _NO_CLASS * rows


def _bits(counts: np.ndarray) -> np.ndarray:
    """What is not known of rows that stand together, in bits: their classes, or, with one class only, their values."""
    if counts.shape[-1] > 1:
        return entropy_times_n(counts)
    rows = counts[..., 0]
    return rows * np.log2(np.maximum(rows, 1))
