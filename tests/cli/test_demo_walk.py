# SPDX-License-Identifier: Apache-2.0
"""The demo prints and writes what it says, and replaces only what an earlier demo wrote."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet import DataError
from discreet.cli import demo_walk
from discreet.cli.app import GOOD, WRONG, app
from discreet.cli.demo_walk import run
from discreet.foundation import progress
from discreet.release.verify import verify
from discreet.study import read_recipe

SMALL = ["--rows", "400", "--k", "5"]


@pytest.fixture(autouse=True, scope="module")
def _fewer_folds():
    """The study measures with two folds here; tests/bare.py runs the demo as it is."""
    with pytest.MonkeyPatch.context() as patch:
        assert '"5-fold"' in demo_walk._RECIPE
        patch.setattr(demo_walk, "_RECIPE", demo_walk._RECIPE.replace("5-fold", "2-fold"))
        yield


@pytest.fixture(autouse=True)
def _quiet_afterwards():
    yield
    progress.show(False)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """What the command did in a folder of its own, with what it said."""
    made = []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("demo"))
        patch.setattr(demo_walk, "run", lambda *given, **more: made.append(run(*given, **more)) or made[0])
        done = CliRunner().invoke(app, ["demo", *SMALL])
        assert done.exit_code == GOOD, done.output
        (demo,) = made
        demo = replace(demo, folder=demo.folder.absolute())
    return demo, done.stdout


@pytest.fixture
def demo(shown):
    return shown[0]


@pytest.fixture
def copied(demo, tmp_path):
    """The folder of an earlier demo, which a test may change."""
    return Path(shutil.copytree(demo.folder, tmp_path / "d"))


def test_it_writes_the_data_two_releases_that_verify_and_a_report(demo):
    inside = sorted(path.name for path in demo.folder.iterdir())
    assert inside == ["README.txt", "clinic.csv", "greedy", "report.html", "study", "tree-ladder"]
    assert len(pd.read_csv(demo.folder / "clinic.csv")) == 400
    for method in ("greedy", "tree-ladder"):
        found = verify(demo.folder / method / "release")
        assert found.holds
        assert found.verdict is not None
        assert found.verdict.measured >= 5
        assert (demo.folder / method / "owner" / "report.html").stat().st_mode & 0o777 == 0o600
        published = (demo.folder / method / "release" / "data.csv").read_text(encoding="utf-8")
        assert "patient_id" not in published
        assert "name" not in published.splitlines()[0].split(",")


def test_the_summary_compares_both_on_held_out_rows(demo):
    greedy, ladder = demo.summary["releases"]
    assert (greedy["method"], ladder["method"]) == ("greedy", "tree-ladder")
    assert demo.summary["risk_before"]["unique_share"] > 0.9
    for release in (greedy, ladder):
        assert release["verified"]
        assert release["utility"]["n_test"] == 120
        assert release["utility"]["accuracy_before"] == greedy["utility"]["accuracy_before"]  # the same split
    page = demo.report.read_text(encoding="utf-8")
    assert "2 releases of clinic: every promise holds" in page
    assert "discreet verify tree-ladder/release" in page


def test_the_study_compares_four_methods_and_chooses_one_that_verifies(demo):
    lines = demo.study["candidates"]
    assert {line["method"] for line in lines} == {"greedy", "tree-ladder", "tds", "mondrian"}
    assert len(lines) == 4 * 3
    assert demo.study["skipped"] == demo.study["failed"] == {}
    best = next(line for line in lines if line["best"])
    assert verify(demo.folder / "study" / demo.study["best_folder"] / "release").holds
    page = demo.study_report.read_text(encoding="utf-8")
    assert f"{best['name']}" in page
    assert demo.study["pictures"][0]["place"] == "first"  # what they are worth, and who is not found
    assert {"first", "attacks", "utility", "k"} <= {picture["place"] for picture in demo.study["pictures"]}
    assert demo.study_report.stat().st_mode & 0o777 == 0o600


def test_the_recipe_of_the_study_can_be_repeated(demo):
    asked = read_recipe(demo.folder / "study" / "recipe.toml")
    assert asked.promises.k == (2, 5, 25)
    assert asked.roles.target == "readmitted"
    assert asked.roles.identifiers == ("patient_id", "name")


def test_the_command_answers_in_json_and_the_same_seed_gives_the_same_demo(demo, tmp_path):
    again = tmp_path / "again"
    done = CliRunner().invoke(app, ["demo", *SMALL, "-o", str(again), "--json"])
    assert done.exit_code == GOOD, done.output
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found["report"] == str(again / "report.html")
    assert found["study_report"] == str(again / "study" / "report.html")
    assert found["summary"]["format"] == 2
    assert found["study"]["best"] is not None
    best = f"study/{demo.study['best_folder']}/release/data.csv"
    for name in ("clinic.csv", "report.html", "tree-ladder/release/data.csv", "greedy/release/certificate.json", best):
        assert (again / name).read_bytes() == (demo.folder / name).read_bytes()
    before = json.loads(json.dumps(demo.study["candidates"]))
    for line, earlier in zip(found["study"]["candidates"], before, strict=True):
        assert line | {"seconds": None} == earlier | {"seconds": None}


def test_a_second_run_replaces_the_first_and_says_what_it_skipped_of_few_people(copied):
    done = CliRunner().invoke(app, ["demo", "--rows", "40", "--k", "10", "-o", str(copied)])
    assert done.exit_code == GOOD, done.output
    assert "Compared: " in done.stdout
    assert "k = 50, but there are 40 persons." in (copied / "study/report.html").read_text(encoding="utf-8")
    assert len(pd.read_csv(copied / "clinic.csv")) == 40
    assert not [*copied.glob("study/releases/*-k25")]  # of the first


@pytest.mark.parametrize("name", ["README.txt", "thesis.tex"])
def test_a_folder_of_somebody_else_is_never_replaced(tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("years of work")
    with pytest.raises(DataError, match="not written by the demo"):
        run(tmp_path / "mine", rows=400, k=5)
    assert (tmp_path / "mine" / name).read_text() == "years of work"


def test_something_added_to_a_demo_is_not_lost(copied):
    (copied / "thesis.tex").write_text("years of work")
    with pytest.raises(DataError, match="not part of an earlier release"):
        run(copied, rows=100, k=5)
    assert (copied / "thesis.tex").exists()
    assert verify(copied / "greedy" / "release").holds


def test_the_command_prints_the_table_the_report_and_the_next_commands(shown, monkeypatch):
    demo, said = shown
    for text in (
        "made-up hospital stays",
        "greedy",
        "tree-ladder",
        "accuracy (95 %)",
        "yes",
        "held-out rows",
        "Compared: 12 releases by four methods. Chosen: ",
        "Report: discreet-demo/report.html",
        "Study:  discreet-demo/study/report.html",
        "discreet verify discreet-demo/tree-ladder/release",
    ):
        assert text in said, text
    monkeypatch.chdir(demo.folder.parent)
    following = [line.split() for line in said.splitlines() if line.startswith("  discreet ")]
    assert len(following) == 4
    for command in following:
        assert CliRunner().invoke(app, command[1:]).exit_code == GOOD, command


def test_too_few_people_are_refused(tmp_path):
    done = CliRunner().invoke(app, ["demo", "--rows", "8", "--k", "10", "-o", str(tmp_path / "d")])
    assert done.exit_code == WRONG
    assert "only 8 persons" in done.stderr
    assert not (tmp_path / "d").exists()
