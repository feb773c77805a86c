# SPDX-License-Identifier: Apache-2.0
"""Adds and swaps: force a feature into a set, drop what no longer fits, fill up again, until none improves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from discreet.foundation.progress import progress
from discreet.methods.containment.optimal_best import Best, by_weight
from discreet.methods.containment.optimal_models import STRONG, Ridge

_CLIMBED = 3  # of the best sets, improved
_BATCH = 32  # features that are tried at a time, in the order of what they are likely to gain
_WORK = 2e10  # multiplications that the evaluations may take in all, roughly
_OVERHEAD = 1e7  # multiplications in whose time an evaluation could be made besides
_SLACK = 0.002  # below the value of the set: so near, the free room is filled before it is judged


def improve(best: Best) -> None:
    """Climb from the best sets found so far; `settled` says whether no add and no swap improves the best one."""
    model = None if best.worth.modular else Ridge(best.baskets)
    climb = _Climb(best, model)
    with progress("Exchanging features") as bar:
        for features in best.leaders(_CLIMBED):
            if climb.up(features, bar.advance) and frozenset(best.features) == climb.top:
                best.settled = True


class _Climb:
    """Work done so far, and the set at which the last climb ended."""

    def __init__(self, best: Best, model: Ridge | None):
        self.best, self.model, self.work, self.top = best, model, 0.0, frozenset[int]()

    def up(self, features: list[int], tick: Callable[[], None]) -> bool:
        """Exchange features until none helps: True; or until the work or the time is used up: False."""
        value, improved = self.best.values[frozenset(features)], True
        while improved:
            improved = False
            for forced in self._exchanges(features):
                if self.work > _WORK or self.best.late():
                    return False
                tick()
                found, worth = self._filled(forced, value)
                if worth > value:
                    features, value, improved = found, worth, True
                    break
        self.top = frozenset(features)
        return True

    def _exchanges(self, features: list[int]) -> Iterator[list[int]]:
        """The set with each other feature and without those that it rules out, a batch at a time, by what that is
        likely to gain."""
        best, inside = self.best, set(features)
        gains, losses = self._gains(features), np.zeros(best.baskets.shape[1])
        losses[features] = best.worth.alone(features) if self.model is None else self.model.needed(features)
        mine = by_weight(features, losses)
        others = by_weight([item for item in best.items if item not in inside], gains)
        for first in range(0, len(others), _BATCH):
            sets = []
            for candidate in others[first : first + _BATCH]:
                forced = best.fill([], [candidate, *mine])
                lost = losses[sorted(inside.difference(forced))].sum()
                sets.append((lost - gains[candidate], forced))
            yield from (forced for _, forced in sorted(sets))

    def _filled(self, forced: list[int], value: float) -> tuple[list[int], float]:
        """The set, or, if it is nearly as good as the one before, what it becomes with all that still fits."""
        best, worth = self.best, self._value(forced)
        if value - _SLACK * abs(value) < worth:
            filled = best.filled(forced, self._gains(forced))
            if len(filled) > len(forced) and (more := self._value(filled)) > worth:
                return best.trimmed(filled), more
        return best.trimmed(forced), worth

    def _gains(self, features: list[int]) -> np.ndarray:
        """What each column of the baskets is likely to add to the set."""
        if self.model is not None:
            return self.model.unexplained(features, STRONG * len(self.best.baskets))
        gains = np.zeros(self.best.baskets.shape[1])
        gains[self.best.items] = self.best.worth.alone(self.best.items)
        return gains

    def _value(self, features: list[int]) -> float:
        n, d = len(self.best.baskets), len(features)
        self.work += _OVERHEAD + n * d * d + 4 * d**3
        return self.best.value_of(features)
