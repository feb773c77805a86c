# SPDX-License-Identifier: Apache-2.0
"""Cells that are read one by one: no cell has a say in how another is read, whatever either of them holds."""

import datetime as dt
import math
import uuid
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet import Table
from discreet.data.cells import Cells
from discreet.data.reading import Marks, day_of, number_of, reading


class Odd:
    """An object that raises whatever is asked of it."""

    def __str__(self):
        raise RuntimeError

    __repr__ = __eq__ = __hash__ = __float__ = __len__ = __str__


ZONE = dt.timezone(dt.timedelta(hours=5))
NOON = dt.datetime(2020, 1, 31, 12)
CELLS = [
    *(1, 1.0, True, "1", "1.0", "True", "true", "TRUE", "+1", "01", "-0", -0.0, 0, "0.0", np.float32(0.1), 0.1, "0.1"),
    *(2**53 + 1, str(2**53 + 1), 10**400, "9" * 500, "1e400", 1e308, "1e308", 5e-324, math.inf, -math.inf, math.nan),
    *("inf", "-Infinity", "nan", "NA", "", "  ", "?", "-", None, pd.NA, pd.NaT, "unknown", " unknown ", "é"),
    *("x" * 10**5, b"x", b"\xff", b" 1.0"),
    *("\0", "a\0", "\ud800", bytearray(b"x"), [1], {"a": 1}, (1, 2), {1}, Odd(), object, lambda: 0),
    *(Decimal("1.50"), Decimal("sNaN"), Decimal("1e999999"), Fraction(1, 2), 1j, 1 + 0j, np.int8(1), np.bool_(True)),
    *(dt.date(2020, 1, 31), dt.datetime(2020, 1, 31), NOON, NOON.replace(tzinfo=ZONE), NOON.replace(tzinfo=dt.UTC)),
    *("2020-01-31", "2020-01-31 00:00", "2020-01-31T12:00:00Z", "2020-02-31", "9999-12-31"),
    "2020-01-31 12:00:00.123456789",
    *(pd.Timestamp(NOON), pd.Timestamp(NOON, tz="Asia/Tokyo"), np.datetime64("2020-01-31"), np.datetime64("NaT")),
    *(np.datetime64(10**6, "Y"), dt.time(7), dt.timedelta(1), uuid.UUID(int=7), pd.Period("2020-01", "M")),
    *(pd.Interval(0, 10), pd.Interval(0.0, 10.0), np.float64(math.nan), np.array([1]), np.str_("1")),
]  # fmt: skip


def written(cells: Cells) -> list:
    return [[*cells.texts, None][code] for code in cells.codes]


def test_no_cell_changes_how_another_is_read():
    alone = [written(Cells.of([cell])) for cell in CELLS]
    assert [text for (text,) in alone] == [reading(cell) for cell in CELLS]
    for (one, first), (other, second) in product(zip(CELLS, alone, strict=True), repeat=2):
        assert written(Cells.of([one, other])) == first + second
        array = np.empty(2, dtype=object)
        array[0], array[1] = one, other
        assert written(Table.of({"a": array}).cells("a")) == first + second


def test_frames_of_objects_are_read_as_their_cells_are():
    mixed = ([1, 2, "x"], [1, 2.5, None], [True, None], [NOON, "x"], [dt.date(2020, 1, 1), NOON], [b"a", "a"])
    for cells in (CELLS, *mixed):
        expected = [reading(cell) for cell in cells]
        frame = pd.DataFrame({"a": pd.Series(cells, dtype=object)})
        assert written(Table.of(frame).cells("a")) == expected
        assert written(Table.of({"a": list(cells)}).cells("a")) == expected
        assert written(Table.of(pl.DataFrame({"a": pl.Series(cells, dtype=pl.Object)})).cells("a")) == expected


@pytest.mark.parametrize(
    "cells",
    [
        [1, 2, 2**53 + 1, -7],
        [0.5, 1.0, 2.0**60, 1e300],
        [True, False],
        ["a", " b", "1.0", "TRUE", "2020-01-31 00:00", "é"],
        [dt.datetime(2020, 1, 31), NOON, dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(1, 1, 1)],
    ],
)
def test_the_type_of_a_column_does_not_matter(cells):
    """As a library makes it: typed, with a missing cell, with a cell of another type, as a dictionary."""
    expected = [reading(cell) for cell in cells]
    series = pd.Series(cells)
    for column in (
        series,
        pd.Series([*cells, None]),
        pd.Series([*cells, "text"], dtype=object),
        series.astype("category"),
        series.convert_dtypes(),
        pd.Series([*cells, Odd()], dtype=object),
    ):
        assert written(Table.of(pd.DataFrame({"a": column})).cells("a"))[: len(cells)] == expected
    array = pa.array(cells)
    kinds = [array, pa.chunked_array([array, array.slice(0, 1)]), pa.array([*cells, None])]
    kinds += [array.dictionary_encode(), pa.chunked_array([array.dictionary_encode()] * 2)]
    for column in kinds:
        assert written(Table.of(pa.table({"a": column})).cells("a"))[: len(cells)] == expected
    assert written(Table.of(pl.DataFrame({"a": cells})).cells("a")) == expected


def test_numbers_of_every_width_are_the_doubles_they_are():
    for dtype in ("int8", "uint64", "float16", "float32", "float64", "Int32", "complex128"):
        frame = pd.DataFrame({"a": pd.Series([0, 1, 7], dtype=dtype)})
        assert Table.of(frame).cells("a").numbers.tolist() == [0.0, 1.0, 7.0]
        assert written(Table.of(frame.astype(object)).cells("a")) == ["0", "1", "7"]
    short = pd.Series([0.1], dtype="float32")
    assert written(Cells.of(pa.array(short))) == written(Cells.of(short.astype(object))) == ["0.10000000149011612"]
    for arrow in (pa.decimal128(30, 2), pa.decimal256(60, 2), pa.float16()):
        assert written(Cells.of(pa.array([1, 2], pa.int64()).cast(arrow))) == ["1", "2"]


def test_what_is_no_value_is_missing_and_never_an_error():
    nested = [pa.array([[1], [2]]), pa.array([{"a": 1}]), pa.array([b"\xff"]), pa.array([dt.timedelta(1)]), pa.nulls(2)]
    for array in nested:
        assert written(Cells.of(array)) == [None] * len(array)
    far = pa.array([2**62, 0, None], pa.int64()).cast(pa.timestamp("s"))
    assert written(Cells.of(far)) == [None, "1970-01-01", None]
    tokyo = far.cast(pa.timestamp("s", "Asia/Tokyo"), safe=False)
    assert written(Cells.of(tokyo)) == [None, "1970-01-01 09:00:00", None]
    buffers = [None, pa.py_buffer(np.array([0, 1, 2], "i4")), pa.py_buffer(b"\xffa")]
    broken = pa.Array.from_buffers(pa.string(), 2, buffers)
    assert written(Cells.of(broken)) == [None, "a"]


def test_many_texts_are_read_as_each_is():
    """Looking at many numbers at once says what looking at each does, with and without a text among them."""
    rng = np.random.default_rng(0)
    texts = [f"{number:.{digits}g}" for number in rng.normal(0, 1e3, 150) for digits in (3, 9, 17)]
    texts += ["+1", "-0.0", " 7 ", "1e400", "1e-400", "5.", "0.10", "1E5", "NA", "-", "", "999999999999999"]
    for more in ([], ["x"], ["007"], ["9007199254740993"], ["1e+400", "inf"], ["12345678901234567890.5"]):
        cells = [*texts, *more]
        assert written(Cells.of(pa.array(cells))) == [reading(text) for text in cells]
        marked = Marks.of(["7", "0.1"])
        assert written(Cells.of(pa.array(cells), marks=marked)) == [reading(text, marked) for text in cells]


def test_numbers_and_dates_lie_on_a_line():
    cells = Cells.of(["007", "1e3", "true", dt.date(1970, 1, 3), "1970-01-02 12:00", "x", math.inf, None])
    assert cells.line.tolist() == pytest.approx([7, 1000, 1, 2, 1.5, math.nan, math.nan, math.nan], nan_ok=True)
    assert [math.isnan(day) for day in cells.days] == [True, True, True, False, False, True, True, True]
    typed = Cells.of(pa.array([NOON, None]))
    assert typed.line.tolist() == pytest.approx([day_of("2020-01-31 12:00:00"), math.nan], nan_ok=True)
    assert math.isnan(number_of("2020-01-31"))


def test_marks_of_the_owner_are_missing_in_every_way_to_write_them():
    marks = Marks.of(["-9", "none"])
    assert [reading(cell, marks) for cell in (-9, "-9.0", "none", "NA", "-", 9)] == [None, None, None, "NA", "-", "9"]
    for values in (pa.array([-9, 9]), pa.array([-9.0, 9.0]), pa.array(["-9.0", "9"]), ["-9", 9], np.array([-9, 9])):
        assert written(Cells.of(values, marks=marks)) == [None, "9"]
        assert math.isnan(Cells.of(values, marks=marks).line[0])
    day = Marks.of(["1900-01-01"])
    assert written(Cells.of(pa.array([dt.date(1900, 1, 1), dt.date(1900, 1, 2)]), marks=day)) == [None, "1900-01-02"]
    assert written(Table.of({"a": [-9, 9]}, missing=["-9"]).cells("a")) == [None, "9"]


def test_a_cell_of_a_file_is_its_own_bytes_whatever_the_others_are(tmp_path):
    """One byte that is not UTF-8 makes the whole file one of Windows; a zero byte is a character like any other."""
    path, expected = tmp_path / "a.csv", ["Zoë", "€", "plain"]
    for odd in (b"x", b"\xe9", b"\xff\xfe\x81", b"\x00", b'"a,b"', b"\xef\xbf\xbd"):
        path.write_bytes("name,b\nZoë,1\n€,2\nplain,3\n".encode() + odd + b",4\n")
        assert written(Table.of(path).cells("name"))[:3] == expected


def test_tables_that_were_made_of_tables_keep_their_cells():
    table = Table.of({"a": ["1.0", "x", "-", "True"], "b": [1, 2, 3, 4]})
    assert table.column("a").texts == ["-", "1.0", "True", "x"]
    expected = ["1", "x", None, "true"]
    assert written(table.select(["a"]).cells("a")) == expected
    assert written(table.take(np.array([1, 0])).take(np.array([1])).cells("a")) == ["1"]
    assert written(Table.of(table, kinds={"b": "category"}).cells("a")) == expected
    assert written(Table.of(table, missing=["x"]).cells("a")) == ["1", None, None, "true"]
    changed = table.with_columns([table.column("b").renamed("a")])
    assert written(changed.cells("a")) == ["1", "2", "3", "4"]
    assert (Table.of(table, kinds={"b": "category"}).declared("b"), table.declared("b")) == ("category", None)


LONG = [2**53, 2**53 + 1, 1234567890123456789, 1234567890123456790, -(2**53) - 1, -(2**53) - 2, 7]


def identities(cells):
    texts, codes = cells.identities
    return [[*texts, None][code] for code in codes]


@pytest.mark.parametrize(
    "column",
    [
        LONG,
        [*LONG, "x"],
        [*LONG, 0.5],
        np.array(LONG),
        [*map(np.int64, LONG), "x"],
        [*map(Decimal, LONG), "x"],
        [*map(str, LONG)],
        pa.array(LONG),
        pa.array([*LONG, None]),
        pa.chunked_array([pa.array(LONG[:3]), pa.array(LONG[3:])]),
        pa.array(LONG).dictionary_encode(),
        pa.array(LONG).cast(pa.decimal128(30, 2)),
        pa.array(LONG).cast(pa.decimal128(22, 0)),
        pa.array(LONG).cast(pa.decimal128(30, 2)).dictionary_encode(),
    ],
    ids=str,
)
def test_ids_beyond_doubles_are_told_apart(column):
    """Each by itself: whatever else the column holds, and alone in it."""
    cells = Cells.of(column)
    assert identities(cells)[: len(LONG)] == [*map(str, LONG)]
    assert identities(cells.take(np.array([3, 1]))) == [str(LONG[3]), str(LONG[1])]
    assert [identities(Cells.of(column[place : place + 1])) for place in range(len(LONG))] == [[str(i)] for i in LONG]


def test_ids_are_otherwise_the_texts_of_cells():
    read = Cells.of(CELLS)
    long = [isinstance(cell, (int, float)) and abs(cell) >= 2**53 for cell in CELLS]
    pairs = [*zip(identities(read), written(read), long, strict=True)]
    assert all(identity == text for identity, text, is_long in pairs if not is_long)
    assert sum(identity != text for identity, text, _ in pairs) == 2  # 2**53 + 1 and 1e308
    assert len(set(identities(Cells.of([2.0**60, 2**60, str(2**60)])))) == 1
    assert identities(Cells.of(pa.array([2**60, 2**60 + 1]), marks=Marks.of([str(2**60)])))[0] is None
    unsigned = pa.array([2**64 - 1, 2**64 - 2], pa.uint64())
    assert identities(Cells.of(unsigned)) == [str(2**64 - 1), str(2**64 - 2)]
    fractions = [Decimal("0.10"), Decimal("0.12345678901234567890"), Decimal("0.12345678901234567891"), Decimal("-3")]
    expected = ["0.1", "0.1234567890123456789", "0.12345678901234567891", "-3"]
    for column in (fractions, pa.array(fractions, pa.decimal128(30, 20))):
        assert identities(Cells.of(column)) == expected
