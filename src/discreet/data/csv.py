# SPDX-License-Identifier: Apache-2.0
"""CSV as people have it: delimiter, quoting and encoding are found when they are not given.

Cells are read as text; what the text means is decided once for every source, in `column.py`.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from discreet.errors import DataError

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 1 << 18  # bytes looked at to find the dialect
_BLOCK = 1 << 24


def read_csv(
    path: Path,
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    names: Sequence[str] | None = None,
) -> pa.Table:
    """All cells of a CSV file (also .gz, .bz2, .zst) as text. `names` says that the file has no header line."""
    head = _head(path)
    encodings = [encoding] if encoding else _encodings(head)
    text = _decoded(path, head, encodings[0])
    quote = quote or find_quote(text)
    delimiter = delimiter or find_delimiter(text, quote)
    for attempt, codec in enumerate(encodings):
        try:
            return _parse(path, delimiter, quote, codec, names)
        except UnicodeDecodeError:
            if attempt + 1 == len(encodings):
                raise DataError(f"{path.name!r} is not written in {codec}. Say which encoding it has.") from None
    raise AssertionError("at least one encoding is tried")


def find_delimiter(text: str, quote: str = '"') -> str:
    """The delimiter that cuts the sample's lines into the same number of cells, the most cells first.

    >>> find_delimiter("a;b;c\\n1,5;2;3\\n")
    ';'
    """
    best, best_key = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=delimiter, quotechar=quote) if row][:200]
        if not rows:
            continue
        width, times = Counter(map(len, rows)).most_common(1)[0]
        if width > 1 and (times / len(rows), width) > best_key:
            best, best_key = delimiter, (times / len(rows), width)
    return best


def find_quote(text: str) -> str:
    """A single quote only where cells are wrapped in it and no double quote occurs.

    >>> find_quote("'a','b'\\n'1','2'")
    "'"
    """
    wrapped = sum(line.startswith("'") and line.rstrip().endswith("'") for line in text.splitlines()[:50])
    return "'" if wrapped > 0 and '"' not in text else '"'


def _head(path: Path) -> bytes:
    try:
        with pa.input_stream(str(path), compression="detect") as stream:
            head = stream.read(_SAMPLE)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path.name!r} cannot be read ({type(error).__name__}).") from None
    if not head.strip():
        raise DataError(f"{path.name!r} is empty. A table needs a header line and rows.")
    return head


def _encodings(head: bytes) -> list[str]:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    if b"\x00" in head:
        raise DataError("The file holds zero bytes: it is not a text table. Pass a CSV or Parquet file.")
    return ["utf-8", "cp1252", "latin-1"]


def _decoded(path: Path, head: bytes, encoding: str) -> str:
    try:
        text = head.decode(encoding, errors="replace")
    except LookupError:
        raise DataError(f"{encoding!r} is not an encoding that Python knows; utf-8 and cp1252 are common.") from None
    text = text.lstrip("\ufeff")
    return text if len(head) < _SAMPLE else text[: text.rfind("\n") + 1] or text


def _parse(path: Path, delimiter: str, quote: str, encoding: str, names: Sequence[str] | None) -> pa.Table:
    ragged: list[tuple[int | None, int, int]] = []

    def remember(row):
        ragged.append((row.number, row.expected_columns, row.actual_columns))
        return "error"

    def attempt(threads: bool) -> pa.Table:
        header = _header(path, delimiter, quote, encoding) if names is None else list(names)
        positions = [f"f{i}" for i in range(len(header))]  # names may repeat until they have been checked
        with pa.input_stream(str(path), compression="detect") as stream:
            table = pacsv.read_csv(
                stream,
                read_options=pacsv.ReadOptions(
                    column_names=positions,
                    skip_rows_after_names=0 if names is not None else 1,
                    encoding=encoding,
                    block_size=_BLOCK,
                    use_threads=threads,
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=delimiter, quote_char=quote, newlines_in_values=True, invalid_row_handler=remember
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types=dict.fromkeys(positions, pa.string()), strings_can_be_null=False
                ),
            )
        return table.rename_columns(header)

    try:
        return attempt(threads=True)
    except pa.ArrowInvalid as error:
        if "UTF8" in str(error):
            raise UnicodeDecodeError(encoding, b"", 0, 1, "not valid") from None
        if not ragged:
            raise DataError(f"{path.name!r} is not a table with the delimiter {delimiter!r}.") from None
    ragged.clear()
    try:  # once more on one thread, which knows the row number
        attempt(threads=False)
    except pa.ArrowInvalid:
        pass
    number, expected, actual = ragged[0]
    raise DataError(
        f"{path.name!r} is ragged: row {number} has {actual} cells where {expected} are expected (delimiter"
        f" {delimiter!r}). Repair the row, or give the delimiter and quote character."
    )


def _header(path: Path, delimiter: str, quote: str, encoding: str) -> list[str]:
    text = _decoded(path, _head(path), encoding)
    row = next(row for row in csv.reader(io.StringIO(text), delimiter=delimiter, quotechar=quote) if row)
    return [cell.strip() for cell in row]
