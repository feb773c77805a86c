# SPDX-License-Identifier: Apache-2.0
"""Entropy of counts: H = log n - (1/n) sum_i n_i log n_i, with n = sum_i n_i. The classes lie along the last axis.

Searches compare the entropy times n, which adds up over groups. Kernels use compiled_entropy.py.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def n_log_n(n: npt.ArrayLike) -> np.ndarray:
    """n log2 n, and 0 where n is 0.

    >>> n_log_n([0, 1, 0.5, 8]).tolist()
    [0.0, 0.0, -0.5, 24.0]
    """
    n = np.asarray(n)
    return n * np.log2(np.where(n > 0, n, 1))


def entropy_times_n(counts: npt.ArrayLike) -> np.ndarray:
    """The entropy times n: bits needed to state the classes of all rows.

    >>> entropy_times_n([[2, 2], [4, 0]]).tolist()
    [4.0, 0.0]
    """
    counts = np.asarray(counts)
    return n_log_n(counts.sum(axis=-1)) - n_log_n(counts).sum(axis=-1)


def entropy(counts: npt.ArrayLike) -> np.ndarray:
    """The entropy in bits; 0 if there are no rows.

    >>> entropy([[2, 2, 4], [0, 0, 0]]).tolist()
    [1.5, 0.0]
    """
    counts = np.asarray(counts)
    total = counts.sum(axis=-1)
    return entropy_times_n(counts) / np.where(total > 0, total, 1)
