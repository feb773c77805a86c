# SPDX-License-Identifier: Apache-2.0
"""Stated uses of noise, and the privacy loss that follows from each.

Anyone can repeat this arithmetic from a certificate. That the sensitivity is right is proved on the page that `proof`
names; that the noise was drawn rests on the holder's word.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, ClassVar

from discreet.errors import DataError, did_you_mean
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.privacy.budget import NEIGHBOURS, Budget, epsilon_of, exact

KEY = "noise"  # of a document
PAGE = "docs/privacy/differential_privacy.md"
FINITE = 2.0**-100  # delta of Euclidean noise, due to finite arithmetic


@dataclass(frozen=True)
class Cost:
    """The cost of a mechanism, with the norm of its sensitivity and the anchor of its proof."""

    norm: str
    anchor: str
    epsilon: Callable[[Noise], Fraction] | None  # None if it needs a delta
    rho: Callable[[Noise], Fraction] | None = None
    delta: float = 0.0


@dataclass(frozen=True)
class Noise:
    """One use of a mechanism: its scale, the sensitivity it was calibrated to, and its number of picks.

    >>> Noise("laplace", sensitivity=2, scale=4.0).loss.epsilon
    0.5
    """

    mechanism: str
    sensitivity: float
    scale: float
    picks: int = 1
    delta: float = 0.0
    neighbours: str = "replace-one"

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "mechanism": [str],
        "sensitivity": [Interval(Real, 0, None, closed="left")],
        "scale": [Interval(Real, 0, None, closed="neither")],
        "picks": [Interval(Integral, 1, None, closed="left")],
        "delta": [Interval(Real, 0, 1, closed="left")],
        "neighbours": [StrOptions(set(NEIGHBOURS))],
    }

    def __post_init__(self) -> None:
        check_parameters(self, self._parameter_constraints)
        if self.mechanism not in COSTS:
            raise DataError(f"{self.mechanism!r} is not a known mechanism.{did_you_mean(self.mechanism, COSTS)}")
        if math.isinf(self.sensitivity) or math.isinf(self.scale):
            raise DataError("The sensitivity and the scale of noise must be finite.")
        if self.delta < COSTS[self.mechanism].delta:
            raise DataError(
                f"The mechanism {self.mechanism!r} has a delta of at least {COSTS[self.mechanism].delta:g}."
            )

    @property
    def proof(self) -> str:
        """Page and anchor of the proof."""
        return f"{PAGE}#{COSTS[self.mechanism].anchor}"

    @property
    def loss(self) -> Budget:
        """The cost of this use; the smaller epsilon if there are two ways to compute it."""
        cost = COSTS[self.mechanism]
        rho = None if cost.rho is None else up(cost.rho(self))
        epsilons = [] if cost.epsilon is None else [up(cost.epsilon(self))]
        if rho is not None and self.delta:
            epsilons.append(epsilon_of(rho, self.delta))
        if not epsilons:
            raise DataError(f"The mechanism {self.mechanism!r} keeps no promise without a delta.")
        return Budget(min(epsilons), self.delta, rho)

    def sentence(self) -> str:
        """The statement in words."""
        picks = f", {self.picks} picks" if self.picks > 1 else ""
        return (
            f"{self.mechanism}{picks}: scale {self.scale:g}, {COSTS[self.mechanism].norm} sensitivity"
            f" {self.sensitivity:g} ({self.neighbours} neighbours), {self.loss}; proof: {self.proof}"
        )


def statement(uses: Iterable[Noise]) -> tuple[dict[str, Any], ...]:
    """Uses of noise as plain JSON."""
    return tuple(map(asdict, uses))


def from_statement(uses: object) -> list[Noise]:
    """The inverse of `statement`."""
    listed = isinstance(uses, (list, tuple))
    if not listed or not all(isinstance(use, dict) and set(use) == _FIELDS for use in uses):  # type: ignore[attr-defined]
        raise DataError("The noise is not stated, or not in the form that discreet writes.")
    return [Noise(**use) for use in uses]  # type: ignore[attr-defined]


def up(value: Fraction) -> float:
    """The smallest float that is written as no less than the value: 1/10 gives 0.1."""
    near = float(value)
    return near if exact(near) >= value else math.nextafter(near, math.inf)


def _ratio(noise: Noise) -> Fraction:
    return exact(noise.sensitivity) / Fraction(noise.scale)


_FIELDS = {field.name for field in fields(Noise)}

COSTS: dict[str, Cost] = {
    "laplace": Cost("L1", "laplace-noise", _ratio),
    "geometric": Cost("L1", "geometric-noise", _ratio),
    "gaussian": Cost("L2", "gaussian-noise", None, rho=lambda noise: _ratio(noise) ** 2 / 2),
    "euclidean": Cost("L2", "euclidean-noise", _ratio, delta=FINITE),
    "laplace-top": Cost("per-score", "noisy-top-n", lambda noise: 2 * noise.picks * _ratio(noise)),
    "exponential": Cost(
        "per-score",
        "exponential-mechanism",
        lambda noise: 2 * noise.picks * _ratio(noise),
        rho=lambda noise: noise.picks * (2 * _ratio(noise)) ** 2 / 8,
    ),
    "permute-and-flip": Cost(
        "per-score",
        "permute-and-flip",
        lambda noise: 2 * noise.picks * _ratio(noise),
        rho=lambda noise: noise.picks * (2 * _ratio(noise)) ** 2 / 2,
    ),
}
