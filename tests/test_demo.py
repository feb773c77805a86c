# SPDX-License-Identifier: Apache-2.0
"""The demo prints and writes what it says, and replaces only what an earlier demo wrote."""

import json

import pandas as pd
import pytest
from typer.testing import CliRunner

from discreet import DataError, progress
from discreet.cli import GOOD, WRONG, app
from discreet.demo import run
from discreet.verification import verify

SMALL = {"rows": 400, "k": 5}


@pytest.fixture(autouse=True)
def _quiet_afterwards():
    yield
    progress.show(False)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    return run(tmp_path_factory.mktemp("demo") / "d", **SMALL)


def test_it_writes_the_data_two_releases_that_verify_and_a_report(demo):
    inside = sorted(path.name for path in demo.folder.iterdir())
    assert inside == ["README.txt", "clinic.csv", "greedy", "report.html", "tree-ladder"]
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


def test_the_same_seed_gives_the_same_demo(demo, tmp_path):
    again = run(tmp_path / "again", **SMALL)
    for name in ("clinic.csv", "report.html", "tree-ladder/release/data.csv", "greedy/release/certificate.json"):
        assert (again.folder / name).read_bytes() == (demo.folder / name).read_bytes()


def test_a_second_run_replaces_the_first(tmp_path):
    first = run(tmp_path / "d", **SMALL)
    assert run(tmp_path / "d", rows=300, k=5).folder == first.folder
    assert len(pd.read_csv(tmp_path / "d" / "clinic.csv")) == 300


@pytest.mark.parametrize("name", ["README.txt", "thesis.tex"])
def test_a_folder_of_somebody_else_is_never_replaced(tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("years of work")
    with pytest.raises(DataError, match="not written by the demo"):
        run(tmp_path / "mine", **SMALL)
    assert (tmp_path / "mine" / name).read_text() == "years of work"


def test_something_added_to_a_demo_is_not_lost(tmp_path):
    run(tmp_path / "d", **SMALL)
    (tmp_path / "d" / "thesis.tex").write_text("years of work")
    with pytest.raises(DataError):
        run(tmp_path / "d", **SMALL)
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
        "Report: discreet-demo/report.html",
        "discreet verify discreet-demo/tree-ladder/release",
    ):
        assert text in done.stdout, text
    following = [line.split() for line in done.stdout.splitlines() if line.startswith("  discreet ")]
    assert len(following) == 3
    for command in following:
        assert CliRunner().invoke(app, command[1:]).exit_code == GOOD, command


def test_the_command_answers_in_json(tmp_path):
    done = CliRunner().invoke(app, ["demo", "--rows", "400", "--k", "5", "-o", str(tmp_path / "d"), "--json"])
    found = json.loads(done.stdout)
    assert found["report"] == str(tmp_path / "d" / "report.html")
    assert found["summary"]["format"] == 1
    assert done.stderr == ""


def test_too_few_people_are_refused(tmp_path):
    done = CliRunner().invoke(app, ["demo", "--rows", "8", "--k", "10", "-o", str(tmp_path / "d")])
    assert done.exit_code == WRONG
    assert "only 8 persons" in done.stderr
    assert not (tmp_path / "d").exists()
