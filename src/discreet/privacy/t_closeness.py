# SPDX-License-Identifier: Apache-2.0
"""t-closeness: in every equivalence class the sensitive values are distributed nearly as in the whole table.

Paper: Li, Li, Venkatasubramanian 2007. The distance is the earth mover's: with equal ground distance half the sum of
the absolute differences of shares; with ordered ground distance (values on a line, neighbours 1/(m-1) apart) the mean
absolute difference of the cumulative shares over the m-1 gaps. Distances close to t are compared exactly, in whole
numbers. With a person column, a value counts once for each person of the group who has it, and in the whole table once
for each person who has it: so the whole does not depend on how it is divided.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.tally import is_engine
from discreet.data.roles import Roles
from discreet.errors import RolesError, Setting
from discreet.privacy.l_diversity import Measured, ValueCounts, over_sensitive
from discreet.privacy.promise import Interval, Promise, StrOptions, Verdict, counted_and_roles

_NEAR = 1e-9
_BLOCK = 1 << 22  # cells of the dense block that ordered distances need


@dataclass(frozen=True)
class TCloseness(Promise):
    """In every equivalence class the distribution of sensitive values is at most t away from that of the whole table.

    Promise
    -------
    Learning a person's group changes an attacker's belief about a sensitive value by at most t, in earth mover's
    distance. Each sensitive column is measured by itself.

    >>> table = {"sex": ["f", "f", "m", "m"], "ill": ["a", "b", "a", "b"]}
    >>> TCloseness(0.1).check(table, Roles(quasi=["sex"], sensitive=["ill"])).measured
    0.0
    """

    name: ClassVar[str] = "t-closeness"
    higher_is_safer: ClassVar[bool] = False
    does_not_protect: ClassVar[str] = (
        "t-closeness leaves what the whole table says about everyone, and by itself does not stop linking:"
        " join it with k-anonymity."
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "t": [Interval(Real, 0, 1, closed="both")],
        "distance": [StrOptions({"equal", "ordered"})],
    }

    t: float = 0.2
    distance: str = "equal"

    def __str__(self) -> str:
        return f"{self.t}-closeness" + (" (ordered)" if self.distance == "ordered" else "")

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        if self.distance == "ordered" and roles is not None and not is_engine(data):
            counted, roles = counted_and_roles(data, roles)
            self.check_order({name: counted.values(name).kind for name in roles.sensitive})
            data = counted
        return over_sensitive(self, self.t, data, roles, self._measure, max)

    def check_order(self, kinds: Mapping[str, str]) -> None:
        """Refuse the ordered distance for columns whose kind has no order."""
        unordered = [name for name, kind in kinds.items() if kind == "category"]
        if unordered and self.distance == "ordered":
            raise RolesError(
                f"The ordered distance needs numbers or dates; {unordered[0]!r} holds categories. Use ",
                Setting("distance", "equal"),
                ".",
            )

    def measured(self, counts: ValueCounts) -> tuple[np.ndarray, np.ndarray]:
        """The distance of each group, and which groups are too far."""
        distance = _equal(counts) if self.distance == "equal" else _ordered(counts)
        limit = Fraction(str(self.t))
        short = distance > float(limit)
        for group in np.flatnonzero(np.abs(distance - float(limit)) < _NEAR):  # where rounding could decide
            exact = _exact(counts, int(group), self.distance == "ordered")
            distance[group], short[group] = float(exact), exact > limit
        return distance, short

    def _measure(self, counts: ValueCounts) -> Measured:
        distance, short = self.measured(counts)
        return float(distance.max()), int(counts.rows[short].sum()), int(counts.rows.sum()), counts.n_groups


def _equal(counts: ValueCounts) -> np.ndarray:
    """Half the summed differences of shares, from the values that occur in a group."""
    table, group = _totals(counts)
    own, whole = counts.weight / group[counts.group], (table / table.sum())[counts.value]
    # Values that the group lacks contribute their whole share: together 1 minus the shares of those it has.
    excess = np.bincount(counts.group, weights=np.abs(own - whole) - whole, minlength=counts.n_groups)
    return np.maximum((1 + excess) / 2, 0.0)


def _ordered(counts: ValueCounts) -> np.ndarray:
    """The mean absolute difference of the cumulative shares over the gaps, a block of groups at a time."""
    table, group = _totals(counts)
    below, gaps = np.cumsum(table / table.sum()), max(len(table) - 1, 1)
    distance = np.zeros(counts.n_groups)
    step = max(1, _BLOCK // len(table))
    order = np.argsort(counts.group, kind="stable")
    for start in range(0, counts.n_groups, step):
        stop = min(start + step, counts.n_groups)
        low, high = np.searchsorted(counts.group[order], [start, stop])
        entries = order[low:high]
        dense = np.zeros((stop - start, len(table)))
        dense[counts.group[entries] - start, counts.value[entries]] = counts.weight[entries]
        mine = np.cumsum(dense, axis=1) / group[start:stop, None]
        distance[start:stop] = np.abs(mine - below)[:, :-1].sum(axis=1) / gaps
    return distance


def _exact(counts: ValueCounts, group: int, ordered: bool) -> Fraction:
    """The distance of one group in whole numbers."""
    table, size = _totals(counts)
    n, m = int(table.sum()), int(size[group])
    mine = dict.fromkeys(range(len(table)), 0)
    for entry in np.flatnonzero(counts.group == group):
        mine[int(counts.value[entry])] = int(counts.weight[entry])
    difference = [mine[value] * n - int(table[value]) * m for value in mine]
    if not ordered:
        return Fraction(sum(map(abs, difference)), 2 * n * m)
    carried = list(accumulate(difference))
    return Fraction(sum(map(abs, carried)), n * m * max(len(table) - 1, 1))


def _totals(counts: ValueCounts) -> tuple[np.ndarray, np.ndarray]:
    """Weight of each value in the whole table, and of each group."""
    group = np.zeros(counts.n_groups, dtype=np.int64)
    np.add.at(group, counts.group, counts.weight)
    return counts.whole, group
