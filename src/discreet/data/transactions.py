# SPDX-License-Identifier: Apache-2.0
"""Read transactions, one row of items per line, as a sparse matrix."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.file_kinds import text_behind
from discreet.data.file_layout import DELIMITERS, are_aligned, first_line, layout_of
from discreet.errors import DataError, quietly
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.plain_files import check_plain

_SAMPLE = 1 << 16  # bytes read to tell transactions from a table
_LINES = 200


def read_transactions(
    source: str | os.PathLike[str] | Iterable[Iterable[object]], separator: str | None = None
) -> tuple[sp.csr_array, list[str]]:
    """The items of each row as a matrix, and their names, in numeric order if all are whole numbers.

    >>> matrix, names = read_transactions(["milk rye", "", ["tea", "milk"]])
    >>> names, matrix.toarray().tolist()
    (['milk', 'rye', 'tea'], [[1, 1, 0], [0, 0, 0], [1, 0, 1]])
    """
    if separator is not None and (not isinstance(separator, str) or not separator):
        raise DataError("The separator of items must be a text of one character or more, or None for white space.")
    if isinstance(source, (str, os.PathLike)):
        cells, row_of = _cut_lines(_lines(Path(source)), separator)
    else:
        cells, row_of = _cut_rows(source, separator)
    n_rows, row_of = int(row_of[-1]), row_of[:-1]
    cells = pc.utf8_trim_whitespace(cells)
    filled = np.asarray(pc.not_equal(cells, ""))
    coded = cells.filter(pa.array(filled)).dictionary_encode()
    if not len(coded):
        raise DataError("The transactions have no items: there is nothing to select from.")
    items = coded.dictionary.to_pylist()
    names = in_order(items)
    place = {name: i for i, name in enumerate(names)}
    column_of = np.array([place[item] for item in items], dtype=np.int32)[coded.indices.to_numpy()]
    cell = np.sort(row_of[filled] * len(names) + column_of)
    cell = cell[np.append(True, cell[1:] != cell[:-1])]  # a row may repeat an item
    starts = np.searchsorted(cell, np.arange(n_rows + 1, dtype=np.int64) * len(names))
    ones = np.ones(len(cell), dtype=np.uint8)
    return sp.csr_array((ones, (cell % len(names)).astype(np.int32), starts), shape=(n_rows, len(names))), names


def in_order(items: Iterable[str]) -> list[str]:
    """Items in numeric order if all are whole numbers, else in the order of their texts.

    >>> in_order(["10", "9"]), in_order(["10", "9", "x"])
    (['9', '10'], ['10', '9', 'x'])
    """
    items = list(items)
    whole = all(item.isascii() and item.isdigit() for item in items)
    return sorted(items, key=(lambda item: (int(item), item)) if whole else None)


def read_labels(path: Path) -> list[str]:
    """The labels in a file, one per line."""
    check_plain(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise DataError(f"There is no file {path.name!r}. Check the path.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path.name!r} cannot be read as text ({type(error).__name__}).") from None
    empty = sum(not line.strip() for line in lines)
    if empty:
        raise DataError(f"{empty} of the {len(lines)} lines of {path.name!r} are empty. Every row needs a label.")
    return [line.strip() for line in lines]


def looks_like_transactions(path: Path) -> bool:
    """Whether a file looks like rows of items: its first line has no delimiter, and some line has several words.

    Comments above a table, and a line that names the delimiter, are not its first line.
    Read as a table, it would have one column, named after the items of the first row.
    """
    start, _ = quietly(_start, path)
    if not start or b"\0" in start or text_behind(path) is None:
        return False
    text = start.decode("utf-8", errors="replace").lstrip("\ufeff")
    first, delimiter = first_line(text)
    if not first or delimiter is not None or any(one in first for one in DELIMITERS):
        return False
    lines = [line for line in text[text.index(first) :].split("\n") if line.strip()]
    start_of_table = "\n".join(lines[:_LINES])
    if layout_of(start_of_table).width > 1 or are_aligned(start_of_table):  # a title above, or cells between spaces
        return False
    return any(len(line.split()) > 1 for line in lines[:_LINES])


def _start(path: Path) -> bytes:
    check_plain(path)
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if packed else path.open("rb") as file:
        return file.read(_SAMPLE)


def _cut_lines(lines: list[str], separator: str | None) -> tuple[pa.Array, np.ndarray]:
    """The items of all lines, and the row of each, followed by the number of rows."""
    texts = pa.array(lines, pa.large_string())
    cut = pc.utf8_split_whitespace(texts) if separator is None else pc.split_pattern(texts, separator)
    lengths = np.asarray(pc.list_value_length(cut), dtype=np.int64)
    return cut.flatten(), np.append(np.repeat(np.arange(len(lines), dtype=np.int64), lengths), len(lines))


def _cut_rows(rows: Iterable[Iterable[object]], separator: str | None) -> tuple[pa.Array, np.ndarray]:
    items: list[str] = []
    row_of: list[int] = []
    n_rows = missing = 0
    for row in rows:
        if isinstance(row, str):
            row = row.split(separator)
        cells_of_row, failure = quietly(list, row)
        if cells_of_row is None:
            raise DataError(f"Row {n_rows + 1} of the transactions is not a collection of items.")
        missing += sum(item is None or item != item for item in cells_of_row)
        items.extend(map(str, cells_of_row))
        row_of.extend([n_rows] * len(cells_of_row))
        n_rows += 1
    if missing:
        raise DataError(f"{missing} items of the transactions are missing values. Leave them out of their rows.")
    cells, failure = quietly(pa.array, items, pa.large_string())
    if cells is None:
        raise DataError(f"The items of the transactions cannot be written as text ({failure}).")
    return cells, np.array([*row_of, n_rows], dtype=np.int64)


def _lines(path: Path) -> list[str]:
    if "\n" in str(path) or not quietly(path.exists)[0]:
        which = "" if "\n" in str(path) else f" {path.name!r}"
        raise DataError(f"There is no file{which} of transactions. Check the path; rows in memory come as lists.")
    check_plain(path)

    def read() -> str:
        packed = path.read_bytes()
        return (gzip.decompress(packed) if packed[:2] == b"\x1f\x8b" else packed).decode("utf-8-sig")

    text, failure = quietly(read)
    if text is None or "\0" in text:
        raise DataError(
            f"{path.name!r} is not a text file of transactions, one row per line in UTF-8 ({failure or 'zero bytes'})."
        )
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if lines[-1] == "" else lines
