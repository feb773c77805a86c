# SPDX-License-Identifier: Apache-2.0
"""What all mechanisms share: noise made for a sensitivity and an epsilon, a statement of what it costs, two back ends.

`run` draws from the system's secure generator, without errors of floating point: what it returns may be released.
`simulate` draws from a NumPy generator with a seed, for studies; whoever knows the seed can take the noise off again.
`apply` chooses by the randomness it is given: secure randomness runs, seeded randomness simulates.
"""

from __future__ import annotations

import importlib
import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.errors import DataError, DiscreetError, ParameterError
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.foundation.randomness import Randomness
from discreet.privacy.budget import NEIGHBOURS, Budget, exact
from discreet.privacy.noise import Noise


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """Noise that makes a function of the data private. A subclass writes `_scale`, `error`, `run` and `simulate`.

    sensitivity  the most that the function changes between neighbours, in the norm of the mechanism; proved by the
                 caller, for every pair of neighbouring tables and not only for the one at hand
    epsilon      the cost of one use
    neighbours   which tables are neighbours
    """

    sensitivity: float
    epsilon: float
    neighbours: str = "replace-one"

    name: ClassVar[str] = ""  # as statements spell it
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sensitivity": [Interval(Real, 0, None, closed="neither")],
        "epsilon": [Interval(Real, 0, None, closed="neither")],
        "neighbours": [StrOptions(set(NEIGHBOURS))],
        "picks": [Interval(Integral, 1, None, closed="left")],
        "delta": [Interval(Real, 0, 1, closed="neither")],
        "dimension": [Interval(Integral, 1, None, closed="left")],
    }

    def __post_init__(self) -> None:
        constraints = {name: ranges for name, ranges in self._parameter_constraints.items() if hasattr(self, name)}
        check_parameters(self, constraints)
        if not 0 < self.scale < math.inf:
            raise ParameterError(f"{type(self).__name__} is not possible with these parameters: its scale is infinite.")

    # -- what it states --------------------------------------------------------------------------------------------

    @cached_property
    def scale(self) -> float:
        """The scale of the noise, rounded up so that the loss never exceeds epsilon."""
        return self._scale()

    @abstractmethod
    def _scale(self) -> float:
        """The scale for the sensitivity and epsilon; infinite if there is none."""

    @property
    @abstractmethod
    def error(self) -> float:
        """The expected absolute error of one number; for a selection, its `shortfall`."""

    @property
    def noise(self) -> Noise:
        """The statement for a certificate."""
        return self._noise()

    def _noise(self, **more: Any) -> Noise:
        plain = int(self.covered) if isinstance(self.covered, Integral) else float(self.covered)
        return Noise(self.name, plain, self.scale, neighbours=self.neighbours, **more)

    @property
    def covered(self) -> float:
        """The sensitivity that the scale covers."""
        return self.sensitivity

    @property
    def loss(self) -> Budget:
        """The cost of one use."""
        return self.noise.loss

    # -- what it does ----------------------------------------------------------------------------------------------

    def apply(self, values: Any, randomness: Randomness) -> np.ndarray:
        """Run on secure randomness, simulate on seeded randomness."""
        return self.simulate(values, randomness) if randomness.seeded else self.run(values)

    @abstractmethod
    def run(self, values: Any) -> np.ndarray:
        """The noisy answer, which may be released."""

    @abstractmethod
    def simulate(self, values: Any, randomness: Randomness) -> np.ndarray:
        """A noisy answer for studies: reproducible, and therefore not private."""


def scale_for(cost: Fraction | int, epsilon: float) -> float:
    """The smallest number that is at least cost/epsilon."""
    ratio = cost / exact(epsilon)
    try:
        near = float(ratio)
    except OverflowError:
        return math.inf
    return near if Fraction(near) >= ratio else math.nextafter(near, math.inf)


def whole(values: Any) -> np.ndarray:
    """Whole numbers as an int64 vector."""
    array = np.atleast_1d(np.asarray(values))
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise DataError("This mechanism takes a vector of whole numbers. Count, or scale and round, first.")
    return array.astype(np.int64)


def real(values: Any) -> np.ndarray:
    """Finite numbers as a vector of floats."""
    array = np.atleast_1d(np.asarray(values, dtype=float))
    if array.ndim != 1 or not np.isfinite(array).all():
        raise DataError("This mechanism takes a vector of finite numbers.")
    return array


def opendp() -> Any:
    """OpenDP, which the extra `dp` installs."""
    try:
        dp = importlib.import_module("opendp.prelude")
    except ImportError:
        raise DiscreetError("Noise for a release comes from OpenDP. Install it: pip install 'discreet[dp]'.") from None
    dp.enable_features("contrib")
    return dp
