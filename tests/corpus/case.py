# SPDX-License-Identifier: Apache-2.0
"""A file as people have it, and how it must be read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Expected:
    """How a file must be read.

    kinds      of columns, by name; columns that are not named are not looked at
    values     the cells of columns, None for missing; dates in ISO form
    sentences  what `table.reading.sentences()` says, in parts
    asks       parts of the question instead, if nothing can be told
    options    what the owner says
    """

    kinds: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    sentences: Sequence[str] = ()
    asks: Sequence[str] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A file: its name, which tells its format, its bytes, and how it must be read."""

    name: str
    content: bytes
    expected: Expected

    def write(self, folder: Path) -> Path:
        path = folder / self.name
        path.write_bytes(self.content)
        return path


def column(name: str, cells: Sequence[str], expected: Expected, *, delimiter: str = ";") -> Case:
    """A file with this one column `x`, beside one of classes."""
    lines = [
        f"x{delimiter}class",
        *(f"{quoted(cell, delimiter)}{delimiter}{'ab'[i % 2]}" for i, cell in enumerate(cells)),
    ]
    return Case(f"{name}.csv", ("\n".join(lines) + "\n").encode(), expected)


def quoted(cell: str, delimiter: str) -> str:
    doubled = cell.replace('"', '""')
    return f'"{doubled}"' if delimiter in cell or '"' in cell or "\n" in cell else cell
