# SPDX-License-Identifier: Apache-2.0
"""Exact discrete Laplace noise: Pr[x] proportional to exp(-|x|/scale) on the whole numbers, many draws at once.

The binary digits of a geometric number are independent: digit k is one with probability 1/(1 + exp(2^k/scale)). So a
draw is a handful of coin tosses. A coin compares random words with as many digits of its probability in base 2^32 as it
needs: nothing is rounded, there is no floating point, and all probabilities are exact.
OpenDP's sampler is exact too, but draws one number at a time; a table with a million cells needs a million.
"""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np

from discreet.errors import ParameterError
from discreet.foundation.randomness import Randomness

_WORD = 2**32
_SMALLEST, _LARGEST = 2.0**-10, 2.0**40  # scales, for which sums of noise and scores stay far within 64 bits


class Coin:
    """A coin with probability 1/(1 + exp(x)) ("logistic") or, for x > 0, exp(-x) ("power").

    >>> int(Coin(Fraction(0), "logistic").throw(1000, Randomness(1)).sum()) in range(400, 600)
    True
    """

    def __init__(self, exponent: Fraction, kind: str):
        self.exponent, self.kind = exponent, kind
        self._digits: list[int] = []

    def throw(self, n: int, randomness: Randomness) -> np.ndarray:
        """Toss n times. A word below the digit is heads, above it tails; if equal, the next digit decides."""
        heads = np.zeros(n, dtype=bool)
        open_ = np.arange(n)
        place = 0
        while len(open_):
            words = np.frombuffer(randomness.bytes(4 * len(open_)), dtype="<u4")
            digit = self.digit(place)
            heads[open_] = words < digit
            open_ = open_[words == digit]
            place += 1
        return heads

    def digit(self, place: int) -> int:
        """A digit of the probability in base 2^32; place 0 is the first after the point."""
        while len(self._digits) <= place:
            self._digits = self._expanded(len(self._digits) + 3)
        return self._digits[place]

    def _expanded(self, places: int) -> list[int]:
        """The first digits, from an interval that is narrowed until it determines all of them."""
        extra = 8
        while True:
            low, high = (int(bound * _WORD**places) for bound in self._bounds(10 * places + extra))
            if low == high:
                return [(low >> (32 * (places - 1 - place))) % _WORD for place in range(places)]
            extra *= 2

    def _bounds(self, precision: int) -> tuple[Fraction, Fraction]:
        if self.exponent == 0:  # the one probability that is a fraction
            return Fraction(1, 2), Fraction(1, 2)
        powers = _exp(-self.exponent, precision)
        if self.kind == "power":
            return powers
        return powers[0] / (1 + powers[0]), powers[1] / (1 + powers[1])


def _exp(x: Fraction, precision: int) -> tuple[Fraction, Fraction]:
    """Bounds of exp(x) for x < 0. Decimal's exp is correctly rounded, so one unit either way encloses the value."""
    bounds = []
    for rounding in (ROUND_FLOOR, ROUND_CEILING):
        with localcontext(Context(prec=precision + 4, rounding=rounding, Emin=-(10**9), Emax=10**9)) as context:
            power = (Decimal(x.numerator) / Decimal(x.denominator)).exp()
            bounds.append(Fraction(context.next_minus(power) if rounding == ROUND_FLOOR else context.next_plus(power)))
    return bounds[0], bounds[1]


class DiscreteLaplace:
    """Draws of discrete Laplace noise of one scale.

    >>> DiscreteLaplace(2.0).draw(4, Randomness(3)).dtype
    dtype('int64')
    """

    def __init__(self, scale: float):
        if not _SMALLEST <= scale <= _LARGEST:
            raise ParameterError(
                f"Discrete Laplace noise must have a scale from {_SMALLEST:g} to {_LARGEST:g}. Got {scale!r} instead."
                " Change epsilon, or the unit in which the numbers are counted."
            )
        self._coins, self._more = _coins(Fraction(scale))

    def draw(self, n: int, randomness: Randomness) -> np.ndarray:
        """Draw n times: geometric numbers with a sign; minus zero is drawn again, or zero would count twice."""
        noise = np.zeros(n, dtype=np.int64)
        open_ = np.arange(n)
        sign = Coin(Fraction(0), "logistic")
        while len(open_):
            size = self._geometric(len(open_), randomness)
            minus = sign.throw(len(open_), randomness)
            noise[open_] = np.where(minus, -size, size)
            open_ = open_[minus & (size == 0)]
        return noise

    def _geometric(self, n: int, randomness: Randomness) -> np.ndarray:
        size = np.zeros(n, dtype=np.int64)
        for k, coin in enumerate(self._coins):
            size |= coin.throw(n, randomness).astype(np.int64) << k
        beyond = np.arange(n)
        while len(beyond):  # the number of whole 2^K beyond the digits; it forgets how many there were before
            beyond = beyond[self._more.throw(len(beyond), randomness)]
            size[beyond] += 1 << len(self._coins)
        return size


@lru_cache(maxsize=64)
def _coins(scale: Fraction) -> tuple[list[Coin], Coin]:
    """A coin for each binary digit below 2^K; and one for reaching 2^K, whose probability exp(-2^K/scale) is tiny."""
    top = max(0, math.ceil(math.log2(32 * float(scale))))
    return [Coin(2**k / scale, "logistic") for k in range(top)], Coin(2**top / scale, "power")
