# SPDX-License-Identifier: Apache-2.0
"""Euclidean noise for vectors: density proportional to exp(-norm/scale).

Its direction is uniform on the sphere, and its norm has the Gamma distribution with as many degrees as there are
dimensions. In binary floating point the set of possible outputs would depend on the input vector, and the last bits
would reveal it. So the noise is computed with 160 decimal digits and the sum is rounded to a coarse grid: errors in
far lower digits change the few remaining ones only with probability below 2^-100. That is the stated delta, and the
whole cost, since rounding an answer that is already private costs nothing more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from discreet.errors import DataError, ParameterError
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.mechanism import Mechanism, real, scale_for
from discreet.privacy.budget import exact
from discreet.privacy.noise import FINITE, Noise

DIGITS = 160  # of all intermediate results
_BYTES = 64  # of a uniform number: 512 bits
_COARSE = 10  # binary digits of the scale kept in the answer
_FAR = 2.0**40  # scales, to which larger numbers are clipped


@dataclass(frozen=True, kw_only=True)
class Euclidean(Mechanism):
    """Noise on a vector; L2 sensitivity. The proof needs at most 2^20 dimensions and epsilon 60.

    >>> mechanism = Euclidean(sensitivity=0.5, epsilon=1, dimension=3)
    >>> mechanism.scale, round(mechanism.error, 2), mechanism.loss.delta == 2**-100
    (0.5, 0.75, True)
    """

    dimension: int = 1

    name: ClassVar[str] = "euclidean"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.dimension > 2**20 or self.epsilon > 60:
            raise ParameterError("Euclidean noise is for at most 2^20 dimensions and an epsilon of at most 60.")

    def _scale(self) -> float:
        return scale_for(exact(self.sensitivity), self.epsilon)

    @property
    def error(self) -> float:
        """The expected absolute error of one coordinate: the mean norm times a coordinate's mean share."""
        d = self.dimension
        share = math.exp(math.lgamma(d / 2) - math.lgamma((d + 1) / 2)) / math.sqrt(math.pi)
        return d * self.scale * share

    @property
    def grid(self) -> float:
        """The step of the answers' grid: a power of two, about a thousandth of the scale."""
        return 2.0 ** (math.floor(math.log2(self.scale)) - _COARSE)

    @property
    def noise(self) -> Noise:
        return self._noise(delta=FINITE)

    def run(self, values: Any) -> np.ndarray:
        values = self._vector(values)
        with localcontext(Context(prec=DIGITS, rounding=ROUND_HALF_EVEN, Emin=-(10**9), Emax=10**9)) as context:
            noise = _noise(self.dimension, _decimal(Fraction(self.scale)), Randomness())
            step = Decimal(self.grid)
            steps = [((Decimal(v) + b) / step).to_integral_value() for v, b in zip(values.tolist(), noise, strict=True)]
            return np.array([float(context.multiply(count, step)) for count in steps])

    def simulate(self, values: Any, randomness: Randomness) -> np.ndarray:
        values, generator = self._vector(values), randomness.numpy()
        direction = generator.normal(size=self.dimension)
        norm = generator.gamma(self.dimension, self.scale)
        return np.round((values + norm * direction / np.linalg.norm(direction)) / self.grid) * self.grid

    def _vector(self, values: Any) -> np.ndarray:
        values = real(values)
        if len(values) != self.dimension:
            raise DataError(f"The noise was made for {self.dimension} dimensions; the vector has {len(values)}.")
        return np.clip(
            values, -_FAR * self.scale, _FAR * self.scale
        )  # an error would leak; clipping does not increase distances


def _noise(dimension: int, scale: Decimal, randomness: Randomness) -> list[Decimal]:
    """A noise vector, in the precision of the current context."""
    normal = _normals(dimension, randomness)
    length = sum((x * x for x in normal), Decimal(0)).sqrt()
    product = Decimal(1)
    for uniform in _uniforms(dimension, randomness):  # a sum of exponentials is minus the logarithm of a product
        product *= uniform
    radius = -product.ln() * scale
    return [x * radius / length for x in normal]


def _normals(n: int, randomness: Randomness) -> list[Decimal]:
    """Independent normal numbers, two from each point of the unit disc (Marsaglia's polar method)."""
    normals: list[Decimal] = []
    while len(normals) < n:
        pairs = (n - len(normals) + 1) // 2
        points = [2 * u - 1 for u in _uniforms(2 * pairs, randomness)]
        for x, y in zip(points[::2], points[1::2], strict=True):
            square = x * x + y * y
            if square < 1:
                factor = (-2 * square.ln() / square).sqrt()
                normals += [x * factor, y * factor]
    return normals[:n]


def _uniforms(n: int, randomness: Randomness) -> list[Decimal]:
    """Uniform numbers, each in the middle of one of 2^512 equal parts of (0, 1)."""
    content = randomness.bytes(_BYTES * n)
    whole = (int.from_bytes(content[start : start + _BYTES], "big") for start in range(0, len(content), _BYTES))
    return [(2 * Decimal(number) + 1) / _PARTS for number in whole]


_PARTS = Decimal(2 ** (8 * _BYTES + 1))


def _decimal(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)
