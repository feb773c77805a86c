# SPDX-License-Identifier: Apache-2.0
"""What a cell says, in plain Python: as it is written, and which spellings are one value."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterable

MISSING = frozenset(
    ["", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<NA>", "#N/A", "#NA", "-nan", "-NaN", "NaT"]
)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_MIDNIGHT = re.compile(r"(\d{4}-\d\d-\d\d)[ T]00:00(:00(\.0+)?)?")
_ZEROS = re.compile(r"[+-]?0\d")  # a post code
_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T].*)?")
_DASHES = ("-", "--", "---", ".", "..", ":")
_DAY = datetime.datetime(1970, 1, 1)


def written(cell: object) -> str | None:
    """A cell as a release writes it; None where it is missing.

    >>> written(3.0), written(" a "), written("NA"), written(True)
    ('3', 'a', None, 'true')
    """
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return None
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    text = str(cell).strip()
    return None if text in MISSING else text


def key(text: str | None) -> object:
    """The same for spellings of one value: "1" and "1.0", "True" and "true", a day and its midnight. Apostrophes do not
    count: in CSV they stand before what a spreadsheet would take for a formula.

    >>> key("1.0") == key("1"), key("01067") == key("1067"), key("2020-01-01 00:00:00") == key("2020-01-01")
    (True, False, True)
    """
    if text is None:
        return None
    text = text.replace("'", "")
    if _plain_number(text):
        return float(text) + 0.0
    if text.lower() in ("true", "false"):
        return text.lower()
    midnight = _MIDNIGHT.fullmatch(text)
    return midnight.group(1) if midnight else text


def texts_of(cells: Iterable[object]) -> list[str | None]:
    """The cells of a column as they are written. A dash alone is missing among numbers or dates, and a word elsewhere.

    >>> texts_of(["1", "--", None]), texts_of(["a", "--"])
    (['1', None, None], ['a', '--'])
    """
    texts = [written(cell) for cell in cells]
    others = [text for text in texts if text is not None and text not in _DASHES]
    if others and (all(map(_plain_number, others)) or all(map(_DATE.fullmatch, others))):
        return [None if text in _DASHES else text for text in texts]
    return texts


def _plain_number(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and not _ZEROS.match(text)


def number(text: str, kind: str) -> float:
    """A number, or the days since 1970 of a date."""
    if kind == "number":
        return float(text)
    moment = datetime.datetime.fromisoformat(text)
    return (moment - _DAY).total_seconds() / 86_400
