# SPDX-License-Identifier: Apache-2.0
"""Law: what a table holds does not depend on what it came in."""

import datetime as dt
import math
import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from discreet.data.column import MISSING_MARKS, encode
from discreet.data.table import Table
from discreet.errors import DataError

# -- sources of the same content ---------------------------------------------------------------------------------------


def to_pandas(table: pa.Table) -> pd.DataFrame:
    """Without the loss of digits that whole numbers beside missing ones suffer in pandas."""
    return table.to_pandas(integer_object_nulls=True)


def to_nullable(table: pa.Table) -> pd.DataFrame:
    dtypes = {pa.int64(): pd.Int64Dtype(), pa.int16(): pd.Int16Dtype(), pa.float64(): pd.Float64Dtype()}
    return table.to_pandas(types_mapper={**dtypes, pa.bool_(): pd.BooleanDtype(), pa.string(): pd.StringDtype()}.get)


def pandas_csv(table: pa.Table, path: Path) -> None:
    to_pandas(table).to_csv(path, index=False)


def polars_csv(table: pa.Table, path: Path) -> None:
    pl.from_arrow(table).write_csv(path)


def duckdb_csv(table: pa.Table, path: Path) -> None:
    duckdb.from_arrow(table).write_csv(str(path), header=True)


FRAMES = {
    "pandas": to_pandas,
    "pandas nullable": to_nullable,
    "pandas on arrow": lambda t: t.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas objects": lambda t: to_pandas(t).astype(object),
    "pandas categorical": lambda t: to_pandas(t).astype("category"),
    "polars": lambda t: pl.from_arrow(t),
    "polars lazy": lambda t: pl.from_arrow(t).lazy(),
    "duckdb": lambda t: duckdb.from_arrow(t),
    "record batch": lambda t: t.combine_chunks().to_batches()[0],
    "arrow in chunks": lambda t: pa.concat_tables([t.slice(i, 1) for i in range(t.num_rows)]),
    "arrow dictionaries": lambda t: pa.table({n: t[n].dictionary_encode() for n in t.column_names}),
    "arrow large": lambda t: t.cast(
        pa.schema([(f.name, pa.large_string() if pa.types.is_string(f.type) else f.type) for f in t.schema])
    ),
    "mapping of series": lambda t: {n: pl.from_arrow(t)[n] for n in t.column_names},
}
CSV_WRITERS = {"pandas": pandas_csv, "polars": polars_csv, "duckdb": duckdb_csv, "arrow": pacsv.write_csv}


def same(table: Table, other: Table) -> bool:
    return table.names == other.names and all(
        column.equals(twin) for column, twin in zip(table.columns(), other.columns(), strict=True)
    )


# -- random tables -----------------------------------------------------------------------------------------------------

words = st.one_of(
    st.sampled_from(["a", "b", " b", "zürich", 'say "hi"', "x,y", "x;y", "two\nlines", "*", "None", "-", "1", "1.0"]),
    st.sampled_from(
        ["?", "NA", "", "  ", "nan", "<NA>", "true", "False", "2020-01-01", "01067", "1e3", "123456789012345678"]
    ),
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Co", "Cn"], exclude_characters="'"), max_size=4
    ),
)
words = words.filter(lambda word: "inf" not in word.lower())  # infinite numbers are refused, see test_column
digits = st.sampled_from(
    ["0", "1", "1.0", "+1", "-0", ".5", "5.", "1e2", "100", "-7.25", "?", "-", " 3 ", "90071992547409921"]
)
moments = st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)).map(
    lambda m: m.replace(microsecond=m.microsecond // 1000 * 1000)
)
cells = {
    pa.string(): st.one_of(words, digits),
    pa.int64(): st.one_of(st.integers(-5, 5), st.integers(-(2**62), 2**62)),
    pa.int16(): st.integers(-5, 5),
    pa.float64(): st.one_of(st.sampled_from([0.0, -0.0, 1.0, 0.1, 1e300, 2.0**53]), st.floats(allow_infinity=False)),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
    pa.timestamp("us"): moments,
}  # fmt: skip
purely = {"digits": (pa.string(), digits), "words": (pa.string(), words)}


@st.composite
def tables(draw, max_rows=8):
    n = draw(st.integers(1, max_rows))
    columns = {}
    for i in range(draw(st.integers(2, 4))):
        kind = draw(st.sampled_from([*cells, *purely]))
        arrow_type, strategy = purely.get(kind) or (kind, cells[kind])
        values = draw(st.lists(st.one_of(st.none(), strategy), min_size=n, max_size=n))
        columns[f"column {i}"] = pa.array(values, arrow_type)
    return pa.table(columns)


@settings(max_examples=25)
@given(tables())
@example(pa.table({"a": pa.array([math.nan, None]), "b": pa.array([None, None], pa.timestamp("us"))}))
@example(pa.table({"a": pa.array([None, None], pa.bool_()), "b": ["", "?"], "c": pa.nulls(2)}))
@example(pa.table({"a": [2**53, 1], "b": [2**53 - 1, 1], "c": [float(2**53), 1.0], "d": ["9007199254740993", "1"]}))
def test_every_frame_and_file_of_the_same_content_gives_the_same_codes(content):
    expected = Table.of({name: content[name].to_pylist() for name in content.column_names})
    assert same(Table.of(content), expected)
    for name, convert in FRAMES.items():
        assert same(Table.of(convert(content)), expected), name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "content")
        pq.write_table(content, path)
        assert same(Table.of(path), expected), "parquet"
        for name, write in CSV_WRITERS.items():
            write(content, path)
            assert same(Table.of(path), expected), f"csv by {name}"


@settings(max_examples=40)
@given(tables())
def test_codes_increase_with_values_and_missing_is_last(content):
    for column in Table.of(content).columns():
        values = column.values.to_pylist()
        assert None not in values
        assert values == sorted(values)
        assert len(set(values)) == len(values)
        assert set(column.codes.tolist()) in ({*range(len(values))}, {*range(len(values) + 1)})
        assert column.has_missing == (len(values) in column.codes)
        assert column.codes.dtype == np.int32


@settings(max_examples=30)
@given(tables())
def test_out_and_in_again_is_identical(content):
    table = Table.of(content)
    assert same(Table.of(table.to_arrow()), table)
    for frame in ("arrow", "pandas", "polars", "duckdb"):
        assert same(Table.of(table.to_frame(frame)), table), frame


@settings(max_examples=40)
@given(tables(), st.data())
def test_taking_rows_equals_taking_cells_and_leaves_no_unused_value(content, data):
    rows = data.draw(st.lists(st.integers(0, content.num_rows - 1), min_size=1))
    table = Table.of(content)
    taken = table.take(np.array(rows))
    assert len(taken) == len(rows)
    for column in taken.columns():
        assert set(column.codes.tolist()) >= {*range(len(column.values))}
        cells = table.column(column.name).to_arrow().to_pylist()
        assert column.to_arrow().to_pylist() == [cells[row] for row in rows]


def test_single_precision_is_read_as_it_is_written(tmp_path):
    content = pa.table({"x": pa.array([0.1, 2.5, 1 / 3, None, -7.0], pa.float32()), "y": pa.array([1] * 5)})
    expected = Table.of({"x": [0.1, 2.5, 0.33333334, None, -7.0], "y": [1] * 5})
    for source in (content, content.to_pandas(), pl.from_arrow(content), duckdb.from_arrow(content)):
        assert same(Table.of(source), expected)
    for write in CSV_WRITERS.values():
        write(content, tmp_path / "t.csv")
        assert same(Table.of(tmp_path / "t.csv"), expected)
    half = pa.table({"x": np.array([0.1, 3.0], np.float16)})
    assert Table.of(half).column("x").values.to_pylist() == [0.1, 3.0]


# -- what a table is ---------------------------------------------------------------------------------------------------


def test_the_index_of_pandas_is_never_part_of_the_table(tmp_path):
    index = pd.Index(["SECRET-1", "SECRET-2", "SECRET-3"], name="patient")
    frame = pd.DataFrame({"age": [1, 2, 3]}, index=index)
    assert Table.of(frame).names == ("age",)
    assert "SECRET" not in str(Table.of(frame).to_frame())
    assert list(Table.of(frame).to_frame().index) == [0, 1, 2]

    class Cohort(pd.DataFrame):
        pass

    assert Table.of(Cohort(frame)).names == ("age",)
    frame.rename_axis(None).to_parquet(tmp_path / "t.parquet")
    assert Table.of(tmp_path / "t.parquet").names == ("age",)


def test_no_metadata_of_the_source_survives():
    schema = pa.schema([pa.field("a", pa.int64(), metadata={"from": "SECRET"})], metadata={"pandas": "SECRET"})
    out = Table.of(pa.table({"a": [1, 2]}).cast(schema)).to_arrow()
    assert out.schema.metadata is None
    assert out.schema.field("a").metadata is None


def test_columns_named_by_numbers_are_named_by_their_digits():
    assert Table.of(pd.DataFrame({0: [1, 2], 1: ["a", "b"]})).names == ("0", "1")


def test_frame_kind_is_given_back():
    content = pa.table({"a": [1, 2]})
    assert isinstance(Table.of(content.to_pandas()).to_frame(), pd.DataFrame)
    assert isinstance(Table.of(pl.from_arrow(content)).to_frame(), pl.DataFrame)
    assert isinstance(Table.of(pl.from_arrow(content).lazy()).to_frame(), pl.DataFrame)
    assert isinstance(Table.of(duckdb.from_arrow(content)).to_frame(), duckdb.DuckDBPyRelation)
    assert isinstance(Table.of(content).to_frame(), pa.Table)
    assert isinstance(Table.of({"a": [1]}).to_frame(), pa.Table)


def test_a_table_of_a_table_is_itself_unless_asked_otherwise():
    table = Table.of(pd.DataFrame({"zip": [1, 2], "n": [-9, 3]}))
    assert Table.of(table) is table
    other = Table.of(table, kinds={"zip": "category"}, missing=["-9"])
    assert (other.column("zip").kind, other.column("n").has_missing, other.frame) == ("category", True, "pandas")


def test_select_with_columns_and_length():
    table = Table.of({"a": [1, 2, 3], "b": ["x", "y", "x"]})
    assert table.select(["b"]).names == ("b",)
    assert len(table.select([])) == 3
    added = table.with_columns([table.column("a").renamed("c"), table.column("b").renamed("a")])
    assert added.names == ("a", "b", "c")
    assert added.column("a").kind == "category"
    assert "a" in table
    assert "z" not in table
    with pytest.raises(DataError, match="repeat the name"):
        table.select(["a", "a"])
    with pytest.raises(DataError, match="different lengths, from 2 to 3"):
        table.with_columns([encode("c", pa.array([1, 2]))])
    with pytest.raises(DataError, match=r"no column 'bb'. Did you mean 'b'"):
        table.column("bb")


def test_reprs_show_names_and_counts_only():
    table = Table.of({"city": ["SECRET-7731", "x"]})
    assert repr(table) == "Table(2 rows, columns 'city')"
    assert repr(table.column("city")) == "Column('city', category, 2 rows, 2 levels)"
    assert "SECRET" not in repr(table._source)


def test_kinds_are_overridden_by_name():
    table = Table.of({"zip": [1067, 1069], "n": [1, 2]}, kinds={"zip": "category"})
    assert (table.column("zip").kind, table.column("zip").texts) == ("category", ["1067", "1069"])
    with pytest.raises(DataError, match=r"not in the data: 'zp'. Did you mean 'zip'"):
        Table.of({"zip": [1]}, kinds={"zp": "category"})


def test_marks_of_missing_are_found_or_given(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c\n1,?,x\n-9,2,NA\n3,4,y\n")
    found = Table.of(path)
    assert [column.has_missing for column in found.columns()] == [False, True, True]
    given = Table.of(path, missing=["-9"])
    assert [column.has_missing for column in given.columns()] == [True, False, False]
    assert given.column("b").kind == "category"  # "?" is a value now
    assert Table.of(path, missing=[*MISSING_MARKS, "-9"]).column("a").values.to_pylist() == [1, 3]
    assert Table.of(path, missing="-9").column("a").values.to_pylist() == [1, 3]
    for typed in (pd.DataFrame({"a": [1, -9, 3]}), pl.DataFrame({"a": [1.0, -9.0, 3.0]}), {"a": ["1", "-9.0", "3"]}):
        assert Table.of(typed, missing=["-9"]).column("a").codes.tolist() == [0, 2, 1]
    days = [dt.date(1900, 1, 1), dt.date(2020, 5, 1)]
    assert Table.of({"d": days}, missing=["1900-01-01", "??"]).column("d").codes.tolist() == [1, 0]


def test_many_rows_are_coded_in_parallel_alike(monkeypatch):
    rng = np.random.default_rng(0)
    content = {f"c{i}": rng.integers(0, 50, 1000) for i in range(6)}
    expected = Table.of(content)
    expected.columns()
    monkeypatch.setattr("discreet.data.table._MANY_ROWS", 10)
    assert same(Table.of(content), expected)
    with pytest.raises(DataError, match="no column 'zz'"):
        Table.of(content).columns(["c0", "c1", "zz"])
