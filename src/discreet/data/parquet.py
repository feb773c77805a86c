# SPDX-License-Identifier: Apache-2.0
"""Check the layout of a Parquet file from its footer and page headers before any cell is decoded.

A few hundred bytes of Parquet may stand for billions of cells, through run lengths, dictionaries, compression and
nesting. So a file from elsewhere is first compared with what discreet writes: exactly the expected columns, no
compression, no metadata, pages without gaps, and the stated number of cells. This bounds what is decoded afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from discreet.data.column import one_dictionary
from discreet.errors import DataError
from discreet.foundation.lazy_modules import parquet as pq

_MAGIC = b"PAR1"
_MOST_FOOTER = 2**23
_MOST_FIELDS = 1_000_000  # of a footer
_HEADER = 2**16  # bytes of a page header, at most
_DEEP = 12  # nested structures, at most
_DATA, _DICTIONARY = 0, 2  # types of pages
_ENCODINGS = {0, 2, 3, 8}  # plain, dictionary (old), run lengths, dictionary
_TYPES = {0, 1, 2, 4, 5, 6, 7}  # truth values, 32 and 64 bits, floats, doubles, texts, decimals
_TEXTS = 6
_REPEATED = 2
FREE_CELLS = 5_000_000  # allowed in any file, however short
CELLS_PER_BYTE = 8  # allowed in addition


@dataclass(frozen=True)
class Layout:
    """Contents of the footer: rows, cells (elements of lists included), and the program that wrote the file."""

    rows: int
    cells: int
    created_by: str
    texts: tuple[str, ...]  # paths of text columns, which are read as dictionaries


def read_parquet(
    file: BinaryIO, names: Sequence[str] | None, *, lists: Iterable[str] = (), rows: int | None = None
) -> pa.Table:
    """Read a file that is laid out as discreet writes them; texts become dictionaries."""
    layout = layout_of(file, names, lists=lists, rows=rows)
    file.seek(0)
    parquet = pq.ParquetFile(file, read_dictionary=list(layout.texts))
    if parquet.num_row_groups > 1 and lists:  # at once, pyarrow does not read dictionaries in lists
        table = pa.concat_tables([parquet.read_row_group(group) for group in range(parquet.num_row_groups)])
    else:
        table = parquet.read()
    columns = [with_used_texts(column) for column in table.columns]
    return pa.table(columns, names=table.column_names)


def parquet_columns(
    file: BinaryIO, names: Sequence[str], *, rows: int | None = None
) -> Iterator[tuple[str, pa.ChunkedArray]]:
    """As `read_parquet`, one column after another: only one is in memory at a time."""
    layout = layout_of(file, names, rows=rows)
    file.seek(0)
    parquet = pq.ParquetFile(file, read_dictionary=list(layout.texts))
    for name in names:
        yield name, with_used_texts(parquet.read(columns=[name]).column(name))


def with_used_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column with one dictionary; DataError unless every entry of it occurs in some cell."""
    texts = column
    if pa.types.is_list(column.type):
        texts = pa.chunked_array([chunk.values for chunk in column.chunks], column.type.value_type)
    if not pa.types.is_dictionary(texts.type) or not texts.num_chunks:
        return column
    whole = one_dictionary(texts)
    used = np.zeros(len(whole.dictionary), dtype=bool)
    used[whole.indices.drop_null().to_numpy()] = True
    if not used.all():
        raise _strange("entries of a dictionary that no cell has")
    return pa.chunked_array([whole]) if texts is column else column


def layout_of(
    file: BinaryIO, names: Sequence[str] | None, *, lists: Iterable[str] = (), rows: int | None = None
) -> Layout:
    """The layout of a file with these columns, of which those in `lists` hold lists; DataError for any other layout.

    With `names` None, any columns are accepted.
    """
    try:
        return _layout(file, names, frozenset(lists), rows)
    except (IndexError, KeyError, TypeError, ValueError, OSError, UnicodeDecodeError, OverflowError) as error:
        if isinstance(error, DataError):
            raise
        raise _strange(type(error).__name__) from None


def _strange(what: str) -> DataError:
    return DataError(f"The Parquet file is not laid out as discreet writes them ({what}).")


def _layout(file: BinaryIO, names: Sequence[str] | None, lists: frozenset[str], rows: int | None) -> Layout:
    size = os.fstat(file.fileno()).st_size
    file.seek(max(size - 8, 0))
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if size < 12 or tail[4:] != _MAGIC or length > min(_MOST_FOOTER, size - 12):
        raise _strange("no footer")
    start = size - 8 - length
    file.seek(0)
    if file.read(4) != _MAGIC:
        raise _strange("no beginning")
    file.seek(start)
    groups = 2 + (0 if rows is None else rows // 2**19)  # of rows, that a file may have
    budget = 10_000 + 100 * (1000 if names is None else len(names)) * groups
    footer = Thrift(file.read(length), budget=min(budget, _MOST_FIELDS)).whole()
    if footer.get(5):
        raise _strange("metadata")
    leaves = _leaves(footer[2], names, lists)
    if rows is not None and footer[3] != rows:
        raise DataError(f"{rows} rows were stated; the data has {footer[3]}.")
    cells = sum(chunk[3][5] for group in footer[4] for chunk in group[1])
    if min((chunk[3][5] for group in footer[4] for chunk in group[1]), default=0) < 0:
        raise _strange("fewer than no cells")
    if cells > FREE_CELLS + CELLS_PER_BYTE * size:
        raise DataError(
            f"The Parquet file says that its {size:,} bytes hold {cells:,} cells; at most"
            f" {CELLS_PER_BYTE} per byte are read. A release like that is saved as CSV."
        )
    place = len(_MAGIC)
    for group in footer[4]:
        if len(group[1]) != len(leaves):
            raise _strange("columns")
        for leaf, chunk in zip(leaves, group[1], strict=True):
            place = _Chunk(chunk, leaf, group[3]).end(file, place, start)
    if place != start or sum(group[3] for group in footer[4]) != footer[3]:
        raise _strange("gaps")
    texts = tuple(".".join(leaf.path) for leaf in leaves if leaf.type == _TEXTS)
    return Layout(footer[3], cells, _text(footer.get(6, b"")), texts)


@dataclass(frozen=True)
class _Leaf:
    path: tuple[str, ...]
    type: int


def _leaves(schema: list[dict[int, Any]], names: Sequence[str] | None, lists: frozenset[str]) -> list[_Leaf]:
    root, place, leaves = schema[0], 1, []
    if root[5] == 0 or (names is not None and root[5] != len(names)):
        raise DataError(f"{0 if names is None else len(names)} columns were stated; the data has {root[5]}.")
    for number in range(root[5]):
        name = _text(schema[place][4])
        if names is not None and name != names[number]:
            raise DataError("The data has other columns than were stated.")
        deep = 3 if name in lists or (names is None and schema[place].get(5)) else 1
        path = schema[place : place + deep]
        if [one.get(5, 0) for one in path] != [1, 1, 0][-deep:]:
            raise _strange("nested columns")
        if [one.get(3) == _REPEATED for one in path] != [False, True, False][-deep:] and deep == 3:
            raise _strange("lists")
        if path[-1][1] not in _TYPES or path[0].get(3) == _REPEATED:
            raise _strange("types")
        leaves.append(_Leaf(tuple(_text(one[4]) for one in path), path[-1][1]))
        place += deep
    if place != len(schema):
        raise _strange("schema")
    return leaves


@dataclass(frozen=True)
class _Chunk:
    """The cells of one column in one group of rows."""

    fields: dict[int, Any]
    leaf: _Leaf
    rows: int

    def end(self, file: BinaryIO, place: int, most: int) -> int:
        """Check all pages from `place` on, and return where they end."""
        meta = self.fields[3]
        stop = place + meta[7]
        if self.fields.get(1) or meta.get(8) or meta[4] != 0 or meta[6] != meta[7] or not place <= stop <= most:
            raise _strange("compressed or elsewhere")
        if meta[1] != self.leaf.type or tuple(map(_text, meta[3])) != self.leaf.path:
            raise _strange("columns")
        if meta.get(11, meta[9]) != place:
            raise _strange("gaps")
        cells = pages = 0
        while place < stop:
            file.seek(place)
            header = Thrift(file.read(min(_HEADER, stop - place)), budget=200)
            page = header.whole()
            if page[2] != page[3] or page[2] < 0:
                raise _strange("compressed pages")
            if page[1] == _DATA and page[5][1] >= 0 and page[5][2] in _ENCODINGS:
                cells += page[5][1]
            elif not (page[1] == _DICTIONARY and not pages and 0 <= 4 * page[7][1] <= page[2] and page[7][2] in {0, 2}):
                raise _strange("pages")
            place += header.place + page[3]
            pages += 1
            if pages > 1000 + (meta[7] + meta[5]) // 10_000:
                raise _strange("too many pages")
        if place != stop or cells != meta[5] or (len(self.leaf.path) == 1 and cells != self.rows):
            raise _strange("cells")
        return stop


def _text(value: bytes) -> str:
    return value.decode("utf-8")


class Thrift:
    """Parser of Thrift's compact protocol: structures become dictionaries by field number. `budget` is the largest
    number of fields and elements.

    >>> Thrift(bytes([0x15, 0x06, 0x18, 0x01, 0x41, 0x00]), budget=10).whole()
    {1: 3, 2: b'A'}
    """

    def __init__(self, content: bytes, *, budget: int):
        self._content, self._budget, self.place = content, budget, 0

    def whole(self) -> dict[int, Any]:
        return self._struct(_DEEP)

    def _byte(self) -> int:
        self.place += 1
        return self._content[self.place - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise ValueError

    def _signed(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _bytes(self, count: int) -> bytes:
        self.place += count
        if self.place > len(self._content):
            raise IndexError
        return self._content[self.place - count : self.place]

    def _struct(self, deep: int) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            if number in fields:
                raise ValueError  # duplicate field
            fields[number] = (head & 15) == 1 if head & 15 in (1, 2) else self._value(head & 15, deep)
        return fields

    def _value(self, kind: int, deep: int) -> Any:
        self._budget -= 1
        if not deep or self._budget < 0:
            raise ValueError
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._signed()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            head = self._byte()
            count = head >> 4 if head >> 4 < 15 else self._varint()
            if count > self._budget:
                raise ValueError
            return [self._value(head & 15, deep - 1) for _ in range(count)]
        if kind == 12:
            return self._struct(deep - 1)
        raise ValueError  # maps do not occur in Parquet
