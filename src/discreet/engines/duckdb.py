# SPDX-License-Identifier: Apache-2.0
"""Count rows with DuckDB, so that only distinct rows come into memory.

Promises depend on a table only through its tally, so an engine can replace a table in any check:
`KAnonymity(5).check(DuckDB("visits/*.parquet"), roles)`. DuckDB groups the raw values, on disk if necessary; kinds are
then inferred as for any table (`discreet.data`), on the distinct rows, and rows that differ only in spelling are
merged. The result equals the tally of the same table in memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from discreet.counting.coding import ListedCells, changed
from discreet.counting.tally import Tally
from discreet.data.column import MISSING_MARKS, Kind
from discreet.data.notation import Formats
from discreet.engines.duckdb_packing import Numbering, Packing
from discreet.engines.raw_cells import RawCells
from discreet.engines.resumable import identity_of_files
from discreet.engines.scratch_connection import connection_for
from discreet.engines.source_files import no_csv_options
from discreet.engines.sources import from_data, from_relation
from discreet.engines.table_sample import TableSample, sample_of
from discreet.errors import DataError, listing, quietly

_MOST_TEXTS = 1000  # distinct texts of a column that is numbered before grouping; larger ENUMs are slow
_MOST_WHOLE = 2**20  # range of a column of whole numbers that is numbered before grouping
_WHOLE = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)")


class DuckDB(RawCells):
    """A table outside memory: one or more Parquet or CSV files, a DuckDB relation, or an Arrow table.

    Parameters
    ----------
    source : path or relation or Arrow table
        A path may be a pattern (`visits/2024-*.parquet`), a folder of Parquet files, or a SQLite or DuckDB file, of
        which `table` names the table if there are several.
    kinds, missing, decimal, thousands, date_format, delimiter, quote, encoding, names, header
        As for `Table.of`.
    memory_limit : str, such as "4GB"
        Memory that DuckDB may use before it writes to `temp_directory`. The distinct rows come on top.
    threads : int
    temp_directory : path
        Where DuckDB writes cells that do not fit in memory. By default a folder that only this user can read, removed
        with the engine.

    Examples
    --------
    >>> people = DuckDB(pa.table({"sex": ["f", "m", "f"], "age": ["31", "45", "31.0"], "y": [1, 0, 0]}))
    >>> people.tally(["sex", "age"], target="y").counts.tolist()
    [[1, 1], [1, 0]]
    """

    def __init__(
        self,
        source: Any,
        *,
        kinds: Mapping[str, Kind] | None = None,
        missing: Sequence[str] = MISSING_MARKS,
        decimal: str | Mapping[str, str] | None = None,
        thousands: str | Mapping[str, str] | None = None,
        date_format: str | Mapping[str, str] | None = None,
        memory_limit: str | None = None,
        threads: int | None = None,
        temp_directory: str | os.PathLike[str] | None = None,
        **csv_options: Any,
    ):
        formats = Formats.of(decimal=decimal, thousands=thousands, date_format=date_format)
        super().__init__(kinds=kinds, missing=missing, formats=formats)
        self._numberings: dict[str, Numbering | None] = {}
        self._numbered_at: object = None
        self._connection: duckdb.DuckDBPyConnection | None = None
        options = {"memory_limit": memory_limit, "threads": threads, "temp_directory": temp_directory}
        connection_options = {name: value for name, value in options.items() if value is not None}
        if isinstance(source, duckdb.DuckDBPyRelation):
            if connection_options:
                raise DataError(
                    f"The options {listing(connection_options)} belong to the connection of a relation: set them there."
                )
            no_csv_options(csv_options, source)
            self._source = from_relation(source)
        else:
            self._connection = connection_for(self, preserve_insertion_order="false", **connection_options)
            self._source = from_data(source, self._connection, csv_options)
        self._semicolons = self._source.semicolons
        self._check_kinds()

    # -- columns and rows ------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._source.columns)

    @property
    def notes(self) -> list[str]:
        """What is no row of the files and was left out so far, a sentence each."""
        return self._source.notes()

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that hold the rows; none for a relation or an Arrow table."""
        return self._source.files

    def _count(self) -> int:
        return self._run([], lambda rows: rows.aggregate("count(*)::BIGINT AS n")).column("n")[0].as_py()

    def _state(self) -> object:
        return self._source.state()

    def __repr__(self) -> str:
        return f"DuckDB({self._source.what}, columns {listing(self.names)})"

    def close(self) -> None:
        """Close the connection and remove its temporary files; a relation's connection stays open."""
        if self._connection is not None:
            self._connection.close()

    def __enter__(self) -> DuckDB:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- counting --------------------------------------------------------------------------------------------------

    def _distinct(self, names: Sequence[str]) -> pa.Table:
        return self._restored(names, self._run(names, lambda rows: rows.project(self._cells(names)).distinct()))

    def _some_cells(self, name: str, most: int) -> pa.ChunkedArray:
        some = self._run([name], lambda rows: rows.project(self._cells([name])).distinct().limit(most + 1))
        return self._restored([name], some).column(0)

    def _restored(self, names: Sequence[str], result: pa.Table) -> pa.Table:
        """The result with the Arrow types that the first columns had before DuckDB."""
        for place, name in enumerate(names):
            cells = self._source.restored(name, result.column(place))
            if cells is not result.column(place):
                result = result.set_column(place, result.column_names[place], cells)
        return result

    def _n_different(self, name: str) -> int:
        cell = self._source.cell(name)
        counted = self._run([name], lambda rows: rows.aggregate(f"count(DISTINCT {cell}) AS d, count({cell}) AS n"))
        return counted.column("d")[0].as_py() + (counted.column("n")[0].as_py() < len(self))

    def likely_distinct(self, columns: Sequence[str]) -> int:
        if not self._source.files:
            return super().likely_distinct(columns)
        return self.sample(columns).distinct().likely

    def sample(self, columns: Sequence[str]) -> TableSample:
        return sample_of(self._source.files, columns) if self._source.files else super().sample(columns)

    def identity(self, columns: Sequence[str]) -> list[Any] | None:
        return identity_of_files(self._source.files) if self._source.files else None

    def _batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Messages of DuckDB and Arrow quote cells, so none is passed on."""
        listed = [name for name in names if isinstance(self._codings.get(name), ListedCells)]
        batches, failure = quietly(self._source.rows, list(names), listed)
        while not failure:
            batch, failure = quietly(next, batches, None)
            if batch is None:
                break
            yield batch
        if failure:
            self._source.after(failure)
            raise changed()

    def _cells(self, names: Sequence[str]) -> str:
        return ", ".join(f"{self._source.cell(name)} AS c{place}" for place, name in enumerate(names))

    def _groups(self, names: Sequence[str], person: str | None) -> pa.Table:
        return self._grouped(list(names), person, Packing({}))

    def _tally(
        self, columns: Sequence[str], target: str | None = None, person: str | None = None
    ) -> tuple[Tally, bool]:
        """The tally, and whether groups of DuckDB were merged, whose persons are then counted twice."""
        names = list(dict.fromkeys([*columns, *([] if target is None else [target])]))
        state = self._source.state()
        packing = self._packing(names)
        groups = self._grouped(names, person, packing)
        if self._source.state() != state:
            raise changed()
        rows, persons = self._numbers(groups, person)
        key = groups.column("k").to_numpy()
        if names and len(packing.numberings) == len(names) and packing.in_order:
            del groups  # copied to arrays; there may be many
            counted = packing.tally(columns, target, key, rows, persons)
            return counted, target is None and len(counted) < len(rows)
        coded = self._coded([name for name in names if name not in packing.numberings], groups) | packing.coded(key)
        return self._merged(coded, columns, target, rows, persons)

    def _grouped(self, names: list[str], person: str | None, packing: Packing) -> pa.Table:
        """The groups of DuckDB: unpacked cells, the packed key, and the numbers of rows and persons."""
        plain = [name for name in names if name not in packing.numberings]
        cells = [f"{self._source.cell(name)} AS c{place}" for place, name in enumerate(plain)]
        cells += [f"{numbering.cell} AS k{place}" for place, numbering in enumerate(packing.numberings.values())]
        keys = [cell.rsplit(" ", 1)[1] for cell in cells]
        selected = [*keys[: len(plain)], f"{packing.key} AS k", "n", *(["persons"] if person is not None else [])]

        def query(rows: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
            if person is None:
                groups = _aggregate(rows.project(", ".join(cells) or "1 AS one"), keys, "count(*)::BIGINT AS n")
            else:  # each person once in each group; missing is one person
                every = rows.project(", ".join([*cells, f"{self._source.cell(person)} AS p"]))
                pairs = _aggregate(every, [*keys, "p"], "count(*)::BIGINT AS n")
                groups = _aggregate(pairs, keys, "sum(n)::BIGINT AS n, count(*)::BIGINT AS persons")
            return groups.project(", ".join(selected))

        return self._restored(plain, self._run([*names, *([] if person is None else [person])], query))

    def _is_plain(self, name: str) -> bool:
        return bool(_WHOLE.fullmatch(self._source.types[name])) or self._source.types[name] in ("BOOLEAN", "DATE")

    def _run(
        self, names: Sequence[str], query: Callable[[duckdb.DuckDBPyRelation], duckdb.DuckDBPyRelation]
    ) -> pa.Table:
        """The result of a query on these columns. DuckDB's messages quote cells, so none is passed on."""
        while True:
            result, failure = quietly(lambda: query(self._source.scan(list(names))).to_arrow_table())
            if result is not None:
                return result
            if failure == "OutOfMemoryException":
                raise DataError(
                    "DuckDB ran out of memory, or of room in its temporary folder. Raise memory_limit, name a roomier"
                    " temp_directory, or count fewer columns."
                )
            self._source.after(failure)

    # -- numbering values before grouping ----------------------------------------------------------------------------

    def _packing(self, names: Sequence[str]) -> Packing:
        """How to pack columns into one integer.

        It pays off for Parquet, which stores texts in dictionaries: DuckDB then numbers each dictionary entry once and
        groups numbers, faster than texts, and only numbers come into memory.
        """
        if not self._source.dictionaries:
            return Packing({})
        if self._source.state() != self._numbered_at:
            self._numberings, self._numbered_at = {}, self._source.state()
        numberings: dict[str, Numbering] = {}
        room = 62
        for name in names:
            if name not in self._numberings:
                self._numberings[name] = self._numbered(name)
            numbering = self._numberings[name]
            if numbering is not None and numbering.bits <= room:
                numberings[name] = numbering
                room -= numbering.bits
        return Packing(numberings)

    def _numbered(self, name: str) -> Numbering | None:
        if self._source.types[name] == "VARCHAR":
            return self._numbered_texts(name)
        as_they_are = self._kinds.get(name) in (None, "number") and tuple(self._missing) == MISSING_MARKS
        if as_they_are and _WHOLE.fullmatch(self._source.types[name]):
            return self._numbered_whole(name)
        return None

    def _numbered_texts(self, name: str) -> Numbering | None:
        few, cell = self._few_cells(name), self._source.cell(name)
        if few is None or not 0 < len(few) <= _MOST_TEXTS:
            return None
        texts = self._listed(name)
        order = np.argsort(texts.code_of[:-1], kind="stable")  # numbers increase with codes, so that keys are in order
        listed = ", ".join(map(_literal, texts.cells.take(pa.array(order)).to_pylist()))
        return Numbering(
            cell=f"TRY_CAST({cell} AS ENUM({listed}))" if listed else "NULL",
            number="enum_code({c})" if listed else "NULL",
            levels=len(order),
            code_of=np.append(texts.code_of[order], len(texts.values)),
            values=texts.values,
            in_order=texts.levels == len(texts.cells) + texts.has_null,
        )

    def _numbered_whole(self, name: str) -> Numbering | None:
        cell = self._source.cell(name)
        ends = self._run([name], lambda rows: rows.aggregate(f"min({cell}) AS low, max({cell}) AS high")).to_pylist()
        low, high = ends[0]["low"], ends[0]["high"]
        if low is None or high - low > _MOST_WHOLE or max(abs(low), abs(high)) >= 2**53:
            return None
        return Numbering(cell=cell, number=f"({{c}}::BIGINT - {low})", levels=high - low + 1, low=low)


def _aggregate(rows: duckdb.DuckDBPyRelation, keys: list[str], counts: str) -> duckdb.DuckDBPyRelation:
    return rows.aggregate(", ".join([*keys, counts]), ", ".join(keys)) if keys else rows.aggregate(counts)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
