# SPDX-License-Identifier: Apache-2.0
"""What is read, what is refused, and that no refusal tells a cell."""

import datetime as dt
import decimal
import logging
import traceback

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discreet.data.read import check_names, read
from discreet.data.table import Table
from discreet.errors import DataError

MARK = "SECRET-" + "7731"  # in pieces: a traceback shows the line of source that failed


def refused(data, column=None, **options) -> str:
    """The message of the refusal: one paragraph, without a cell, without another error behind it."""
    with pytest.raises(DataError) as caught:
        Table.of(data, **options).columns(column and [column])
    error = caught.value
    assert MARK not in "".join(traceback.format_exception(error)) + repr(error) + str(error.args)
    assert error.__context__ is None
    assert error.__cause__ is None
    assert "\n" not in str(error)
    assert 30 < len(str(error)) < 600
    return str(error)


# -- names -------------------------------------------------------------------------------------------------------------


def test_names_that_cannot_be_given_a_role():
    frame = pd.DataFrame([[1, 2], [3, 4]])
    assert "more than once: 'a'" in refused(frame.set_axis(["a", "a"], axis=1))
    assert "more than once: '1'" in refused(frame.set_axis([1, "1"], axis=1))
    for nothing in (None, float("nan"), "", "  "):
        assert "1 of the 2 columns have no name (column 2)" in refused(frame.set_axis(["a", nothing], axis=1))
    levels = pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    assert "names of 2 levels (a pandas MultiIndex)" in refused(frame.set_axis(levels, axis=1))
    assert "more than once: 'a'" in refused(pa.table([[1], [2]], names=["a", "a"]))
    assert "no name (column 1)" in refused({"": [1], "b": [2]})
    assert "more than once: '1'" in refused({1: [1], "1": [2]})
    check_names(["a", "b"])


def test_long_and_broken_names_stay_on_one_line():
    message = refused(pa.table([[1], [2]], names=["x\n" * 200] * 2))
    assert len(message) < 300


def test_tables_without_columns_or_rows():
    assert "no columns" in refused(pd.DataFrame())
    assert "no columns" in refused({})
    assert "no columns" in refused(pl.DataFrame())
    assert "1 columns and no rows" in refused(pd.DataFrame({"a": []}))
    assert "1 columns and no rows" in refused({"a": []})
    assert "1 columns and no rows" in refused(duckdb.sql("select 1 as a where false"))
    assert "1 columns and no rows" in refused(pl.DataFrame({"a": [1]}).lazy().filter(pl.col("a") > 1))


# -- things that are no tables -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "thing",
    [None, 7, [1, 2], [{"a": MARK}], np.array([[1, 2]]), pd.Series([MARK]), pl.Series([MARK]), pa.array([MARK])],
)
def test_other_things_are_no_tables(thing):
    assert "is not a table. Pass a pandas, polars or Arrow frame" in refused(thing)


def test_text_in_memory_is_no_path():
    assert "is not a path" in refused(f"a,b\n1,{MARK}\n")
    assert "is not a path" in refused(f"{MARK}," * 2000)
    assert "There is no file" in refused("x" * 300)  # longer than a file name may be
    assert "is not a path" in refused("a\0b")


def test_paths_in_every_form(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n")
    for form in (path, str(path)):
        assert Table.of(form).names == ("a", "b")


def test_csv_options_are_for_csv(tmp_path):
    assert "options 'delimiter' are for CSV files" in refused({"a": [1]}, delimiter=";")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
    assert "'t.parquet' is Parquet" in refused(tmp_path / "t.parquet", delimiter=";")


# -- mappings ----------------------------------------------------------------------------------------------------------


def test_mappings_of_lists_arrays_and_series():
    table = Table.of(
        {
            "list": ["x", None, float("nan")],
            "numpy": np.array([1.5, np.nan, 2]),
            "words": np.array(["a", "b", "c"]),
            "pandas": pd.Series([1, 2, 3], index=[7, 8, 9]),
            "polars": pl.Series([dt.date(2020, 1, 1)] * 3),
            "arrow": pa.chunked_array([[1], [2, 3]]),
            "large": [2**70, None, 3],
        }
    )
    assert [column.kind for column in table.columns()] == [
        *("category", "number", "category", "number", "date", "number", "category"),
    ]
    assert table.column("large").values.to_pylist() == ["1180591620717411303424", "3"]


def test_mappings_that_are_no_tables():
    assert "different lengths, from 1 to 2" in refused({"a": [MARK], "b": [1, 2]})
    assert "these are none: 'a'" in refused({"a": MARK, "b": [1]})
    assert "these are none: 'b'" in refused({"a": [1], "b": 7})
    assert "different lengths" in refused({"a": np.zeros((2, 2)), "b": [1]})


# -- columns that cannot be used ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        [1, MARK],
        [MARK, 1],
        [MARK, True],
        [dt.date(2020, 1, 1), MARK],
        [{"x": MARK}, 3],
        ["\ud800" + MARK, "x"],
        [1j, 2j],
        [[MARK], 3],
        [object(), object()],
    ],
)
def test_a_column_of_mixed_values_is_refused_by_name_when_asked_for(values):
    for data in (pd.DataFrame({"ok": [1, 2], "bad": pd.Series(values, dtype=object)}), {"ok": [1, 2], "bad": values}):
        table = Table.of(data)  # a column without a role does not stand in the way
        assert table.column("ok").codes.tolist() == [0, 1]
        assert "'bad' cannot be turned into values of one type" in refused(data, "bad")


@pytest.mark.parametrize(
    "values", [[[MARK], []], [{"a": MARK}, None], [MARK.encode(), b""], [dt.timedelta(1), None], [(MARK,), ()]]
)
def test_nested_values_and_bytes_are_refused_when_asked_for(values):
    for data in (pd.DataFrame({"ok": [1, 2], "bad": values}), pl.DataFrame({"ok": [1, 2], "bad": values})):
        assert Table.of(data).column("ok").codes.tolist() == [0, 1]
        assert "'bad' " in refused(data, "bad")


def test_python_objects_in_polars_are_refused():
    data = pl.DataFrame({"ok": [1], "bad": pl.Series([object()], dtype=pl.Object)})
    assert "'bad' " in refused(data, "bad")


def test_rare_types_of_frames_are_read():
    polars = pl.DataFrame(
        {
            "big": pl.Series([2**80, 1], dtype=pl.Int128),
            "price": pl.Series([decimal.Decimal("1.10"), None]),
            "time": [dt.time(9, 30), None],
            "nothing": [None, None],
        }
    )
    assert [column.texts for column in Table.of(polars).columns()] == [["1", str(2**80)], ["1.1"], ["09:30:00"], []]
    duck = duckdb.sql(
        "select 170141183460469231731687303715884105727::hugeint as huge, 'a'::enum('a', 'b') as level,"
        " 1.5::decimal(5, 2) as price, time '10:00' as clock, true as truth, 3::utinyint as small"
    )
    texts = [["170141183460469231731687303715884105727"], ["a"], ["1.5"], ["10:00:00"], ["true"], ["3"]]
    assert [column.texts for column in Table.of(duck).columns()] == texts


# -- queries -----------------------------------------------------------------------------------------------------------


def test_a_query_that_fails_does_not_quote_cells():
    duck = duckdb.sql(f"select v::integer as v from (values ('1'), ('{MARK}')) t(v)")
    assert "could not be run (ConversionException)" in refused(duck)
    lazy = pl.LazyFrame({"v": ["1", MARK]}).select(pl.col("v").cast(pl.Int64, strict=True))
    assert "could not be run" in refused(lazy)


# -- Parquet -----------------------------------------------------------------------------------------------------------


def test_parquet_is_told_by_its_bytes(tmp_path):
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t.csv")
    assert Table.of(tmp_path / "t.csv").names == ("a",)


def test_parquet_that_is_cut_off_or_changed(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [MARK] * 5000, "b": range(5000)}), path)
    whole = path.read_bytes()
    for broken in (
        whole[:4],
        whole[:100],
        whole[:-1],
        whole[: len(whole) // 2],
        whole[:40] + b"\xff" * 60 + whole[100:],
    ):
        path.write_bytes(broken)
        assert "not a readable Parquet file" in refused(path)


def test_folders(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    assert "'parts'" in refused(folder)
    (folder / "notes.txt").write_text(MARK)
    assert "not a readable folder of Parquet files" in refused(folder)
    (folder / "notes.txt").unlink()
    for part in range(2):
        pq.write_table(pa.table({"a": [part, 7]}), folder / f"{part}.parquet")
    assert len(Table.of(folder)) == 4


def test_nothing_is_logged(caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "t.csv"
    path.write_text(f"a,b\n1,{MARK}\n2\n")
    refused(path)
    Table.of({"a": [MARK]}).columns()
    assert MARK not in caplog.text


def test_the_source_does_not_show_cells():
    assert MARK not in repr(read({"a": [MARK]}))
