# SPDX-License-Identifier: Apache-2.0
"""Published rows as a folder of Parquet files: part-00000.parquet and so on.

Each part is written as the file of a release in memory is (`data/storage.py`), and is small enough to be read back
whatever its cells are (`data/parquet.py`). Persons, if they are counted, go to files of the same names in another
folder, which the owner keeps.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.parquet import FREE_CELLS
from discreet.engines.protocol import PERSON

_MOST_ROWS = 2**20


def rows_of_part(n_columns: int) -> int:
    """The most rows of a part with this number of columns."""
    return max(min(_MOST_ROWS, FREE_CELLS // max(n_columns, 1)), 1)


class PartsSink:
    """Writes rows to `folder`, and persons to `owner`; used in a `with` block, which removes both after a failure.

    >>> from discreet.foundation.atomic_files import scratch_folder
    >>> with scratch_folder() as scratch, PartsSink(scratch / "table") as sink:
    ...     sink.write(pa.table({"sex": ["f", "m"]}))
    ...     sink.write(pa.table({"sex": ["m"]}))
    ...     [file.name for file in sink.files]
    ['part-00000.parquet', 'part-00001.parquet']
    """

    def __init__(self, folder: Path, owner: Path | None = None):
        self.folder, self.owner = folder, owner
        self.files: list[Path] = []

    def __enter__(self) -> PartsSink:
        for folder in self._folders:
            folder.mkdir(mode=0o700)
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            for folder in self._folders:
                shutil.rmtree(folder, ignore_errors=True)

    @property
    def person_files(self) -> list[Path]:
        return [] if self.owner is None else [self.owner / file.name for file in self.files]

    @property
    def _folders(self) -> list[Path]:
        return [self.folder, *([] if self.owner is None else [self.owner])]

    def write(self, rows: pa.Table) -> None:
        most = rows_of_part(rows.num_columns)
        if len(rows) <= most:
            self._write_part(rows)
        for start in range(0, len(rows) if len(rows) > most else 0, most):
            part = rows.slice(start, most)
            self._write_part(pa.table([_without_unused(column) for column in part.columns], names=part.column_names))

    def _write_part(self, rows: pa.Table) -> None:
        name = f"part-{len(self.files):05}.parquet"
        if PERSON in rows.column_names:
            assert self.owner is not None
            _write(pa.table({"person": rows.column(PERSON)}), self.owner / name)
            rows = rows.drop_columns([PERSON])
        _write(rows, self.folder / name)
        self.files.append(self.folder / name)


def _without_unused(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The cells with a dictionary of those that occur: an unused entry would tell what other parts hold."""
    if not pa.types.is_dictionary(column.type):
        return column
    return column.cast(column.type.value_type).dictionary_encode()


def _write(rows: pa.Table, file: Path) -> None:
    pq.write_table(rows, file, compression="none", store_schema=False)
