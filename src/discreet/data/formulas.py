# SPDX-License-Identifier: Apache-2.0
"""Neutralise CSV formulas: cells that a spreadsheet would run get a leading apostrophe, which reading removes.

A spreadsheet runs a cell such as `=HYPERLINK(...)` when it opens a CSV file. The characters are those of OWASP's page
on CSV injection (= + - @, tab, CR, LF and the full-width forms), their other compatibility forms, the minus sign, and |
and %, which begin a command in some programs; white space, quotes and invisible characters may come before them. The
same holds inside a cell wherever a new cell would begin if the file were split at semicolons, tabs, bars or line
breaks, as spreadsheets in many countries do. Plain numbers, -5 or +3.2e-7, stay unchanged.

Reading removes exactly these apostrophes: for every text, `plain(neutral(text)) == text`. A formula that already has
leading apostrophes gets one more, so that different texts stay different.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from discreet.errors import DataError, shown

_BEGINS = "=+\\-@|%" + "＝﹦⁼₌⩵⩶" + "＋﹢⁺₊﬩" + "－﹣−⁻₋" + "＠﹫" + "｜％﹪"
_CUTS = "\t\r\n;|"
_SKIPPED = (  # control characters, blanks, quotes, invisible characters
    r"\x00-\x08\x0b\x0c\x0e-\x20\x7f-\xa0\xad"
    "\"'`´‘’‚‛“”„‟«»‹›＂＇"
    "\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufe00-\ufe0f\ufeff"
)
_NUMBER = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_FORMULA = f"(?=[{_SKIPPED}]*[{_BEGINS}])"
_PLACES = (  # positions of the apostrophes, to be added or already present
    rf"(?:\A(?={{mark}}[{_SKIPPED}]*[\t\r\n])|\A(?!{_NUMBER}\Z)(?={{mark}}{_FORMULA})|(?<=[{_CUTS}])(?={{mark}}{_FORMULA}))"
)
_BARE = re.compile(_PLACES.format(mark=""))
_MARKED = re.compile(_PLACES.format(mark="'") + "'")
# For Arrow, which has no lookahead: every text that either of the two could change.
_SUSPECT = f"^[{_SKIPPED}]*[{_BEGINS}\t\r\n]|[{_CUTS}][{_SKIPPED}]*[{_BEGINS}]"


def neutral(text: str) -> str:
    """The text as it is written to a CSV file.

    >>> neutral("=1+1"), neutral("-5"), neutral("-5+1"), neutral("'=1"), neutral("rock 'n' roll")
    ("'=1+1", '-5', "'-5+1", "''=1", "rock 'n' roll")
    """
    return _BARE.sub("'", text)


def plain(text: str) -> str:
    """The inverse of `neutral`.

    >>> plain("'=1+1"), plain("''=1"), plain("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return _MARKED.sub("", text)


def neutral_cells(array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Neutralise a column of text, which may be a dictionary; other types have no formulas."""
    return _each(array, neutral)


def plain_cells(name: str, array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The text of a published CSV column, as a dictionary; DataError for formulas that are not neutralised, or extra
    apostrophes.
    """

    def read(text: str) -> str:
        text_read = plain(text)
        if neutral(text_read) != text:
            raise DataError(
                f"Column {shown(name)} holds formulas that a spreadsheet would run. Releases are not written like that."
            )
        return text_read

    is_text = pa.types.is_string(array.type)
    return _each(array.dictionary_encode() if is_text else array, read)


def unmarked(table: pa.Table, names: Sequence[str] | None = None, texts: Container[str] | None = None) -> pa.Table:
    """A published CSV file without the apostrophes before formulas. `names` are its column names, if known; `texts`
    are those with text cells.
    """
    names = [plain(name) for name in table.column_names] if names is None else names
    cells = [
        plain_cells(name, column) if texts is None or name in texts else column
        for name, column in zip(names, table.columns, strict=True)
    ]
    return pa.table(cells, names=list(names))


def _each(array: pa.Array | pa.ChunkedArray, change: Callable[[str], str]) -> pa.Array | pa.ChunkedArray:
    """Change texts; of dictionaries each different one once."""
    if isinstance(array, pa.ChunkedArray):
        return pa.chunked_array([_each(chunk, change) for chunk in array.chunks], array.type)
    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, _each(array.dictionary, change))
    if not pa.types.is_string(array.type) or not pc.any(pc.match_substring_regex(array, _SUSPECT)).as_py():
        return array
    distinct = array.unique().drop_null()
    suspect = distinct.filter(pc.match_substring_regex(distinct, _SUSPECT))
    changed = {text: change(text) for text in suspect.to_pylist()}
    after = pa.array([changed.get(text, text) for text in distinct.to_pylist()], pa.string())
    return after.take(pc.index_in(array, distinct))
