# SPDX-License-Identifier: Apache-2.0
"""Hashes of the data that a unit reads, by which a kept figure knows that the data have changed since.

A unit names what it reads: a folder of `DISCREET_DATA`, such as "adult", or a file of benchmarks, such as
"breach/published.toml". What it reads and does not name is an error while it is measured. The folders' hashes are also
noted in `data.json`: the page must come out the same where the folders are not at hand.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from benchmarks.reproduction.papers import HERE
from discreet.errors import DataError
from discreet.samples.catalog_files import VARIABLE, folder

NOTED = HERE / "reproduction" / "data.json"
_FILE = ".toml"


def digest(name: str) -> str:
    """Of all files of a folder whatever their names, or of what a TOML file holds, statements in words aside."""
    if name.endswith(_FILE):
        content = tomllib.loads((HERE / name).read_text(encoding="utf-8"), parse_float=str)
        content.pop("statements", None)
        return _short(json.dumps(content, sort_keys=True, default=str).encode())
    path = folder() / name
    files = sorted(hashlib.sha256(each.read_bytes()).digest() for each in path.rglob("*") if each.is_file())
    if not files:
        raise DataError(f"There is no folder {name!r} with files in the folder that {VARIABLE} names. Add it.")
    return _short(b"".join(files))


def current(names: Iterable[str]) -> dict[str, str]:
    """The hashes of data as they are now; of folders those that are noted."""
    known = noted()
    return {name: digest(name) if name.endswith(_FILE) else known.get(name, "") for name in names}


def noted() -> dict[str, str]:
    return json.loads(NOTED.read_text(encoding="utf-8")) if NOTED.exists() else {}


def note(names: Iterable[str]) -> None:
    """Look at folders and write their hashes down; those that are not at hand stay as they are noted."""
    if not os.environ.get(VARIABLE, "").strip():
        return
    found = noted() | {name: digest(name) for name in names if (folder() / name).is_dir()}
    NOTED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _short(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


# -- what is read while a unit is measured ----------------------------------------------------------------------------


class NotNamedError(Exception):
    """A unit reads data that it does not name: its kept figures would not know when those change."""


_watched: list[tuple[str, tuple[str, ...]]] = []  # folders, and what may be opened in them
_is_watching = False


@contextmanager
def only(names: Iterable[str]) -> Iterator[None]:
    """Open nothing of benchmarks and of the data but what is named."""
    global _is_watching
    names, start = tuple(names), len(_watched)
    if not _is_watching:
        sys.addaudithook(_watch)  # there is no way to take one away
        _is_watching = True
    for root in (str(HERE), os.environ.get(VARIABLE, "").strip()):
        if root:
            _watched.append((os.path.abspath(root) + os.sep, names))
    try:
        yield
    finally:
        del _watched[start:]


def _watch(event: str, arguments: tuple) -> None:
    if event != "open" or not _watched or not isinstance(arguments[0], (str, os.PathLike)):
        return
    path = os.path.abspath(os.fspath(arguments[0]))
    if path.endswith((".py", ".pyc")) or "__pycache__" in path:
        return
    for root, names in _watched:
        inside = path[len(root) :]
        if path.startswith(root) and not any(inside == name or inside.startswith(f"{name}{os.sep}") for name in names):
            raise NotNamedError(
                f"{inside} is read, and the unit names {', '.join(names) or 'no data'}: add it to `data`."
            )
