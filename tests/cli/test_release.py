# SPDX-License-Identifier: Apache-2.0
"""discreet release: what a row holds never decides whether there is a release under differential privacy."""

import csv
import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from discreet.cli import release as command
from discreet.cli.app import GOOD, app

ROWS = [[str(20 + i % 60), "fm"[i % 2], str(1000 * (i % 50)), ["yes", "no"][i // 3 % 2]] for i in range(120)]
DOMAIN = {"age": {"cuts": [40, 60]}, "sex": ["f", "m"], "pay": {"cuts": [10_000]}, "ill": ["no", "yes"]}
RELEASE = (
    "release rows.csv --target ill --quasi age,sex,pay --method private-table --epsilon 1 --set domain=domain.json"
)


def run(changed, more=""):
    Path("domain.json").write_text(json.dumps(DOMAIN), encoding="utf-8")
    with Path("rows.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["age", "sex", "pay", "ill"], *changed])
    return CliRunner().invoke(app, shlex.split(f"{RELEASE} -o out {more}"))


@pytest.mark.parametrize(
    "odd",
    [
        [["inf", "f", "1", "yes"], ["30", "f", "1", ""]],
        [["30", "f", "1e308", "yes"]],
        [["30", "f", "9" * 400, "yes"]],
        [["99999-01-01", "*", "=1+1", "maybe"]],
    ],
)
@pytest.mark.parametrize("more", ["", "--evaluate"])
def test_an_odd_row_is_released_with_like_all_others(tmp_path, monkeypatch, odd, more):
    monkeypatch.chdir(tmp_path)
    found = run([*odd, *ROWS[len(odd) :]], more)
    assert found.exit_code == GOOD, found.output
    assert Path("out/owner/report.html").is_file()


@pytest.mark.parametrize("labels", [["yes"], [""], [f"label {i}" for i in range(len(ROWS))]])
def test_labels_that_nothing_can_be_learnt_from_are_no_reason_to_refuse(tmp_path, monkeypatch, labels):
    monkeypatch.chdir(tmp_path)
    found = run([[*row[:3], labels[i % len(labels)]] for i, row in enumerate(ROWS)], "--evaluate")
    assert found.exit_code == GOOD, found.output
    assert "Could not be measured on held-out rows" in Path("out/owner/report.html").read_text(encoding="utf-8")


def test_a_report_that_cannot_be_made_does_not_stop_the_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def broken(*_):
        raise ZeroDivisionError("of nurses")

    monkeypatch.setattr(command, "summary_of", broken)
    found = run(ROWS)
    assert found.exit_code == GOOD, found.output
    assert "The owner's report could not be made. The release stands." in found.stderr
    assert "nurses" not in found.output
    assert not Path("out/owner/report.html").exists()
    assert CliRunner().invoke(app, ["verify", "out/release"]).exit_code == GOOD


@pytest.mark.parametrize("method", ["private-table", "laplace-select"])
def test_an_odd_row_of_an_engine_is_released_with_like_all_others(tmp_path, monkeypatch, method):
    monkeypatch.chdir(tmp_path)
    found = run([["inf", "f", "1", "yes"], *ROWS[1:]], f"--engine duckdb --method {method}")
    assert found.exit_code == GOOD, found.output
    assert CliRunner().invoke(app, ["verify", "out/release"]).exit_code == GOOD
