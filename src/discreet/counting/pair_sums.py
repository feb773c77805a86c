# SPDX-License-Identifier: Apache-2.0
"""Sums over rows by pairs of their codes, in one pass and without an array as long as the rows."""

from __future__ import annotations

import numpy as np

from discreet.foundation.compiled_kernels import compiled


@compiled
def add_by_pair(one, other, by, values, width, table):
    """Add the value of a third code of each row to the cell of its pair of codes."""
    for i in range(len(one)):
        table[np.int64(one[i]) * width + np.int64(other[i])] += values[by[i]]
