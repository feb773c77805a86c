# SPDX-License-Identifier: Apache-2.0
"""Cells that come with types of their own, from workbooks, statistics programs and JSON, as columns of one type.

A column of several types becomes text, in which every cell is written as a CSV file would have it; its kind is then
inferred as that of a CSV file is.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from discreet.data.cell_kinds import LARGEST, text_of

_NUMBERS = frozenset({int, float})
_MOMENTS = frozenset({datetime.date, datetime.datetime})


def column_of(cells: Sequence[Any]) -> pa.Array:
    """Cells as an Arrow column; None is missing.

    >>> column_of([1.0, None, 2.5]).to_pylist(), column_of([1.0, "n/a", True]).to_pylist()
    ([1.0, None, 2.5], ['1', 'n/a', 'true'])
    """
    sorts = set(map(type, cells)) - {type(None)}
    if sorts == {bool}:
        return pa.array(cells, pa.bool_())
    if sorts and sorts <= _NUMBERS and not any(type(cell) is int and abs(cell) >= LARGEST for cell in cells):
        return pa.array(cells, pa.float64())
    if sorts == {datetime.date}:
        return pa.array(cells, pa.date32())
    if sorts and sorts <= _MOMENTS and not any(getattr(cell, "tzinfo", None) for cell in cells):
        return pa.array([None if cell is None else _moment(cell) for cell in cells], pa.timestamp("us"))
    return pa.array([None if cell is None else written(cell) for cell in cells], pa.string())


def written(cell: Any) -> str:
    """A cell as text.

    >>> written(3.0), written(datetime.date(2020, 1, 31)), written(datetime.timedelta(hours=26, minutes=5))
    ('3', '2020-01-31', '26:05:00')
    """
    if isinstance(cell, datetime.timedelta):
        seconds = round(cell.total_seconds())
        sign, seconds = ("-" if seconds < 0 else ""), abs(seconds)
        return f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    text = text_of(cell)
    return text.encode("utf-8", "replace").decode() if isinstance(cell, str) else text


def _moment(cell: datetime.date) -> datetime.datetime:
    return cell if isinstance(cell, datetime.datetime) else datetime.datetime(cell.year, cell.month, cell.day)


def in_one_column(parts: Sequence[pa.Array | pa.ChunkedArray]) -> pa.ChunkedArray:
    """The parts of a column one after the other, as text if their types do not go together.

    >>> in_one_column([pa.array([1, 2]), pa.array(["x"])]).to_pylist()
    ['1', '2', 'x']
    """
    plain = [part.cast(part.type.value_type) if pa.types.is_dictionary(part.type) else part for part in parts]
    types = {part.type for part in plain if not pa.types.is_null(part.type)}
    if len(types) > 1 and not all(map(_is_number, types)) and not all(map(pa.types.is_temporal, types)):
        plain = [column_of_texts(part) for part in plain]
    tables = [pa.table({"x": part}) for part in plain]
    return pa.concat_tables(tables, promote_options="permissive").column("x")


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind)


def column_of_texts(part: pa.Array | pa.ChunkedArray) -> pa.Array:
    return pa.array([None if cell is None else written(cell) for cell in part.to_pylist()], pa.string())
