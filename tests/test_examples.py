# SPDX-License-Identifier: Apache-2.0
"""Every example answers the question in its title, as it stands, from a folder of its own, without a warning."""

import ast
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_title_of_an_example_is_a_question(example):
    text = ast.get_docstring(ast.parse(example.read_text(encoding="utf-8")))
    assert text is not None
    title, _, rest = text.partition("\n")
    assert title.endswith("?")
    assert rest.strip(), "an example says what it does before it does it"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs(example, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(example)])
    runpy.run_path(str(example), run_name="__main__")  # a warning is an error in tests
    printed, wrong = capfd.readouterr()
    assert printed.strip()
    assert not wrong
    assert not list(tmp_path.iterdir()), "an example leaves nothing behind"


def test_there_are_examples():
    assert len(EXAMPLES) >= 6
