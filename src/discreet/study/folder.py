# SPDX-License-Identifier: Apache-2.0
"""The folder of a study, the owner's: what was asked, one file for each result, the releases, a cache of scores.

study.json        which data and which recipe this is, as hashes: a study goes on with these alone
recipe.toml       the recipe as it was given
results/NAME.json what came of one task
releases/NAME/    its release and the owner's files
results/NAME.doing  while a task is being done in the process of the study itself: it stays when that is killed
cache/            scores of single folds, see evaluate/cache.py
results.parquet, report.html    made at the end, from the results

A file appears whole or not at all, so a study that was killed goes on where it was.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from discreet.atomic import write_whole
from discreet.errors import DataError, shown

FORMAT = 1
_STATE = "study.json"
_LOCK = "lock"
_PARTIAL = ".partial-"


class StudyFolder:
    """A folder for one recipe and one data set; made if it does not exist, refused if it is another study's."""

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    @property
    def releases(self) -> Path:
        return self.path / "releases"

    @property
    def cache(self) -> Path:
        return self.path / "cache"

    def begin(self, asked: dict[str, str], recipe: str) -> int:
        """Make the folder, or go on with it when it asks the same. Gives the study's own secret number.

        All random choices of its releases follow from that number, so that a study that was killed ends as it would
        have. It stays in the folder and is in no release.
        """
        name = shown(self.path.name)
        state = self._state()
        if state is None:
            if self.path.exists() and (not self.path.is_dir() or not self._fresh()):
                raise DataError(f"{name} exists and is no study. Choose another folder.")
            self._make(self.path)
            state = {"format": FORMAT, **asked, "secret": secrets.randbits(63)}
            self.write(_STATE, _json(state))  # first: a folder with it is a study, whatever else is missing
        differs = [what for what, value in asked.items() if state.get(what) != value]
        if differs:
            raise DataError(
                f"{name} is a study of another {' and '.join(differs)}. Choose another folder, or remove this one."
            )
        self._make(self.path / "results", self.releases)
        self.write("recipe.toml", recipe.encode())
        return int(state["secret"])

    def _fresh(self) -> bool:
        """Whether the folder holds nothing but what a study leaves that was killed as it began."""
        left = [path for path in self.path.iterdir() if not path.name.startswith(_PARTIAL)]
        return not left

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else runs this study meanwhile. The lock ends with the process."""
        (self.path / _LOCK).touch(mode=0o600)
        with (self.path / _LOCK).open("r+") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise DataError(f"The study {shown(self.path.name)} is running already. Wait for it to end.") from None
            for path in self.path.rglob(f"{_PARTIAL}*"):
                if self.cache not in path.parents:
                    path.unlink(missing_ok=True)
            yield

    def _make(self, *folders: Path) -> None:
        try:
            for folder in folders:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                folder.chmod(0o700)
        except OSError as error:
            raise DataError(
                f"{shown(self.path.name)} cannot be written there ({error.strerror}). Choose another folder."
            ) from None

    def _state(self) -> dict[str, Any] | None:
        try:
            state = json.loads((self.path / _STATE).read_bytes())
            return state if state["format"] == FORMAT and isinstance(state["secret"], int) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    # -- results -------------------------------------------------------------------------------------------------------

    def result(self, name: str) -> dict[str, Any] | None:
        """What came of a task, or None while it is not known."""
        try:
            found = json.loads((self.path / "results" / f"{name}.json").read_bytes())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and found.get("format") == FORMAT else None

    def keep(self, name: str, result: dict[str, Any]) -> None:
        self.write(f"results/{name}.json", _json({"format": FORMAT, **result}))

    def results(self, names: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        for name in names:
            if (found := self.result(name)) is not None:
                yield name, found

    @contextmanager
    def marked(self, name: str) -> Iterator[None]:
        """The task is being done. A mark of it stays when the process is killed meanwhile."""
        mark = self._mark(name)
        mark.touch(mode=0o600)
        try:
            yield
        finally:
            mark.unlink(missing_ok=True)

    def was_killed(self, name: str) -> bool:
        """Whether the study was killed while this task was being done."""
        return self._mark(name).exists()

    def _mark(self, name: str) -> Path:
        return self.path / "results" / f"{name}.doing"

    def write(self, name: str, content: bytes) -> Path:
        """A file of this user's alone, whole or not at all."""
        path = self.path / name
        try:
            write_whole(path, content, _PARTIAL)
        except OSError as error:
            raise DataError(
                f"Writing {shown(path.name)} failed ({error.strerror}). What is done so far is kept; run it again."
            ) from None
        return path


def _json(content: dict[str, Any]) -> bytes:
    return (json.dumps(content, indent=1, allow_nan=False) + "\n").encode()
