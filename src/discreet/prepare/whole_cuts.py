# SPDX-License-Identifier: Apache-2.0
"""Readable cuts between many pairs of whole numbers at once (`intervals.readable_cut` makes them one by one)."""

from __future__ import annotations

import numpy as np


def readable_whole_cuts(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """`readable_cut` of many pairs of whole numbers below 2^53, a < b, at once.

    >>> readable_whole_cuts(np.array([36, 23, 41]), np.array([41, 28, 44])).tolist()
    [40.0, 25.0, 42.0]
    """
    found, left = np.zeros(len(a)), np.arange(len(a))
    power = 10 ** len(str(int(max(np.abs(a).max(initial=0), np.abs(b).max(initial=0)))))
    while len(left):
        for step in (5 * power, power):
            low, high = a[left], b[left]
            below = (low + high) // (2 * step) * step
            above = below + step
            fits_below, fits_above = (low < below) & (below <= high), (low < above) & (above <= high)
            nearer = np.abs(2 * below - low - high) <= np.abs(2 * above - low - high)
            cut = np.where(fits_below & (nearer | ~fits_above), below, above)
            done = fits_below | fits_above
            found[left[done]], left = cut[done], left[~done]
        power //= 10
    return found
