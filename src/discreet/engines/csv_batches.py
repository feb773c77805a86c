# SPDX-License-Identifier: Apache-2.0
"""Read a CSV file in batches, with the same parser and rules as when it is read whole.

Engines have CSV parsers of their own, but two parsers differ on odd lines, and then k would differ, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from discreet.data.csv import (
    SkippedLines,
    cells_without_name,
    check_last_quote,
    check_layout,
    check_options,
    decode_head,
    parse_options,
    read_head,
    with_header,
    with_names,
)
from discreet.data.encodings import encoding_if_not_utf8, possible_encodings
from discreet.data.file_layout import FileLayout, layout_of
from discreet.data.held_file import open_bytes
from discreet.errors import DataError, quietly

_BLOCK = 1 << 23
_HEAD = 10_001  # rows looked at to tell names from data


class CsvBatches:
    """A CSV file (also .gz, .bz2, .zst) that can be read repeatedly; all cells are text.

    The options are those of `discreet.data.csv.read_csv`. An error while another library pulls batches is recorded in
    `problem`, in our words, since messages of other libraries quote cells.
    """

    def __init__(
        self,
        path: Path,
        *,
        delimiter: str | None = None,
        quote: str | None = None,
        encoding: str | None = None,
        names: Sequence[str] | None = None,
        header: bool | None = None,
    ):
        check_options(delimiter, quote, encoding)
        self.path, self.problem = path, ""
        named = names is None and header is not False
        self._given: dict[str, Any] = {"delimiter": delimiter, "quote": quote, "header": named}
        self._head = read_head(path)
        self._detected = encoding is None
        self._encodings = [encoding] if encoding else possible_encodings(path, self._head)
        self._skip = 0  # rows above the data
        self._left_out: tuple[str, ...] = ()  # what the last whole scan left out
        self._choose_encoding()
        while True:
            table, failure = quietly(self._first_rows)
            if table is not None:
                break
            self.next_encoding_or_raise(failure)
        self.names = tuple(with_names(path, with_header(path, table, self._layout), names, header).column_names)
        self._skip = int(named and self._layout.taken is None)

    @property
    def encoding(self) -> str:
        """The encoding that fits what was read so far."""
        return self._encodings[0]

    @property
    def delimiter(self) -> str:
        return self._layout.delimiter

    @property
    def notes(self) -> tuple[str, ...]:
        """What is no row and was left out, as far as the file was read."""
        return (*self._layout.notes, *self._left_out)

    def reader(self) -> pa.RecordBatchReader:
        """All rows from the first on; columns are called f0, f1 and so on."""
        self.problem = ""
        return pa.RecordBatchReader.from_batches(self._schema, self._batches())

    def next_encoding_or_raise(self, failure: str) -> None:
        """After a failure, prepare another attempt in the next encoding, or raise a DataError."""
        if self.problem == _NOT_TEXT and self._detected and self._encodings[0] == "utf-8":
            self._encodings = [encoding_if_not_utf8(self.path)]
            self._choose_encoding()
            return
        if self.problem == _NOT_TEXT:
            raise DataError(f"{self.path.name!r} is not encoded in {self._encodings[0]}. Specify its encoding.")
        raise DataError(
            self.problem
            or f"{self.path.name!r} cannot be read as a table with the delimiter {self._layout.delimiter!r}"
            f" ({failure})."
        )

    def _choose_encoding(self) -> None:
        """Choose the first encoding that fits the head of the file, and detect the dialect of the text."""
        text, tried = None, " or ".join(self._encodings)
        while text is None and self._encodings:
            text, _ = quietly(decode_head, self._head, self._encodings[0], errors=(UnicodeDecodeError,))
            self._encodings = self._encodings if text is not None else self._encodings[1:]
        if text is None:
            raise DataError(f"{self.path.name!r} is not encoded in {tried}. Specify its encoding.")
        self._layout: FileLayout = layout_of(text, **self._given)
        check_layout(self.path, self._layout)
        self._schema = pa.schema([(f"f{i}", pa.string()) for i in range(self._layout.width)])

    def _first_rows(self) -> pa.Table:
        batches: list[pa.RecordBatch] = []
        for batch in self.reader():
            batches.append(batch)
            if sum(map(len, batches)) >= _HEAD:
                break
        return pa.Table.from_batches(batches, self._schema)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        last, skip, quote = None, self._skip, self._layout.quote
        skipped = SkippedLines(self.path, self._layout, self._encodings[0])
        try:
            with open_bytes(self.path) as stream:
                for batch in self._open(stream, skipped):
                    if last is not None:
                        yield last.slice(skip)
                        skip = 0
                    last = batch
                    self._check_ends(batch)
            if last is not None and quote:
                check_last_quote(self.path, pa.Table.from_batches([last]), quote, self._encodings[0])
            self._left_out = skipped.notes
            if last is not None:
                yield last.slice(skip)
        except DataError as error:
            self.problem = self.problem or str(error).replace("opened in row", "opened near row")
            raise
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            if skipped.ragged:
                self.problem = str(skipped.error())
            if not self.problem and (isinstance(error, UnicodeDecodeError) or "UTF8" in str(error)):
                self.problem = _NOT_TEXT
            raise

    def _open(self, stream: pa.NativeFile, on_ragged: Callable[[pacsv.InvalidRow], str]) -> pacsv.CSVStreamingReader:
        return pacsv.open_csv(
            stream,
            read_options=pacsv.ReadOptions(
                column_names=self._schema.names,
                skip_rows=self._layout.skip,
                encoding=self._encodings[0],
                block_size=_BLOCK,
                use_threads=False,
            ),
            parse_options=parse_options(self._layout, on_ragged),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(self._schema.names, pa.string()), strings_can_be_null=False
            ),
        )

    def _check_ends(self, batch: pa.RecordBatch) -> None:
        """DataError if a column without a name, at the ends of lines, holds cells."""
        for place in range(self._layout.kept, self._layout.width):
            filled = pc.sum(pc.not_equal(pc.utf8_trim_whitespace(batch.column(place)), "")).as_py()
            if filled:
                raise cells_without_name(self.path, place + 1, filled)


_NOT_TEXT = "not text in this encoding"
