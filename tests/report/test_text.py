# SPDX-License-Identifier: Apache-2.0
"""The text of a terminal says what the summary says, also in eighty columns."""

import io

import numpy as np
import pytest
from rich.console import Console

from discreet import Baskets, GreedySelector, MaximalSelector, Mondrian, RandomFlip, Roles, Table
from discreet.evaluate.utility import holdout
from discreet.report.summary import Outcome, summarise
from discreet.report.text import baselines, comparison, to_text


@pytest.fixture(scope="module")
def summary():
    rng = np.random.default_rng(0)
    age = rng.integers(20, 80, 300)
    y = np.where(age + rng.normal(0, 9, 300) > 50, "yes", "no")
    table = Table.of({"age": age, "sex": rng.choice(["f", "m"], 300), "y": y})
    roles = Roles(target="y", quasi=["age", "sex"])
    greedy, mondrian = GreedySelector(k=10), Mondrian(k=10)
    outcomes = [
        Outcome(greedy.release(table, roles), holdout(greedy, table, roles)),
        Outcome(mondrian.release(table, roles), no_utility="Not asked for."),
    ]
    return summarise(table, roles, outcomes, name="people")


def shown(table, width=80):
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    return out.getvalue()


def test_the_text_holds_verdict_risk_cost_and_accuracy(summary):
    text = to_text(summary)
    for release in summary["releases"]:
        assert release["verdict"]["sentence"] in text
    assert "on 90 held-out rows" in text
    assert "Not asked for." in text
    assert "quasi-identifiers dropped" in text


def test_flipped_cells_of_baskets_are_counted_and_one_row_is_one_row():
    X = np.array([[1, 1, 0], [1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 1, 1], [0, 0, 1]])
    baskets = Baskets.of(X, [1, 1, 1, 0, 0, 0])
    text = to_text(summarise(baskets, None, [Outcome(RandomFlip(3, random_state=0).release(baskets))], name="x"))
    assert "2 of 18 cells flipped; 0 of 3 items dropped" in text
    baskets = Baskets.of([[1, 1], [1, 0], [1, 1], [0, 0], [0, 0]], [1, 1, 0, 0, 0])
    text = to_text(summarise(baskets, None, [Outcome(GreedySelector(2).release(baskets))], name="x"))
    assert "1 row is in groups below 2" in text
    assert "flipped" not in text


def test_the_comparison_fits_eighty_columns_and_loses_no_word(summary):
    text = shown(comparison(summary))
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    for word in ("original", "greedy", "mondrian", "10-anonymity", "containment", "holds", "yes"):
        assert word in text


def test_the_baselines_are_named_only_where_something_was_measured(summary):
    assert "Without any quasi-identifier" in baselines(summary)
    without = summary | {"releases": summary["releases"][1:]}
    assert baselines(without) == ""
    assert "10-anonymity" in shown(comparison(without))


def test_baskets_count_items():
    rng = np.random.default_rng(2)
    baskets = Baskets.of((rng.random((120, 9)) < 0.3).astype(int), rng.integers(0, 2, 120))
    text = to_text(summarise(baskets, None, [Outcome(GreedySelector(k=4).release(baskets))], name="shop"))
    assert "of 9 items dropped" in text


def test_items_stand_under_their_column_and_what_containment_leaves_open_is_said():
    rng = np.random.default_rng(4)
    town = rng.choice(list("abcdefg"), 90)
    table = Table.of({"town": town, "own": rng.integers(0, 2, 90), "y": (town > "c").astype(int)})
    release = MaximalSelector(k=3).release(table, Roles(target="y", quasi=["town", "own"]))
    text = to_text(summarise(table, Roles(target="y", quasi=["town", "own"]), [Outcome(release)], name="people"))
    assert f"'town' ({len(release.items['town'])} items)" in text
    assert "'own'" in text
    details = release.verdict.details
    assert details["rows whose containing rows share one label"] > 0
    assert f"For {details['rows whose containing rows share one label']} rows, everybody who has the same items" in text
    assert "Of such absences the promise covers none" in text


def test_losses_rows_left_out_and_swapped_cells_are_said(summary):
    text = to_text(summary)
    for release in summary["releases"]:
        groups = release["losses"]["groups"]
        assert f"{groups['groups']} groups; {groups['pure_groups']} of one class" in text
        assert f"fewest different values {groups['diversity']['y']} in 'y'" in text
    assert "of the cells suppressed, certainty penalty" in text
    assert "left out" not in text
    assert "swapped" not in text
    release = summary["releases"][1]
    changes = release["changes"] | {"rows_dropped": 1, "swapped_cells": 1234}
    changed = to_text(summary | {"releases": [release | {"changes": changes}]})
    assert ", 1,234 swapped between rows; 0 of 2 quasi-identifiers dropped; 1 row left out" in changed


def test_all_published_columns_are_read_in_full():
    names = [f"column {i}" for i in range(12)]
    rows = {name: [1, 2] * 5 for name in names} | {"y": [0, 1] * 5}
    roles = Roles(target="y", quasi=names)
    text = to_text(summarise(Table.of(rows), roles, [Outcome(Mondrian(k=2).release(rows, roles))], name="x"))
    (line,) = (line for line in text.splitlines() if line.startswith("  columns "))
    assert all(repr(name) in line for name in (*names, "y"))
    assert "more" not in line
