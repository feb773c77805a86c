# SPDX-License-Identifier: Apache-2.0
"""Published rows as a folder of Parquet files: part-00000.parquet and so on.

Each part is written by `data/storage.py`, and is small enough to be read back whatever its cells are
(`data/parquet.py`). Persons, if they are counted, go to files of the same names in another
folder, which the owner keeps.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from discreet.data.parquet import FREE_CELLS
from discreet.data.storage import write_part
from discreet.engines.protocol import PERSON
from discreet.foundation import system

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

    def take(self, folder: Path, owner: Path, names: Sequence[str]) -> None:
        """Parts that were written before, with their persons, on the same disk: they get a second name here."""
        for name in names:
            system.link_or_copy(folder / name, self.folder / name)
            if self.owner is not None:
                system.link_or_copy(owner / name, self.owner / name)
            self.files.append(self.folder / name)

    def write(self, rows: pa.Table) -> None:
        most = rows_of_part(rows.num_columns)
        for start in range(0, len(rows), most):
            part, name = rows.slice(start, most), f"part-{len(self.files):05}.parquet"
            if PERSON in part.column_names:
                assert self.owner is not None
                write_part(pa.table({"person": part.column(PERSON)}), self.owner / name)
                part = part.drop_columns([PERSON])
            write_part(part, self.folder / name)
            self.files.append(self.folder / name)

    def adopt(self, file: Path, persons: Path | None = None) -> None:
        """Take over a part that another process wrote on the same disk with a sink of its own, and its persons."""
        name = f"part-{len(self.files):05}.parquet"
        if persons is not None:
            assert self.owner is not None
            os.rename(persons, self.owner / name)
        os.rename(file, self.folder / name)
        self.files.append(self.folder / name)
