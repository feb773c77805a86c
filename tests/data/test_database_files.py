# SPDX-License-Identifier: Apache-2.0
import datetime
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from discreet.counting.tally import tally
from discreet.data.database_files import SqliteTable
from discreet.data.table import Table
from discreet.engines import DuckDB
from discreet.errors import DataError

PEOPLE = {
    "age": [31, 45, 31, None, 45],
    "sex": ["f", "m", "f", "m", None],
    "pay": [1.5, 2.0, None, 2.0, 1.5],
    "y": [1, 0, 1, 1, 0],
}
DUCKDB_TYPES = "age INTEGER, sex VARCHAR, pay DOUBLE, y INTEGER"


def rows():
    return list(zip(*PEOPLE.values(), strict=True))


def sqlite_file(path, *statements):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE people (age INTEGER, sex TEXT, pay REAL, y INTEGER)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows())
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def duckdb_file(path, *statements):
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"CREATE TABLE people ({DUCKDB_TYPES})")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", rows())
        for statement in statements:
            connection.execute(statement)
    return path


MAKERS = {"sqlite": sqlite_file, "duckdb": duckdb_file}


@pytest.fixture(params=sorted(MAKERS))
def database(request, tmp_path):
    """A function that makes a database with the table `people` and what further statements make."""
    return lambda *statements: MAKERS[request.param](tmp_path / "peo'ple ?#%41.db", *statements)


def test_the_only_table_is_read(database):
    table = Table.of(database())
    assert table.to_arrow().to_pydict() == PEOPLE
    assert table.column("age").kind == "number"


@pytest.mark.parametrize("options", [{}, {"target": "y"}, {"person": "sex"}])
def test_an_engine_counts_what_memory_counts(database, options):
    path = database()
    expected = tally(Table.of(path), ["age", "pay"], **options)
    with DuckDB(path) as engine:
        found = engine.tally(["age", "pay"], **options)
        assert (found.codes.tolist(), found.counts.tolist()) == (expected.codes.tolist(), expected.counts.tolist())
        assert found.sizes.tolist() == expected.sizes.tolist()
        batches = list(engine._batches(["sex", "age"]))
    assert sorted(map(str, pa.Table.from_batches(batches).cast(TEXTS).to_pylist())) == sorted(
        map(str, pa.table({"sex": PEOPLE["sex"], "age": PEOPLE["age"]}).cast(TEXTS).to_pylist())
    )


TEXTS = pa.schema({"sex": pa.string(), "age": pa.string()})


def test_one_of_several_tables_is_named(database):
    path = database("CREATE TABLE visits (day TEXT)", "CREATE VIEW women AS SELECT age FROM people WHERE sex = 'f'")
    with pytest.raises(DataError, match=r"holds 3 tables: 'people', 'visits', 'women'\. Name one") as caught:
        Table.of(path)
    assert caught.value.__cause__ is None
    for read in (Table.of, lambda path, table: DuckDB(path, table=table)):
        with pytest.raises(DataError, match=r"has no table 'peopel'\. Did you mean 'people'"):
            read(path, table="peopel")
    assert Table.of(path, table="women").to_arrow().to_pydict() == {"age": [31, 31]}
    with DuckDB(path, table="women") as engine:
        assert engine.tally(["age"]).sizes.tolist() == [2]


def test_a_schema_of_duckdb_is_named_before_a_dot(tmp_path):
    path = duckdb_file(tmp_path / "a.db", "CREATE SCHEMA ward", "CREATE TABLE ward.people AS SELECT 7 AS bed")
    assert Table.of(path, table="ward.people").to_arrow().to_pydict() == {"bed": [7]}


def test_hostile_names_are_names(database):
    name, column = 'a"b; DROP TABLE people; --', "x' \" y"
    quoted, inner = (word.replace('"', '""') for word in (name, column))
    path = database(f'CREATE TABLE "{quoted}" ("{inner}" TEXT)', f"""INSERT INTO "{quoted}" VALUES ('a')""")
    assert Table.of(path, table=name).to_arrow().to_pydict() == {column: ["a"]}
    with DuckDB(path, table=name) as engine:
        assert engine.tally([column]).sizes.tolist() == [1]
    assert len(Table.of(path, table="people")) == 5


def test_options_that_do_not_fit(database, tmp_path):
    path = database()
    for read in (Table.of, DuckDB):
        with pytest.raises(DataError, match="'delimiter' are for CSV files"):
            read(path, delimiter=";")
    (tmp_path / "people.csv").write_text("age,y\n1,2\n")
    for read in (Table.of, DuckDB):
        with pytest.raises(DataError, match=r"'people\.csv' is not a database"):
            read(tmp_path / "people.csv", table="people")


def test_a_file_that_is_not_whole(database):
    path = database("CREATE TABLE more AS SELECT * FROM people")
    path.write_bytes(path.read_bytes()[:5000])
    for read in (Table.of, DuckDB):
        with pytest.raises(DataError, match="cannot be read as a database"):
            read(path, table="people")


def test_databases_are_read_cell_by_cell_too(database):
    assert Table.by_cells(database()).cells("age").texts == ["31", "45"]


# -- DuckDB ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["read_csv('{file}')", "read_text('{file}')", "glob('{folder}/*')", "'{file}'"])
def test_a_view_of_a_duckdb_file_reads_no_other_file(tmp_path, source):
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nTOPSECRET\n")
    source = source.format(file=secret, folder=tmp_path)
    path = duckdb_file(tmp_path / "sly.db", f"CREATE VIEW sly AS SELECT * FROM {source}")
    for read in (Table.of, lambda path, table: DuckDB(path, table=table).n_rows):
        with pytest.raises(DataError) as caught:
            read(path, table="sly")
        assert "TOPSECRET" not in "".join(traceback.format_exception(caught.value))


def test_no_extension_is_loaded_and_no_macro_replaces_a_function(tmp_path):
    path = duckdb_file(tmp_path / "sly.db", "CREATE MACRO count(x) AS 42", "CREATE MACRO sum(x) AS 42")
    with DuckDB(path) as engine:
        assert engine.tally(["age"]).sizes.tolist() == [2, 2, 1]
        with pytest.raises(duckdb.Error):
            engine._connection.execute("LOAD httpfs")
        with pytest.raises(duckdb.Error):
            engine._connection.execute("SET enable_external_access = true")
        with pytest.raises(duckdb.Error):
            engine._connection.execute("DROP TABLE database_file.people")


def test_types_of_duckdb(tmp_path):
    path = duckdb_file(
        tmp_path / "types.db",
        "CREATE TABLE types AS SELECT DATE '2020-01-31' AS d, TIMESTAMPTZ '2020-01-31 12:00+02' AS z,"
        " 1.50::DECIMAL(9,2) AS n, uuid() AS u, true AS b",
    )
    table = Table.of(path, table="types")
    with DuckDB(path, table="types") as engine:
        for name in table.names:
            assert engine.values(name).values.equals(table.column(name).values)
    assert table.column("d").values.to_pylist() == [datetime.date(2020, 1, 31)]
    assert table.column("z").values.to_pylist() == [datetime.datetime(2020, 1, 31, 10)]
    assert table.column("n").values.to_pylist() == [1.5]


# -- SQLite ------------------------------------------------------------------------------------------------------------


def test_cells_of_any_type_in_any_column(tmp_path):
    path = tmp_path / "mixed.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mixed (a, b, c, d, e)")
    cells = [(1, 1, "x", b"raw", None), (2.5, "1.0", 0.1, "text", None), (None, 3.0, 7, 1, None)]
    connection.executemany("INSERT INTO mixed VALUES (?, ?, ?, ?, ?)", cells)
    connection.commit()
    connection.close()
    with SqliteTable(path) as source:
        assert [field.type for field in source.schema] == [
            *(pa.float64(), pa.string(), pa.string(), pa.binary(), pa.string()),
        ]
    table = Table.of(path)
    assert table.column("a").values.to_pylist() == [1.0, 2.5]
    assert table.column("b").values.to_pylist() == [1, 3]
    assert table.column("c").values.to_pylist() == ["0.1", "7", "x"]
    assert table.column("e").has_missing
    with pytest.raises(DataError, match="'d' holds values of the Arrow type binary"):
        table.column("d")


def test_rows_that_are_written_meanwhile_are_not_seen(tmp_path, monkeypatch):
    path = sqlite_file(tmp_path / "busy.sqlite")
    writer = sqlite3.connect(path)
    assert writer.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    monkeypatch.setattr("discreet.data.database_files._BATCH", 2)
    with SqliteTable(path) as source:
        batches = source.batches()
        seen = [next(batches)]
        writer.execute("INSERT INTO people VALUES (99, 'x', 1.0, 1)")
        writer.commit()
        seen += list(batches)
    assert pa.Table.from_batches(seen).to_pydict() == PEOPLE
    assert len(Table.of(path)) == 6
    writer.close()


def test_a_sqlite_file_runs_nothing(tmp_path):
    path = sqlite_file(tmp_path / "sly.sqlite", "CREATE VIEW sly AS SELECT load_extension('/nowhere') AS x")
    with pytest.raises(DataError, match="cannot be read as a database"):
        Table.of(path, table="sly")
    with SqliteTable(path, "people") as source:
        for statement in (
            "DROP TABLE people",
            f"ATTACH '{tmp_path / 'other.db'}' AS other",
            "PRAGMA writable_schema = 1",
        ):
            with pytest.raises(sqlite3.DatabaseError):
                source._connection.execute(statement)
    assert not (tmp_path / "other.db").exists()


ENDLESS = """
import sys
from discreet.data.table import Table
print("reading", flush=True)
try:
    Table.of(sys.argv[1])
except KeyboardInterrupt:
    print("stopped")
"""


def test_a_view_without_end_can_be_interrupted(tmp_path):
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
    path = sqlite_file(tmp_path / "endless.sqlite", "DROP TABLE people", f"CREATE VIEW people AS {endless}")
    with subprocess.Popen([sys.executable, "-c", ENDLESS, path], stdout=subprocess.PIPE, text=True) as reading:
        try:
            assert reading.stdout.readline() == "reading\n"
            time.sleep(0.5)
            reading.send_signal(signal.SIGINT)
            assert reading.communicate(timeout=20)[0] == "stopped\n"
        finally:
            reading.kill()


def test_a_cell_of_a_view_cannot_fill_memory(tmp_path):
    path = sqlite_file(tmp_path / "wide.sqlite", "CREATE VIEW wide AS SELECT hex(zeroblob(300000000)) AS x")
    with pytest.raises(DataError, match="cannot be read"):
        Table.of(path, table="wide")


def test_text_that_is_not_utf_8_is_not_quoted(tmp_path):
    path = sqlite_file(tmp_path / "latin.sqlite", "UPDATE people SET sex = CAST(x'54C3C3534543524554' AS TEXT)")
    with pytest.raises(DataError) as caught:
        Table.of(path)
    assert "SECRET" not in "".join(traceback.format_exception(caught.value))


def test_the_copy_for_the_engine_is_private_and_removed(tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    engine = DuckDB(sqlite_file(tmp_path / "people.sqlite"))
    (copy,) = scratch.rglob("*.parquet")
    assert copy.parent.stat().st_mode & 0o077 == 0
    assert repr(engine) == "DuckDB('people.sqlite', columns 'age', 'sex', 'pay', 'y')"
    engine.close()
    del engine
    assert not [path for path in Path(scratch).rglob("*") if path.is_file()]
