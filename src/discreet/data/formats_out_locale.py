# SPDX-License-Identifier: Apache-2.0
"""CSV as the Excel of a country opens it: its delimiter and decimal mark, a byte-order mark for letters with accents.

Texts are written as in every published CSV file, formulas with an apostrophe before them; dates as 2024-03-25, which
every Excel takes for a date. Excel takes texts such as 01067 or 1-2 for numbers or dates: an xlsx file keeps them.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable
from typing import Any

import pyarrow as pa

from discreet.data.cell_kinds import text_of
from discreet.data.formulas import neutral, neutral_cells

_COMMA, _SEMICOLON, _SWISS = (",", "."), (";", ","), (";", ".")
LOCALES = {  # delimiter and decimal mark of Excel, by the code of the country
    **dict.fromkeys(("au", "ca", "cn", "gb", "ie", "in", "jp", "kr", "mx", "nz", "us"), _COMMA),
    **dict.fromkeys(("at", "be", "br", "cz", "de", "dk", "es", "fi", "fr", "gr", "hu", "it", "nl", "no"), _SEMICOLON),
    **dict.fromkeys(("pl", "pt", "ro", "ru", "se", "tr", "ua"), _SEMICOLON),
    "ch": _SWISS,
}


def locale_bytes(rows: pa.Table, locale: str) -> bytes:
    """The rows as CSV for the Excel of a country.

    >>> locale_bytes(pa.table({"a": ["x;y", None], "b": [1.5, 2.0]}), "de").decode("utf-8-sig").split()
    ['a;b', '"x;y";1,5', ';2']
    """
    delimiter, decimal = LOCALES[locale]
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, delimiter=delimiter, lineterminator="\r\n")
    writer.writerow([neutral(name) for name in rows.column_names])
    columns = [_cells(column, decimal) for column in rows.columns]
    writer.writerows(zip(*columns, strict=True) if len(columns) > 1 else _lone(columns[0]))
    return b"\xef\xbb\xbf" + sink.getvalue().encode()


def _cells(column: pa.ChunkedArray, decimal: str) -> list[str | None]:
    write: Callable[[Any], str] = text_of
    if pa.types.is_floating(column.type):
        write = lambda number: text_of(number).replace(".", decimal)  # noqa: E731
    return [None if cell is None else write(cell) for cell in neutral_cells(column).to_pylist()]


def _lone(cells: Iterable[str | None]) -> Iterable[tuple[str]]:
    return ((cell or "",) for cell in cells)
