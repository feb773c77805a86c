# SPDX-License-Identifier: Apache-2.0
"""Notations: what they rewrite, their names, and what owners say about them."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.date_texts import directives, time_of
from discreet.data.month_names import MONTHS
from discreet.data.notation import DateNotation, Formats, notation_named
from discreet.data.number_texts import CURRENCIES, NumberNotation
from discreet.errors import DataError


@given(st.integers(-(10**12), 10**12), st.sampled_from([",", "."]), st.sampled_from(["", " ", "'", ".", ","]))
def test_every_number_is_read_as_it_is_written(cents, decimal, mark):
    if mark == decimal:
        mark = ""
    text = f"{cents / 100:,.2f}".replace(",", "_").replace(".", decimal).replace("_", mark)
    plain = NumberNotation(decimal).plain(pa.array([text]))[0].as_py()
    assert float(plain) == cents / 100


@given(st.dates(), st.sampled_from("./-"))
def test_every_day_is_read_as_it_is_written(day, mark):
    if day.year < 1000:
        return
    text = mark.join((f"{day.day:02}", f"{day.month:02}", f"{day.year:04}"))
    assert DateNotation("day-first").plain(pa.array([text])).to_pylist() == [day.isoformat()]


@pytest.mark.parametrize(
    "notation",
    [
        NumberNotation(","),
        NumberNotation(".", ","),
        NumberNotation(",", "", "%"),
        NumberNotation(",", " ", "kr.", True),
        DateNotation("month-first"),
        DateNotation("day-first", century=1930),
        DateNotation(),
        DateNotation(pattern="%d.%m.%y", century=1930),
    ],
)
def test_a_notation_is_known_by_its_name(notation):
    assert notation_named(notation.name) == notation


def test_names_that_are_none_are_refused_quickly():
    for name in ("", "by heart", "decimal", "%d", "%Y%Y%m", "%Q", "decimal comma; currency gold", "x" * 10**6):
        assert notation_named(name) is None


def test_each_cell_has_one_unit_and_one_sign():
    texts = ["5 €", "€ 5", "€ 5 €", "- 5 €", "(-5 €)", "(5 €", "--5 €", "5", "5 $"]
    read = NumberNotation(unit="€", brackets=True).plain(pa.array(texts)).to_pylist()
    assert read == ["5", "5", None, "-5", None, None, None, None, None]
    assert len(set(CURRENCIES)) == len(CURRENCIES)


def test_no_name_of_a_month_is_that_of_two():
    """The same name in several languages is the same month; a later line would silently win."""
    from discreet.data import month_names

    for line in month_names._MONTHS.split("\n"):
        assert all(MONTHS[name] == place for place, name in enumerate(line.split(), start=1)), line


def test_times_of_day():
    assert [time_of(text) for text in ("7:05", "12:00 AM", "12:00 pm", "13:00 PM", "24:00", "7:60", "07:05:09,25")] == [
        *("07:05:00", "00:00:00", "12:00:00", None, None, None, "07:05:09.25"),
    ]


def test_formats_are_written_in_several_ways():
    spelt = ("DD.MM.YYYY", "dd.mm.yyyy", "TT.MM.JJJJ", "JJ.MM.AAAA", "%d.%m.%Y")
    assert {directives(text) for text in spelt} == {"%d.%m.%Y"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"decimal": ";"}, "'decimal' must be one of"),
        ({"thousands": "x"}, "'thousands' must be one of"),
        ({"date_format": "soon"}, "'date_format' must be"),
        ({"date_format": ""}, "'date_format' must be"),
        ({"date_format": "%d"}, "'date_format' must be"),
        ({"decimal": 5}, "is a text"),
        ({"decimal": {"x": None}}, "is a text"),
    ],
)
def test_what_is_no_format_is_refused(options, words):
    with pytest.raises(DataError, match=words):
        Formats.of(**options)


def test_what_is_said_of_a_column_comes_before_what_is_said_of_all():
    formats = Formats.of(decimal={"a": ","}, thousands=" ")
    assert formats.given("a").of_numbers == NumberNotation(",", " ")
    assert formats.given("b").of_numbers is None
    with pytest.raises(DataError, match="cannot be the decimal mark"):
        Formats.of(decimal=",", thousands=",").given("a")
