# SPDX-License-Identifier: Apache-2.0
"""Where in a TOML file a key, or an element of a list, stands, so that an error can name the line.

The reader of the standard library keeps no positions. This one follows a text that was read already, so it judges
nothing: it knows texts, remarks, lists and tables, and where each of them begins.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence

Path = tuple[str | int, ...]

_BETWEEN = re.compile(r"(?:\s|#[^\n]*)*")
_PART = re.compile(r"[A-Za-z0-9_-]+|\"(?:[^\"\\]|\\.)*\"|'[^']*'")
_TEXT = re.compile(r"\"\"\"(?:[^\\]|\\.)*?\"{3,5}|'''.*?'{3,5}|\"(?:[^\"\\]|\\.)*\"|'[^']*'", re.DOTALL)
_PLAIN = re.compile(r"[^,\]}#\n]*")  # a number, a date, true or false


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line, from 1, of a key or an element; of the nearest thing around it, when it has none of its own.

    >>> text = "format = 1\\n[roles]\\ntarget = 'ill'\\n[[methods]]\\nname = 'mondrian'\\nk = [\\n5,\\n1]"
    >>> line_of(text, ["roles", "target"]), line_of(text, ["methods", 0, "k", 1]), line_of(text, ["roles", "quasi"])
    (3, 8, 2)
    """
    places = _Reader(text).places
    wanted = tuple(path)
    while wanted and wanted not in places:
        wanted = wanted[:-1]
    return places.get(wanted)


class _Reader:
    """The line of each thing, by its path."""

    def __init__(self, text: str):
        self.text, self.at = text, 0
        self.places: dict[Path, int] = {}
        self._counts: dict[Path, int] = {}  # of lists of tables: the number of the last
        table: Path = ()
        while self._next():
            if self._next() == "[":
                table = self._header()
            else:
                self._pair(table)

    def _next(self) -> str:
        """The next sign that is neither white space nor in a remark; nothing at the end."""
        self._take(_BETWEEN)
        return self.text[self.at : self.at + 1]

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        assert match is not None
        self.at = match.end()
        return match[0]

    def _note(self, path: Path) -> None:
        line = self.text.count("\n", 0, self.at) + 1
        for end in range(1, len(path) + 1):
            self.places.setdefault(path[:end], line)

    def _header(self) -> Path:
        is_list = self.text.startswith("[[", self.at)
        self.at += 1 + is_list
        table: Path = ()
        keys = self._keys()
        for place, key in enumerate(keys):
            table = (*table, key)
            if is_list and place == len(keys) - 1:
                self._counts[table] = self._counts.get(table, -1) + 1
            if table in self._counts:
                table = (*table, self._counts[table])
        self._note(table)
        self._next()
        self.at += 1 + is_list
        return table

    def _keys(self) -> list[str]:
        keys = []
        while True:
            self._next()
            part = self._take(_PART)
            keys.append(tomllib.loads(f"key = {part}")["key"] if part[0] in "'\"" else part)
            if self._next() != ".":
                return keys
            self.at += 1

    def _pair(self, table: Path) -> None:
        self._next()
        start = self.at
        path = (*table, *self._keys())
        after, self.at = self.at, start
        self._note(path)
        self.at = after + 1  # the sign of equality
        self._value(path)

    def _value(self, path: Path) -> None:
        opening = self._next()
        self._note(path)
        if opening in ("[", "{"):
            self.at += 1
            element = 0
            while self._next() not in ("]", "}"):
                if opening == "[":
                    self._value((*path, element))
                else:
                    self._pair(path)
                element += 1
                if self._next() == ",":
                    self.at += 1
            self.at += 1
        else:
            self._take(_TEXT if opening in ("'", '"') else _PLAIN)
