# SPDX-License-Identifier: Apache-2.0
"""l-diversity: every equivalence class holds enough different sensitive values.

Paper: Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007. Three readings, per group and sensitive column:
distinct    at least l different values;
entropy     exp(entropy of the values) at least l;
recursive   r1 < c (r_l + ... + r_m), r_i the counts in decreasing order (the largest first).
With a person column, a value counts once for each person who has it, and a group never counts more values than persons:
many visits of one patient do not make a group diverse. Nor is a group diverse in which everybody has some value,
whatever else they have: that value is known of each of them, and the group counts as one of a single value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.entropy import n_log_n
from discreet.counting.tally import tally
from discreet.data.roles import Roles
from discreet.errors import RolesError, Setting
from discreet.privacy.promise import Interval, Promise, StrOptions, Verdict, counted_and_roles

_SLACK = 1e-9  # tolerance for entropies


@dataclass(frozen=True)
class ValueCounts:
    """Frequency of each sensitive value in each group: one entry per (group, value) that occurs.

    weight   rows of the entry, or its persons where persons are counted
    rows     of each group
    persons  of each group
    whole    weight of each value in the whole table, where each person counts once for a value
    """

    group: np.ndarray
    value: np.ndarray
    weight: np.ndarray
    rows: np.ndarray
    persons: np.ndarray
    whole: np.ndarray

    @property
    def n_groups(self) -> int:
        return len(self.rows)


def value_counts(data: object, quasi: Sequence[str], sensitive: str, person: str | None) -> ValueCounts:
    counted = tally(data, (*quasi, sensitive), person=person)
    groups, first = counted.group_by(quasi)
    rows = np.bincount(groups, weights=counted.counts.sum(axis=1), minlength=len(first)).astype(np.int64)
    persons = rows if person is None else tally(data, quasi, person=person).sizes
    values = tally(data, (sensitive,), person=person)
    whole = np.zeros(int(values.codes.max()) + 1, dtype=np.int64)
    whole[values.codes[:, 0]] = values.sizes
    return ValueCounts(groups, counted.codes[:, -1], counted.sizes.astype(np.int64), rows, persons, whole)


@dataclass(frozen=True)
class LDiversity(Promise):
    """Every equivalence class has at least l well-represented values of each sensitive column.

    Promise
    -------
    Whoever knows a person's group cannot narrow the sensitive value down to fewer than l values (distinct), or not with
    near certainty (entropy, recursive). Each sensitive column is measured by itself; similar values count as different;
    how common a value is in the whole table is not considered (see TCloseness).

    >>> table = {"sex": ["f", "f", "m", "m"], "ill": ["a", "b", "c", "c"]}
    >>> LDiversity(2).check(table, Roles(quasi=["sex"], sensitive=["ill"])).measured
    1
    """

    name: ClassVar[str] = "l-diversity"
    does_not_protect: ClassVar[str] = (
        "l-diversity does not see that different sensitive values may mean much the same, or that a value may be far"
        " more common in a group than in the table."
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "l": [Interval(Real, 1, None, closed="neither")],
        "measure": [StrOptions({"distinct", "entropy", "recursive"})],
        "c": [Interval(Real, 0, None, closed="neither"), None],
    }

    l: float = 2  # noqa: E741  (the field's own letter)
    measure: str = "distinct"
    c: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.measure == "recursive") != (self.c is not None):
            raise RolesError("l-diversity needs ", Setting("c"), " if it is recursive, and only then.")
        if self.measure != "entropy" and not isinstance(self.l, Integral):
            raise RolesError(f"The l of {self.measure} l-diversity is a whole number. Got {self.l} instead.")

    @property
    def rows_tell(self) -> bool:
        return self.measure == "distinct"

    def __str__(self) -> str:
        if self.measure == "recursive":
            return f"recursive ({self.c}, {self.l})-diversity"
        return f"{self.measure} {self.l}-diversity"

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        return over_sensitive(self, self.l, data, roles, self._measure, min)

    def measured(self, counts: ValueCounts) -> tuple[np.ndarray, np.ndarray]:
        """The diversity of each group, and which groups fall short."""
        diversity = _MEASURES[self.measure](counts, self.c)
        diversity = np.where(_had_by_all(counts), np.minimum(diversity, 1), diversity)
        if self.measure != "entropy":
            return diversity, diversity < self.l
        short = diversity < self.l - _SLACK
        return np.where(short, diversity, np.maximum(diversity, self.l)), short  # not below l by rounding

    def _measure(self, counts: ValueCounts) -> Measured:
        diversity, short = self.measured(counts)
        least = diversity.min()
        worst = float(least) if self.measure == "entropy" else int(least)
        return worst, int(counts.rows[short].sum()), int(counts.rows.sum()), counts.n_groups


Measured = tuple[float, int, int, int]  # value of the worst group, rows that fall short, rows, groups


def over_sensitive(
    promise: Promise,
    required: float,
    data: object,
    roles: Roles | None,
    measure: Callable[[ValueCounts], Measured],
    worst: Callable[..., Any],
) -> Verdict:
    """The verdict of a promise about sensitive values within groups; `worst` is min or max.

    A known label divides the groups further; a target that is itself sensitive is left out of that.
    """
    data, roles = counted_and_roles(data, roles)
    if not roles.sensitive:
        raise RolesError(f"{type(promise).__name__} needs sensitive columns; the roles name none.")
    results = [measure(value_counts(data, roles.quasi, name, roles.person)) for name in roles.sensitive]
    labelled = None
    if roles.target is not None:
        hidden = [name for name in roles.sensitive if name != roles.target]
        quasi = (*roles.quasi, roles.target)
        labelled = worst((measure(value_counts(data, quasi, name, roles.person))[0] for name in hidden), default=None)
    measured, _, rows, groups = worst(results)
    return Verdict(
        promise=str(promise),
        holds=all(short == 0 for _, short, _, _ in results),
        required=required,
        measured=measured,
        rows=rows,
        rows_short=max(short for _, short, _, _ in results),
        with_label=labelled,
        details={"groups": groups},
    )


def distinct_values(counts: ValueCounts, c: float | None = None) -> np.ndarray:
    return np.minimum(np.bincount(counts.group, minlength=counts.n_groups), counts.persons)


def effective_values(counts: ValueCounts, c: float | None = None) -> np.ndarray:
    """exp(entropy) of each group, its number of equally common values, but at most its persons."""
    total = np.bincount(counts.group, weights=counts.weight, minlength=counts.n_groups)
    inside = np.bincount(counts.group, weights=n_log_n(counts.weight), minlength=counts.n_groups)
    return np.minimum(np.exp2((n_log_n(total) - inside) / total), counts.persons)


def recursive_values(counts: ValueCounts, c: float | None) -> np.ndarray:
    """The largest l for which each group is (c, l)-diverse, 0 if there is none, but at most its persons."""
    ratio = Fraction(str(c))
    order = np.lexsort((-counts.weight, counts.group))
    group, weight = counts.group[order], counts.weight[order]
    start = np.searchsorted(group, np.arange(counts.n_groups))
    before = np.concatenate([[0], np.cumsum(weight)])
    tail = before[np.append(start[1:], len(group))][group] - before[:-1]  # r_i + ... + r_m at place i
    most = weight[start][group]
    fine = most < float(ratio) * tail
    for place in np.flatnonzero(np.abs(most - float(ratio) * tail) <= 1e-9 * most):  # where rounding could decide
        fine[place] = int(most[place]) < ratio * int(tail[place])
    return np.minimum(np.bincount(group, weights=fine, minlength=counts.n_groups).astype(np.int64), counts.persons)


def _had_by_all(counts: ValueCounts) -> np.ndarray:
    """Which groups have a value that all their persons have."""
    commonest = np.zeros(counts.n_groups, dtype=np.int64)
    np.maximum.at(commonest, counts.group, counts.weight)
    return commonest == counts.persons


_MEASURES = {"distinct": distinct_values, "entropy": effective_values, "recursive": recursive_values}
