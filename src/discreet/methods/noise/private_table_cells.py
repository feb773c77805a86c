# SPDX-License-Identifier: Apache-2.0
"""All cells of a contingency table: count them, add noise, and make the noisy counts consistent.

The "frequency matrix" of Zhang and others, Section 5.2. Every cell gets noise, empty ones too: a cell without noise
would reveal that nobody is in it. All later steps see noisy numbers only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.foundation.randomness import Randomness
from discreet.mechanisms.additive import Geometric

MOST_CELLS = 2**24
_BLOCK = 2**20  # cells that get their noise at a time, to limit memory


def noisy(counts: np.ndarray, mechanism: Geometric, randomness: Randomness) -> np.ndarray:
    """The counts with noise on every cell."""
    blocks = [counts[start : start + _BLOCK] for start in range(0, len(counts), _BLOCK)]
    return np.concatenate([mechanism.apply(block, randomness) for block in blocks])


def consistent(counts: np.ndarray, total: int, randomness: Randomness) -> np.ndarray:
    """The non-negative whole numbers with this sum that are nearest to the noisy counts.

    Projection on the simplex subtracts the same number from every count and sets negative ones to 0. The positive ones
    then have the same fraction; as many of them as the sum requires, chosen at random, are rounded up.

    >>> consistent(np.array([5, -3, 1, 2]), 5, Randomness(0)).tolist()
    [4, 0, 0, 1]
    """
    if total <= 0:
        return np.zeros(len(counts), dtype=np.int64)
    falling = np.sort(counts)[::-1]
    sums = np.cumsum(falling)
    n_positive = int(np.flatnonzero(falling * np.arange(1, len(falling) + 1) > sums - total)[-1]) + 1
    off = -((total - int(sums[n_positive - 1])) // n_positive)  # rounded up
    whole = np.maximum(counts - off, 0)
    stay = np.flatnonzero(counts >= falling[n_positive - 1])
    whole[stay[randomness.permutation(len(stay))[: total - int(whole.sum())]]] += 1
    return whole


def simplex(values: np.ndarray, total: float | np.ndarray) -> np.ndarray:
    """The nearest non-negative line with this sum, for each line.

    >>> simplex(np.array([[5.0, -3.0, 1.0, 2.0]]), 6.0).round(2).tolist()
    [[4.33, 0.0, 0.33, 1.33]]
    """
    falling = -np.sort(-values, axis=-1)
    total = np.maximum(np.broadcast_to(np.asarray(total, dtype=float), values.shape[:-1])[..., None], 0.0)
    off = (np.cumsum(falling, axis=-1) - total) / np.arange(1, values.shape[-1] + 1)
    n_positive = np.maximum((falling > off).sum(axis=-1, keepdims=True), 1)
    return np.maximum(values - np.take_along_axis(off, n_positive - 1, axis=-1), 0.0)


def rows_of(counts: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    """Rows that match the counts of the cells: their levels, one line per column."""
    occupied = np.flatnonzero(counts)
    return np.stack(np.unravel_index(np.repeat(occupied, counts[occupied]), tuple(sizes)))
