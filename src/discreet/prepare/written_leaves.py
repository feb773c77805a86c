# SPDX-License-Identifier: Apache-2.0
"""Leaves of a hierarchy that are written as people write numbers and dates: 1.169,17 and 25.03.2024.

The values of a column are known, so the notation of the leaves is the one in which most of the values are leaves.
"""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa

from discreet.data.column import MISSING_MARKS, SUPPRESSED, Column
from discreet.data.notation import DateNotation, Given
from discreet.data.recognition import Context, Recognised, dates_in, numbers_in
from discreet.errors import quietly
from discreet.prepare.ranges import read_range


def match_written(column: Column, values: tuple[str, ...], leaves: np.ndarray) -> None:
    """Find a leaf among `values` for those of the column's values that have none (-1) yet."""
    texts = [None if text.strip() in (SUPPRESSED, *MISSING_MARKS) else text.strip() for text in values]
    if all(text is None or _is_plain(text, column.kind) for text in texts):
        return
    best: dict[object, int] = {}
    own: list[object] = [*(column.numbers.tolist() if column.kind == "number" else column.texts)]
    for plain in _readings(pa.array(texts, pa.string()), column.kind):
        found: dict[object, int] = {}
        for leaf, text in enumerate(plain.to_pylist()):
            if text is not None:
                found.setdefault(float(text) if column.kind == "number" else text, leaf)
        if sum(value in found for value in own) > sum(value in best for value in own):
            best = found
    for code in np.flatnonzero(leaves < 0):
        leaves[code] = best.get(own[code], -1)


def _is_plain(text: str, kind: str) -> bool:
    """Whether a leaf is a number, a range or a date whose notation is no question."""
    found, _ = quietly(read_range if kind == "number" else dt.datetime.fromisoformat, text)
    return found is not None


def _readings(texts: pa.Array, kind: str) -> list[pa.Array]:
    """All leaves in plain form, in every notation in which all of them can be read."""
    if kind == "number":
        said = [Given(decimal=mark) for mark in (",", ".")]
        found = [numbers_in(texts, given, Context(declared=True)) for given in said]
    else:
        said = [Given(dates=DateNotation(order)) for order in ("day-first", "month-first")]
        found = [dates_in(texts, given, Context(declared=True)) for given in said]
    return [one.plain for one in found if isinstance(one, Recognised)]
