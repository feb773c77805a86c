# SPDX-License-Identifier: Apache-2.0
"""The code of every raw cell of a column, so that rows can be coded a batch at a time, in any process.

What cells mean depends on the whole column: a column of "1" and "x" holds no numbers. So an engine hands out the
distinct raw cells once, their meaning is decided here as for a table in memory (`data.column`), and batches of rows are
then coded cell by cell. `ListedCells` lists the distinct cells. Of a column with too many of them, `ReadCells` knows
only how its cells are to be read; such a column can be published as it is, but not counted.

Codings can be pickled. A cell that was not in the column is no value: its code is -1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.cell_kinds import kind_of, meaning, refuse
from discreet.data.column import MISSING_MARKS, Column, Kind, distinct_cells, encode
from discreet.data.how_read import ColumnReading
from discreet.data.notation import Formats
from discreet.data.text_reader import TextReader
from discreet.errors import DataError, quietly, shown

Cells: TypeAlias = pa.Array | pa.ChunkedArray

_UNSAID = pa.large_string()  # of texts that may be numbers or dates, but how they are written is not said
_MOST_WHOLE = 2**20  # range of whole numbers whose codes are looked up by place


class Coding(ABC):
    """How the raw cells of one column are read."""

    name: str
    kind: Kind

    @property
    @abstractmethod
    def type(self) -> pa.DataType:
        """The Arrow type of the published cells."""

    @property
    @abstractmethod
    def levels(self) -> int | None:
        """The number of different values, missing among them; None if it is not known."""

    @abstractmethod
    def compact(self, cells: Cells) -> pa.Array:
        """What a bucket of rows keeps of these cells: codes, or the values themselves."""

    @abstractmethod
    def published(self, compact: pa.Array) -> pa.Array:
        """The cells to publish, as a dictionary where they are listed."""


@dataclass(frozen=True, eq=False, repr=False)
class ListedCells(Coding):
    """The distinct raw cells of a column, none of them null, and the code of each.

    values   the different values in increasing order; the code after the last one is missing
    code_of  the code of each of `cells`, and of null at the end

    >>> coding = ListedCells.of("x", pa.array(["10", "9", "?", "9.0"]))
    >>> coding.codes(pa.array(["?", "9", None, "new"])).tolist(), coding.values.to_pylist()
    ([2, 0, 2, -1], [9, 10])
    """

    name: str
    kind: Kind
    values: pa.Array
    cells: pa.Array
    code_of: np.ndarray
    has_null: bool = False
    reading: ColumnReading | None = None

    @classmethod
    def of(
        cls,
        name: str,
        cells: Cells,
        *,
        kind: Kind | None = None,
        missing: Sequence[str] = MISSING_MARKS,
        reader: TextReader | None = None,
    ) -> ListedCells:
        """From the distinct raw cells of a whole column; `kind` and `missing` as for `Table.of`. A `reader` knows what
        the owner says about texts."""
        every = _plain(name, cells).unique()
        distinct = every.drop_null()
        reader = reader or TextReader()
        column = encode(name, distinct, kind=kind, missing=missing, reader=reader, counted=False)
        code_of = np.append(column.codes, len(column.values))
        return cls(name, column.kind, column.values, distinct, code_of, len(distinct) < len(every), column.reading)

    @classmethod
    def of_column(cls, column: Column) -> ListedCells:
        """Of a column whose cells are its values already, as those of a table in memory."""
        code_of = np.arange(len(column.values) + 1, dtype=np.int32)
        return cls(column.name, column.kind, column.values, column.values, code_of, column.has_missing, column.reading)

    @property
    def type(self) -> pa.DataType:
        return self.values.type

    @property
    def has_missing(self) -> bool:
        return self.has_null or bool((self.code_of[:-1] == len(self.values)).any())

    @property
    def levels(self) -> int:
        return len(self.values) + self.has_missing

    def column(self) -> Column:
        """The different values, missing included, as a column with one row each."""
        return Column(self.name, self.kind, self.values, np.arange(self.levels, dtype=np.int32), self.reading)

    def codes(self, cells: Cells) -> np.ndarray:
        """The code of each cell, -1 for cells that the column did not have."""
        cells = _whole_array(cells)
        if pa.types.is_dictionary(cells.type):
            code_of = np.append(self.codes(cells.dictionary), self.code_of[-1])
            return code_of.take(_places(cells.indices, len(cells.dictionary)))
        cells = self._as_listed(cells)
        if self._by_place is not None:
            low, code_of = self._by_place
            return code_of.take(_within(cells, low, len(code_of) - 2))
        places = _places(pc.index_in(cells, value_set=self.cells), -1)
        codes = np.append(self.code_of[:-1], np.int32(-1))[places]  # the last one is that of what was not found
        if cells.null_count:
            codes[cells.is_null().to_numpy(zero_copy_only=False)] = self.code_of[-1]
        return codes

    def compact(self, cells: Cells) -> pa.Array:
        codes = self.codes(cells)
        if len(codes) and int(codes.min()) < 0:
            raise changed()
        return pa.array(codes.astype(smallest(len(self.values) + 1), copy=False))

    def published(self, compact: pa.Array) -> pa.Array:
        return as_dictionary(compact.to_numpy(zero_copy_only=False), self.values)

    def _as_listed(self, cells: pa.Array) -> pa.Array:
        cells = _plain(self.name, cells)
        if cells.type == self.cells.type:
            return cells
        cast, failure = quietly(cells.cast, self.cells.type)
        if failure:
            raise changed()
        return cast

    @cached_property
    def _by_place(self) -> tuple[int, np.ndarray] | None:
        """The smallest whole number, and the codes from there on, then that of null and of others; None for others."""
        if not len(self.cells) or not pa.types.is_integer(self.cells.type):
            return None
        ends = pc.min_max(self.cells)
        low, high = ends["min"].as_py(), ends["max"].as_py()
        if high - low >= _MOST_WHOLE or max(abs(low), abs(high)) >= 2**62:
            return None
        code_of = np.full(high - low + 3, -1, dtype=np.int32)
        code_of[self.cells.to_numpy().astype(np.int64) - low] = self.code_of[:-1]
        code_of[-2] = self.code_of[-1]
        return low, code_of


@dataclass(frozen=True, eq=False, repr=False)
class ReadCells(Coding):
    """A column whose cells are read by its kind, since they are too many to be listed.

    >>> column = ReadCells.of("x", [pa.array(["1", "2"]), pa.array(["?", "2.5"])])
    >>> column.type, column.compact(pa.array(["7", "?"])).to_pylist()
    (DataType(double), [7.0, None])
    """

    name: str
    kind: Kind
    to: pa.DataType
    missing: tuple[str, ...] = MISSING_MARKS
    levels: int | None = None
    formats: Formats = field(default_factory=Formats)

    @classmethod
    def of(
        cls,
        name: str,
        batches: Iterable[Cells],
        *,
        kind: Kind | None = None,
        missing: Sequence[str] = MISSING_MARKS,
        levels: int | None = None,
        formats: Formats | None = None,
    ) -> ReadCells:
        """From all cells of a column, a batch at a time: the type that the values of all batches have.

        `levels` is the number of different cells, if it is known.
        """
        found = (types_found(name, batch, kind=kind, missing=missing, formats=formats) for batch in batches)
        return cls.of_types(name, set().union(*found), kind=kind, missing=missing, levels=levels, formats=formats)

    @classmethod
    def of_types(
        cls,
        name: str,
        found: Iterable[pa.DataType],
        *,
        kind: Kind | None = None,
        missing: Sequence[str] = MISSING_MARKS,
        levels: int | None = None,
        formats: Formats | None = None,
    ) -> ReadCells:
        """From the types of the values in all parts of a column."""
        to = _common(name, set(found), kind)
        return cls(name, kind_of(to), to, tuple(missing), levels, formats or Formats())

    @property
    def type(self) -> pa.DataType:
        return self.to

    def compact(self, cells: Cells) -> pa.Array:
        distinct, places = distinct_cells(self.name, cells)
        kind = None if pa.types.is_boolean(self.to) else self.kind
        values, failure = quietly(
            lambda: meaning(
                self.name,
                distinct,
                kind=kind,
                missing=self.missing,
                reader=TextReader(self.formats, in_parts=True),
            )[0].cast(self.to)
        )
        if failure:
            raise changed()
        return values.take(pa.array(places, mask=places == len(distinct)))

    def published(self, compact: pa.Array) -> pa.Array:
        return compact


def types_found(
    name: str,
    cells: Cells,
    *,
    kind: Kind | None = None,
    missing: Sequence[str] = MISSING_MARKS,
    formats: Formats | None = None,
) -> set[pa.DataType]:
    """The type of the values of some cells, read by themselves; none if all are missing."""
    reader = TextReader(formats or Formats(), in_parts=True)
    values, _ = meaning(name, distinct_cells(name, cells)[0], kind=kind, missing=missing, reader=reader)
    if reader.unsaid:
        return {_UNSAID}
    return {values.type} if values.null_count < len(values) else set()


def as_dictionary(codes: np.ndarray, values: pa.Array) -> pa.DictionaryArray:
    """Cells of these codes, where the code after the last value is missing."""
    mask = codes == len(values)
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32(), mask=mask if mask.any() else None), values)


def changed() -> DataError:
    return DataError("The data changed while they were counted. Try again when nobody writes to them.")


def smallest(levels: int) -> type[np.unsignedinteger[Any]]:
    """The smallest type of codes for this number of them."""
    return np.uint8 if levels <= 2**8 else np.uint16 if levels <= 2**16 else np.uint32


def _whole_array(cells: Cells) -> pa.Array:
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.chunk(0) if cells.num_chunks == 1 else cells.unify_dictionaries().combine_chunks()
    return cells


def _places(indices: pa.Array, of_null: int) -> np.ndarray:
    if indices.null_count:
        indices = pc.fill_null(indices.cast(pa.int64()), of_null)
    return indices.to_numpy(zero_copy_only=False)


def _within(cells: pa.Array, low: int, of_null: int) -> np.ndarray:
    """The places of whole numbers among those from `low` on, `of_null` for null, and the place after it for others."""
    numbers = pc.fill_null(cells, low) if cells.null_count else cells
    places = numbers.to_numpy(zero_copy_only=False).astype(np.int64) - low  # far outside, they are so after wrapping
    outside = places.view(np.uint64) >= np.uint64(of_null)
    if outside.any():
        places[outside] = of_null + 1
    if cells.null_count:
        places[cells.is_null().to_numpy(zero_copy_only=False)] = of_null
    return places


def _plain(name: str, cells: Cells) -> pa.Array:
    """Cells as one array of values that can be compared: no dictionary, one zero, and null for not-a-number."""
    cells = _whole_array(cells)
    if isinstance(cells.type, pa.BaseExtensionType):
        cells = cells.cast(cells.type.storage_type)
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if pa.types.is_null(cells.type) or pa.types.is_large_string(cells.type) or pa.types.is_string_view(cells.type):
        cells = cells.cast(pa.string())
    if pa.types.is_nested(cells.type) or pa.types.is_duration(cells.type) or pa.types.is_interval(cells.type):
        raise refuse(name, cells.type)
    if pa.types.is_floating(cells.type):
        cells = pc.if_else(pc.is_nan(cells), None, pc.add(cells, pa.scalar(0, cells.type)))
    return cells


def _common(name: str, found: set[pa.DataType], kind: Kind | None) -> pa.DataType:
    """The type of a column whose parts have these types."""
    if _UNSAID in found and pa.string() not in found:
        raise DataError(
            f"Column {shown(name)} holds too many different texts to be compared, and they are not plain numbers or"
            f" dates. Say how they are written: decimal, thousands or date_format (--decimal, --thousands,"
            f" --date-format), or that they are categories (--kind)."
        )
    found = {one for one in found if one != _UNSAID}
    if len(found) == 1:
        return next(iter(found))
    if not found:
        return meaning("", pa.nulls(1, pa.string()), kind=kind)[0].type
    kinds = {kind_of(one) for one in found}
    if kinds == {"number"}:
        return pa.float64()
    return pa.timestamp("us") if kinds == {"date"} else pa.string()
