# SPDX-License-Identifier: Apache-2.0
"""Where bytes come from: a file, or bytes held in memory, which came from standard input or out of a packed file.

A few kilobytes may unpack to terabytes. So what is packed is unpacked in pieces and measured, and refused if it is
larger than a table packed to that size would be. Nothing is unpacked to disk.
"""

from __future__ import annotations

import glob
import io
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa

from discreet.errors import DataError, quietly, shown
from discreet.foundation.plain_files import check_plain

STANDARD_INPUT = "-"
_CODECS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
_PIECE = 2**22
_FREE, _RATIO = 2**30, 100  # bytes that may be unpacked from any file, and in addition for each of its own
_MOST_MEMBERS = 10_000  # of a zip archive
_OF_THE_SYSTEM = ("__MACOSX/", ".DS_Store", "Thumbs.db")  # that systems add to archives


@dataclass(frozen=True)
class HeldFile:
    """Bytes with the name of the file that they would be in."""

    name: str
    content: bytes = field(repr=False)

    def open(self, mode: str = "rb") -> BinaryIO:
        return io.BytesIO(self.content)


Source = Path | HeldFile


def only_source(path: Source) -> Source:
    """What a path names: a file, standard input, or the first file of a pattern."""
    if isinstance(path, Path) and str(path) == STANDARD_INPUT:
        return standard_input()
    return files_of(path)[0] if isinstance(path, Path) and is_pattern(path) else path


def is_pattern(path: Path) -> bool:
    """Whether a path is a pattern of several files, such as 'parts/*.csv', and not the name of one."""
    return glob.has_magic(str(path)) and not quietly(path.exists)[0]


def files_of(pattern: Path) -> list[Path]:
    """The files that a pattern names, in the order of their names."""
    files = sorted(path for path in map(Path, glob.glob(str(pattern))) if path.is_file())
    if not files:
        raise DataError(f"No file in {folder_name(pattern)} is named like {pattern.name!r}. Check the pattern.")
    return files


def folder_name(path: Path) -> str:
    return "the folder given" if str(path.parent) == "." else repr(str(path.parent))


def check_source(source: Source) -> None:
    """DataError for a path that is a pipe or a device."""
    if isinstance(source, Path):
        check_plain(source)


@cache
def standard_input() -> HeldFile:
    """All of standard input, which can be read only once, however often it is asked for."""
    if sys.stdin is None or sys.stdin.isatty():
        raise DataError("'-' is standard input, and nothing comes in there. Send a table: discreet ... - < table.csv")
    content = sys.stdin.buffer.read()
    if not content:
        raise DataError("Standard input is empty (0 bytes). A table needs a header line and rows.")
    return HeldFile("standard input", content)


def codec_of(start: bytes) -> str | None:
    """How bytes that begin so are compressed, None if they are not.

    >>> codec_of(b"BZh91AY"), codec_of(b"age,sex")
    ('bz2', None)
    """
    return next((codec for magic, codec in _CODECS.items() if start.startswith(magic)), None)


@contextmanager
def open_bytes(source: Source) -> Iterator[Any]:
    """Open the file, decompressed according to its first bytes, not its name."""
    with source.open("rb") as file:
        codec = codec_of(file.read(4))
    if isinstance(source, Path):
        with pa.input_stream(str(source), compression=codec) as stream:
            yield stream
    else:
        with pa.input_stream(pa.BufferReader(source.content), compression=codec) as stream:
            yield stream


def head_of(source: Source, count: int = 4096) -> bytes:
    """The first bytes, decompressed; as they are if they cannot be."""

    def unpacked() -> bytes:
        with open_bytes(source) as stream:
            return stream.read(count)

    head, _ = quietly(unpacked)
    if head is not None:
        return head
    with source.open("rb") as file:
        return file.read(count)


def check_expansion(source: Source) -> None:
    """DataError if a compressed file is far larger inside than a table would be."""
    for _ in _pieces(source):
        pass


def unpacked(source: Source) -> HeldFile:
    """A compressed file, decompressed in memory, under its name without the last ending."""
    return HeldFile(Path(source.name).stem, b"".join(_pieces(source)))


def _pieces(source: Source) -> Iterator[bytes]:
    total, most = 0, _most(source)
    with open_bytes(source) as stream:
        while piece := _next_piece(source, stream):
            total += len(piece)
            if total > most:
                raise _too_large(source, most)
            yield piece


def _next_piece(source: Source, stream: Any) -> bytes:
    piece, failure = quietly(stream.read, _PIECE)
    if piece is None:
        raise DataError(f"{shown(source.name)} cannot be read ({failure}): it is cut off or damaged.")
    return piece


def size_of(source: Source) -> int:
    return source.stat().st_size if isinstance(source, Path) else len(source.content)


def _most(source: Source) -> int:
    return _FREE + _RATIO * size_of(source)


def _too_large(source: Source, most: int) -> DataError:
    return DataError(
        f"{shown(source.name)} has {size_of(source):,} bytes and unpacks to more than {most:,}; that is not what a"
        " table packed to this size is like. If it is one, unpack it yourself and pass the file."
    )


# -- zip archives ------------------------------------------------------------------------------------------------------


def members_of(source: Source) -> list[str]:
    """The names of the files in a zip archive, after a look at their stated sizes; DataError if it is damaged."""

    def listed() -> list[zipfile.ZipInfo]:
        with source.open("rb") as file, zipfile.ZipFile(file) as archive:
            return archive.infolist()

    members, failure = quietly(listed)
    if members is None:
        raise DataError(f"{shown(source.name)} is a damaged spreadsheet or zip archive ({failure}). Get it again.")
    if len(members) > _MOST_MEMBERS or sum(one.file_size for one in members) > _most(source):
        raise _too_large(source, _most(source))
    return [one.filename for one in members if not one.is_dir()]


def only_member(source: Source) -> HeldFile:
    """The only file in a zip archive."""
    names = [name for name in members_of(source) if not _is_of_the_system(name)]
    if len(names) != 1:
        raise DataError(
            f"{shown(source.name)} is a zip archive of {len(names)} files; one is read. Unpack it and pass the table;"
            " tables with the same columns are read together by a pattern such as 'folder/*.csv'."
        )

    def read() -> bytes:
        with source.open("rb") as file, zipfile.ZipFile(file) as archive, archive.open(names[0]) as member:
            return member.read(_most(source) + 1)

    content, failure = quietly(read)
    if content is None:
        why = "it asks for a password" if failure == "RuntimeError" else failure
        raise DataError(f"{shown(source.name)} cannot be unpacked ({why}). Unpack it yourself and pass the table.")
    if len(content) > _most(source):
        raise _too_large(source, _most(source))
    return HeldFile(Path(names[0]).name, content)


def _is_of_the_system(name: str) -> bool:
    return name.startswith(_OF_THE_SYSTEM[0]) or Path(name).name in _OF_THE_SYSTEM
