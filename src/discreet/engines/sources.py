# SPDX-License-Identifier: Apache-2.0
"""Sources of rows for engines, scanned repeatedly: Parquet or CSV files, DuckDB relations, Arrow tables."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.database_files import database_kind, duckdb_table
from discreet.data.frames import check_names, type_of
from discreet.data.read import PANDAS_INDEX, as_path, first_bytes, no_table
from discreet.engines.csv_batches import CsvBatches
from discreet.engines.source_files import files_of, holds_parquet, no_csv_options, stamp_of
from discreet.engines.sources_parquet import Batches, n_other_types, parquet_batches
from discreet.engines.sources_sqlite import SqliteCopy
from discreet.errors import DataError, quietly

Cells: TypeAlias = pa.Array | pa.ChunkedArray

_BATCH = 2**17  # rows


@dataclass(frozen=True, repr=False)
class Source:
    """Rows that can be scanned repeatedly.

    columns       DuckDB's name of each column (it ignores case, so "Age" and "age" get other names there)
    types         DuckDB's type of each column
    scan          a relation with at least these columns
    arrow_types   the types of columns that DuckDB changes: time zones and fixed-size binary
    dictionaries  whether texts are stored in dictionaries
    collated      whether texts may have a collation, such as one that ignores case
    after         raises a DataError for a failure, or prepares another attempt
    files         the files, watched for changes
    fixed         whether nobody else can change the rows
    batches       the rows of some columns, some as dictionaries, where they need not pass through DuckDB
    keep          what has to live as long as the source
    semicolons    whether cells are texts that semicolons delimit
    notes         what is no row and was left out so far, a sentence each
    """

    what: str
    columns: dict[str, str]
    types: dict[str, str]
    scan: Callable[[list[str]], duckdb.DuckDBPyRelation]
    arrow_types: dict[str, pa.DataType] = field(default_factory=dict)
    dictionaries: bool = False
    collated: bool = False
    after: Callable[[str], None] = None  # type: ignore[assignment]
    files: tuple[Path, ...] = ()
    fixed: bool = False
    batches: Batches = lambda names, dictionaries: None
    keep: object = None
    semicolons: bool = False
    notes: Callable[[], list[str]] = list

    def __post_init__(self) -> None:
        if self.after is None:
            object.__setattr__(self, "after", self._fail)

    def _fail(self, failure: str) -> None:
        raise DataError(
            f"DuckDB could not count the rows of {self.what} ({failure}). Has a file changed, or does the query fail?"
        )

    def state(self) -> tuple[Any, ...] | None:
        """Times and sizes of the files, unchanged as long as nobody writes to them; None if changes go unnoticed."""
        if not self.files and not self.fixed:
            return None
        return tuple(quietly(stamp_of, file)[0] for file in self.files)

    def cell(self, name: str) -> str:
        """A column in SQL; texts are compared byte by byte, whatever the collation."""
        quoted = '"' + self.columns[name].replace('"', '""') + '"'
        return f"{quoted} COLLATE C" if self.collated and self.types[name] == "VARCHAR" else quoted

    def rows(self, names: list[str], dictionaries: list[str]) -> Iterator[pa.RecordBatch]:
        """The raw rows of these columns, a batch at a time; texts of `dictionaries` may come as such."""
        direct = self.batches(names, dictionaries)
        if direct is not None:
            return direct
        cells = ", ".join(f"{self.cell(name)} AS c{place}" for place, name in enumerate(names))
        reader = self.scan(names).project(cells).to_arrow_reader(_BATCH)
        return (self._named(names, batch) for batch in reader)

    def _named(self, names: list[str], batch: pa.RecordBatch) -> pa.RecordBatch:
        cells = [self.restored(name, batch.column(place)) for place, name in enumerate(names)]
        return pa.RecordBatch.from_arrays(cells, names=names)

    def restored(self, name: str, cells: Cells) -> Cells:
        """Cells with the Arrow type that they had before DuckDB."""
        original = self.arrow_types.get(name)
        if original is not None and pa.types.is_timestamp(original) and pa.types.is_timestamp(cells.type):
            return cells.cast(pa.timestamp(cells.type.unit, original.tz))
        if original is not None and pa.types.is_fixed_size_binary(original) and pa.types.is_binary(cells.type):
            return cells.cast(original)
        return cells


def from_data(data: Any, connection: duckdb.DuckDBPyConnection, csv_options: dict[str, Any]) -> Source:
    if isinstance(data, (str, os.PathLike)):
        return _from_path(as_path(data), connection, csv_options)
    no_csv_options(csv_options, data)
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if not isinstance(data, pa.Table):
        raise DataError(
            f"{type_of(data)} is not a source of the DuckDB engine: pass the path of Parquet or CSV files, a DuckDB"
            f" relation, or an Arrow table. Other tables are counted in memory, without an engine."
        )
    check_names(data.column_names)
    types = {}
    for name in data.column_names:
        relation, failure = quietly(lambda name=name: connection.from_arrow(data.select([name]).slice(0, 0)))
        types[name] = failure or str(relation.types[0])
    plain = {name: f"f{place}" for place, name in enumerate(data.column_names)}

    def scan(names: list[str]) -> duckdb.DuckDBPyRelation:
        chosen = data.select(list(dict.fromkeys(names)) or data.column_names[:1])
        return connection.from_arrow(chosen.rename_columns([plain[name] for name in chosen.column_names]))

    def batches(names: list[str], _: list[str]) -> Iterator[pa.RecordBatch]:
        return iter(data.select(names).to_batches(max_chunksize=_BATCH))

    return Source("an Arrow table", plain, types, scan, _arrow_types(data.schema), fixed=True, batches=batches)


def from_relation(relation: duckdb.DuckDBPyRelation) -> Source:
    check_names(relation.columns)
    columns = {name: name for name in relation.columns}
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    return Source("a DuckDB relation", columns, types, lambda names: relation, collated=True)


def _from_path(path: Path, connection: duckdb.DuckDBPyConnection, csv_options: dict[str, Any]) -> Source:
    files, is_folder = files_of(path)
    kinds = [database_kind(quietly(first_bytes, file, 16)[0]) for file in files]
    table = csv_options.pop("table", None)
    if any(kinds):
        no_csv_options(csv_options, path)
        return _from_database(path, files, table, kinds[0], connection)
    no_table(table, path)
    if holds_parquet(path, files, is_folder):
        no_csv_options(csv_options, path)
        return _from_parquet(path, files, is_folder, connection)
    return _from_csv(path, files, connection, csv_options)


def _from_parquet(path: Path, files: list[Path], is_folder: bool, connection: duckdb.DuckDBPyConnection) -> Source:
    schema, failure = quietly(pq.read_schema, files[0])
    partitioned = is_folder and any("=" in part for part in files[0].relative_to(path).parent.parts)
    literal = [glob.escape(str(file)) for file in files]

    def scan(names: list[str]) -> duckdb.DuckDBPyRelation:
        return connection.read_parquet(literal, hive_partitioning=partitioned)

    relation, failure = (None, failure) if failure else quietly(scan, [])
    if relation is None or not relation.columns:
        raise DataError(f"{path.name!r} is not readable as Parquet ({failure or 'no columns'}). Pass whole files.")
    if other := n_other_types(files):
        raise DataError(
            f"{other} of the {len(files)} files {path.name!r} have other columns, or other types of columns, than the"
            f" first. Write them with the same types, or pass a DuckDB relation that says how they are joined."
        )
    names = [*schema.names, *relation.columns[len(schema.names) :]]
    check_names(names)
    columns = dict(zip(names, relation.columns, strict=True))
    types = dict(zip(names, map(str, relation.types), strict=True))
    columns = {name: inner for name, inner in columns.items() if not PANDAS_INDEX.fullmatch(name)}

    def batches(chosen: list[str], dictionaries: list[str]) -> Iterator[pa.RecordBatch] | None:
        if partitioned or names != schema.names:  # what folders say replaces what files say, and only DuckDB knows it
            return None
        return parquet_batches(files, chosen, dictionaries)

    return Source(
        repr(path.name),
        columns,
        types,
        scan,
        _arrow_types(schema),
        dictionaries=True,
        files=tuple(files),
        batches=batches,
    )


def _from_csv(
    path: Path, files: list[Path], connection: duckdb.DuckDBPyConnection, csv_options: dict[str, Any]
) -> Source:
    tables = [CsvBatches(file, **csv_options) for file in files]
    names = tables[0].names
    check_names(names, quote=False)
    different = sum(table.names != names for table in tables)
    if different:
        raise DataError(f"{different} of the {len(files)} files {path.name!r} have other columns than the first.")

    def scan(_: list[str]) -> duckdb.DuckDBPyRelation:
        parts = [connection.from_arrow(table.reader()) for table in tables]
        while len(parts) > 1:
            parts = [a.union(b) for a, b in zip(parts[::2], parts[1::2], strict=False)] + parts[len(parts) // 2 * 2 :]
        return parts[0]

    def after(failure: str) -> None:
        broken = next((table for table in tables if table.problem), tables[0])
        broken.next_encoding_or_raise(failure)

    columns, types = {name: f"f{place}" for place, name in enumerate(names)}, dict.fromkeys(names, "VARCHAR")
    semicolons = all(table.delimiter == ";" for table in tables)
    return Source(
        repr(path.name),
        columns,
        types,
        scan,
        after=after,
        files=tuple(files),
        semicolons=semicolons,
        notes=lambda: _notes(tables),
    )


def _notes(tables: list[CsvBatches]) -> list[str]:
    """What was left out of the files; the same sentence of several files is said once."""
    counted = Counter(note for table in tables for note in table.notes)
    if len(tables) == 1:
        return list(counted)
    return [f"{note} This is so in {count} of {len(tables)} files." for note, count in counted.items()]


def _from_database(
    path: Path, files: list[Path], table: str | None, kind: str | None, connection: duckdb.DuckDBPyConnection
) -> Source:
    if len(files) > 1:
        raise DataError(f"There are {len(files)} files {path.name!r}, and databases among them. Name one database.")
    if kind == "DuckDB":
        relation = duckdb_table(path, table, connection)
        return replace(from_relation(relation), what=repr(path.name))  # DuckDB keeps the file locked: nobody writes
    copy = SqliteCopy(path, table)
    return replace(_from_parquet(path, [copy.file], False, connection), files=(), fixed=True, keep=copy)


def _arrow_types(schema: pa.Schema) -> dict[str, pa.DataType]:
    changed = {}
    for name, arrow_type in zip(schema.names, schema.types, strict=True):
        inner = arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type
        if (pa.types.is_timestamp(inner) and inner.tz is not None) or pa.types.is_fixed_size_binary(inner):
            changed[name] = inner
    return changed
