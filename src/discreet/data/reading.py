# SPDX-License-Identifier: Apache-2.0
"""One cell, read by itself: its canonical text, or missing. What else its column holds, or is typed as, has no say.

`cell_kinds.py` looks at a whole column, so one odd cell changes what the others mean. Under differential privacy one
row must have no say in how another is read. Here numbers are written as doubles are, truth values in lower case, dates
in ISO form, other text without white space around it. Whatever is no value is missing: marks of a missing cell,
not-a-number, infinity, lists, objects. Nothing here raises.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from discreet.data.cell_kinds import ANY_NUMBER, LARGEST, LONE_MARKS, MISSING_MARKS, NUMBER, text_of
from discreet.errors import quietly

TRUTH = {"true": 1.0, "false": 0.0}
_LONGEST = 400  # characters of a number or a date; longer texts are only texts
_BEGINNINGS = frozenset("+-.0123456789tTfFiI")  # of texts that may be numbers, dates or truth values
_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})([ T]([0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?)(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
)
_NUMBER, _ANY_NUMBER, _DIGITS = re.compile(NUMBER), re.compile(ANY_NUMBER), re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class Marks:
    """What stands for a missing cell, in any way to write it: the mark -9 also means -9.0."""

    texts: frozenset[str]

    @classmethod
    def of(cls, marks: Iterable[str] = MISSING_MARKS) -> Marks:
        listed = tuple(str(mark).strip() for mark in marks)
        lone = LONE_MARKS if listed == MISSING_MARKS else ()
        read = (_of_text(mark) for mark in listed)
        return cls(frozenset({"", *listed, *lone, *(text for text in read if text is not None)}))

    @cached_property
    def numbers(self) -> np.ndarray:
        return np.array([number for number in map(number_of, sorted(self.texts)) if not math.isnan(number)])


def reading(cell: object, marks: Marks | None = None) -> str | None:
    """The canonical text of one cell, None where it is missing.

    >>> [reading(cell) for cell in (1, 1.0, "1.00", True, "TRUE", dt.date(2020, 1, 31), " x ", "?", float("inf"), [])]
    ['1', '1', '1', 'true', 'true', '2020-01-31', 'x', None, None, None]
    """
    text, _ = quietly(_read, cell)  # an object may raise whatever is asked of it
    marks = marks or USUAL
    if text is None or text in marks.texts or (isinstance(cell, str) and str.strip(cell) in marks.texts):
        return None
    return text


def _read(cell: Any) -> str | None:
    if isinstance(cell, bytes):  # among bytes, Arrow makes bytes of text
        cell = cell.decode("utf-8")
    if isinstance(cell, str):
        return _of_text(str.strip(cell))
    if isinstance(cell, (bool, np.bool_)):
        return "true" if cell else "false"
    if isinstance(cell, (int, float, complex, Decimal, Fraction, np.number)):
        return _of_number(cell)
    if isinstance(cell, np.datetime64):
        return written_moment(cell.astype("datetime64[us]").item())
    if isinstance(cell, dt.date):
        return written_moment(cell)
    if isinstance(cell, (dt.time, uuid.UUID)):
        return str(cell)
    return _of_pandas(cell)


def _of_text(text: str) -> str | None:
    if not text or len(text) > _LONGEST or text[0] not in _BEGINNINGS:
        return text or None
    if _NUMBER.fullmatch(text):
        number = float(text)
        named = _DIGITS.fullmatch(text) and abs(number) >= LARGEST  # accounts, telephones: doubles would mix them up
        return text if named else _of_number(number)
    if text.lower() in TRUTH:
        return text.lower()
    found = _DATE.fullmatch(text)
    if found is None:
        return text
    day, _, clock, _, fraction, *_ = found.groups()
    clock = (clock or "00:00").removesuffix(fraction or "") + (fraction or "")[:7]
    moment, _ = quietly(dt.datetime.fromisoformat, f"{day} {clock}")
    return text if moment is None else written_moment(moment)


def _of_number(number: Any) -> str | None:
    if isinstance(number, (complex, np.complexfloating)):
        number = number.real if number.imag == 0 else math.nan
    double = float(number)
    return text_of(double + 0.0) if math.isfinite(double) else None


def written_moment(moment: Any) -> str | None:
    """Midnight is a day; a time zone is left out: the clock on the spot counts."""
    if not isinstance(moment, dt.date) or moment != moment:
        return None
    if not isinstance(moment, dt.datetime):
        return moment.isoformat()
    fields = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond)
    plain = dt.datetime(*fields)
    return str(plain.date() if plain.time() == dt.time() else plain)


def _of_pandas(cell: Any) -> str | None:
    """Periods, and intervals with whole numbers as such: their index makes doubles of all ends for one."""
    kind = type(cell)
    if kind.__module__.split(".")[0] != "pandas" or kind.__name__ not in ("Interval", "Period"):
        return None
    if kind.__name__ == "Period":
        return str(cell)
    low, high = _read(cell.left), _read(cell.right)
    return f"{'[' if cell.closed_left else '('}{low}, {high}{']' if cell.closed_right else ')'}"


def number_of(text: str) -> float:
    """The number that a canonical text writes, zeros may lead; not-a-number where it writes none.

    >>> number_of("1.5"), number_of("007"), number_of("x")
    (1.5, 7.0, nan)
    """
    if len(text) > _LONGEST or text[:1] not in _BEGINNINGS or not _ANY_NUMBER.fullmatch(text):
        return math.nan
    number = float(text)
    return number if math.isfinite(number) else math.nan


def day_of(text: str) -> float:
    """The days from 1970 to the date that a canonical text writes; not-a-number where it writes none."""
    if len(text) > _LONGEST or not _DATE.fullmatch(text):
        return math.nan
    moment, _ = quietly(dt.datetime.fromisoformat, text)
    return math.nan if moment is None else (moment - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)


USUAL = Marks(frozenset({*MISSING_MARKS, *LONE_MARKS}))
