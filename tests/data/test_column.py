# SPDX-License-Identifier: Apache-2.0
"""What a cell means, and how it is coded."""

import datetime as dt
import decimal
import uuid

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.column import MISSING_MARKS, SUPPRESSED, Column, encode, from_labels, text_of
from discreet.data.table import Table
from discreet.errors import DataError


def coded(values, arrow_type=None, **options) -> Column:
    return encode("x", pa.array(values, arrow_type), **options)


def seen(values, arrow_type=None, **options) -> tuple:
    """Kind, distinct values and codes."""
    column = coded(values, arrow_type, **options)
    return column.kind, column.values.to_pylist(), column.codes.tolist()


# -- text --------------------------------------------------------------------------------------------------------------


def test_numbers_as_text_are_numbers_however_they_are_spelt():
    assert seen(["1", "1.0", " 1 ", "+1", "1e0", "10", "9"]) == ("number", [1, 9, 10], [0, 0, 0, 0, 0, 2, 1])
    assert seen([".5", "5.", "-0.0", "0", "-.25"]) == ("number", [-0.25, 0.0, 0.5, 5.0], [2, 3, 1, 1, 0])
    assert seen(["1", "2", "1 000"])[0] == "category"
    assert seen(["1", "2", "1,5"])[0] == "category"


def test_a_leading_zero_keeps_a_post_code():
    assert seen(["01067", "1067"]) == ("category", ["01067", "1067"], [0, 1])
    assert seen(["0", "0.5"])[0] == "number"


def test_long_digit_strings_are_names_in_text_and_in_integers_alike():
    accounts = ["12345678901234567890", "12345678901234567891", "7"]
    assert seen(accounts) == ("category", sorted(accounts), [0, 1, 2])
    numbers = [9007199254740993, 9007199254740992, 7]
    texts = [str(number) for number in numbers]
    assert coded(numbers).equals(coded(texts))
    assert coded(numbers, pa.uint64()).equals(coded(texts))
    assert coded([2**63 + 1, 2**63 + 2], pa.uint64()).values.to_pylist() == [
        "9223372036854775809",
        "9223372036854775810",
    ]
    huge = [decimal.Decimal(text) for text in accounts]
    assert coded(huge, pa.decimal128(30, 0)).equals(coded(accounts))
    assert seen([2**53 - 1, 1], pa.uint64()) == ("number", [1, 2**53 - 1], [1, 0])


def test_large_numbers_written_as_fractions_or_powers_stay_numbers():
    assert seen(["1e300", "12345678901234567890.0"]) == ("number", [12345678901234567890.0, 1e300], [1, 0])
    assert seen([1e300, 1.5])[0] == "number"
    assert seen(["1e999", "1"])[0] == "category"  # beyond every double


def test_truth_values_as_text_are_truth_values():
    for texts in (["True", "False"], ["true", "FALSE"], ["TRUE", " false "]):
        assert seen(texts) == ("category", [False, True], [1, 0])
    assert coded(["true", "no"]).values.to_pylist() == ["no", "true"]
    assert coded([True, False, None]).texts == ["false", "true"]


def test_the_marks_of_missing_are_missing():
    assert coded(["x", *MISSING_MARKS, None, "  "]).codes.tolist() == [0] + [1] * (len(MISSING_MARKS) + 2)
    assert coded(["None", "x"]).values.to_pylist() == ["None", "x"]  # may be an answer
    assert coded(["*", "x"]).values.to_pylist() == [SUPPRESSED, "x"]


def test_a_lone_dash_or_dot_is_missing_among_numbers_and_dates_only():
    assert seen(["1", "-", "2"]) == ("number", [1, 2], [0, 2, 1])
    assert seen(["2020-01-01", ".", "."])[2] == [0, 1, 1]
    assert seen(["a", "-"]) == ("category", ["-", "a"], [1, 0])
    assert seen(["-", "-"]) == ("category", ["-"], [0, 0])
    assert seen(["1", "*", "2"])[0] == "category"  # what was suppressed is a value
    assert seen(["1", "-"], missing=["?"])[0] == "category"  # given marks are the only ones


def test_an_empty_cell_is_missing_whatever_the_marks():
    assert seen(["1", "", "?"], missing=["?"]) == ("number", [1], [0, 1, 1])
    assert seen(["a", ""], missing=()) == ("category", ["a"], [0, 1])


def test_white_space_around_text_means_nothing():
    assert seen([" Private", "Private", "Private\t"]) == ("category", ["Private"], [0, 0, 0])


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_zero_has_no_sign_and_not_a_number_is_missing():
    assert seen([0.0, -0.0, float("nan"), 1.5]) == ("number", [0.0, 1.5], [0, 0, 2, 1])
    assert np.signbit(coded([-0.0]).numbers).tolist() == [False]


def test_whole_numbers_are_integers_in_every_type():
    for column in (coded([3.0, None]), coded([3, None]), coded(["3", None]), coded([decimal.Decimal(3), None])):
        assert column.values.type == pa.int64()
        assert column.codes.tolist() == [0, 1]


def test_decimals_are_read_as_they_are_written():
    cents = [decimal.Decimal("0.10"), decimal.Decimal("2.50"), None]
    assert coded(cents).equals(coded(["0.10", "2.50", None]))
    assert coded([decimal.Decimal("0.0000001")], pa.decimal128(20, 7)).values.to_pylist() == [1e-7]


@pytest.mark.parametrize("values", [[1.0, float("inf")], [1.0, float("-inf")], ["1", "inf"], ["1", "-Infinity"]])
def test_infinite_numbers_are_refused_unless_declared_missing(values):
    with pytest.raises(DataError, match="'x' holds infinite numbers"):
        coded(values)
    assert seen(values, missing=["inf", "-inf", "-Infinity"]) == ("number", [1], [0, 1])


def test_infinity_alone_is_a_word():
    assert seen(["INF", "inf"])[0] == "category"


# -- dates -------------------------------------------------------------------------------------------------------------


def test_dates_in_text_and_in_types_are_one():
    day, later = dt.date(2020, 1, 31), dt.date(1999, 12, 1)
    expected = coded([day, later, None])
    assert (expected.kind, expected.values.type) == ("date", pa.date32())
    assert expected.codes.tolist() == [1, 0, 2]
    for twin in (
        coded(["2020-01-31", "1999-12-01", "?"]),
        coded(["2020-01-31 00:00", "1999-12-01T00:00:00.000", ""]),
        coded([dt.datetime(2020, 1, 31), dt.datetime(1999, 12, 1), None], pa.timestamp("ns")),
        coded([day, later, None], pa.date64()),
    ):
        assert twin.equals(expected)
    assert expected.texts == ["1999-12-01", "2020-01-31"]
    assert expected.numbers.tolist() == [10926.0, 18292.0]  # days since 1970


def test_moments_keep_their_time():
    moments = [dt.datetime(2020, 1, 1, 12, 30), dt.datetime(2020, 1, 1)]
    for twin in (coded(["2020-01-01 12:30", "2020-01-01"]), coded(moments, pa.timestamp("ns"))):
        assert twin.equals(coded(moments))
    assert coded(["2020-01-01 00:00:00.123456789"]).equals(coded(["2020-01-01 00:00:00.123456"]))
    before = pa.array([-1], pa.timestamp("ns"))  # one nanosecond before 1970 falls into the microsecond before
    assert encode("x", before).texts == ["1969-12-31 23:59:59.999999"]


def test_a_time_zone_means_the_clock_on_the_spot():
    summer = pa.array([dt.datetime(2020, 6, 30, 22, 0)], pa.timestamp("us", "+02:00"))  # midnight there
    assert encode("x", summer).texts == ["2020-07-01"]
    assert coded(["2020-07-01 00:00:00+02:00"]).texts == ["2020-07-01"]
    assert coded(["2020-07-01T00:00:00Z", "2020-07-01 10:00+00"]).texts == [
        "2020-07-01 00:00:00",
        "2020-07-01 10:00:00",
    ]
    zone = dt.timezone(dt.timedelta(hours=2))
    frame = pd.DataFrame({"x": pd.to_datetime(["2020-07-01"]).tz_localize(zone)})
    assert Table.of(frame).column("x").texts == ["2020-07-01"]
    nowhere = pa.array([0], pa.timestamp("us", "Nowhere/Land"))
    with pytest.raises(DataError, match="'x' holds dates that cannot be used"):
        encode("x", nowhere)


def test_what_is_no_date_stays_text_and_years_beyond_the_calendar_are_refused():
    assert coded(["2020-02-31", "2020-01-01"]).kind == "category"
    assert coded(["0000-01-01"]).kind == "category"
    for array in (pa.array([10**7], pa.date32()), pa.array([2**62], pa.timestamp("s"))):
        with pytest.raises(DataError, match="dates that cannot be used"):
            encode("x", array)


def test_times_are_written_as_clocks_show_them():
    times = [dt.time(9, 30), dt.time(8, 0, 0, 500000), None]
    for unit in ("us", "ns"):
        assert coded(times, pa.time64(unit)).values.to_pylist() == ["08:00:00.500000", "09:30:00"]


# -- types -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("array", "outer"),
    [
        (pa.array([["SECRET-7731"]]), "list"),
        (pa.array([{"SECRET-7731": 1}]), "struct"),
        (pa.array([b"SECRET-7731"]), "binary"),
        (pa.array([b"SECRET-77"], pa.binary(9)), "fixed_size_binary"),
        (pa.array([dt.timedelta(1)]), "duration"),
        (pa.array([[("SECRET-7731", 1)]], pa.map_(pa.string(), pa.int64())), "map"),
        (pa.array([b"x"]).dictionary_encode(), "binary"),
    ],
)
def test_other_types_are_refused_by_name(array, outer):
    with pytest.raises(DataError) as caught:
        encode("x", array)
    assert f"'x' holds values of the Arrow type {outer};" in str(caught.value)
    assert "SECRET" not in str(caught.value)


def test_rare_encodings_of_text_are_text():
    expected = coded(["a", "b", None, "a"])
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([1, 2, 3, 4], pa.int32()), pa.array(["a", "b", None, "a"]))
    views = pa.array(["a", "b", None, "a"], pa.string_view())
    for array in (runs, views, pa.chunked_array([["a", "b"], [], [None, "a"]])):
        assert encode("x", array).equals(expected)
    one = uuid.UUID(int=7)
    assert coded([one]).texts == [str(one)]


def test_a_column_of_nothing_is_a_category_without_values():
    for array in (
        pa.nulls(3),
        pa.array([None] * 3, pa.float64()),
        pa.array([float("nan")] * 3),
        pa.array([None] * 3, pa.timestamp("us")),
        pa.array([None] * 3, pa.bool_()),
        pa.array(["", "?", None]),
        pa.chunked_array([pa.nulls(1), pa.nulls(2)]),
    ):
        column = encode("x", array)
        assert (column.kind, column.values.type, len(column.values)) == ("category", pa.string(), 0)
        assert (column.codes.tolist(), column.levels, column.has_missing) == ([0, 0, 0], 1, True)
    assert encode("x", pa.nulls(2), kind="number").numbers.tolist() == []
    assert encode("x", pa.nulls(2), kind="date").kind == "date"


def test_a_column_of_no_rows():
    for array in (pa.array([], pa.string()), pa.array([], pa.int64()), pa.chunked_array([], pa.string())):
        column = encode("x", array)
        assert (len(column), column.levels, column.has_missing) == (0, 0, False)


# -- levels ------------------------------------------------------------------------------------------------------------


def test_unused_levels_vanish_and_have_no_say():
    categorical = pd.Series(["2", "1", None, "2"]).astype(pd.CategoricalDtype(["1", "2", "SECRET-7731"]))
    enum = pl.Series(["2", "1", None, "2"], dtype=pl.Enum(["SECRET-7731", "1", "2"]))
    category = pl.Series(["SECRET-7731", "2", "1", None, "2"], dtype=pl.Categorical)[1:]
    for frame in (pd.DataFrame({"x": categorical}), pl.DataFrame({"x": enum}), pl.DataFrame({"x": category})):
        column = Table.of(frame).column("x")
        assert (column.kind, column.values.to_pylist(), column.codes.tolist()) == ("number", [1, 2], [1, 0, 2, 1])


def test_an_index_of_eight_bits_with_256_levels_and_missing():
    levels = [f"v{i:03}" for i in range(256)]
    array = pa.DictionaryArray.from_arrays(pa.array([*range(256), None], pa.uint8()), levels)
    assert encode("x", array).codes.tolist() == [*range(257)]


def test_a_null_in_the_dictionary_is_missing():
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, None]), pa.array(["a", None]))
    assert encode("x", array).codes.tolist() == [0, 1, 1]


def test_pandas_intervals_and_periods_are_what_a_csv_file_shows():
    frame = pd.DataFrame({"age": [5, 25, 45], "when": pd.period_range("2020-01", periods=3, freq="M")})
    frame["band"] = pd.cut(frame["age"], [0, 10, 30, 50])
    table = Table.of(frame)
    assert table.column("band").values.to_pylist() == ["(0, 10]", "(10, 30]", "(30, 50]"]
    assert table.column("when").values.to_pylist() == ["2020-01", "2020-02", "2020-03"]


def test_pandas_sparse_columns_are_dense_ones():
    frame = pd.DataFrame({"x": pd.arrays.SparseArray([0, 0, 1])})
    assert Table.of(frame).column("x").codes.tolist() == [0, 0, 1]


@given(st.lists(st.one_of(st.none(), st.integers(-50, 50)), min_size=1), st.data())
def test_take_forgets_what_is_gone(values, data):
    rows = np.array(data.draw(st.lists(st.integers(0, len(values) - 1), min_size=1)))
    taken = coded(values, pa.int64(), kind="number").take(rows)
    assert taken.equals(coded([values[row] for row in rows], pa.int64(), kind="number"))


def test_codes_of_many_different_numbers_are_the_same_by_sorting_and_by_hashing():
    rng = np.random.default_rng(3)
    for numbers in (rng.integers(0, 10**9, 30_000), rng.normal(size=30_000)):
        array = pa.array(numbers, mask=rng.random(30_000) < 0.1)
        fast, slow = encode("x", array), encode("x", array.dictionary_encode())
        assert fast.equals(slow)
        assert fast.has_missing
        assert encode("x", pa.chunked_array([array[:7], array[7:]])).equals(slow)


# -- declared kinds ----------------------------------------------------------------------------------------------------


def test_a_declared_kind_overrides():
    assert seen([1, 2.5], kind="category") == ("category", ["1", "2.5"], [0, 1])
    assert seen([dt.date(2020, 1, 1)], kind="category")[1] == ["2020-01-01"]
    assert seen(["007", "7"], kind="number") == ("number", [7], [0, 0])
    assert seen([True, False], kind="number") == ("number", [0, 1], [1, 0])
    assert seen([True, False], kind="category")[1] == [False, True]
    assert seen(["1", "-"], kind="number") == ("number", [1], [0, 1])


def test_a_kind_that_does_not_fit_is_refused_with_counts():
    for values, kind, text in (
        (["1", "SECRET-7731", "x"], "number", "declared a number, but 2 of its 3 distinct values"),
        (["2020-02-31", "2020-01-01"], "date", "declared a date, but 1 of its 2 distinct values"),
        ([1, 2], "date", "declared a date, but it holds numbers"),
        ([dt.date(2020, 1, 1)], "number", "declared a number, but it holds dates"),
        ([True], "date", "declared a date, but it holds categories"),
        ([1], "colour", "the kinds are number, category, date"),
    ):
        with pytest.raises(DataError) as caught:
            coded(values, kind=kind)
        assert text in str(caught.value)
        assert "SECRET" not in str(caught.value)


def test_categories_have_no_numbers():
    with pytest.raises(DataError, match="'x' holds categories"):
        _ = coded(["a"]).numbers


# -- from labels -------------------------------------------------------------------------------------------------------


def test_labels_may_repeat_be_unused_or_stand_for_missing():
    column = from_labels("x", ["b", "unused", "a", "b", None], np.array([0, 2, 3, 4]))
    assert (column.kind, column.values.to_pylist(), column.codes.tolist()) == ("category", ["a", "b"], [1, 0, 1, 2])
    digits = from_labels("x", ["10", "9", "?"], np.array([0, 1, 2]))
    assert (digits.kind, digits.values.to_pylist()) == ("category", ["10", "9", "?"])


def test_text_of_values():
    written = [text_of(value) for value in (True, 3.0, 0.1, 1e300, 2.0**53, 7, dt.date(2020, 1, 1))]
    assert written == ["true", "3", "0.1", "1e+300", "9007199254740992.0", "7", "2020-01-01"]


def test_equal_is_equal_in_everything():
    column = coded(["a", "b"])
    assert column.equals(coded(["a", "b"]))
    for other in (coded(["a", "c"]), coded(["b", "a"]), coded([1, 2]), column.renamed("y")):
        assert not column.equals(other)
