# SPDX-License-Identifier: Apache-2.0
"""The command behind the pages of attacks: its parts are those that the pages name, and it prints what they hold."""

import re
from pathlib import Path

import pytest
from benchmarks.attacks import __main__ as command

from discreet.attacks.finding import Finding, rate
from discreet.evaluate.utility import Share

PAGES = Path(__file__).parents[2] / "docs" / "attacks"


def test_the_pages_name_parts_that_exist():
    texts = [page.read_text(encoding="utf-8") for page in (PAGES.with_suffix(".md"), *PAGES.glob("*.md"))]
    named = {part for text in texts for part in re.findall(r"python -m\s+benchmarks\.attacks\s+(\w+)", text)}
    assert named == set(command.PARTS)


def test_what_is_printed_is_a_table_as_on_the_pages(capsys):
    shares = Finding("a", "?", rate(50, 100), 100, 0.1, bound=0.2)
    one = Finding("b", "?", Share(0.2, 0.2, 0.2), 1, 0.1, bound=0.2)
    command.table("Title", ("what", *command.RESULT), [["x", *command.result(shares)], ["y", *command.result(one)]])
    printed = capsys.readouterr().out.splitlines()
    assert printed[1] == "Title"
    assert printed[3:] == [
        "| what | success | bound | broken |",
        "|---|---|---|---|",
        "| x | 0.500 [0.404, 0.596] | 0.200 | yes |",
        "| y | 0.200 | 0.200 | no |",
    ]


def test_an_unknown_part_is_refused(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["attacks", "nothing"])
    with pytest.raises(SystemExit):
        command.main()
    assert "no such part: nothing" in capsys.readouterr().err


@pytest.mark.slow
def test_one_row_more_is_told_without_noise_only(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["attacks", "differencing", "--quick"])
    command.main()
    lines = {line.split(" | ")[0]: line for line in capsys.readouterr().out.splitlines() if line.startswith("| ")}
    assert "1.000" in lines["| Mondrian, k = 50"]
    assert lines["| PrivateTable, epsilon 1"].endswith("| 0.731 | no |")
