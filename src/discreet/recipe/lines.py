# SPDX-License-Identifier: Apache-2.0
"""Where in a TOML file a key stands, so that an error can name the line.

The reader of the standard library keeps no positions. This one follows headers and keys, line by line. It knows what a
recipe is made of; of a value that spans several lines it knows the first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

Path = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(?P<open>\[\[?)\s*(?P<path>[^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(
    r"^\s*(?P<path>(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*'))*)\s*="
)
_PART = re.compile(r"[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*'")


def line_of(text: str, path: Sequence[str | int]) -> int | None:
    """The line, from 1, of a key; of the nearest thing around it, when it has none of its own.

    >>> text = "format = 1\\n[roles]\\ntarget = 'ill'\\n[[methods]]\\nname = 'mondrian'\\n"
    >>> line_of(text, ["roles", "target"]), line_of(text, ["methods", 0, "name"]), line_of(text, ["roles", "quasi"])
    (3, 5, 2)
    """
    places = _places(text)
    wanted = tuple(path)
    while wanted and wanted not in places:
        wanted = wanted[:-1]
    return places.get(wanted)


def _places(text: str) -> dict[Path, int]:
    found: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            table = _inside(_parts(header["path"]), counts)
            if header["open"] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            found.setdefault(table, number)
        elif key := _KEY.match(line):
            path = (*table, *_parts(key["path"]))
            for end in range(len(table) + 1, len(path) + 1):
                found.setdefault(path[:end], number)
    return found


def _parts(text: str) -> Path:
    return tuple(part.strip("\"'") for part in _PART.findall(text))


def _inside(path: Path, counts: dict[Path, int]) -> Path:
    """The path of a header, with the number of the last table of each list of tables above it."""
    inside: Path = ()
    for place, part in enumerate(path):
        inside = (*inside, part)
        if inside in counts and place < len(path) - 1:
            inside = (*inside, counts[inside])
    return inside
