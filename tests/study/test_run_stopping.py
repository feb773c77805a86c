# SPDX-License-Identifier: Apache-2.0
"""A study that is stopped or killed, at whatever moment, goes on and ends as one that was not."""

import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from multiprocessing import parent_process
from pathlib import Path

import pytest

from discreet.choose import read_study
from discreet.cli.app import STOPPED
from discreet.data.dataset import Dataset
from discreet.errors import DataError
from discreet.study import recipe_from, run_study
from small_study import RECIPE, load, written_clinic

SEEDED = f"{RECIPE}[run]\nseed = 3\n"
ONE_METHOD = SEEDED.replace('[[methods]]\nname = "tds"\n', "")


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    return written_clinic(tmp_path_factory.mktemp("clinic"), 200)


def known_of(study: Path) -> dict[str, object]:
    """What a study says: its files without those that it needs while it runs, and without the times that it took."""
    found: dict[str, object] = {"results": read_study(study / "results.parquet")}
    for path in sorted(study.rglob("*")):
        place = path.relative_to(study).as_posix()
        differs = place.startswith("cache/") or place in ("study.json", "results.parquet") or path.suffix == ".doing"
        if path.is_file() and not differs:
            text = path.read_text(encoding="utf-8", errors="replace")
            found[place] = re.sub(r'("seconds": )[0-9.]+|[0-9.]+ s(?=<)', "", text)
    return found


def test_killed_before_any_change_of_the_disk_it_goes_on_and_ends_alike(clinic, tmp_path):
    (tmp_path / "recipe.toml").write_text(ONE_METHOD.replace('"prosecutor"', "[]"), encoding="utf-8")
    script = str(Path(__file__).with_name("killing.py"))
    asked = [sys.executable, script, str(clinic), str(tmp_path / "recipe.toml"), str(tmp_path)]
    ended = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    moments = ended.stdout.split()
    assert len(moments) == 18
    whole = known_of(tmp_path / "whole")
    assert {"report.html", "results/mondrian-k5.json", "releases/mondrian-k5/release/data.csv"} <= whole.keys()
    for moment in moments:
        assert known_of(tmp_path / moment) == whole, moment


def begun(clinic: Path, folder: Path) -> subprocess.Popen:
    """The command with two processes of its own: one has done its task, the other will never end."""
    recipe = folder.with_suffix(".toml")
    recipe.write_text(f"{SEEDED}jobs = 2\n", encoding="utf-8")
    script = str(Path(__file__).with_name("holding.py"))
    asked = [sys.executable, script, "compare", str(clinic), str(recipe), "-o", str(folder)]
    process = subprocess.Popen(asked, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not (folder / "results/mondrian-k5.json").exists() and process.poll() is None:
        time.sleep(0.01)
    return process


def test_ctrl_c_ends_all_processes_and_says_how_to_go_on(clinic, tmp_path):
    with begun(clinic, tmp_path / "study") as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to all of them
        said = process.communicate()[1]  # to its end, so all of them ended
    assert process.returncode == STOPPED
    assert said.splitlines() == [
        f"What is done so far is in {tmp_path / 'study'}. The same command resumes it.",
        "Stopped. Nothing was left half-written.",
    ]


def test_processes_end_when_the_study_is_killed_and_it_goes_on(clinic, tmp_path):
    with begun(clinic, tmp_path / "study") as process:
        process.kill()
        process.communicate()
    assert [path.name for path in (tmp_path / "study/results").glob("*.json")] == ["mondrian-k5.json"]
    found, whole = (
        run_study(partial(load, clinic, SEEDED), recipe_from(SEEDED), tmp_path / name, text=SEEDED)
        for name in ("study", "whole")
    )
    for name, result in whole.results.items():
        assert found.results[name] | {"seconds": 0} == result | {"seconds": 0}
        ours, theirs = (study.folder / result["folder"] / "release/data.csv" for study in (found, whole))
        assert ours.read_bytes() == theirs.read_bytes()


def load_less(clinic: Path, other: Path) -> Dataset:
    """The data; other data in other processes than the one that began."""
    return load(clinic if parent_process() is None else other, ONE_METHOD)


@pytest.mark.parametrize("lost", [True, False])
def test_data_that_goes_or_changes_meanwhile_ends_the_study(clinic, tmp_path, capfd, lost):
    (tmp_path / "b").mkdir()
    other = tmp_path / "lost.csv" if lost else written_clinic(tmp_path / "b", 190)
    recipe = recipe_from(f"{ONE_METHOD}jobs = 2\n")  # in one other process, then
    with pytest.raises(DataError, match="There is no file 'lost.csv'" if lost else "The data changed while"):
        run_study(partial(load_less, clinic, other), recipe, tmp_path / "study")
    assert capfd.readouterr().err == ""
    assert not [*(tmp_path / "study/results").iterdir()]
