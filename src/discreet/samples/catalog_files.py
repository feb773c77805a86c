# SPDX-License-Identifier: Apache-2.0
"""The folder of the papers' data sets, and reading their text files cell by cell."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from discreet.data.column import Kind
from discreet.data.table import Table
from discreet.errors import DataError

VARIABLE = "DISCREET_DATA"


def folder() -> Path:
    """The folder that the environment variable DISCREET_DATA names."""
    value = os.environ.get(VARIABLE, "").strip()
    if not value:
        raise DataError(
            f"The papers' data sets are not part of discreet. Set the environment variable {VARIABLE} to the folder"
            f" that holds them; `discreet.samples.BUILTIN` lists samples that need no folder."
        )
    path = Path(value)
    if not path.is_dir():
        raise DataError(f"The environment variable {VARIABLE} names {value!r}, which is not a folder. Correct it.")
    return path


def data_file(relative: str) -> Path:
    """A file of the data folder, such as `data_file("adult_arx/adult_hierarchy_age.csv")`."""
    path = folder() / relative
    if not path.is_file():
        raise DataError(
            f"There is no file {relative!r} in the folder that {VARIABLE} names. Add it, or correct {VARIABLE}."
        )
    return path


def lines(relative: str) -> Iterator[str]:
    """The lines of a gzipped text file without their line ends; empty lines are left out."""
    with gzip.open(data_file(relative), "rt", encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield line.rstrip("\r\n")


def table_of_cells(
    rows: Iterator[Sequence[str]], names: Sequence[str], *, categories: Sequence[str] = (), where: str
) -> Table:
    """A table from rows of text cells; `categories` stay text even when they look like numbers."""
    cells = list(rows)
    ragged = sum(len(row) != len(names) for row in cells)
    if ragged or not cells:
        raise DataError(f"{where!r} should have {len(names)} cells a line; {ragged} of {len(cells)} lines have not.")
    columns = {name: pa.array([row[j] for row in cells], pa.string()) for j, name in enumerate(names)}
    kinds: dict[str, Kind] = dict.fromkeys(categories, "category")
    return Table.of(pa.table(columns), kinds=kinds)


def delimited(
    relative: str, names: Sequence[str], *, categories: Sequence[str] = (), separator: str | None = ",", skip: int = 0
) -> Table:
    """A gzipped text file as a table; `separator` None means white space, `skip` lines at the top are a header."""
    rows = (line.split(separator) for line in lines(relative))
    for _ in range(skip):
        next(rows, None)
    return table_of_cells(rows, names, categories=categories, where=relative)
