# SPDX-License-Identifier: Apache-2.0
"""Parquet files that a command does not read whole: a folder of them, a pattern, or one with many rows."""

from __future__ import annotations

import glob
from pathlib import Path

from discreet.errors import DataError, quietly

_MANY_ROWS = 2_000_000  # of a Parquet file that is not read whole


def parquet_files(path: Path) -> list[Path]:
    """The Parquet files of a folder or pattern, or a file with many rows: what is not read whole. Else none."""
    import pyarrow.parquet as pq

    if path.is_dir():
        files = sorted(path.glob("*.parquet"))
        if not files:
            raise DataError(f"The folder {path.name!r} holds no Parquet files.")
        return files
    if not path.exists() and glob.has_magic(str(path)):
        files = sorted(map(Path, glob.glob(str(path))))
        return files if files and all(file.suffix.lower() == ".parquet" for file in files) else []
    if path.suffix.lower() != ".parquet":
        return []
    metadata = quietly(pq.read_metadata, path)[0]
    return [path] if metadata is not None and metadata.num_rows > _MANY_ROWS else []
