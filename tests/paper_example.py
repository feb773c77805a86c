# SPDX-License-Identifier: Apache-2.0
"""Table 1 of the containment paper: six persons, five keywords, whether they bought."""

import numpy as np

TABLE_1 = np.array(
    [
        [1, 0, 1, 0, 1],
        [1, 0, 1, 0, 1],
        [1, 0, 0, 1, 1],
        [1, 0, 1, 0, 1],
        [1, 1, 1, 0, 1],
        [1, 1, 0, 1, 1],
    ]
)
TABLE_1_LABELS = ["+", "-", "+", "+", "-", "-"]
