# SPDX-License-Identifier: Apache-2.0
"""A sample of the rows of large files, from all over them: tables are often sorted, and their first rows tell little.

Of Parquet files some row groups are read, evenly spread over all of them, and from each as many random rows. Of CSV
files the first rows of each are read. Where equal rows lie together, such a sample makes them look more frequent than
they are; that is measured, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.distinct_estimate import SAMPLE, DistinctEstimate, distinct_rows
from discreet.data.held_file import open_bytes
from discreet.engines.csv_batches import CsvBatches
from discreet.errors import DataError, quietly
from discreet.foundation.lazy_modules import parquet as pq
from discreet.foundation.randomness import Randomness, RandomState

_READ = 4_000_000  # rows that are read for a sample
_GROUPS = 64  # row groups that are read for it, if they are not too large
_CSV_ROWS = 20_000  # of each CSV file
_HEAD = 1 << 20  # bytes of a CSV file in which lines are counted
_COMPRESSED = (".gz", ".bz2", ".zst")


@dataclass(frozen=True)
class TableSample:
    """Random rows from some places of a table.

    n_rows    the rows of the table, exactly for Parquet, by the length of the first ones for CSV
    codes     one array for each column: equal numbers for equal cells
    place     where each row comes from: the number of its row group or file
    of_place  the rows of the places that were looked at, by their numbers
    n_places  how many such places the table has
    """

    n_rows: int
    is_exact: bool
    codes: tuple[np.ndarray, ...]
    place: np.ndarray
    of_place: np.ndarray
    n_places: int

    @classmethod
    def of_rows(cls, rows: pa.Table, n_rows: int, *, is_exact: bool) -> TableSample:
        """Rows that were drawn one by one, from all over the table."""
        return cls(n_rows, is_exact, codes_of_cells(rows), np.zeros(len(rows), np.int64), np.array([n_rows]), 1)

    def __len__(self) -> int:
        return len(self.place)

    def distinct(self, columns: Sequence[int] | None = None) -> DistinctEstimate:
        """The distinct rows of the table in these columns, between what it has if equal rows lie together or not."""
        chosen = self.codes if columns is None else [self.codes[c] for c in columns]
        rows = _numbered(chosen, len(self))
        apart = distinct_rows(np.bincount(rows), self.n_rows)
        share = _clustering(rows, self.place)
        if len(self.of_place) == self.n_places or share < 0.01:
            return apart
        together = self._of_places(rows)
        return DistinctEstimate(
            *(
                min(self.n_rows, round(a ** (1 - share) * max(a, b) ** share))
                for a, b in (
                    (apart.likely, together.likely),
                    (apart.least, together.least),
                    (apart.most, together.most),
                )
            )
        )

    def _of_places(self, rows: np.ndarray) -> DistinctEstimate:
        """As if places were drawn, not rows: by the number of places in which each distinct row occurs.

        What a place has beyond its sampled rows is added in the same proportion.
        """
        pairs = np.unique(rows * len(self.of_place) + self.place)
        times = np.bincount(pairs // len(self.of_place))
        found = distinct_rows(times[times > 0], round(len(pairs) * self.n_places / len(self.of_place)))
        inside = [
            distinct_rows(np.unique(rows[self.place == place], return_counts=True)[1], int(n)).likely
            for place, n in enumerate(self.of_place)
        ]
        more = sum(inside) / len(pairs)
        return DistinctEstimate(*(round(more * one) for one in (found.likely, found.least, found.most)))


_LAST: list[tuple[Any, tuple[str, ...], TableSample]] = []  # the last sample, of which some columns are asked again


def sample_of(files: Sequence[Path], columns: Sequence[str] | None, *, random_state: RandomState = 0) -> TableSample:
    """A sample of these columns, or of all. The seed only chooses where to look; nothing published depends on it."""
    state = tuple((str(file), file.stat().st_mtime_ns, file.stat().st_size) for file in files), random_state
    if _LAST and columns is not None and _LAST[0][0] == state and set(columns) <= set(_LAST[0][1]):
        _, names, sample = _LAST[0]
        return replace(sample, codes=tuple(sample.codes[names.index(name)] for name in columns))
    sample = _sample_of(files, columns, random_state)
    if columns is not None:
        _LAST[:] = [(state, tuple(columns), sample)]
    return sample


def _sample_of(files: Sequence[Path], columns: Sequence[str] | None, random_state: RandomState) -> TableSample:
    random = Randomness(random_state).numpy()
    metadata = [quietly(pq.read_metadata, file)[0] for file in files]
    if all(one is not None for one in metadata):
        return _of_parquet(files, metadata, columns, random)
    return _of_csv(files, columns)


def _of_parquet(
    files: Sequence[Path],
    metadata: Sequence[pq.FileMetaData],
    columns: Sequence[str] | None,
    random: Any,
) -> TableSample:
    groups = [
        (file, g, one.row_group(g).num_rows)
        for file, one in zip(files, metadata, strict=True)
        for g in range(one.num_row_groups)
    ]
    groups = [group for group in groups if group[2]]
    n_rows = sum(one.num_rows for one in metadata)
    if not groups:
        raise DataError("The table has no rows: there is nothing to count.")
    largest = max(n for _, _, n in groups)
    n_looked = min(len(groups), max(_GROUPS if largest * _GROUPS <= _READ else _READ // largest, 8))
    offset = random.random()
    chosen = [groups[int((place + offset) * len(groups) / n_looked)] for place in range(n_looked)]
    tables, place = [], []
    for number, (file, g, n) in enumerate(chosen):
        rows, failure = quietly(lambda file=file, g=g: _row_group(file, g, columns))
        if rows is None:
            raise DataError(f"{file.name!r} cannot be read ({failure}). Is it whole, and may you read it?")
        taken = min(n, -(-SAMPLE // n_looked))
        tables.append(rows.take(np.sort(random.permutation(n)[:taken])))
        place.append(np.full(taken, number))
    table = pa.concat_tables(tables, promote_options="permissive")
    of_place = np.array([n for _, _, n in chosen])
    return TableSample(n_rows, True, codes_of_cells(table), np.concatenate(place), of_place, len(groups))


def _row_group(file: Path, g: int, columns: Sequence[str] | None) -> pa.Table:
    texts = [field.name for field in pq.read_schema(file) if pa.types.is_string(field.type)]
    with pq.ParquetFile(file, read_dictionary=texts) as opened:
        return opened.read_row_group(g, columns=None if columns is None else list(columns))


def _of_csv(files: Sequence[Path], columns: Sequence[str] | None) -> TableSample:
    tables, place, of_place = [], [], []
    most = max(1, min(len(files), _GROUPS))
    chosen = [files[place * len(files) // most] for place in range(most)]
    for number, file in enumerate(chosen):
        source = CsvBatches(file)
        batches, n = [], 0
        for batch in source.reader():
            batches.append(batch)
            n += len(batch)
            if n >= _CSV_ROWS:
                break
        if not n:
            continue
        rows = pa.Table.from_batches(batches).rename_columns(list(source.names)).slice(0, _CSV_ROWS)
        tables.append(rows if columns is None else rows.select(list(columns)))
        place.append(np.full(len(rows), number))
        of_place.append(max(n, _lines(file)))
    if not tables:
        raise DataError("The table has no rows: there is nothing to count.")
    table = pa.concat_tables(tables)
    n_rows = round(sum(of_place) * len(files) / len(chosen))
    return TableSample(n_rows, False, codes_of_cells(table), np.concatenate(place), np.array(of_place), len(files))


def _lines(file: Path) -> int:
    """The lines of a file by the length of its first ones; compressed files are taken to be five times as long."""
    with open_bytes(file) as stream:
        head = stream.read(_HEAD)
    size = file.stat().st_size * (1 if file.suffix.lower() not in _COMPRESSED else 5)
    return round(max(size, len(head)) * head.count(b"\n") / max(len(head), 1))


def codes_of_cells(table: pa.Table) -> tuple[np.ndarray, ...]:
    """The cells of each column as numbers; missing is a value like any other."""
    codes = []
    for column in table.columns:
        column = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
        codes.append((encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded).indices.to_numpy())
    return tuple(codes)


def _numbered(codes: Sequence[np.ndarray], n: int) -> np.ndarray:
    """Equal numbers for equal rows."""
    rows = np.zeros(n, dtype=np.int64)
    for code in codes:
        rows = np.unique(rows * (int(code.max(initial=0)) + 1) + code, return_inverse=True)[1].ravel()
    return rows


def _clustering(rows: np.ndarray, place: np.ndarray) -> float:
    """Of the rows that occur twice, how many more have both at one place than by chance: 0 if none, 1 if all."""
    order = np.lexsort((place, rows))
    rows, place = rows[order], place[order]
    times = np.bincount(rows)
    second = np.flatnonzero((times == 2)[rows])[1::2]
    places = len(np.unique(place))
    if len(second) < 20 or places == 1:
        return 0.0
    alike, chance = float(np.mean(place[second] == place[second - 1])), 1 / places
    return max(0.0, (alike - chance) / (1 - chance))
