# SPDX-License-Identifier: Apache-2.0
"""The demo prints and writes what it says, and replaces only what an earlier demo wrote."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet import DataError
from discreet.cli.app import GOOD, WRONG, app
from discreet.cli.demo_walk import run
from discreet.foundation import progress
from discreet.release.verify import verify
from discreet.study import read_recipe

SMALL, FEW = {"rows": 400, "k": 5}, {"rows": 100, "k": 5}


@pytest.fixture(autouse=True)
def _quiet_afterwards():
    yield
    progress.show(False)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return run(tmp_path_factory.mktemp("demo") / "d", **SMALL)


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


def test_the_same_seed_gives_the_same_demo(demo, tmp_path):
    again = run(tmp_path / "again", **SMALL)
    best = f"study/{demo.study['best_folder']}/release/data.csv"
    for name in ("clinic.csv", "report.html", "tree-ladder/release/data.csv", "greedy/release/certificate.json", best):
        assert (again.folder / name).read_bytes() == (demo.folder / name).read_bytes()
    for line, before in zip(again.study["candidates"], demo.study["candidates"], strict=True):
        assert line | {"seconds": None} == before | {"seconds": None}


def test_a_second_run_replaces_the_first(tmp_path):
    first = run(tmp_path / "d", **FEW)
    assert run(tmp_path / "d", rows=90, k=5).folder == first.folder
    assert len(pd.read_csv(tmp_path / "d" / "clinic.csv")) == 90


@pytest.mark.parametrize("name", ["README.txt", "thesis.tex"])
def test_a_folder_of_somebody_else_is_never_replaced(tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("years of work")
    with pytest.raises(DataError, match="not written by the demo"):
        run(tmp_path / "mine", **SMALL)
    assert (tmp_path / "mine" / name).read_text() == "years of work"


def test_something_added_to_a_demo_is_not_lost(tmp_path):
    run(tmp_path / "d", **FEW)
    (tmp_path / "d" / "thesis.tex").write_text("years of work")
    with pytest.raises(DataError):
        run(tmp_path / "d", **FEW)
    assert (tmp_path / "d" / "thesis.tex").exists()


def test_the_command_prints_the_table_the_report_and_the_next_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["demo", "--rows", "400", "--k", "5"])
    assert done.exit_code == GOOD, done.output
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
        assert text in done.stdout, text
    following = [line.split() for line in done.stdout.splitlines() if line.startswith("  discreet ")]
    assert len(following) == 4
    for command in following:
        assert CliRunner().invoke(app, command[1:]).exit_code == GOOD, command


def test_the_command_answers_in_json(tmp_path):
    done = CliRunner().invoke(app, ["demo", "--rows", "400", "--k", "5", "-o", str(tmp_path / "d"), "--json"])
    found = json.loads(done.stdout)
    assert found["report"] == str(tmp_path / "d" / "report.html")
    assert found["study_report"] == str(tmp_path / "d" / "study" / "report.html")
    assert found["summary"]["format"] == 1
    assert found["study"]["best"] is not None
    assert done.stderr == ""


def test_few_people_have_two_releases_and_a_study_that_says_what_it_skipped(tmp_path):
    done = CliRunner().invoke(app, ["demo", "--rows", "40", "--k", "10", "-o", str(tmp_path / "d")])
    assert done.exit_code == GOOD, done.output
    assert "Compared: " in done.stdout
    assert "k = 50, but there are 40 persons." in (tmp_path / "d/study/report.html").read_text(encoding="utf-8")


def test_too_few_people_are_refused(tmp_path):
    done = CliRunner().invoke(app, ["demo", "--rows", "8", "--k", "10", "-o", str(tmp_path / "d")])
    assert done.exit_code == WRONG
    assert "only 8 persons" in done.stderr
    assert not (tmp_path / "d").exists()
