# SPDX-License-Identifier: Apache-2.0
"""What a report says about a source whose rows stay in an engine: its columns, and the sizes of its groups.

It stands where reports take a data set, as far as they ask for counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.tally import pair_counts
from discreet.data.roles import Roles


class CountedColumn(NamedTuple):
    """A column of the source; `levels` is None where its values were not counted."""

    name: str
    kind: str
    levels: int | None


class SourceGroups(NamedTuple):
    """Groups of rows with equal quasi-identifiers: persons in each, rows of each, how many such groups there are."""

    persons: np.ndarray
    rows: np.ndarray
    times: np.ndarray
    n_persons: int

    @classmethod
    def of(cls, rows: CodedRows) -> SourceGroups:
        persons = rows.sizes(np.arange(len(rows)), len(rows))
        return cls(*pair_counts(persons, rows.rows), rows.n_persons)


@dataclass(frozen=True, eq=False)
class CountedSource:
    """The rows of an engine in numbers."""

    names: tuple[str, ...]
    roles: Roles
    counted: tuple[CountedColumn, ...]
    n_rows: int
    groups: SourceGroups

    shape = "table"

    @classmethod
    def of_rows(cls, names: tuple[str, ...], roles: Roles, rows: CodedRows) -> CountedSource:
        """From the distinct rows, of which quasi-identifiers and target are known."""
        target = () if rows.target is None else (rows.target,)
        counted = tuple(CountedColumn(one.name, one.kind, one.levels) for one in (*rows.columns, *target))
        return cls(names, roles, counted, rows.n_rows, SourceGroups.of(rows))

    def __len__(self) -> int:
        return self.n_rows

    @property
    def data(self) -> CountedSource:
        return self

    @property
    def quasi(self) -> tuple[str, ...]:
        return self.roles.quasi

    @property
    def has_target(self) -> bool:
        return self.roles.target is not None

    def columns(self, names: Sequence[str]) -> list[CountedColumn]:
        known = {column.name: column for column in self.counted}
        return [known.get(name, CountedColumn(name, "", None)) for name in names]
