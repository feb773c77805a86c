# SPDX-License-Identifier: Apache-2.0
"""The cells of a column, each read by itself (`reading.py`), whatever the type of the column.

The type of a column must not matter, since libraries change it for a single cell (integers become doubles if one is
missing, objects if one is text). Distinct cells are read once; cells of different types are never equal, although
True == 1 in Python. No cell content raises an error here.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.cell_kinds import LARGEST, text_of
from discreet.data.notation import Notation, rewritten
from discreet.data.reading import TRUTH, USUAL, Marks, day_of, exact_text, number_of, reading, written_moment
from discreet.errors import quietly

_PLAIN = frozenset({str, int, float, bool, type(None)})  # equal objects of one of these types read the same
_PLAIN_NUMBER = r"^[+-]?(0|[1-9][0-9]{0,14})(\.[0-9]{0,300})?([eE][+-]?[0-9]{1,3})?$"
_NUMBERS = (int, float, Decimal, np.integer)
_EXACT_DIGITS = 15  # that a double tells apart
_MANY = 200  # texts from which vectorised reading pays off
_PER_DAY = 86_400e6


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """The cells of a column. `distinct` are doubles, timestamps or canonical texts; `places` index them by row.

    >>> cells = Cells.of(["10", 10.0, "x", None, "2020-01-31"])
    >>> cells.texts, cells.codes.tolist(), cells.numbers.tolist()
    (['10', 'x', '2020-01-31'], [0, 0, 1, 3, 2], [10.0, 10.0, nan, nan, nan])
    """

    distinct: np.ndarray | list[str | None]
    places: np.ndarray | None  # None: distinct[row] is the row's cell
    exact: pa.Array | None = None  # the text of each row's number where a double may not tell it from others

    @classmethod
    def of(
        cls,
        values: Any,
        *,
        marks: Marks | None = None,
        encoding: str | None = None,
        notations: tuple[Notation, ...] = (),
    ) -> Cells:
        """Cells of an Arrow or NumPy array, or of any objects; `encoding` is the detected encoding of a text file,
        `notations` are how the owner says that texts are written."""
        marks = marks or USUAL
        if isinstance(values, (pa.Array, pa.ChunkedArray)):
            return _of_arrow(values, marks, encoding, notations)
        if isinstance(values, np.ndarray) and values.dtype.kind in "biufcmM" and values.ndim == 1:
            return _of_numpy(values, marks)
        listed = values.tolist() if isinstance(values, np.ndarray) and values.dtype.kind in "US" else list(values)
        kinds = set(map(type, listed)) - {type(None)}
        if kinds <= {str}:
            texts, _ = quietly(pa.array, listed, pa.large_string())  # lone surrogates cannot be written
            read_texts = texts is not None
            return _of_arrow(texts, marks, encoding, notations) if read_texts else _of_objects(listed, marks, notations)
        doubles, _ = quietly(np.array, listed, np.float64) if kinds <= {int, float} else (None, "")
        if doubles is None or (int in kinds and np.abs(doubles).max(initial=0.0) >= LARGEST):
            return _of_objects(listed, marks, notations)
        return _of_doubles(doubles, marks)

    def __len__(self) -> int:
        return len(self.distinct if self.places is None else self.places)

    @property
    def texts(self) -> list[str]:
        """The distinct canonical texts."""
        return self._coded[0]

    @property
    def codes(self) -> np.ndarray:
        """The index of each row's text in `texts`, or `len(texts)` if missing."""
        return self._rows(self._coded[1])

    @property
    def identities(self) -> tuple[list[str], np.ndarray]:
        """As `texts` and `codes`, with whole and decimal numbers as they are, not as doubles: the ids of persons.

        Some of the texts may be of no row.

        >>> texts, codes = Cells.of([2**53, 2**53 + 1]).identities
        >>> [texts[code] for code in codes]
        ['9007199254740992', '9007199254740993']
        """
        if self.exact is None:
            return self.texts, self.codes
        coded = self.exact.dictionary_encode()
        of_row = np.where(self.codes == len(self.texts), -1, _numpy(pc.fill_null(coded.indices, -1)))
        place_of: dict[str, int] = {}
        places = [place_of.setdefault(text, len(place_of)) for text in (*self.texts, *coded.dictionary.to_pylist())]
        n_texts = len(self.texts)
        new = np.array([*places[:n_texts], len(place_of), *places[n_texts:]], dtype=np.int64)
        return list(place_of), new[np.where(of_row < 0, self.codes, n_texts + 1 + of_row)]

    @property
    def numbers(self) -> np.ndarray:
        """The number of each row, or NaN."""
        if isinstance(self.distinct, list):
            return self._rows(_each(self.distinct, number_of))
        is_number = self.distinct.dtype.kind == "f"
        return self._rows(self.distinct if is_number else np.full(len(self.distinct), np.nan))

    @property
    def days(self) -> np.ndarray:
        """The date of each row in days since 1970, or NaN."""
        if isinstance(self.distinct, list):
            return self._rows(_each(self.distinct, day_of))
        if self.distinct.dtype.kind == "f":
            return self._rows(np.full(len(self.distinct), np.nan))
        ticks = self.distinct.astype(np.int64) / _PER_DAY
        return self._rows(np.where(np.isnat(self.distinct), np.nan, ticks))

    @property
    def line(self) -> np.ndarray:
        """Each row as a number: its number, 1 or 0 for a boolean, days for a date; NaN otherwise."""
        position = np.where(np.isnan(self.numbers), self.days, self.numbers)
        if isinstance(self.distinct, list):
            truth = self._rows(_each(self.distinct, lambda text: TRUTH.get(text, math.nan)))
            position = np.where(np.isnan(position), truth, position)
        return position

    def take(self, rows: np.ndarray) -> Cells:
        """The cells of these rows, in this order."""
        exact = None if self.exact is None else self.exact.take(pa.array(rows))
        return Cells(self.distinct, rows if self.places is None else self.places[rows], exact)

    def _rows(self, of_distinct: np.ndarray) -> np.ndarray:
        return of_distinct if self.places is None else of_distinct[self.places]

    @cached_property
    def _coded(self) -> tuple[list[str], np.ndarray]:
        if isinstance(self.distinct, list):
            place_of: dict[str, int] = {}
            places = [-1 if text is None else place_of.setdefault(text, len(place_of)) for text in self.distinct]
            coded = np.array(places, dtype=np.int64)
            return list(place_of), np.where(coded < 0, len(place_of), coded)
        values, codes = np.unique(self.distinct, return_inverse=True)  # missing comes last
        if len(values) and _is_missing(values[-1:])[0]:
            values = values[:-1]
        texts = map(written_moment, values.tolist()) if values.dtype.kind == "M" else map(text_of, values.tolist())
        return [str(text) for text in texts], codes.astype(np.int64)


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
    exact = _exact(pa.array(values)) if values.dtype.kind in "iu" else None
    with np.errstate(over="ignore", invalid="ignore"):
        return _of_doubles(values.astype(np.float64), marks, exact)


def _of_doubles(doubles: np.ndarray, marks: Marks, exact: pa.Array | None = None) -> Cells:
    return Cells(_finite(doubles, marks), None, exact)


def _exact(numbers: pa.Array | pa.ChunkedArray) -> pa.Array | None:
    """The texts of whole and decimal numbers that doubles may mix up, null for others; None if there are none."""
    if isinstance(numbers, pa.ChunkedArray):
        numbers = pa.concat_arrays(numbers.chunks) if numbers.num_chunks else pa.array([], numbers.type)
    t = numbers.type
    if pa.types.is_decimal(t):
        if t.precision <= _EXACT_DIGITS:
            return None
        whole = pc.replace_substring_regex(numbers.cast(pa.string()), r"^(-?[0-9]+)\.0*$", r"\1")
        return pc.replace_substring_regex(whole, r"^(-?[0-9]+\.[0-9]*[1-9])0+$", r"\1")
    if not pa.types.is_integer(t) or t.bit_width < 64:
        return None
    small = pc.less(numbers, pa.scalar(LARGEST, t))
    if pa.types.is_signed_integer(t):
        small = pc.and_(small, pc.greater(numbers, pa.scalar(-LARGEST, t)))
    if pc.all(small).as_py() is not False:
        return None
    return pc.if_else(small, None, numbers.cast(pa.string()))


def _finite(doubles: np.ndarray, marks: Marks) -> np.ndarray:
    missing = ~np.isfinite(doubles)
    if len(marks.numbers):
        missing |= np.isin(doubles, marks.numbers)
    return np.where(missing, np.nan, doubles + 0.0)


def _of_moments(moments: np.ndarray, marks: Marks) -> Cells:
    years = moments.astype("datetime64[Y]").astype(np.int64) + 1970
    outside = np.isnat(moments) | (years < 1) | (years > 9999)
    inside = np.where(outside, np.array("NaT", dtype=moments.dtype), moments).astype("datetime64[us]")
    days = [day for day in map(day_of, sorted(marks.texts)) if not math.isnan(day)]
    if days:
        inside[np.isin(inside.astype(np.int64) / _PER_DAY, days)] = np.datetime64("NaT", "us")
    return Cells(inside, None)


_TEXTUAL = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)


def _of_arrow(
    array: pa.Array | pa.ChunkedArray, marks: Marks, encoding: str | None, notations: tuple[Notation, ...]
) -> Cells:
    cells, _ = quietly(_of_typed, array, marks, encoding, notations)
    return cells or _of_objects(_one_by_one(array), marks, notations)


def _of_typed(
    array: pa.Array | pa.ChunkedArray, marks: Marks, encoding: str | None, notations: tuple[Notation, ...]
) -> Cells | None:
    """Cells by the type of the column; None for types whose cells are read one by one."""
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.cast(array.type.storage_type)
    t = array.type
    if pa.types.is_run_end_encoded(t):
        return _of_typed(pc.run_end_decode(array), marks, encoding, notations)
    if pa.types.is_dictionary(t):
        return _decoded(array, marks, encoding, notations)
    if pa.types.is_integer(t) or pa.types.is_floating(t):
        return _of_doubles(_numpy(array.cast(pa.float64(), safe=False)), marks, _exact(array))
    if pa.types.is_boolean(t):
        codes = pc.fill_null(array.cast(pa.int8()), 2)
        return Cells([*(reading(text, marks) for text in ("false", "true")), None], _numpy(codes).astype(np.int64))
    if pa.types.is_date(t) or pa.types.is_timestamp(t):
        return _of_moments(_clock(array), marks)
    if pa.types.is_string_view(t):
        return _of_typed(array.cast(pa.large_string()), marks, encoding, notations)
    if pa.types.is_string(t) or pa.types.is_large_string(t):
        return _decoded(array.dictionary_encode(), marks, encoding, notations)
    if pa.types.is_decimal(t):
        return _of_doubles(_numpy(array.cast(pa.string()).cast(pa.float64())), marks, _exact(array))
    if pa.types.is_binary(t) or pa.types.is_large_binary(t):
        return _decoded(array.dictionary_encode(), marks, encoding, notations)
    if pa.types.is_time(t) or pa.types.is_fixed_size_binary(t) or pa.types.is_binary_view(t):
        return None
    return Cells([None], np.zeros(len(array), dtype=np.int64))  # lists, structures, durations


def _numpy(array: pa.Array | pa.ChunkedArray) -> np.ndarray:
    return array.to_numpy() if isinstance(array, pa.ChunkedArray) else array.to_numpy(zero_copy_only=False)


def _clock(array: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Timestamps in local time."""
    if pa.types.is_timestamp(array.type) and array.type.tz not in (None, "UTC"):
        years = pc.year(array)  # in that zone
        inside = pc.and_(pc.greater_equal(years, 1), pc.less_equal(years, 9999))
        local, _ = quietly(lambda: pc.local_timestamp(pc.if_else(inside, array, None)))
        array = array if local is None else local
    return _numpy(array)


def _decoded(
    array: pa.Array | pa.ChunkedArray, marks: Marks, encoding: str | None, notations: tuple[Notation, ...]
) -> Cells:
    """Cells of a dictionary column, whose values are read once each."""
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    values, places = array.dictionary, _numpy(pc.fill_null(array.indices.cast(pa.int64()), len(array.dictionary)))
    if notations and (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        values = rewritten(values, notations, but=marks.texts)
    doubles, _ = quietly(_all_numbers, values, marks)
    if doubles is not None:
        return Cells(np.append(_finite(doubles, marks), np.nan), places)
    if any(is_kind(values.type) for is_kind in _TEXTUAL):
        texts = [reading(_repaired(text, encoding), marks) for text in _one_by_one(values)]
    else:
        inner = _of_arrow(values, marks, encoding, notations)
        texts = [*inner.texts, None]
        exact = None if inner.exact is None else pa.concat_arrays([inner.exact, pa.nulls(1, pa.string())])
        if exact is not None:
            exact = exact.take(pa.array(places))
        places = np.append(inner.codes, len(texts) - 1)[places]
        return Cells([*texts, None], places, exact)
    return Cells([*texts, None], places)


def _all_numbers(texts: pa.Array, marks: Marks) -> np.ndarray | None:
    """Many texts as doubles if all are plain numbers or missing: as `reading`, but vectorised."""
    if len(texts) < _MANY or not (pa.types.is_string(texts.type) or pa.types.is_large_string(texts.type)):
        return None
    trimmed = pc.utf8_trim_whitespace(texts)
    is_mark = pc.is_in(trimmed, value_set=pa.array(sorted(marks.texts), texts.type))
    present = pc.if_else(is_mark, None, trimmed)
    if not pc.all(pc.match_substring_regex(present, _PLAIN_NUMBER)).as_py():
        return None
    return _numpy(pc.utf8_ltrim(present, characters="+").cast(pa.float64()))


def _one_by_one(array: pa.Array | pa.ChunkedArray) -> list[Any]:
    """The cells as Python objects, None if impossible; sixteen bytes are a UUID."""
    listed, failure = quietly(array.to_pylist)
    if failure:
        listed = [quietly(scalar.as_py)[0] for scalar in array]
    if pa.types.is_fixed_size_binary(array.type) and array.type.byte_width == 16:
        return [None if raw is None else uuid.UUID(bytes=raw) for raw in listed]
    return listed


def _repaired(text: Any, encoding: str | None) -> Any:
    """Decode the cell's own bytes, preferably as UTF-8, whatever encoding other cells suggested for the file."""
    if encoding is None or not isinstance(text, str) or text.isascii():
        return text
    raw, _ = quietly(text.encode, encoding)
    tried = (quietly(raw.decode, codec)[0] for codec in ("utf-8", "cp1252", "latin-1")) if raw is not None else ()
    return next((decoded for decoded in tried if decoded is not None), text)


# -- objects -----------------------------------------------------------------------------------------------------------


def _of_objects(values: Iterable[Any], marks: Marks, notations: tuple[Notation, ...] = ()) -> Cells:
    """Read objects one by one. Only plain types are cached: equal objects may read differently, such as True and 1."""
    places: list[int] = []
    exact: list[str | None] = []
    place_of: dict[str | None, int] = {}
    seen_at: dict[tuple[type, Any], int] = {}
    for cell in values:
        kind = type(cell)
        place = seen_at.get((kind, cell)) if kind in _PLAIN else None
        if place is None:
            place = place_of.setdefault(reading(cell, marks, notations), len(place_of))
            if kind in _PLAIN:
                seen_at[kind, cell] = place
        places.append(place)
        exact.append(exact_text(cell) if isinstance(cell, _NUMBERS) else None)
    told_apart = pa.array(exact, pa.string()) if any(exact) else None
    return Cells(list(place_of), np.array(places, dtype=np.int64), told_apart)
