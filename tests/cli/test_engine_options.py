# SPDX-License-Identifier: Apache-2.0
"""Releases of tables that lie in databases, from the command line."""

import json
import sqlite3
import subprocess
import sys

import duckdb
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from discreet import Table
from discreet.cli.app import app
from engine_cases import people

COLUMNS = ["--target", "y", "--quasi", "age,job,born", "--sensitive", "ill", "--person", "who", "--k", "3"]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def release(*arguments, method="mondrian"):
    return run("release", *arguments, "--method", method, *COLUMNS, "--seed", "1")


def rows(folder):
    found = (
        Table.of(folder / "release") if not (folder / "release/table").exists() else Table.of(folder / "release/table")
    )
    return sorted(map(str, found.to_arrow().to_pylist()))


@pytest.fixture
def expected(tmp_path):
    """The rows that a CSV file of the same table publishes."""
    import pyarrow.parquet as pq

    pq.write_table(people(120), tmp_path / "people.parquet")
    answer = release(tmp_path / "people.parquet", "--out", tmp_path / "expected", "--format", "parquet")
    assert answer.exit_code == 0, answer.output
    return rows(tmp_path / "expected")


@pytest.fixture
def sqlite_file(tmp_path):
    table = people(120)
    connection = sqlite3.connect(tmp_path / "people.sqlite")
    connection.execute(f"CREATE TABLE people ({', '.join(table.column_names)})")
    texts = table.set_column(5, "born", table.column("born").cast(pa.string())).to_pylist()
    connection.executemany(
        f"INSERT INTO people VALUES ({', '.join('?' * table.num_columns)})", [tuple(row.values()) for row in texts]
    )
    connection.commit()
    connection.close()
    return tmp_path / "people.sqlite"


@pytest.fixture
def duckdb_file(tmp_path):
    with duckdb.connect(str(tmp_path / "people.duckdb")) as connection:
        source = people(120)
        connection.from_arrow(source).create("people")
        connection.execute("CREATE TABLE visits (day DATE)")
    return tmp_path / "people.duckdb"


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]], ids=["memory", "duckdb"])
def test_a_sqlite_file_is_released(sqlite_file, expected, tmp_path, patient, engine):
    answer = release(sqlite_file, "--out", tmp_path / "out", *engine)
    assert answer.exit_code == 0, answer.output
    assert rows(tmp_path / "out") == expected
    assert run("verify", tmp_path / "out/release", "--owner", tmp_path / "out/owner").exit_code == 0


@pytest.mark.parametrize("engine", [[], ["--engine", "duckdb"]], ids=["memory", "duckdb"])
def test_a_table_of_a_duckdb_file_is_released(duckdb_file, expected, tmp_path, patient, engine):
    answer = release(duckdb_file, "--out", tmp_path / "out", *engine)
    assert answer.exit_code == 2
    assert "holds 2 tables: 'people', 'visits'. Name one of them" in answer.output
    answer = release(duckdb_file, "--table", "people", "--out", tmp_path / "out", *engine)
    assert answer.exit_code == 0, answer.output
    assert rows(tmp_path / "out") == expected


def test_other_commands_read_databases(sqlite_file, tmp_path, patient):
    answer = run("inspect", sqlite_file)
    assert answer.exit_code == 0, answer.output
    assert "people.sqlite: 120 rows, 9 columns" in answer.output


def test_options_of_another_engine(sqlite_file, tmp_path):
    answer = release("--engine", "postgres", "--out", tmp_path / "out")
    assert answer.exit_code == 2
    assert "reads what --source names" in answer.output
    answer = release(sqlite_file, "--source", "postgresql://ann:TOPSECRET@h/clinic/people", "--out", tmp_path / "out")
    assert answer.exit_code == 2
    assert "TOPSECRET" not in answer.output
    assert not (tmp_path / "out").exists()


@pytest.mark.postgres
def test_a_table_of_postgresql_is_released_and_copied(postgres, expected, tmp_path, patient):
    from postgres_server import PASSWORD

    postgres.store(people(120), "patients")
    postgres.run("DROP TABLE IF EXISTS published")
    source, sink = postgres.url("patients"), postgres.url("published")
    answer = release("--engine", "postgres", "--source", source, "--sink", sink, "--out", tmp_path / "out")
    assert answer.exit_code == 0, answer.output
    assert rows(tmp_path / "out") == expected
    assert "Warning: The URL holds a password" in answer.output
    assert PASSWORD[-16:] not in answer.output
    assert postgres.run("SELECT count(*) FROM published") == [(120,)]
    for file in (path for path in tmp_path.rglob("*") if path.is_file()):
        assert PASSWORD[-16:].encode() not in file.read_bytes()
    assert run("verify", tmp_path / "out/release", "--owner", tmp_path / "out/owner").exit_code == 0
    answer = release("--engine", "postgres", "--source", source, "--sink", sink, "--out", tmp_path / "again")
    assert answer.exit_code == 2
    assert "a table of that name exists already" in answer.output
    assert not (tmp_path / "again").exists()


@pytest.mark.postgres
def test_a_service_needs_no_password_on_the_command_line(postgres, expected, tmp_path):
    from postgres_server import PASSWORD

    postgres.store(people(120), "patients")
    (tmp_path / "services").write_text(
        f"[clinic]\nhost={postgres.folder}\nuser=owner\ndbname=people\npassword={PASSWORD}\n", encoding="utf-8"
    )
    source = ["--source", "postgresql:///?service=clinic", "--table", "patients"]
    command = ["release", "--engine", "postgres", *source, "--method", "mondrian", *COLUMNS, "--seed", "1", "--json"]
    done = subprocess.run(
        [sys.executable, "-m", "discreet", *command, "--out", str(tmp_path / "out")],
        env={**__import__("os").environ, "PGSERVICEFILE": str(tmp_path / "services")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr
    assert json.loads(done.stdout)["release"] == str(tmp_path / "out/release")
    assert rows(tmp_path / "out") == expected
    assert PASSWORD[-16:] not in done.stdout + done.stderr


def test_commands_read_rows_through_an_engine_as_from_a_file(tmp_path):
    from typer.testing import CliRunner

    from discreet.cli.app import app

    def run(*words):
        done = CliRunner().invoke(app, [*map(str, words)])
        assert done.exit_code == 0, done.output
        return done.output

    people, rows = tmp_path / "people.csv", tmp_path / "rows"
    run("data", "write", "clinic", "--rows", 400, "-o", people)
    asked = ["--target", "readmitted", "--quasi", "age,sex", "--sensitive", "diagnosis"]
    run("release", people, "--engine", "duckdb", *asked, "--method", "mondrian", "--k", 5, "-o", rows)
    assert "Verified" in run("verify", rows / "release", "--engine", "duckdb", "--memory", "1GB")
    for name, engine in (("one.csv", []), ("two.csv", ["--engine", "duckdb"])):
        run("recode", rows / "release", people, *engine, "-o", tmp_path / name)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    attack = ["attack", rows / "release", "--known", people, "--attacks", "prosecutor", "--json"]
    assert run(*attack, "--engine", "duckdb") == run(*attack)
    evaluate = ["evaluate", people, *asked[:4], "--method", "mondrian", "--classifiers", "c45", "--folds", "5-fold"]
    few = run(*evaluate, "--engine", "duckdb", "--sample", 200, "--no-detail")
    assert "Measured on a random sample of" in few
    assert "of 400 rows" in few
