# SPDX-License-Identifier: Apache-2.0
"""The result of a method on coded rows: the group of each row, and the labels of each group.

All methods that recode tables return it, wherever the rows were counted. The base class derives the published columns,
the plan for new rows, the patterns and the changes from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.column import Column, from_labels
from discreet.data.table import Table
from discreet.recoding.labels import Labelling
from discreet.recoding.patterns import Boxes
from discreet.recoding.plan import Plan
from discreet.release.release import Changes

PublishedColumns = dict[str, list[Column]]  # the published columns of each quasi-identifier


def larger_than_asked(size: int, needed: int, setting: str) -> list[str]:
    """A note to the owner where groups of `size` were taken, larger than needed; `setting` takes smaller ones."""
    if size <= needed:
        return []
    return [
        f"Groups of at least {size:,} were taken because classifiers learn better from them;"
        f" `--set {setting}={needed}` keeps more detail."
    ]


@dataclass(frozen=True, eq=False)
class Grouping:
    """The group of each row, and the label of each group in each quasi-identifier.

    group       of each distinct row; `of_single_rows`, of each row of the table, -1 for rows that are left out
    labellings  of the quasi-identifiers: labels and what they mean
    codes       group x quasi-identifier: the place of the group's label
    plan        for new rows; None for the groups as patterns
    swapped     single rows that show a cell which is not their own
    """

    group: np.ndarray
    labellings: Sequence[Labelling]
    codes: np.ndarray
    plan: Plan | None = None
    trace: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    of_single_rows: bool = False
    swapped: int = 0
    population: Table | None = None  # one row for each person who could have been sampled

    @property
    def plan_for_new_rows(self) -> Plan:
        return Boxes.of(self.labellings, self.codes) if self.plan is None else self.plan

    def columns(self, group: np.ndarray) -> PublishedColumns:
        """The published columns of rows in these groups."""
        return {
            labelling.source: [from_labels(labelling.name, labelling.labels, self.codes[group, place])]
            for place, labelling in enumerate(self.labellings)
        }

    def decision(self, rows: CodedRows) -> Decision:
        """What is published of the single rows; counted on distinct rows, where these decide."""
        if self.of_single_rows:
            grouped = np.flatnonzero(self.group >= 0)
            left_out = len(grouped) < len(self.group)
            published = self.columns(self.group[grouped])
            return Decision(
                self.plan_for_new_rows,
                self.trace,
                self.notes,
                published,
                grouped if left_out else None,
                swapped=self.swapped,
                population=self.population,
            )
        decision = self.decision_on(rows)
        assert decision.distinct is not None
        decision.published = {
            name: [Column(one.name, one.kind, one.values, one.codes[rows.group_of_row]) for one in columns]
            for name, columns in decision.distinct[1].items()
        }
        return decision

    def decision_on(self, rows: CodedRows) -> Decision:
        """The same without the published columns of single rows, which an engine does not hand out."""
        distinct = (rows, self.columns(self.group), rows.rows)
        return Decision(self.plan_for_new_rows, self.trace, self.notes, distinct=distinct, population=self.population)


@dataclass
class Decision:
    """What is published of a table: the plan, the steps that led to it, notes for the owner. The trace is never
    published.

    published  the columns of each quasi-identifier in the rows' order, where not the plan makes them
    rows       the rows that are published, when some are left out: `published` then has those only, in that order
    swapped    rows that show a cell which is not their own
    population the persons who could have been sampled, for k-map
    distinct   coded rows, their published columns and how many rows each is, where changes are counted on distinct rows
    """

    plan: Plan | None
    trace: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    published: PublishedColumns | None = None
    rows: np.ndarray | None = None
    changes: Changes | None = None
    swapped: int = 0
    distinct: tuple[CodedRows, PublishedColumns, np.ndarray] | None = None
    population: Table | None = None
