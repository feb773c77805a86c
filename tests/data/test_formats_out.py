# SPDX-License-Identifier: Apache-2.0
"""What is written for other programs: read again it is the same, and it says nothing but its cells."""

import datetime as dt
import io
import time
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

from discreet.data import formats_out_excel, formats_out_statistics
from discreet.data.foreign_excel import read_workbook
from discreet.data.foreign_statistics import read_statistics
from discreet.data.formats_out import OUT, as_held, bytes_in, check_format, format_of
from discreet.data.formulas import unmarked
from discreet.data.held_file import HeldFile
from discreet.data.read import read_file
from discreet.errors import DataError

KINDS = {"xlsx": "Excel", "sav": "SPSS", "dta": "Stata"}
CELLS = {
    "age group": ["[30, 40)", "< 30", "*", None],
    "formula": ["=1+1", "@SUM(A1)", "-5", "+x"],
    "whole": [1, 2**52 + 1, None, -7],
    "fraction": [0.1, 1e-7, -2.5, 123456.789],
    "truth": [True, False, None, True],
    "day": [dt.date(2024, 3, 25), None, dt.date(1901, 1, 1), dt.date(9999, 12, 31)],
    "old day": [dt.date(1, 1, 1), None, dt.date(1500, 2, 3), dt.date(2024, 1, 1)],
    "moment": [dt.datetime(2024, 3, 25, 7, 30, 5), None, dt.datetime(1970, 1, 1), dt.datetime(2000, 1, 1, 23, 59, 59)],
    "exact moment": [dt.datetime(2024, 3, 25, 7, 30, 5, 123457), None, None, dt.datetime(1970, 1, 1)],
    "nothing": [None] * 4,
    "Größe": ["żółw", "naïve", "数", "a;b,c\"d'"],
    "zip": ["01067", "1-2", "2019-03", "1e5"],
    "long": ["x" * 1500, "y", None, "z\nw"],
}
TABLE = pa.table(CELLS).set_column(9, "nothing", pa.nulls(4, pa.string()))


def read_again(content, format):
    source = HeldFile(f"x.{format}", content)
    if format == "xlsx":
        return read_workbook(source, "Excel", exact=True)[0]
    return read_statistics(source, KINDS[format])[0]


@pytest.mark.parametrize("format", sorted(KINDS))
def test_what_is_written_is_read_again(format):
    held = as_held(TABLE, format)
    found = read_again(bytes_in(TABLE, format), format)
    assert found.column_names == held.column_names
    for name in held.column_names:
        cells = found.column(name).to_pylist()
        wanted = held.column(name).to_pylist()
        midnight = [
            cell.date() if isinstance(cell, dt.datetime) and cell.time() == dt.time() else cell for cell in wanted
        ]
        assert cells in (wanted, midnight) or [float(c) for c in cells if c] == [float(c) for c in wanted if c], name


@pytest.mark.parametrize("format", sorted(OUT))
def test_the_same_cells_give_the_same_bytes(format):
    rows = TABLE if format != "parquet" else TABLE.drop_columns("nothing")
    first = bytes_in(rows, format)
    time.sleep(1.1 if format in ("sav", "xlsx") else 0)  # a time in the file would be another one
    assert bytes_in(rows, format) == first
    assert str(dt.date.today().year).encode() not in b"".join(parts(first, format)).replace(b"2024", b"")


def parts(content, format):
    if format != "xlsx":
        return [content]
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        assert {one.date_time[0] for one in book.infolist()} == {1980}
        return [book.read(name) for name in book.namelist()]


def test_no_cell_of_a_workbook_is_a_formula_or_a_link():
    with zipfile.ZipFile(io.BytesIO(bytes_in(TABLE, "xlsx"))) as book:
        sheet, names = book.read("xl/worksheets/sheet1.xml"), book.namelist()
        said = book.read("docProps/core.xml")
    assert b"<f>" not in sheet
    assert not [name for name in names if "rels" in name and "sheet" in name]
    assert b"<dc:creator></dc:creator><cp:lastModifiedBy></cp:lastModifiedBy>" in said
    assert said.count(b"2000-01-01T00:00:00Z") == 2


def test_names_and_labels_of_statistics_programs():
    import pyreadstat

    for format, read in (("sav", pyreadstat.read_sav), ("dta", pyreadstat.read_dta)):
        _, meta = read(io.BytesIO(bytes_in(TABLE, format)), output_format="dict")
        assert meta.column_names[0] == "age_group"
        assert meta.column_names_to_labels["age_group"] == "age group"
        assert meta.variable_value_labels["age_group"] == {1: "*", 2: "< 30", 3: "[30, 40)"}
        assert "long" not in meta.variable_value_labels


def test_csv_for_the_excel_of_a_country():
    text = bytes_in(TABLE.select(["Größe", "fraction", "formula", "whole"]), "csv-de")
    assert text.startswith(b"\xef\xbb\xbf")
    lines = text.decode("utf-8-sig").split("\r\n")
    assert lines[0] == "Größe;fraction;formula;whole"
    assert lines[1] == "żółw;0,1;'=1+1;1"
    assert lines[4] == '"a;b,c""d\'";123456,789;\'+x;-7'
    assert bytes_in(TABLE.select(["fraction", "whole"]), "csv-us").splitlines()[1] == b"0.1,1"
    assert bytes_in(TABLE.select(["fraction", "whole"]), "csv-ch").splitlines()[1] == b"0.1;1"
    found = unmarked(read_file(HeldFile("x.csv", text)).table.select(["formula"]))
    assert found.column("formula").to_pylist() == CELLS["formula"]


def test_what_does_not_fit_is_refused():
    with pytest.raises(DataError, match="holds 32,767 characters; the table has 40,000"):
        bytes_in(pa.table({"x": ["a" * 40_000]}), "xlsx")
    with pytest.raises(DataError, match="16,384 columns"):
        bytes_in(pa.table({f"c{i}": [1] for i in range(16_385)}), "xlsx")
    with pytest.raises(DataError, match="text of 3,000 bytes does not fit"):
        bytes_in(pa.table({"x": ["a" * 3000]}), "dta")
    with pytest.raises(DataError, match=r"'xls' is not a release format.*Did you mean 'xlsx'"):
        check_format("xls")
    with pytest.raises(DataError, match=r"ends in '\.csv', '\.parquet', '\.xlsx', '\.sav', '\.dta'"):
        format_of(Path("x.txt"))


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    def absent(name):
        raise ImportError(name)

    for module, format in ((formats_out_excel, "xlsx"), (formats_out_statistics, "sav")):
        monkeypatch.setattr(module.importlib, "import_module", absent)
        with pytest.raises(DataError, match=r"pip install 'discreet\[files\]'"):
            bytes_in(TABLE, format)
