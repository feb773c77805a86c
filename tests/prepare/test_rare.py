# SPDX-License-Identifier: Apache-2.0
import pyarrow as pa
import pytest

from discreet import Table
from discreet.counting.coded_rows import CodedRows
from discreet.prepare.rare import Rare


def rare(values, person=None):
    table = Table.of(pa.table({"c": pa.array(values), "who": [i // 2 for i in range(len(values))]}))
    return Rare.of(CodedRows.of(table, ["c"], person=person), "c", rarest=2)


def test_persons_are_counted_where_they_are_told_apart():
    values = ["a", "a", "b", "b", "b", "c"]
    assert rare(values).texts == {"c"}
    assert rare(values, person="who").texts == {"a", "c"}
    assert rare(values).common == ["a", "b"]


@pytest.mark.parametrize(
    ("label", "named"),
    [
        ("a1", True),
        ("{a1, b2}", True),
        ("a1 and others", True),
        ("not {b2, a1}", True),
        ("a1*", True),  # a short code, filled up
        ("a12", False),
        ("a1-b2", False),  # a range: a1 is its end
        ("ba1", False),
        ("a*", False),
        ("b2", False),
        ("*", False),
        ("two words", True),
        ("{two words}", True),
        ("two", False),
    ],
)
def test_a_label_names_a_category_that_is_a_word_of_it(label, named):
    assert rare(["a1", "b2", "b2", "two words", None, None]).is_named_by(label) is named


@pytest.mark.parametrize(
    ("label", "named"),
    [
        ("31", True),
        ("31.0", True),
        ("[31, 32)", True),
        ("{31, 33}", True),
        ("[31, 33)", False),
        ("[33, 34)", False),
        ("31-40", False),  # a range: 31 is a border
        ("< 31", False),
        ("33", False),
    ],
)
def test_a_label_names_a_number_that_it_says_of_nothing_else(label, named):
    assert rare([31, 33, 33, None]).is_named_by(label) is named


def test_days():
    days = rare(pa.array([18262, 18300, 18300], pa.date32()))
    assert days.is_named_by("2020-01-01")
    assert days.is_named_by("[2020-01-01, 2020-01-02)")
    assert not days.is_named_by("2020-01")
    assert not days.is_named_by("[2020-01-01, 2020-01-03)")
    assert not rare([1.5, 2.5]).is_alone_in(1.5, 2.5)  # there are others between


def test_nothing_is_rare_in_a_column_without_values():
    assert not rare(pa.array([None, None], pa.string())).is_named_by("a")
