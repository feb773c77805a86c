# SPDX-License-Identifier: Apache-2.0
"""Copies of a published table in other formats, on request with numbers beside labels of intervals.

The promise is checked on one file, data.csv or data.parquet. A copy is a function of that file: its format, and which
numbers it adds (`copies_numbers.py`). So whoever verifies writes it again and compares the bytes. If another version of
a library wrote it, which the certificate says, the copy is read instead and compared cell by cell.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc

from discreet.data.content import Content
from discreet.data.formats_out import PLAIN, as_held, bytes_in, check_format, has_our_parts, library_of
from discreet.data.held_file import HeldFile
from discreet.data.parquet import read_parquet
from discreet.data.read import read_exactly
from discreet.data.storage import plain_texts
from discreet.data.table import Table
from discreet.errors import DataError, listing
from discreet.foundation.plain_files import MOST_DATA, read_most
from discreet.release.certificate import Certificate, CopyRecord
from discreet.release.copies_numbers import with_numbers

_MOST_TEXT = 2**31  # bytes of text that a copy may hold: in Parquet, one text may stand for millions of cells
_KINDS = {"xlsx": "Excel", "sav": "SPSS", "dta": "Stata"}


def asked_copies(formats: Sequence[str], numbers: str | None) -> tuple[str | None, dict[str, CopyRecord]]:
    """The format of the data file, None if none is asked for, and the copies by the names of their files.

    >>> asked_copies(["csv", "csv-de"], None)
    ('csv', {'data-de.csv': CopyRecord(format='csv-de', numbers=None, library=None)})
    """
    for format in formats:
        check_format(format)
    main = next((format for format in formats if format in PLAIN), None)
    copied = [format for format in formats if format != main or numbers]
    if numbers and not copied:
        copied = ["csv"]
    records = [CopyRecord(format=format, numbers=numbers) for format in copied]  # type: ignore[arg-type]
    return main, {copy_name(record): record for record in records}


def copy_name(record: CopyRecord) -> str:
    """The name of the file of a copy."""
    ending, _, locale = record.format.partition("-")
    parts = ["data", *([locale] if locale else []), *(["numbers"] if record.numbers else [])]
    return f"{'-'.join(parts)}.{ending}"


def copy_bytes(content: Content, record: CopyRecord) -> bytes:
    """The file of a copy."""
    return bytes_in(_rows(content, record), record.format)


def with_libraries(copies: Mapping[str, CopyRecord]) -> dict[str, CopyRecord]:
    """The same copies, each with the library that writes it here."""
    return {name: record.model_copy(update={"library": library_of(record.format)}) for name, record in copies.items()}


def check_copied(content: Content, copies: Collection[str]) -> None:
    """DataError for copies of what is not a table in memory, or too large."""
    if not copies:
        return
    if content.shape_name != "table" or content.is_stored:
        what = "in parts" if content.is_stored else f"of {content.shape_name}"
        raise DataError(f"A release {what} is not written as {listing(copies)}; only whole tables are.")
    if content.text_size() > _MOST_TEXT:
        raise DataError(f"The table has {content.text_size():,} bytes of text; copies have at most {_MOST_TEXT:,}.")


def _rows(content: Content, record: CopyRecord) -> pa.Table:
    columns = cast(Table, content).columns()
    if record.numbers:
        return with_numbers(columns, record.numbers)
    return pa.table({column.name: column.to_dictionary() for column in columns})


# -- verifying ---------------------------------------------------------------------------------------------------------


def copy_record_problems(certificate: Certificate) -> list[str]:
    """Check that the stated copies are copies of a table, under their names."""
    if not certificate.copies:
        return []
    named = all(name == copy_name(record) for name, record in certificate.copies.items())
    if certificate.shape == "table" and named and set(certificate.copies) <= set(certificate.files):
        return []
    return ["The certificate states copies that a release does not have."]


def copy_problems(
    certificate: Certificate, content: Content, files: dict[str, BinaryIO], *, read_back: bool
) -> tuple[list[str], list[str]]:
    """Check that every copy holds the published cells, and remark on those of which only the cells were compared.

    `read_back` compares the cells of all copies, too, although the bytes must be the same: for copies just written.
    """
    problems, remarks = [], []
    check_copied(content, certificate.copies)
    for name, record in certificate.copies.items():
        same = _is_written_so(content, record, certificate.files[name].sha256)
        if same and not read_back:
            continue
        try:
            holds = _holds(content, record, name, files[name])
        except DataError as error:
            problems.append(f"{name} could not be checked. {error}")
            continue
        if not holds:
            problems.append(f"{name} does not hold the published cells, or holds more.")
        elif not same and (read_back or (same is False and record.library == library_of(record.format))):
            problems.append(f"{name} is not written as discreet writes these cells: it was edited, or holds more.")
        elif not same:
            remarks.append(
                f"{name} holds the published cells, but another version of its library wrote it, or it is not installed"
                " here: whether the file holds nothing else was not checked."
            )
    return problems, remarks


def _is_written_so(content: Content, record: CopyRecord, sha256: str) -> bool | None:
    """Whether writing the copy again gives the same bytes; None if that cannot be done here."""
    try:
        return hashlib.sha256(copy_bytes(content, record)).hexdigest() == sha256
    except DataError:
        return None


def _holds(content: Content, record: CopyRecord, name: str, file: BinaryIO) -> bool:
    """Whether the copy, read again, has the cells that it should have."""
    rows, held = _rows(content, record), read_most(file, MOST_DATA)
    if record.format == "parquet":
        file.seek(0)
        found = plain_texts(read_parquet(file, rows.column_names, rows=rows.num_rows))
    elif not has_our_parts(held, record.format):
        return False
    elif record.format in _KINDS:
        found = read_exactly(HeldFile(name, held), _KINDS[record.format])
    else:  # texts have one form
        return held == bytes_in(rows, record.format)
    expected = as_held(rows, record.format)
    return found.column_names == expected.column_names and all(
        _same(expected.column(name), found.column(name)) for name in expected.column_names
    )


def _same(expected: Any, found: Any) -> bool:
    """Whether two columns have the same cells; the last rows of a sheet may have none and not be there."""
    if len(found) > len(expected):
        return False
    if pa.types.is_dictionary(found.type):
        found = found.cast(found.type.value_type)
    if pc.all(pc.is_null(expected)).as_py() is not False:
        return found.null_count == len(found)
    cells = [*found.to_pylist(), *[None] * (len(expected) - len(found))]
    return all(_equal(one, other) for one, other in zip(expected.to_pylist(), cells, strict=True))


def _equal(one: Any, other: Any) -> bool:
    """Whether two cells are the same; numbers to the 15 digits that Excel keeps, a day also as its midnight."""
    if one is None or other is None or isinstance(one, (str, bool)) or isinstance(other, (str, bool)):
        return type(one) is type(other) and one == other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=1e-15, abs_tol=0)
    return str(one).removesuffix(" 00:00:00") == str(other).removesuffix(" 00:00:00")
