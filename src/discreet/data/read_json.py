# SPDX-License-Identifier: Apache-2.0
"""Records in JSON as a table: JSON lines, one object per line, or one array of objects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from discreet.data.frames import ArrowSource
from discreet.data.held_file import Source, open_bytes
from discreet.data.typed_columns import column_of
from discreet.errors import DataError, quietly, shown

_FORM = 'Write one object per line, {"age": 31, "sex": "f"}, or an array of such objects; or save it as CSV.'


def read_records(source: Source, *, encoding: str | None = None) -> ArrowSource:
    """The records of a file; columns of lists or objects are refused when they are used."""
    records = list(_records(source, _text(source, encoding)))
    if not records:
        raise DataError(f"{shown(source.name)} holds no records. {_FORM}")
    names = list(dict.fromkeys(name for record in records for name in record))
    columns, unusable = {}, {}
    for name in names:
        cells = [record.get(name) for record in records]
        if any(isinstance(cell, (list, dict)) for cell in cells):
            unusable[name] = (
                f"Column {shown(name)} holds lists or objects of JSON; supported are texts, numbers and truth values."
                " Write its parts as columns of their own, or leave it without a role."
            )
            columns[name] = pa.nulls(len(cells), pa.string())
        else:
            columns[name] = column_of([None if cell != cell else cell for cell in cells])
    objects = {name: [None] * len(records) for name in unusable}
    return ArrowSource(pa.table(columns), "arrow", unusable, objects)


def _text(source: Source, encoding: str | None) -> str:
    def read() -> str:
        with open_bytes(source) as stream:
            content = stream.read()
        return content.decode(encoding or json.detect_encoding(content))

    text, failure = quietly(read)
    if text is None:
        raise DataError(f"{shown(source.name)} is not a text in UTF-8 ({failure}). Specify its encoding.")
    return text.lstrip("\ufeff")


def _records(source: Source, text: str) -> Iterator[dict[str, Any]]:
    document, failure = quietly(_parsed, text)
    if not failure and isinstance(document, list):
        yield from _all_objects(source, document)
    elif not failure and isinstance(document, dict):
        if any(isinstance(value, (list, dict)) for value in document.values()):
            raise DataError(f"{shown(source.name)} is a JSON document of another shape than a list of records. {_FORM}")
        yield document
    else:
        yield from _lines(source, text)


def _lines(source: Source, text: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), start=1):
        if line.strip():
            record, failure = quietly(_parsed, line)
            if not isinstance(record, dict):
                why = f" ({failure})" if failure else ""
                raise DataError(f"Line {number} of {shown(source.name)} is not an object of JSON{why}. {_FORM}")
            yield record


def _all_objects(source: Source, document: list[Any]) -> list[dict[str, Any]]:
    others = sum(not isinstance(one, dict) for one in document)
    if others:
        raise DataError(f"{others} of the {len(document)} entries in {shown(source.name)} are not objects. {_FORM}")
    return document


def _parsed(text: str) -> Any:
    return json.loads(text, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name occurs twice in an object")
    return found
