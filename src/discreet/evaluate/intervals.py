# SPDX-License-Identifier: Apache-2.0
"""Shares measured on test rows, with intervals of 95 % over the choice of these rows.

Wilson's for a share, Agresti and Min's for the difference of two shares measured on the same rows. Rows of one person
are counted as if they all fared alike, which is the widest case: Kish's effective number of rows takes the place of the
rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_Z = 1.959963984540054  # 97.5 % point of the normal distribution


@dataclass(frozen=True)
class Share:
    """A share, or a difference of shares, with its 95 % interval."""

    value: float
    low: float
    high: float


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


def paired_difference(gained: float, lost: float, n: float) -> Share:
    """Agresti and Min 2005: half a row is added to each of the four cells of right and wrong, before and after.

    `gained` is the share of rows that only the second got right, `lost` that only the first did.
    """
    up, down, total = gained * n + 0.5, lost * n + 0.5, n + 2
    middle = (up - down) / total
    half = _Z * math.sqrt(up + down - (up - down) ** 2 / total) / total
    return Share(gained - lost, max(middle - half, -1.0), min(middle + half, 1.0))
