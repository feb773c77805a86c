# SPDX-License-Identifier: Apache-2.0
"""A random sample of rows that lie in Parquet files, of which one group of rows is in memory at a time."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.foundation.randomness import RandomState, seed_of


def sampled_rows(files: Sequence[Path], *, rows: int, random_state: RandomState) -> tuple[pa.Table, int]:
    """A random sample of the rows of Parquet files, and how many they have; each group of rows gives its share."""
    total, random, some = (
        sum(pq.read_metadata(file).num_rows for file in files),
        np.random.default_rng(seed_of(random_state)),
        [],
    )
    for file in files:
        parquet = pq.ParquetFile(file)
        for group in range(parquet.num_row_groups):
            cells = parquet.read_row_group(group)
            chosen = random.random(len(cells)) < rows / max(total, 1)
            some.append(cells.filter(pa.array(chosen)))
    return pa.concat_tables(some, promote_options="permissive"), total
