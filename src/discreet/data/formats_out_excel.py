# SPDX-License-Identifier: Apache-2.0
"""A table as an Excel workbook of one sheet. Texts are texts, whatever they begin with; no cell holds a formula."""

from __future__ import annotations

import datetime
import importlib
import io
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


def _writer(workbook: Any, sheet: Any, kind: pa.DataType) -> Any:
    if pa.types.is_temporal(kind):
        shown_as = "yyyy-mm-dd" if pa.types.is_date(kind) else "yyyy-mm-dd hh:mm:ss"
        style = workbook.add_format({"num_format": shown_as})
        return lambda row, place, cell: sheet.write_datetime(row, place, cell, style)
    if pa.types.is_boolean(kind):
        return sheet.write_boolean
    return sheet.write_string if pa.types.is_string(kind) else sheet.write_number
