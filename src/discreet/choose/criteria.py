# SPDX-License-Identifier: Apache-2.0
"""A criterion for candidates: their values, which direction is better, and its weight.

Ranks count from the worst, which is 1; equal values share the lowest of their ranks (1-2-2-4). Levels are values on a
scale from 0 (worst) to 1 (best). Both are exact: numbers count as written in decimals, so that 0.1 + 0.2 is 0.3, and
candidates that are equal on paper are equal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from discreet.errors import ParameterError, shown

Number = int | float | Decimal | Fraction


def repeated(names: Sequence[str]) -> list[str]:
    """The names that occur more than once, each once."""
    return [name for name in dict.fromkeys(names) if names.count(name) > 1]


def exact(number: Number) -> Fraction:
    """The exact value of a number as written.

    >>> exact(0.1) + exact(0.2) == exact(0.3)
    True
    """
    if isinstance(number, Fraction):
        return number
    if isinstance(number, Decimal):
        if number.is_finite():
            return Fraction(number)
    else:
        plain = number.item() if hasattr(number, "item") else number  # NumPy's numbers
        if isinstance(plain, (int, float)) and math.isfinite(plain):
            return Fraction(plain) if isinstance(plain, int) else Fraction(repr(plain))
    raise ParameterError(f"Only finite numbers can be compared; this {type(number).__name__!r} is none.")


@dataclass(frozen=True)
class Criterion:
    """A criterion; `values` has one value for each candidate.

    higher_is_better  whether larger values are better
    weight            0 ignores the criterion
    digits            decimals to which values are rounded first
    scale             (worst, best): the values of levels 0 and 1; by default those of the worst and the best candidate
    noise             how far behind the best chance may put a value: levels count what is lacking beyond it

    >>> performance = Criterion("performance", [74.4, 73.0, 73.0, 72.9])
    >>> performance.ranks
    (4, 2, 2, 1)
    >>> [float(level) for level in Criterion("size", [1, 2, 5], higher_is_better=False).levels]
    [1.0, 0.75, 0.0]
    >>> [float(level) for level in Criterion("accuracy", [0.9, 0.8, 0.5], scale=(0.5, 0.9), noise=0.1).levels]
    [1.0, 1.0, 0.25]
    """

    name: str
    values: Sequence[Number]
    higher_is_better: bool = True
    weight: Number = 1
    digits: int | None = None
    scale: tuple[Number, Number] | None = None
    noise: Number = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self._exact(value, place) for place, value in enumerate(self.values)))
        if self._exact(self.weight) < 0:
            raise ParameterError(f"The weight of {shown(self.name)} is below 0. Take 0 to leave a criterion out.")
        if exact(self.noise) < 0:
            raise ParameterError(f"The noise of {shown(self.name)} is below 0. Take 0 if its values are exact.")
        if self.scale is not None:
            worst, best = map(exact, self.scale)
            if worst == best or (worst < best) != self.higher_is_better:
                way = "above" if self.higher_is_better else "below"
                raise ParameterError(
                    f"The scale of {shown(self.name)} is (worst, best), with the best {way} the worst."
                )

    def _exact(self, number: Number, place: int | None = None) -> Fraction:
        try:
            return exact(number)
        except ParameterError:
            what = "The weight" if place is None else f"Value {place + 1} of {len(self.values)}"
            raise ParameterError(
                f"{what} of {shown(self.name)} is a {type(number).__name__!r} that is no finite number; one is needed."
            ) from None

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def goodness(self) -> tuple[Fraction, ...]:
        """The values, rounded to `digits` and with a sign that makes larger ones better."""
        digits, values = self.digits, [exact(value) for value in self.values]
        if digits is not None:
            values = [round(value, digits) for value in values]
        return tuple(values) if self.higher_is_better else tuple(-value for value in values)

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each candidate: 1 plus the number of worse ones."""
        counts: dict[Fraction, int] = {}
        for value in self.goodness:
            counts[value] = counts.get(value, 0) + 1
        distinct = sorted(counts)
        places = dict(zip(distinct, accumulate((counts[value] for value in distinct), initial=1), strict=False))
        return tuple(places[value] for value in self.goodness)

    @cached_property
    def levels(self) -> tuple[Fraction, ...]:
        """The values on the scale from 0 (worst) to 1 (best); 1 for all if all are equal.

        Every value counts as better by the noise, but not better than the best: values within noise of the best are
        equal, and there is no step beyond them.
        """
        if self.scale is None:
            worst, best = min(self.goodness, default=Fraction(0)), max(self.goodness, default=Fraction(0))
        else:
            sign = 1 if self.higher_is_better else -1
            worst, best = sign * exact(self.scale[0]), sign * exact(self.scale[1])
        if worst == best:
            return (Fraction(1),) * len(self)
        noise, most = exact(self.noise), max(self.goodness, default=Fraction(0))
        return tuple((min(value + noise, most) - worst) / (best - worst) for value in self.goodness)


def check_weights(criteria: Sequence[Criterion]) -> None:
    """ParameterError unless the weights sum to 1, within 0.01."""
    total = sum((exact(criterion.weight) for criterion in criteria), Fraction(0))
    if abs(total - 1) > Fraction(1, 100):
        listed = ", ".join(f"{criterion.name}={float(exact(criterion.weight)):g}" for criterion in criteria)
        hint = " Give one of them a weight."
        if total > 0:
            shares = (f"{criterion.name}={float(exact(criterion.weight) / total):.4g}" for criterion in criteria)
            hint = f" In the same proportion: {', '.join(shares)}."
        raise ParameterError(f"The weights must sum to 1; {listed} sum to {float(total):g}.{hint}")
