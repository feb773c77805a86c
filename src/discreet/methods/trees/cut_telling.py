# SPDX-License-Identifier: Apache-2.0
"""The cut of a column that tells most about the class (Workload-Aware Anonymization): least class entropy."""

from __future__ import annotations

from discreet.counting.compiled_entropy import n_log_n
from discreet.foundation.compiled_kernels import compiled


@compiled
def telling_cut(rows, start, stop, ranks, c, counts, fits, in_all, on_left):
    """Where to cut so that both sides have what they need and the class entropy falls most; and by how much, times the
    rows.
    """
    n_classes = counts.shape[1]
    for label in range(n_classes):
        in_all[label] = on_left[label] = 0
    for i in range(start, stop):
        for label in range(n_classes):
            in_all[label] += counts[rows[i], label]
    whole = _bits_of_split(in_all, on_left)
    best, best_gain = 0, -1.0
    for i in range(1, stop - start):
        for label in range(n_classes):
            on_left[label] += counts[rows[start + i - 1], label]
        if fits[i] and ranks[rows[start + i], c] != ranks[rows[start + i - 1], c]:
            gain = whole - _bits_of_split(in_all, on_left)
            if gain > best_gain + 1e-9:
                best, best_gain = i, gain
    return best, best_gain


@compiled
def _bits_of_split(in_all, on_left):
    """Entropy of the class on the left and on the right in bits, each times its rows."""
    bits = 0.0
    left = right = 0
    for label in range(len(in_all)):
        here, there = on_left[label], in_all[label] - on_left[label]
        left += here
        right += there
        bits -= n_log_n(here)
        bits -= n_log_n(there)
    return bits + n_log_n(left) + n_log_n(right)
