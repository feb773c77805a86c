# SPDX-License-Identifier: Apache-2.0
import pytest

from discreet import DataError, Table
from discreet.engines import DuckDB, Engine, InMemory, engine_of


def test_both_engines_keep_to_the_protocol():
    table = Table.of({"sex": ["f", None, "m", "f"], "y": [0, 1, 1, 0]})
    with DuckDB(table.to_arrow()) as engine:
        for one in (InMemory(table), engine):
            assert isinstance(one, Engine)
            assert (one.names, len(one)) == (("sex", "y"), 4)
            assert one.values("sex").codes.tolist() == [0, 1, 2]
            assert one.tally(["sex"], target="y").counts.tolist() == [[2, 0], [0, 1], [0, 1]]
        with pytest.raises(DataError, match="no column 'sey'"):
            engine.values("sey")


def test_whatever_is_no_engine_becomes_a_table_in_memory():
    table = Table.of({"sex": ["f", "m"]})
    assert engine_of(table).table is table
    assert engine_of({"tally": [1, 2]}).names == ("tally",)
    with DuckDB(table.to_arrow()) as engine:
        assert engine_of(engine) is engine
