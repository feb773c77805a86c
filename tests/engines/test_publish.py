# SPDX-License-Identifier: Apache-2.0
"""Rows published by engines, beside those that a table in memory publishes."""

import pickle
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import Roles, Table
from discreet.counting.coded_rows import CodedRows
from discreet.data.parquet import read_parquet
from discreet.engines import DuckDB, InMemory, publish, raw_cells
from discreet.engines.parts_sink import PartsSink
from discreet.engines.protocol import PERSON
from discreet.errors import DataError
from discreet.foundation.randomness import Randomness
from discreet.methods import Mondrian
from discreet.methods.apply_groups import ApplyGroups

SECRET = bytes(range(32))
ROLES = Roles(target="y", quasi=["age", "job"], other=["when", "pay"])


class Gathered:
    """A sink that keeps the rows."""

    def __init__(self):
        self.tables = []

    def write(self, rows):
        assert len(rows)
        self.tables.append(rows)

    def rows(self):
        plain = [pa.table({name: one.column(name).to_pylist() for name in one.column_names}) for one in self.tables]
        return [tuple(row.values()) for table in plain for row in table.to_pylist()]


def people(n, seed=0):
    rng = np.random.default_rng(seed)
    missing = rng.random(n) < 0.1
    return pa.table(
        {
            "pay": pa.array(rng.integers(0, 50, n) / 2, mask=missing),
            "age": pa.array([str(a) if a % 3 else f"{a}.0" for a in rng.integers(20, 60, n)]),
            "job": pa.array(rng.choice(["nurse", "clerk", "smith", "?"], n)),
            "y": pa.array(rng.integers(0, 2, n)),
            "when": pa.array(rng.integers(0, 9000, n).astype("datetime64[D]")),
            "who": pa.array([f"p{p}" for p in rng.integers(0, max(n // 2, 1), n)]),
            "unused": pa.array(rng.random(n)),
        }
    )


def decided(engine, roles=ROLES, k=3):
    rows = CodedRows.of(engine, roles.quasi, target=roles.target)
    grouping = Mondrian(k=k, random_state=1)._decide(rows, roles, Randomness(1))
    kept = [name for name in engine.names if name in roles.published and name not in roles.quasi]
    return ApplyGroups.of(
        grouping,
        rows,
        [engine.coding(name) for name in roles.quasi],
        kept=[engine.coding(name) for name in kept],
        order=engine.names,
        person=None if roles.person is None else engine.coding(roles.person),
    )


def published_in_memory(table, roles=ROLES, k=3):
    released = Mondrian(k=k, random_state=1).release(table, roles).table.to_arrow()
    return Counter(tuple(row.values()) for row in released.to_pylist())


def engines(table, folder):
    pq.write_table(table.slice(0, 150), folder / "a.parquet", row_group_size=40)
    pq.write_table(table.slice(150), folder / "b.parquet", row_group_size=70)
    yield InMemory(Table.of(table))
    for source in (table, folder / "*.parquet"):
        with DuckDB(source) as engine:
            yield engine


def test_every_engine_publishes_the_rows_of_a_table_in_memory(tmp_path):
    table = people(400)
    expected = published_in_memory(table)
    for engine in engines(table, tmp_path):
        apply, sink = pickle.loads(pickle.dumps(decided(engine))), Gathered()
        assert engine.publish(apply.columns, apply, SECRET, sink) == 400
        assert Counter(sink.rows()) == expected
        assert {one.column_names == apply.schema.names for one in sink.tables} == {True}


def test_a_batch_at_a_time_without_dictionaries():
    table = people(400)
    with DuckDB(table) as engine:
        apply = decided(engine)
    rows = [apply(batch) for batch in table.to_batches(max_chunksize=37)]
    assert {batch.schema for batch in rows} == {apply.schema}
    found = Counter(tuple(row.values()) for batch in rows for row in batch.to_pylist())
    assert found == published_in_memory(table)
    assert (
        apply(table.slice(0, 0).to_batches()[0] if table.slice(0, 0).to_batches() else rows[0].slice(0, 0)) is not None
    )


@settings(max_examples=15, deadline=None)
@given(st.integers(20, 200), st.integers(0, 10**6), st.booleans())
def test_random_tables(n, seed, many):
    table = people(n, seed)
    before = raw_cells.MOST_LISTED
    try:
        raw_cells.MOST_LISTED = 30 if many else before  # the columns "when" and "pay" are not listed then
        with DuckDB(table) as engine:
            roles = Roles(target="y", quasi=["job"], other=["when", "pay"], allow_unique=["when", "pay"])
            apply, sink = decided(engine, roles, k=2), Gathered()
            engine.publish(apply.columns, apply, SECRET, sink)
    finally:
        raw_cells.MOST_LISTED = before
    assert Counter(sink.rows()) == published_in_memory(table, roles, k=2)


def test_persons_come_beside_the_rows_for_the_owner_alone(tmp_path):
    table, roles = people(300), Roles(target="y", quasi=["job"], other=["pay"], person="who")
    with DuckDB(table) as engine:
        apply = decided(engine, roles)
        with PartsSink(tmp_path / "table", tmp_path / "persons") as sink:
            engine.publish(apply.columns, apply, SECRET, sink)
    assert apply.schema.names[-1] == PERSON
    rows = pa.concat_tables([pq.read_table(file) for file in sink.files])
    persons = pa.concat_tables([pq.read_table(tmp_path / "persons" / file.name) for file in sink.files])
    assert rows.column_names == ["pay", "job", "y"]
    codes = Table.of(table).column("who").codes
    expected = Counter(zip(table.column("pay").to_pylist(), codes.tolist(), strict=True))
    assert Counter(zip(rows.column("pay").to_pylist(), persons.column("person").to_pylist(), strict=True)) == expected


def test_parts_are_laid_out_as_files_of_a_release_are(tmp_path, monkeypatch):
    monkeypatch.setattr(publish, "rows_of_part", lambda n: 64)
    table = people(400)
    with DuckDB(table) as engine, PartsSink(tmp_path / "table") as sink:
        apply = decided(engine)
        engine.publish(apply.columns, apply, SECRET, sink)
    assert len(sink.files) == 7
    for file in sink.files:
        with file.open("rb") as opened:
            read_parquet(opened, apply.schema.names)  # refuses metadata, unused entries, anything else


def test_a_failure_leaves_no_part(tmp_path):
    def write_and_fail():
        with PartsSink(tmp_path / "table", tmp_path / "persons") as sink:
            sink.write(pa.table({"x": [1]}))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert not list(tmp_path.iterdir())


def test_a_row_that_was_not_counted_is_refused(tmp_path):
    table = people(50)
    with DuckDB(table) as engine:
        apply = decided(engine)
    with DuckDB(people(60, seed=5)) as other, pytest.raises(DataError, match="changed while they were counted"):
        other.publish(apply.columns, apply, SECRET, Gathered())


def test_the_order_depends_on_the_secret(tmp_path):
    table = people(300)
    orders = []
    for secret in (SECRET, SECRET, bytes(32)):
        with DuckDB(table) as engine:
            apply, sink = decided(engine), Gathered()
            engine.publish(apply.columns, apply, secret, sink)
        orders.append(sink.rows())
    assert orders[0] == orders[1] != orders[2]
    in_order = [tuple(row.values()) for batch in table.to_batches() for row in apply(batch).to_pylist()]
    assert orders[0] != in_order
