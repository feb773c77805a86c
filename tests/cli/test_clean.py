# SPDX-License-Identifier: Apache-2.0
"""discreet clean: what killed runs left is listed and removed, and nothing else."""

import json
import os
import signal
import subprocess
import sys

import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet.cli.app import GOOD, WRONG, app
from discreet.foundation.atomic_files import PARTIAL, new_folder
from foundation.test_atomic_files import left_behind

DIES = """
import os, signal, sys
from discreet.cli.app import main
from discreet.foundation import atomic_files
atomic_files._put_in_place = lambda partial, target: os.kill(os.getpid(), signal.SIGKILL)
sys.argv = ["discreet", *sys.argv[1:]]
main()
"""


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_what_was_left_is_listed_removed_and_put_back(tmp_path):
    (tmp_path / "mine").mkdir()
    first, second = left_behind(tmp_path, new="half"), left_behind(tmp_path, "earlier", replaced="old")
    old = left_behind(tmp_path, mark=False, release="rows of an earlier version")
    tried = run("clean", ".", "--dry-run")
    assert tried.exit_code == GOOD
    assert tried.stdout.splitlines() == [
        f"  would remove  {first.name}",
        f"  would remove  {second.name}",
        "  would put back  earlier, which a killed run was replacing",
        f"  left alone  {old.name}: it has no mark of discreet; an earlier version may have left it",
        "2 half-written entries would be removed.",
    ]
    assert len(os.listdir(tmp_path)) == 4
    with new_folder(tmp_path / "at work") as folder:
        left_behind(tmp_path, new="half")
        said = json.loads(run("clean", ".", "--json").stdout)
        assert said["in_use"] == [folder.parent.name]
        assert (len(said["removed"]), said["put_back"], said["unmarked"]) == (1, [], [old.name])
    assert sorted(os.listdir(tmp_path)) == sorted([old.name, "at work", "earlier", "mine"])


def test_only_a_folder_is_cleaned(tmp_path):
    (tmp_path / "file").touch()
    for name in ("file", "nowhere"):
        done = run("clean", name)
        assert (done.exit_code, "There is no folder" in done.stderr) == (WRONG, True)


def test_a_release_that_was_killed_is_cleaned(tmp_path):
    rows = {"age": [20, 21, 22, 40, 41, 42], "y": ["a", "b", "a", "b", "a", "b"]}
    pd.DataFrame(rows).to_csv("rows.csv", index=False)
    asked = ["release", "rows.csv", "--target", "y", "--quasi", "age", "--method", "mondrian", "--k", "3", "-o", "out"]
    assert subprocess.run([sys.executable, "-c", DIES, *asked], check=False).returncode == -signal.SIGKILL
    (left,) = [name for name in os.listdir(tmp_path) if name.startswith(PARTIAL)]
    assert not (tmp_path / "out").exists()
    assert (tmp_path / left).stat().st_mode & 0o077 == 0
    assert left in run("clean", ".").stdout
    assert os.listdir(tmp_path) == ["rows.csv"]
