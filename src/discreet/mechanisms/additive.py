# SPDX-License-Identifier: Apache-2.0
"""Additive noise: Laplace, geometric (Laplace on whole numbers) and Gaussian.

Proofs: docs/privacy/differential_privacy.md.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from discreet.errors import DataError
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.exact_sampling import DiscreteLaplace
from discreet.mechanisms.mechanism import Mechanism, opendp, real, scale_for, whole
from discreet.privacy.budget import exact, rho_for
from discreet.privacy.noise import Noise, up

_FINE = 40  # binary places of the sensitivity, below which numbers are rounded


@dataclass(frozen=True, kw_only=True)
class Geometric(Mechanism):
    """Discrete Laplace noise on whole numbers; L1 sensitivity. Exact, and fast for millions of counts.

    >>> mechanism = Geometric(sensitivity=2, epsilon=0.5)
    >>> mechanism.scale, round(mechanism.error, 2)
    (4.0, 3.96)
    """

    name: ClassVar[str] = "geometric"

    def _scale(self) -> float:
        return scale_for(exact(self.sensitivity), self.epsilon)

    @property
    def error(self) -> float:
        return 1 / math.sinh(1 / self.scale) if self.scale > 2e-3 else 0.0  # above, sinh overflows

    def run(self, values: Any) -> np.ndarray:
        return self._add(values, Randomness())

    def simulate(self, values: Any, randomness: Randomness) -> np.ndarray:
        return self._add(values, randomness)  # the same sampler, but reproducible

    def _add(self, values: Any, randomness: Randomness) -> np.ndarray:
        values = whole(values)
        return values + DiscreteLaplace(self.scale).draw(len(values), randomness)


@dataclass(frozen=True, kw_only=True)
class _OnGrid(Mechanism):
    """Noise on `dimension` real numbers, drawn by OpenDP on a fine grid of multiples of a power of two.

    Rounding to the grid can move neighbours apart by one step in each number, so the sensitivity is widened by that.
    """

    dimension: int = 1

    @property
    def grid(self) -> int:
        """The step as an exponent of two: `dimension` steps are at most 2^-40 of the sensitivity."""
        return math.floor(math.log2(self.sensitivity)) - _FINE - math.ceil(math.log2(self.dimension))

    @property
    def covered(self) -> float:
        """The sensitivity of the rounded numbers (in L2 the widening would even be a root of this)."""
        return up(exact(self.sensitivity) + self.dimension * Fraction(2) ** self.grid)

    make: ClassVar[str]  # OpenDP's names of the noise and of the norm
    norm: ClassVar[str]

    @cached_property
    def _measurement(self) -> Any:
        dp = opendp()
        domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=self.dimension)
        return getattr(dp.m, self.make)(domain, getattr(dp, self.norm)(T=float), scale=self.scale, k=self.grid)

    def run(self, values: Any) -> np.ndarray:
        return np.array(self._measurement(self._vector(values).tolist()))

    def _vector(self, values: Any) -> np.ndarray:
        values = real(values)
        if len(values) != self.dimension:
            raise DataError(f"{type(self).__name__} was made for {self.dimension} numbers; got {len(values)}.")
        return values


@dataclass(frozen=True, kw_only=True)
class Laplace(_OnGrid):
    """Laplace noise on real numbers; L1 sensitivity.

    >>> 0.499 < Laplace(sensitivity=1, epsilon=0.5).loss.epsilon <= 0.5
    True
    """

    name: ClassVar[str] = "laplace"
    make: ClassVar[str] = "make_laplace"
    norm: ClassVar[str] = "l1_distance"

    def _scale(self) -> float:
        return scale_for(exact(self.covered), self.epsilon)

    @property
    def error(self) -> float:
        return self.scale

    def simulate(self, values: Any, randomness: Randomness) -> np.ndarray:
        return self._vector(values) + randomness.numpy().laplace(0.0, self.scale, self.dimension)


@dataclass(frozen=True, kw_only=True)
class Gaussian(_OnGrid):
    """Gaussian noise on real numbers, for a delta above zero; L2 sensitivity.

    The scale, a standard deviation, is found through zero-concentrated differential privacy.

    >>> mechanism = Gaussian(sensitivity=1, epsilon=1, delta=1e-6)
    >>> mechanism.loss.epsilon <= 1, round(mechanism.scale, 1)
    (True, 4.5)
    """

    delta: float

    name: ClassVar[str] = "gaussian"
    make: ClassVar[str] = "make_gaussian"
    norm: ClassVar[str] = "l2_distance"

    def _scale(self) -> float:
        rho = rho_for(self.epsilon, self.delta)
        return self.covered / math.sqrt(2 * rho) * (1 + 1e-9) if rho else math.inf

    @property
    def error(self) -> float:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def noise(self) -> Noise:
        return self._noise(delta=float(self.delta))

    def simulate(self, values: Any, randomness: Randomness) -> np.ndarray:
        return self._vector(values) + randomness.numpy().normal(0.0, self.scale, self.dimension)
