# SPDX-License-Identifier: Apache-2.0
"""discreet report --public says what is missing when a study has nothing to publish."""

import json

import pytest
from typer.testing import CliRunner

from discreet.cli.app import app
from discreet.report.study_page import FORMAT, SUMMARY

ROWS = [{"name": "mondrian-k5", "made": True}, {"name": "laplace-select-epsilon1", "made": False}]


@pytest.mark.parametrize(
    ("best", "rows", "asked", "said"),
    [
        (None, ROWS, None, "The study has chosen no release. Name one with --release: 'mondrian-k5'."),
        ("laplace-select-epsilon1", ROWS, None, "was measured but not written: `discreet release` makes it."),
        ("mondrian-k5", ROWS, "mondrian-k6", "has no release 'mondrian-k6'. Did you mean 'mondrian-k5'?"),
        (None, ROWS[1:], None, "The study made no release, so there is nothing to publish."),
        (None, [], "tds-k5", "The study made no release, so there is nothing to publish."),
    ],
)
def test_a_study_without_such_a_release_is_told_apart(tmp_path, best, rows, asked, said):
    (tmp_path / SUMMARY).write_text(json.dumps({"format": FORMAT, "best": best, "candidates": rows}), encoding="utf-8")
    words = ["report", str(tmp_path), "--public", *([] if asked is None else ["--release", asked])]
    refused = CliRunner().invoke(app, words)
    assert refused.exit_code == 2
    assert said in refused.output
    assert [path.name for path in tmp_path.iterdir()] == [SUMMARY]
