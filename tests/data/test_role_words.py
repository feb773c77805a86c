# SPDX-License-Identifier: Apache-2.0
"""Roles are guessed by what outsiders plausibly know; what is to be decided is said; doubt makes a quasi-identifier."""

import numpy as np
import pytest

from discreet.data.role_suggestions import suggest, suggested_roles
from discreet.data.role_words import IDENTITIES, fits, known_by, names_persons, says_nothing
from discreet.data.table import Table


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("age", "age"),
        ("Geburtsdatum", "age"),
        ("sexo", "sex"),
        ("native-country", "origin"),
        ("code_postal", "place"),
        ("PLZ", "place"),
        ("Beruf", "work"),
        ("educationNum", "education"),
        ("Familienstand", "family"),
        ("admission_date", "time"),
        ("生年月日", "age"),
        ("患者の性別", "sex"),
        ("市", "place"),
        ("Район", "place"),
        ("Дата рождения", "age"),
        ("직업", "work"),
    ],
)
def test_what_outsiders_know_in_several_languages(name, topic):
    assert known_by(name) == topic


@pytest.mark.parametrize(
    "name", ["metformin", "average", "dosage", "glucose", "sextant", "A1Cresult", "postoperative", "полис", "市販薬"]
)
def test_other_names_suggest_nothing(name):
    assert known_by(name) is None


def test_short_words_must_be_whole_words():
    assert fits("lat", ["lat"])
    assert not fits("late_payments", ["lat"])
    assert says_nothing("V17")
    assert not says_nothing("insulin")


def wide(n=200, drugs=30):
    rng = np.random.default_rng(0)
    columns = {"race": rng.choice(list("abc"), n), "gender": rng.choice(["f", "m"], n), "age": rng.integers(20, 90, n)}
    columns |= {
        f"drug{chr(97 + i % 26)}{chr(97 + i // 26)}ine": rng.choice(["no", "up", "down"], n) for i in range(drugs)
    }
    return columns | {"diag_1": rng.choice(list("xyz"), n), "again": rng.choice(["yes", "no"], n)}


def test_few_values_alone_make_no_quasi_identifier_and_publish_nothing():
    table = {name.replace("drug", "glu"): cells for name, cells in wide().items()}
    found = suggest(Table.of(table), target="again")
    undecided = [one for one in found if one.role == "decide"]
    assert len(undecided) == 30
    assert {one.reason for one in undecided} == {"nothing says whether outsiders know it"}
    roles = suggested_roles(found)
    assert roles.quasi == ("race", "gender", "age")
    assert roles.sensitive == ("diag_1",)
    assert roles.other == ()


def test_names_that_say_nothing_are_to_be_decided():
    table = {f"x{i}": np.arange(60) % 3 for i in range(5)} | {"sex": ["f", "m"] * 30, "y": [0, 1, 1] * 20}
    found = suggest(Table.of(table), target="y")
    assert [one.role for one in found] == ["decide"] * 5 + ["quasi", "target"]
    assert found[0].reason == "its name tells nothing"


def test_if_no_column_is_known_the_promise_covers_all_that_are_undecided():
    table = {"glucose": np.arange(60) % 3, "insulin": np.arange(60) % 4, "y": [0, 1, 1] * 20}
    assert set(suggested_roles(suggest(Table.of(table), target="y")).quasi) == {"glucose", "insulin"}


@pytest.mark.parametrize(
    "name", ["Vorname", "apellidos", "Telefonnummer", "e_mail", "adresse", "nazwisko", "achternaam"]
)
def test_names_of_columns_that_name_people(name):
    assert fits(name, IDENTITIES)


@pytest.mark.parametrize("name", ["patient_nbr", "KundenNr", "codice fiscale", "bsn", "personnummer", "userId"])
def test_names_of_columns_of_persons(name):
    assert names_persons(name)


@pytest.mark.parametrize("name", ["person_income", "patients", "number_of_clients", "user_rating", "member_since"])
def test_what_is_said_of_persons_is_no_person(name):
    assert not names_persons(name)


def test_dates_are_known_whatever_they_are_called():
    days = np.arange("2024-01-01", "2024-01-11", dtype="datetime64[D]")
    table = {"seen": np.tile(days, 6), "sex": ["f", "m"] * 30, "y": [0, 1, 1] * 20}
    assert "seen" in suggested_roles(suggest(Table.of(table), target="y")).quasi
