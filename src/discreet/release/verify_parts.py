# SPDX-License-Identifier: Apache-2.0
"""A table in parts, from somebody else's folder: plain files of the stated names and no others, opened one at a time.

Thousands of parts are not kept open. Each is hashed through one descriptor, and whoever reads it later must find the
same unchanged file. Its layout is checked before any cell is decoded, part by part, as that of a single file is.
"""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa

from discreet.data.column import Kind
from discreet.data.parquet import CELLS_PER_BYTE, layout_of
from discreet.data.stored_table import FOLDER, StoredTable, part_names
from discreet.errors import DataError, listing, quietly
from discreet.foundation.lazy_modules import parquet as pq
from discreet.foundation.plain_files import opened
from discreet.release.certificate import Certificate, sha256_of

MOST_PARTS = 100_000
MOST_CELLS = 2**33  # allowed in all parts together, however short; a few minutes
MOST_GROUP = 2**20  # rows of a group of rows, which is read at a time
_TYPES: dict[Kind, tuple[pa.DataType, ...]] = {  # a type of more detail than values have would hide a second spelling
    "number": (pa.int64(), pa.float64(), pa.bool_()),
    "date": (pa.date32(), pa.timestamp("us")),
    "category": (pa.string(), pa.bool_()),
}


def parts_of(certificate: Certificate) -> tuple[str, ...]:
    """The names of the parts that the certificate states, in order; empty if the release has no parts."""
    return tuple(sorted(name for name in certificate.files if name.startswith(f"{FOLDER}/")))


def check_part_names(certificate: Certificate) -> None:
    """DataError unless the parts are numbered from 0 on, of a table, and not too many."""
    names = parts_of(certificate)
    if len(names) > MOST_PARTS:
        raise DataError(f"The certificate names {len(names):,} parts; at most {MOST_PARTS:,} are read.")
    if certificate.shape != "table":
        raise DataError(f"Only tables have parts; the release has the shape {certificate.shape!r}.")
    if names != part_names(len(names)):
        raise DataError(f"The parts of a table are {part_names(1)[0]} and so on; the certificate names others.")


def open_parts(folder: Path, certificate: Certificate) -> tuple[StoredTable, list[str]]:
    """The table in the parts, and what is wrong with the files."""
    names, problems = parts_of(certificate), []
    expected = {name.removeprefix(f"{FOLDER}/") for name in names}
    there, extra = _entries(folder / FOLDER, expected)
    if extra:
        problems.append(f"{extra} entries in {FOLDER}/ are not files that the certificate names.")
    if expected - there:
        problems.append(f"Files that the certificate names are missing: {listing(sorted(expected - there))}.")
    table = StoredTable([folder / name for name in names], certificate.kinds)
    if not problems:
        changed = [name for name in names if not _as_stated(table, folder / name, certificate, name)]
        if changed:
            problems.append(f"Files were changed after they were certified: {listing(changed)}.")
    return table, problems


def _entries(folder: Path, expected: set[str]) -> tuple[set[str], int]:
    """The expected plain files of a folder, and the number of other entries; a link to a folder is none."""
    if folder.is_symlink() or not folder.is_dir():
        raise DataError(f"The certificate names files in {FOLDER}/, which is not a folder.")
    there, extra = set(), 0
    with os.scandir(folder) as entries:
        for _, entry in zip(range(len(expected) + 100), entries, strict=False):
            fine = entry.name in expected and entry.is_file(follow_symlinks=False)
            there |= {entry.name} if fine else set()
            extra += not fine
    return there, extra


def _as_stated(table: StoredTable, path: Path, certificate: Certificate, name: str) -> bool:
    """Whether a part has the stated size and hash; it must then stay as it is."""
    record = certificate.files[name]
    with opened(path) as file:
        table.fix(path, file)
        if os.fstat(file.fileno()).st_size != record.bytes or sha256_of(file) != record.sha256:
            return False
        table.open(path).close()  # unchanged while it was hashed
    return True


def check_layouts(table: StoredTable, rows: int) -> None:
    """DataError unless every part is laid out as discreet writes them, all alike, with this number of rows in all."""
    found, cells, size, schema = 0, 0, 0, None
    for path in table.files:
        with table.open(path) as file:
            layout = layout_of(file, table.names)
            cells, size = cells + layout.cells, size + os.fstat(file.fileno()).st_size
            if cells > max(MOST_CELLS, CELLS_PER_BYTE * size):
                raise DataError(
                    f"The parts say that {size:,} bytes hold {cells:,} cells; above {MOST_CELLS:,}, at most"
                    f" {CELLS_PER_BYTE} per byte are read."
                )
            file.seek(0)
            parquet, failure = quietly(pq.ParquetFile, file)
            if parquet is None:
                raise DataError(f"{path.name} cannot be read ({failure}).")
            sizes = [parquet.metadata.row_group(group).num_rows for group in range(parquet.num_row_groups)]
            mine = parquet.schema_arrow
        if max(sizes, default=0) > MOST_GROUP:
            raise DataError(
                f"{path.name} has {max(sizes):,} rows in one group; at most {MOST_GROUP:,} are read at once."
            )
        if schema is not None and not mine.equals(schema):
            raise DataError(f"{path.name} has other types of columns than the parts before it.")
        schema, found = mine, found + layout.rows
        if found > rows:
            break
    if found != rows:
        raise DataError(f"{rows} rows were stated; the data has {'more' if found > rows else found}.")
    if schema is not None:
        strange = [field.name for field in schema if field.type not in _TYPES[table.kinds[field.name]]]
        if strange:
            raise DataError(
                f"The parts have columns of types that discreet does not write for their kinds: {listing(strange)}."
            )
