# SPDX-License-Identifier: Apache-2.0
"""The entropy of entropy.py as compiled kernels, for kernels that compare many cuts."""

from __future__ import annotations

import math
from typing import Any

from discreet.foundation.compiled_kernels import compiled


@compiled(inline="always")
def n_log_n(n: Any) -> Any:
    """n log2 n, and 0 where n is not above 0."""
    return n * math.log2(n) if n > 0 else 0.0


@compiled
def entropy_times_n(counts: Any) -> Any:
    """The entropy times n: bits needed to state the classes of all rows."""
    rows, bits = 0, 0.0
    for count in counts:
        rows += count
        bits -= n_log_n(count)
    return bits + n_log_n(rows)
