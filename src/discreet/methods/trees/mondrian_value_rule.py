# SPDX-License-Identifier: Apache-2.0
"""What both sides of a cut need of the values of columns, where rows are counted by rank and value, or are a part.

The rows of a node that have one rank of a column are moved to the other side together. So they are as one row to the
kernel that says whether both sides have what they need (cut_needs.py), with the number of each value: the answer
is that for the same rows in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from discreet.counting.coded_rows import CodedRows
from discreet.counting.row_values import RowValues
from discreet.data.roles import Roles
from discreet.methods.group_needs import GroupNeeds
from discreet.methods.trees.cut_needs import SideNeeds, side_needs, sides_meet
from discreet.methods.trees.cut_partition import Need
from discreet.privacy.l_diversity import LDiversity
from discreet.privacy.promise import Both, Promise


@dataclass(frozen=True, eq=False)
class ValueRule:
    """What the promise asks of the values of columns, beyond rows.

    whole     of each column that it asks about, the rows of each value in the whole table
    distinct  different values that each sensitive column has at least on both sides
    """

    promise: Promise
    roles: Roles
    whole: Mapping[str, np.ndarray]
    distinct: int = 0

    @classmethod
    def of(cls, promise: Promise, roles: Roles, rows: CodedRows) -> ValueRule | None:
        """From rows counted by any column; None if nothing is asked of values, CannotRelease if nothing meets it."""
        needs = GroupNeeds.of(rows, roles, promise)
        needs.check_possible()
        if not needs.values:
            return None
        parts = promise.promises if isinstance(promise, Both) else (promise,)
        distinct = [math.ceil(part.l) for part in parts if isinstance(part, LDiversity) and part.measure == "distinct"]
        whole = {need.column: need.values.whole for need in needs.values}
        return cls(promise, roles, whole, max(distinct, default=0))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.whole)

    def narrow(self, fits: np.ndarray, counts: Mapping[str, np.ndarray]) -> np.ndarray:
        """Of the places before, between and after ranks that fit, those that leave both sides enough; `counts` are the
        rows of each rank by value, for each column."""
        n, fits = len(fits) - 1, fits.astype(np.int64)
        for name in self.roles.sensitive if self.distinct else ():
            met = np.cumsum(counts[name], axis=0) > 0
            left = np.append(0, met.sum(axis=1))
            met_again = np.cumsum(counts[name][::-1], axis=0) > 0
            right = np.append(met_again.sum(axis=1)[::-1], 0)
            fits &= (left >= self.distinct) & (right >= self.distinct)
        sides = self._sides(lambda name: self._by_rank(name, counts[name]))
        if sides is not None:
            ranks = np.arange(n, dtype=np.int32)[:, None]
            sides_meet(sides, np.arange(n), 0, n, ranks, 0, False, fits)
        return fits > 0

    def needs(self, codes: Mapping[str, np.ndarray]) -> tuple[list[Need], SideNeeds | None]:
        """What is asked of the sides of cuts of single rows with these codes."""
        n = len(next(iter(codes.values())))
        keyed = self.roles.sensitive if self.distinct else ()
        needs = [Need(self.distinct, (np.arange(n), codes[name].astype(np.int64))) for name in keyed]
        return needs, self._sides(lambda name: self._of_rows(name, codes[name]))

    def _sides(self, values_of: Callable[[str], RowValues]) -> SideNeeds | None:
        return side_needs(self.promise, self.roles, values_of)

    def _by_rank(self, name: str, counts: np.ndarray) -> RowValues:
        rank, value = np.nonzero(counts)
        return RowValues(rank, value, counts[rank, value], None, self.whole[name], len(counts))

    def _of_rows(self, name: str, codes: np.ndarray) -> RowValues:
        n = len(codes)
        return RowValues(np.arange(n), codes.astype(np.int64), np.ones(n, np.int64), None, self.whole[name], n)


def least_of(promise: Promise) -> int:
    """Rows that a group has at least: no group has more values than rows."""
    parts = promise.promises if isinstance(promise, Both) else (promise,)
    return max((math.ceil(part.l) for part in parts if isinstance(part, LDiversity)), default=1)
