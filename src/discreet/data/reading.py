# SPDX-License-Identifier: Apache-2.0
"""Read a single cell: its canonical text, or missing, whatever else its column holds or however it is typed.

`cell_kinds.py` looks at a whole column, so one odd cell changes how the others are read. Under differential privacy,
one row must not influence how another is read. Here numbers are written as doubles, booleans in lower case, dates in
ISO form, other text trimmed. Everything else is missing: marks of a missing cell, NaN, infinity, lists, objects.
Nothing here raises.
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
import pyarrow as pa

from discreet.data.cell_kinds import ANY_NUMBER, LARGEST, LONE_MARKS, MISSING_MARKS, NUMBER, text_of
from discreet.data.notation import Notation, rewritten
from discreet.errors import quietly

TRUTH = {"true": 1.0, "false": 0.0}
_LONGEST = 400  # characters; longer texts are neither numbers nor dates
_BEGINNINGS = frozenset("+-.0123456789tTfFiI")  # first characters of numbers, dates and booleans
_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})([ T]([0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?)(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
)
_NUMBER, _ANY_NUMBER, _DIGITS = re.compile(NUMBER), re.compile(ANY_NUMBER), re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class Marks:
    """Marks of a missing cell, in every spelling: the mark -9 also means -9.0."""

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


def reading(cell: object, marks: Marks | None = None, notations: tuple[Notation, ...] = ()) -> str | None:
    """The canonical text of one cell, None if missing; `notations` are how the owner says that texts are written.

    >>> [reading(cell) for cell in (1, 1.0, "1.00", True, "TRUE", dt.date(2020, 1, 31), " x ", "?", float("inf"), [])]
    ['1', '1', '1', 'true', 'true', '2020-01-31', 'x', None, None, None]
    """
    marks = marks or USUAL
    if notations and isinstance(cell, str):
        cell, _ = quietly(lambda: rewritten(pa.array([cell]), notations, but=marks.texts)[0].as_py())
    text, _ = quietly(_read, cell)  # an arbitrary object may raise anything
    if text is None or text in marks.texts or (isinstance(cell, str) and str.strip(cell) in marks.texts):
        return None
    return text


def _read(cell: Any) -> str | None:
    if isinstance(cell, bytes):  # Arrow turns text among bytes into bytes
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
        is_identifier = (
            _DIGITS.fullmatch(text) and abs(number) >= LARGEST
        )  # such as an account: doubles would mix them up
        return text if is_identifier else _of_number(number)
    if text.lower() in TRUTH:
        return text.lower()
    match = _DATE.fullmatch(text)
    if match is None:
        return text
    day, _, clock, _, fraction, *_ = match.groups()
    clock = (clock or "00:00").removesuffix(fraction or "") + (fraction or "")[:7]
    moment, _ = quietly(dt.datetime.fromisoformat, f"{day} {clock}")
    return text if moment is None else written_moment(moment)


def _of_number(number: Any) -> str | None:
    if isinstance(number, (complex, np.complexfloating)):
        number = number.real if number.imag == 0 else math.nan
    double = float(number)
    return text_of(double + 0.0) if math.isfinite(double) else None


def exact_text(number: Any) -> str | None:
    """The text of a number that a double may not tell from others; None if a double does, or cannot hold it.

    >>> exact_text(2**53 + 1), exact_text(Decimal("0.12345678901234567890")), exact_text(7)
    ('9007199254740993', '0.1234567890123456789', None)
    """
    double, failure = quietly(float, number)
    if failure or not math.isfinite(double):
        return None
    if isinstance(number, Decimal) and len(number.as_tuple().digits) > 15:
        text = f"{number:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(int(number)) if abs(double) >= LARGEST else None


def written_moment(moment: Any) -> str | None:
    """A moment in local time as text; midnight is written as a day."""
    if not isinstance(moment, dt.date) or moment != moment:
        return None
    if not isinstance(moment, dt.datetime):
        return moment.isoformat()
    fields = (moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond)
    plain = dt.datetime(*fields)
    return str(plain.date() if plain.time() == dt.time() else plain)


def _of_pandas(cell: Any) -> str | None:
    """Periods and intervals; the ends of intervals are read as cells, since an index turns them all into doubles."""
    kind = type(cell)
    if kind.__module__.split(".")[0] != "pandas" or kind.__name__ not in ("Interval", "Period"):
        return None
    if kind.__name__ == "Period":
        return str(cell)
    low, high = _read(cell.left), _read(cell.right)
    return f"{'[' if cell.closed_left else '('}{low}, {high}{']' if cell.closed_right else ')'}"


def number_of(text: str) -> float:
    """The number in a canonical text, with or without leading zeros; NaN if there is none.

    >>> number_of("1.5"), number_of("007"), number_of("x")
    (1.5, 7.0, nan)
    """
    if len(text) > _LONGEST or text[:1] not in _BEGINNINGS or not _ANY_NUMBER.fullmatch(text):
        return math.nan
    number = float(text)
    return number if math.isfinite(number) else math.nan


def day_of(text: str) -> float:
    """The date in a canonical text as days since 1970; NaN if there is none."""
    if len(text) > _LONGEST or not _DATE.fullmatch(text):
        return math.nan
    moment, _ = quietly(dt.datetime.fromisoformat, text)
    return math.nan if moment is None else (moment - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)


USUAL = Marks(frozenset({*MISSING_MARKS, *LONE_MARKS}))
