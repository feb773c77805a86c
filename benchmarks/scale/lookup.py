# SPDX-License-Identifier: Apache-2.0
"""What applying a plan of four million nodes costs a row: packed codes are looked up among two million distinct rows.

A binary tree of four million nodes has two million leaves, and a distinct row lies in one of them; rows that were
counted are not sent down the tree again.

    python -m benchmarks.scale.lookup
"""

from __future__ import annotations

import json
import time

import numpy as np

from discreet.counting.row_lookup import RowLookup

DISTINCT = 2_000_000
ROWS = 4_000_000
LEVELS = (74, 2, 34, 16, 15, 6, 5, 53)  # those of the generated people


def measure(*, runs: int = 5) -> dict:
    random = np.random.default_rng(0)
    codes = np.column_stack([random.integers(levels, size=DISTINCT, dtype=np.int32) for levels in LEVELS])
    distinct = np.unique(codes, axis=0)
    lookup, leaf = RowLookup(distinct), random.permutation(len(distinct))
    which = random.integers(len(distinct), size=ROWS)
    rows = [np.ascontiguousarray(distinct[which, column]) for column in range(len(LEVELS))]
    leaf[lookup.find([column[:10] for column in rows])]  # compiles
    taken = []
    for _ in range(runs):
        before = time.process_time()
        found = leaf[lookup.find(rows)]
        taken.append(time.process_time() - before)
    assert np.array_equal(found, leaf[which])
    return {"nanoseconds": 1e9 * min(taken) / ROWS, "distinct": len(distinct)}


if __name__ == "__main__":
    print(json.dumps(measure()))
