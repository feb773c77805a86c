# SPDX-License-Identifier: Apache-2.0
"""Files of other programs: each is read as its author meant it, or refused in words that quote no cell."""

import io
import os
import subprocess
import sys
import traceback
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from corpus.formats import FRAME, PEOPLE, ROWS, SECRET, files, rows_of, workbook
from discreet.data import held_file, read_apart
from discreet.data.foreign_excel import read_workbook
from discreet.data.foreign_statistics import read_statistics
from discreet.data.read import read_file
from discreet.data.table import Table
from discreet.errors import DataError

CORPUS = list(files())


@pytest.fixture
def here(monkeypatch):
    """Read files of other programs in this process, which is quicker."""

    def read(source, kind, options):
        return (read_workbook if kind == "Excel" else read_statistics)(source, kind, **options)

    monkeypatch.setattr("discreet.data.read.read_apart", read)


def refusal(path, **options) -> str:
    with pytest.raises(DataError) as caught:
        Table.of(path, **options)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None
    assert 20 < len(str(caught.value)) < 600
    return str(caught.value)


def test_there_are_enough_files():
    assert len(CORPUS) >= 80
    assert len({name for name, _, _ in CORPUS}) == len(CORPUS)


@pytest.mark.parametrize(("name", "content", "expected"), CORPUS, ids=[name for name, _, _ in CORPUS])
def test_a_file_is_read_as_it_is_meant(name, content, expected, tmp_path, here):
    path = tmp_path / name
    path.write_bytes(content)
    if expected.refused:
        assert expected.refused in refusal(path, **expected.options)
        return
    table = Table.of(path, **expected.options)
    for column, cells in expected.cells.items():
        assert table.column(column).to_arrow().to_pylist() == cells, column
    assert {column: table.column(column).kind for column in expected.kinds} == expected.kinds
    said = " ".join(read_file(path, **expected.options).notes)
    assert all(words in said for words in expected.notes)


# -- in a process of its own -------------------------------------------------------------------------------------------


def test_a_workbook_is_read_by_another_process(tmp_path):
    path = tmp_path / "people.xlsx"
    path.write_bytes(workbook(("S", rows_of())))
    assert Table.of(path).column("age").to_arrow().to_pylist() == PEOPLE["age"]
    assert sorted(tmp_path.iterdir()) == [path]


def test_a_cell_far_away_does_not_take_all_memory(tmp_path):
    """A sheet is as large as its last cell says: 17 thousand million cells in 5 kB."""
    far = workbook(("S", [["age", "sex"], [31, "f"], [32, "m"]]))
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(far)) as old, zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            content = content.replace(b'r="B3"', b'r="XFD1048576"').replace(b'row r="3"', b'row r="1048576"')
            new.writestr(name, content)
    (tmp_path / "far.xlsx").write_bytes(sink.getvalue())
    assert "far larger inside than its size says" in refusal(tmp_path / "far.xlsx")


@pytest.mark.parametrize("entity", ['"' + "A" * 99 + '"', 'SYSTEM "file:///etc/passwd"'])
def test_no_entity_of_xml_is_expanded(entity, tmp_path, here):
    sink = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(workbook(("S", rows_of())))) as old,
        zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            content = old.read(name).replace(b">age<", b">&e;<")
            if name.endswith("sharedStrings.xml"):
                content = content.replace(b"<sst", f"<!DOCTYPE x [<!ENTITY e {entity}>]><sst".encode(), 1)
            new.writestr(name, content)
    (tmp_path / "entity.xlsx").write_bytes(sink.getvalue())
    assert "cannot be read as a workbook" in refusal(tmp_path / "entity.xlsx")


def test_the_extra_is_named_where_it_is_missing(tmp_path, monkeypatch):
    (tmp_path / "people.xlsx").write_bytes(workbook(("S", rows_of())))
    monkeypatch.setattr(read_apart.importlib.util, "find_spec", lambda name: None)
    assert "pip install 'discreet[files]'" in refusal(tmp_path / "people.xlsx")


def test_reading_csv_loads_no_library_of_other_formats():
    script = "import sys, discreet; discreet.Table.of(sys.argv[1]); print(*sys.modules)"
    text = Path(__file__).parent / "test_read_formats.csv"
    text.write_text("a,b\n1,2\n2,3\n", encoding="utf-8")
    try:
        done = subprocess.run([sys.executable, "-c", script, str(text)], capture_output=True, text=True, check=True)
    finally:
        text.unlink()
    loaded = set(done.stdout.split())
    assert set() == loaded & {
        "python_calamine",
        "pyreadstat",
        "xlsxwriter",
        "polars",
        "duckdb",
        "adbc_driver_manager",
    }


# -- packed files, patterns, standard input ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bomb.csv.gz", "bomb.zip", "bomb.json.gz", "bomb.sav.gz"])
def test_what_is_far_larger_inside_is_refused(name, tmp_path, monkeypatch):
    import gzip

    monkeypatch.setattr(held_file, "_FREE", 1000)
    start = {"json": b'[{"a": 1}' + b" ", "sav": b"$FL2", "csv": b"a,b\n1,2\n", "zip": b"a,b\n1,2\n"}
    content = start[name.split(".")[1]] + b"0" * 2_000_000
    if name.endswith("zip"):
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr("a.csv", content)
    else:
        (tmp_path / name).write_bytes(gzip.compress(content))
    assert "unpacks to more than" in refusal(tmp_path / name)


def test_files_of_a_pattern_are_one_table(tmp_path):
    FRAME[:5].to_csv(tmp_path / "1.csv", index=False)
    FRAME[5:].loc[:, ::-1].to_csv(tmp_path / "2.csv", index=False, sep=";")
    table = Table.of(tmp_path / "*.csv")
    assert table.names == tuple(PEOPLE)
    assert {name: table.column(name).to_arrow().to_pylist() for name in PEOPLE} == PEOPLE
    assert read_notes(tmp_path / "*.csv") == ("2 files were read as one table.",)
    assert "named like '*.tsv'" in refusal(tmp_path / "*.tsv")
    FRAME[["age"]].to_csv(tmp_path / "3.csv", index=False)
    assert "'3.csv' has other columns than '1.csv': 5 names" in refusal(tmp_path / "*.csv")


def read_notes(path):
    from discreet.data.read import read

    return read(path).notes


def test_parts_of_other_types_are_one_table(tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"n": [1, 2], "t": ["x", "y"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"n": [1.5], "t": [7]}), tmp_path / "2.parquet")
    table = Table.of(f"{tmp_path}/*.parquet")
    assert table.column("n").to_arrow().to_pylist() == [1.0, 2.0, 1.5]
    assert table.column("t").to_arrow().to_pylist() == ["x", "y", "7"]


def test_standard_input(monkeypatch):
    class Input:
        buffer = io.BytesIO(workbook(("S", rows_of())))

        def isatty(self):
            return False

    held_file.standard_input.cache_clear()
    monkeypatch.setattr(sys, "stdin", Input())
    assert len(Table.of("-")) == ROWS
    assert len(Table.of(Path("-"))) == ROWS  # it can be read again
    held_file.standard_input.cache_clear()
    assert "Standard input is empty" in refusal("-")
    held_file.standard_input.cache_clear()
    monkeypatch.setattr(Input, "isatty", lambda self: True)
    assert "nothing comes in there" in refusal("-")


# -- PostgreSQL --------------------------------------------------------------------------------------------------------


@pytest.mark.postgres
def test_a_table_of_postgresql_is_read_by_its_url(postgres):
    postgres.run(
        "DROP TABLE IF EXISTS mixed", "CREATE TABLE mixed (id uuid, n numeric(8,2), d date, t text[], b boolean)"
    )
    postgres.run(
        "INSERT INTO mixed VALUES (gen_random_uuid(), 1.50, '2020-01-31', '{a}', true), (null, 2, null, null, null)"
    )
    for url, options in (
        (postgres.url("mixed"), {}),
        (Path(postgres.url("mixed")), {}),
        (postgres.url(), {"table": "mixed"}),
    ):
        table = Table.of(url, **options)
        assert [table.column(name).kind for name in table.names] == [
            "category",
            "number",
            "date",
            "category",
            "category",
        ]
        assert table.column("n").to_arrow().to_pylist() == [1.5, 2.0]
    assert "there is no such table" in refusal(postgres.url("nowhere"))
    assert "'delimiter' are for files" in refusal(postgres.url("mixed"), delimiter=";")
    assert os.environ.get("PGPASSWORD") is None
