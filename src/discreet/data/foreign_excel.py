# SPDX-License-Identifier: Apache-2.0
"""A sheet of a workbook as a table: which sheet, which row holds the names, what is a title or a remark.

Formulas are read as the values that were computed last, errors as missing. A merged cell of the body stands for all
the cells that it covers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from discreet.data.file_layout import UNNAMED
from discreet.data.held_file import Source
from discreet.data.typed_columns import column_of, written
from discreet.errors import DataError, did_you_mean, listing, quietly, shown

_FIRST = 50  # rows among which the names are sought
_MOST_MERGED = 10_000_000  # cells that merged ones may stand for

Row = list[Any]


def read_workbook(
    source: Source,
    kind: str,
    *,
    table: str | None = None,
    names: Sequence[str] | None = None,
    header: bool | None = None,
    exact: bool = False,
) -> tuple[pa.Table, dict[str, Any]]:
    """The named sheet, or the only one, and what is to be said about how it was read.

    `exact` takes the first row for the names and every other for a row of the table, as files of our own are written.
    """
    from python_calamine import CalamineWorkbook

    with source.open("rb") as file:
        workbook, failure = quietly(CalamineWorkbook.from_filelike, file)
        if workbook is None:
            why = "it asks for a password" if "Password" in failure else failure
            raise DataError(f"{shown(source.name)} cannot be read as a workbook ({why}). Save it again as .xlsx.")
        sheet = _chosen(source, workbook, table)
        if exact:
            return _exactly(sheet), {}
        rows = [[None if cell == "" else cell for cell in row] for row in sheet.iter_rows()]
    first = sheet.start or (0, 0)
    merged = [_shifted(area, first) for area in quietly(lambda: sheet.merged_cell_ranges)[0] or []]
    return _Sheet(source.name, rows, merged).as_table(names, header)


def _exactly(sheet: Any) -> pa.Table:
    top, *body = ([None if cell == "" else cell for cell in row] for row in sheet.to_python(skip_empty_area=False))
    columns = [column_of([row[place] for row in body]) for place in range(len(top))]
    return pa.Table.from_arrays(columns, names=[str(name) for name in top])


def _chosen(source: Source, workbook: Any, name: str | None) -> Any:
    from python_calamine import SheetVisibleEnum

    if name is not None and name not in workbook.sheet_names:
        raise DataError(f"{shown(source.name)} has no sheet {shown(name)}.{did_you_mean(name, workbook.sheet_names)}")
    seen = [one.name for one in workbook.sheets_metadata if one.visible == SheetVisibleEnum.Visible]
    candidates = [name] if name is not None else seen or workbook.sheet_names
    sheets = {one: quietly(workbook.get_sheet_by_name, one)[0] for one in candidates}
    filled = {one: sheet for one, sheet in sheets.items() if sheet is not None and sheet.height}
    if len(filled) > 1:
        raise DataError(
            f"{shown(source.name)} holds {len(filled)} sheets: {listing(filled, 20)}. Name one of them (table=...,"
            " --table)."
        )
    if not filled:
        raise DataError(f"{shown(source.name)} has no sheet with cells{'' if name is None else ' of this name'}.")
    return next(iter(filled.values()))


def _shifted(area: Any, first: tuple[int, int]) -> tuple[int, int, int, int]:
    (top, left), (bottom, right) = area
    return top - first[0], left - first[1], bottom - first[0], right - first[1]


class _Sheet:
    """The cells of a sheet, None where there is none."""

    def __init__(self, name: str, rows: list[Row], merged: list[tuple[int, int, int, int]]):
        self._name, self._rows, self._merged = name, rows, merged
        self._filled = [place for place, row in enumerate(rows) if any(cell is not None for cell in row)]
        self._about: list[str] = []

    def as_table(self, names: Sequence[str] | None, header: bool | None) -> tuple[pa.Table, dict[str, Any]]:
        if not self._filled:
            raise DataError(f"The sheet of {shown(self._name)} is empty. A table needs a row of names and rows.")
        at = -1 if names is not None or header is False else self._header(header)
        self._fill_merged(at)
        body = [self._rows[place] for place in self._without_remarks([one for one in self._filled if one > at])]
        top = self._rows[at] if at >= 0 else [None] * len(self._rows[0])
        used = [c for c in range(len(top)) if top[c] is not None or any(row[c] is not None for row in body)]
        columns = [column_of([row[c] for row in body]) for c in used]
        titles = self._names([top[c] for c in used], columns, names, header)
        return pa.Table.from_arrays(columns, names=titles), {"notes": self._about}

    def _header(self, said: bool | None) -> int:
        """The row of names: the first that has a cell wherever a later row has one, if it is the first of all, or has
        nothing but texts, or the user said that there is one; else the one with most texts.
        """
        first = self._filled[:_FIRST]
        below: list[set[int]] = [set()] * len(first)
        seen = {c for place in self._filled[_FIRST:] for c in self._cells(place)}
        for i in reversed(range(len(first))):
            below[i] = seen
            seen = seen | self._cells(first[i])
        texts = [sum(isinstance(cell, str) for cell in self._rows[place]) for place in first]
        cells = [len(self._cells(place)) for place in first]
        full = [i for i, place in enumerate(first) if below[i] and below[i] <= self._cells(place)]
        best = next((i for i in full if not i or said or texts[i] == cells[i]), None)
        if best is None:
            best = max(range(len(first)), key=lambda i: (texts[i], -i))
        if best:
            self._about.append(f"Above the names of the columns {_rows(best)} left out: titles, or remarks.")
        return first[best]

    def _cells(self, place: int) -> set[int]:
        return {c for c, cell in enumerate(self._rows[place]) if cell is not None}

    def _fill_merged(self, header: int) -> None:
        """Give every cell below the names that a merged one covers its value."""
        count = 0
        for top, left, bottom, right in self._merged:
            if top <= header or not (0 <= top < len(self._rows) and 0 <= left < len(self._rows[top])):
                continue
            value = self._rows[top][left]
            count += (bottom - top + 1) * (right - left + 1)
            if count > _MOST_MERGED:
                raise DataError(f"{shown(self._name)} has too many merged cells. Save its table as CSV.")
            for row in self._rows[top : bottom + 1]:
                row[left : right + 1] = [value] * len(row[left : right + 1])

    def _without_remarks(self, body: list[int]) -> list[int]:
        """The rows without those at the end, apart from the others, that have a single cell."""
        width = max((len(self._cells(place)) for place in body), default=0)
        kept = list(body)
        while len(kept) > 1 and width > 2 and len(self._cells(kept[-1])) == 1:
            kept.pop()
        if len(kept) < len(body) and body[len(kept)] == kept[-1] + 1:  # nothing between: a row of the table
            return body
        if len(kept) < len(body):
            self._about.append(f"Below the table {_rows(len(body) - len(kept))} left out: remarks of one cell.")
        return kept

    def _names(self, top: Row, columns: list[pa.Array], names: Sequence[str] | None, header: bool | None) -> list[str]:
        if names is not None:
            if len(names) != len(top):
                raise DataError(f"{len(names)} names were given, but {shown(self._name)} has {len(top)} columns.")
            return [str(name) for name in names]
        if header is False:
            return [f"column{place}" for place in range(1, len(top) + 1)]
        alike = sum(_like_data(cell, column) for cell, column in zip(top, columns, strict=True))
        if header is None and 2 * alike > len(top):
            raise DataError(
                f"The first row of {shown(self._name)} looks like data, not like names ({alike} of its {len(top)}"
                " cells). If there is no row of names, pass the names (names=[...], --names) or say so (header=False,"
                " --no-header); if these are the names, say header=True (--header)."
            )
        found = ["" if cell is None else written(cell).strip() for cell in top]
        if len(found) > 1 and not found[0] and all(found[1:]) and UNNAMED not in found:  # an index of a data frame
            self._about.append(f"The first column has no name; it is called {UNNAMED}.")
            found[0] = UNNAMED
        return found


def _rows(count: int) -> str:
    return "1 row was" if count == 1 else f"{count} rows were"


def _like_data(cell: Any, column: pa.Array) -> bool:
    if cell is None:
        return False
    if not isinstance(cell, str):
        return True
    return pa.types.is_string(column.type) and cell in set(column.slice(0, 10_000).to_pylist())
