# SPDX-License-Identifier: Apache-2.0
"""A random sample of the rows of an engine, for what needs rows in memory: classifiers, attacks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from discreet.engines.protocol import RowEngine
from discreet.foundation.randomness import Randomness, RandomState


def drawn_rows(engine: RowEngine, names: Sequence[str], *, rows: int, random_state: RandomState) -> pa.Table:
    """Every row with the same probability, so that about `rows` are drawn; all of them if there are no more.

    >>> from discreet.engines.duckdb import DuckDB
    >>> len(drawn_rows(DuckDB(pa.table({"x": range(10)})), ["x"], rows=20, random_state=0))
    10
    """
    randomness, share, some = Randomness(random_state), rows / max(len(engine), 1), []
    for batch in engine.raw_rows(names):
        if share < 1:
            chance = (randomness.uint64(len(batch)) >> np.uint64(11)) / 2.0**53
            batch = batch.filter(pa.array(chance < share))
        some.append(pa.Table.from_batches([batch]))
    return pa.concat_tables(some, promote_options="permissive")
