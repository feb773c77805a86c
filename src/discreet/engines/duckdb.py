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
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from discreet.counting.coding import Coding, ListedCells, ReadCells, changed
from discreet.counting.tally import Tally, tally, tally_of_groups
from discreet.data.column import MISSING_MARKS, Column, Kind, encode
from discreet.data.table import Table
from discreet.engines.duckdb_packing import Numbering, Packing
from discreet.engines.protocol import Apply, Sink
from discreet.engines.publish import publish_in_buckets
from discreet.engines.sources import from_data, from_relation, no_csv_options
from discreet.errors import DataError, did_you_mean, listing, quietly, shown
from discreet.foundation.atomic_files import scratch_folder

_MOST_TEXTS = 1000  # distinct texts of a column that is numbered before grouping; larger ENUMs are slow
_MOST_WHOLE = 2**20  # range of a column of whole numbers that is numbered before grouping
_MOST_LISTED = 2**20  # distinct cells of a column that are kept in memory
_SAMPLE = 100_000  # rows from which the number of distinct ones is estimated
_SPARSE = 0.05  # share of distinct rows above which numbering values before grouping pays off
_WHOLE = re.compile(r"U?(TINYINT|SMALLINT|INTEGER|BIGINT)")
_PERSON = "\0person"  # a name that no column has

# No extension is fetched; the order of rows means nothing here.
_SETTINGS = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "preserve_insertion_order": "false",
}


class DuckDB:
    """A table outside memory: one or more Parquet or CSV files, a DuckDB relation, or an Arrow table.

    Parameters
    ----------
    source : path or relation or Arrow table
        A path may be a pattern (`visits/2024-*.parquet`) or a folder of Parquet files.
    kinds, missing, delimiter, quote, encoding, names, header
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
        memory_limit: str | None = None,
        threads: int | None = None,
        temp_directory: str | os.PathLike[str] | None = None,
        **csv_options: Any,
    ):
        self._kinds = dict(kinds or {})
        self._missing = (missing,) if isinstance(missing, str) else tuple(missing)
        self._numberings: dict[str, Numbering | None] = {}
        self._numbered_at: object = None
        self._codings: dict[str, Coding] = {}
        self._coded_at: object = None
        self._n_rows: int | None = None
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
            self._connection = self._connect(connection_options)
            self._source = from_data(source, self._connection, csv_options)
        unknown = [name for name in self._kinds if name not in self.names]
        if unknown:
            hint = did_you_mean(unknown[0], self.names)
            raise DataError(f"Kinds are set for columns that are not in the data: {listing(unknown)}.{hint}")

    def _connect(self, options: dict[str, Any]) -> duckdb.DuckDBPyConnection:
        if "temp_directory" not in options:
            until_closed = ExitStack()
            options = {**options, "temp_directory": until_closed.enter_context(scratch_folder())}
            weakref.finalize(self, until_closed.close)
        settings = {name: str(value) for name, value in options.items()}
        connection, failure = quietly(lambda: duckdb.connect(config=_SETTINGS | settings))
        if connection is None:
            raise DataError(
                f"DuckDB does not accept these options ({failure}): memory_limit is text such as '4GB', threads a whole"
                f" number above 0, temp_directory a folder that can be written."
            )
        connection.execute("SET TimeZone = 'UTC'")
        return connection

    # -- columns and rows ------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._source.columns)

    def __contains__(self, name: object) -> bool:
        return name in self._source.columns

    @property
    def n_rows(self) -> int:
        if self._n_rows is None:
            counted = self._run([], lambda rows: rows.aggregate("count(*)::BIGINT AS n"))
            self._n_rows = counted.column("n")[0].as_py()
        return self._n_rows

    def __len__(self) -> int:
        return self.n_rows

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

    def tally(self, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
        """The distinct rows of `columns` with their counts, as `counting.tally.tally` gives them for a table."""
        requested = [name for name in (*columns, target, person) if name is not None]
        absent = [name for name in requested if name not in self._source.columns]
        if absent:
            raise DataError(f"There is no column {shown(absent[0])}.{did_you_mean(absent[0], self.names)}")
        if person is None:
            return self._tally(columns, target)[0]
        counted = None if target is None else self._tally(columns, target)[0]
        if not self._may_repeat(person):
            persons, joined = self._tally(columns, person=person)
            if not joined:
                return persons if counted is None else replace(counted, sizes=_same(counted, persons).sizes)
        counted = counted or self._tally(columns)[0]
        return replace(counted, sizes=_same(counted, self._of_pairs(columns, person)).sizes)

    def values(self, name: str) -> Column:
        """The distinct values of a column, as `counting.tally.values_of` gives them for a table."""
        if name not in self._source.columns:
            raise DataError(f"There is no column {shown(name)}.{did_you_mean(name, self.names)}")
        coding = self.coding(name)
        if isinstance(coding, ListedCells):
            return coding.column()
        distinct = self._run([name], lambda rows: rows.project(f"{self._source.cell(name)} AS p").distinct())
        column = self._encoded(name, distinct.column("p"))
        return Column(name, column.kind, column.values, np.arange(column.levels, dtype=np.int32))

    # -- publishing ------------------------------------------------------------------------------------------------

    def coding(self, name: str) -> Coding:
        """How the raw cells of a column are read; they are listed unless they are very many."""
        if self._source.state() != self._coded_at:
            self._codings, self._coded_at = {}, self._source.state()
        if name not in self._codings:
            self._codings[name] = self._coding(name)
        return self._codings[name]

    def _coding(self, name: str) -> Coding:
        if name not in self._source.columns:
            raise DataError(f"There is no column {shown(name)}.{did_you_mean(name, self.names)}")
        listed = self._run(
            [name], lambda rows: rows.project(f"{self._source.cell(name)} AS p").distinct().limit(_MOST_LISTED + 1)
        )
        how: dict[str, Any] = {"kind": self._kinds.get(name), "missing": self._missing}
        if len(listed) <= _MOST_LISTED:
            return ListedCells.of(name, self._source.restored(name, listed.column("p")), **how)
        cell = self._source.cell(name)
        counted = self._run([name], lambda rows: rows.aggregate(f"count(DISTINCT {cell}) AS d, count({cell}) AS n"))
        levels = counted.column("d")[0].as_py() + (counted.column("n")[0].as_py() < len(self))
        return ReadCells.of(name, (batch.column(0) for batch in self._rows([name], [])), levels=levels, **how)

    def publish(self, columns: Sequence[str], apply: Apply, secret: bytes, sink: Sink) -> int:
        """Pass the rows through `apply` into `sink`, in random order, with one bucket of them in memory."""
        listed = [name for name in columns if isinstance(self.coding(name), ListedCells)]
        state = self._source.state()
        written = publish_in_buckets(self._rows(columns, listed), apply, secret, sink, n_rows=len(self))
        if self._source.state() != state or written != len(self):
            raise changed()
        return written

    def _rows(self, columns: Sequence[str], dictionaries: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Batches of raw rows. Messages of DuckDB and Arrow quote cells, so none is passed on."""
        batches, failure = quietly(self._source.rows, list(columns), list(dictionaries))
        while not failure:
            batch, failure = quietly(next, batches, None)
            if batch is None:
                break
            yield batch
        if failure:
            self._source.after(failure)
            raise changed()

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
        key, rows = groups.column("k").to_numpy(), groups.column("n").to_numpy()
        persons = None if person is None else groups.column("persons").to_numpy()
        if not rows.sum():
            raise DataError(f"The table has {len(self.names)} columns and no rows: there is nothing to count.")
        if names and len(packing.numberings) == len(names) and packing.in_order:
            del groups  # copied to arrays; there may be many
            counted = packing.tally(columns, target, key, rows, persons)
        else:
            coded = self._coded([name for name in names if name not in packing.numberings], groups)
            coded |= packing.coded(key)
            label = None if target is None else coded[target]
            counted = tally_of_groups([coded[name] for name in columns], rows, target=label, persons=persons)
        return counted, target is None and len(counted) < len(rows)

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

        return self._run([*names, *([] if person is None else [person])], query)

    def _of_pairs(self, columns: Sequence[str], person: str) -> Tally:
        """The tally of distinct rows and persons in memory, for values or persons with several spellings."""
        names = list(dict.fromkeys(columns))
        cells = [f"{self._source.cell(name)} AS c{place}" for place, name in enumerate(names)]
        cells.append(f"{self._source.cell(person)} AS p")
        pairs = self._run([*names, person], lambda rows: rows.project(", ".join(cells)).distinct())
        persons = self._encoded(person, pairs.column("p")).renamed(_PERSON)
        return tally(Table([*self._coded(names, pairs).values(), persons]), columns, person=_PERSON)

    def _may_repeat(self, name: str) -> bool:
        """Whether two different cells of the column may be the same value; not for whole numbers and dates."""
        if _WHOLE.fullmatch(self._source.types[name]) or self._source.types[name] in ("BOOLEAN", "DATE"):
            return tuple(self._missing) != MISSING_MARKS
        distinct = self._run([name], lambda rows: rows.project(f"{self._source.cell(name)} AS p").distinct())
        return self._encoded(name, distinct.column("p")).levels < len(distinct)

    def _coded(self, names: Sequence[str], result: pa.Table) -> dict[str, Column]:
        """The first columns of a result as codes."""
        cells = {name: self._source.restored(name, result.column(place)) for place, name in enumerate(names)}
        if not cells:
            return {}
        kinds = {name: kind for name, kind in self._kinds.items() if name in cells}
        return {
            column.name: column for column in Table.of(pa.table(cells), kinds=kinds, missing=self._missing).columns()
        }

    def _encoded(self, name: str, cells: pa.ChunkedArray) -> Column:
        cells = self._source.restored(name, cells)
        return encode(name, cells, kind=self._kinds.get(name), missing=self._missing)

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

        It pays off for Parquet, which stores texts in dictionaries, if many rows are distinct: DuckDB then numbers each
        dictionary entry once and groups numbers, faster than texts, and only numbers come into memory.
        """
        if not self._source.dictionaries or not self._many_distinct(names):
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

    def _many_distinct(self, names: Sequence[str]) -> bool:
        """Whether more than a few rows are distinct, by Chao's estimate from the first rows.

        Chao 1984: if f1 of d distinct rows occur once and f2 twice, there are at least d + f1^2 / 2 f2.
        """
        keys = [f"c{place}" for place in range(len(names))]
        cells = [f"{self._source.cell(name)} AS {key}" for name, key in zip(names, keys, strict=True)]

        def query(rows: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
            groups = _aggregate(rows.project(", ".join(cells) or "1 AS one").limit(_SAMPLE), keys, "count(*) AS n")
            return groups.aggregate("count(*) AS d, count(*) FILTER (n = 1) AS f1, count(*) FILTER (n = 2) AS f2")

        counts = self._run(names, query).to_pylist()[0]
        return counts["d"] + counts["f1"] ** 2 / (2 * counts["f2"] + 1) > _SPARSE * self.n_rows

    def _numbered(self, name: str) -> Numbering | None:
        if self._source.types[name] == "VARCHAR":
            return self._numbered_texts(name)
        as_they_are = self._kinds.get(name) in (None, "number") and tuple(self._missing) == MISSING_MARKS
        if as_they_are and _WHOLE.fullmatch(self._source.types[name]):
            return self._numbered_whole(name)
        return None

    def _numbered_texts(self, name: str) -> Numbering | None:
        cell = self._source.cell(name)

        def distinct(rows: duckdb.DuckDBPyRelation) -> duckdb.DuckDBPyRelation:
            return rows.project(f"{cell} AS c0").distinct().limit(_MOST_TEXTS + 1)

        texts = self._run([name], distinct).column("c0")
        if not 0 < len(texts) <= _MOST_TEXTS:
            return None
        coded = self._encoded(name, texts)
        order = np.argsort(coded.codes, kind="stable")  # numbers increase with codes, so that keys are in order
        order = order[texts.is_valid().to_numpy()[order]]
        listed = ", ".join(map(_literal, texts.take(pa.array(order)).to_pylist()))
        return Numbering(
            cell=f"TRY_CAST({cell} AS ENUM({listed}))" if listed else "NULL",
            number="enum_code({c})" if listed else "NULL",
            levels=len(order),
            code_of=np.append(coded.codes[order], len(coded.values)),
            values=coded.values,
            in_order=coded.levels == len(texts),
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


def _same(counted: Tally, persons: Tally) -> Tally:
    if not np.array_equal(counted.codes, persons.codes):
        raise changed()
    return persons
