# SPDX-License-Identifier: Apache-2.0
"""How results look in a notebook: small HTML without scripts, readable on light and on dark ground.

Notebooks are saved, committed and mailed. So a display shows names and counts, and of cells only what is published
anyway: the first rows of a release, never those of the owner's table. `DISPLAYS` says which function describes objects
of which class, as plain data; this module turns the data into HTML.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from discreet.errors import plain, quietly

DISPLAYS = {  # by the name of the class; public classes have different names
    "Table": "notebook_data:of_table",
    "Baskets": "notebook_data:of_baskets",
    "Dataset": "notebook_data:of_dataset",
    "Roles": "notebook_data:of_roles",
    "Sample": "notebook_data:of_sample",
    "Inspection": "notebook_data:of_inspection",
    "Verdict": "notebook_release:of_verdict",
    "Verification": "notebook_release:of_verification",
    "Release": "notebook_release:of_release",
    "AttackFindings": "notebook_results:of_findings",
    "Finding": "notebook_results:of_finding",
    "Evaluation": "notebook_results:of_evaluation",
    "Utility": "notebook_results:of_utility",
    "Study": "notebook_results:of_study",
}
_LONGEST = 80  # characters of a name or a cell
_LONGEST_LINE = 2000
_MOST_ROWS = 60
# The ground, sign and words of a badge; white on these grounds has a contrast of more than 7.
_GOOD, _MIND = ("#0b5d34", "✓", "holds"), ("#6b4200", "!", "holds, but mind what it leaves open")
_BAD = ("#8e1b1b", "✗", "does not hold")
_CELL = "text-align:{};padding:.2em .7em .2em 0;vertical-align:top"
_TABLE = "border-collapse:collapse;color:inherit;font-size:inherit;margin:.4em 0"
_WIDTH = "max-width:60em"
_SHORT = 30  # characters of a cell that is not broken into lines
_RULE = "border-bottom:1px solid rgba(128,128,128,.5)"


@dataclass(frozen=True)
class Grid:
    """A small table; columns named in `right` are numbers. `hidden` grids are folded until a reader opens them."""

    head: Sequence[str]
    rows: Sequence[Sequence[object]]
    caption: str = ""
    right: Sequence[str] = ()
    hidden: bool = False


@dataclass(frozen=True)
class Display:
    """What a display says: a title, whether all is well, sentences, tables, and notes below them.

    `mind` is what a promise that holds leaves open; with such a line the badge is not green.
    """

    title: str
    holds: bool | None = None
    lines: Sequence[str] = ()
    grids: Sequence[Grid] = ()
    notes: Sequence[str] = ()
    mind: Sequence[str] = ()


def display_of(thing: object) -> Display:
    """What the display of an object says."""
    where = next(DISPLAYS[cls.__name__] for cls in type(thing).__mro__ if cls.__name__ in DISPLAYS)
    module, _, name = where.partition(":")
    described: Display = getattr(importlib.import_module(f"discreet.report.{module}"), name)(thing)
    return described


def to_html(thing: object) -> str:
    """An object as HTML; if it cannot be described, its plain text, for a display must not stand in the way."""
    described, failure = quietly(display_of, thing)
    if failure:
        return f"<pre>{escape(plain(repr(thing)))}</pre>"
    return _html(described)


def _html(display: Display) -> str:
    parts = [f"<div><strong>{_text(display.title)}</strong>{_badge(display)}</div>"]
    parts += [
        f'<div style="margin:.3em 0;{_WIDTH}">{_text(line, _LONGEST_LINE)}</div>' for line in display.lines if line
    ]
    if display.mind:
        lines = "".join(f"<li>{_text(line, _LONGEST_LINE)}</li>" for line in display.mind)
        parts.append(f'<ul style="margin:.4em 0;padding-left:1.2em;{_WIDTH}">{lines}</ul>')
    parts += [_grid(grid) for grid in display.grids if grid.rows]
    if display.notes:
        notes = "".join(f"<li>{_text(note, _LONGEST_LINE)}</li>" for note in display.notes)
        parts.append(f'<ul style="margin:.4em 0;padding-left:1.2em;font-size:90%;{_WIDTH}">{notes}</ul>')
    return f'<div class="discreet">{"".join(parts)}</div>'


def _badge(display: Display) -> str:
    if display.holds is None:
        return ""
    ground, sign, word = _BAD if not display.holds else _MIND if display.mind else _GOOD
    style = f"margin-left:.6em;padding:.05em .6em;border-radius:.7em;color:#fff;background:{ground}"
    return f'<span style="{style}">{sign} {word}</span>'


def _grid(grid: Grid) -> str:
    head = "".join(f'<th scope="col" style="{_style(name, grid)};{_RULE}">{_text(name)}</th>' for name in grid.head)
    lines = []
    for row in grid.rows[:_MOST_ROWS]:
        cells = [(_style(name, grid), _text(cell)) for name, cell in zip(grid.head, row, strict=True)]
        folded = [f"{style};white-space:nowrap" if len(text) <= _SHORT else style for style, text in cells]
        drawn = zip(folded, cells, strict=True)
        lines.append("<tr>" + "".join(f'<td style="{style}">{text}</td>' for style, (_, text) in drawn) + "</tr>")
    more = len(grid.rows) - _MOST_ROWS
    rest = f"<div>and {more:,} more</div>" if more > 0 else ""
    table = f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>'
    table = f'<div style="overflow-x:auto">{table}{"".join(lines)}</tbody></table></div>{rest}'
    if not grid.caption:
        return table
    caption = _text(grid.caption, _LONGEST_LINE)
    if grid.hidden:
        return f"<details><summary>{caption}</summary>{table}</details>"
    return f'<div style="margin-top:.5em">{caption}</div>{table}'


def _style(name: str, grid: Grid) -> str:
    return _CELL.format("right" if name in grid.right else "left")


def _text(value: object, longest: int = _LONGEST) -> str:
    """Text from anywhere: printable, not too long, escaped."""
    text = plain("" if value is None else value)
    return escape(text if len(text) <= longest else text[: longest - 1] + "…")
