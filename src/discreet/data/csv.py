# SPDX-License-Identifier: Apache-2.0
"""Read CSV files as they occur in practice, detecting delimiter, quoting and encoding unless specified.

Cells are read as text; kinds are inferred for all sources alike (cell_kinds.py). Messages name the file, positions and
counts only: the first line of a file without a header is data, so not even column names are shown.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from discreet.data.cell_kinds import MISSING_MARKS
from discreet.data.file_kinds import text_behind
from discreet.data.held_file import Source, check_source, open_bytes
from discreet.errors import DataError, quietly

DELIMITERS = (",", ";", "\t", "|")
_SAMPLE = 1 << 18  # bytes from which the dialect is detected
_BLOCK = 1 << 24
_LONGEST_LINE = 1 << 26  # bytes; a header of 24,748 words has 0.2 million
_MARKS_OF_ORDER = {
    b"\xff\xfe\x00\x00": "utf-32",
    b"\x00\x00\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}


def read_csv(
    path: Source,
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    names: Sequence[str] | None = None,
    header: bool | None = None,
) -> tuple[pa.Table, str]:
    """All cells of a CSV file (also .gz, .bz2, .zst) as text, and its encoding.

    `names` implies that there is no header line. `header=True` means that the first line holds names even if they look
    like data, `header=False` that there are none, and columns are called column1, column2 and so on. `quote=""` turns
    quoting off.
    """
    check_options(delimiter, quote, encoding)
    head = read_head(path)
    candidates = [encoding] if encoding else possible_encodings(path, head)
    for codec in candidates:
        text, _ = quietly(decode_head, head, codec, errors=(UnicodeDecodeError,))
        if text is None:
            continue
        marks = find_quote(text) if quote is None else quote
        cut = delimiter or find_delimiter(text, marks)
        table = _parse(path, cut, marks, codec, width=width_of(path, text, cut, marks))
        if table is not None:
            return with_names(path, table, names, header), codec
    raise DataError(f"{path.name!r} is not encoded in {' or '.join(candidates)}. Specify its encoding.")


def public_dialect(path: Source) -> dict[str, Any]:
    """Delimiter, quote and header, detected from the first line alone: column names are public, rows are not.

    Empty for a file that is not CSV or cannot be read; reading it raises the error.
    """
    source = text_behind(path)
    head, _ = quietly(read_head, source)
    if source is None or head is None:
        return {}
    first = re.split(rb"\r|\n", head.lstrip(b"\r\n"), maxsplit=1)[0]
    codec, _ = quietly(lambda: possible_encodings(source, head)[0])
    line, _ = quietly(lambda: first.decode(codec or "utf-8", errors="replace").lstrip("\ufeff"))
    if codec is None or (codec.startswith("utf-") and codec != "utf-8"):  # detected by its byte order mark
        return {"header": True}
    quote = find_quote(line)
    return {"delimiter": find_delimiter(line, quote), "quote": quote, "header": True}


def find_delimiter(text: str, quote: str = '"') -> str:
    """The delimiter that splits most lines into as many cells as the first line; ties go to more cells.

    >>> find_delimiter("a;b;c\\n1,5;2;3\\n")
    ';'
    """
    best, best_key = ",", (0.0, 0)
    for delimiter in DELIMITERS:
        widths, _ = quietly(_widths, text, delimiter, quote)
        if widths and widths[0] > 1:
            key = (sum(width == widths[0] for width in widths) / len(widths), widths[0])
            if key > best_key:
                best, best_key = delimiter, key
    return best


def find_quote(text: str) -> str:
    """The quote character: single only if the first line and most others are wrapped in it and no double one occurs.

    >>> find_quote("'a','b'\\n'1','2'")
    "'"
    """
    lines = [line.strip() for line in text.splitlines()[:50] if line.strip()]
    wrapped = [len(line) > 1 and line.startswith("'") and line.endswith("'") for line in lines]
    return "'" if wrapped and wrapped[0] and 2 * sum(wrapped) > len(lines) and '"' not in text else '"'


def _rows(text: str, delimiter: str, quote: str) -> Iterator[list[str]]:
    """The sample's rows without empty lines, split by the standard library."""
    lines = io.StringIO(text, newline=None)
    if quote:
        return (row for row in csv.reader(lines, delimiter=delimiter, quotechar=quote) if row)
    return (row for row in csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE) if row)


def _widths(text: str, delimiter: str, quote: str) -> list[int]:
    return [len(row) for row in islice(_rows(text, delimiter, quote), 200)]


# -- bytes and characters ------------------------------------------------------------------------------------------


def check_options(delimiter: str | None, quote: str | None, encoding: str | None) -> None:
    for option, sign in (("delimiter", delimiter), ("quote character", quote)):
        if sign and (len(sign) != 1 or not sign.isascii() or sign in "\r\n\0"):
            raise DataError(f"The {option} must be one ASCII character such as ';' or a tab; {len(sign)} were given.")
    if encoding is not None and quietly(codecs.lookup, encoding)[1]:
        raise DataError(f"{encoding!r} is not an encoding that Python knows; utf-8 and cp1252 are common.")


def read_head(path: Source) -> bytes:
    """The first bytes, with at least one whole line."""
    check_source(path)

    def read() -> bytes:
        with open_bytes(path) as stream:
            head = more = stream.read(_SAMPLE)
            while more and len(head) < _LONGEST_LINE and not re.search(rb"[\r\n].*\S", head, re.DOTALL):
                more = stream.read(_SAMPLE)
                head += more
            return head

    head, failure = quietly(read)
    if head is None:
        raise DataError(f"{path.name!r} cannot be read ({failure}): it may be cut off or packed in an unknown way.")
    if not head.strip():
        raise DataError(f"{path.name!r} is empty. A table needs a header line and rows.")
    return head


def possible_encodings(path: Source, head: bytes) -> list[str]:
    for mark, codec in _MARKS_OF_ORDER.items():
        if head.startswith(mark):
            return [codec]
    if b"\x00" in re.split(rb"[\r\n]", head.lstrip(), maxsplit=1)[0]:  # UTF-16 has them in every line
        raise DataError(
            f"{path.name!r} holds zero bytes: it is not a text table. Pass a CSV or Parquet file, or the encoding."
        )
    return ["utf-8", "cp1252", "latin-1"]


def decode_head(head: bytes, encoding: str) -> str:
    """The sample as text, up to its last whole line; a partial character at the end is no error."""
    text = codecs.getincrementaldecoder(encoding)().decode(head).lstrip("\ufeff")
    return text if len(head) < _SAMPLE else text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text


# -- rows ----------------------------------------------------------------------------------------------------------


def width_of(path: Source, text: str, delimiter: str, quote: str) -> int:
    first, failure = quietly(next, _rows(text, delimiter, quote), None)
    if first is None:
        raise DataError(f"The first line of {path.name!r} cannot be cut into cells{failure and ' '}{failure}.")
    return len(first)


def _parse(path: Source, delimiter: str, quote: str, encoding: str, *, width: int) -> pa.Table | None:
    """All rows, the first line included; None if the file is not in this encoding."""
    ragged: list[tuple[int | None, int]] = []

    def remember(row: Any) -> str:
        ragged.append((row.number, row.actual_columns))
        return "error"

    places = [f"f{i}" for i in range(width)]  # not the real names, which may repeat

    def attempt(threads: bool) -> pa.Table:
        with open_bytes(path) as stream:
            return pacsv.read_csv(
                stream,
                read_options=pacsv.ReadOptions(
                    column_names=places, encoding=encoding, block_size=_BLOCK, use_threads=threads
                ),
                parse_options=pacsv.ParseOptions(
                    delimiter=delimiter,
                    quote_char=quote or False,
                    newlines_in_values=True,
                    invalid_row_handler=remember,
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types=dict.fromkeys(places, pa.string()), strings_can_be_null=False
                ),
            )

    not_text: list[bool] = []

    def judged() -> pa.Table:
        try:
            return attempt(True)
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            not_text.append(isinstance(error, UnicodeDecodeError) or "UTF8" in str(error))
            raise

    table, failure = quietly(judged)
    if table is not None:
        if quote:
            check_last_quote(path, table, quote, encoding)
        return table
    if ragged:
        ragged.clear()
        quietly(attempt, False)  # again on one thread, which reports the row's number
        number, cells = ragged[0]
        raise DataError(
            f"{path.name!r} is ragged: row {number} has {cells} cells where the first line has {width} (delimiter"
            f" {delimiter!r}). Repair the row, or give the delimiter and quote character."
        )
    if not_text and not_text[0]:
        return None
    raise DataError(f"{path.name!r} cannot be read as a table with the delimiter {delimiter!r} ({failure}).")


def check_last_quote(path: Source, table: pa.Table, quote: str, encoding: str) -> None:
    """DataError for a quote that is never closed and so swallows all lines after it into one cell."""
    last = table.column(table.num_columns - 1)[table.num_rows - 1].as_py() if table.num_rows else ""
    if "\n" not in last and "\r" not in last:
        return
    with open_bytes(path) as stream:
        tail = b""
        while more := stream.read(_BLOCK):
            tail = (tail + more)[-4096:]
    if not tail.decode(encoding, errors="ignore").rstrip().endswith(quote):
        raise DataError(
            f"A quote ({quote}) that is opened in row {table.num_rows} of {path.name!r} is never closed. Close it, or"
            f" give the quote character (quote='' for none)."
        )


# -- names ---------------------------------------------------------------------------------------------------------


def with_names(path: Source, table: pa.Table, names: Sequence[str] | None, header: bool | None) -> pa.Table:
    if names is not None:
        if len(names) != table.num_columns:
            raise DataError(f"{len(names)} names were given, but {path.name!r} has {table.num_columns} columns.")
        return table.rename_columns([str(name) for name in names])
    if header is False:
        return table.rename_columns([f"column{place}" for place in range(1, table.num_columns + 1)])
    first = [column[0].as_py().strip() for column in table.columns]
    table = table.slice(1)
    if header is None:
        alike = sum(_like_data(name, column) for name, column in zip(first, table.columns, strict=True))
        if 2 * alike > len(first):
            raise DataError(
                f"The first line of {path.name!r} looks like data, not like names ({alike} of its {len(first)} cells)."
                f" If there is no header line, pass the names (names=[...], --names) or header=False; if these are the"
                f" names, say header=True."
            )
    return table.rename_columns(first)


def _like_data(name: str, column: pa.ChunkedArray) -> bool:
    """Whether a name looks like data: a fraction, a negative number, a date, a mark, or a value of the column."""
    if re.fullmatch(r"-?\d+\.\d*([eE][+-]?\d+)?|-\d+|\d{4}-\d\d-\d\d.*", name) or (name and name in MISSING_MARKS):
        return True
    cells = pc.utf8_trim_whitespace(column.slice(0, 10_000))
    return bool(name) and pc.index(cells, name).as_py() >= 0
