# SPDX-License-Identifier: Apache-2.0
"""Privacy budgets and how they add up.

basic   the epsilons and the deltas of several releases are summed
zcdp    the releases' zero-concentrated losses rho are summed and turned into an epsilon at the end, for a delta that
        is fixed beforehand; better than `basic` for many small releases

Both hold even if each release is chosen after seeing earlier ones, as long as the limit was fixed beforehand. Numbers
count as they are written: ten times 0.1 is exactly 1. Proofs: docs/privacy/differential_privacy.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from numbers import Rational, Real
from typing import Any, ClassVar

from discreet.errors import ParameterError
from discreet.foundation.parameters import Interval, check_parameters

ACCOUNTING = ("basic", "zcdp")
NEIGHBOURS = ("replace-one", "add-remove")  # one row differs; one row more or less


def exact(number: float | Fraction) -> Fraction:
    """The exact value of a number as written, without the error of binary fractions.

    >>> exact(0.1) * 10 == 1
    True
    """
    if isinstance(number, Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    return Fraction(repr(float(number)))


@dataclass(frozen=True)
class Budget:
    """The cost of a release, or a limit for several. `rho` is the zero-concentrated loss, if known.

    >>> Budget(0.5).rho
    0.125
    """

    epsilon: float
    delta: float = 0.0
    rho: float | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "epsilon": [Interval(Real, 0, None, closed="left")],
        "delta": [Interval(Real, 0, 1, closed="left")],
        "rho": [None, Interval(Real, 0, None, closed="left")],
    }

    def __post_init__(self) -> None:
        check_parameters(self, self._parameter_constraints)
        if math.isinf(self.epsilon):
            raise ParameterError("The 'epsilon' parameter of Budget must be finite: an infinite one hides nothing.")
        if self.rho is None and self.delta == 0:  # epsilon-differential privacy is epsilon^2/2-zCDP
            object.__setattr__(self, "rho", self.epsilon**2 / 2)

    def __str__(self) -> str:
        return f"epsilon {self.epsilon:g}" + (f", delta {self.delta:g}" if self.delta else "")


def total(budgets: Iterable[Budget]) -> Budget:
    """Total cost of releases by basic composition.

    >>> total([Budget(0.1)] * 10).epsilon
    1.0
    """
    budgets = list(budgets)
    rhos = [exact(b.rho) for b in budgets if b.rho is not None]
    epsilon, delta = (sum(exact(getattr(b, name)) for b in budgets) for name in ("epsilon", "delta"))
    rho = float(sum(rhos)) if len(rhos) == len(budgets) else None
    return Budget(float(epsilon), min(float(delta), _BELOW_ONE), rho)


_BELOW_ONE = math.nextafter(1.0, 0.0)


def within(budgets: Iterable[Budget], limit: Budget, accounting: str = "basic") -> bool:
    """Whether the releases together stay within a limit.

    >>> within([Budget(0.1)] * 40, Budget(2.0, 1e-6)), within([Budget(0.1)] * 40, Budget(3.5, 1e-6), "zcdp")
    (False, True)
    """
    budgets = list(budgets)
    if accounting == "zcdp":
        spent = total(budgets).rho
        return spent is not None and limit.delta > 0 and spent <= rho_for(limit.epsilon, limit.delta)
    return sum(exact(b.epsilon) for b in budgets) <= exact(limit.epsilon) and (
        sum(exact(b.delta) for b in budgets) <= exact(limit.delta)
    )


# -- zero-concentrated differential privacy ----------------------------------------------------------------------------


def epsilon_of(rho: float, delta: float) -> float:
    """The epsilon that rho-zCDP gives at delta (Canonne, Kamath and Steinke 2020, corollary 13).

    Every order alpha > 1 gives a valid epsilon; the smallest is sought, and rounded up.
    """
    if rho == 0:
        return 0.0
    low, high = -40.0, 40.0  # ln(alpha - 1); the function falls, then rises
    for _ in range(100):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if _epsilon_at(math.exp(left), rho, delta) <= _epsilon_at(math.exp(right), rho, delta):
            high = right
        else:
            low = left
    return max(0.0, _epsilon_at(math.exp(low), rho, delta) * (1 + 1e-12))


def _epsilon_at(excess: float, rho: float, delta: float) -> float:
    """The bound at the order alpha = 1 + excess."""
    alpha = 1 + excess
    return alpha * rho - math.log(alpha * delta) / excess - math.log1p(1 / excess)


@lru_cache(maxsize=256)  # a release needs the same one several times
def rho_for(epsilon: float, delta: float) -> float:
    """The largest rho (a little below it) for which rho-zCDP gives (epsilon, delta)-differential privacy."""
    low, high = 0.0, 1.0
    while epsilon_of(high, delta) <= epsilon:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if epsilon_of(middle, delta) <= epsilon else (low, middle)
    return low
