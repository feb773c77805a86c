# SPDX-License-Identifier: Apache-2.0
"""What nobody foresaw ends one task of a study and no other, tells no cell, and is tried again."""

import os
import signal
import subprocess
import sys
import warnings
from functools import partial
from multiprocessing import parent_process
from pathlib import Path

import pytest
from typer.testing import CliRunner

from discreet import Mondrian, verify
from discreet.cli.app import GOOD, app
from discreet.data.dataset import Dataset
from discreet.report.study_page import summarise_study, to_page
from discreet.study import recipe_from, run_study
from discreet.study.measure import DIED
from small_study import RECIPE as TWO_METHODS
from small_study import load, written_clinic

CELL = "Zq7cellZq7"  # as libraries quote cells in their messages
RECIPE = f"{TWO_METHODS}[run]\nseed = 3\n"
WAYS = {
    "KeyError": lambda: (_ for _ in ()).throw(KeyError(CELL)),
    "MemoryError": lambda: (_ for _ in ()).throw(MemoryError(CELL)),
    DIED: lambda: os.kill(os.getpid(), signal.SIGKILL),
}


def load_to_break(clinic: Path, way: str) -> Dataset:
    """The data; and Mondrian ends this way from now on, in other processes than the one that began."""
    if parent_process() is not None:
        Mondrian._plan = lambda *_: WAYS[way]()
    return load(clinic, RECIPE)


def study_of(clinic, folder, *, jobs=1, way=None):
    recipe = recipe_from(f"{RECIPE}jobs = {jobs}\n")
    begins = partial(load, clinic, RECIPE) if way is None else partial(load_to_break, clinic, way)
    return run_study(begins, recipe, folder, text=RECIPE)


def without_time(results):
    return {name: {key: value for key, value in found.items() if key != "seconds"} for name, found in results.items()}


def every_byte(folder):
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    return written_clinic(tmp_path_factory.mktemp("clinic"), 1000)  # enough to tell tds from guessing


@pytest.fixture(scope="module")
def whole(clinic, tmp_path_factory):
    return study_of(clinic, tmp_path_factory.mktemp("whole") / "study")


def is_told(found, error):
    """The failure by its name alone, in the results and in the report; the other release is there."""
    assert found.results["mondrian-k5"]["failed"] == error
    assert list(found.released) == ["tds-k5"]
    assert verify(found.folder / "releases/tds-k5/release").holds
    assert not (found.folder / "releases/mondrian-k5").exists()
    summary = summarise_study(found, name="clinic.csv")
    assert summary["best"] == "tds-k5"
    assert summary["failed"].keys() == {"mondrian-k5"}
    assert "mondrian-k5" not in summary["skipped"]
    page = to_page(summary)
    assert f"<td>failed: {error}</td>" in page
    assert "The same command tries it again" in page
    assert ("more memory" in page) == (error in (DIED, "MemoryError"))
    assert CELL not in page
    assert CELL.encode() not in every_byte(found.folder)


@pytest.mark.parametrize("error", ["KeyError", "MemoryError"])
def test_an_error_that_was_not_foreseen_ends_one_task(clinic, whole, tmp_path, monkeypatch, error):
    with monkeypatch.context() as broken:
        broken.setattr(Mondrian, "_plan", lambda *_: WAYS[error]())
        is_told(study_of(clinic, tmp_path / "study"), error)
    again = study_of(clinic, tmp_path / "study")
    assert without_time(again.results) == without_time(whole.results)
    assert summarise_study(again, name="clinic.csv")["failed"] == {}


@pytest.mark.parametrize("way", ["KeyError", DIED])
def test_so_it_does_in_other_processes_even_if_one_is_killed(clinic, whole, tmp_path, way):
    is_told(study_of(clinic, tmp_path / "study", jobs=2, way=way), way)
    again = study_of(clinic, tmp_path / "study")
    assert without_time(again.results) == without_time(whole.results)


def load_and_warn(clinic: Path) -> Dataset:
    if parent_process() is not None:
        warnings.warn(f"could not convert {CELL}", RuntimeWarning, stacklevel=1)
    return load(clinic, RECIPE)


def test_warnings_in_other_processes_are_not_printed(clinic, tmp_path, capfd):
    """Those of other libraries quote cells."""
    one_method = RECIPE.replace('[[methods]]\nname = "tds"\n', "")
    found = run_study(partial(load_and_warn, clinic), recipe_from(f"{one_method}jobs = 2\n"), tmp_path / "study")
    assert len(found.released) == 1
    assert capfd.readouterr() == ("", "")


KILLED = """
import os, sys
sys.path[:0] = [sys.argv[1], os.path.dirname(sys.argv[1])]
from test_run_failures import DIED, Mondrian, Path, WAYS, study_of
Mondrian._plan = lambda *_: WAYS[DIED]()
study_of(Path(sys.argv[2]), sys.argv[3])
"""


def test_a_study_that_a_task_kills_goes_on_past_it_when_it_is_started_again(clinic, whole, tmp_path):
    """With one job the study does the tasks itself, and dies of the first; the next run does that one apart, last."""
    asked = [sys.executable, "-c", KILLED, str(Path(__file__).parent), str(clinic), str(tmp_path / "study")]
    ended = subprocess.run(asked, capture_output=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    is_told(study_of(clinic, tmp_path / "study", way=DIED), DIED)
    is_told(study_of(clinic, tmp_path / "study", way=DIED), DIED)  # and not in the process of the study
    again = study_of(clinic, tmp_path / "study")
    assert without_time(again.results) == without_time(whole.results)
    assert not [*(tmp_path / "study" / "results").glob("*.doing")]


def test_the_command_says_what_failed_and_goes_on(clinic, tmp_path, monkeypatch):
    monkeypatch.setattr(Mondrian, "_plan", lambda *_: WAYS["KeyError"]())
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    asked = ["compare", str(clinic), str(tmp_path / "recipe.toml"), "-o", str(tmp_path / "study")]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == GOOD, done.output
    words = " ".join(done.stdout.split())
    assert "mondrian-k5 failed: KeyError" in words
    assert "Failed mondrian-k5 (KeyError). An unexpected error." in words
    assert "discreet --debug release" in words
    assert "Chosen tds-k5" in words
    assert CELL not in done.output
