# SPDX-License-Identifier: Apache-2.0
"""What surrounds the rows of a text file: `sep=;`, comments, a title, units below the names, delimiters at line ends.

Detected from the beginning of the file, in one way for tables in memory and for engines. Only what cannot be a row is
left out, and every such step is a sentence, with counts.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from discreet.data.cell_kinds import MISSING_MARKS
from discreet.errors import quietly

DELIMITERS = (",", ";", "\t", "|")
_RARE = ("^", "~", "\x01", " ")  # tried if none of these splits the first line, and taken only if all lines are alike
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_MOST_ABOVE = 50  # lines above a table
_SAMPLE_ROWS = 200
_LINE_END = re.compile(r"\r\n|\r|\n")
_UNIT = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,]*%?")
_ALIGNED = "Read as one column: its lines look like cells between runs of spaces. Put one delimiter in place of each."
_REMARK = ("//", "%", "--")  # how comments of other programs begin
UNNAMED = "row_names"  # what a first column without a name is called


@dataclass(frozen=True)
class FileLayout:
    """Where the rows of a file are, and how they are cut into cells.

    skip    lines above the first row that is parsed
    taken   names of a header line among them; None if the first row that is parsed may hold the names
    width   cells of a row
    kept    columns without the empty ones at line ends
    comments  whether lines that begin with # are comments
    """

    delimiter: str
    quote: str
    escape: bool = False
    skip: int = 0
    taken: tuple[str, ...] | None = None
    width: int = 0
    kept: int = 0
    comments: bool = False
    notes: tuple[str, ...] = ()


def layout_of(text: str, *, delimiter: str | None = None, quote: str | None = None, header: bool = True) -> FileLayout:
    """The layout of a file that begins with this text; what is given is not detected. `header` says that names are
    above the rows.

    >>> layout_of("sep=;\\n# made today\\nage;sex;\\n31;f;\\n").notes[0]
    'The first line names the delimiter.'
    """
    lines = _LINE_END.split(text.rstrip("\r\n"))
    skip, said, comments, notes = _above(lines, header=header)
    rest = "\n".join(lines[skip:])
    start = FileLayout(delimiter or said or "", quote or "", skip=skip, comments=comments, notes=notes)
    found = _dialect(start, rest, quote)
    title = (_title(lines[skip:], found, given=start.delimiter) or above_names(rest, start.delimiter)) if header else 0
    if title:
        rest = "\n".join(lines[skip + title :])
        notes = (*notes, f"{_lines(title)} above the names left out.")
        found = _dialect(replace(start, skip=skip + title, notes=notes), rest, quote)
    rows = list(islice(quietly_rows(rest, found), _SAMPLE_ROWS))
    if not rows:
        return found
    found = replace(found, width=len(rows[0][1]), kept=len(rows[0][1]))
    if found.width == 1 and are_aligned(rest):
        found = replace(found, notes=(*found.notes, _ALIGNED))
    return _with_rows(found, rows) if header else found


def are_aligned(text: str) -> bool:
    """Whether runs of spaces seem to stand between cells: names above numbers."""
    rows = [line.split() for line in text.splitlines()[:_SAMPLE_ROWS] if line.strip()]
    return len(rows) > 2 and len({len(row) for row in rows}) == 1 and are_names(rows[0], rows[1:])


def first_line(text: str) -> tuple[str, str | None]:
    """The first line that is no comment, and the delimiter that `sep=` says: all that is public of a file."""
    lines = _LINE_END.split(text)
    skip, said, _, _ = _above(lines)
    return next((line for line in lines[skip:] if line.strip()), ""), said


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
    return best if best_key[1] else _rare_delimiter(text, quote) or best


def _rare_delimiter(text: str, quote: str) -> str | None:
    """One that splits all lines into as many cells; spaces only if names are then above numbers."""
    for delimiter in _RARE:
        rows, _ = quietly(lambda cut=delimiter: [row for _, row in islice(rows_of(text, cut, quote), _SAMPLE_ROWS)])
        alike = bool(rows) and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1
        if alike and (delimiter != " " or are_names(rows[0], rows[1:])):
            return delimiter
    return None


def find_quote(text: str) -> str:
    """The quote character: single only if the first line and most others are wrapped in it and no double one occurs.

    >>> find_quote("'a','b'\\n'1','2'")
    "'"
    """
    lines = [line.strip() for line in text.splitlines()[:50] if line.strip()]
    wrapped = [len(line) > 1 and line.startswith("'") and line.endswith("'") for line in lines]
    return "'" if wrapped and wrapped[0] and 2 * sum(wrapped) > len(lines) and '"' not in text else '"'


def rows_of(text: str, delimiter: str, quote: str, *, escape: bool = False) -> Iterator[tuple[int, list[str]]]:
    """The rows of a text, without empty lines, and the number of the line where each ends."""
    lines = io.StringIO(text, newline=None)
    how: dict[str, Any] = {"quotechar": quote} if quote else {"quoting": csv.QUOTE_NONE}
    reader = csv.reader(lines, delimiter=delimiter, escapechar="\\" if escape else None, **how)
    return ((reader.line_num, row) for row in reader if row)


def quietly_rows(text: str, layout: FileLayout) -> Iterator[tuple[int, list[str]]]:
    """As `rows_of`, up to the first that cannot be cut."""
    rows = rows_of(text, layout.delimiter, layout.quote, escape=layout.escape)
    while (row := quietly(next, rows, None)[0]) is not None:
        yield row


def footers(tail: str, delimiter: str) -> frozenset[str]:
    """Lines below the last empty line of a file if none of them is cut into cells: a source, or a count of rows."""
    lines = [line.strip() for line in tail.splitlines()]
    while lines and not lines[-1].strip(delimiter):
        lines.pop()
    empty = [place for place, line in enumerate(lines) if not line.strip(delimiter)]
    below = lines[empty[-1] + 1 :] if empty else []
    sure = 0 < len(below) <= 10 and all(delimiter not in line for line in below)
    return frozenset(below) if sure else frozenset()


# -- above the rows ----------------------------------------------------------------------------------------------------


def _above(lines: Sequence[str], *, header: bool = True) -> tuple[int, str | None, bool, tuple[str, ...]]:
    """The number of lines above the names, the delimiter that one of them says, whether comments are among them."""
    skip, said, notes = 0, None, []
    first = next((place for place, line in enumerate(lines[:_MOST_ABOVE]) if line.strip()), 0)
    match = _SEPARATOR_LINE.fullmatch(lines[first].lstrip("\ufeff")) if lines else None
    if match is not None:
        skip, said = first + 1, match[1]
        notes.append("The first line names the delimiter.")
    start = skip
    while start < min(len(lines), _MOST_ABOVE) and (not lines[start].strip() or lines[start].startswith("#")):
        start += 1
    hashes = [place for place in range(skip, start) if lines[place].startswith("#")]
    if not hashes or start >= len(lines):
        return skip, said, False, tuple(notes)
    rows = [place for place in hashes if _may_be_row(lines[place], lines[start:], said, header=header)]
    end = rows[0] if rows else start
    n_comments = sum(place < end for place in hashes)
    if n_comments:
        notes.append(f"{_lines(n_comments, 'of comments (#)')} left out.")
        skip = end
    return skip, said, bool(n_comments), tuple(notes)


def _may_be_row(line: str, below: Sequence[str], said: str | None, *, header: bool) -> bool:
    """Whether a line that begins with # may be a row, or hold the names: it has as many cells as the rows.

    It is none if the line below all of them holds the names, as words above numbers do.
    """
    text = "\n".join(below[:_MOST_ABOVE])
    cut = said or find_delimiter(text)
    rows = [row for _, row in islice(quietly_rows(text, FileLayout(cut, '"')), 3)]
    own = next((row for _, row in quietly_rows(line, FileLayout(cut, '"'))), [])
    if not rows or len(own) != len(rows[0]):
        return False
    numbers = [any(_NUMBER.fullmatch(cell.strip()) for cell in row) for row in rows]
    return not header or numbers[0] or not any(numbers[1:])


def _title(lines: Sequence[str], found: FileLayout, *, given: str) -> int:
    """The number of lines above the names: of one cell each, or none, and an empty line below them; 0 if not sure."""
    empty = [place for place, line in enumerate(lines[:_MOST_ABOVE]) if not line.strip(" ,;\t|")]
    if not lines or not empty or empty[-1] + 1 >= len(lines):
        return 0
    for place in empty:
        if not any(line.strip() for line in lines[: place + 1]):
            continue  # empty lines, which are skipped anyway
        if not lines[place] and place - 1 in empty:
            continue  # the rows below are those of the line before
        rest = "\n".join(lines[place + 1 :])
        if not rest.strip(" ,;\t|\n"):
            break
        cut = found.delimiter if given else find_delimiter(rest, found.quote or '"')
        below = [row for _, row in islice(quietly_rows(rest, replace(found, delimiter=cut)), 2)]
        above = [line for line in lines[:place] if line.strip(" ,;\t|")]
        named = sum(bool(cell.strip()) for cell in below[0]) if below else 0
        if named < 2 or any(_n_cells(line, cut) > 1 for line in above):
            continue
        if len({len(row) for row in below}) > 1 or len(below) < 2:
            continue
        return place + 1
    return 0


def above_names(text: str, delimiter: str = "") -> int:
    """The number of lines directly above the names that are a title, a comment or names of groups; 0 if not sure.

    Such a line has one cell, or begins as comments do, or leaves columns without names. The line below it must hold
    names for certain: all cells differ, and one is a word above numbers.

    >>> above_names("Patients of 2024\\nage;sex\\n31;f\\n45;m\\n"), above_names("a,b\\n1,2\\n")
    (1, 0)
    """
    lines = text.split("\n")
    whole = FileLayout(delimiter or find_delimiter(text), '"')
    rows = [row for _, row in islice(quietly_rows(text, whole), _SAMPLE_ROWS)]
    names = {cell.strip() for cell in rows[0]} - {""} if rows else set()
    alike = len({len(row) for row in rows}) == 1 and 1 < len(rows[0]) == len(names)
    if alike and not text.startswith(_REMARK):
        return 0  # the first line fits the others, and names every column
    for place in range(1, min(len(lines) - 1, 6)):
        rest = "\n".join(lines[place:])
        cut = delimiter or find_delimiter(rest)
        rows = [row for _, row in islice(quietly_rows(rest, FileLayout(cut, '"')), _SAMPLE_ROWS)]
        if not all(_is_no_row(line, cut, rows) and line.count('"') % 2 == 0 for line in lines[:place]):
            break
        if len(rows) > 1 and len({len(row) for row in rows}) == 1 and are_names(rows[0], rows[1:]):
            return place
    return 0


def _is_no_row(line: str, cut: str, below: Sequence[Sequence[str]]) -> bool:
    """Whether a line above the names has one cell, is a comment, or names groups of columns."""
    cells = next((row for _, row in quietly_rows(line, FileLayout(cut, '"'))), [])
    named = [cell.strip() for cell in cells if cell.strip()]
    if len(named) <= 1 or line.startswith(_REMARK):
        return not (len(cells) > 1 and not cells[0].strip() and len(cells) - len(named) < 2)
    lacking = len(cells) - len(set(named))
    return bool(below) and len(cells) == len(below[0]) and (lacking > 1 or (lacking == 1 and bool(cells[0].strip())))


def are_names(row: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether a row holds names for certain: all cells filled and different, a word above nothing but numbers, and no
    cell that stands in its column again."""
    cells = [cell.strip() for cell in row]
    if len(cells) < 2 or not all(cells) or len(set(cells)) < len(cells) or not below:
        return False
    columns = list(zip(*(line[: len(cells)] for line in below), strict=False))
    if len(columns) < len(cells) or any(_NUMBER.fullmatch(cell) or cell in MISSING_MARKS for cell in cells):
        return False
    if any(name in {cell.strip() for cell in column} for name, column in zip(cells, columns, strict=True)):
        return False
    filled = [[cell.strip() for cell in column if cell.strip()] for column in columns]
    return any(column and all(_NUMBER.fullmatch(cell) for cell in column) for column in filled)


def _n_cells(line: str, delimiter: str) -> int:
    return sum(bool(cell.strip()) for cell in line.split(delimiter))


def _lines(count: int, of: str = "") -> str:
    return f"{count} line{'s' if count != 1 else ''}{' ' + of if of else ''}"


# -- the rows ----------------------------------------------------------------------------------------------------------


def _dialect(found: FileLayout, text: str, quote: str | None) -> FileLayout:
    marks = find_quote(text) if quote is None else quote
    cut = found.delimiter or find_delimiter(text, marks)
    found = replace(found, delimiter=cut, quote=marks)
    if marks and f"\\{marks}" in text and _is_escaped(text, cut, marks):
        return replace(found, escape=True, notes=(*found.notes, "Quotes inside cells are escaped by backslashes."))
    return found


def _is_escaped(text: str, delimiter: str, quote: str) -> bool:
    """Whether rows are of one width only if a backslash before a quote keeps it from ending the cell."""
    widths = [
        [len(row) for _, row in islice(rows_of(text, delimiter, quote, escape=escape), _SAMPLE_ROWS)]
        for escape in (False, True)
    ]
    return len(set(widths[1])) == 1 and (len(set(widths[0])) > 1 or len(widths[1]) > len(widths[0]))


def _with_rows(found: FileLayout, rows: list[tuple[int, list[str]]]) -> FileLayout:
    """Delimiters at the ends of lines, and units below the names."""
    (line, names), below = rows[0], [row for _, row in rows[1:]]
    named = len(names)
    while named > 1 and not names[named - 1].strip():
        named -= 1
    widths = {len(row) for row in below}
    at_ends = "Delimiters at the ends of lines left out."
    if len(widths) == 1 and (width := widths.pop()) != len(names):
        unnamed = all(not cell.strip() for row in below for cell in row[named:])
        if width == named or (width == len(names) + 1 and unnamed):
            taken = tuple(names[:named])
            return replace(
                found, skip=found.skip + line, taken=taken, width=width, kept=named, notes=(*found.notes, at_ends)
            )
        if width == len(names) + 1 and _count_rows(below) and UNNAMED not in names:  # as R writes them
            return _with_row_names(found, line, names)
    if named == len(names) > 1 and not names[0].strip() and UNNAMED not in names and not widths - {len(names)}:
        found = _with_row_names(found, line, names[1:])
    if named < len(names) and below and all(not cell.strip() for row in below for cell in row[named:]):
        found = replace(found, kept=named, notes=(*found.notes, at_ends))
    if len(below) > 1 and len(below[0]) == len(names) and _are_units(below[0], below[1]):
        notes = (*found.notes, "The units below the names left out.")
        return replace(found, skip=found.skip + rows[1][0], taken=tuple(names[: found.kept]), notes=notes)
    return found


def _with_row_names(found: FileLayout, line: int, names: Sequence[str]) -> FileLayout:
    """The layout of rows whose first column has no name, as indexes of data frames are written."""
    note = f"The first column has no name; it is called {UNNAMED}."
    width = len(names) + 1
    return replace(
        found,
        skip=found.skip + line,
        taken=(UNNAMED, *names),
        width=width,
        kept=width,
        notes=(*found.notes, note),
    )


def _count_rows(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first column counts the rows from 1."""
    return len(rows) > 1 and all(row[0].strip() == str(place) for place, row in enumerate(rows, start=1))


def _are_units(row: Sequence[str], next_row: Sequence[str]) -> bool:
    """Whether all cells are in brackets, and one of them has a number below it."""
    cells = [cell.strip() for cell in row if cell.strip()]
    numbers = any(unit.strip() and _NUMBER.fullmatch(cell.strip()) for unit, cell in zip(row, next_row, strict=False))
    return numbers and 2 * len(cells) >= len(row) and all(_UNIT.fullmatch(cell) for cell in cells)


def _widths(text: str, delimiter: str, quote: str) -> list[int]:
    return [len(row) for _, row in islice(rows_of(text, delimiter, quote), _SAMPLE_ROWS)]
