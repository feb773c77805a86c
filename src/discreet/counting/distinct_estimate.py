# SPDX-License-Identifier: Apache-2.0
"""How many distinct rows a table has, estimated from a sample of its rows.

Let f_i be the number of distinct rows that occur i times in a sample of s of n rows, and d = f_1 + f_2 + ... . What is
left out depends on the rare rows alone: the next row is new with probability f_1 / s (Good, 1953). Three answers:

least  d + f_0 (1 - exp(-(t - 1) f_1 / f_0)) with f_0 = f_1^2 / 2 f_2 and t = n / s (Chao, 1984; Colwell and others,
       2012): exact if all rare rows are equally rare, too small otherwise
most   d (n / s)^(f_1 / d): distinct rows go on growing with the power that they have at the end of the sample; powers
       only fall as rows are added, so it is too large
likely rates of rare rows follow a gamma distribution of shape a > -1 (Fisher, Corbet and Williams, 1943; Engen, 1974),
       which has both as borders: a large is the first, a < 0 is a power law. Then, with the rate b,

           D(t) = d + f_1 (b + 1) / a (1 - ((b + 1) / (b + t))^a)

       and a and b are those that make f_1, ..., f_10 most likely.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma

import numpy as np

SAMPLE = 200_000  # rows that the number of distinct ones is estimated from
_RARE = 10  # times in the sample up to which a row counts as rare


@dataclass(frozen=True)
class DistinctEstimate:
    """The likely number of distinct rows, between two borders."""

    likely: int
    least: int
    most: int


def distinct_rows(times: np.ndarray, n_rows: int) -> DistinctEstimate:
    """The distinct rows among n_rows, of which a sample has rows that occur so many `times`.

    >>> distinct_rows(np.array([2, 2, 2]), 6)
    DistinctEstimate(likely=3, least=3, most=3)
    >>> distinct_rows(np.array([1, 1, 1, 1]), 1000)
    DistinctEstimate(likely=1000, least=10, most=1000)
    """
    sample, d = int(times.sum()), len(times)
    f = np.bincount(np.minimum(times, _RARE + 1), minlength=_RARE + 2)[1 : _RARE + 1].astype(np.float64)
    if not d or n_rows <= sample or not f[0]:
        return DistinctEstimate(d, d, d)
    t = n_rows / sample
    unseen = max(1.0, f[0] * (f[0] - 1) / (2 * (f[1] + 1)))  # Chao's form that holds for f_2 = 0, too
    least = d + unseen * -np.expm1(-(t - 1) * f[0] / unseen)
    most = min(n_rows, d * t ** (f[0] / d))
    likely = most if f[1:].sum() < _RARE else _likely(f, d, t)
    least = min(least, most)
    return DistinctEstimate(round(min(max(likely, least), most)), round(least), round(most))


def _likely(f: np.ndarray, d: int, t: float) -> float:
    a, b = _fitted(f)
    whole = (b + 1) * np.log((b + t) / (b + 1)) if abs(a) < 1e-6 else (b + 1) / a * (1 - ((b + 1) / (b + t)) ** a)
    return d + f[0] * whole


def _fitted(f: np.ndarray) -> tuple[float, float]:
    """The shape and rate that make the numbers of rare rows most likely, given that they are rare.

    A row occurs i times with probability proportional to Gamma(a + i) / i! / (1 + b)^i.
    """
    times = np.arange(1, len(f) + 1)
    factorials = _log_gamma(times + 1.0)
    shape, rate = np.linspace(np.log(0.02), np.log(200), 41), np.linspace(np.log(1e-4), np.log(1e4), 41)
    for _ in range(6):  # the surface has one valley: look closer around its lowest point
        grown = _log_gamma(np.exp(shape)[:, None] - 1 + times) - factorials
        terms = grown[:, None, :] - times * np.log1p(np.exp(rate))[:, None]
        highest = terms.max(axis=2)
        logs = highest + np.log(np.exp(terms - highest[:, :, None]).sum(axis=2))
        surprise = logs - terms @ f / f.sum()
        i, j = np.unravel_index(np.argmin(surprise), surprise.shape)
        shape, rate = _closer(shape, int(i)), _closer(rate, int(j))
    return float(np.exp(shape[20]) - 1), float(np.exp(rate[20]))


def _closer(points: np.ndarray, place: int) -> np.ndarray:
    reach = 4 * (points[1] - points[0])
    return np.linspace(points[place] - reach, points[place] + reach, len(points))


def _log_gamma(x: np.ndarray) -> np.ndarray:
    return np.array([lgamma(one) for one in x.ravel()]).reshape(x.shape)
