# SPDX-License-Identifier: Apache-2.0
"""Cells that are read one by one: what a cell means depends on that cell, and on nothing else in its column.

`meaning.py` looks at a whole column, so one odd cell changes what the others mean. Under differential privacy one row
must have no say in how another is read. Here every cell has one canonical text, or is missing: numbers as doubles are
written, truth values in lower case, dates in ISO form, other text without white space around it. The type of the column
does not matter either: libraries change it for one cell (whole numbers become doubles where one is missing). Whatever
is no value is missing: marks of a missing cell, not-a-number, infinity, lists, objects. Nothing here raises.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.meaning import ANY_NUMBER, LARGEST, LONE_MARKS, MISSING_MARKS, NUMBER, text_of
from discreet.errors import quietly

_LONGEST = 400  # characters of a number or a date; longer texts are only texts
_BEGINNINGS = frozenset("+-.0123456789tTfFiI")  # of texts that may be numbers, dates or truth values
_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})([ T]([0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?)(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?"
)
_NUMBER, _ANY_NUMBER, _DIGITS = re.compile(NUMBER), re.compile(ANY_NUMBER), re.compile(r"[+-]?[0-9]+")
_TRUTH = {"true": 1.0, "false": 0.0}
_PLAIN = frozenset({str, int, float, bool, type(None)})  # types whose equal objects are read alike
_PER_DAY = 86_400e6


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
    marks = marks or _USUAL
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
        return _of_moment(cell.astype("datetime64[us]").item())
    if isinstance(cell, dt.date):
        return _of_moment(cell)
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
    if text.lower() in _TRUTH:
        return text.lower()
    found = _DATE.fullmatch(text)
    if found is None:
        return text
    day, _, clock, _, fraction, *_ = found.groups()
    clock = (clock or "00:00").removesuffix(fraction or "") + (fraction or "")[:7]
    moment, _ = quietly(dt.datetime.fromisoformat, f"{day} {clock}")
    return text if moment is None else _of_moment(moment)


def _of_number(number: Any) -> str | None:
    if isinstance(number, (complex, np.complexfloating)):
        number = number.real if number.imag == 0 else math.nan
    double = float(number)
    return text_of(double + 0.0) if math.isfinite(double) else None


def _of_moment(moment: Any) -> str | None:
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


_USUAL = Marks(frozenset({*MISSING_MARKS, *LONE_MARKS}))


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """The cells of a column. `distinct` are doubles, moments, or canonical texts; `places` tells which a row has.

    >>> cells = Cells.of(["10", 10.0, "x", None, "2020-01-31"])
    >>> cells.texts, cells.codes.tolist(), cells.numbers.tolist()
    (['10', 'x', '2020-01-31'], [0, 0, 1, 3, 2], [10.0, 10.0, nan, nan, nan])
    """

    distinct: np.ndarray | list[str | None]
    places: np.ndarray | None  # None: every row has its own

    @classmethod
    def of(cls, values: Any, *, marks: Marks | None = None, encoding: str | None = None) -> Cells:
        """Cells of an Arrow or NumPy array, or of any objects. `encoding` is what a file of text was taken for."""
        marks = marks or _USUAL
        if isinstance(values, (pa.Array, pa.ChunkedArray)):
            return _of_arrow(values, marks, encoding)
        if isinstance(values, np.ndarray) and values.dtype.kind in "biufcmM" and values.ndim == 1:
            return _of_numpy(values, marks)
        listed = list(values)
        kinds = set(map(type, listed)) - {type(None)}
        if kinds <= {str}:
            texts, _ = quietly(pa.array, listed, pa.large_string())  # lone surrogates cannot be written
            return _of_objects(listed, marks) if texts is None else _of_arrow(texts, marks, encoding)
        doubles, _ = quietly(np.array, listed, np.float64) if kinds <= {int, float} else (None, "")
        return _of_objects(listed, marks) if doubles is None else _of_doubles(doubles, marks)

    def __len__(self) -> int:
        return len(self.distinct if self.places is None else self.places)

    @property
    def texts(self) -> list[str]:
        """The canonical texts that occur, each once."""
        return self._coded[0]

    @property
    def codes(self) -> np.ndarray:
        """For each row the place of its text in `texts`, or `len(texts)` where it is missing."""
        return self._rows(self._coded[1])

    @property
    def numbers(self) -> np.ndarray:
        """The number of each row; not-a-number where it has none."""
        if isinstance(self.distinct, list):
            return self._rows(_each(self.distinct, number_of))
        is_number = self.distinct.dtype.kind == "f"
        return self._rows(self.distinct if is_number else np.full(len(self.distinct), np.nan))

    @property
    def days(self) -> np.ndarray:
        """The date of each row, in days from 1970; not-a-number where it has none."""
        if isinstance(self.distinct, list):
            return self._rows(_each(self.distinct, day_of))
        if self.distinct.dtype.kind == "f":
            return self._rows(np.full(len(self.distinct), np.nan))
        ticks = self.distinct.astype(np.int64) / _PER_DAY
        return self._rows(np.where(np.isnat(self.distinct), np.nan, ticks))

    @property
    def line(self) -> np.ndarray:
        """Where each row lies on a line: at its number, at 1 or 0 for a truth value, at the days of its date."""
        found = np.where(np.isnan(self.numbers), self.days, self.numbers)
        if isinstance(self.distinct, list):
            truth = self._rows(_each(self.distinct, lambda text: _TRUTH.get(text, math.nan)))
            found = np.where(np.isnan(found), truth, found)
        return found

    def take(self, rows: np.ndarray) -> Cells:
        """The cells of these rows, in this order."""
        return Cells(self.distinct, rows if self.places is None else self.places[rows])

    def _rows(self, of_distinct: np.ndarray) -> np.ndarray:
        return of_distinct if self.places is None else of_distinct[self.places]

    @cached_property
    def _coded(self) -> tuple[list[str], np.ndarray]:
        if isinstance(self.distinct, list):
            place_of: dict[str, int] = {}
            places = [-1 if text is None else place_of.setdefault(text, len(place_of)) for text in self.distinct]
            coded = np.array(places, dtype=np.int64)
            return list(place_of), np.where(coded < 0, len(place_of), coded)
        values, codes = np.unique(self.distinct, return_inverse=True)  # what is missing comes last, once
        if len(values) and _is_missing(values[-1:])[0]:
            values = values[:-1]
        written = map(_of_moment, values.tolist()) if values.dtype.kind == "M" else map(text_of, values.tolist())
        return [str(text) for text in written], codes.astype(np.int64)


def _each(texts: Sequence[str | None], meaning: Any) -> np.ndarray:
    return np.array([math.nan if text is None else meaning(text) for text in texts], dtype=np.float64)


def _is_missing(values: np.ndarray) -> np.ndarray:
    return np.isnat(values) if values.dtype.kind == "M" else np.isnan(values)


# -- columns of one type -----------------------------------------------------------------------------------------------


def _of_numpy(values: np.ndarray, marks: Marks) -> Cells:
    if values.dtype.kind == "b":
        return Cells([reading(text, marks) for text in ("false", "true")], values.astype(np.int64))
    if values.dtype.kind == "m":
        return Cells([None], np.zeros(len(values), dtype=np.int64))
    if values.dtype.kind == "M":
        return _of_moments(values, marks)
    if values.dtype.kind == "c":
        values = np.where(values.imag == 0, values.real, np.nan)
    with np.errstate(over="ignore", invalid="ignore"):
        return _of_doubles(values.astype(np.float64), marks)


def _of_doubles(doubles: np.ndarray, marks: Marks) -> Cells:
    missing = ~np.isfinite(doubles)
    if len(marks.numbers):
        missing |= np.isin(doubles, marks.numbers)
    return Cells(np.where(missing, np.nan, doubles + 0.0), None)


def _of_moments(moments: np.ndarray, marks: Marks) -> Cells:
    years = moments.astype("datetime64[Y]").astype(np.int64) + 1970
    outside = np.isnat(moments) | (years < 1) | (years > 9999)
    found = np.where(outside, np.array("NaT", dtype=moments.dtype), moments).astype("datetime64[us]")
    days = [day for day in map(day_of, sorted(marks.texts)) if not math.isnan(day)]
    if days:
        found[np.isin(found.astype(np.int64) / _PER_DAY, days)] = np.datetime64("NaT", "us")
    return Cells(found, None)


_TEXTUAL = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)


def _of_arrow(array: pa.Array | pa.ChunkedArray, marks: Marks, encoding: str | None) -> Cells:
    made, _ = quietly(_of_typed, array, marks, encoding)
    return made or _of_objects(_one_by_one(array), marks)


def _of_typed(array: pa.Array | pa.ChunkedArray, marks: Marks, encoding: str | None) -> Cells | None:
    """By the type of the column; None for types whose cells are looked at one by one."""
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.cast(array.type.storage_type)
    t = array.type
    if pa.types.is_run_end_encoded(t):
        return _of_typed(pc.run_end_decode(array), marks, encoding)
    if pa.types.is_dictionary(t):
        return _decoded(array, marks, encoding)
    if pa.types.is_integer(t) or pa.types.is_floating(t):
        return _of_doubles(_numpy(array.cast(pa.float64(), safe=False)), marks)
    if pa.types.is_boolean(t):
        codes = pc.fill_null(array.cast(pa.int8()), 2)
        return Cells([*(reading(text, marks) for text in ("false", "true")), None], _numpy(codes).astype(np.int64))
    if pa.types.is_date(t) or pa.types.is_timestamp(t):
        return _of_moments(_clock(array), marks)
    if pa.types.is_string_view(t):
        return _of_typed(array.cast(pa.large_string()), marks, encoding)
    if pa.types.is_string(t) or pa.types.is_large_string(t):
        return _decoded(array.dictionary_encode(), marks, encoding)
    if pa.types.is_decimal(t):
        return _of_doubles(_numpy(array.cast(pa.string()).cast(pa.float64())), marks)
    if pa.types.is_binary(t) or pa.types.is_large_binary(t):
        return _decoded(array.dictionary_encode(), marks, encoding)
    if pa.types.is_time(t) or pa.types.is_fixed_size_binary(t) or pa.types.is_binary_view(t):
        return None
    return Cells([None], np.zeros(len(array), dtype=np.int64))  # lists, structures, durations


def _numpy(array: pa.Array | pa.ChunkedArray) -> np.ndarray:
    return array.to_numpy() if isinstance(array, pa.ChunkedArray) else array.to_numpy(zero_copy_only=False)


def _clock(array: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Moments as a clock on the spot shows them."""
    if pa.types.is_timestamp(array.type) and array.type.tz not in (None, "UTC"):
        years = pc.year(array)  # in that zone
        inside = pc.and_(pc.greater_equal(years, 1), pc.less_equal(years, 9999))
        local, _ = quietly(lambda: pc.local_timestamp(pc.if_else(inside, array, None)))
        array = array if local is None else local
    return _numpy(array)


def _decoded(array: pa.Array | pa.ChunkedArray, marks: Marks, encoding: str | None) -> Cells:
    """A dictionary: its values are read once each, by the way their type is read."""
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    values, places = array.dictionary, _numpy(pc.fill_null(array.indices.cast(pa.int64()), len(array.dictionary)))
    if any(is_kind(values.type) for is_kind in _TEXTUAL):
        texts = [reading(_repaired(text, encoding), marks) for text in _one_by_one(values)]
    else:
        inner = _of_arrow(values, marks, encoding)
        texts = [*inner.texts, None]
        places = np.append(inner.codes, len(texts) - 1)[places]
    return Cells([*texts, None], places)


def _one_by_one(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The cells as objects; one that cannot be made is missing. Sixteen bytes are a UUID, as everywhere."""
    listed, failure = quietly(array.to_pylist)
    if failure:
        listed = [quietly(scalar.as_py)[0] for scalar in array]
    if pa.types.is_fixed_size_binary(array.type) and array.type.byte_width == 16:
        return [None if raw is None else uuid.UUID(bytes=raw) for raw in listed]
    return listed


def _repaired(text: Any, encoding: str | None) -> Any:
    """Text as its own bytes say it: UTF-8 where it can be, whatever another cell made of the whole file."""
    if encoding is None or not isinstance(text, str) or text.isascii():
        return text
    raw, _ = quietly(text.encode, encoding)
    tried = (quietly(raw.decode, codec)[0] for codec in ("utf-8", "cp1252", "latin-1")) if raw is not None else ()
    return next((decoded for decoded in tried if decoded is not None), text)


# -- objects -----------------------------------------------------------------------------------------------------------


def _of_objects(values: Iterable[Any], marks: Marks) -> Cells:
    """One after the other. What is equal need not be alike: True is 1, and two clocks may show one moment."""
    places: list[int] = []
    place_of: dict[str | None, int] = {}
    met: dict[tuple[type, Any], int] = {}
    for cell in values:
        kind = type(cell)
        place = met.get((kind, cell)) if kind in _PLAIN else None
        if place is None:
            place = place_of.setdefault(reading(cell, marks), len(place_of))
            if kind in _PLAIN:
                met[kind, cell] = place
        places.append(place)
    return Cells(list(place_of), np.array(places, dtype=np.int64))
