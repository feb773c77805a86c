# SPDX-License-Identifier: Apache-2.0
"""Attacks on tables in parts: the same findings as in memory, and a sample of whole groups that is said."""

import json

import pytest
from typer.testing import CliRunner

from discreet import Mondrian, Table
from discreet.attacks import attacked_rows
from discreet.attacks.case import case_of
from discreet.attacks.published import Published
from discreet.attacks.registry import tried
from discreet.cli.app import app
from discreet.counting.tally import tally
from instances import PERSON_ROLES, ROLES, people
from stored import stored_release


@pytest.fixture
def release():
    return Mondrian(k=3, random_state=1).release(people(), ROLES)


def test_findings_are_those_of_the_table_in_memory(release, tmp_path):
    saved = stored_release(release, tmp_path / "parts").save(tmp_path / "out") / "release"
    found, expected = (tried(case_of(Published.of(one), people(), ROLES, targets=50))[0] for one in (saved, release))
    assert found == expected
    assert found


def test_persons_behind_parts_are_those_of_the_release(tmp_path):
    release = Mondrian(k=3, random_state=1).release(people(), PERSON_ROLES)
    saved = stored_release(release, tmp_path / "parts").save(tmp_path / "out")
    published = Published.of(saved / "release", owner=saved / "owner")
    assert published.persons.tolist() == release.owner.persons.tolist()


def test_a_sample_is_of_whole_groups_and_of_the_persons_who_fit_them(release, tmp_path, monkeypatch):
    monkeypatch.setattr(attacked_rows, "MOST_ROWS", 60)
    parts = stored_release(release, tmp_path / "parts")
    published = Published.of(parts)
    rows = len(published.table)
    assert 60 <= rows < release.rows
    assert f"all of their {rows:,} of {release.rows:,} rows" in published.sample
    quasi = list(release.roles.quasi)
    sizes = _sizes(release.table, quasi)
    assert all(sizes[row] == n for row, n in _sizes(published.table, quasi).items())
    case = case_of(published, people(), ROLES)
    assert len(case.table) == rows  # each known person is behind one of the rows


def _sizes(table, quasi):
    counted = tally(table, quasi)
    cells = Table([counted.column(name) for name in quasi]).to_arrow().to_pylist()
    return {tuple(row.values()): int(n) for row, n in zip(cells, counted.sizes, strict=True)}


def test_the_command_says_that_a_sample_was_attacked(release, tmp_path, monkeypatch):
    monkeypatch.setattr(attacked_rows, "MOST_ROWS", 60)
    saved = stored_release(release, tmp_path / "parts").save(tmp_path / "out") / "release"
    Table.of(people()).write(tmp_path / "known.csv", "csv")
    command = ["attack", str(saved), "--known", str(tmp_path / "known.csv"), "--attacks", "prosecutor"]
    assert "A sample was attacked:" in CliRunner().invoke(app, command).output
    answer = json.loads(CliRunner().invoke(app, [*command, "--json"]).stdout)
    assert "drawn at random" in answer["sample"]
