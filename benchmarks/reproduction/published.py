# SPDX-License-Identifier: Apache-2.0
"""Reads a `published.toml`: every figure by table, row and column, and what the paper states in words.

    [[tables]]                        # a block of a table; a table may have several, with other columns
    table = "Table 5"
    title = "AUC and features kept, Adult"
    columns = ["k=5 AUC", "k=5 features"]
    [tables.rows]
    "Maximal" = [0.74, 8]             # "" where nothing is printed

    [[statements]]                    # a claim in words that can be tested
    name = "RF is best"
    where = "Section 5.4"
    says = "RF performs the best among all the methods"

Other parts of the file are the benchmark's own. Numbers keep the digits that are printed.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from benchmarks.reproduction.papers import HERE

Printed = Decimal | int | str | bool


class Key(NamedTuple):
    """Where a figure stands."""

    table: str
    row: str
    column: str


@dataclass(frozen=True)
class Statement:
    """A claim in words: a short name, where it is made, and what it says."""

    name: str
    where: str
    says: str


@dataclass
class Published:
    """What a paper, or the part of it that a folder is about, prints."""

    figures: dict[Key, Printed] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)

    def of(self, table: str) -> dict[str, dict[str, Printed]]:
        """The figures of a table by row and column."""
        found: dict[str, dict[str, Printed]] = {}
        for key, value in self.figures.items():
            if key.table == table:
                found.setdefault(key.row, {})[key.column] = value
        return found


def read(folder: str, here: Path = HERE) -> Published:
    text = (here / folder / "published.toml").read_text(encoding="utf-8")
    content, found = tomllib.loads(text, parse_float=Decimal), Published()
    for block in content.get("tables", ()):
        found.titles.setdefault(block["table"], block["title"])
        for row, values in block.get("rows", {}).items():
            for column, value in zip(block["columns"], values, strict=True):
                key = Key(block["table"], row, column)
                if key in found.figures:
                    raise ValueError(f"{folder}/published.toml has {key} twice.")
                if value != "":
                    found.figures[key] = value
    for each in content.get("statements", ()):
        if "name" in each:
            found.statements.append(Statement(each["name"], each["where"], each["says"]))
    return found


def half_a_digit(value: Printed) -> float:
    """What rounding to the last printed digit may have taken away; nothing from a whole number."""
    if not isinstance(value, Decimal):
        return 0.0
    return 0.5 * 10.0 ** int(value.as_tuple().exponent)
