# SPDX-License-Identifier: Apache-2.0
"""Select the largest of many scores: only their indices are released, in the order of the picks, never a score.

LaplaceTop       the largest scores after Laplace noise; the scale has the factor 2 that is often forgotten
Exponential      the exponential mechanism, pick by pick without replacement (the same as one draw of Gumbel noise)
PermuteAndFlip   the same with exponential noise; never worse in expectation than Exponential

Scores are whole numbers, and `sensitivity` is the most that any one of them changes. So ties and floating point do not
matter in the proofs (docs/privacy/differential_privacy.md): the noise is exact, and whole numbers are compared.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from discreet.errors import DataError
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.exact_sampling import DiscreteLaplace
from discreet.mechanisms.mechanism import Mechanism, opendp, scale_for, whole
from discreet.privacy.budget import exact
from discreet.privacy.noise import Noise


@dataclass(frozen=True, kw_only=True)
class Selection(Mechanism):
    """Picks the indices of `picks` large scores, each pick at a cost of epsilon/picks."""

    picks: int = 1

    def _scale(self) -> float:
        return scale_for(2 * self.picks * exact(self.sensitivity), self.epsilon)

    @property
    def error(self) -> float:
        """The shortfall among 100 candidates that is exceeded with probability at most 1/2."""
        return self.shortfall(100)

    def shortfall(self, candidates: int, odds: float = 0.5) -> float:
        """How far the first pick's score may lie below the best one, except with this probability."""
        return self.scale * math.log(candidates / odds)

    @property
    def noise(self) -> Noise:
        return self._noise(picks=int(self.picks))

    def _scores(self, scores: Any) -> np.ndarray:
        scores = whole(scores)
        if len(scores) < self.picks:
            raise DataError(f"{self.picks} picks are impossible among {len(scores)} candidates. Ask for fewer.")
        return scores


def largest(scores: np.ndarray, picks: int) -> np.ndarray:
    """Indices of the largest scores, largest first, equal ones by index."""
    return np.lexsort((np.arange(len(scores)), -scores))[:picks]


@dataclass(frozen=True, kw_only=True)
class LaplaceTop(Selection):
    """Picks the indices of the largest scores after discrete Laplace noise.

    >>> LaplaceTop(sensitivity=1, epsilon=2, picks=2).scale
    2.0
    """

    name: ClassVar[str] = "laplace-top"

    def shortfall(self, candidates: int, odds: float = 0.5) -> float:
        return 2 * self.scale * math.log(2 * candidates / odds)  # all noise lies within half of this on either side

    def run(self, values: Any) -> np.ndarray:
        return self._top(values, Randomness())

    def simulate(self, values: Any, randomness: Randomness) -> np.ndarray:
        return self._top(values, randomness)

    def _top(self, values: Any, randomness: Randomness) -> np.ndarray:
        scores = self._scores(values)
        return largest(scores + DiscreteLaplace(self.scale).draw(len(scores), randomness), self.picks)


@dataclass(frozen=True, kw_only=True)
class _Peeling(Selection):
    """Picks indices one by one without replacement, by OpenDP."""

    measure: ClassVar[str]

    @cached_property
    def _measurement(self) -> Any:
        dp = opendp()
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
        return dp.m.make_noisy_top_k(*space, getattr(dp, self.measure)(), k=self.picks, scale=self.scale)

    def run(self, values: Any) -> np.ndarray:
        return np.array(self._measurement(self._scores(values).tolist()), dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Exponential(_Peeling):
    """The exponential mechanism: each pick among the rest has probability proportional to exp(score/scale)."""

    name: ClassVar[str] = "exponential"
    measure: ClassVar[str] = "zero_concentrated_divergence"  # OpenDP then draws by the exponential mechanism

    def simulate(self, values: Any, randomness: Randomness) -> np.ndarray:
        scores = self._scores(values)
        return largest(scores + randomness.numpy().gumbel(0.0, self.scale, len(scores)), self.picks)


@dataclass(frozen=True, kw_only=True)
class PermuteAndFlip(_Peeling):
    """Permute and flip: candidates in random order, each accepted with probability exp(-(best - score)/scale)."""

    name: ClassVar[str] = "permute-and-flip"
    measure: ClassVar[str] = "max_divergence"

    def simulate(self, values: Any, randomness: Randomness) -> np.ndarray:
        scores, generator, picked = self._scores(values).astype(float), randomness.numpy(), []
        for _ in range(self.picks):
            picked.append(int(largest(scores + generator.exponential(self.scale, len(scores)), 1)[0]))
            scores[picked[-1]] = -math.inf
        return np.array(picked, dtype=np.int64)
