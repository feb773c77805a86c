# SPDX-License-Identifier: Apache-2.0
"""Count and publish rows on a Spark cluster.

What cells mean, decisions and labels are made here, as for a table in memory; the workers code, count, order and write
the rows, in Python of their own (`spark_exchange.py`). The result equals that of the same table in memory.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.coding import Coding, ListedCells, ReadCells, changed
from discreet.counting.distinct_estimate import SAMPLE, distinct_rows
from discreet.counting.router import Histograms, Router
from discreet.counting.tally import Tally
from discreet.data.cells import Cells
from discreet.data.column import MISSING_MARKS, Kind
from discreet.data.frames import type_of
from discreet.data.notation import Formats
from discreet.data.read import as_path
from discreet.data.reading import Marks
from discreet.engines.parts_sink import PartsSink
from discreet.engines.protocol import Apply, Sink
from discreet.engines.raw_cells import MOST_LISTED, CodedColumns
from discreet.engines.resumable import identity_of_files
from discreet.engines.source_files import no_csv_options
from discreet.engines.spark_counting import CountCells, CountRows, FindCells, FoundCells, Packed, ReadRows, from_bytes
from discreet.engines.spark_histograms import CodeRows, CountRanks
from discreet.engines.spark_pieces import Files, RowPiece
from discreet.engines.spark_publish import PublishRows, WrittenParts, rows_of_written
from discreet.engines.spark_sample import DrawRows
from discreet.engines.spark_session import Session, check_installed, is_frame
from discreet.engines.table_sample import TableSample, sample_of
from discreet.errors import DataError, listing
from discreet.foundation.atomic_files import scratch_folder

_GROUPS = 2_000_000  # rows, whose groups are added up in one task
_SMALL_BUCKET, _BUCKET = 100_000, 4_000_000  # published rows that one task sorts and writes


class Spark(CodedColumns):
    """A table whose rows are counted and published by the workers of a Spark cluster.

    Parameters
    ----------
    source : path or DataFrame of Spark
        A path, a pattern (`visits/2024-*.parquet`) or a folder of Parquet or CSV files, which all workers reach under
        the same path. A DataFrame is computed once and copied to `scratch`: select the columns that you need before.
    master : str, such as "spark://host:7077" or "local[4]"
        The cluster. By default the Spark that runs in this process, or else "local[*]", all cores of this machine.
    options : mapping
        Settings of Spark (`spark.executor.memory`), if it is started here.
    scratch : path
        A folder on a disk that all workers reach, for the copy of a DataFrame and for parts until they are checked. By
        default the folder for temporary files, which is right if all workers run on this machine.
    kinds, missing, decimal, thousands, date_format, delimiter, quote, encoding, names, header
        As for `Table.of`.
    """

    def __init__(
        self,
        source: Any,
        *,
        master: str | None = None,
        options: Mapping[str, str] | None = None,
        scratch: str | os.PathLike[str] | None = None,
        kinds: Mapping[str, Kind] | None = None,
        missing: Sequence[str] = MISSING_MARKS,
        decimal: str | Mapping[str, str] | None = None,
        thousands: str | Mapping[str, str] | None = None,
        date_format: str | Mapping[str, str] | None = None,
        **csv_options: Any,
    ):
        formats = Formats.of(decimal=decimal, thousands=thousands, date_format=date_format)
        super().__init__(kinds=kinds, missing=missing, formats=formats)
        self.scratch = None if scratch is None else as_path(scratch).resolve()
        self._until_closed = ExitStack()
        weakref.finalize(self, self._until_closed.close)
        try:
            self._open(source, master, dict(options or {}), csv_options)
        except BaseException:
            self.close()
            raise
        self._state = self._files.state()
        self._found: dict[str, FoundCells] = {}
        self._many: dict[str, int] = {}
        self._check_kinds()

    def _open(
        self,
        source: Any,
        master: str | None,
        options: dict[str, str],
        csv_options: dict[str, Any],
    ) -> None:
        if is_frame(source):
            no_csv_options(csv_options, source)
            if master is not None or options:
                raise DataError("A DataFrame has its master and its options already: leave them out.")
            self._session = Session.of_frame(source)
        elif isinstance(source, (str, os.PathLike)):
            check_installed()
            files = Files.of(source, csv_options)
            self._session = Session.start(master, options)
            self._until_closed.callback(self._session.close)
        else:
            raise DataError(
                f"{type_of(source)} is not a source of the Spark engine: pass the path of Parquet or CSV files, or a"
                f" DataFrame of Spark."
            )
        from discreet.engines.spark_exchange import Exchange
        from discreet.engines.spark_frames import copied

        self._exchange = Exchange(self._session.context)
        if is_frame(source):
            folder = self._until_closed.enter_context(scratch_folder(self.scratch))
            files = Files.of_parquet("of the copied DataFrame", copied(source, folder))
        elif files.row_groups is None:
            files = files.counted(self._exchange.each(files.pieces(1), RowPiece.counted))
        self._files = files
        self._pieces = files.pieces(self._session.parallelism)

    # -- columns and rows ------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        return self._files.names

    def _count(self) -> int:
        return self._files.n_rows

    def __repr__(self) -> str:
        return f"Spark({self._files.what}, columns {listing(self.names)})"

    def close(self) -> None:
        """Remove the copy of a DataFrame, and stop Spark if it was started here."""
        self._until_closed.close()

    def __enter__(self) -> Spark:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- counting --------------------------------------------------------------------------------------------------

    def tally(self, columns: Sequence[str], *, target: str | None = None, person: str | None = None) -> Tally:
        """The distinct rows of `columns` with their counts, as `counting.tally.tally` gives them for a table."""
        if person is None or target is None:
            return self._tally(columns, target, person)
        counted, persons = self._tally(columns, target, None), self._tally(columns, None, person)
        if not np.array_equal(counted.codes, persons.codes):
            raise changed()
        return replace(counted, sizes=persons.sizes)

    def _tally(self, columns: Sequence[str], target: str | None, person: str | None) -> Tally:
        names = [*columns, *([] if target is None else [target])]
        if not self.n_rows:
            raise self._no_rows()
        codings = self._codings([*names, *([] if person is None else [person])])
        if not names:
            sizes = np.array([self.n_rows if person is None else codings[person].levels])
            return Tally((), np.empty((1, 0), np.int32), np.array([[self.n_rows]]), sizes)
        n_buckets = self._n_group_buckets
        packed = Packed.of([len(codings[name].values) + 1 for name in names])
        counting = CountRows(tuple(names), packed, n_buckets, person)
        groups = self._exchange.through(
            self._pieces, counting.scatter, counting.gather, n_buckets=n_buckets, shared=codings
        )
        self._unchanged()
        return counting.tally(codings, groups, n_classes=None if target is None else codings[target].levels)

    def coding(self, name: str, *, listed: bool = False) -> Coding:
        """How the raw cells of a column are read; they are listed if they are not too many, or if they must be."""
        self._find([name], most=None if listed else MOST_LISTED)
        found, kind = self._found[name], self._kinds.get(name)
        if found.cells is None:
            levels = self._n_different(name)
            return ReadCells.of_types(
                name, found.types, kind=kind, missing=self._missing, levels=levels, formats=self._formats
            )
        return ListedCells.of(name, found.cells, kind=kind, missing=self._missing, reader=self._reader)

    def _few_cells(self, name: str) -> pa.Array | None:
        self._find([name], most=MOST_LISTED)
        return self._found[name].cells

    def _n_different(self, name: str) -> int:
        """The number of distinct cells of a column that has too many to be listed."""
        if name not in self._many:
            counting = CountCells(name, self._n_group_buckets)
            self._many[name] = sum(
                self._exchange.through(self._pieces, counting.scatter, counting.gather, n_buckets=counting.n_buckets)
            )
        return self._many[name]

    @property
    def _n_group_buckets(self) -> int:
        return min(max(self.n_rows // _GROUPS, self._session.parallelism), 1000)

    def prepare(self, names: Sequence[str]) -> None:
        """Find the distinct cells of all these columns in one pass."""
        self._find(names, most=MOST_LISTED)

    def _codings(self, names: Sequence[str]) -> dict[str, ListedCells]:
        self._find(names, most=None)
        return {name: self._listed(name) for name in names}

    def _find(self, names: Sequence[str], *, most: int | None) -> None:
        """Find the distinct cells of columns of which they are not known yet."""
        self._check_columns(names)
        new = {name for name in names if name not in self._found or (most is None and self._found[name].cells is None)}
        if not new:
            return
        kinds = {name: self._kinds.get(name) for name in self.names if name in new}
        find = FindCells(kinds, most, self._missing, self._formats)
        parts = self._exchange.each(self._pieces, find)
        self._unchanged()
        for name in new:
            self._found[name] = find.joined(name, [part[name] for part in parts if part])

    # -- more distinct rows than memory ------------------------------------------------------------------------------

    def coded(self, columns: Sequence[str]) -> Iterator[list[np.ndarray]]:
        """All rows, in any order, the codes of each column. They come to the driver one piece after another."""
        yield from self._exchange.stream(self._pieces, CodeRows(tuple(columns)), self._codings(columns))
        self._unchanged()

    def likely_distinct(self, columns: Sequence[str]) -> int:
        """The number of distinct rows, estimated from rows of every piece."""
        codings = self._codings(columns)
        sample = CodeRows(tuple(columns), max(self.n_rows // SAMPLE, 1))
        parts = [part for part in self._exchange.each(self._pieces, sample, codings) if part]
        words = Packed.of([len(codings[name].values) + 1 for name in columns]).words(
            [np.concatenate(codes) for codes in zip(*parts, strict=True)]
        )
        return distinct_rows(np.unique(np.column_stack(words), axis=0, return_counts=True)[1], self.n_rows).likely

    def sample(self, columns: Sequence[str]) -> TableSample:
        """Random rows of some row groups, which the driver reads; nothing is started for it on the workers."""
        self._check_columns(columns)
        return sample_of(self._files.paths, columns)

    def identity(self, columns: Sequence[str]) -> list[Any] | None:
        """What tells the files from others, in this process and later."""
        return identity_of_files(self._files.paths)

    def histograms(
        self, router: Router, columns: Sequence[str], *, opened: Sequence[int], by: str | None = None
    ) -> Histograms:
        """Rows by rank, and by the classes `by`, in each of the opened ends of the router, for each column."""
        codings = self._codings([*columns, *([] if by is None else [by])])
        n_classes = 1 if by is None else len(codings[by].values) + 1
        n_bundles = min(len(self._pieces), 2 * self._session.parallelism)  # each brings a whole histogram along
        bundles, n_slices = [self._pieces[n::n_bundles] for n in range(n_bundles)], self._session.parallelism
        counting = CountRanks(tuple(columns), tuple(opened), by, n_classes, n_slices)
        slices = self._exchange.through(
            bundles, counting.scatter, counting.gather, n_buckets=n_slices, shared=(router, codings)
        )
        self._unchanged()
        return counting.histograms(router, slices)

    def state(self) -> object:
        """Something that changes when the rows do."""
        return self._files.state()

    def _unchanged(self) -> None:
        if self.state() != self._state:
            raise changed()

    # -- publishing ------------------------------------------------------------------------------------------------

    def publish(self, columns: Sequence[str], apply: Apply, secret: bytes, sink: Sink) -> int:
        """Pass the rows through `apply` on the workers, into `sink`, in an order that only the secret knows.

        Workers write to a scratch folder beside the folder of the sink, which they must reach.
        """
        with scratch_folder(sink.folder.parent if isinstance(sink, PartsSink) else self.scratch) as folder:
            job = PublishRows(tuple(columns), self._n_buckets(), folder)
            written: list[WrittenParts] = self._exchange.through(
                self._pieces, job.scatter, job.gather, n_buckets=job.n_buckets, shared=(apply, secret)
            )
            self._unchanged()
            for one in written:
                for place, file in enumerate(one.files):
                    persons = one.persons[place] if one.persons else None
                    if isinstance(sink, PartsSink):
                        sink.adopt(file, persons)
                    else:
                        sink.write(rows_of_written(file, persons))
        return sum(one.rows for one in written)

    def cells(self, columns: Sequence[str]) -> Iterator[dict[str, Cells]]:
        """All rows, a batch at a time: the cells of each column, each read by itself."""
        marks = Marks.of(self._missing)
        for batch in self._batches(columns):
            yield {
                name: Cells.of(batch.column(name), marks=marks, notations=self._formats.given(name).of_cells)
                for name in columns
            }

    def raw_rows(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The cells of all rows as they are stored. They come to the driver one piece after another."""
        self._check_columns(names)
        return self._batches(names)

    def drawn_rows(self, names: Sequence[str], *, share: float, key: bytes) -> Iterator[pa.RecordBatch]:
        """Rows that are drawn on the workers, each with the probability `share`."""
        self._check_columns(names)
        for rows in self._exchange.stream(self._pieces, DrawRows(tuple(names), share, key)):
            yield from from_bytes(rows).combine_chunks().to_batches() or [_no_rows_of(from_bytes(rows).schema)]
        self._unchanged()

    def _batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The raw cells of all rows. They come to the driver one piece after another."""
        for rows in self._exchange.stream(self._pieces, ReadRows(tuple(columns))):
            yield from from_bytes(rows).to_batches()
        self._unchanged()

    def to_spark(self, release: Any) -> Any:
        """The published rows of a release as a DataFrame that reads its parts.

        The promise was checked on the counts that the parts were made from; `save` counts the parts themselves. It can
        be read as long as the parts are there: save the release and read from its folder to keep them.
        """
        files = getattr(release.content, "files", None)
        if not files:
            raise DataError("This release has its rows in memory, not in parts: spark.createDataFrame takes them.")
        return self._session.spark.read.parquet(*map(str, files))

    def _n_buckets(self) -> int:
        few = min(-(-self.n_rows // _SMALL_BUCKET), self._session.parallelism)
        return min(max(-(-self.n_rows // _BUCKET), few, 1), 2**16 - 1)


def _no_rows_of(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)
