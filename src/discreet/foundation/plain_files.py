# SPDX-License-Identifier: Apache-2.0
"""Files from untrusted sources: opened only if they are plain files within a size limit, and without blocking.

An untrusted folder may contain a pipe that never ends, a link to a device, or a file of terabytes. A file is inspected
through its open descriptor, so that the inspected file is the one that is read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from discreet.errors import DataError, shown
from discreet.foundation import system

MIB = 2**20
MOST_STATED = 16 * MIB  # bytes of a certificate, a document, a record of a recoding
MOST_SIGNATURE = 4096  # bytes of a signature or of a key
MOST_DATA = 2**33  # bytes of a data file
MOST_ENTRIES = 100  # entries of a release folder that are looked at


def opened(path: Path | str, *, most: int = MOST_DATA, links: bool = False) -> BinaryIO:
    """A plain file of at most `most` bytes, open for reading; DataError for anything else.

    `links` allows a link to a plain file: for paths named by the user, not for the content of a folder.
    """
    path = Path(path)
    try:
        file = open(  # noqa: SIM115 (the caller closes it)
            path, "rb", opener=lambda name, flags: system.open_file(name, flags, links=links)
        )
    except FileNotFoundError:
        raise DataError(f"There is no file {shown(path.name)}.") from None
    except (OSError, ValueError) as error:
        link = getattr(error, "errno", None) == errno.ELOOP
        why = "a link" if link else getattr(error, "strerror", None) or type(error).__name__
        raise DataError(f"{shown(path.name)} is not a plain file that can be read ({why}).") from None
    status = os.fstat(file.fileno())
    if stat.S_ISREG(status.st_mode) and status.st_size <= most:
        return file
    file.close()
    if stat.S_ISREG(status.st_mode):
        raise DataError(f"{shown(path.name)} has {status.st_size:,} bytes; at most {most:,} are read.")
    raise DataError(f"{shown(path.name)} is not a plain file ({_kind(status.st_mode)}).")


def check_plain(path: Path) -> None:
    """DataError for a pipe or a device named by the user: reading it could wait forever or never end."""
    mode = path.stat().st_mode if path.exists() else stat.S_IFREG  # who opens it reports that it does not exist
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise DataError(f"{shown(path.name)} is not a plain file ({_kind(mode)}). Save its content to a file first.")


@contextmanager
def open_file(source: Path | str | BinaryIO) -> Iterator[tuple[BinaryIO, str]]:
    """A file and its name: the plain file at a path, or an open file, rewound to its beginning."""
    if isinstance(source, (Path, str)):
        with opened(source) as file:
            yield file, Path(source).name
    else:
        source.seek(0)
        yield source, Path(source.name).name


def read_plain(path: Path | str, *, most: int = MOST_STATED, links: bool = False) -> bytes:
    """All bytes of a plain file."""
    with opened(path, most=most, links=links) as file:
        return read_most(file, most)


def read_most(file: BinaryIO, most: int) -> bytes:
    """All bytes of an open file from its beginning; DataError if it has grown beyond `most` since it was opened."""
    try:
        file.seek(0)
        content = file.read(most + 1)
    except OSError as error:
        raise DataError(f"A file cannot be read ({error.strerror}).") from None
    if len(content) > most:
        raise DataError(f"A file has grown beyond {most:,} bytes while it was read.")
    return content


def _kind(mode: int) -> str:
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFDIR: "a folder"}
    return kinds.get(stat.S_IFMT(mode), "a socket" if stat.S_ISSOCK(mode) else "something else")
