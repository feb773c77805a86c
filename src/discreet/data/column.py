# SPDX-License-Identifier: Apache-2.0
"""One column as integer codes: distinct values in increasing order, missing as a value of its own.

Everything later counts codes, so what a cell means is decided here and nowhere else:
text that holds only numbers is a number (a leading zero keeps it text), ISO dates are dates, the usual marks of
a missing value are missing; from a CSV file, a data frame or a query alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import DataError

Kind = Literal["number", "category", "date"]
KINDS: tuple[Kind, ...] = ("number", "category", "date")

SUPPRESSED = "*"  # a cell that was taken out; a value of its own in every check
MISSING_MARKS = ("", "?", "NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "<NA>", "#N/A")

# No leading zeros: "01067" is a post code, not the number 1067.
_NUMBER = r"^[+-]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_TRUTH = r"^([Tt]rue|TRUE|[Ff]alse|FALSE)$"
_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?$"


@dataclass(frozen=True)
class Column:
    """A named column; `codes[row]` is the place of the row's value in `values`, or `len(values)` when missing."""

    name: str
    kind: Kind
    values: pa.Array
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.codes)

    @cached_property
    def has_missing(self) -> bool:
        return bool(len(self.codes)) and int(self.codes.max()) == len(self.values)

    @property
    def levels(self) -> int:
        """Number of different codes, missing included."""
        return len(self.values) + self.has_missing

    @cached_property
    def numbers(self) -> np.ndarray:
        """The distinct values on a line: numbers as they are, dates in days; categories have none."""
        if self.kind == "category":
            raise DataError(f"Column {self.name!r} holds categories, which have no numbers.")
        if self.kind == "date":
            ticks = self.values.cast(pa.timestamp("us")).cast(pa.int64())
            return ticks.to_numpy(zero_copy_only=False).astype(np.float64) / 86_400e6
        return self.values.to_numpy(zero_copy_only=False).astype(np.float64)

    @cached_property
    def texts(self) -> list[str]:
        """The distinct values as they are written in a release."""
        return [text_of(value) for value in self.values.to_pylist()]

    def to_arrow(self) -> pa.Array:
        return self.values.take(pa.array(self.codes, mask=self.codes == len(self.values)))

    def take(self, rows: np.ndarray) -> Column:
        """The column at these rows; values that no longer occur are forgotten."""
        return _compact(self.name, self.kind, self.values, self.codes[rows])

    def renamed(self, name: str) -> Column:
        return Column(name, self.kind, self.values, self.codes)


def from_labels(name: str, labels: Sequence[str | None], codes: np.ndarray) -> Column:
    """A column of categories; `codes` index `labels`, None stands for missing, labels may repeat or be unused."""
    encoded = pa.DictionaryArray.from_arrays(pa.array(codes, type=pa.int32()), pa.array(labels, type=pa.string()))
    return encode(name, encoded, kind="category", missing=())


def encode(
    name: str, array: pa.Array | pa.ChunkedArray, *, kind: Kind | None = None, missing: Sequence[str] = MISSING_MARKS
) -> Column:
    """Code any Arrow column. `kind` overrides what the values look like; `missing` are the marks of a missing cell."""
    if isinstance(array, pa.ChunkedArray):
        array = array.unify_dictionaries().combine_chunks() if array.num_chunks != 1 else array.chunk(0)
    if pa.types.is_dictionary(array.type):
        distinct, raw = array.dictionary, array.indices
    else:
        coded = _supported(name, array).dictionary_encode()
        distinct, raw = coded.dictionary, coded.indices
    distinct, kind = _interpret(name, _supported(name, distinct), kind, missing)
    # Two spellings may mean one value ("1" and "1.0"): code the meanings, in increasing order.
    meanings = distinct.dictionary_encode()
    order = pc.sort_indices(meanings.dictionary).to_numpy()
    rank = np.empty(len(order) + 1, dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    rank[-1] = len(order)
    code_of = np.append(rank[_filled(meanings.indices, len(order))], np.int32(len(order)))
    return _compact(name, kind, meanings.dictionary.take(pa.array(order)), code_of[_filled(raw, len(distinct))])


def text_of(value: object) -> str:
    """How a value is written: whole numbers without a point, dates in ISO form.

    >>> text_of(3.0), text_of(0.5), text_of("x")
    ('3', '0.5', 'x')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    return str(value)


def _filled(indices: pa.Array, missing: int) -> np.ndarray:
    return pc.fill_null(indices.cast(pa.int64()), missing).to_numpy(zero_copy_only=False)


def _compact(name: str, kind: Kind, values: pa.Array, codes: np.ndarray) -> Column:
    """Drop the values that no row has: an unused level would tell what was removed."""
    used = np.bincount(codes, minlength=len(values) + 1) > 0
    if used[: len(values)].all():
        return Column(name, kind, values, codes.astype(np.int32, copy=False))
    new = (np.cumsum(used[: len(values)]) - 1).astype(np.int32)
    kept = np.flatnonzero(used[: len(values)])
    return Column(name, kind, values.take(pa.array(kept)), np.append(new, np.int32(len(kept)))[codes])


def _supported(name: str, array: pa.Array) -> pa.Array:
    """Text, booleans, whole and floating numbers, dates; anything else is refused."""
    t = array.type
    if pa.types.is_null(t) or pa.types.is_string(t):
        return array.cast(pa.string())
    if pa.types.is_large_string(t) or pa.types.is_string_view(t) or pa.types.is_time(t):
        return array.cast(pa.string())
    if pa.types.is_boolean(t):
        return array
    if pa.types.is_integer(t):
        return array.cast(pa.float64() if t == pa.uint64() else pa.int64())
    if pa.types.is_floating(t) or pa.types.is_decimal(t):
        array = array.cast(pa.float64(), safe=False)
        return pc.if_else(pc.is_nan(array), None, pc.add(array, 0.0))  # -0.0 and 0.0 are one value
    if pa.types.is_date(t) or pa.types.is_timestamp(t):
        return array.cast(pa.timestamp("us"), safe=False)
    raise DataError(
        f"Column {name!r} holds {t} values; supported are text, numbers, booleans and dates. Convert or drop it."
    )


def _interpret(name: str, distinct: pa.Array, kind: Kind | None, missing: Sequence[str]) -> tuple[pa.Array, Kind]:
    """What the distinct values mean: typed values with null for missing, and the column's kind."""
    if kind is not None and kind not in KINDS:
        raise DataError(f"Column {name!r} was given the kind {kind!r}; the kinds are {', '.join(KINDS)}.")
    t = distinct.type
    if pa.types.is_boolean(t):
        return distinct, "category"
    if pa.types.is_string(t):
        distinct = _without_marks(distinct, missing)
        if kind is None and _matches(distinct, _TRUTH):
            return pc.equal(pc.utf8_lower(distinct), "true"), "category"
        for wanted, pattern, read in (("number", _NUMBER, _numbers), ("date", _DATE, _dates)):
            if kind in (None, wanted):
                typed = read(distinct, pattern)
                if typed is not None:
                    return typed, wanted  # type: ignore[return-value]
                if kind == wanted:
                    bad = pc.sum(pc.invert(pc.match_substring_regex(distinct.drop_null(), pattern))).as_py()
                    raise DataError(
                        f"Column {name!r} was declared a {wanted}, but {bad} of its distinct values cannot be read as"
                        f" one. Declare their marks as missing, or leave the column a category."
                    )
        return distinct, "category"
    if kind == "category":
        return pa.array([None if v is None else text_of(v) for v in _whole(distinct).to_pylist()], pa.string()), kind
    if pa.types.is_timestamp(t):
        return _days(distinct), "date"
    return _whole(distinct), "number"


def _without_marks(distinct: pa.Array, missing: Sequence[str]) -> pa.Array:
    trimmed = pc.utf8_trim_whitespace(distinct)
    if not missing:
        return trimmed
    return pc.if_else(pc.is_in(trimmed, value_set=pa.array(list(missing), pa.string())), None, trimmed)


def _matches(distinct: pa.Array, pattern: str) -> bool:
    present = distinct.drop_null()
    return len(present) > 0 and bool(pc.all(pc.match_substring_regex(present, pattern)).as_py())


def _numbers(distinct: pa.Array, pattern: str) -> pa.Array | None:
    if not _matches(distinct, pattern):
        return None
    numbers = pc.utf8_ltrim(distinct, characters="+").cast(pa.float64())
    if pc.any(pc.is_inf(numbers)).as_py() or pc.any(pc.greater(pc.abs(numbers), 2.0**53)).as_py():
        return None  # too long for a number: an account or a telephone, say
    return _whole(pc.add(numbers, 0.0))


def _dates(distinct: pa.Array, pattern: str) -> pa.Array | None:
    if not _matches(distinct, pattern):
        return None
    try:
        return _days(distinct.cast(pa.timestamp("us")))
    except pa.ArrowInvalid:  # such as the 31st of February
        return None


def _whole(numbers: pa.Array) -> pa.Array:
    """Whole numbers as integers, whatever type they came in."""
    if pa.types.is_floating(numbers.type):
        present = numbers.drop_null()
        if pc.all(pc.and_(pc.equal(present, pc.floor(present)), pc.less(pc.abs(present), 2.0**53))).as_py():
            return numbers.cast(pa.int64())
    return numbers


def _days(stamps: pa.Array) -> pa.Array:
    """Midnight everywhere means days, not moments."""
    days = stamps.cast(pa.date32(), safe=False)
    return days if pc.all(pc.equal(days.cast(pa.timestamp("us")), stamps)).as_py() in (True, None) else stamps
