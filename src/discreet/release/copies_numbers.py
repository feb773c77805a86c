# SPDX-License-Identifier: Apache-2.0
"""Numbers beside labels of intervals: where an interval begins and ends, or its middle.

They follow from the published label alone. "[30, 40)" is low 30, high 40 and middle 35; "< 30" has no low end and no
middle, "*" has nothing; a single value is low, high and middle at once. Of dates, ends are days. Labels such as
"[2015, 2018)", which may be years or numbers, are read as numbers unless another label of the column shows dates.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.cell_kinds import NUMBER
from discreet.data.column import SUPPRESSED, Column, Kind
from discreet.errors import DataError, listing, quietly
from discreet.prepare.intervals import read_interval
from discreet.prepare.periods import read_day

ENDINGS = {"low-high": ("low", "high"), "midpoint": ("mid",)}
_OR_MISSING = " or missing"
_NOTHING = (math.nan, math.nan)
_KINDS: tuple[Kind, ...] = ("number", "date")
_EPOCH = datetime.datetime(1970, 1, 1)


def with_numbers(columns: Sequence[Column], numbers: str) -> pa.Table:
    """The columns, each with labels of intervals followed by its numbers, age by age_low and age_high or age_mid."""
    names = {column.name for column in columns}
    found: dict[str, Any] = {}
    taken: list[str] = []
    for column in columns:
        found[column.name] = column.to_dictionary()
        for ending, values in _numbers(column, numbers).items():
            taken += [f"{column.name}_{ending}"] if f"{column.name}_{ending}" in names else []
            found[f"{column.name}_{ending}"] = values
    if taken:
        raise DataError(
            f"The numbers beside labels would be called like columns that there are: {listing(taken)}. Rename these, or"
            " leave the numbers out."
        )
    if len(found) == len(columns):
        raise DataError("No published column has labels of intervals, so there are no numbers. Leave them out.")
    return pa.table(found)


def _numbers(column: Column, numbers: str) -> dict[str, pa.Array]:
    """The numbers of a column by their endings; none if its labels are no intervals."""
    ends = interval_ends(column)
    if ends is None:
        return {}
    kind, pairs = ends
    low, high = np.array([*pairs, _NOTHING], dtype=np.float64).T
    values = {"low": low, "high": high, "mid": (low + high) / 2}
    return {ending: _written(values[ending][column.codes], kind) for ending in ENDINGS[numbers]}


def interval_ends(column: Column) -> tuple[str, list[tuple[float, float]]] | None:
    """Whether the labels of a column are of numbers or dates, and the ends of each; None if they are no intervals.

    >>> from discreet.data.column import from_labels
    >>> interval_ends(from_labels("age", ["< 30", "[30, 40)", "*"], np.array([0, 1, 2])))
    ('number', [(nan, nan), (nan, 30.0), (30.0, 40.0)])
    """
    if not pa.types.is_string(column.values.type):
        return None
    for kind in _KINDS:
        pairs = [_ends(text, kind) for text in column.texts]
        if None not in pairs and any(_is_interval(text, kind) for text in column.texts):
            return kind, [pair for pair in pairs if pair is not None]
    return None


def _is_interval(text: str, kind: Kind) -> bool:
    return read_interval(text.removesuffix(_OR_MISSING), kind) is not None


def _ends(text: str, kind: Kind) -> tuple[float, float] | None:
    text = text.removesuffix(_OR_MISSING)
    if text in (SUPPRESSED, "not missing"):
        return _NOTHING
    interval = read_interval(text, kind)
    if interval is not None:
        low, high = (end if math.isfinite(end) else math.nan for end in interval)
        return low, high
    if kind == "number":
        return (float(text), float(text)) if re.fullmatch(NUMBER, text) else None
    day, _ = quietly(read_day, text)
    return None if day is None else (day, day)


def _written(values: np.ndarray, kind: str) -> pa.Array:
    missing = np.isnan(values)
    if kind == "date":
        days = np.where(missing, 0, values)
        if (days == np.floor(days)).all():
            return pa.array(days.astype(np.int32), pa.int32(), mask=missing).cast(pa.date32())
        moments = [
            None if gone else _EPOCH + datetime.timedelta(days=day)
            for day, gone in zip(days.tolist(), missing.tolist(), strict=True)
        ]
        return pa.array(moments, pa.timestamp("s"))
    return pa.array(values, pa.float64(), mask=missing)
