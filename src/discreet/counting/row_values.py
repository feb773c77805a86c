# SPDX-License-Identifier: Apache-2.0
"""The values of a column beside the distinct rows of others, counted in sets of these rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.counting.tally import group, pair_counts


@dataclass(frozen=True, eq=False)
class RowValues:
    """The values of a column at distinct rows, sorted by row.

    Entry i: `weight[i]` rows of distinct row `row[i]` have value `value[i]`. With persons, an entry is a row, a value
    and a person who has it there, and its weight is 1. `whole` is the weight of each value in all rows together.
    """

    row: np.ndarray
    value: np.ndarray
    weight: np.ndarray
    person: np.ndarray | None
    whole: np.ndarray
    n_rows: int

    @classmethod
    def of(
        cls, row: np.ndarray, value: np.ndarray, weight: np.ndarray, person: np.ndarray | None, n_rows: int
    ) -> RowValues:
        """From entries in any order, which may say the same twice."""
        if person is None:
            row, value, weight = pair_counts(row, value, weight)
            return cls(row, value, weight, None, np.bincount(value, weight).astype(np.int64), n_rows)
        first = group([row, value, person], len(row))[1]
        row, value, person = row[first], value[first], person[first]
        whole = np.bincount(pair_counts(value, person)[0])
        return cls(row, value, np.ones(len(row), dtype=np.int64), person, whole, n_rows)

    def merged(self, place: np.ndarray, n_rows: int) -> RowValues:
        """The same where distinct row i has become part of row `place[i]`."""
        return RowValues.of(place[self.row], self.value, self.weight, self.person, n_rows)

    @cached_property
    def _start(self) -> np.ndarray:
        return np.searchsorted(self.row, np.arange(self.n_rows + 1))

    def counts(self, of: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How often each value occurs in sets of the distinct rows `inside`: (set, value, weight), in order."""
        first, n = self._start[inside], self._start[inside + 1] - self._start[inside]
        entry = np.repeat(first - np.concatenate([[0], np.cumsum(n)[:-1]]), n) + np.arange(int(n.sum()))
        sets, value, weight = np.repeat(of, n), self.value[entry], self.weight[entry]
        if self.person is not None:
            once = group([sets, value, self.person[entry]], len(entry), ordered=False)[1]
            sets, value, weight = sets[once], value[once], weight[once]
        return pair_counts(sets, value, weight)
