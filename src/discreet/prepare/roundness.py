# SPDX-License-Identifier: Apache-2.0
"""How round the numbers between others are, for many at a time: multiples of ten, of five, and of their powers of ten.

A border that is published is computed exactly (intervals.py); here it is only compared with others.
"""

from __future__ import annotations

import numpy as np

from discreet.data.column import Column
from discreet.prepare.intervals import is_whole, readable_cut, roundness

_MOST_DIGITS = 307  # the power of ten of a step: five times it is still a number


def round_places(column: Column, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The roundest number or day in each (low, high], and how round it is: see `roundness`.

    >>> import pyarrow as pa
    >>> from discreet.data.column import encode
    >>> ages = encode("age", pa.array([31, 45]))
    >>> [found.tolist() for found in round_places(ages, np.array([36.0, 23.0, 41.0]), np.array([41.0, 28.0, 44.0]))]
    [[40.0, 25.0, 42.0], [2, 1, 0]]
    """
    if column.kind == "date":
        whole = is_whole(column)  # the next day is the only cut
        cuts = [
            float(b) if whole and b - a == 1 else readable_cut(column, float(a), float(b))
            for a, b in zip(low, high, strict=True)
        ]
        return np.array(cuts), np.array([roundness(column, cut) for cut in cuts], dtype=np.int64)
    cut, level = np.array(high, dtype=np.float64), np.zeros(len(low), dtype=np.int64)
    scale = np.abs(np.concatenate([low, high]))
    if not len(low) or not scale.any():
        return cut, level
    finest = int(np.floor(np.log10(max(float((high - low).min()), 1e-300)))) - 1
    is_open = np.ones(len(low), dtype=bool)
    with np.errstate(over="ignore", invalid="ignore"):  # numbers far larger than a step have a place already
        for exponent in range(min(int(np.ceil(np.log10(scale.max()))) + 1, _MOST_DIGITS), finest - 1, -1):
            for mantissa in (5, 1):
                step = mantissa * 10.0**exponent
                first, last = np.floor(low / step) + 1, np.floor(high / step)
                found = is_open & (first <= last)
                nearest = np.clip(np.round(low / (2 * step) + high / (2 * step)), first, last)
                cut[found] = (nearest * step)[found]
                level[found] = 2 * exponent + (mantissa == 5)
                is_open &= ~found
            if not is_open.any():
                break
    return cut, level
