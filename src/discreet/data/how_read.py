# SPDX-License-Identifier: Apache-2.0
"""How a table was read, in sentences with counts: what was recognised in its cells, and what was done to its file.

Sentences name columns and say how cells are written, never what is in them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from discreet.data.notation import Notation
from discreet.data.recognition import Unclear
from discreet.errors import DataError, shown


@dataclass(frozen=True)
class ColumnReading:
    """How the texts of one column were read.

    features  how cells are written, in words, and how many of them are
    of_cells  whether cells were counted, or the different texts among them
    remark    what else the owner should know
    certain   what the column shows for certain: the decimal mark, or the order of its dates
    """

    name: str
    notation: Notation | None = None
    features: tuple[tuple[str, int], ...] = ()
    of_cells: bool = True
    remark: str = ""
    certain: str = ""

    @property
    def sentence(self) -> str:
        """One sentence, empty if there is nothing to say."""
        if self.notation is None:
            return f"Column {shown(self.name)}: {self.remark}" if self.remark else ""
        if not self.features:
            return f"Column {shown(self.name)}: read as {self.notation.kind}s ({self.notation.name})."
        (words, count), *others = self.features
        what = "cell" if self.of_cells else "different text"
        counted = f"{count:,} {what}{'s' if count != 1 else ''} with {words}"
        counted += "".join(f", {n:,} with {more}" for more, n in others)
        end = f"read as {self.notation.kind}s"
        if getattr(self.notation, "unit", "") == "%":
            end += " (twelve percent is 12)"
        return f"Column {shown(self.name)}: {counted}, {end}.{' ' + self.remark if self.remark else ''}"


@dataclass(frozen=True)
class HowRead:
    """What was done to the file, and how each of the columns that were used so far was read.

    `labels` is what the program that wrote the file says of columns.
    """

    notes: tuple[str, ...] = ()
    columns: Mapping[str, ColumnReading] | None = None
    labels: Mapping[str, str] = field(default_factory=dict)

    def sentences(self) -> list[str]:
        """What a user should know, a sentence each.

        >>> from discreet.data.table import Table
        >>> table = Table.of({"income": ["1.169,17", "980,5"], "sex": ["f", "m"]})
        >>> _ = table.columns()
        >>> table.reading.sentences()
        ["Column 'income': 2 cells with a decimal comma, 1 with a dot between thousands, read as numbers."]
        """
        found = (self.columns or {}).values()
        return [*self.notes, *(one.sentence for one in found if one.sentence)]


def question(name: str, unclear: Unclear, n_cells: int, *, of_cells: bool, evidence: str = "") -> DataError:
    """What the owner is asked about a column that can be read in several ways."""
    what = "cell" if of_cells else "different text"
    fit = f"{'the only ' + what if n_cells == 1 else f'all {n_cells:,} {what}s'}"
    reason = (
        unclear.reason
        or f"{fit} can be read in {_number(len(unclear.choices))} ways, which give different {unclear.kind}s"
    )
    choices = ", or ".join(
        f"{option}={{{shown(name)}: {value!r}}} (--{_option(option)} {shown_argument(name, value)}) if {words}"
        for words, option, value in unclear.choices
    )
    keep = "" if any(option == "kinds" for _, option, _ in unclear.choices) else " As kind category it stays text."
    return DataError(f"Column {shown(name)}: {reason}.{evidence} Say {choices}.{keep}")


def _option(option: str) -> str:
    return {"date_format": "date-format", "kinds": "kind"}.get(option, option)


def shown_argument(name: str, value: str) -> str:
    """As it is typed on a command line."""
    text = f"{name}={value}"
    return text if all(sign.isalnum() or sign in "=,._-" for sign in text) else f'"{text}"'


def _number(count: int) -> str:
    return {2: "two", 3: "three"}.get(count, str(count))


def evidence_elsewhere(readings: Iterable[ColumnReading], kind: str) -> str:
    """What other columns of the table show for certain."""
    words = {
        ",": "a decimal comma",
        ".": "a decimal point",
        "day-first": "dates with the day first",
        "month-first": "dates with the month first",
    }
    marks = (",", ".") if kind == "number" else ("day-first", "month-first")
    found = [one for one in readings if one.certain in marks]
    if not found:
        return ""
    return f" Column {shown(found[0].name)} has {words[found[0].certain]} for certain."
