# SPDX-License-Identifier: Apache-2.0
"""The rows of files in pieces that tasks read by themselves: some row groups of a Parquet file, or a CSV file.

Files are read by the library that reads them in memory, so that cells are the same. All workers must reach them under
the same path. Every row has a number in its file, which a repeated task finds again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.counting.coding import changed
from discreet.data.frames import check_names
from discreet.data.read import PANDAS_INDEX, as_path
from discreet.engines.csv_batches import CsvBatches
from discreet.engines.source_files import files_of, holds_parquet, no_csv_options, stamp_of
from discreet.errors import DataError, listing, quietly

_BATCH = 2**17
_SMALLEST, _LARGEST = 100_000, 4_000_000  # rows of a piece, as far as row groups allow


@dataclass(frozen=True)
class Piece:
    """Some rows of a file: row groups of Parquet, or all of a CSV file. `first` is the number of the first row."""

    file: int
    path: str
    first: int = 0
    groups: tuple[int, ...] | None = None
    csv: dict[str, Any] = field(default_factory=dict)

    def batches(self, names: Sequence[str]) -> Iterator[tuple[int, pa.RecordBatch]]:
        """The number of the first row of each batch, and the batch; texts may be dictionaries."""
        first = self.first
        for batch in self._from_csv(names) if self.groups is None else self._from_parquet(names):
            yield first, batch
            first += len(batch)

    def _from_parquet(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        schema = pq.read_schema(self.path)
        texts = [name for name in names if _is_text(_inner(schema.field(name).type))]
        with pq.ParquetFile(self.path, read_dictionary=texts) as file:
            chosen = dict.fromkeys(names)
            for batch in file.iter_batches(batch_size=_BATCH, row_groups=list(self.groups or ()), columns=[*chosen]):
                yield batch.select(list(chosen))

    def _from_csv(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        csv = CsvBatches(Path(self.path), **self.csv)
        places = {name: place for place, name in enumerate(csv.names)}
        batches = iter(csv.reader())
        while True:
            batch, failure = quietly(next, batches, None)
            if failure:
                raise changed()  # it could be read when it was counted
            if batch is None:
                return
            yield pa.RecordBatch.from_arrays([batch.column(places[name]) for name in names], names=list(names))

    def counted(self, _: object = None) -> tuple[int, str]:
        """The rows of a CSV file, all read, and the encoding that fits them."""
        csv = CsvBatches(Path(self.path), **self.csv)
        while True:
            rows, failure = quietly(lambda: sum(map(len, csv.reader())))
            if not failure:
                return rows, csv.encoding
            csv.next_encoding_or_raise(failure)


@dataclass(frozen=True, repr=False)
class Files:
    """Files with the same columns, all Parquet or all CSV.

    row_groups  the rows of each row group of each Parquet file
    csv         how to read each CSV file
    csv_rows    the rows of each CSV file, once they are counted
    """

    what: str
    paths: tuple[Path, ...]
    names: tuple[str, ...]
    row_groups: tuple[tuple[int, ...], ...] | None
    csv: tuple[dict[str, Any], ...] = ()
    csv_rows: tuple[int, ...] = ()

    @classmethod
    def of(cls, source: Any, csv_options: dict[str, Any]) -> Files:
        path = as_path(source)
        paths, is_folder = files_of(path)
        if holds_parquet(path, paths, is_folder):
            no_csv_options(csv_options, path)
            if is_folder and any("=" in part for file in paths for part in file.relative_to(path).parent.parts):
                raise DataError(
                    f"The files in {path.name!r} are sorted into folders by value: pass spark.read.parquet(folder),"
                    f" a DataFrame, which knows what they mean."
                )
            return cls.of_parquet(repr(path.name), [file.resolve() for file in paths])
        return cls._of_csv(path, [file.resolve() for file in paths], csv_options)

    @classmethod
    def of_parquet(cls, what: str, paths: Sequence[Path]) -> Files:
        footers = [quietly(_footer, path) for path in paths]
        broken = [path.name for path, (_, failure) in zip(paths, footers, strict=True) if failure]
        if broken:
            raise DataError(f"{listing(broken)} cannot be read as Parquet. Pass whole files.")
        schema = footers[0][0][0]
        other = sum(not _same_types(footer[0], schema) for footer, _ in footers)
        if other:
            raise DataError(
                f"{other} of the {len(paths)} files {what} have other columns, or other types of columns, than the"
                f" first. Pass spark.read.parquet(...), a DataFrame, which joins them."
            )
        check_names(schema.names)
        names = tuple(name for name in schema.names if not PANDAS_INDEX.fullmatch(name))
        return cls(what, tuple(paths), names, tuple(footer[1] for footer, _ in footers))

    @classmethod
    def _of_csv(cls, path: Path, paths: Sequence[Path], options: dict[str, Any]) -> Files:
        names = [CsvBatches(file, **options).names for file in paths]
        check_names(names[0], quote=False)
        different = sum(one != names[0] for one in names)
        if different:
            raise DataError(f"{different} of the {len(paths)} files {path.name!r} have other columns than the first.")
        return cls(repr(path.name), tuple(paths), tuple(names[0]), None, (options,) * len(paths))

    def counted(self, counted: Sequence[tuple[int, str]]) -> Files:
        """CSV files of which the rows and the encoding are known."""
        csv = tuple({**how, "encoding": encoding} for how, (_, encoding) in zip(self.csv, counted, strict=True))
        return replace(self, csv=csv, csv_rows=tuple(rows for rows, _ in counted))

    @property
    def n_rows(self) -> int:
        return sum(self.csv_rows) if self.row_groups is None else sum(map(sum, self.row_groups))

    def state(self) -> tuple[Any, ...]:
        """Times and sizes of the files, unchanged as long as nobody writes to them."""
        return tuple(quietly(stamp_of, file)[0] for file in self.paths)

    def pieces(self, parallelism: int) -> list[Piece]:
        if self.row_groups is None:
            return [Piece(place, str(path), csv=self.csv[place]) for place, path in enumerate(self.paths)]
        rows = min(max(self.n_rows // (3 * parallelism), _SMALLEST), _LARGEST)
        return [
            Piece(place, str(path), first, groups)
            for place, (path, sizes) in enumerate(zip(self.paths, self.row_groups, strict=True))
            for first, groups in _divided(sizes, rows)
        ]


def _divided(sizes: Sequence[int], rows: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Neighbouring row groups with about so many rows together, and the number of the first row."""
    groups: list[int] = []
    first = n = 0
    for place, size in enumerate(sizes):
        if groups and n + size > rows:
            yield first, tuple(groups)
            first, groups, n = first + n, [], 0
        groups.append(place)
        n += size
    if n:
        yield first, tuple(groups)


def _footer(path: Path) -> tuple[pa.Schema, tuple[int, ...]]:
    with pq.ParquetFile(path) as file:
        sizes = tuple(file.metadata.row_group(place).num_rows for place in range(file.metadata.num_row_groups))
        return file.schema_arrow, sizes


def _same_types(schema: pa.Schema, other: pa.Schema) -> bool:
    return schema.names == other.names and all(
        _inner(a) == _inner(b) for a, b in zip(schema.types, other.types, strict=True)
    )


def _inner(t: pa.DataType) -> pa.DataType:
    return t.value_type if pa.types.is_dictionary(t) else t


def _is_text(t: pa.DataType) -> bool:
    return pa.types.is_string(t) or pa.types.is_large_string(t)
