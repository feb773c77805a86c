# SPDX-License-Identifier: Apache-2.0
"""A table as a file of SPSS (.sav) or Stata (.dta): categories are numbered, and the numbers have them as labels.

Names that the program does not allow are changed, and the label of the variable then says the name. Both formats state
when a file was made; that place is filled with a fixed day.
"""

from __future__ import annotations

import datetime
import importlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.typed_columns import column_of_texts
from discreet.errors import DataError, quietly
from discreet.foundation.atomic_files import scratch_folder

_FIRST_DAY, _LONGEST_NAME = datetime.date(1600, 1, 1), {"sav": 60, "dta": 32}
_LONGEST_LABEL, _LONGEST_TEXT, _MOST_LABELS = 120, 2045, 30_000  # bytes, bytes, labels of a column
_RESERVED = frozenset(
    {*("all", "and", "by", "eq", "ge", "gt", "le", "lt", "ne", "not", "or", "to", "with")}  # of SPSS
    | {*("byte", "double", "float", "if", "in", "int", "long", "using")}  # of Stata
)
_STATA = 14  # the version whose files every edition since reads
_MADE = {  # where a file says when it was made, and what is written there
    "sav": (re.compile(rb"(?s)\A(.{92})\d\d \w{3} \d\d\d\d:\d\d:\d\d"), rb"\g<1>01 Jan 0000:00:00"),
    "dta": (re.compile(rb"(<timestamp>\x11)\d\d \w{3} \d{4} \d\d:\d\d(?=</timestamp>)"), rb"\g<1>01 Jan 2000 00:00"),
}


@dataclass(frozen=True)
class ForStatistics:
    """Rows as the program holds them: `rows` as they are read back, `numbered` with numbers for categories."""

    rows: pa.Table
    numbered: dict[str, pa.Array | pa.ChunkedArray]
    value_labels: dict[str, dict[int, str]] = field(default_factory=dict)
    column_labels: dict[str, str] = field(default_factory=dict)


def for_statistics(rows: pa.Table, format: str) -> ForStatistics:
    """The rows with names that the program allows, categories as numbers with labels, and old dates as text."""
    names = allowed_names(rows.column_names, _LONGEST_NAME[format])
    held: dict[str, Any] = {}
    numbered: dict[str, Any] = {}
    labels: dict[str, dict[int, str]] = {}
    for name, column in zip(names, rows.columns, strict=True):
        held[name] = numbered[name] = texts = _as_text(column)
        if pa.types.is_string(texts.type):
            order = sorted(pc.unique(texts).drop_null().to_pylist())
            longest = max((len(text.encode()) for text in order), default=0)
            if longest > _LONGEST_TEXT:
                raise DataError(
                    f"A text of {longest:,} bytes does not fit into a file of this kind, which holds {_LONGEST_TEXT:,}."
                    " Choose csv or xlsx."
                )
            if longest <= _LONGEST_LABEL and len(order) <= _MOST_LABELS:
                labels[name] = dict(enumerate(order, start=1))
                places = pc.index_in(texts, value_set=pa.array(order, pa.string()))
                numbered[name] = pc.add(places.cast(pa.float64()), 1.0)
    said = {name: before for name, before in zip(names, rows.column_names, strict=True) if name != before}
    return ForStatistics(pa.table(held), numbered, labels, said)


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray | pa.Array:
    """Texts without dictionary; truth values, and dates that the programs do not hold exactly, as texts."""
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    if pa.types.is_temporal(column.type):
        moments = column.cast(pa.timestamp("us"))
        early = pc.min(moments).as_py()
        whole = pc.all(pc.equal(pc.floor_temporal(moments, unit="second"), moments)).as_py() is not False
        return column if whole and (early is None or early.date() >= _FIRST_DAY) else column_of_texts(column)
    return column_of_texts(column) if pa.types.is_boolean(column.type) else column


def allowed_names(names: Sequence[str], longest: int) -> list[str]:
    """Names of variables: letters, digits and underscores, different whatever their case.

    >>> allowed_names(["age", "post code", "Age", "1st"], 32)
    ['age', 'post_code', 'Age_2', 'v1st']
    """
    found: dict[str, str] = {}
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name).lstrip("_") or "v"
        plain = plain if plain[0].isalpha() and plain.lower() not in _RESERVED else f"v{plain}"
        given, number = plain[:longest], 2
        while given.lower() in found:
            given, number = f"{plain[: longest - 5]}_{number}", number + 1
        found[given.lower()] = given
    return list(found.values())


def statistics_bytes(rows: pa.Table, format: str) -> bytes:
    """The rows as a .sav or .dta file."""
    pyreadstat, _ = quietly(importlib.import_module, "pyreadstat", errors=(ImportError,))
    if pyreadstat is None:
        raise DataError("Writing files of SPSS and Stata needs the extra `files`: pip install 'discreet[files]'.")
    held = for_statistics(rows, format)
    options: dict[str, Any] = {"variable_value_labels": held.value_labels, "column_labels": held.column_labels}
    whole = [name for name, column in held.numbered.items() if name in held.value_labels or _is_whole(column)]
    if format == "sav":
        options["variable_format"] = dict.fromkeys(whole, "F8.0")
        options["variable_measure"] = {
            name: "nominal" if name in held.value_labels else "scale"
            for name, column in held.numbered.items()
            if not pa.types.is_string(column.type)
        }
    else:
        options["version"] = _STATA
    write = pyreadstat.write_sav if format == "sav" else pyreadstat.write_dta
    frame = _frame(held.numbered)
    with scratch_folder() as folder:
        target = folder / f"data.{format}"
        _, failure = quietly(lambda: write(frame, str(target), **options))
        if failure:
            raise DataError(f"The table cannot be written as .{format} ({failure}). Choose csv or xlsx.")
        content = target.read_bytes()
    place, fixed = _MADE[format]
    content, count = place.subn(fixed, content, count=1)
    if count != 1:
        raise DataError(f"The .{format} file states in an unknown place when it was made; it was not written.")
    return content


def statistics_library() -> str | None:
    """What decides on the bytes of such a file besides its cells; None if nothing can write one here."""
    pyreadstat, _ = quietly(importlib.import_module, "pyreadstat", errors=(ImportError,))
    pandas, _ = quietly(importlib.import_module, "pandas", errors=(ImportError,))
    return None if pyreadstat is None else f"pyreadstat {pyreadstat.__version__}{'' if pandas is None else ', pandas'}"


def _is_whole(column: Any) -> bool:
    return pa.types.is_integer(column.type)


def _frame(columns: Mapping[str, Any]) -> Any:
    """The columns as a frame that pyreadstat takes."""
    plain = {name: column.cast(pa.float64()) if _is_whole(column) else column for name, column in columns.items()}
    pandas, _ = quietly(importlib.import_module, "pandas", errors=(ImportError,))
    if pandas is not None:
        return pandas.DataFrame({name: _series(pandas, column) for name, column in plain.items()})
    polars, _ = quietly(importlib.import_module, "polars", errors=(ImportError,))
    if polars is None:
        raise DataError("Writing files of SPSS and Stata needs pandas or polars, too: pip install pandas.")
    return polars.from_arrow(pa.table(plain))


def _series(pandas: Any, column: Any) -> Any:
    if pa.types.is_timestamp(column.type):
        return pandas.Series(column.to_pylist(), dtype="datetime64[us]")
    if pa.types.is_floating(column.type):
        return pandas.Series(column.to_pylist(), dtype="float64")
    return pandas.Series(column.to_pylist(), dtype=object)
