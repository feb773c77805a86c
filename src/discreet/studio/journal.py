# SPDX-License-Identifier: Apache-2.0
"""The journal of a project: every decision is a line, in the order in which it was made, and no line is ever changed.

A decision sets one thing, named by a path such as roles/age, to a value. Undoing one is a line, too. What holds now is
found by reading the lines from the first to the last, so a project that was killed goes on where it was: of a line that
was half written nothing was decided.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from discreet.errors import DataError
from discreet.foundation.system import open_file

_LONGEST = 1 << 24  # bytes of a journal
_LINE = 1 << 20  # bytes of a line

Path_ = tuple[str, ...]


@dataclass(frozen=True)
class JournalEntry:
    """What was set to what; `words` say it to a person. `also` is what the same decision sets besides."""

    what: Path_
    to: Any
    words: str
    also: tuple[tuple[Path_, Any], ...] = ()

    @property
    def settings(self) -> tuple[tuple[Path_, Any], ...]:
        """Everything that it sets, in order."""
        return ((self.what, self.to), *self.also)

    def line(self) -> dict[str, Any]:
        besides = {"also": [[list(path), value] for path, value in self.also]} if self.also else {}
        return {"set": list(self.what), "to": self.to, "words": self.words, **besides}


@dataclass
class Journal:
    """The decisions of a project, those that hold and those that were undone."""

    path: Path
    done: list[JournalEntry] = field(default_factory=list)
    undone: list[JournalEntry] = field(default_factory=list)
    revision: int = 0  # lines so far
    _lock: Lock = field(default_factory=Lock)
    _held: tuple[int, dict[str, Any]] = (-1, {})  # what held, and at which revision

    @classmethod
    def opened(cls, path: Path) -> Journal:
        """The journal at this place, empty if there is none."""
        journal = cls(path)
        if not path.exists():
            return journal
        if path.stat().st_size > _LONGEST:
            raise DataError("The project's journal is too long to be one. Start a new project.")
        content = path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                journal._apply(json.loads(line))
            except (ValueError, KeyError, TypeError, IndexError):
                raise DataError(
                    f"Line {number} of the project's journal is not a decision. Restore the file."
                ) from None
        if len(whole) < len(content):  # killed while writing
            with path.open("r+b") as file:
                file.truncate(len(whole))
        return journal

    def decide(self, what: Path_, to: Any, words: str, also: Iterable[tuple[Path_, Any]] = ()) -> int:
        """Set something, and what follows from it, and return the new revision; what is set already is not decided
        again.
        """
        entry = JournalEntry(what, to, words, tuple(also))
        with self._lock:
            if any(self._value(path) != value for path, value in entry.settings):
                self._write(entry.line())
            return self.revision

    def undo(self) -> JournalEntry | None:
        """Take the last decision back; None if there is none."""
        with self._lock:
            if not self.done:
                return None
            self._write({"undo": True})
            return self.undone[-1]

    def redo(self) -> JournalEntry | None:
        """Decide again what was taken back last; None if there is nothing, or something else was decided since."""
        with self._lock:
            if not self.undone:
                return None
            self._write({"redo": True})
            return self.done[-1]

    def state(self) -> dict[str, Any]:
        """What holds now, as nested dictionaries, not to be changed; what was set to None is not there."""
        with self._lock:
            return self._state()

    def _state(self) -> dict[str, Any]:
        if self._held[0] != self.revision:
            self._held = (self.revision, self._replayed())
        return self._held[1]

    def _replayed(self) -> dict[str, Any]:
        state: dict[str, Any] = {}
        for path, value in (setting for decision in self.done for setting in decision.settings):
            here = state
            for name in path[:-1]:
                here = here.setdefault(name, {})
            if value is None:
                here.pop(path[-1], None)
            else:
                here[path[-1]] = value
        return state

    def _value(self, what: Path_) -> Any:
        here: Any = self._state()
        for name in what:
            here = here.get(name) if isinstance(here, dict) else None
        return here

    def _write(self, line: dict[str, Any]) -> None:
        content = json.dumps(line, ensure_ascii=False, sort_keys=True).encode() + b"\n"
        if len(content) > _LINE:
            raise DataError("This decision is too long for the project's journal.")
        before = self.path.stat().st_size if self.path.exists() else 0
        if before + len(content) > _LONGEST:  # it could not be opened again
            raise DataError(
                f"The project's journal is full: {before:,} of {_LONGEST:,} bytes. Nothing was decided. "
                "What was decided before holds; start a new project for more."
            )
        with os.fdopen(open_file(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        self._apply(line)

    def _apply(self, line: dict[str, Any]) -> None:
        if "undo" in line:
            self.undone.append(self.done.pop())
        elif "redo" in line:
            self.done.append(self.undone.pop())
        else:
            what, to, words = tuple(map(str, line["set"])), line["to"], str(line["words"])
            also = tuple((tuple(map(str, path)), value) for path, value in line.get("also", ()))
            self.done.append(JournalEntry(what, to, words, also))
            self.undone.clear()
        self.revision += 1
