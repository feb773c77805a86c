# SPDX-License-Identifier: Apache-2.0
"""A column as integer codes of its distinct values in increasing order; missing is a value of its own.

All counting uses codes. The kind of a column is inferred in `cell_kinds.py`, from the distinct values alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.cell_kinds import KINDS, MISSING_MARKS, Kind, meaning, refuse, text_of
from discreet.data.how_read import ColumnReading
from discreet.data.text_reader import TextReader
from discreet.errors import DataError, quietly, shown

__all__ = ["KINDS", "MISSING_MARKS", "SUPPRESSED", "Column", "Kind", "as_written", "encode", "from_labels", "text_of"]

SUPPRESSED = "*"  # a suppressed cell; a value of its own in every check


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    """A named column; `codes[row]` is the index of the row's value in `values`, or `len(values)` if missing."""

    name: str
    kind: Kind
    values: pa.Array
    codes: np.ndarray
    reading: ColumnReading | None = None  # how texts were read that are not plain; derived columns have none

    def __len__(self) -> int:
        return len(self.codes)

    def __repr__(self) -> str:
        return f"Column({shown(self.name)}, {self.kind}, {len(self)} rows, {self.levels} levels)"

    @cached_property
    def has_missing(self) -> bool:
        return bool(len(self.codes)) and int(self.codes.max()) == len(self.values)

    @property
    def n_missing(self) -> int:
        """Number of rows whose cell is missing."""
        return int((self.codes == len(self.values)).sum())

    @property
    def levels(self) -> int:
        """Number of different codes, missing included."""
        return len(self.values) + self.has_missing

    @cached_property
    def numbers(self) -> np.ndarray:
        """The distinct values as numbers, dates in days; DataError for categories."""
        if self.kind == "category":
            raise DataError(f"Column {shown(self.name)} holds categories, which have no numbers.")
        if self.kind == "date":
            ticks = self.values.cast(pa.timestamp("us")).cast(pa.int64())
            return ticks.to_numpy(zero_copy_only=False).astype(np.float64) / 86_400e6
        return self.values.to_numpy(zero_copy_only=False).astype(np.float64)

    @cached_property
    def texts(self) -> list[str]:
        """The distinct values as they are written in a release."""
        return [text_of(value) for value in self.values.to_pylist()]

    @cached_property
    def suppressed(self) -> np.ndarray:
        """For each code, whether it is the mark of a suppressed cell."""
        return np.array([text == SUPPRESSED for text in self.texts] + [False])

    def to_arrow(self) -> pa.Array:
        return self.values.take(pa.array(self.codes, mask=self.codes == len(self.values)))

    def to_dictionary(self) -> pa.Array:
        """As `to_arrow`, with texts as a dictionary."""
        if not pa.types.is_string(self.values.type):
            return self.to_arrow()
        missing = self.codes == len(self.values) if self.has_missing else None
        return pa.DictionaryArray.from_arrays(
            pa.array(self.codes.astype(np.int32, copy=False), mask=missing), self.values
        )

    def take(self, rows: np.ndarray) -> Column:
        """The column at these rows; values that no longer occur are dropped."""
        values, codes = _used(self.values, self.codes[rows])
        return Column(self.name, self.kind, values, codes)

    def equals(self, other: Column) -> bool:
        """Same name, kind, values and codes."""
        return (
            (self.name, self.kind, self.values.type) == (other.name, other.kind, other.values.type)
            and self.values.equals(other.values)
            and np.array_equal(self.codes, other.codes)
        )

    def renamed(self, name: str) -> Column:
        return Column(name, self.kind, self.values, self.codes)


def from_labels(name: str, labels: Sequence[str | None], codes: np.ndarray) -> Column:
    """A category column; `codes` index `labels`, in which None means missing and labels may repeat or be unused.

    >>> from_labels("size", ["small", "large", "small", None], np.array([0, 1, 2, 3])).codes.tolist()
    [1, 0, 1, 2]
    """
    labelled, codes = _used(pa.array(labels, type=pa.string()), np.asarray(codes, dtype=np.int64))
    return _coded(name, labelled, codes, "category", ())


def encode(
    name: str,
    array: pa.Array | pa.ChunkedArray,
    *,
    kind: Kind | None = None,
    missing: Sequence[str] = MISSING_MARKS,
    reader: TextReader | None = None,
    counted: bool = True,
) -> Column:
    """Code any Arrow column. `kind` overrides the inferred kind; `missing` are the marks of a missing cell; `reader`
    knows how texts may be written, and counts cells unless these are the distinct ones already.

    >>> encode("x", pa.array(["10", "9", "?", "9.0"])).codes.tolist()
    [1, 0, 2, 0]
    """
    distinct, places = distinct_cells(name, array)
    if reader is not None:
        reader = reader.of((lambda: np.bincount(places, minlength=len(distinct))) if counted else None)
    return _coded(name, distinct, places, kind, missing, reader)


def as_written(name: str, array: pa.Array | pa.ChunkedArray, kind: Kind) -> Column:
    """Code a column of a published file, whose kind is stated; no mark but a null is missing.

    Cells that are not written as their value is are refused: other readers keep two spellings of a value apart, also if
    they lie in different parts of the data.
    """
    distinct, places = distinct_cells(name, array)
    column = _coded(name, distinct, places, None if pa.types.is_boolean(array.type) else kind, (), written=True)
    if len(distinct) != len(column.values):
        raise DataError(
            f"Column {shown(name)} writes {len(column.values)} values in {len(distinct)} ways. Releases are not"
            " written so."
        )
    if pa.types.is_floating(array.type) and _has_minus_zero(array):
        raise DataError(f"Column {shown(name)} writes zero with a minus sign. Releases are not written so.")
    return column


def _has_minus_zero(array: pa.Array | pa.ChunkedArray) -> bool:
    chunks = array.chunks if isinstance(array, pa.ChunkedArray) else [array]
    cells = (chunk.drop_null().to_numpy(zero_copy_only=False) for chunk in chunks)
    return any(bool(np.signbit(some[some == 0]).any()) for some in cells)


def _check_written(name: str, distinct: pa.Array, values: pa.Array, kind: Kind) -> None:
    """DataError unless texts of a category, and whole numbers, are themselves the values that they stand for."""
    is_text = kind == "category" and pa.types.is_string(values.type) and _is_text(distinct.type)
    if not is_text and not (kind == "number" and pa.types.is_integer(distinct.type)):
        return
    same, _ = quietly(values.cast, distinct.type)
    differ = len(distinct) if same is None else len(distinct) - (pc.sum(pc.equal(same, distinct)).as_py() or 0)
    if differ:
        raise DataError(
            f"Column {shown(name)} does not write {differ} of its {len(distinct)} different cells as the values that"
            " they stand for. Releases are not written so."
        )


def _is_text(t: pa.DataType) -> bool:
    return pa.types.is_string(t) or pa.types.is_large_string(t) or pa.types.is_string_view(t)


def _coded(
    name: str,
    distinct: pa.Array,
    places: np.ndarray,
    kind: Kind | None,
    missing: Sequence[str],
    reader: TextReader | None = None,
    *,
    written: bool = False,
) -> Column:
    """The column of distinct cells and the place of each row among them."""
    values, kind = meaning(name, distinct, kind=kind, missing=missing, reader=reader)
    if written:
        _check_written(name, distinct, values, kind)
    values, code_of = _ordered(values)
    return Column(name, kind, values, code_of.take(places), None if reader is None else reader.reading)


def distinct_cells(name: str, array: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, np.ndarray]:
    """The distinct cells that occur in a column, and each row's index among them; null comes last."""
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.cast(array.type.storage_type)
    if pa.types.is_run_end_encoded(array.type):
        array = pc.run_end_decode(array)
    if pa.types.is_null(array.type):
        array = array.cast(pa.string())
    is_dictionary = pa.types.is_dictionary(array.type)
    if not is_dictionary:
        if pa.types.is_nested(array.type) or pa.types.is_duration(array.type) or pa.types.is_interval(array.type):
            raise refuse(name, array.type)
        if _mostly_different_numbers(array):
            return _distinct_numbers(array)
        array = array.dictionary_encode()
    array = one_dictionary(array)
    distinct, places = array.dictionary, array.indices
    if places.null_count:
        places = pc.fill_null(places.cast(pa.int64()), len(distinct))
    places = places.to_numpy(zero_copy_only=False)
    # An unused level must not reveal what was removed, nor influence the kind of the column.
    return _used(distinct, places.astype(np.int64, copy=False)) if is_dictionary else (distinct, places)


def one_dictionary(array: pa.DictionaryArray | pa.ChunkedArray) -> pa.DictionaryArray:
    """A column of dictionaries as one array with one dictionary."""
    if not isinstance(array, pa.ChunkedArray):
        return array
    return array.chunk(0) if array.num_chunks == 1 else array.unify_dictionaries().combine_chunks()


_SAMPLE = 1000  # rows sampled to choose between hashing and sorting


def _mostly_different_numbers(array: pa.Array | pa.ChunkedArray) -> bool:
    if len(array) < 20 * _SAMPLE or not (pa.types.is_integer(array.type) or pa.types.is_float64(array.type)):
        return False
    return len(array.slice(0, _SAMPLE).unique()) > _SAMPLE // 2


def _distinct_numbers(array: pa.Array | pa.ChunkedArray) -> tuple[pa.Array, np.ndarray]:
    """As `distinct_cells`, by sorting, or by counting in a short range: several times as fast as hashing if many rows
    differ."""
    cells = array.drop_null().to_numpy()
    distinct, inverse = _in_short_range(cells) or np.unique(cells, return_inverse=True)
    if not array.null_count:
        return pa.array(distinct), inverse
    places = np.full(len(array), len(distinct), dtype=np.int64)
    places[array.is_valid().to_numpy(zero_copy_only=False)] = inverse
    return pa.array(distinct), places


def _in_short_range(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The distinct whole numbers in increasing order and the place of each cell, if their range is short."""
    low, high = (int(cells.min()), int(cells.max())) if len(cells) and cells.dtype.kind in "iu" else (0, 2**62)
    if high - low >= len(cells):
        return None
    shifted = cells - low
    occurs = np.zeros(high - low + 1, dtype=bool)
    occurs[shifted] = True
    place = np.cumsum(occurs, dtype=np.int64) - 1
    return np.flatnonzero(occurs).astype(cells.dtype) + low, place.take(shifted)


def _ordered(values: pa.Array) -> tuple[pa.Array, np.ndarray]:
    """The distinct values in increasing order, and the code of each index in `values` and of missing.

    Two spellings of one value ("1" and "1.0") get one code.
    """
    if pa.types.is_integer(values.type) or pa.types.is_floating(values.type):
        present = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False)) if values.null_count else slice(None)
        order = np.argsort(values.to_numpy(zero_copy_only=False)[present])
        order = order if not values.null_count else np.asarray(present)[order]
    else:
        order = pc.sort_indices(values).to_numpy()[: len(values) - values.null_count].astype(np.int64)
    increasing = values.take(pa.array(order))
    is_new = np.ones(len(order), dtype=bool)
    is_new[1:] = pc.not_equal(increasing.slice(1), increasing.slice(0, max(len(order) - 1, 0))).to_numpy(
        zero_copy_only=False
    )
    if not is_new.all():
        increasing = increasing.filter(pa.array(is_new))
    code_of = np.full(len(values) + 1, len(increasing), dtype=np.int32)
    code_of[order] = np.cumsum(is_new, dtype=np.int32) - 1
    return increasing, code_of


def _used(values: pa.Array, codes: np.ndarray) -> tuple[pa.Array, np.ndarray]:
    """Drop unused values and renumber the codes; missing stays the last code."""
    is_used = np.bincount(codes, minlength=len(values) + 1)[: len(values)] > 0
    if is_used.all():
        return values, codes
    code_of = np.append(np.cumsum(is_used, dtype=np.int32) - 1, np.int32(is_used.sum()))
    return values.take(pa.array(np.flatnonzero(is_used))), code_of.astype(np.int32).take(codes)
