# SPDX-License-Identifier: Apache-2.0
"""A random sample of the rows of an engine, for what needs rows in memory: classifiers, attacks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
    randomness, share = Randomness(random_state), rows / max(len(engine), 1)
    there = getattr(engine, "drawn_rows", None)  # draws where the rows are
    if share >= 1:
        drawn = engine.raw_rows(names)
    elif there is not None:
        drawn = there(names, share=share, key=randomness.bytes(32))
    else:
        drawn = _drawn(engine.raw_rows(names), share, randomness)
    return pa.concat_tables([pa.Table.from_batches([batch]) for batch in drawn], promote_options="permissive")


def _drawn(batches: Iterator[pa.RecordBatch], share: float, randomness: Randomness) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        chance = (randomness.uint64(len(batch)) >> np.uint64(11)) / 2.0**53
        yield batch.filter(pa.array(chance < share))
