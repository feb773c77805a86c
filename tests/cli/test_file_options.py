# SPDX-License-Identifier: Apache-2.0
"""Options about cells, on commands that read a table."""

import json

import pytest
from typer.testing import CliRunner

from discreet.cli.app import app
from discreet.cli.file_options import ReadingOptions
from discreet.errors import DataError
from discreet.study.recipe import SourceSection

ROWS = "\n".join(f'0{1 + i % 9}/0{1 + i % 7}/19{60 + i % 30},"{1 + i % 9},{100 + i}",{"ab"[i % 2]}' for i in range(90))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(f"born,paid,ill\n{ROWS}\n")
    return path


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def release(file, *options):
    out = file.parent / "out"
    roles = ("--target", "ill", "--quasi", "born,paid", "--method", "mondrian", "--k", "5", "--out", out, "--no-report")
    return run("release", file, *roles, "--overwrite", *options), out / "release"


def test_questions_are_answered_by_options_and_new_rows_are_read_alike(file):
    asked, _ = release(file)
    assert asked.exit_code == 2
    assert "--date-format born=day-first" in asked.output
    assert "1960" not in asked.output
    asked, _ = release(file, "--date-format", "month-first")
    assert "--decimal paid=," in asked.output
    made, folder = release(file, "--date-format", "month-first", "--decimal", "paid=.")
    assert made.exit_code == 0, made.output
    assert "Column 'born': 90 cells with a date with the month first, read as dates." in made.output
    record = json.loads((folder / "recoding.json").read_text())
    assert [column["written"] for column in record["columns"]] == ["month-first", "decimal point"]
    new = file.parent / "new.csv"
    new.write_text('born,paid\n03/04/1975,"5,150"\n')
    recoded = run("recode", folder, new, "--out", file.parent / "recoded.csv")
    assert recoded.exit_code == 0, recoded.output
    assert "*" not in (file.parent / "recoded.csv").read_text()


def test_the_same_options_for_engines(file):
    made, _ = release(file, "--date-format", "month-first", "--thousands", ",", "--engine", "duckdb")
    assert made.exit_code == 0, made.output


def test_options_by_column_and_for_all():
    reading = ReadingOptions(decimal=[","], thousands=["paid=space"], date_format=["born=%d.%m.%y from 1930"])
    said = {"decimal": ",", "thousands": {"paid": "space"}, "date_format": {"born": "%d.%m.%y from 1930"}}
    assert reading.arguments == said
    assert SourceSection(**said).reading == said
    with pytest.raises(DataError, match="--decimal is given once for all columns"):
        _ = ReadingOptions(decimal=[",", "x=."]).arguments
