# SPDX-License-Identifier: Apache-2.0
"""The files that a path, a pattern or a folder names, and whether they are Parquet or CSV."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet.data.file_kinds import TEXT, kind_of
from discreet.data.frames import type_of
from discreet.data.read import first_bytes, folder_name
from discreet.errors import DataError, listing, quietly


def files_of(path: Path) -> tuple[list[Path], bool]:
    """The files of a path or pattern, and whether it is a folder."""
    there, failure = quietly(path.exists)
    if there and not path.is_dir():
        return [path], False
    if there:
        files = sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(path)))
    else:
        files = sorted(Path(file) for file in glob.glob(str(path), recursive=True) if Path(file).is_file())
    if not files or failure:
        many = there or glob.has_magic(str(path))
        raise DataError(
            f"There {'are no files' if many else 'is no file'} {path.name!r} in {folder_name(path)}. Check the path."
        )
    return files, bool(there)


def holds_parquet(path: Path, files: Sequence[Path], is_folder: bool) -> bool:
    """Whether the files are Parquet; if not, they are CSV files that can be opened."""
    starts = [quietly(first_bytes, file)[0] for file in files]
    if all(start == b"PAR1" for start in starts):
        return True
    if is_folder or any(start == b"PAR1" for start in starts):
        raise DataError(f"{path.name!r} holds files that are not Parquet. Pass Parquet files, or CSV files, not both.")
    if any(start is None for start in starts):
        raise DataError(f"{path.name!r} cannot be opened. Check its permissions.")
    if files[0].stat().st_size and (kind := kind_of(files[0])) != TEXT:
        raise DataError(
            f"An engine reads CSV, Parquet, SQLite and DuckDB files; {path.name!r} is {kind}. Leave the engine out, or"
            " save the table as Parquet."
        )
    return False


def stamp_of(file: Path) -> tuple[int, int]:
    """Time and size of a file, unchanged as long as nobody writes to it."""
    stat = file.stat()
    return stat.st_mtime_ns, stat.st_size


def no_csv_options(csv_options: dict[str, Any], data: Any) -> None:
    if csv_options:
        raise DataError(f"The options {listing(csv_options)} are for CSV files; {type_of(data)} was given.")


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.parts)
