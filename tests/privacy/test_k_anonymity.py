# SPDX-License-Identifier: Apache-2.0
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet import KAnonymity, Roles, RolesError, TCloseness
from discreet.data.baskets import Baskets
from discreet.privacy import k_anonymity
from discreet.privacy.promise import promise_from

cells = st.one_of(st.none(), st.sampled_from(["a", "b", "*"]))


@st.composite
def tables(draw):
    n = draw(st.integers(1, 25))
    column = st.lists(cells, min_size=n, max_size=n)
    numbers = st.lists(st.integers(0, 4), min_size=n, max_size=n)
    return {"x": draw(column), "y": draw(column), "person": draw(numbers), "label": draw(numbers)}


@given(tables(), st.integers(2, 5))
def test_check_equals_the_definition(table, k):
    rows = list(zip(table["x"], table["y"], strict=True))
    verdict = KAnonymity(k).check(table, Roles(target="label", quasi=["x", "y"]))
    sizes = {row: rows.count(row) for row in rows}
    assert verdict.measured == oracles.k_anonymity(rows) == k_anonymity(table, ["x", "y"])
    assert verdict.holds == (verdict.measured >= k)
    assert verdict.rows_short == sum(sizes[row] < k for row in rows)
    assert verdict.details == {"groups": len(sizes), "unique rows": sum(sizes[row] == 1 for row in rows)}
    assert verdict.with_label == oracles.k_anonymity(list(zip(rows, table["label"], strict=True)))


@given(tables(), st.integers(2, 5))
def test_persons_count_instead_of_rows(table, k):
    rows = list(zip(table["x"], table["y"], strict=True))
    verdict = KAnonymity(k).check(table, Roles(target="label", quasi=["x", "y"], person="person"))
    assert verdict.measured == oracles.k_anonymity(rows, table["person"])
    assert verdict.measured == k_anonymity(table, ["x", "y"], person="person")
    labelled = list(zip(rows, table["label"], strict=True))
    assert verdict.with_label == oracles.k_anonymity(labelled, table["person"])
    behind = oracles.group_persons(rows, table["person"])
    assert verdict.details["unique rows"] == sum(len(behind[row]) == 1 for row in rows)


@given(tables(), st.integers(2, 4), st.booleans())
def test_known_labels_equal_the_definition(table, k, persons):
    """Whoever knows quasi-identifiers and label is left with the persons of the group who have the label."""
    roles = Roles(target="label", quasi=["x", "y"], person="person" if persons else None)
    verdict = KAnonymity(k, label_known=True).check(table, roles)
    rows = list(zip(table["x"], table["y"], table["label"], strict=True))
    behind = oracles.group_persons(rows, table["person"] if persons else None)
    assert verdict.measured == verdict.with_label == min(map(len, behind.values()))
    assert verdict.rows_short == sum(len(behind[row]) < k for row in rows)
    assert verdict.details["groups"] == len({row[:2] for row in rows})


def test_known_labels_are_stated_and_need_labels():
    promise = KAnonymity(3, label_known=True)
    assert promise_from(json.loads(json.dumps(promise.to_dict()))) == promise
    assert "label_known" not in KAnonymity(3).to_dict()
    assert str(KAnonymity(3, columns=["a"], label_known=True)) == "3-anonymity of a with known labels"
    with pytest.raises(RolesError, match="the roles name no target"):
        promise.check({"a": [1, 1, 1]}, Roles(quasi=["a"]))


def test_engines_count_known_labels_and_distances_alike():
    duckdb = pytest.importorskip("duckdb")
    from discreet.engines.duckdb import DuckDB

    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.integers(0, 4, 300) for name in ("x", "y", "label", "pay", "person")})
    engine = DuckDB(duckdb.sql("select * from frame"))
    for person in (None, "person"):
        roles = Roles(target="label", quasi=["x", "y"], sensitive=["pay"], person=person)
        for promise in (KAnonymity(2, label_known=True), TCloseness(0.2), TCloseness(0.2, distance="ordered")):
            assert promise.check(engine, roles) == promise.check(frame, roles)


def test_a_suppressed_cell_matches_only_another_suppressed_cell():
    """Wildcard matching would accept [(a, a), (a, *)] at k = 2; equal rows do not."""
    table = {"x": ["a", "a"], "y": ["a", "*"]}
    assert not KAnonymity(2).check(table, Roles(quasi=["x", "y"])).holds


def test_a_fully_suppressed_group_counts_like_any_other():
    table = {"x": ["a"] * 5 + ["*"] * 3, "y": ["b"] * 5 + ["*"] * 3}
    verdict = KAnonymity(5).check(table, Roles(quasi=["x", "y"]))
    assert (verdict.holds, verdict.measured, verdict.rows_short) == (False, 3, 3)


def test_rows_with_missing_values_do_not_vanish():
    assert k_anonymity({"x": ["a", "a", None]}, ["x"]) == 1


def test_key_combinations_are_checked_each_by_itself():
    table = {"x": ["a", "a", "b", "b"], "y": ["c", "d", "c", "d"]}
    roles = Roles(quasi=["x", "y"])
    assert not KAnonymity(2).check(table, roles).holds
    assert KAnonymity(2, sets=[["x"], ["y"]]).check(table, roles).holds
    assert str(KAnonymity(2, sets=[["x"], ["y"]])) == "2-anonymity of 2 column sets"


def test_some_columns_by_themselves_with_a_k_of_their_own():
    table = {"x": ["a", "a", "b", "b"], "y": ["c", "d", "c", "d"], "z": ["e"] * 4}
    roles = Roles(quasi=["x", "y", "z"])
    verdict = KAnonymity(2, columns=["x", "z"]).check(table, roles)
    assert verdict.holds
    assert verdict.promise == "2-anonymity of x, z"
    both = KAnonymity(2, columns=["x"]) & KAnonymity(3, columns=["y", "z"])
    assert promise_from(json.loads(json.dumps(both.to_dict()))) == both
    verdict = both.check(table, roles)
    assert [part.holds for part in verdict.parts] == [True, False]
    assert verdict.sentence().startswith("2-anonymity of x and 3-anonymity of y, z is broken")


@pytest.mark.parametrize(
    "wrong", [{"columns": []}, {"columns": "x"}, {"columns": [3]}, {"sets": [["x"]], "columns": ["x"]}]
)
def test_columns_are_names_and_stand_without_sets(wrong):
    with pytest.raises(RolesError, match="columns of KAnonymity are column names"):
        KAnonymity(2, **wrong)


def test_columns_must_be_quasi_identifiers():
    with pytest.raises(RolesError, match="not quasi-identifiers: 'z'"):
        KAnonymity(2, columns=["x", "z"]).check({"x": ["a", "a"]}, Roles(quasi=["x"]))


def test_of_several_key_combinations_the_worst_counts_in_each_respect():
    table = {"a": [0] * 4 + [1] * 6, "b": [0] * 5 + [1] * 5, "y": [0] * 4 + [1] * 6}
    roles = Roles(target="y", quasi=["a", "b"])
    verdict = KAnonymity(5, sets=[["a"], ["b"]]).check(table, roles)
    assert verdict.measured == 4
    assert verdict.with_label == 1
    assert verdict.rows_short == 4


def test_a_frame_with_a_column_named_tally_is_a_frame():
    frame = pd.DataFrame({"tally": [1, 1, 2, 2]})
    assert KAnonymity(2).check(frame, Roles(quasi=["tally"])).measured == 2


def test_key_combinations_must_be_quasi_identifiers_and_cover_them():
    table = {"x": ["a", "a"], "y": ["c", "d"]}
    with pytest.raises(RolesError, match="not quasi-identifiers: 'z'"):
        KAnonymity(2, sets=[["x", "z"]]).check(table, Roles(quasi=["x", "y"]))
    with pytest.raises(RolesError, match="No set of KAnonymity has the quasi-identifiers 'y'"):
        KAnonymity(2, sets=[["x"]]).check(table, Roles(quasi=["x", "y"]))
    with pytest.raises(RolesError, match="collections of column names"):
        KAnonymity(2, sets=["x"])


@pytest.mark.parametrize("k", [1, 0, -3, 2.5, "5", None])
def test_k_below_two_or_not_whole_is_refused(k):
    with pytest.raises(ValueError, match="'k' parameter of KAnonymity must be an int in the range \\[2, inf\\)"):
        KAnonymity(k)


def test_baskets_are_grouped_by_all_their_items():
    X = np.array([[1, 0], [1, 0], [0, 1]])
    assert KAnonymity(2).check(Baskets.of(X)).measured == 1
    verdict = KAnonymity(2).check(Baskets.of(X[:2], [0, 1], persons=[7, 7]))
    assert (verdict.measured, verdict.with_label) == (1, 1)


@pytest.mark.data
def test_diabetes_counts_patients():
    from discreet.samples import load

    sample = load("diabetes130")
    quasi = ("race", "gender", "age")
    table, person = sample.data, sample.roles.person
    assert len(table) == 101_766
    assert table.column(person).levels == 71_518
    by_rows = KAnonymity(5).check(table, Roles(quasi=quasi))
    by_persons = KAnonymity(5).check(table, Roles(quasi=quasi, person=person))
    assert by_persons.measured <= by_rows.measured
    assert by_persons.rows == by_rows.rows == 101_766


@given(st.data(), st.integers(2, 3))
def test_zero_one_columns_that_hold_come_with_what_they_leave_open(data, k):
    """The same counts as containment's, of a table of 0/1 columns and of the baskets that it is."""
    patterns = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=4, unique=True))
    rows = [row for row in patterns for _ in range(data.draw(st.integers(k, 5)))]
    labels = data.draw(st.lists(st.sampled_from("pq"), min_size=len(rows), max_size=len(rows)))
    matrix = np.array(rows)
    verdict = KAnonymity(k).check(Baskets.of(matrix, labels))
    sets = [set(np.flatnonzero(row)) for row in matrix]
    assert verdict.details["AC"] == min(oracles.ac_of_rows(sets))
    assert verdict.details["classical k"] == oracles.k_anonymity(rows) == verdict.measured
    assert verdict.details["rows in groups below k"] == verdict.details["unique rows"] == 0
    alike = [{labels[j] for j, other in enumerate(sets) if other >= row} for row in sets]
    assert verdict.details["rows whose containing rows share one label"] == sum(len(found) == 1 for found in alike)
    table = {"a": matrix[:, 0], "b": matrix[:, 1], "c": matrix[:, 2], "label": labels}
    assert KAnonymity(k).check(table, Roles(target="label", quasi=["a", "b", "c"])).details == verdict.details


def test_other_columns_have_no_containment():
    table = {"x": ["a", "a", "b", "b"], "y": [0, 0, 1, 1]}
    assert "AC" not in KAnonymity(2).check(table, Roles(quasi=["x", "y"])).details
