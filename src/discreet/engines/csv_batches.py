# SPDX-License-Identifier: Apache-2.0
"""Read a CSV file in batches, with the same parser and rules as when it is read whole.

Engines have CSV parsers of their own, but two parsers differ on odd lines, and then k would differ, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from discreet.data.csv import (
    check_last_quote,
    check_options,
    decode_head,
    find_delimiter,
    find_quote,
    possible_encodings,
    read_head,
    width_of,
    with_names,
)
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
        self._given = (delimiter, quote)
        self._head = read_head(path)
        self._encodings = [encoding] if encoding else possible_encodings(path, self._head)
        self._skip = 0  # rows above the data
        self._choose_encoding()
        while True:
            table, failure = quietly(self._first_rows)
            if table is not None:
                break
            self.next_encoding_or_raise(failure)
        self.names = tuple(with_names(path, table, names, header).column_names)
        self._skip = int(names is None and header is not False)

    @property
    def encoding(self) -> str:
        """The encoding that fits what was read so far."""
        return self._encodings[0]

    def reader(self) -> pa.RecordBatchReader:
        """All rows from the first on; columns are called f0, f1 and so on."""
        self.problem = ""
        return pa.RecordBatchReader.from_batches(self._schema, self._batches())

    def next_encoding_or_raise(self, failure: str) -> None:
        """After a failure, prepare another attempt in the next encoding, or raise a DataError."""
        if self.problem == _NOT_TEXT and len(self._encodings) > 1:
            self._encodings = self._encodings[1:]
            self._choose_encoding()
            return
        if self.problem == _NOT_TEXT:
            raise DataError(f"{self.path.name!r} is not encoded in {self._encodings[0]}. Specify its encoding.")
        raise DataError(
            self.problem
            or f"{self.path.name!r} cannot be read as a table with the delimiter {self._delimiter!r} ({failure})."
        )

    def _choose_encoding(self) -> None:
        """Choose the first encoding that fits the head of the file, and detect the dialect of the text."""
        text, tried = None, " or ".join(self._encodings)
        while text is None and self._encodings:
            text, _ = quietly(decode_head, self._head, self._encodings[0], errors=(UnicodeDecodeError,))
            self._encodings = self._encodings if text is not None else self._encodings[1:]
        if text is None:
            raise DataError(f"{self.path.name!r} is not encoded in {tried}. Specify its encoding.")
        delimiter, quote = self._given
        self._quote = find_quote(text) if quote is None else quote
        self._delimiter = delimiter or find_delimiter(text, self._quote)
        width = width_of(self.path, text, self._delimiter, self._quote)
        self._schema = pa.schema([(f"f{i}", pa.string()) for i in range(width)])

    def _first_rows(self) -> pa.Table:
        batches: list[pa.RecordBatch] = []
        reader = self.reader()
        for batch in reader:
            batches.append(batch)
            if sum(map(len, batches)) >= _HEAD:
                break
        return pa.Table.from_batches(batches, self._schema)

    def _batches(self) -> Iterator[pa.RecordBatch]:
        last = None
        try:
            with open_bytes(self.path) as stream:
                skip = self._skip
                for batch in self._open(stream, self._remember):
                    yield batch.slice(skip)
                    skip, last = 0, batch
            if last is not None and self._quote:
                check_last_quote(self.path, pa.Table.from_batches([last]), self._quote, self._encodings[0])
        except DataError:
            self.problem = (
                f"A quote ({self._quote}) that is opened near the end of {self.path.name!r} is never closed. Close it,"
                f" or give the quote character (quote='' for none)."
            )
            raise
        except (pa.ArrowInvalid, UnicodeDecodeError) as error:
            if not self.problem and (isinstance(error, UnicodeDecodeError) or "UTF8" in str(error)):
                self.problem = _NOT_TEXT
            raise

    def _open(self, stream: pa.NativeFile, on_ragged: Callable[[pacsv.InvalidRow], str]) -> pacsv.CSVStreamingReader:
        return pacsv.open_csv(
            stream,
            read_options=pacsv.ReadOptions(
                column_names=self._schema.names, encoding=self._encodings[0], block_size=_BLOCK, use_threads=False
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=self._delimiter,
                quote_char=self._quote or False,
                newlines_in_values=True,
                invalid_row_handler=on_ragged,
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(self._schema.names, pa.string()), strings_can_be_null=False
            ),
        )

    def _remember(self, row: pacsv.InvalidRow) -> str:
        self.problem = (
            f"{self.path.name!r} is ragged: row {row.number} has {row.actual_columns} cells where the first line has"
            f" {len(self._schema)} (delimiter {self._delimiter!r}). Repair the row, or give the delimiter and quote"
            f" character."
        )
        return "error"


_NOT_TEXT = "not text in this encoding"
