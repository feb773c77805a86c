# SPDX-License-Identifier: Apache-2.0
"""Releases through an engine as jobs: an estimate first; killed, out of disk or memory, they are whole or not there."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from typer.testing import CliRunner

from discreet import Mondrian, Roles, verify
from discreet.cli.app import GOOD, WRONG, app
from discreet.cli.release_job import ReleaseJob
from discreet.engines import DuckDB, estimate
from discreet.engines.resumable import Resumable
from discreet.foundation.job_folder import JOB

RARE = "Zweifelsheim-Unterzwick"  # a town that one person lives in: published nowhere
ROLES = ["--target", "y", "--quasi", "age,town", "--sensitive", "ill", "--other", "pay"]
HOW = ["--method", "mondrian", "--k", "5", "--engine", "duckdb", "--memory", "200MB"]


def people(n=4000, seed=3):
    random = np.random.default_rng(seed)
    towns = random.choice(["Berg", "Tal", "Au", "Horn"], n).astype(object)
    towns[7] = RARE
    return pa.table(
        {
            "age": random.integers(20, 70, n),
            "town": pa.array(towns, pa.string()),
            "ill": random.choice(["flu", "gout", "none"], n),
            "pay": random.integers(0, 5000, n),
            "y": random.choice(["no", "yes"], n),
        }
    )


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    table = people()
    for part in range(4):
        pq.write_table(table.slice(1000 * part, 1000), folder / f"part-{part}.parquet", row_group_size=250)
    return folder


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def release(source, out, *more):
    return run("release", source, *ROLES, *HOW, "-o", out, *more)


def holding(folder, text=RARE):
    """Files below a folder that hold the text, as it is or in any of the ways Arrow and NumPy write it."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def hidden(folder):
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


def test_kills_at_many_moments(source, tmp_path):
    """Whatever the moment, the release is whole and verified or not there; started again, it goes on and ends."""
    place, program = tmp_path / "killed", Path(__file__).with_name("killing_release.py")
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    done = subprocess.run(
        [sys.executable, str(program), str(source), str(place)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    moments = [line.split() for line in done.stdout.splitlines()]
    assert len(moments) == 14
    assert {state for _, state, _ in moments} == {"nothing", "whole"}
    assert {kept for _, _, kept in moments} == {"anew", "kept"}, "no kill came after the tally: the test shows nothing"
    for folder in place.iterdir():
        assert verify(folder / "out" / "release").holds
        if [folder.name, "whole"] in [moment[:2] for moment in moments]:  # killed while tidying up
            assert run("clean", folder).exit_code == GOOD
        assert hidden(folder) == []
    assert run("clean", tmp_path / "tmp").exit_code == GOOD
    assert holding(place) == holding(tmp_path / "tmp") == []


def test_what_was_counted_is_not_counted_again(source, tmp_path, monkeypatch):
    def stopped(self, *_):
        raise SystemExit(143)  # as the command does when it is terminated

    with monkeypatch.context() as patch:
        patch.setattr(Resumable, "publish", stopped)
        assert release(source, tmp_path / "out").exit_code == 143
    (job,) = hidden(tmp_path)
    assert job.startswith(JOB)
    assert (tmp_path / job).stat().st_mode & 0o777 == 0o700

    def refused(*_, **__):
        raise AssertionError("counted again")

    with monkeypatch.context() as patch:
        patch.setattr("discreet.engines.duckdb.DuckDB._grouped", refused)
        done = release(source, tmp_path / "out")
    assert "A job for the same release was interrupted: it goes on" in done.stderr
    assert verify(tmp_path / "out" / "release").holds
    assert hidden(tmp_path) == []


@pytest.mark.parametrize("change", ["source", "k"])
def test_another_source_or_parameter_counts_anew(source, tmp_path, monkeypatch, change):
    with monkeypatch.context() as patch:
        patch.setattr(Resumable, "publish", lambda *_: (_ for _ in ()).throw(SystemExit(143)))
        release(source, tmp_path / "out")
    if change == "source":
        pq.write_table(people(500, seed=9), source / "part-1.parquet")
    done = release(source, tmp_path / "out", *(["--k", "7"] if change == "k" else []))
    assert done.exit_code == GOOD
    assert "goes on" not in done.stderr
    assert hidden(tmp_path) == []


def test_clean_removes_an_abandoned_job(source, tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Resumable, "publish", lambda *_: (_ for _ in ()).throw(SystemExit(143)))
        release(source, tmp_path / "out")
    assert len(holding(tmp_path)) > 1  # the source, and what was counted, in clear
    assert "would remove  .discreet-job-" in run("clean", tmp_path, "--dry-run").stdout
    assert "1 half-written entries removed" in run("clean", tmp_path).stdout
    assert hidden(tmp_path) == []
    assert {path.parent.name for path in holding(tmp_path)} == {"source"}


def test_a_source_that_changes_meanwhile(source, tmp_path, monkeypatch):
    publish = Resumable.publish

    def later(self, *arguments):
        pq.write_table(people(1000, seed=4), source / "part-2.parquet")
        return publish(self, *arguments)

    monkeypatch.setattr(Resumable, "publish", later)
    done = release(source, tmp_path / "out")
    assert done.exit_code == WRONG
    assert "changed while they were" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["source", "tmp"]
    assert holding(tmp_path / "tmp") == []


def test_a_part_that_cannot_be_read(source, tmp_path):
    whole = (source / "part-3.parquet").read_bytes()
    (source / "part-3.parquet").write_bytes(whole[:2000] + bytes(200) + whole[2200:])
    done = release(source, tmp_path / "out")
    assert done.exit_code == WRONG
    assert RARE not in done.output + done.stderr
    assert sorted(os.listdir(tmp_path)) == ["source", "tmp"]


FULL = """
import resource, signal, sys
from discreet.cli.app import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
sys.argv = ["discreet", *sys.argv[2:]]
main()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on the size of files")
@pytest.mark.parametrize("most", [600, 16_000])
def test_a_full_disk_leaves_nothing(source, tmp_path, most):
    """The limit is met by what is counted, and by a published part."""
    command = [sys.executable, "-c", FULL, str(most), "release", str(source), *ROLES, *HOW, "-o", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path / "tmp")})
    assert done.returncode == WRONG, done.stderr
    assert RARE not in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["source", "tmp"]
    assert holding(tmp_path / "tmp") == []


def test_too_little_memory_for_the_engine(source, tmp_path):
    done = run("release", source, *ROLES, *HOW[:-1], "1KB", "-o", tmp_path / "out")
    assert done.exit_code == WRONG
    assert "memory" in done.stderr
    assert RARE not in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["source", "tmp"]


# -- the estimate ------------------------------------------------------------------------------------------------------


def test_a_dry_run_only_says_what_it_would_take(source, tmp_path):
    done = release(source, tmp_path / "out", "--dry-run")
    assert done.exit_code == GOOD
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["rows", "distinct", "memory", "disk", "time"]
    assert lines[0] == "rows      4,000"
    assert sorted(os.listdir(tmp_path)) == ["source", "tmp"]
    told = json.loads(release(source, tmp_path / "out", "--dry-run", "--json").stdout)
    assert told["n_rows"] == 4000
    assert told["distinct"]["least"] <= told["distinct"]["likely"] <= told["distinct"]["most"]


@pytest.mark.parametrize(("asked", "in_parts"), [([], True), (["--l", "2"], True), (["--split", "information"], False)])
def test_the_estimate_says_parts_only_where_they_are_decided_on(source, tmp_path, monkeypatch, asked, in_parts):
    monkeypatch.setattr(estimate, "FEW", 10)
    monkeypatch.setattr(estimate, "MOST_DISTINCT", 10)
    told = json.loads(release(source, tmp_path / "out", *asked, "--dry-run", "--json").stdout)
    assert told["in_parts"] is in_parts


def test_rows_without_files_are_estimated_and_nothing_of_them_is_kept(tmp_path, capsys):
    """Nothing would tell a later process that the rows are the same."""
    with ExitStack() as until_saved, DuckDB(people(50)) as engine:
        roles = Roles(target="y", quasi=["age"])
        job = ReleaseJob(tmp_path / "out", {}, None, False, False, False, until_saved)
        assert job.start(engine, Mondrian(5), roles) is engine
        with pytest.raises(typer.Exit):
            replace(job, dry_run=True).start(engine, Mondrian(5), roles)
    assert "rows      50" in capsys.readouterr().out
    assert hidden(tmp_path) == []


def test_the_estimate_is_said_before_the_release_and_not_when_quiet(source, tmp_path):
    assert "rows      4,000" in release(source, tmp_path / "one").stderr
    assert release(source, tmp_path / "two", "--quiet").stderr == ""


def test_too_little_memory_is_refused_before_any_work(source, tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "free_memory", lambda: 10 << 20)
    done = release(source, tmp_path / "out")
    assert done.exit_code == WRONG
    assert "10 MB are free. Take fewer quasi-identifiers" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["source", "tmp"]


def test_too_little_disk_is_refused_before_any_work(source, tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "free_disk", lambda place: 1000)
    done = release(source, tmp_path / "out")
    assert done.exit_code == WRONG
    assert "Make room, or write it to another disk" in done.stderr
    assert sorted(os.listdir(tmp_path)) == ["source", "tmp"]


def test_a_file_that_does_not_fit_into_memory_names_the_engine(source, tmp_path, monkeypatch):
    monkeypatch.setattr(estimate, "free_memory", lambda: 1 << 10)
    done = run("release", source / "part-0.parquet", *ROLES, *HOW[:4], "-o", tmp_path / "out")
    assert done.exit_code == WRONG
    assert "With --engine duckdb they stay on disk" in done.stderr


def test_a_dry_run_is_of_an_engine(source, tmp_path):
    done = run("release", source / "part-0.parquet", *ROLES, *HOW[:4], "-o", tmp_path / "out", "--dry-run")
    assert done.exit_code == WRONG
    assert "Name one with --engine" in done.stderr
