# SPDX-License-Identifier: Apache-2.0
"""What a report says about a source whose rows stay in an engine: its columns, and the sizes of its groups.

It stands where reports take a data set, as far as they ask for counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.data.roles import Roles


class CountedColumn(NamedTuple):
    """A column of the source; `levels` is None where its values were not counted."""

    name: str
    kind: str
    levels: int | None


@dataclass(frozen=True, eq=False)
class CountedSource:
    """The rows of an engine in numbers.

    groups  of the distinct rows of quasi-identifiers: (persons in each, rows of each, how many of them there are)
    """

    names: tuple[str, ...]
    roles: Roles
    counted: tuple[CountedColumn, ...]
    n_rows: int
    n_persons: int
    groups: tuple[np.ndarray, np.ndarray, np.ndarray]

    shape = "table"

    @classmethod
    def of(
        cls, names: Sequence[str], roles: Roles, rows: CodedRows, columns: Iterable[CountedColumn]
    ) -> CountedSource:
        sizes, n = rows.sizes(np.arange(len(rows)), len(rows)), rows.rows
        (of_persons, of_rows), times = np.unique(np.vstack([sizes, n]), axis=1, return_counts=True)
        return cls(tuple(names), roles, tuple(columns), rows.n_rows, rows.n_persons, (of_persons, of_rows, times))

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
