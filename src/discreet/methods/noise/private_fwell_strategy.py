# SPDX-License-Identifier: Apache-2.0
"""What the strategies of `PrivateFwell` have in common: a statistic, its noise, and the weights that come of both."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np

from discreet.errors import ParameterError
from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.selection import PermuteAndFlip
from discreet.methods.noise.weighting import limits, n_kept, spread
from discreet.privacy.noise import FINITE

SLACK = 1e-3  # of a sensitivity, for a minimiser that is not exact and for rounding


class Settings(Protocol):
    """The parameters of `PrivateFwell`, which documents them."""

    epsilon: float
    regularization: float
    bounds: Any
    reference: Any
    blocks: int | None
    clip: float
    n_features: int | None


class Strategy:
    """One way to weigh columns under differential privacy. A subclass writes `mechanism` and `statistic`."""

    key: ClassVar[str]
    delta: ClassVar[float] = FINITE
    needs_bounds: ClassVar[bool] = True
    one_row_each: ClassVar[bool] = False  # whether the proof covers one row drawn from each person
    leak: ClassVar[str | None] = None  # why it is not private, if it is not

    def __init__(self, settings: Settings):
        self.settings = settings

    def mechanism(self, rows: int, columns: int) -> Mechanism:
        """The noise for a table of so many rows and columns; docs/methods/private_fwell.md proves the sensitivity."""
        raise NotImplementedError

    def statistic(self, X: Any, labels: Any, names: list[str]) -> np.ndarray:
        """What the noise is put on. Missing cells are NaN, and count as the middle of the bounds."""
        raise NotImplementedError

    def weights(self, X: Any, labels: Any, names: list[str], noise: Mechanism, randomness: Randomness) -> np.ndarray:
        drawn: np.ndarray = noise.apply(self.statistic(X, labels, names), randomness)
        return drawn

    def _within(self, X: Any, names: list[str]) -> tuple[Any, np.ndarray, np.ndarray]:
        """The cells without missing ones, and their bounds. What is refused depends on the bounds alone."""
        bounds = self.settings.bounds
        low, high = limits(bounds, names) if bounds is not None else spread(filled(X, np.zeros(X.shape[1])))
        if is_sparse(X) and bounds is not None and (np.clip(0.0, low, high) != 0).any():
            raise ParameterError("Sparse rows have zeros: give bounds with the zero between them, or dense rows.")
        return filled(X, (low + high) / 2), low, high


class PickingStrategy(Strategy):
    """Columns are picked one after the other; the weights 1, 1 - 1/N, ..., 1/N say the order, and 0 says no pick."""

    delta = 0.0
    one_row_each = True

    def sensitivity(self, rows: int) -> int:
        raise NotImplementedError

    def mechanism(self, rows: int, columns: int) -> PermuteAndFlip:
        picks = n_kept(columns, self.settings.n_features)
        return PermuteAndFlip(sensitivity=self.sensitivity(rows), epsilon=self.settings.epsilon, picks=picks)

    def picks(self, X: Any, labels: Any, names: list[str], noise: Any, randomness: Randomness) -> np.ndarray:
        return super().weights(X, labels, names, noise, randomness)

    def weights(self, X: Any, labels: Any, names: list[str], noise: Mechanism, randomness: Randomness) -> np.ndarray:
        picked = self.picks(X, labels, names, noise, randomness)
        weights = np.zeros(X.shape[1])
        weights[picked] = 1 - np.arange(len(picked)) / len(picked)
        return weights


def filled(X: Any, middle: np.ndarray) -> Any:
    """X with these numbers, one for each column, in place of missing ones."""
    if not is_sparse(X):
        return np.where(np.isnan(X), middle, X)
    return sp.csr_array((np.where(np.isnan(X.data), middle[X.indices], X.data), X.indices, X.indptr), shape=X.shape)
