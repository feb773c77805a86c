# SPDX-License-Identifier: Apache-2.0
"""Rows without a label are left out, and said; not where that would tell who has one."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from discreet import LeftOutWarning, Roles
from discreet.cli.app import app
from discreet.data.dataset import Dataset
from discreet.data.table import Table
from discreet.errors import RolesError
from discreet.methods import KActus2, KAdet, Mondrian, PrivateTable, TreeLadder

ROLES = Roles("ill", ["age", "sex"])


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture(scope="module")
def table() -> Table:
    """120 rows, of which every tenth has no label."""
    draw = np.random.default_rng(1)
    age = draw.integers(20, 60, 120)
    ill = np.where(age + draw.integers(0, 20, 120) > 50, "yes", "no").astype(object)
    ill[::10] = None
    return Table.of({"age": age, "sex": draw.choice(["f", "m"], 120), "ill": ill, "note": ["x"] * 120})


@pytest.mark.parametrize("method", [TreeLadder(k=5), Mondrian(k=5), KActus2(k=5)], ids=lambda one: one.name)
def test_a_release_has_the_rows_with_a_label(method, table):
    with pytest.warns(LeftOutWarning, match=r"^12 of 120 rows have no 'ill' and are left out\.$"):
        release = method.release(table, ROLES)
    assert release.verdict.holds
    assert len(release.content) == 108
    assert not release.content.column("ill").has_missing


def test_it_is_the_release_of_these_rows(table):
    labelled = table.take(np.flatnonzero(table.column("ill").codes < 2))
    with pytest.warns(LeftOutWarning):
        found = Mondrian(k=5, random_state=3).release(table, ROLES)
    same = Mondrian(k=5, random_state=3).release(labelled, ROLES)
    assert found.content.to_pandas().equals(same.content.to_pandas())


def test_a_tree_is_learnt_from_the_rows_with_a_label(table):
    with pytest.warns(LeftOutWarning):
        assert KAdet(k=5).release(table, ROLES).verdict.holds


def test_a_dataset_says_what_it_left_out(table):
    dataset = Dataset.of(table, ROLES)
    assert (len(dataset), dataset.classes) == (108, ("no", "yes"))
    assert dataset.notes == dataset.readable().checked().notes == ["12 of 120 rows have no 'ill' and are left out."]
    assert Dataset.of(table, Roles("sex", ["age"])).notes == []


def test_differential_privacy_does_not_hide_who_has_a_label(table):
    private = PrivateTable(epsilon=1, domain={"age": {"cuts": [30, 40]}, "sex": ["f", "m"], "ill": ["no", "yes"]})
    with pytest.raises(RolesError, match=r"missing in 12 rows\. Differential privacy would not cover who has a label"):
        private.release(Dataset.of(table, ROLES))


def test_commands_say_it(table, tmp_path):
    file = tmp_path / "people.csv"
    table.write(file, "csv")
    roles = ["--target", "ill", "--quasi", "age,sex"]
    made = run("release", file, *roles, "--method", "mondrian", "--k", "5", "-o", tmp_path / "out")
    assert made.exit_code == 0
    assert "12 of 120 rows have no 'ill' and are left out." in made.stderr
    assert "12 of 120 rows have no &#39;ill&#39; and are left out." in (tmp_path / "out/owner/report.html").read_text()
    assert "ill" in json.loads((tmp_path / "out/owner/summary.json").read_text())["source"]["notes"][0]
    assert "left out" not in (tmp_path / "out/release/certificate.json").read_text()
    seen = run("inspect", file, "--target", "ill")
    assert "2 classes; 12 rows" in " ".join(seen.stdout.split())
