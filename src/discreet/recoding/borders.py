# SPDX-License-Identifier: Apache-2.0
"""Which borders of an axis are worth having, where they are round, and in which order they go.

A border that goes is the one that loses the least information about the class. On a readable axis the borders of
numbers and dates are moved to the roundest place that loses no more than chance would (see `noise`), and of borders
that lose about the same the roundest stay longest; missing stays apart up to the last step, if k persons have it. In a
tree siblings are merged with siblings only, until a whole branch is one.

Without a class, or with a single one, it is the information about the value itself that is kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.counting.compiled_entropy import n_log_n
from discreet.counting.entropy import entropy_times_n
from discreet.foundation.compiled_kernels import compiled
from discreet.prepare.roundness import round_places
from discreet.recoding.axis import Axis
from discreet.recoding.branch_sets import noise
from discreet.recoding.branches import Branches

MOST_PIECES = 256  # that a column is cut into at first, of about equally many rows
_MOST_LEAVES = 2048  # of a tree, before its lowest branches are merged
_SHRINK = 0.6  # bins on a rung, as a share of those on the rung below
_KEPT = 0.5  # of the rows on each side of a border, when it is moved


@dataclass(frozen=True, eq=False)
class Borders:
    """The pieces of an axis, whose `starts` are ranks, the end last. Border j lies before piece j; border 0 is none.

    A border goes only before its neighbours of a higher `level`. The `round` ones stay longer; None where all are
    alike.
    """

    axis: Axis
    starts: np.ndarray
    level: np.ndarray
    round: np.ndarray | None

    @classmethod
    def of(cls, axis: Axis, *, free: bool = False) -> Borders:
        """Those of an axis; `free`, a tree does not say which of them go first."""
        rows = axis.counts_of_ranks.sum(axis=1)
        n_values = axis.n_values
        if isinstance(axis.tree, Branches):
            levels = np.append(0, axis.tree.levels)
            while (kept := np.append(0, 1 + np.flatnonzero(levels[1:] > 0))).size > _MOST_LEAVES:
                levels = np.maximum(levels - 1, 0)
            many = len(levels) > _MOST_LEAVES
            starts, level = (kept, levels[kept]) if many else (np.arange(len(levels)), levels)
            level = np.zeros_like(level) if free else level
        else:
            starts = _pieces(axis, rows[:n_values])
            level = np.zeros(len(starts), dtype=np.int64)
        if axis.column.has_missing:
            level = np.append(level, level.max(initial=0) + 1 if _stays_apart(axis) and len(level) else 0)
            starts = np.append(starts, n_values)
        round_ = None
        if axis.readable and axis.tree is None and axis.numbers is not None:
            round_ = _roundness(axis, starts)
        return cls(axis, np.append(starts, len(rows)).astype(np.int64), level, round_)

    def lowest(self, counts: np.ndarray, most: int) -> np.ndarray:
        """The borders of the lowest rung: those that tell most, moved to the roundest places nearby."""
        kept = np.arange(1, len(counts))
        kept = self._removed(counts, kept, most - 1, levels_up_to=None, by_roundness=False)
        return kept if self.round is None else self._moved(counts, kept)

    def rungs(self, counts: np.ndarray, kept: np.ndarray) -> list[np.ndarray]:
        """For each further rung the bins, of those between the borders `kept`, that begin there; 0 is left out."""
        here = Borders(
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
        starts = np.append(0, left)
        parts = np.ascontiguousarray(np.add.reduceat(counts, starts), dtype=np.int64)
        round_ = np.zeros(len(starts), dtype=np.int64) if self.round is None else self.round[starts]
        chance = noise(counts.sum(axis=0)) if by_roundness and self.round is not None else 0.0
        highest = self.level.max(initial=0) if levels_up_to is None else levels_up_to
        stays = np.ones(len(starts), dtype=bool)
        _remove(parts, self.level[starts], round_, highest, chance, max(wanted, 0), stays)
        return starts[stays][1:]

    def _moved(self, counts: np.ndarray, kept: np.ndarray) -> np.ndarray:
        """The borders one after the other at the roundest place between their neighbours that costs only noise.

        It leaves half of its rows to each side; of equally round places the one that tells most is taken.
        """
        assert self.round is not None
        upto = np.concatenate([np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)])
        chance = noise(upto[-1])
        fixed = len(counts) - 1 if self.axis.column.has_missing else len(counts)  # the border before missing stays
        moved = [0, *kept.tolist()]
        moved += [len(counts)] if not len(kept) or kept[-1] != len(counts) else []
        for i in range(1, len(moved) - 1):
            if moved[i] >= fixed:
                continue
            low, at, high = moved[i - 1], moved[i], min(moved[i + 1], fixed)
            places = np.arange(low + 1, high)
            left, right = upto[places] - upto[low], upto[moved[i + 1]] - upto[places]
            bits = bits_of(left) + bits_of(right)
            here = at - low - 1
            fits = left.sum(axis=1) >= _KEPT * left[here].sum()
            fits &= right.sum(axis=1) >= _KEPT * right[here].sum()
            fits &= bits <= bits[here] + chance
            fits[here] = True
            best = np.lexsort((np.round(bits, 9), -self.round[places]))
            moved[i] = int(places[next(p for p in best if fits[p])])
        return np.array(moved[1:-1], dtype=np.int64)


@compiled
def _remove(counts, level, round_, highest, chance, wanted, stays):
    """Take borders out of `stays`, and add the parts on their right to those on their left; border 0 is none."""
    n = len(counts)
    before, after = np.arange(n) - 1, np.arange(n) + 1
    loss = np.zeros(n)
    for j in range(1, n):
        loss[j] = _loss(counts, j - 1, j)
    left = n - 1
    while left > wanted:
        best = -1
        for way in range(2 if chance > 0 else 1):  # the least loss, then the least round of about as little
            least, j = loss[best], after[0]
            while j < n:
                low, high = before[j], after[j]
                allowed = level[j] <= highest and (low == 0 or level[j] <= level[low])
                if allowed and (high == n or level[j] <= level[high]):
                    better = loss[j] < loss[best]
                    if way == 1:
                        better = round_[j] < round_[best] or (round_[j] == round_[best] and better)
                        better = better and loss[j] <= least + chance
                    if best < 0 or better:
                        best = j
                j = high
        low, high = before[best], after[best]
        for label in range(counts.shape[1]):
            counts[low, label] += counts[best, label]
        stays[best] = False
        after[low] = high
        if low > 0:
            loss[low] = _loss(counts, before[low], low)
        if high < n:
            before[high] = low
            loss[high] = _loss(counts, low, high)
        left -= 1


@compiled
def _loss(counts, i, j):
    """Bits about the class that are lost when two parts are joined, rounded; without classes, about the part itself."""
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


def _pieces(axis: Axis, rows: np.ndarray) -> np.ndarray:
    """Where the pieces of a long axis start: one rank each, or about equally many rows.

    On a readable axis they start at round numbers, up to a quarter of the rows away; of dates up to half of them, so
    that no first day of a month is out of reach.
    """
    if len(rows) <= MOST_PIECES:
        return np.arange(len(rows))
    upto = np.cumsum(rows)
    if not axis.readable or axis.numbers is None:
        return np.unique(upto * MOST_PIECES // (upto[-1] + 1), return_index=True)[1]
    away = 0.5 if axis.column.kind == "date" else 0.25
    ends = upto[-1] * (np.arange(1, MOST_PIECES)[:, None] + [-away, away]) / MOST_PIECES
    low, high = np.searchsorted(upto, ends).T
    low = np.minimum(low, len(rows) - 2)
    high = np.clip(high, low + 1, len(rows) - 1)
    cuts, _ = round_places(axis.column, axis.numbers[low], axis.numbers[high])
    starts = np.clip(np.searchsorted(axis.numbers, cuts), low + 1, high)
    return np.unique(np.append(0, starts))


def _stays_apart(axis: Axis) -> bool:
    """Whether missing is merged last: k persons have it."""
    rare = axis.rare
    return axis.readable and (rare is None or rare.persons is None or bool(rare.persons[-1] >= rare.rarest))


def _roundness(axis: Axis, starts: np.ndarray) -> np.ndarray:
    """How round the border before each of these ranks is."""
    assert axis.numbers is not None
    found = np.zeros(len(starts), dtype=np.int64)
    inner = (starts > 0) & (starts < axis.n_values)
    ranks = starts[inner]
    found[inner] = round_places(axis.column, axis.numbers[ranks - 1], axis.numbers[ranks])[1]
    return found


def bits_of(counts: np.ndarray) -> np.ndarray:
    """What is not known of rows that stand together, in bits: their classes, or, with one class only, their values."""
    if counts.shape[-1] > 1:
        return entropy_times_n(counts)
    rows = counts[..., 0]
    return rows * np.log2(np.maximum(rows, 1))
