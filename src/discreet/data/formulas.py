# SPDX-License-Identifier: Apache-2.0
"""Cells that a spreadsheet would run as formulas are written with an apostrophe before them, and read without it.

A cell such as `=HYPERLINK(...)` is run by whoever opens a CSV file in a spreadsheet. The characters are those of
OWASP's page on CSV injection (= + - @, tab, CR, LF and the full-width forms), their other compatibility forms, the
minus sign, and | and %, which begin a command in some programs. White space, quotes and invisible characters before
them do not help. Inside a cell, too, an apostrophe is put before them where a new cell would begin if the file were cut
at semicolons, tabs, bars or line breaks, as spreadsheets in many countries do. Plain numbers, -5 or +3.2e-7, stay.

Reading takes exactly these apostrophes away: for every text, `plain(neutral(text)) == text`. A text that begins with
apostrophes before a formula gets one more, so that two texts never become one.
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
_PLACES = (  # where an apostrophe goes, or stands
    rf"(?:\A(?={{mark}}[{_SKIPPED}]*[\t\r\n])|\A(?!{_NUMBER}\Z)(?={{mark}}{_FORMULA})|(?<=[{_CUTS}])(?={{mark}}{_FORMULA}))"
)
_BARE = re.compile(_PLACES.format(mark=""))
_MARKED = re.compile(_PLACES.format(mark="'") + "'")
# For Arrow, which cannot look ahead: every text that either of the two could change.
_SUSPECT = f"^[{_SKIPPED}]*[{_BEGINS}\t\r\n]|[{_CUTS}][{_SKIPPED}]*[{_BEGINS}]"


def neutral(text: str) -> str:
    """The text as a CSV file holds it.

    >>> neutral("=1+1"), neutral("-5"), neutral("-5+1"), neutral("'=1"), neutral("rock 'n' roll")
    ("'=1+1", '-5', "'-5+1", "''=1", "rock 'n' roll")
    """
    return _BARE.sub("'", text)


def plain(text: str) -> str:
    """The text that `neutral` wrote so.

    >>> plain("'=1+1"), plain("''=1"), plain("'tis")
    ('=1+1', "'=1", "'tis")
    """
    return _MARKED.sub("", text)


def neutral_cells(array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Text as a CSV file holds it; other types have no formulas."""
    return _each(array, neutral)


def plain_cells(name: str, array: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The text in a column of a published CSV file; DataError where a formula stands as it is, or a mark too many."""

    def read(text: str) -> str:
        found = plain(text)
        if neutral(found) != text:
            raise DataError(
                f"Column {shown(name)} holds formulas as a spreadsheet runs them. Releases are not written so."
            )
        return found

    return _each(array, read)


def unmarked(table: pa.Table, names: Sequence[str] | None = None, texts: Container[str] | None = None) -> pa.Table:
    """A published CSV file without the marks before formulas. `names` are its columns where they are known, `texts`
    those of them whose cells are texts.
    """
    names = [plain(name) for name in table.column_names] if names is None else names
    cells = [
        plain_cells(name, column) if texts is None or name in texts else column
        for name, column in zip(names, table.columns, strict=True)
    ]
    return pa.table(cells, names=list(names))


def _each(array: pa.Array | pa.ChunkedArray, change: Callable[[str], str]) -> pa.Array | pa.ChunkedArray:
    if not pa.types.is_string(array.type) or not pc.any(pc.match_substring_regex(array, _SUSPECT)).as_py():
        return array
    distinct = array.unique().drop_null()
    suspect = distinct.filter(pc.match_substring_regex(distinct, _SUSPECT))
    changed = {text: change(text) for text in suspect.to_pylist()}
    after = pa.array([changed.get(text, text) for text in distinct.to_pylist()], pa.string())
    return after.take(pc.index_in(array, distinct))
