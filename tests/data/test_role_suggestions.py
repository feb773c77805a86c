# SPDX-License-Identifier: Apache-2.0
"""Suggestions for every kind of frame, and what commands do with columns that nobody decided on."""

import datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet import suggested_roles
from discreet.data.role_suggestions import Suggestion, settled, suggest
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import RolesError

CELLS = {"age": [31, 45, 31, 31], "dose": [1, 2, 2, 1], "ill": ["no", "no", "yes", "no"]}


@pytest.mark.parametrize("frame", [dict, pd.DataFrame, pl.DataFrame, pa.table, Table.of])
def test_roles_of_every_kind_of_frame(frame):
    assert suggested_roles(frame(CELLS)) == Roles(target="ill", quasi=["age"])
    assert suggested_roles(frame(CELLS), target="dose") == Roles(target="dose", quasi=["age"])


def test_suggestions_are_taken_in_any_collection():
    found = suggest(CELLS)
    wanted = Roles(target="ill", quasi=["age"])
    assert suggested_roles(found) == suggested_roles(iter(found)) == suggested_roles(tuple(found)) == wanted
    with pytest.raises(RolesError, match="a target of their own"):
        suggested_roles(found, target="ill")


def test_what_nobody_decided_is_not_published():
    found = settled([Suggestion("age", "quasi", ""), Suggestion("dose", "decide", "")])
    assert [(one.column, one.role) for one in found] == [("age", "quasi"), ("dose", "none")]
    alone = settled([Suggestion("dose", "decide", ""), Suggestion("ill", "target", "")])
    assert [(one.column, one.role) for one in alone] == [("dose", "quasi"), ("ill", "target")]


def test_a_target_is_not_what_outsiders_know():
    table = {"again": ["no", "yes"] * 20, "sex": ["f", "m"] * 20}
    assert suggested_roles(table) == Roles(target="again", quasi=["sex"])
    assert suggested_roles({"sex": ["f", "m"] * 20}).target == "sex"


def test_a_second_column_of_persons_is_an_identifier():
    n = 200
    table = {"patient": [i // 2 for i in range(n)], "customer": [i // 3 for i in range(n)], "sex": ["f", "m"] * 100}
    roles = suggested_roles(table | {"y": [0, 1, 1, 1] * 50}, target="y")
    assert (roles.person, roles.identifiers) == ("patient", ("customer",))


def test_an_id_that_repeats_is_taken_for_that_of_persons():
    """Promises then count persons: more than rows would ask for, never less."""
    ids, y = [i // 3 for i in range(300)], ["no", "yes"] * 150
    first = suggest({"id": ids, "y": y})[0]
    assert (first.role, first.reason) == ("person", "an id of several rows, as of persons; 100 of them in 300 rows")
    roles = suggested_roles({"id": ids, "patient_id": [i // 4 for i in range(300)], "y": y})
    assert (roles.person, roles.identifiers) == ("patient_id", ("id",))
    assert suggest({"id": [i // 100 for i in range(300)], "y": y})[0].role == "decide"  # of few groups


def test_reasons_are_sentences():
    one = {"x1": [i // 4 for i in range(400)], "y": ["a", "b"] * 199 + ["a", None]}
    reasons = {found.column: found.reason for found in suggest(one, target="y")}
    assert reasons["x1"] == "its name tells nothing; whoever knows it is left with 4 rows on average"
    assert reasons["y"] == "2 classes; 1 row has none and is left out"


def test_moments_that_differ_in_every_row_are_known_like_other_dates():
    when = [datetime.datetime(2024, 1, 1) + datetime.timedelta(hours=7 * i) for i in range(200)]
    (first, _) = suggest({"booked": when, "y": [0, 1] * 100}, target="y")
    assert (first.role, first.reason) == ("quasi", "outsiders may know when it happened to a person")


def test_amounts_are_no_points_in_time():
    table = {"monthly": [10.25 + i % 50 for i in range(200)], "month": [i % 12 for i in range(200)]}
    roles = {one.column: one.role for one in suggest(table | {"y": [0, 1] * 100}, target="y")}
    assert roles == {"monthly": "decide", "month": "quasi", "y": "target"}


def test_the_target_under_another_name_is_said():
    n = 1000
    target = ["no"] * 700 + ["yes"] * 300
    table = {
        "status": ["refused"] * 702 + ["granted"] * 298,  # wrong about 2 rows where guessing is about 300
        "almost": ["a"] * 710 + ["b"] * 290,
        "amount": [float(i) for i in range(n)],  # tells the class of every row, as whatever differs in all rows does
        "sex": ["f", "m"] * (n // 2),
        "y": target,
    }
    said = {one.column: (one.role, one.reason) for one in suggest(table, target="y")}
    assert said["status"] == (
        "decide",
        "it tells 'y' in all rows or nearly all; nothing says whether outsiders know it",
    )
    assert not any("tells 'y'" in said[name][1] for name in ("almost", "amount", "sex", "y"))


def test_years_as_far_apart_as_births_are_known_whatever_they_are_called():
    found = suggest({"col": [1940 + i % 60 for i in range(120)], "y": [0, 1] * 60}, target="y")
    assert found[0].role == "quasi"
    assert "years over a span of 59" in found[0].reason
    other = suggest({"col": [40 + i % 60 for i in range(120)], "y": [0, 1] * 60}, target="y")
    assert other[0].role == "decide"


def test_a_sensitive_column_that_names_its_rows_is_not_published():
    """Different in every row, it would be refused as a sensitive column."""
    incomes = [1000 + 1.5 * i for i in range(100)]
    found = suggest({"income": incomes, "age": list(range(20, 45)) * 4, "y": [0, 1] * 50}, target="y")
    assert found[0].role == "decide"
