# SPDX-License-Identifier: Apache-2.0
"""Read the owner's folder, to repeat the measurements that only the owner can make."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa

from discreet.data.column import Kind
from discreet.data.content import Content
from discreet.data.document import Document
from discreet.data.records import Records
from discreet.data.storage import columns_of
from discreet.data.table import Table
from discreet.errors import DataError, Setting, plain, shown
from discreet.foundation.lazy_modules import parquet as pq
from discreet.foundation.plain_files import opened
from discreet.sketching.signs import KEY_FILE, Signs, read_key
from discreet.sketching.sketches import Sketches, sketch

PERSONS = "persons.parquet"  # the person behind each released row
PERSON_PARTS = "persons"  # the same for a table in parts: a folder with a file for each part
EVIDENCE = "evidence.parquet"  # the rows behind a document, or behind published rows


_FILES = ("trace.json", KEY_FILE, PERSONS, EVIDENCE, PERSON_PARTS)  # one of which every owner's folder holds


def check_owner(owner: str | os.PathLike[str] | None) -> None:
    """DataError unless this is a folder that a release left for its owner, or None."""
    if owner is None or any((Path(owner) / name).exists() for name in _FILES):
        return
    folder = Path(owner)
    what = "holds none of its files" if folder.is_dir() else "does not exist"
    below = folder / "owner"
    hint = f" Did you mean {plain(below)}?" if below.is_dir() else ""
    raise DataError(
        Setting("owner"),
        f" names {shown(folder.name)}, which {what}. The owner's folder lies beside the release when it is made.{hint}",
    )


def with_evidence(document: Document, owner: Path, *, by_person: bool) -> Document:
    """The document with the owner's rows behind it."""
    kinds: dict[str, Kind] = {name: kind for name, _, kind in document.columns}  # type: ignore[misc]
    evidence = Table(columns_of(_read(owner / EVIDENCE), kinds))
    return document.with_evidence(evidence, read_persons(owner, len(evidence)) if by_person else None)


def read_source(owner: Path) -> Table:
    """The original quasi-identifiers of the published rows; kinds follow from the file's types."""
    arrow = _read(owner / EVIDENCE)
    return Table(columns_of(arrow, {column.name: _kind_of(column.type) for column in arrow.schema}))


def _read(path: Path, rows: int | None = None) -> pa.Table:
    """Read a Parquet file of the owner; DataError unless it has `rows` rows, if that is not None."""
    try:
        with opened(path) as file:
            parquet = pq.ParquetFile(file)
            n_rows = parquet.metadata.num_rows
            if rows is None or n_rows == rows:
                return parquet.read()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"The owner's folder has no readable {path.name} ({type(error).__name__}).") from None
    raise DataError(f"The owner's {path.name} has {n_rows} rows, the release {rows}.")


def read_records(sketches: Sketches, owner: Path) -> tuple[Records, Signs]:
    """The owner's records and signs; DataError unless they give the published sketches."""
    signs, names = read_key(owner / KEY_FILE)
    records = Records.read(owner / EVIDENCE, names)
    if len(records) != len(sketches):
        raise DataError(f"The owner's {EVIDENCE} has {len(records)} records, the release {len(sketches)} sketches.")
    again = sketch(records, signs, sketches.counts)
    if not np.array_equal(again.values, sketches.values):
        raise DataError("The published sketches are not those of the owner's records with the owner's key.")
    return records, signs


def _kind_of(type_: pa.DataType) -> Kind:
    if pa.types.is_temporal(type_):
        return "date"
    return "number" if pa.types.is_integer(type_) or pa.types.is_floating(type_) else "category"


def persons_of(owner: Path, content: Content) -> np.ndarray | tuple[Path, ...]:
    """The persons behind published rows: numbered, or for a stored table the files with their numbers."""
    if not content.is_stored:
        return read_persons(owner, content.n_rows)
    files = tuple(sorted((owner / PERSON_PARTS).glob("part-*.parquet")))
    if not files:
        raise DataError(f"The owner's folder has no {PERSON_PARTS}/ with the persons behind the parts.")
    return files


def read_persons(owner: Path, rows: int) -> np.ndarray:
    """The person behind each published row, numbered from 0."""
    table = _read(owner / PERSONS, rows)
    try:
        return np.unique(table.column("person").to_numpy(), return_inverse=True)[1]
    except (KeyError, TypeError, ValueError, pa.ArrowException):
        raise DataError(f"The owner's folder has no readable {PERSONS}.") from None
