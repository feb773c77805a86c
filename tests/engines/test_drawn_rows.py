# SPDX-License-Identifier: Apache-2.0
"""Samples of the rows of engines."""

import pyarrow as pa
import pytest

from discreet import DataError
from discreet.engines import DuckDB
from discreet.engines.drawn_rows import drawn_rows
from discreet.engines.protocol import RowEngine

TABLE = pa.table({"x": range(4000), "y": ["a", "b"] * 2000})


def test_every_row_is_drawn_with_the_same_probability():
    """A thousand of 4000 rows on average, with a standard deviation of 27: beyond 200 not once in a million."""
    with DuckDB(TABLE) as engine:
        assert isinstance(engine, RowEngine)
        drawn = drawn_rows(engine, ["x"], rows=1000, random_state=3)
        assert drawn.equals(drawn_rows(engine, ["x"], rows=1000, random_state=3))
        assert not drawn.equals(drawn_rows(engine, ["x"], rows=1000, random_state=4))
    assert 800 < len(drawn) < 1200
    assert len(set(drawn.column("x").to_pylist())) == len(drawn)
    assert abs(sum(drawn.column("x").to_pylist()) / len(drawn) - 2000) < 300


def test_all_rows_are_taken_if_there_are_no_more():
    with DuckDB(TABLE) as engine:
        assert drawn_rows(engine, ["y", "x"], rows=4000, random_state=0).equals(TABLE.select(["y", "x"]))
        with pytest.raises(DataError, match="There is no column 'z'"):
            drawn_rows(engine, ["z"], rows=10, random_state=0)
