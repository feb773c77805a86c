# SPDX-License-Identifier: Apache-2.0
"""What columns are for, checked against the data."""

import os
from pathlib import Path

import pandas as pd
import pytest

from discreet.data.role_suggestions import suggest, suggested_roles
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import RolesError

MARK = "SECRET-" + "7731"


@pytest.fixture
def clinic() -> Table:
    return Table.of(
        {
            "name": [f"{MARK} {i}" for i in range(40)],
            "age": [i % 7 for i in range(40)],
            "zip_code": [f"0{i % 3}" for i in range(40)],
            "diagnosis": ["flu", "cold"] * 20,
            "readmitted": ["no", "yes", "no", "no"] * 10,
        }
    )


# -- names -------------------------------------------------------------------------------------------------------------


def test_published_are_target_quasi_sensitive_other_in_this_order():
    roles = Roles(target="t", quasi="q", sensitive=["s"], other=("o",), identifiers="i", person="p")
    assert roles.published == ("t", "q", "s", "o")
    assert roles.named == ("t", "q", "s", "o", "i", "p")


def test_a_target_may_be_sensitive_and_a_person_an_identifier():
    roles = Roles(target="t", quasi=["q"], sensitive=["t"], identifiers=["p"], person="p")
    assert roles.published == ("t", "q")
    assert roles.named == ("t", "q", "p")


def test_names_may_be_numbers_as_in_pandas():
    roles = Roles(target=2, quasi=[0, 1], person=3)
    assert (roles.target, roles.quasi, roles.person) == ("2", ("0", "1"), "3")
    roles.check(Table.of(pd.DataFrame([[1, 2, 3, 4]])))


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"target": "a", "quasi": ["a"]}, "'a' has two roles, 'target' and 'quasi'"),
        ({"quasi": ["a"], "sensitive": ["a"]}, "two roles, 'quasi' and 'sensitive'"),
        ({"quasi": ["a"], "identifiers": ["a"]}, "two roles, 'quasi' and 'identifiers'"),
        ({"quasi": ["a"], "person": "a"}, "two roles, 'quasi' and 'person'"),
        ({"other": ["a", "a"]}, "'other' names a column twice"),
    ],
)
def test_roles_that_contradict_each_other(given, text):
    with pytest.raises(RolesError, match=text):
        Roles(**given)


def test_a_column_without_a_role_is_not_published(clinic):
    roles = Roles(target="readmitted", quasi=["age"])
    assert roles.without_role(clinic) == ("name", "zip_code", "diagnosis")
    assert "zip_code" not in roles.published


# -- against the data --------------------------------------------------------------------------------------------------


def test_absent_columns_are_named_with_the_nearest(clinic):
    with pytest.raises(RolesError, match=r"not in the table: 'zipcode', 'aeg'. Did you mean 'zip_code'\?"):
        Roles(target="readmitted", quasi=["zipcode", "aeg"]).check(clinic)
    with pytest.raises(RolesError, match="not in the table: 'nme'"):
        Roles(target="readmitted", allow_unique=["nme"]).check(clinic)


def test_what_works_like_a_name_is_not_published_as_it_is(clinic):
    for role in ("other", "sensitive"):
        with pytest.raises(RolesError) as caught:
            Roles(target="readmitted", quasi=["age"], **{role: ["name"]}).check(clinic)
        assert "'name' has 40 different values in 40 rows" in str(caught.value)
        assert MARK not in str(caught.value)
    Roles(target="readmitted", quasi=["age"], other=["name"], allow_unique=["name"]).check(clinic)
    Roles(target="readmitted", quasi=["name"]).check(clinic)


def test_a_release_needs_a_target_of_two_classes_and_quasi_identifiers(clinic):
    Roles(target="readmitted", quasi=["age"]).check_for_release(clinic)
    with pytest.raises(RolesError, match="needs a target"):
        Roles(quasi=["age"]).check_for_release(clinic)
    with pytest.raises(RolesError, match="needs quasi-identifiers"):
        Roles(target="readmitted").check_for_release(clinic)
    one = Table.of({"t": ["x", "x"], "q": [1, 2]})
    with pytest.raises(RolesError, match="'t' has one class only"):
        Roles(target="t", quasi=["q"]).check_for_release(one)
    gaps = Table.of({"t": ["x", None, "y"], "q": [1, 2, 3]})
    with pytest.raises(RolesError, match="'t' is missing in 1 of 3 rows"):
        Roles(target="t", quasi=["q"]).check_for_release(gaps)


# -- suggestions -------------------------------------------------------------------------------------------------------


def test_every_column_gets_a_role_and_a_reason(clinic):
    found = {one.column: one for one in suggest(clinic)}
    assert {name: one.role for name, one in found.items()} == {
        "name": "identifiers",
        "age": "quasi",
        "zip_code": "quasi",
        "diagnosis": "sensitive",
        "readmitted": "target",
    }
    assert all(one.reason for one in found.values())
    assert MARK not in str(found)


def test_suggest_is_also_a_method_of_roles(clinic):
    assert Roles.suggest(clinic) == suggest(clinic)
    assert Roles.suggest(clinic, "diagnosis") == suggest(clinic, target="diagnosis")
    assert Roles.suggest(clinic.to_frame("pandas")) == suggest(clinic)
    with pytest.raises(RolesError, match=r"no column 'diagnosi' to predict. Did you mean 'diagnosis'"):
        Roles.suggest(clinic, "diagnosi")


def test_suggested_roles_fit_the_table(clinic):
    roles = suggested_roles(suggest(clinic))
    roles.check_for_release(clinic)
    assert roles == Roles(target="readmitted", quasi=["age", "zip_code"], sensitive=["diagnosis"], identifiers=["name"])


def test_constant_measured_and_unusable_columns():
    n = 100
    table = Table.of(
        {
            "site": ["x"] * n,
            "weight": [i + 0.25 for i in range(n)],
            "number": list(range(n)),
            "visits": [[i] for i in range(n)],
            "customer": [i // 2 for i in range(n)],
            "email": [f"{i % 50}@x" for i in range(n)],
            "note": [f"text {i % 60}" for i in range(n)],
            "ratio": [float("inf"), *range(n - 1)],
            "ward": [f"w{i % 35}" for i in range(n)],
            "empty": [None] * n,
        }
    )
    found = {one.column: (one.role, one.reason) for one in suggest(table, target="site")}
    roles = {name: role for name, (role, _) in found.items()}
    assert roles == {
        "site": "target",
        "weight": "quasi",
        "number": "identifiers",
        "visits": "none",
        "customer": "person",
        "email": "identifiers",
        "note": "identifiers",
        "ratio": "none",
        "ward": "decide",
        "empty": "none",
    }
    assert "list" in found["visits"][1]
    assert "infinite" in found["ratio"][1]


def test_without_a_small_column_there_is_no_target():
    table = Table.of({"x": [i + 0.5 for i in range(40)]})
    assert suggested_roles(suggest(table)).target is None


@pytest.mark.data
def test_the_persons_of_diabetes_130_are_found():
    table = Table.of(Path(os.environ["DISCREET_DATA"], "diabetes130", "diabetic_data.csv.gz"))
    found = {one.column: one for one in suggest(table)}
    assert len(table) == 101_766
    assert found["patient_nbr"].role == "person"
    assert "71,518 of them in 101,766 rows" in found["patient_nbr"].reason
    assert found["encounter_id"].role == "identifiers"
    assert found["readmitted"].role == "target"
    assert {found[f"diag_{i}"].role for i in (1, 2, 3)} == {"sensitive"}
    quasi = [name for name, one in found.items() if one.role == "quasi"]
    assert len(quasi) == 8  # of 50: few values make nobody known
    assert sum(one.role == "decide" for one in found.values()) > 25
    roles = suggested_roles(found.values())
    assert roles.other == ()  # nothing is published as it is that nobody decided on
    assert roles.person == "patient_nbr"
    roles.check_for_release(table)


def test_text_that_is_different_in_most_rows_works_like_a_name_too():
    names = [f"n{i}" for i in range(29)] + ["n0"] * 11
    table = Table.of({"who": names, "age": [1, 2] * 20, "y": [0, 1] * 20})
    with pytest.raises(RolesError, match="'who' has 29 different values in 40 rows"):
        Roles(target="y", quasi=["age"], other=["who"]).check(table)
    with pytest.raises(RolesError, match="it works like a name"):
        Roles(target="who", quasi=["age"]).check(table)
    Roles(target="y", quasi=["age"], other=["who"], allow_unique=["who"]).check(table)


def test_a_target_of_many_classes_is_no_label():
    table = Table.of({"pay": [i % 300 for i in range(900)], "age": [1, 2, 3] * 300})
    with pytest.raises(RolesError, match="'pay' has 300 classes; at most 256"):
        Roles(target="pay", quasi=["age"]).check_for_release(table)
