# SPDX-License-Identifier: Apache-2.0
"""The owner's folder of a study: the recipe, one file per result, the releases, a cache of scores.

study.json        hashes of the data and the recipe, and the version: a study resumes only with the same
recipe.toml       the recipe as given
results/NAME.json the result of one task
releases/NAME/    its release and the owner's files
results/NAME.doing  while a task is being done in the process of the study itself: it stays when that is killed
cache/            scores of single folds, see evaluate/score_cache.py
results.parquet, report.html    made at the end, from the results

A file appears whole or not at all, so a study that was killed goes on where it was.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from discreet._version import __version__
from discreet.errors import DataError, shown
from discreet.foundation import system
from discreet.foundation.atomic_files import write_whole

FORMAT = 1
RESULT_FORMAT = 3  # a result of another format is measured again
_STATE = "study.json"
_LOCK = "lock"
_PARTIAL = ".partial-"


class StudyFolder:
    """A folder for one recipe and one data set; made if it does not exist, refused if it is another study's."""

    def __init__(self, path: str | os.PathLike[str]):
        self.path = Path(path)

    @property
    def _name(self) -> str:
        return shown(self.path.name or self.path)  # "." has none

    @property
    def releases(self) -> Path:
        return self.path / "releases"

    @property
    def cache(self) -> Path:
        return self.path / "cache"

    @contextmanager
    def opened(self, header: dict[str, str], recipe: str) -> Iterator[int]:
        """Make the folder, or go on with it when it asks the same; nobody else runs the study meanwhile.

        Gives the study's own secret number. All random choices of its releases follow from that number, so that a study
        that was killed ends as it would have. It stays in the folder and is in no release.
        """
        self._recorded(header)
        self._make(self.path)
        with self.alone():
            state = self._recorded(header)  # another process may have been quicker
            if state is None:
                state = {"format": FORMAT, "discreet": __version__, **header, "secret": secrets.randbits(63)}
                self.write(_STATE, _json(state))  # first: a folder with it is a study, whatever else is missing
            self._make(self.path / "results", self.releases)
            self.write("recipe.toml", recipe.encode())
            yield int(state["secret"])

    def _recorded(self, header: dict[str, str]) -> dict[str, Any] | None:
        """The stored state of the study; None if it has not begun. Any other folder is refused."""
        name = self._name
        state = self._state()
        if state is None:
            if self.path.exists() and (not self.path.is_dir() or not self._is_fresh()):
                raise DataError(f"{name} exists and is not a study. Choose another folder.")
            return None
        if state.get("discreet") != __version__:
            raise DataError(
                f"{name} was begun by another version of discreet; this is {__version__}. Its figures may not be"
                " comparable: choose another folder."
            )
        if state.get("recipe") != header["recipe"]:  # which says what is read of the data, too
            raise DataError(
                f"{name} is a study of another recipe. Releases may be added to a study; roles, l, t, evaluation,"
                " attacks and seed must stay. Choose another folder, or remove this one."
            )
        if state.get("data") != header["data"]:
            raise DataError(f"{name} is a study of other data. Choose another folder, or remove this one.")
        return state

    def _is_fresh(self) -> bool:
        """Whether the folder holds nothing but what a study leaves that was killed as it began."""
        return all(path.name == _LOCK or path.name.startswith(_PARTIAL) for path in self.path.iterdir())

    @contextmanager
    def alone(self, *, wait: bool = False) -> Iterator[None]:
        """Lock the study against other processes. The lock ends with the process."""
        try:
            file = os.fdopen(system.open_file(self.path / _LOCK, os.O_RDWR | os.O_CREAT), "rb")
        except OSError as error:
            raise self._unwritable(error) from None
        with file:
            try:
                system.lock(file.fileno(), wait=wait)
            except BlockingIOError:
                raise DataError(f"The study {self._name} is running already. Wait for it to end.") from None
            except OSError as error:
                raise self._unwritable(error) from None
            self._clear_up()
            yield

    def _clear_up(self) -> None:
        """Remove what killed processes left half-written."""
        for path in [*self.path.rglob(f"{_PARTIAL}*")]:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)

    def _make(self, *folders: Path) -> None:
        try:
            for folder in folders:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                system.set_mode(folder, 0o700)
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> DataError:
        return DataError(f"{self._name} cannot be written there ({error.strerror}). Choose another folder.")

    def _state(self) -> dict[str, Any] | None:
        try:
            state = json.loads((self.path / _STATE).read_bytes())
            return state if state["format"] == FORMAT and isinstance(state["secret"], int) else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    # -- results -------------------------------------------------------------------------------------------------------

    def result(self, name: str) -> dict[str, Any] | None:
        """The result of a task, or None if there is none yet."""
        try:
            result = json.loads((self.path / "results" / f"{name}.json").read_bytes())
        except (OSError, ValueError):
            return None
        return result if isinstance(result, dict) and result.get("format") == RESULT_FORMAT else None

    def keep(self, name: str, result: dict[str, Any]) -> None:
        self.write(f"results/{name}.json", _json({"format": RESULT_FORMAT, **result}))

    @contextmanager
    def marked(self, name: str) -> Iterator[None]:
        """Mark a task as running. The mark stays if the process is killed."""
        mark = self._mark(name)
        mark.touch(mode=0o600)
        try:
            yield
        finally:
            mark.unlink(missing_ok=True)

    def was_killed(self, name: str) -> bool:
        """Whether the study was killed while this task was running."""
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
