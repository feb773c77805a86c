# SPDX-License-Identifier: Apache-2.0
"""Count on the workers of Spark: the distinct cells of columns, then distinct rows, as codes packed into integers.

Every task counts its piece; what it counted goes to a bucket by the key of the row, where the counts of all pieces are
added.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.counting.coding import ListedCells, changed, types_found
from discreet.counting.tally import Tally, tally_of_sorted
from discreet.data.column import MISSING_MARKS, Kind, distinct_cells
from discreet.data.notation import Formats
from discreet.engines.spark_pieces import RowPiece

_WORD = 62  # bits of a key
_MIX = np.uint64(0x9E3779B97F4A7C15)  # an odd number; its products spread over the upper bits
_PERSON, _ROWS, _PERSONS = "person", "n", "persons"


# -- distinct cells ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FoundCells:
    """The distinct cells of a column, or None if they are more than asked for; then the types of their values."""

    cells: pa.Array | None
    types: frozenset[pa.DataType] = frozenset()


@dataclass(frozen=True)
class FindCells:
    """A task: the distinct cells of some columns, of at most `most` each."""

    columns: Mapping[str, Kind | None]
    most: int | None
    missing: tuple[str, ...] = MISSING_MARKS
    formats: Formats | None = None

    def __call__(self, piece: RowPiece, _: object) -> dict[str, FoundCells]:
        found: dict[str, FoundCells] = {}
        for _, batch in piece.batches([*self.columns]):
            for name in self.columns:
                cells = FoundCells(_distinct(name, batch.column(name)))
                found[name] = self.joined(name, [found[name], cells]) if name in found else cells
        return found

    def joined(self, name: str, parts: Sequence[FoundCells]) -> FoundCells:
        """What was found in all parts together."""
        listed = [part.cells for part in parts if part.cells is not None]
        cells = pa.concat_arrays(listed).unique() if listed else None
        if cells is not None and len(listed) == len(parts) and (self.most is None or len(cells) <= self.most):
            return FoundCells(cells)
        types = set().union(*(part.types for part in parts))
        if cells is not None:
            types |= types_found(name, cells, kind=self.columns[name], missing=self.missing, formats=self.formats)
        return FoundCells(None, frozenset(types))


@dataclass(frozen=True)
class CountCells:
    """Tasks: the number of distinct cells of a column, bucket by bucket."""

    name: str
    n_buckets: int

    def scatter(self, piece: RowPiece, _: object) -> Iterator[tuple[int, bytes]]:
        cells = [_distinct(self.name, batch.column(0)) for _, batch in piece.batches([self.name])]
        if cells:
            distinct = pa.concat_arrays(cells).unique()
            yield from scattered(pa.table({"c": distinct}), _bucket_of(distinct, self.n_buckets), self.n_buckets)

    def gather(self, _: int, parts: Iterable[bytes], __: object) -> int:
        tables = list(map(from_bytes, parts))
        return len(pa.concat_tables(tables).column(0).unique()) if tables else 0


def _bucket_of(cells: pa.Array, n_buckets: int) -> np.ndarray:
    """A bucket for each cell, the same for equal cells: by its length and its last eight bytes as text."""
    texts = pc.fill_null(cells.cast(pa.large_string() if not pa.types.is_binary(cells.type) else pa.large_binary()), "")
    ends = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data, length = np.frombuffer(texts.buffers()[2] or b"", dtype=np.uint8), np.diff(ends)
    mixed = length.astype(np.uint64)
    for back in range(1, 9):
        inside = length >= back
        mixed[inside] = (mixed[inside] ^ data[ends[1:][inside] - back]) * _MIX
    mixed ^= mixed >> np.uint64(32)
    return (mixed % np.uint64(n_buckets)).astype(np.uint16)


def _distinct(name: str, cells: pa.Array) -> pa.Array:
    """The distinct cells of a batch, null among them if it occurs."""
    distinct, places = distinct_cells(name, cells)
    has_null = len(places) and int(places.max()) == len(distinct)
    return pa.concat_arrays([distinct, pa.nulls(1, distinct.type)]) if has_null else distinct


# -- distinct rows -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Packed:
    """Codes of several columns in few integers, the first column in the highest bits of the first one.

    >>> packed = Packed.of([3, 200])
    >>> words = packed.words([np.array([2, 0]), np.array([7, 199])])
    >>> packed.codes(words).tolist(), len(words)
    ([[2, 7], [0, 199]], 1)
    """

    bits: tuple[int, ...]
    word: tuple[int, ...]  # of each column

    @classmethod
    def of(cls, levels: Sequence[int]) -> Packed:
        bits = tuple(max(int(n - 1).bit_length(), 1) for n in levels)
        word: list[int] = []
        room = 0
        for width in bits:
            if width > room:
                room = _WORD
                word.append(word[-1] + 1 if word else 0)
            else:
                word.append(word[-1])
            room -= width
        return cls(bits, tuple(word))

    @property
    def n_words(self) -> int:
        return self.word[-1] + 1

    def words(self, codes: Sequence[np.ndarray]) -> list[np.ndarray]:
        packed = [np.zeros(len(codes[0]), dtype=np.int64) for _ in range(self.n_words)]
        for column, bits, word in zip(codes, self.bits, self.word, strict=True):
            packed[word] <<= bits
            packed[word] |= column
        return packed

    def codes(self, words: Sequence[np.ndarray]) -> np.ndarray:
        words = [word.copy() for word in words]
        codes = np.empty((len(words[0]), len(self.bits)), dtype=np.int32, order="F")
        for place in reversed(range(len(self.bits))):
            word = words[self.word[place]]
            codes[:, place] = word & ((1 << self.bits[place]) - 1)
            word >>= self.bits[place]
        return codes


@dataclass(frozen=True)
class CountRows:
    """Tasks: the distinct rows of some columns, and of persons, counted in each piece and added up in buckets."""

    columns: tuple[str, ...]
    packed: Packed
    n_buckets: int
    person: str | None = None

    @property
    def _keys(self) -> list[str]:
        return [f"k{word}" for word in range(self.packed.n_words)]

    def scatter(self, piece: RowPiece, codings: Mapping[str, ListedCells]) -> Iterator[tuple[int, bytes]]:
        read = [*self.columns, *([] if self.person is None else [self.person])]
        counted: list[pa.Table] = []
        for _, batch in piece.batches(read):
            codes = codes_of(batch, read, codings)
            keys = dict(zip(self._keys, self.packed.words(codes[: len(self.columns)]), strict=True))
            if self.person is not None:
                keys[_PERSON] = codes[-1]
            counted.append(_added(pa.table({**keys, _ROWS: np.ones(len(batch), dtype=np.int64)}), [*keys]))
        if not counted:
            return
        rows = _added(pa.concat_tables(counted), counted[0].column_names[:-1])
        mixed = np.zeros(len(rows), dtype=np.uint64)
        for key in self._keys:
            mixed = (mixed ^ rows.column(key).to_numpy().view(np.uint64)) * _MIX
            mixed ^= mixed >> np.uint64(32)
        yield from scattered(rows, (mixed % np.uint64(self.n_buckets)).astype(np.uint16), self.n_buckets)

    def gather(self, _: int, parts: Iterable[bytes], __: object) -> bytes | None:
        tables = list(map(from_bytes, parts))
        if not tables:
            return None
        keys = tables[0].column_names[:-1]
        rows = _added(pa.concat_tables(tables), keys)
        if self.person is None:
            return as_bytes(rows)
        counted = rows.group_by(self._keys, use_threads=False).aggregate([(_ROWS, "sum"), (_ROWS, "count")])
        return as_bytes(counted.rename_columns([*self._keys, _ROWS, _PERSONS]))

    def tally(
        self, codings: Mapping[str, ListedCells], groups: Sequence[bytes | None], *, n_classes: int | None
    ) -> Tally:
        """From the groups of all buckets; with classes, the last column is the target."""
        rows = pa.concat_tables(from_bytes(part) for part in groups if part is not None)
        words = [rows.column(key).to_numpy() for key in self._keys]
        order = np.lexsort(words[::-1])
        codes = self.packed.codes([word[order] for word in words])
        shown = self.columns if n_classes is None else self.columns[:-1]
        return tally_of_sorted(
            shown,
            [codings[name].values for name in shown],
            codes[:, : len(shown)],
            rows.column(_ROWS).to_numpy()[order],
            labels=None if n_classes is None else codes[:, -1],
            n_classes=n_classes or 1,
            persons=None if self.person is None else rows.column(_PERSONS).to_numpy()[order],
        )


@dataclass(frozen=True)
class ReadRows:
    """A task: the raw cells of a piece."""

    columns: tuple[str, ...]

    def __call__(self, piece: RowPiece, _: object) -> bytes:
        batches = [batch for _, batch in piece.batches(self.columns)]
        return as_bytes(pa.Table.from_batches(batches).unify_dictionaries())


def scattered(rows: pa.Table, bucket: np.ndarray, n_buckets: int) -> Iterator[tuple[int, bytes]]:
    """The rows of each bucket as bytes."""
    order = np.argsort(bucket, kind="stable")  # a radix sort
    ends = np.cumsum(np.bincount(bucket, minlength=n_buckets))
    rows = rows.take(order).combine_chunks()
    for place, (start, end) in enumerate(zip(np.append(0, ends), ends, strict=False)):
        if end > start:
            yield place, as_bytes(rows.slice(start, end - start))


def as_bytes(rows: pa.Table) -> bytes:
    """The rows alone: a pickled slice would bring along all that it is a slice of."""
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, rows.schema) as writer:
        writer.write_table(rows)
    return out.getvalue().to_pybytes()


def from_bytes(content: bytes) -> pa.Table:
    return pa.ipc.open_stream(content).read_all()


def codes_of(batch: pa.RecordBatch, names: Sequence[str], codings: Mapping[str, ListedCells]) -> list[np.ndarray]:
    """The codes of these columns, all of which must be listed."""
    codes = {name: codings[name].codes(batch.column(name)) for name in dict.fromkeys(names)}
    if len(batch) and min(int(one.min()) for one in codes.values()) < 0:
        raise changed()
    return [codes[name] for name in names]


def _added(rows: pa.Table, keys: Sequence[str]) -> pa.Table:
    """The distinct keys, with the sums of their counts."""
    summed = rows.group_by(list(keys), use_threads=False).aggregate([(_ROWS, "sum")])
    return summed.rename_columns([*keys, _ROWS])
