# SPDX-License-Identifier: Apache-2.0
"""The order in which the rows of a column first use its texts: in one pass by a kernel, of few rows by NumPy."""

from __future__ import annotations

import numpy as np

from discreet.foundation.compiled_kernels import compiled, kernels_are_loaded

_FEW = 50_000  # rows that NumPy orders sooner than numba is loaded


def first_uses(codes: np.ndarray, n_texts: int, early: int) -> tuple[np.ndarray, int]:
    """The different codes in the order of their first use, and how many of them the first `early` rows use.

    >>> order, n_early = first_uses(np.array([4, 1, 4, 0]), 5, 2)
    >>> order.tolist(), n_early
    ([4, 1, 0], 2)
    """
    if len(codes) > _FEW or kernels_are_loaded():
        order = np.empty(n_texts, dtype=np.int64)
        n_texts, n_early = _pass(np.ascontiguousarray(codes, dtype=np.int32), early, np.zeros(n_texts, np.uint8), order)
        return order[:n_texts].copy(), int(n_early)
    return _with_numpy(codes, n_texts, early)


def _with_numpy(codes: np.ndarray, n_texts: int, early: int) -> tuple[np.ndarray, int]:
    left = np.bincount(codes, minlength=n_texts) > 0
    order = np.empty(int(left.sum()), dtype=np.int64)
    found = start = n_early = 0
    while found < len(order):  # common texts come early
        stop = min(max(2 * start, 1024), early) if start < early else max(2 * start, 1024)
        some = codes[start:stop]
        some = some[left[some]]
        new, first = np.unique(some, return_index=True)
        new = new[np.argsort(first)]
        order[found : found + len(new)] = new
        left[new] = False
        found, start = found + len(new), stop
        n_early = found if stop <= early else n_early
    return order, n_early


@compiled
def _pass(codes, early, is_used, order):
    """How many codes are used, and how many by the first rows."""
    n = n_early = 0
    for i in range(len(codes)):
        if i == early:
            n_early = n
        if is_used[codes[i]] == 0:
            is_used[codes[i]] = 1
            order[n] = codes[i]
            n += 1
    return n, n_early if early < len(codes) else n
