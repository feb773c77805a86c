# SPDX-License-Identifier: Apache-2.0
"""Shares measured on test rows, with intervals of 95 % over the choice of these rows.

Wilson's for a share, Agresti and Min's for the difference of two shares measured on the same rows. Rows of one person
are counted as if they all fared alike, which is the widest case: Kish's effective number of rows takes the place of the
rows. For shares that are means of chances see `mean_chance`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from discreet.foundation.lazy_modules import special

_ADDED = 0.2  # of a draw, to chances
_SLACK = 1e-12  # of a variance
_UPPER = 0.975
_Z = 1.959963984540054  # 97.5 % point of the normal distribution


@dataclass(frozen=True)
class Share:
    """A share, or a difference of shares, with its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def is_counted(self) -> bool:
        """Whether everybody was counted: the interval has no width."""
        return self.low == self.high


def effective_rows(persons: np.ndarray | None, n_rows: int) -> float:
    """Kish 1965: (rows)^2 / sum of (rows of a person)^2, the rows if every row is a person's own.

    >>> effective_rows(np.array([4, 4, 7, 7]), 4)
    2.0
    """
    if persons is None:
        return float(n_rows)
    per_person = np.unique(persons, return_counts=True)[1]
    return float(n_rows**2 / (per_person**2).sum())


def wilson(share: float, n: float) -> Share:
    """Wilson 1927: the shares that a sample of n would not reject.

    >>> wilson(0.9, 100)
    Share(value=0.9, low=0.8256343384950865, high=0.9447708629393249)
    """
    middle = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return Share(share, max(middle - half, 0.0), min(middle + half, 1.0))


def mean_chance(chances: np.ndarray, *, of: int | None = None) -> Share:
    """The mean of chances that belong to persons drawn at random, with an interval for the mean over all persons.

    `of` is how many there are to draw from; the interval narrows as more of them are drawn, and has no width when all
    are. None for endlessly many. Wilson's interval is that of draws of 0 and 1. Chances vary between 0 and the largest
    of them, and less than if they were one or the other: as many such draws as would vary as little take the place of
    n. How much they vary is estimated from them: Student's quantile allows for that, and a part of a draw is added lest
    chances that happen to be alike seem certain. Of one chance alone it cannot be estimated: it counts as a draw.

    >>> mean_chance(np.array([1.0, 0.0, 0.0, 0.0])) == wilson(0.25, 4)
    True
    >>> mean_chance(np.array([0.2, 0.25]), of=2)
    Share(value=0.225, low=0.225, high=0.225)
    """
    n = len(chances)
    if not n:
        return Share(0.0, 0.0, 1.0)
    mean = min(max(float(np.mean(chances)), 0.0), 1.0)
    if of is not None and n >= of:
        return Share(mean, mean, mean)
    correction = 1.0 if of is None else (of - 1) / (of - n)
    if mean in (0.0, 1.0) or n == 1:
        interval = wilson(mean, n * correction)
        return Share(mean, interval.low if mean > 0 else 0.0, interval.high if mean < 1 else 1.0)
    largest = float(np.max(chances))
    most = mean * (largest - mean)
    seen = (float(((chances - mean) ** 2).sum()) + _ADDED * most) / (n + _ADDED)
    spread = min(seen * n / (n - 1) * _student(n), most)
    if spread <= _SLACK * mean**2:  # all alike
        return Share(mean, mean, mean)
    interval = wilson(mean / largest, n * correction * most / spread)
    return Share(mean, interval.low * largest, interval.high * largest)


def _student(n: int) -> float:
    """Factor that enlarges a variance estimated from n values: (Student's quantile / normal quantile) squared."""
    return (float(special.stdtrit(n - 1, _UPPER)) / _Z) ** 2


def share_of_pairs(first: np.ndarray, second: np.ndarray) -> Share:
    """How often a score of the first kind is larger than one of the second, over all pairs; equal ones count half.

    The interval is about the choice of both, after DeLong, DeLong and Clarke-Pearson 1988. Near 0 and 1 few scores tell
    how much they vary: one that wins all or nothing is added to each kind, and the quantile is Student's.

    >>> share_of_pairs(np.array([1.0, 3.0]), np.array([0.0, 2.0])).value
    0.75
    """
    below, above = _won(first, second), _won(second, first)
    mean = float(below.mean())
    if min(len(first), len(second)) < 2 or mean in (0.0, 1.0):
        interval = wilson(mean, min(len(first), len(second)))
        return Share(mean, 0.0 if mean == 0 else interval.low, 1.0 if mean == 1 else interval.high)
    most = mean * (1 - mean)
    kinds = (below, above)
    added = [(float(won.var()) * len(won) + most) / (len(won) + 1) for won in kinds]
    variance = sum(spread / (len(won) - 1) for spread, won in zip(added, kinds, strict=True))
    variance *= _student(min(map(len, kinds)))
    return wilson(mean, most / max(variance, _SLACK))


def _won(these: np.ndarray, those: np.ndarray) -> np.ndarray:
    """For each score, the share of the other scores below it; ties count half."""
    ordered = np.sort(those)
    return (np.searchsorted(ordered, these, "left") + np.searchsorted(ordered, these, "right")) / 2 / len(those)


def difference_of_shares(first: float, second: float, n: float) -> Share:
    """The difference of two shares of n rows each, with an interval that does not know which rows they share.

    Where both are measured on the same rows and tend to agree, the interval is wider than it need be.

    >>> difference_of_shares(0.9, 0.5, 100).low > 0.25
    True
    """
    half = _Z * math.sqrt((first * (1 - first) + second * (1 - second)) / n)
    return Share(first - second, first - second - half, first - second + half)


def paired_difference(gained: float, lost: float, n: float) -> Share:
    """Agresti and Min 2005: half a row is added to each of the four cells of right and wrong, before and after.

    `gained` is the share of rows that only the second got right, `lost` that only the first did.
    """
    up, down, total = gained * n + 0.5, lost * n + 0.5, n + 2
    middle = (up - down) / total
    half = _Z * math.sqrt(up + down - (up - down) ** 2 / total) / total
    return Share(gained - lost, max(middle - half, -1.0), min(middle + half, 1.0))
