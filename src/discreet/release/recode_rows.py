# SPDX-License-Identifier: Apache-2.0
"""Recode new rows to the form of a saved release, from its published folder alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.data.as_it_came import as_it_came
from discreet.data.column import Column, encode
from discreet.data.dataset import rows_with_items
from discreet.data.table import Table
from discreet.errors import DataError, listing, quietly, shown
from discreet.foundation.lazy_modules import parquet as pq
from discreet.foundation.plain_files import MOST_STATED, opened, read_most
from discreet.recoding.grouped_items import GroupedItems
from discreet.recoding.patterns import Boxes, EachColumn, read_like_release, recoded
from discreet.recoding.record import RECORD, from_bytes
from discreet.recoding.unknown_values import UnknownValues
from discreet.release.certificate import Certificate, sha256_of

_BATCH = 250_000  # rows that are recoded at a time
_MOST_INPUT = 2**50  # bytes of a file of new rows, which is read in batches
_ANEW = "Get the release again from its holder."


def recoding_of(folder: str | os.PathLike[str]) -> Recoding:
    """How the release in `folder` recodes new rows, batch by batch, for rows that are not read whole."""
    folder = Path(folder)
    certificate = Certificate.read(folder)
    content = _record(folder, certificate)
    if certificate.shape == "baskets":
        raise DataError("The release is of grouped items: its rows are recoded whole (discreet.recode).")
    return Recoding.of(content, certificate)


@dataclass(frozen=True, eq=False)
class Recoding:
    """The published plan of a table, and its columns.

    `untyped`: the release is in CSV, where a column of the labels 0 and 1 is read as numbers, and so they are here.
    """

    plan: EachColumn | Boxes
    names: tuple[str, ...]
    untyped: bool

    @classmethod
    def of(cls, record: bytes, certificate: Certificate) -> Recoding:
        return cls(
            from_bytes(record), tuple(column.name for column in certificate.columns), "data.csv" in certificate.files
        )

    def __call__(self, rows: Any, names: tuple[str, ...] | None = None) -> Table:
        """Some rows with the columns of the release, or `names` of them, and its labels."""
        table, unknown = read_like_release(self.plan, rows), UnknownValues()
        unknown.add(self.plan, table)
        unknown.warn()
        return self._recoded(table, self.names if names is None else names)

    def files(self, paths: Iterable[Path], sink: Callable[[pa.Table], None]) -> int:
        """Recode the rows of Parquet files, a batch at a time, and return their number.

        Columns that the release does not recode are written as they are in the files.
        """
        unknown = UnknownValues()
        for path in paths:
            with opened(path, most=_MOST_INPUT, links=True) as file:
                parquet, failure = quietly(pq.ParquetFile, file)
                if parquet is None:
                    raise DataError(f"{shown(path.name)} is not readable as Parquet ({failure}). Pass whole files.")
                for batch in parquet.iter_batches(_BATCH):
                    sink(self._batch(pa.Table.from_batches([batch]), unknown))
        unknown.warn()
        return unknown.rows

    def batches(self, rows: Iterable[pa.RecordBatch], sink: Callable[[pa.Table], None]) -> int:
        """As `files`, of rows that come in batches."""
        unknown = UnknownValues()
        for batch in rows:
            sink(self._batch(pa.Table.from_batches([batch]), unknown))
        unknown.warn()
        return unknown.rows

    def _batch(self, cells: pa.Table, unknown: UnknownValues) -> pa.Table:
        sources = {labelling.source for labelling in self.plan.labellings}
        if absent := sorted(sources - set(cells.column_names)):
            raise DataError(f"The new rows lack the columns {listing(absent)}, which the release recodes.")
        table = read_like_release(self.plan, cells.select(sorted(sources)), in_parts=True)
        unknown.add(self.plan, table)
        written = self._recoded(table, self.names).to_arrow()
        unchanged = [name for name in self.names if name not in written.column_names and name in cells.column_names]
        columns = {name: written.column(name) for name in written.column_names}
        columns |= {name: cells.column(name) for name in unchanged}
        return pa.table({name: columns[name] for name in self.names if name in columns})

    def _recoded(self, table: Table, names: tuple[str, ...]) -> Table:
        """The rows with the labels of the release, which are of the kinds that its file is read with."""
        written = recoded(self.plan, table, names)
        if not self.untyped:
            return written
        labels = {labelling.name: labelling.labels for labelling in self.plan.labellings}
        read = [_as_read(written.column(name), labels[name]) for name in written.names if name in labels]
        return written.with_columns([column for column in read if column is not None])


def recode(folder: str | os.PathLike[str], rows: Any) -> Any:
    """Recode new rows to the form of the release in `folder`: its columns and labels, in the order of the rows.

    `folder` is the published folder, which holds certificate.json; `rows` is any frame, file or query with the original
    quasi-identifiers. The result is the kind of frame that `rows` are, pandas with its index, and a `Table` for files,
    mappings and tables. For a release of grouped items `rows` are baskets or transactions, and so the result is
    baskets. A row that fits no published pattern takes the pattern that it matches in most columns; if many cells of a
    column hold values that the release does not know, there is a warning (`UnknownValuesWarning`). The promise covers
    the released rows only. `Recoder` does the same in a pipeline of scikit-learn.
    """
    folder = Path(folder)
    certificate = Certificate.read(folder)
    content = _record(folder, certificate)
    if certificate.shape == "baskets":
        return GroupedItems.from_bytes(content).apply(rows_with_items(rows))
    return as_it_came(Recoding.of(content, certificate)(rows), rows)


def _as_read(column: Column, labels: Iterable[str | None]) -> Column | None:
    """The column as it is read from a file with all these labels; None if that is as it is.

    A cell that fits none of them has no number, so it is missing among numbers.
    """
    published = encode(column.name, pa.array(labels, pa.string()))
    if column.values.type == published.values.type:
        return None
    place: dict[str | None, int] = {text: place for place, text in enumerate(published.texts)}
    code_of = np.array([place.get(text, len(place)) for text in (*column.texts, None)])
    return Column(column.name, published.kind, published.values, code_of[column.codes])


def _record(folder: Path, certificate: Certificate) -> bytes:
    """The published recoding record, unchanged since it was certified."""
    if not certificate.content_type.has_rows:
        hint = " Let the model predict them: discreet.load_model." if certificate.shape == "model" else ""
        raise DataError(
            f"The release is a document ({certificate.shape}) without rows, so rows cannot be recoded to it.{hint}"
        )
    if RECORD not in certificate.files:
        raise DataError(
            f"The release has no {RECORD}, so rows cannot be recoded to it: its method changes clusters of rows or"
            " draws numbers, or it has too many patterns. Ask its owner to recode them."
        )
    file_record = certificate.files[RECORD]
    if certificate.seal != certificate.computed_seal() or not os.path.lexists(folder / RECORD):
        raise DataError(f"The certificate was changed after it was sealed, or {RECORD} is not there. {_ANEW}")
    with opened(folder / RECORD, most=MOST_STATED) as file:
        if os.fstat(file.fileno()).st_size != file_record.bytes or sha256_of(file) != file_record.sha256:
            raise DataError(f"{RECORD} was changed after it was certified. {_ANEW}")
        return read_most(file, MOST_STATED)
