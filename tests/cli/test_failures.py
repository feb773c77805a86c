# SPDX-License-Identifier: Apache-2.0
"""Hundreds of wrong invocations: one paragraph each that says what to do, the documented status, nothing written."""

import json
import re
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from cli.wrong_inputs import COMMANDS, MARK, make_files, wrong_inputs
from discreet.cli.app import app

pytestmark = pytest.mark.usefixtures("patient")
WRONG = wrong_inputs()
COMMAND = typer.main.get_command(app)  # built once: that takes longer than most of the runs
PYTHON = re.compile(
    r"Traceback|(?<!--set ')(?<!--set )\b[a-z_]+=[\[{'\"]|\ban int\b|\ba float\b|\bin the range\b"
    r"|'NoneType'|\bNone\b(?! of| was)|\bTrue\b|\bFalse\b"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("wrong")
    make_files(place)
    return place


def listed(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def test_there_are_at_least_300_and_they_are_about_every_command():
    assert len(WRONG) >= 300
    asked = {" ".join(wrong.arguments) for wrong in WRONG}
    assert all(any(line.startswith(command) for line in asked) for command in COMMANDS)


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_wrong_invocation_is_told_and_leaves_nothing(wrong, folder, monkeypatch):
    monkeypatch.chdir(folder)
    before = listed(folder)
    monkeypatch.setattr("typer.testing._get_command", lambda app: COMMAND)
    done = CliRunner().invoke(app, list(wrong.arguments), prog_name="discreet")
    said = " ".join(done.stderr.split())
    assert done.exit_code == wrong.status, (done.stdout, said, done.exception)
    assert wrong.says in said, said
    assert len(said) >= 20
    assert MARK not in done.output
    assert not PYTHON.search(said.replace(" ".join(wrong.arguments), "")), said
    assert "\x1b" not in done.output
    written = listed(folder) - before
    for name in sorted(written, key=len):  # so that one failure is not many
        (shutil.rmtree if (folder / name).is_dir() else Path.unlink)(folder / name)
    assert not written
    if "--json" in wrong.arguments:
        answer = json.loads(done.stdout)
        assert answer["error"]["status"] == wrong.status
    elif wrong.status == 2:
        assert done.stdout == ""
