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

from discreet.errors import quietly

DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_MOST_ABOVE = 50  # lines above a table
_SAMPLE_ROWS = 200
_LINE_END = re.compile(r"\r\n|\r|\n")
_UNIT = re.compile(r"\[[^\[\]]*\]|\([^()]*\)")
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,]*%?")


@dataclass(frozen=True)
class Layout:
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


def layout_of(text: str, *, delimiter: str | None = None, quote: str | None = None, header: bool = True) -> Layout:
    """The layout of a file that begins with this text; what is given is not detected. `header` says that names are
    above the rows.

    >>> layout_of("sep=;\\n# made today\\nage;sex;\\n31;f;\\n").notes[0]
    'The first line names the delimiter.'
    """
    lines = _LINE_END.split(text.rstrip("\r\n"))
    skip, said, comments, notes = _above(lines)
    rest = "\n".join(lines[skip:])
    start = Layout(delimiter or said or "", quote or "", skip=skip, comments=comments, notes=notes)
    found = _dialect(start, rest, quote)
    title = _title(lines[skip:], found, given=bool(start.delimiter)) if header else 0
    if title:
        rest = "\n".join(lines[skip + title :])
        notes = (*notes, f"{_lines(title)} above the names left out.")
        found = _dialect(replace(start, skip=skip + title, notes=notes), rest, quote)
    rows = list(islice(quietly_rows(rest, found), _SAMPLE_ROWS))
    if not rows:
        return found
    found = replace(found, width=len(rows[0][1]), kept=len(rows[0][1]))
    return _with_rows(found, rows) if header else found


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
    return best


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


def quietly_rows(text: str, layout: Layout) -> Iterator[tuple[int, list[str]]]:
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


def _above(lines: Sequence[str]) -> tuple[int, str | None, bool, tuple[str, ...]]:
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
    if _is_header(lines[hashes[-1]], lines[start:], said):
        hashes.pop()
        start = hashes[-1] + 1 if hashes else skip
    if hashes:
        notes.append(f"{_lines(len(hashes), 'of comments (#)')} left out.")
        skip = start
    return skip, said, bool(hashes), tuple(notes)


def _is_header(line: str, below: Sequence[str], said: str | None) -> bool:
    """Whether a line that begins with # names the columns: as many as the rows have, which hold numbers."""
    text = "\n".join(below[:_MOST_ABOVE])
    cut = said or find_delimiter(text)
    cells = [quietly(next, (row for _, row in rows_of(one, cut, '"')), [])[0] or [] for one in (line, below[0])]
    if len(cells[0]) < 2 or len(cells[0]) != len(cells[1]):
        return False
    return any(_NUMBER.fullmatch(cell.strip()) for cell in cells[1])


def _title(lines: Sequence[str], found: Layout, *, given: bool) -> int:
    """The number of lines above the names: of one cell each, or none, and an empty line below them; 0 if not sure."""
    empty = [place for place, line in enumerate(lines[:_MOST_ABOVE]) if not line.strip(" ,;\t|")]
    if not lines or not empty or empty[-1] + 1 >= len(lines):
        return 0
    for place in empty:
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
        if not above and not any(line.strip() for line in lines[: place + 1]):
            continue  # empty lines, which are skipped anyway
        return place + 1
    return 0


def _n_cells(line: str, delimiter: str) -> int:
    return sum(bool(cell.strip()) for cell in line.split(delimiter))


def _lines(count: int, of: str = "") -> str:
    return f"{count} line{'s' if count != 1 else ''}{' ' + of if of else ''}"


# -- the rows ----------------------------------------------------------------------------------------------------------


def _dialect(found: Layout, text: str, quote: str | None) -> Layout:
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


def _with_rows(found: Layout, rows: list[tuple[int, list[str]]]) -> Layout:
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
    if named < len(names) and below and all(not cell.strip() for row in below for cell in row[named:]):
        found = replace(found, kept=named, notes=(*found.notes, at_ends))
    if len(below) > 1 and len(below[0]) == len(names) and _are_units(below[0]) and not _are_units(below[1]):
        notes = (*found.notes, "The units below the names left out.")
        return replace(found, skip=found.skip + rows[1][0], taken=tuple(names[: found.kept]), notes=notes)
    return found


def _are_units(row: Sequence[str]) -> bool:
    cells = [cell.strip() for cell in row if cell.strip()]
    return 2 * len(cells) >= len(row) and all(_UNIT.fullmatch(cell) for cell in cells)


def _widths(text: str, delimiter: str, quote: str) -> list[int]:
    return [len(row) for _, row in islice(rows_of(text, delimiter, quote), _SAMPLE_ROWS)]
