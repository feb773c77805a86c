# SPDX-License-Identifier: Apache-2.0
"""A table in the formats that people open: CSV, Parquet, CSV for the Excel of a country, Excel, SPSS and Stata.

The same cells give the same bytes: no time, no name of a person or a folder is written. Excel, SPSS and Stata cannot
hold every cell; what does not fit is written as text, and what does not fit even so is refused.
"""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa

from discreet.data.formats_out_excel import excel_bytes, excel_library, for_excel, is_one_sheet
from discreet.data.formats_out_locale import LOCALES, locale_bytes
from discreet.data.formats_out_statistics import for_statistics, statistics_bytes, statistics_library
from discreet.data.storage import plain_texts, write_cells
from discreet.errors import DataError, did_you_mean, listing

PLAIN = ("csv", "parquet")
PROGRAMS = ("xlsx", "sav", "dta")
OUT = (*PLAIN, *PROGRAMS, *(f"csv-{locale}" for locale in LOCALES))


def check_format(format: str) -> None:
    """DataError unless there is such a format."""
    if format not in OUT:
        raise DataError(
            f"{format!r} is not a release format.{did_you_mean(format, OUT)} There are"
            f" {', '.join((*PLAIN, *PROGRAMS))}, and csv-de and so on for the Excel of a country"
            f" ({', '.join(sorted(LOCALES))})."
        )


def format_of(path: Path) -> str:
    """The format that the ending of a file asks for.

    >>> format_of(Path("people.xlsx"))
    'xlsx'
    """
    format = path.suffix.lower().removeprefix(".")
    if format not in (*PLAIN, *PROGRAMS):
        endings = listing((f".{one}" for one in (*PLAIN, *PROGRAMS)), 10)
        raise DataError(f"{path.name!r}: a table is written to a file that ends in {endings}. Choose one of these.")
    return format


def as_held(rows: pa.Table, format: str) -> pa.Table:
    """The rows as a file of this format holds them: names and cells that it cannot hold are written in another way."""
    if format == "xlsx":
        return for_excel(rows)
    return for_statistics(rows, format).rows if format in PROGRAMS else plain_texts(rows)


def library_of(format: str) -> str | None:
    """The library, with its version, that writes this format here; None for texts, which have one form, or without it.

    The same cells give the same bytes as long as it is the same.
    """
    if format == "parquet":
        return f"pyarrow {pa.__version__}"
    if format not in PROGRAMS:
        return None
    return excel_library() if format == "xlsx" else statistics_library()


def has_our_parts(content: bytes, format: str) -> bool:
    """Whether a file has no other parts than those that discreet writes; only workbooks consist of parts."""
    return format != "xlsx" or is_one_sheet(content)


def write_rows(rows: pa.Table, target: Path, format: str, *, input_again: bool = False) -> None:
    """Write the rows to a file; `input_again` leaves formulas in CSV unchanged, for files that are read as input."""
    if format in PLAIN:
        write_cells(rows, target, format, input_again=input_again)
    else:
        target.write_bytes(bytes_in(rows, format))


def bytes_in(rows: pa.Table, format: str) -> bytes:
    """The rows as a file of this format. Texts may be dictionaries, whose entries all occur."""
    check_format(format)
    if format in PLAIN:
        sink = io.BytesIO()
        write_cells(rows, sink, format)
        return sink.getvalue()
    if format.startswith("csv-"):
        return locale_bytes(plain_texts(rows), format.removeprefix("csv-"))
    return excel_bytes(rows) if format == "xlsx" else statistics_bytes(rows, format)
