# SPDX-License-Identifier: Apache-2.0
"""Values in new rows that no label of a release stands for, counted: names and numbers, never cells.

A release knows the values that enough people have, so that a few cells of new rows are always unknown. Many of them say
that a column was read or written differently, such as zip codes without their leading zeros.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from discreet.data.table import Table
from discreet.errors import UnknownValuesWarning, shown
from discreet.recoding.labels import Labelling
from discreet.recoding.patterns import Plan

_MANY = 0.05  # share of a column's cells from which on unknown values are no longer the rare ones of every table


@dataclass
class UnknownValues:
    """Counts of unknown cells, by the names of their columns, over all the rows that were added."""

    rows: int = 0
    cells: dict[str, int] = field(default_factory=dict)
    zeros: set[str] = field(default_factory=set)  # columns in which they are known with zeros before them

    def add(self, plan: Plan, table: Table) -> None:
        """Count the cells of rows that are read as those of the release were."""
        self.rows += len(table)
        for labelling in plan.labellings:
            if labelling.fallback == "0" or labelling.is_suppressed.all():  # items, and columns that say nothing
                continue
            column = table.column(labelling.source)
            unknown = _unknown_codes(labelling, table)
            count = int(np.bincount(column.codes[column.codes >= 0], minlength=len(unknown))[unknown].sum())
            if count:
                self.cells[labelling.source] = self.cells.get(labelling.source, 0) + count
                if _lost_zeros(labelling, (column.texts[code] for code in unknown)):
                    self.zeros.add(labelling.source)

    def warn(self) -> None:
        """One warning for all columns with many unknown cells."""
        many = {name: count for name, count in self.cells.items() if count > _MANY * self.rows}
        if many:
            warnings.warn(" ".join(self._sentence(*one) for one in many.items()), UnknownValuesWarning, stacklevel=4)

    def _sentence(self, name: str, count: int) -> str:
        hold, they = ("cell holds a value", "it is") if count == 1 else ("cells hold values", "they are")
        text = f"{shown(name)}: {count:,} of {self.rows:,} {hold} that the release does not know; {they} written `*`"
        return f"{text} or as in the nearest row.{' Were leading zeros lost?' if name in self.zeros else ''}"


def _unknown_codes(labelling: Labelling, table: Table) -> np.ndarray:
    """The codes of values that no label covers but `*`; missing cells are not values."""
    column = table.column(labelling.source)
    classes = labelling.classes(column)
    known = np.zeros(len(classes), dtype=bool)
    for place in np.flatnonzero(~labelling.is_suppressed):
        known |= classes.fit(int(place))
    return np.flatnonzero(~known[classes.of_code[: len(column.values)]])


def _lost_zeros(labelling: Labelling, texts: Iterable[str]) -> bool:
    """Whether one of the texts is known with zeros before it."""
    parts = [one for meaning in labelling.meanings for one in meaning.parts]
    known = {text.lstrip("0") for one in parts for text in one.texts if text.startswith("0")}
    begins = tuple(prefix.lstrip("0") for one in parts for prefix in one.prefixes if prefix.startswith("0"))
    return any(text.isdigit() and (text in known or text.startswith(begins)) for text in texts)
