# SPDX-License-Identifier: Apache-2.0
"""Scores on disk, keyed by the content of the question, so that an interrupted study continues where it stopped.

A folder of its own, mode 0700, with a marker; one small file for each score, mode 0600. An entry holds the score, or
why there was no release, and what was measured by name; no rows, no predictions, no parameters. Still the scores come
from private rows and are covered by no promise: the folder is the owner's.

An entry appears whole or not at all, whoever writes beside it. One that is damaged, or answers another question, counts
as absent.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import math
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.errors import DataError, shown
from discreet.foundation import system
from discreet.foundation.atomic_files import write_whole
from discreet.learning.cross_validation import Score

MARKER = "discreet-cache"
_MARK = "A cache of discreet evaluate: scores that come from private rows. discreet cache purge removes it.\n"
_PARTIAL = ".partial-"
_FIELDS = tuple(field.name for field in dataclasses.fields(Score) if field.name != "others")


@dataclass(frozen=True)
class Refusal:
    """Why there is no score: the method made no release that could be measured."""

    reason: str


@dataclass(frozen=True)
class Summary:
    """What a cache holds: entries, bytes, damaged entries, and how many entries there are of each kind."""

    entries: int
    bytes: int
    damaged: int
    kinds: dict[tuple[str, str, str], int]  # method, protocol, classifier


class Cache:
    """A folder of scores; made if it does not exist, refused if it holds anything else."""

    def __init__(self, folder: str | os.PathLike[str]):
        self.folder = Path(folder)
        name = shown(self.folder.name)
        if self.folder.is_symlink() or (self.folder.exists() and not self.folder.is_dir()):
            raise DataError(f"{name} is a file or a link. Name a folder for the cache.")
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            marker = self.folder / MARKER
            if not marker.is_file():
                strange = any(not path.name.startswith(_PARTIAL) for path in self.folder.iterdir())
                if strange and not marker.is_file():  # another process may just have made it
                    raise DataError(
                        f"{name} holds files and is not a cache of discreet. Choose an empty or new folder."
                    )
                write_whole(marker, _MARK.encode(), _PARTIAL, sync=False)
            system.set_mode(self.folder, 0o700)
        except OSError as error:
            raise DataError(f"{name} cannot be a cache ({error.strerror}). Choose another folder.") from None

    @classmethod
    def existing(cls, folder: str | os.PathLike[str]) -> Cache:
        """The cache in a folder; DataError when there is none."""
        path = Path(folder)
        if path.is_symlink() or not (path / MARKER).is_file():
            raise DataError(
                f"{shown(path.name)} is not a cache of discreet: it has no file {MARKER!r}. Nothing was done."
            )
        return cls(path)

    # -- entries ---------------------------------------------------------------------------------------------------

    def get(self, key: str) -> Score | Refusal | None:
        """The outcome stored under the key, or None."""
        entry = _read(self._path(key))
        return None if entry is None or entry["key"] != key else _outcome(entry)

    def put(self, key: str, outcome: Score | Refusal, about: dict[str, Any]) -> None:
        """Store an outcome; `about` names the method, protocol and classifier."""
        entry: dict[str, Any] = {"key": key, "about": about}
        if isinstance(outcome, Refusal):
            entry["refused"] = outcome.reason
        else:  # a figure that is not a number is written as null
            plain = {name: getattr(outcome, name) for name in _FIELDS}
            entry["score"] = {name: None if math.isnan(value) else value for name, value in plain.items()}
        path = self._path(key)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        content = json.dumps(entry | {"check": _check(entry)}, allow_nan=False).encode()
        write_whole(path, content, _PARTIAL, sync=False)

    @contextmanager
    def claimed(self, key: str, *, wait: bool) -> Iterator[bool]:
        """Whether this process holds the lock of the key. With `wait` it waits for the lock.

        A claim ends with its process. Where folders cannot be locked, everybody has it: some work is done twice.
        """
        part = self._path(key).parent
        part.mkdir(mode=0o700, exist_ok=True)
        with system.locked_folder(part, wait=wait) as mine:
            yield mine

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / f"{key}.json"

    # -- the whole folder ------------------------------------------------------------------------------------------

    def summary(self) -> Summary:
        """Count the entries by kind."""
        entries = damaged = size = 0
        kinds: Counter[tuple[str, str, str]] = Counter()
        for path in self._files():
            size += path.lstat().st_size
            if path.suffix != ".json":
                continue
            entry = _read(path)
            if entry is None or entry["key"] != path.stem:
                damaged += 1
                continue
            entries += 1
            about = entry["about"]
            kinds[(about["method"], about["protocol"], about["classifier"])] += 1
        return Summary(entries, size, damaged, dict(sorted(kinds.items())))

    def purge(self) -> int:
        """Remove every entry, and the folder if nothing else is in it. Returns the number of entries removed."""
        removed = 0
        for path in [*self._files()]:
            path.unlink(missing_ok=True)
            removed += path.suffix == ".json"
        for part in self.folder.iterdir():
            if _is_part(part):
                with contextlib.suppress(OSError):  # something else lies in it
                    part.rmdir()
        others = [path for path in self.folder.iterdir() if path.name != MARKER and not path.name.startswith(_PARTIAL)]
        if not others:
            for path in self.folder.iterdir():
                path.unlink()
            self.folder.rmdir()
        return removed

    def _files(self) -> Iterator[Path]:
        """The files that are the cache's own, entries and what was left half-written."""
        for part in sorted(self.folder.iterdir()):
            if _is_part(part):
                for path in sorted(part.iterdir()):
                    is_entry = path.suffix == ".json" and len(path.stem) == 64 and path.stem.startswith(part.name)
                    if (is_entry or path.name.startswith(_PARTIAL)) and not path.is_dir():
                        yield path


def _is_part(path: Path) -> bool:
    return len(path.name) == 2 and set(path.name) <= set("0123456789abcdef") and path.is_dir() and not path.is_symlink()


def _check(entry: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> dict[str, Any] | None:
    """An entry, or None if it is absent or damaged."""
    try:
        entry = json.loads(path.read_bytes())
        check = entry.pop("check")
        outcome = entry.get("score") or entry["refused"]
        fits = isinstance(outcome, str) or set(outcome) == set(_FIELDS)
        fits &= {"key", "about"} <= set(entry) and {"method", "protocol", "classifier"} <= set(entry["about"])
        return entry if fits and check == _check(entry) else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _outcome(entry: dict[str, Any]) -> Score | Refusal:
    if "refused" in entry:
        return Refusal(entry["refused"])
    figures: dict[str, Any] = {name: float("nan") if value is None else value for name, value in entry["score"].items()}
    return Score(**figures)
