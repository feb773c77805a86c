# SPDX-License-Identifier: Apache-2.0
"""Jobs on Spark and PostgreSQL: what they will take is said before any work, and a killed one goes on where it was."""

import json
import os

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from discreet import verify
from discreet.cli.app import GOOD, WRONG, app
from discreet.engines import Postgres, Spark, estimate
from discreet.engines.resumable import Resumable
from engine_cases import people

HOW = ["--target", "y", "--quasi", "age,job,born", "--sensitive", "ill", "--method", "mondrian", "--k", "3"]
pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture(
    params=[pytest.param("spark", marks=pytest.mark.spark), pytest.param("postgres", marks=pytest.mark.postgres)]
)
def source(request, tmp_path):
    """What names 400 rows to an engine, and how to change one of them."""
    if request.param == "spark":
        pq.write_table(people(400), tmp_path / "people.parquet", row_group_size=150)
        master = request.getfixturevalue("cluster").master
        words = [str(tmp_path / "people.parquet"), "--engine", "spark", "--master", master]
        return words, Spark, lambda: pq.write_table(people(400, seed=1), tmp_path / "people.parquet")
    server = request.getfixturevalue("postgres")
    words = ["--engine", "postgres", "--source", server.store(people(400), "job")]
    change = "UPDATE job SET pay = 77 WHERE ctid = (SELECT min(ctid) FROM job)"
    return words, Postgres, lambda: server.run(change)


def release(source, out, *more):
    return CliRunner().invoke(app, ["release", *source[0], *HOW, "--other", "pay", "-o", str(out), *more])


def left(folder):
    """What is in the folder of the release, but for the source."""
    return [name for name in os.listdir(folder) if name != "people.parquet"]


def stop(*_):
    raise SystemExit(143)  # as the command does when it is terminated


def count(*_, **__):
    raise AssertionError("counted again")


def test_jobs_say_what_they_take_and_go_on(source, tmp_path, monkeypatch):
    engine = source[1]
    done = release(source, tmp_path / "out", "--dry-run", "--json")
    assert done.exit_code == GOOD, done.output
    told = json.loads(done.stdout)
    assert told["n_rows"] == 400
    quasi = people(400).select(["age", "job", "born"])
    assert told["distinct"]["likely"] == len(quasi.group_by(quasi.column_names).aggregate([]))
    assert (told["workers"] > 0) is (engine is Spark)
    assert left(tmp_path) == []
    with monkeypatch.context() as patch:
        patch.setattr(estimate, "free_memory", lambda: 10 << 20)
        done = release(source, tmp_path / "out")
        assert done.exit_code == WRONG
        assert "10 MB are free. Take fewer quasi-identifiers" in done.output
        assert left(tmp_path) == []
    with monkeypatch.context() as patch:
        patch.setattr(Resumable, "publish", stop)
        assert release(source, tmp_path / "out").exit_code == 143
    (job,) = left(tmp_path)
    assert (tmp_path / job).stat().st_mode & 0o777 == 0o700
    with monkeypatch.context() as patch:
        patch.setattr(engine, "tally", count)
        patch.setattr(Resumable, "publish", publish_and_stop)
        assert release(source, tmp_path / "out").exit_code == 143
    with monkeypatch.context() as patch:
        patch.setattr(engine, "tally", count)
        patch.setattr(engine, "publish", count)
        done = release(source, tmp_path / "out")
    assert done.exit_code == GOOD, done.output
    assert "A job for the same release was interrupted: it goes on" in done.output
    assert verify(tmp_path / "out/release").holds
    assert left(tmp_path) == ["out"]


_publish = Resumable.publish


def publish_and_stop(*arguments):
    _publish(*arguments)
    raise SystemExit(143)


def test_rows_that_changed_are_counted_anew(source, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Resumable, "publish", stop)
        assert release(source, tmp_path / "out").exit_code == 143
    source[2]()
    done = release(source, tmp_path / "out")
    assert done.exit_code == GOOD, done.output
    assert "goes on" not in done.output
    assert left(tmp_path) == ["out"]


# -- samples of PostgreSQL ---------------------------------------------------------------------------------------------


@pytest.mark.postgres
@pytest.mark.parametrize("order", ["random()", "a"])
@pytest.mark.parametrize("kind", ["analyzed", "new", "view"])
def test_distinct_rows_of_a_large_table_are_estimated_from_some_of_it(postgres, monkeypatch, order, kind):
    """12,000 of 60,000 rows are read; 4,000 are distinct, written at random or one beside the other."""
    monkeypatch.setattr("discreet.engines.postgres_sample.SAMPLE", 12_000)
    postgres.run(
        "DROP VIEW IF EXISTS seen", "DROP TABLE IF EXISTS large",
        "CREATE TABLE large AS SELECT * FROM (SELECT i % 4000 AS a, 'town ' || i % 40 AS b, i AS c"
        f" FROM generate_series(1, 60000) AS i) AS it ORDER BY {order}",
        *(["ANALYZE large"] if kind == "analyzed" else []),
        *(["CREATE VIEW seen AS SELECT * FROM large"] if kind == "view" else []),
    )  # fmt: skip
    with Postgres(postgres.url("seen" if kind == "view" else "large")) as engine:
        found = engine.sample(["a", "b"])
        assert found.is_exact is (kind != "analyzed")
        assert 0.9 * 60_000 <= found.n_rows <= 1.1 * 60_000
        assert len(found) < 20_000
        assert 0.6 * 4000 <= found.distinct().likely <= 1.6 * 4000
        assert engine.likely_distinct(["c"]) > 40_000


@pytest.mark.postgres
def test_a_table_without_rows_is_refused_before_any_work(postgres, tmp_path):
    postgres.run("DROP TABLE IF EXISTS nobody", "CREATE TABLE nobody (age int, y int)")
    words = ["--target", "y", "--quasi", "age", "--method", "mondrian", "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(app, ["release", "--engine", "postgres", "--source", postgres.url("nobody"), *words])
    assert done.exit_code == WRONG
    assert "no rows" in done.output
    assert left(tmp_path) == []
