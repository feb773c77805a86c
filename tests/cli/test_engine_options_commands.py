# SPDX-License-Identifier: Apache-2.0
"""verify, recode, attack and evaluate through Spark and PostgreSQL: the answers are those of the plain commands."""

import json

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import discreet
from discreet import DataError, Mondrian
from discreet.cli.app import app
from discreet.engines import DuckDB
from discreet.release.table_copy import copy_to_table
from engine_cases import ROLES, people

TABLE = people(300).drop_columns(["unused"])
ASKED = ["--target", "y", "--quasi", "age,job,born", "--sensitive", "ill", "--other", "pay"]
EVALUATE = [*ASKED, "--method", "mondrian", "--classifiers", "c45", "--folds", "5-fold", "--no-detail"]

pytestmark = pytest.mark.usefixtures("patient")


def run(*words, status=0):
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exit_code == status, done.output
    return done


def answer(*words):
    """What a command says in JSON, but for a warning that the URL of this test holds a password."""
    said = json.loads(run(*words, "--json").stdout)
    return {name: value for name, value in said.items() if name != "warnings"}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A release in parts, and the rows that it is of, in two files."""
    folder = tmp_path_factory.mktemp("commands")
    (folder / "people").mkdir()
    pq.write_table(TABLE.slice(0, 170), folder / "people/a.parquet", row_group_size=60)
    pq.write_table(TABLE.slice(170), folder / "people/b.parquet")
    pq.write_table(TABLE, folder / "people.parquet")
    with DuckDB(folder / "people.parquet") as rows:
        Mondrian(k=3, l=2, random_state=1).release(rows, ROLES).save(folder / "out")
    return folder


def same_answers(place, tmp_path, rows, engine):
    """What recode, attack and evaluate make of `rows` through an engine, beside what they make of the file."""
    release, file = place / "out/release", place / "people.parquet"
    for source, options, name in ((file, [], "plain.csv"), (rows, engine, "engine.csv")):
        run("recode", release, source, *options, "-o", tmp_path / name)
    assert (tmp_path / "engine.csv").read_bytes() == (tmp_path / "plain.csv").read_bytes()
    attack = ["--attacks", "prosecutor,homogeneity"]
    assert answer("attack", release, "--known", rows, *attack, *engine) == answer(
        "attack", release, "--known", file, *attack
    )
    assert answer("evaluate", rows, *EVALUATE, *engine) == answer("evaluate", file, *EVALUATE)
    few = answer("evaluate", rows, *EVALUATE, *engine, "--sample", 100)
    assert few["sample"].startswith("Measured on a random sample of")
    assert "of 300 rows" in few["sample"]


# -- Spark -------------------------------------------------------------------------------------------------------------


@pytest.mark.spark
def test_commands_on_a_cluster(place, tmp_path, cluster):
    spark = ["--engine", "spark", "--master", cluster.master]
    folders = [place / "out/release", "--owner", place / "out/owner"]
    assert answer("verify", *folders, *spark) == answer("verify", *folders)
    same_answers(place, tmp_path, place / "people/*.parquet", spark)
    part = next((place / "out/release/table").iterdir())
    refused = run("recode", place / "out/release", part, *spark, "-o", tmp_path / "again.csv", status=2)
    assert "Traceback" not in refused.output


# -- PostgreSQL --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stored(place, postgres):
    """The URLs of the rows, and of the table that the release was copied to."""
    postgres.store(TABLE, "commanded")
    postgres.run("DROP TABLE IF EXISTS sunk")
    copy_to_table(place / "out/release", postgres.url("sunk"))
    return postgres.url("commanded"), postgres.url("sunk")


@pytest.mark.postgres
def test_commands_on_a_table_of_a_database(place, tmp_path, stored):
    same_answers(place, tmp_path, stored[0], ["--engine", "postgres"])


@pytest.mark.postgres
def test_a_table_that_the_rows_were_copied_to_is_verified(place, stored):
    folders = [place / "out/release", "--owner", place / "out/owner"]
    assert answer("verify", *folders, "--engine", "postgres", "--source", stored[1]) == answer("verify", *folders)


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE sunk SET pay = 99 WHERE ctid = (SELECT min(ctid) FROM sunk)", "are not those of the parts"),
        ("DELETE FROM sunk WHERE ctid = (SELECT min(ctid) FROM sunk)", "finds 299 rows in the table"),
        ("ALTER TABLE sunk DROP COLUMN pay", "lacks columns of the release: 'pay'"),
        ("ALTER TABLE sunk ADD COLUMN name text", "columns that are not in the release: 'name'"),
        ("ALTER TABLE sunk ALTER COLUMN ill TYPE int USING 1", "could not be compared|are not those"),
    ],
)
def test_a_table_that_differs_from_the_release_is_not_verified(place, postgres, stored, change, said):
    postgres.run("DROP TABLE IF EXISTS kept", "CREATE TABLE kept AS TABLE sunk", change)
    try:
        done = run("verify", place / "out/release", "--engine", "postgres", "--source", stored[1], status=1)
    finally:
        postgres.run("DROP TABLE sunk", "ALTER TABLE kept RENAME TO sunk")
    assert any(one in " ".join(done.output.split()) for one in said.split("|")), done.output


# -- refused before any work -------------------------------------------------------------------------------------------


def test_an_engine_that_reads_no_files_says_what_to_do(place, tmp_path):
    release, file = place / "out/release", place / "people.parquet"
    done = run("verify", release, "--engine", "postgres", status=2)
    assert "Count the parts of a release by duckdb or spark" in " ".join(done.output.split())
    commands = (
        ["recode", release, file, "-o", tmp_path / "x.csv"],
        ["attack", release, "--known", file],
        ["evaluate", file, *EVALUATE],
    )
    for command in commands:
        done = run(*command, "--engine", "postgres", status=2)
        assert "The engine postgres reads no files. Give the URL of a table" in " ".join(done.output.split())
        words = ["postgresql://ann@nowhere/clinic/people" if word == file else word for word in command]
        done = run(*words, "--engine", "duckdb", status=2)
        assert "The table of a database is read with --engine postgres" in " ".join(done.output.split())
    assert not list(tmp_path.iterdir())
    done = run("verify", release, "--source", "postgresql://ann@nowhere/clinic/people", status=2)
    assert "'--source': only engines take this" in " ".join(done.output.split())
    with pytest.raises(DataError, match="reads no files"):
        discreet.verify(release, engine="postgres")


def test_rows_of_an_engine_are_recoded_to_csv_or_parquet(place, tmp_path):
    rows = [place / "out/release", place / "people/*.parquet", "--engine", "duckdb"]
    done = run("recode", *rows, "-o", tmp_path / "x.sav", status=2)
    assert "Rows that an engine reads are written as" in " ".join(done.output.split())
