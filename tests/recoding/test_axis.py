# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pyarrow as pa
import pytest

from discreet import DataError, Mondrian, Roles, Table
from discreet.counting.coded_rows import CodedRows
from discreet.recoding.axis import Axis, in_class_order
from discreet.recoding.labels import EVERYTHING, MISSING, Meaning
from discreet.recoding.record import from_bytes, unseen_values


def axis(values, *, rarest=1, labels=None, readable=True):
    table = Table.of({"c": values, "y": labels or ["u", "v"] * (len(values) // 2) + ["u"] * (len(values) % 2)})
    return Axis.of(
        CodedRows.of(table, ["c"], target="y"), "c", rarest=rarest, by_class=labels is not None, readable=readable
    )


def test_numbers_stand_in_their_order_and_missing_last():
    numbers = axis([30, 10, None, 20])
    assert numbers.rank_of_code.tolist() == [0, 1, 2, 3]
    assert numbers.position.tolist() == [0.0, 0.5, 1.0, 1.0]
    assert numbers.cut(0, 1) == 20  # the roundest number in (10, 20]
    assert axis([30, 10, None, 20], readable=False).cut(0, 1) == 15
    assert numbers.cut(2, 3) == np.inf


def test_what_lies_between_cuts_is_written_as_an_interval():
    numbers = axis([30, 10, None, 20])
    assert numbers.interval(-np.inf, np.inf, True) == "*"
    assert numbers.interval(-np.inf, np.inf, False) == "not missing"
    assert numbers.interval(np.inf, np.inf, True) is None
    assert numbers.interval(15, 25, False) == "[15, 25)"
    assert numbers.interval(25, np.inf, True) == ">= 25 or missing"
    assert numbers.interval(20, 21, False) == "20"


def test_a_single_whole_number_at_an_end_is_written_as_such():
    flags = axis([0, 1, None, 0, 1, 1])
    assert flags.interval(-np.inf, 1, False) == "0"
    assert flags.interval(1, np.inf, True) == "1 or missing"
    assert flags.meaning_of_interval(-np.inf, 1, False) == Meaning((-np.inf, 1))  # new rows may have less
    assert flags.meaning_of_interval(1, np.inf, True) == Meaning((1, np.inf), missing=True)
    assert axis([0, 1, 2, 2], readable=False).interval(-np.inf, 1, False) == "< 1"
    assert axis([0, 1, 1], rarest=2).interval(-np.inf, 1, False) == "< 1"  # one person has 0
    children = axis([0, 0, 1, 2, 2])
    assert children.interval(-np.inf, 1, False) == "0"
    assert children.interval(2, np.inf, False) == ">= 2"  # others may have more
    stars = axis([1, 2, 3, 3, 5, 5])
    assert stars.interval(-np.inf, 2, False) == "< 2"


def test_a_cut_is_at_a_rare_number_only_where_it_would_be_without_it():
    """A cut at 29.995 would tell that somebody has 30, which one at 30 does not."""
    prices = axis([29.0, 29.0, 29.99, 29.99, 30.0, 30.02, 30.02, 30.37, 31.0, 31.0], rarest=2)
    assert prices.cut(1, 2) == 30
    assert axis([29.99, 29.99, 30.02, 30.02], rarest=2).cut(0, 1) == 30
    assert prices.cut(3, 4) == 30.2
    assert axis([30.36, 30.36, 30.37, 30.5, 30.5], rarest=2).cut(0, 1) != 30.37
    assert axis([29.99, 29.99, 30.0], rarest=2).cut(0, 1) != 30  # nobody has more
    assert axis([29.99, 29.99, 30.0, 30.02], rarest=2, readable=False).cut(0, 1) != 30


def test_rare_categories_are_other():
    towns = axis(["a", "a", "b", "c", "c", "d"], rarest=2)
    assert towns.names == ("a", "c", "other")
    assert towns.rank_of_code.tolist() == [0, 2, 1, 2, 3]
    assert towns.scale.places == {"a": 0, "c": 1, "other": 2}
    assert towns.scale.other == 2


def test_sets_of_categories_are_written_the_shorter_way():
    towns = axis([*"aabbccddee", None])
    assert towns.set_of((0,)) == "a"
    assert towns.set_of((5,)) is None
    assert towns.set_of((0, 1)) == "{a, b}"
    assert towns.set_of((0, 5)) == "a or missing"
    assert towns.set_of((0, 1, 2, 3, 4)) == "not missing"
    assert towns.set_of((0, 1, 2, 3, 4, 5)) == "*"
    assert towns.set_of((0, 1, 2, 3, 5)) == "not {e}"
    assert towns.set_of((0, 1, 2, 3)) == "{a, b, c, d}"


def test_a_value_called_other_is_told_apart_from_values_that_are_not_named():
    towns = axis(["other", "other", "a", "a", "rare"], rarest=2)
    assert towns.names == ("a", "other", "other values")
    assert towns.rank_of_code.tolist() == [0, 1, 2, 3]
    assert towns.meaning_of_set((1,)) == Meaning.of(["other"])
    assert towns.meaning_of_set((2,)) == Meaning.of([], others=True)
    assert towns.known == {"a", "other"}
    assert towns.scale.other == 2
    hidden = axis(["other", "b", "a", "a"], rarest=2)  # nobody learns that one of the others is called so
    assert hidden.names == axis(["c", "b", "a", "a"], rarest=2).names == ("a", "other")
    alone = axis(["other", "other", "a", "a"], rarest=2)  # nothing is rare: a value like any other
    assert alone.names == ("a", "other")


def test_names_that_could_be_read_as_something_else_are_quoted():
    towns = axis(["{a, b}", "c", "not missing", "d", None, None])
    ranks = {name: rank for rank, name in enumerate(towns.names)}
    assert towns.set_of((ranks["{a, b}"],)) == '"{a, b}"'
    assert towns.set_of((ranks["{a, b}"], 4)) == '"{a, b}" or missing'
    assert towns.set_of((ranks["c"], ranks["not missing"])) == '{"not missing", c}'


def test_a_name_that_begins_with_not_is_written_as_it_is():
    """Not applicable, not known: such values are common, and no label of a set."""
    groups = axis(["not applicable", "not known", "a", "b", None])
    ranks = {name: rank for rank, name in enumerate(groups.names)}
    assert groups.set_of((ranks["not applicable"],)) == "not applicable"
    assert groups.set_of((ranks["a"], ranks["not known"])) == "{a, not known}"
    assert groups.set_of((ranks["not known"], 4)) == "not known or missing"
    table = {"c": ["not known", "not known", None, "b", "b", "b"] * 5, "y": [0, 0, 0, 1, 1, 1] * 5}
    release = Mondrian(10).release(table, Roles(target="y", quasi=["c"]))
    record = from_bytes(release.record)
    assert {label for one in record.columns for label in one.labels} == {"b", "not known or missing"}
    assert unseen_values(record) == 0


def test_moments_that_fall_on_one_number_stand_together():
    """In the year 2200 a double of days does not tell microseconds apart."""
    start = 7_258_118_400_000_000
    table = Table.of(
        pa.table({"c": pa.array([start + i for i in range(60)], pa.timestamp("us")), "y": ["u", "v"] * 30})
    )
    moments = Axis.of(CodedRows.of(table, ["c"]), "c", rarest=3)
    assert moments.n_values < 60
    assert (np.diff(moments.numbers) > 0).all()
    release = Mondrian(3).release(table, Roles(target="y", quasi=["c"]))
    assert release.verdict.holds


def test_categories_stand_along_the_class_they_go_with():
    labels = ["u", "u", "v", "v", "u", "v"]
    assert axis(list("aabbcc"), labels=labels).names in (("a", "c", "b"), ("b", "c", "a"))


def test_for_two_classes_the_order_is_by_class_share():
    counts = np.array([[1, 9], [5, 5], [9, 1], [7, 3]])
    order = in_class_order(counts).tolist()
    assert order in ([0, 1, 3, 2], [2, 3, 1, 0])


def test_infinite_numbers_are_refused():
    with pytest.raises(DataError, match="'c' holds infinite numbers"):
        axis([1.0, float("inf")])


def test_what_the_written_sets_mean():
    towns = axis([*"aabbccddeef"], rarest=2)
    ranks = {name: rank for rank, name in enumerate(towns.names)}
    assert towns.has_other
    assert towns.meaning_of_set((ranks["a"],)) == Meaning.of(["a"])
    assert towns.meaning_of_set((ranks["a"], ranks["other"])) == Meaning.of(["a"], others=True)
    # "not {a, other}" says what it means by what it names: nobody outside knows what the others are
    inside = tuple(ranks[name] for name in "bcde")
    assert towns.set_of(inside) == "not {a, other}"
    assert towns.meaning_of_set(inside) == Meaning.of("bcde")
    assert towns.meaning_of_set((*inside, ranks["other"])) == Meaning(texts=frozenset("a"), but=True)
    assert towns.meaning_of_set(tuple(range(6))) == EVERYTHING


def test_a_value_called_other_where_nothing_is_rare_is_a_value():
    towns = axis([*"aabb", "other", "other", None], rarest=2)
    assert not towns.has_other
    assert towns.meaning_of_set((2,)) == Meaning.of(["other"])
    assert towns.meaning_of_set((2, 3)) == Meaning.of(["other"], missing=True)
    assert towns.meaning_of_set((3,)) == MISSING
    assert towns.meaning_of_set((0, 1, 2)) == Meaning(but=True)
    assert towns.meaning_of_set((0, 1, 2, 3)) == EVERYTHING
