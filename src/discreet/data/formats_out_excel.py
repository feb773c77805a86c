# SPDX-License-Identifier: Apache-2.0
"""A table as an Excel workbook of one sheet. Texts are texts, whatever they begin with; no cell holds a formula."""

from __future__ import annotations

import datetime
import importlib
import io
import zipfile
import zlib
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.storage import plain_texts
from discreet.data.typed_columns import column_of_texts
from discreet.errors import DataError, quietly

_MOST_ROWS, _MOST_COLUMNS, _LONGEST = 1_048_575, 16_384, 32_767  # of a sheet, below the names; characters of a cell
_FIRST_DAY = datetime.date(1900, 3, 1)  # before it, Excel has a day that never was
_MADE = datetime.datetime(2000, 1, 1)  # written as the time at which the file was made
_SHEET = "data"
_MEMBERS = frozenset(
    {
        *("[Content_Types].xml", "_rels/.rels", "docProps/app.xml", "docProps/core.xml", "xl/workbook.xml"),
        *("xl/_rels/workbook.xml.rels", "xl/sharedStrings.xml", "xl/styles.xml", "xl/theme/theme1.xml"),
        "xl/worksheets/sheet1.xml",
    }
)
_HEADERS, _END = 30 + 46, 22  # bytes of a zip file besides names and contents: of each member, and at the end
_PLAIN = {
    "in_memory": True,  # no cells in temporary files
    "strings_to_numbers": False,
    "strings_to_formulas": False,
    "strings_to_urls": False,
}


def for_excel(rows: pa.Table) -> pa.Table:
    """The rows as Excel holds them: dates that it does not know as text."""
    if rows.num_rows > _MOST_ROWS or rows.num_columns > _MOST_COLUMNS:
        raise DataError(
            f"A sheet of Excel holds {_MOST_ROWS:,} rows and {_MOST_COLUMNS:,} columns; the table has"
            f" {rows.num_rows:,} and {rows.num_columns:,}. Choose csv or parquet."
        )
    rows = plain_texts(rows)
    columns = [column if _fits(column) else column_of_texts(column) for column in rows.columns]
    longest = max(
        (pc.max(pc.utf8_length(one)).as_py() or 0 for one in columns if pa.types.is_string(one.type)), default=0
    )
    if longest > _LONGEST:
        raise DataError(f"A cell of Excel holds {_LONGEST:,} characters; the table has {longest:,} in one. Choose csv.")
    return pa.table(columns, names=rows.column_names)


def _fits(column: pa.ChunkedArray) -> bool:
    if not pa.types.is_temporal(column.type):
        return True
    moments = column.cast(pa.timestamp("us"))
    early = pc.min(moments).as_py()
    whole = pc.all(pc.equal(pc.floor_temporal(moments, unit="second"), moments)).as_py() is not False
    return whole and (early is None or early.date() >= _FIRST_DAY)


def excel_bytes(rows: pa.Table) -> bytes:
    """The rows as an .xlsx file."""
    xlsxwriter, _ = quietly(importlib.import_module, "xlsxwriter", errors=(ImportError,))
    if xlsxwriter is None:
        raise DataError("Writing Excel needs the extra `files`: pip install 'discreet[files]'.")
    rows, sink = for_excel(rows), io.BytesIO()
    workbook = xlsxwriter.Workbook(sink, _PLAIN)
    workbook.set_properties({"created": _MADE})
    sheet = workbook.add_worksheet(_SHEET)
    for place, (name, column) in enumerate(zip(rows.column_names, rows.columns, strict=True)):
        sheet.write_string(0, place, name)
        write = _writer(workbook, sheet, column.type)
        for row, cell in enumerate(column.to_pylist(), start=1):
            if cell is not None:
                write(row, place, cell)
    sheet.freeze_panes(1, 0)
    workbook.close()
    return sink.getvalue()


def excel_library() -> str | None:
    """What decides on the bytes of a workbook besides its cells; None if nothing can write one here."""
    xlsxwriter, _ = quietly(importlib.import_module, "xlsxwriter", errors=(ImportError,))
    if xlsxwriter is None:
        return None
    system = zipfile.ZipInfo().create_system  # a zip file says on which kind of system it was made
    return f"xlsxwriter {xlsxwriter.__version__}, zlib {zlib.ZLIB_RUNTIME_VERSION}, zip {system}"


def is_one_sheet(content: bytes) -> bool:
    """Whether a workbook has the parts that `excel_bytes` writes, one sheet among them, and no byte outside of them."""
    members, _ = quietly(lambda: zipfile.ZipFile(io.BytesIO(content)).infolist())
    names = [member.filename for member in members or ()]
    if len(names) != len(_MEMBERS) or set(names) != _MEMBERS:
        return False
    size = sum(_HEADERS + 2 * len(member.filename) + member.compress_size for member in members or ())
    return len(content) == size + _END


def _writer(workbook: Any, sheet: Any, kind: pa.DataType) -> Any:
    if pa.types.is_temporal(kind):
        shown_as = "yyyy-mm-dd" if pa.types.is_date(kind) else "yyyy-mm-dd hh:mm:ss"
        style = workbook.add_format({"num_format": shown_as})
        return lambda row, place, cell: sheet.write_datetime(row, place, cell, style)
    if pa.types.is_boolean(kind):
        return sheet.write_boolean
    return sheet.write_string if pa.types.is_string(kind) else sheet.write_number
