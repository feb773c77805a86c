# SPDX-License-Identifier: Apache-2.0
"""How texts are read in all ways to a table: by column, by cell, from a table, in parts, by an engine, as recorded."""

import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import discreet as ds
from discreet.counting.coding import ReadCells
from discreet.data.notation import DateNotation, Formats, NumberNotation
from discreet.data.table import Table
from discreet.engines.duckdb import DuckDB
from discreet.errors import DataError
from discreet.release.recode_rows import recoding_of

TEXTS = {"paid": ["1.169,17", "980,5", "77"], "born": ["19.02.1927", "03.04.1964", "25.12.1980"], "y": ["a", "b", "a"]}


def test_sentences_are_of_the_columns_that_were_used():
    table = Table.of(TEXTS)
    assert table.reading.sentences() == []
    table.column("born")
    assert table.reading.sentences() == ["Column 'born': 3 cells with a date with the day first, read as dates."]
    assert len(table.select(["paid", "born"]).reading.sentences()) == 2
    assert table.notations == {"paid": "decimal comma", "born": "day-first"}


def test_counts_are_of_cells_not_of_distinct_texts():
    table = Table.of({"x": ["1169,17"] * 1000 + ["3"] * 5})
    table.columns()
    assert table.reading.sentences() == ["Column 'x': 1,000 cells with a decimal comma, read as numbers."]


def test_cells_by_themselves_are_read_as_the_owner_says_and_in_no_other_way(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("paid;born\n1.169,17;03.04.1964\n99,9;x\n")
    plain = Table.by_cells(path)
    assert plain.cells("paid").texts == ["1.169,17", "99,9"]
    said = Table.by_cells(path, decimal=",", date_format="day-first", missing=["99,9"])
    assert said.cells("paid").texts == ["1169.17"]
    assert said.cells("born").texts == ["1964-04-03", "x"]
    objects = Table.of({"x": ["1,5", 2, None, "x"]}, decimal=",", kinds={"x": "category"}).cells("x")
    assert objects.texts == ["1.5", "2", "x"]


def test_a_table_is_read_again_as_it_is_said_later():
    table = Table.of({"x": ["1,023", "2,456"], "z": ["1", "2"]})
    with pytest.raises(DataError, match="two ways"):
        table.column("x")
    assert Table.of(table, decimal=",").column("x").texts == ["1.023", "2.456"]
    labels = Table.of({"x": ["25.03.2024"], "y": ["1,25"]}, kinds={"x": "category", "y": "category"})
    again = Table.of(labels.select(["x", "y"]), kinds={"y": "category"})
    assert again.column("x").kind == "category"  # what was a category is not looked at anew


def test_the_data_of_a_release_is_read_in_plain_form_only(tmp_path):
    draw = random.Random(1)
    rows = {
        "born": [f"{draw.randint(1, 28):02}.{draw.randint(1, 12):02}.1970" for _ in range(60)],
        "y": ["a", "b"] * 30,
    }
    release = ds.Mondrian(k=5, random_state=1).release(rows, ds.Roles(target="y", quasi=["born"]))
    release.save(tmp_path / "out")
    folder = tmp_path / "out" / "release"
    assert '"written": "day-first"' in (folder / "recoding.json").read_text()
    assert ds.verify(folder).holds
    assert {column.kind for column in Table.of(folder).columns()} == {"category"}
    one = ds.recode(folder, {"born": ["03.04.1970"]})  # could be read in two ways, but for the record
    assert one.equals(ds.recode(folder, {"born": ["1970-04-03"]}))
    assert one.equals(release.recode({"born": ["03.04.1970"]}))
    with pytest.raises(DataError, match="is to be read as day-first, but 1 of its 1 distinct values"):
        ds.recode(folder, {"born": ["12/25/1970"]})
    other = Table.of({"born": ["04/03/1970"]}, date_format="month-first")  # what is said now comes first
    assert one.equals(ds.recode(folder, other))
    pq.write_table(pa.table({"born": ["03.04.1970", "05.06.1970"]}), tmp_path / "new.parquet")
    written: list[pa.Table] = []
    assert recoding_of(folder).files([tmp_path / "new.parquet"], written.append) == 2
    assert written[0].column("born")[0].as_py() == one.column("born").texts[0]


def test_parts_of_a_release_in_plain_form_recognise_nothing(tmp_path):
    rows = {"paid": list(range(60)), "y": ["a", "b"] * 30}
    ds.Mondrian(k=5, random_state=1).release(rows, ds.Roles(target="y", quasi=["paid"])).save(tmp_path / "out")
    pq.write_table(pa.table({"paid": ["1,25", "30"]}), tmp_path / "new.parquet")
    with pytest.raises(DataError, match="was declared a number"):
        recoding_of(tmp_path / "out" / "release").files([tmp_path / "new.parquet"], lambda _: None)
    whole = ds.recode(tmp_path / "out" / "release", {"paid": ["1,25", "30"]})  # a whole table shows its notation
    assert len(whole) == 2


def test_columns_with_too_many_texts_need_to_be_told():
    parts = [pa.array(["1,25", "2,75"]), pa.array(["3,5", "1.000,25"])]
    with pytest.raises(DataError, match="Say how they are written"):
        ReadCells.of("x", parts)
    said = ReadCells.of("x", parts, formats=Formats.of(decimal=","))
    assert said.kind == "number"
    assert said.compact(parts[1]).to_pylist() == [3.5, 1000.25]
    assert ReadCells.of("x", [*parts, pa.array(["x"])]).kind == "category"
    assert ReadCells.of("x", parts, kind="category").kind == "category"


def test_engines_release_what_memory_does(tmp_path):
    draw = random.Random(2)
    path = tmp_path / "t.csv"
    lines = [f"{draw.randint(1, 9_999_999) / 100:.2f}".replace(".", ",") + f";{'ab'[i % 2]}" for i in range(80)]
    path.write_text("paid;y\n" + "\n".join(lines) + "\n")
    roles = ds.Roles(target="y", quasi=["paid"])
    engine = ds.Mondrian(k=5, random_state=1).release(DuckDB(path), roles)
    memory = ds.Mondrian(k=5, random_state=1).release(path, roles)
    assert engine.written == memory.written == {"paid": "decimal comma"}
    cells = DuckDB(path, decimal=",").cells(["paid"])
    assert np.isfinite(next(iter(cells))["paid"].numbers).all()


def test_engines_look_at_other_columns_too(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x;z\n1.023;7,5\n2.456;9,25\n")
    with pytest.raises(DataError, match="Column 'z' has a decimal comma for certain"):
        DuckDB(path).tally(["x"])
    assert DuckDB(path, decimal=",").tally(["x"]).values[0].to_pylist() == [1023, 2456]
    with pytest.raises(DataError, match="not in the data: 'q'"):
        DuckDB(path, decimal={"q": ","})


def test_recorded_notations_give_way_to_what_is_said():
    formats = Formats(recorded={"x": NumberNotation(","), "d": DateNotation("day-first")})
    assert formats.given("x").of_cells == (NumberNotation(","),)
    said = Formats(Formats.of(decimal=".").decimal, recorded=formats.recorded)
    assert said.given("x").of_cells == (NumberNotation("."),)


def test_a_dash_after_a_mark_is_no_cents_only_where_no_digit_follows():
    """A range is no number: 1,-3 is not 1.003, and 48.-11 not 48.0011."""
    for texts in (["1,-3", "4,-6", "7,-9"], ["12.-15", "48.-11"], ["1,–3", "2,–4"], ["1,-,300", "2,-,400"]):
        assert Table.of({"x": texts}).column("x").texts == texts
    assert Table.of({"x": ["12,- €", "1.234,— €"]}).column("x").texts == ["12", "1234"]
