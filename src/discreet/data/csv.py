# SPDX-License-Identifier: Apache-2.0
"""Read CSV files as they occur in practice, detecting delimiter, quoting and encoding unless specified.

Cells are read as text; kinds are inferred for all sources alike (cell_kinds.py). Messages name the file, positions and
counts only: the first line of a file without a header is data, so not even column names are shown.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from discreet.data.cell_kinds import MISSING_MARKS
from discreet.data.encodings import SAMPLE, encoding_if_not_utf8, possible_encodings
from discreet.data.file_kinds import text_behind
from discreet.data.file_layout import FileLayout, find_delimiter, find_quote, first_line, footers, layout_of
from discreet.data.held_file import Source, check_source, open_bytes
from discreet.errors import DataError, Setting, quietly

_BLOCK = 1 << 24
_END_OF_FILE = "\x1a"  # which DOS writes
_MOST_COLUMNS = 200_000
_LONGEST_LINE = 1 << 26  # bytes; a header of 24,748 words has 0.2 million


@dataclass(frozen=True, repr=False)
class TextTable:
    """The cells of a text file, how it is encoded and delimited, and what was left out, in sentences."""

    cells: pa.Table
    encoding: str
    delimiter: str
    notes: tuple[str, ...] = ()


def read_csv(path: Source, **options: Any) -> tuple[pa.Table, str]:
    """All cells of a text file, and its encoding; the options are those of `read_text`."""
    text = read_text(path, **options)
    return text.cells, text.encoding


def read_text(
    path: Source,
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    names: Sequence[str] | None = None,
    header: bool | None = None,
) -> TextTable:
    """All cells of a text file (also .gz, .bz2, .zst).

    `names` implies that there is no header line. `header=True` means that the first line holds names even if they look
    like data, `header=False` that there are none, and columns are called column1, column2 and so on. `quote=""` turns
    quoting off.
    """
    check_options(delimiter, quote, encoding)
    head = read_head(path)
    candidates = [encoding] if encoding else possible_encodings(path, head)
    for codec in candidates:  # of which there are more if the file is UTF-8 in its beginning only
        text, _ = quietly(decode_head, head, codec, errors=(UnicodeDecodeError,))
        if text is None:
            continue
        named = names is None and header is not False
        layout = layout_of(text, delimiter=delimiter, quote=quote, header=named)
        check_layout(path, layout)
        skipped = SkippedLines(path, layout, codec)
        table = _parse(path, layout, codec, skipped)
        if table is not None:
            table = with_header(path, table, layout)
            empty = rows_empty_at_end(table) if table.num_columns > 1 else 0
            notes = (*layout.notes, *skipped.notes)
            notes += (f"All cells of the last {empty:,} rows are empty; they count as rows.",) if empty else ()
            notes += (f"The file is encoded in {codec}.",) if codec not in ("utf-8", encoding) else ()
            table = with_names(path, table, names, header)
            return TextTable(table, codec, layout.delimiter, notes)
        if codec == "utf-8" and encoding is None:
            candidates.append(encoding_if_not_utf8(path))
    raise DataError(f"{path.name!r} is not encoded in {' or '.join(candidates)}. Specify its encoding.")


def public_dialect(path: Source) -> dict[str, Any]:
    """Delimiter, quote and header, detected from the first line alone: column names are public, rows are not.

    Empty for a file that is not CSV or cannot be read; reading it raises the error.
    """
    source = text_behind(path)
    head, _ = quietly(read_head, source)
    if source is None or head is None:
        return {}
    first = re.split(rb"[\r\n]", head.lstrip(b"\r\n"), maxsplit=1)[0]
    codec, _ = quietly(lambda: possible_encodings(source, first)[0])
    if codec is None or (codec.startswith("utf-") and codec != "utf-8"):  # detected by its byte order mark
        return {"header": True}
    line, said = first_line(head.decode(codec, errors="replace").lstrip("\ufeff"))
    quote = find_quote(line)
    return {"delimiter": said or find_delimiter(line, quote), "quote": quote, "header": True}


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
            pieces: list[bytes] = []
            begun = ended = False  # the first line that is not empty
            while len(pieces) * SAMPLE < _LONGEST_LINE and (piece := stream.read(SAMPLE)):
                pieces.append(piece)
                rest = piece if begun else piece.lstrip()
                begun = begun or bool(rest)
                if not ended:
                    _, *below = re.split(rb"[\r\n]", rest, maxsplit=1)
                    ended, rest = bool(below), b"".join(below)
                if ended and rest.strip():
                    break
            return b"".join(pieces)

    head, failure = quietly(read)
    if head is None:
        raise DataError(f"{path.name!r} cannot be read ({failure}): it may be cut off or packed in an unknown way.")
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        raise DataError(f"{path.name!r} is empty. A table needs a header line and rows.")
    return head


def decode_head(head: bytes, encoding: str) -> str:
    """The sample as text, up to its last whole line; a partial character at the end is no error."""
    text = codecs.getincrementaldecoder(encoding)().decode(head).lstrip("\ufeff")
    return text if len(head) < SAMPLE else text[: max(text.rfind("\n"), text.rfind("\r")) + 1] or text


# -- rows ----------------------------------------------------------------------------------------------------------


def check_layout(path: Source, layout: FileLayout) -> None:
    if not layout.width:
        raise DataError(f"The first line of {path.name!r} cannot be cut into cells.")
    if layout.width > _MOST_COLUMNS:
        raise DataError(
            f"{path.name!r} has {layout.width:,} columns (delimiter {layout.delimiter!r}); at most {_MOST_COLUMNS:,}"
            " are read. Give the delimiter if it is another one, or leave columns out."
        )


class SkippedLines:
    """Judges lines that have too many cells, or too few: comments and footers are left out, all others are `ragged`."""

    def __init__(self, path: Source, layout: FileLayout, encoding: str):
        self._path, self._layout, self._encoding = path, layout, encoding
        self._footers: frozenset[str] | None = None
        self.skipped = 0
        self.ragged: list[tuple[int | None, int]] = []

    def __call__(self, row: Any) -> str:
        text = row.text.strip()
        comment = text.startswith("#") and (self._layout.comments or self._layout.delimiter not in text)
        if comment or text == _END_OF_FILE or text in self.footers:
            self.skipped += 1
            return "skip"
        self.ragged.append((row.number, row.actual_columns))
        return "error"

    @property
    def footers(self) -> frozenset[str]:
        if self._footers is None:
            tail = last_bytes(self._path).decode(self._encoding, errors="ignore")
            self._footers = footers(tail, self._layout.delimiter)
        return self._footers

    @property
    def notes(self) -> tuple[str, ...]:
        many = "lines" if self.skipped != 1 else "line"
        return (
            (f"{self.skipped} {many} that {'are' if many == 'lines' else 'is'} no row left out.",)
            if self.skipped
            else ()
        )

    def error(self) -> DataError:
        number, cells = self.ragged[0]
        place = "a row" if number is None else f"row {number}"
        return DataError(
            f"{self._path.name!r} is ragged: {place} has {cells} cells where the first line has {self._layout.width}"
            f" (delimiter {self._layout.delimiter!r}). Repair the row, or give the delimiter and quote character."
        )


def parse_options(layout: FileLayout, on_other: Callable[[Any], str]) -> pacsv.ParseOptions:
    return pacsv.ParseOptions(
        delimiter=layout.delimiter,
        quote_char=layout.quote or False,
        escape_char="\\" if layout.escape else False,
        newlines_in_values=True,
        invalid_row_handler=on_other,
    )


def _parse(path: Source, layout: FileLayout, encoding: str, skipped: SkippedLines) -> pa.Table | None:
    """All rows, the first line included; None if the file is not in this encoding."""
    places = [f"f{i}" for i in range(layout.width)]  # not the real names, which may repeat

    def attempt(threads: bool) -> pa.Table:
        skipped.skipped = 0
        with open_bytes(path) as stream:
            return pacsv.read_csv(
                stream,
                read_options=pacsv.ReadOptions(
                    column_names=places,
                    skip_rows=layout.skip,
                    encoding=encoding,
                    block_size=_BLOCK,
                    use_threads=threads,
                ),
                parse_options=parse_options(layout, skipped),
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
        if layout.quote:
            check_last_quote(path, table, layout.quote, encoding)
        return table
    if skipped.ragged:
        skipped.ragged.clear()
        quietly(attempt, False)  # again on one thread, which reports the row's number
        raise skipped.error()
    if not_text and not_text[0]:
        return None
    raise DataError(f"{path.name!r} cannot be read as a table with the delimiter {layout.delimiter!r} ({failure}).")


def with_header(path: Source, table: pa.Table, layout: FileLayout) -> pa.Table:
    """The table without the empty columns at line ends, with the names of a header line that was not parsed."""
    for place in range(layout.kept, layout.width):
        filled = pc.sum(pc.not_equal(pc.utf8_trim_whitespace(table.column(place)), "")).as_py()
        if filled:
            raise cells_without_name(path, place + 1, filled)
    table = table.select(list(range(layout.kept)))
    if layout.taken is None:
        return table
    names = pa.table([pa.array([name]) for name in layout.taken], names=table.column_names)
    return pa.concat_tables([names, table])


def cells_without_name(path: Source, place: int, filled: int) -> DataError:
    return DataError(
        f"Column {place} of {path.name!r} has no name, but {filled:,} of its cells are not empty. Give every column a"
        " name of its own."
    )


def rows_empty_at_end(table: pa.Table) -> int:
    """The number of rows at the end of which all cells are empty, up to a hundred."""
    last = table.slice(max(table.num_rows - 100, 1)).to_pylist()
    filled = [place for place, row in enumerate(last, start=1) if any(cell.strip() for cell in row.values())]
    return len(last) - max(filled, default=0)


def check_last_quote(path: Source, table: pa.Table, quote: str, encoding: str) -> None:
    """DataError for a quote that is never closed and so swallows all lines after it into one cell."""
    last = table.column(table.num_columns - 1)[table.num_rows - 1].as_py() if table.num_rows else ""
    if "\n" not in last and "\r" not in last:
        return
    if not last_bytes(path).decode(encoding, errors="ignore").rstrip().endswith(quote):
        raise DataError(
            f"A quote ({quote}) that is opened in row {table.num_rows} of {path.name!r} is never closed. Close it, or"
            f" give the quote character, for none ",
            Setting("quote", ""),
            ".",
        )


def last_bytes(path: Source, count: int = 4096) -> bytes:
    """The end of a file, unpacked."""
    with open_bytes(path) as stream:
        tail = b""
        while more := stream.read(_BLOCK):
            tail = (tail + more)[-count:]
    return tail


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
        numbered = _are_numbered(first)
        alike = sum(
            _like_data(name, column) or (not numbered and _like_number(name, column))
            for name, column in zip(first, table.columns, strict=True)
        )
        if 2 * alike > len(first):
            raise DataError(
                f"The first line of {path.name!r} looks like data, not like names ({alike} of its {len(first)} cells)."
                " If there is no header line, give the names, ",
                Setting("names", [...]),
                ", or ",
                Setting("header", False),
                "; if these are the names, say ",
                Setting("header", True),
                ".",
            )
    return table.rename_columns(first)


def _like_data(name: str, column: pa.ChunkedArray) -> bool:
    """Whether a name looks like data: a fraction, a negative number, a date, a mark, or a value of the column."""
    if re.fullmatch(r"-?\d+\.\d*([eE][+-]?\d+)?|-\d+|\d{4}-\d\d-\d\d.*", name) or (name and name in MISSING_MARKS):
        return True
    cells = pc.utf8_trim_whitespace(column.slice(0, 10_000))
    return bool(name) and pc.index(cells, name).as_py() >= 0


def _like_number(name: str, column: pa.ChunkedArray) -> bool:
    """Whether a name is a whole number above numbers."""
    cells = pc.utf8_trim_whitespace(column.slice(0, 1000))
    return name.isdecimal() and bool(pc.all(pc.match_substring_regex(cells, r"^-?[0-9]*([.,][0-9]+)?$")).as_py())


def _are_numbered(names: Sequence[str]) -> bool:
    """Whether the whole numbers among the names count columns (0, 1, 2), or are years."""
    numbers = [int(name) for name in names if name.isdecimal() and len(name) < 20]
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    years = all(1900 <= number <= 2100 for number in numbers) and all(step > 0 for step in steps)
    return len(numbers) > 1 and (steps == {1} or (len(numbers) > 2 and len(steps) == 1 and min(steps) > 0) or years)
