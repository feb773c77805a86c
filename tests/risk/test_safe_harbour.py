# SPDX-License-Identifier: Apache-2.0
"""The identifiers of HIPAA's safe harbour are found by name and by content; what it allows is let through."""

import datetime

import pytest

from discreet import Table
from discreet.risk import check_safe_harbour
from discreet.risk.safe_harbour import TITLES, words_of


def found(columns, **options):
    return {(one.column, one.identifier, one.rows) for one in check_safe_harbour(Table.of(columns), **options).findings}


@pytest.mark.parametrize(
    ("name", "cells", "identifier"),
    [
        ("last_name", ["x", "y"], "A"),
        ("City", ["x", "y"], "B"),
        ("phone", ["x", "y"], "D"),
        ("Fax", ["x", "y"], "E"),
        ("e-mail", ["x", "y"], "F"),
        ("SSN", ["x", "y"], "G"),
        ("MRN", ["x", "y"], "H"),
        ("patientId", ["x", "y"], "H"),
        ("insurance number", ["x", "y"], "I"),
        ("account", ["x", "y"], "J"),
        ("passport", ["x", "y"], "K"),
        ("plate", ["x", "y"], "L"),
        ("device_id", ["x", "y"], "M"),
        ("website", ["x", "y"], "N"),
        ("ip", ["x", "y"], "O"),
        ("fingerprint", ["x", "y"], "P"),
        ("photo", ["x", "y"], "Q"),
        ("uuid", ["x", "y"], "R"),
        ("birth month", ["x", "y"], "C"),
        ("discharge_day", ["x", "y"], "C"),
        ("fips", ["x", "y"], "B"),
        ("employer", ["x", "y"], "A"),
        ("patient no", ["x", "y"], "H"),
        ("facial_image", ["x", "y"], "Q"),
        ("finger_print", ["x", "y"], "P"),
    ],
)
def test_by_name(name, cells, identifier):
    assert found({name: cells}) == {(name, identifier, 2)}


@pytest.mark.parametrize(
    ("cell", "identifier"),
    [
        ("call (212) 555-0147 today", "D"),
        ("+49 30 901820", "D"),
        ("write to a.b+c@example.org", "F"),
        ("his number is 219-09-9999.", "G"),
        ("GB29 NWBK 6016 1331 9268 19", "J"),
        ("1HGBH41JXMN109186", "L"),
        ("see https://example.org/x", "N"),
        ("from 192.168.0.17 again", "O"),
        ("2001:0db8:85a3:0000:0000:8a2e:0370:7334", "O"),
        ("seen on 2021-03-04", "C"),
        ("3/14/2019", "C"),
        ("2021-03", "C"),
    ],
)
def test_by_content(cell, identifier):
    assert found({"notes": [cell, "nothing", None]}) == {("notes", identifier, 1)}


@pytest.mark.parametrize(
    "cells",
    [
        ["1.2.3", "10.0", "3-4"],  # versions, measurements, scores
        ["2021", "1999", "2003"],  # years alone
        ["NY", "CA", "MA"],
        ["[2019-01-01, 2021-01-01)", "< 2019-01-01", "*"],
        ["1234567", "555-0147", "12-34-56"],
    ],
)
def test_what_is_let_through(cells):
    assert found({"x": cells}) == set()
    assert found({"state": cells}) == set()


def test_zip_codes_have_three_digits_and_no_small_area():
    assert found({"zip": ["10027", "10028", None]}) == {("zip", "B", 2)}
    assert found({"zip": ["100**", "101**", "000"]}) == set()
    assert found({"zip3": ["100", "036", "036"]}) == {("zip3", "B", 2)}  # 036: fewer than 20,000 people
    assert found({"zip": [10027, 3601]}) == {("zip", "B", 2), ("zip", "B", 1)}  # numbers lost their zeros: 03601
    assert found({"zip": ["100", "101"]}, small_areas=["101"]) == {("zip", "B", 1)}
    assert found({"zip": ["*", "*"]}) == set()


def test_ages_over_89_are_one_group():
    assert found({"age": [34, 89, 90, 101]}) == {("age", "C", 2)}
    assert found({"age": ["[30, 40)", ">= 90", ">= 90"]}) == set()
    assert found({"age": ["[30, 40)", "[80, 95)", ">= 95"]}) == {("age", "C", 2)}
    assert found({"birth_year": [1920, 1990]}, year=2020) == {("birth_year", "C", 1)}
    assert found({"birth_year": [1931, 1990]}, year=2020) == set()


@pytest.mark.parametrize(
    "cell", ["92", "91.5", "85-94", "85 to 94", "{85, 91}", "95+", "> 90", ">= 95 or missing", "over 95"]
)
def test_what_tells_an_age_over_89(cell):
    assert found({"age group": [cell, "30-39"]}) == {("age group", "C", 1)}


@pytest.mark.parametrize(
    "cell", ["90+", "> 89", ">= 90 or missing", "over 89", "90 and older", ">= 80", "85-89", "other"]
)
def test_what_tells_of_an_age_over_89_no_more_than_that(cell):
    assert found({"age": [cell, "30-39"]}) == set()


def test_dates_are_told_by_their_name_too():
    assert found({"admission_date": [20240131, 20240215], "visits": [20240131, 20240215]}) == {
        ("admission_date", "C", 2)
    }
    assert found({"dob": [1920, 1990]}, year=2020) == {("dob", "C", 1)}
    assert found({"seen": ["March 2020", "2020-W05", "2020Q1", "5 May 2021", "2020"]}) == {("seen", "C", 4)}


def test_intervals_of_whole_areas_of_zip_codes():
    assert found({"zip": ["[10000, 20000)", "< 10000", "[03600, 03800)"]}) == set()
    assert found({"zip": ["[03600, 03700)", "[10000, 10050)"]}) == {("zip", "B", 2), ("zip", "B", 1)}


@pytest.mark.parametrize(
    ("cells", "identifier"),
    [
        ([f"{given} {family}" for given in ("Anna", "Paul", "Maria") for family in ("Smith", "Miller", "Jones")], "A"),
        ([f"{i} Main Street" for i in range(1, 9)], "B"),
        ([f"48.{i}137, 11.5{i}55" for i in range(10, 18)], "B"),
        ([f"00:1b:44:11:3a:{i}" for i in range(10, 18)], "M"),
    ],
)
def test_by_what_nearly_all_cells_look_like(cells, identifier):
    """Each value stands in many rows, so that it is no code of its own."""
    assert found({"x": cells * 9}) == {("x", identifier, len(cells) * 9)}


def test_dates_tell_the_year_alone():
    days = [datetime.date(2021, 1, 1), datetime.date(2020, 1, 1)]
    assert found({"visit": days}) == set()
    assert found({"visit": [*days, datetime.date(2020, 5, 1), None]}) == {("visit", "C", 3)}
    assert found({"visit": ["[2019-01-01, 2019-07-01)", "[2019-01-01, 2020-01-01)"]}) == {("visit", "C", 1)}


def test_a_code_of_its_own_for_every_row():
    codes = {"x": [f"k{place:03d}" for place in range(40)], "measured": [place / 7 for place in range(40)]}
    assert found(codes) == {("x", "R", 40)}


def test_only_the_columns_that_are_asked_for():
    table = Table.of({"name": ["x", "y"], "ill": ["flu", "gout"]})
    assert check_safe_harbour(table, ["ill"]).passes
    assert not check_safe_harbour(table).passes


def test_findings_quote_no_cell():
    cells = ["secret@example.org", "219-09-9999"]
    text = repr(check_safe_harbour(Table.of({"notes": cells, "zip": ["98765", "98764"]})).to_dict())
    assert not any(cell in text for cell in (*cells, "98765", "98764"))


def test_all_eighteen_are_known():
    assert "".join(TITLES) == "ABCDEFGHIJKLMNOPQR"
    assert words_of("DateOfBirth") == ["date", "of", "birth"]
