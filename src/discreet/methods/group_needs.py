# SPDX-License-Identifier: Apache-2.0
"""What a group of rows needs to be published: the question "may these rows be one group?", asked about many sets of
distinct rows at once.

The parameters of methods that say it are described in `discreet.privacy.group_promise`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows
from discreet.counting.row_values import RowValues
from discreet.data.roles import Roles
from discreet.errors import CannotRelease, RolesError, shown
from discreet.privacy.group_promise import GROUP_NEEDS, promise_of, stated_needs
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.k_map import KMap, least_sampled
from discreet.privacy.l_diversity import LDiversity, ValueCounts
from discreet.privacy.promise import Both, Promise
from discreet.privacy.t_closeness import TCloseness

__all__ = ["GROUP_NEEDS", "GroupNeeds", "ValueNeed", "promise_of", "stated_needs", "values_of"]


@dataclass(frozen=True, eq=False)
class ValueNeed:
    """What is asked of the values of a column in every group; `short` says which groups do not have it."""

    asked: str
    column: str
    values: RowValues
    short: Callable[[ValueCounts], np.ndarray]

    def counts(self, of: np.ndarray, inside: np.ndarray, sizes: np.ndarray) -> ValueCounts:
        """How often each value occurs in sets of the distinct rows `inside`; `sizes` are the persons of each set."""
        return ValueCounts(*self.values.counts(of, inside), sizes, sizes, self.values.whole)


@dataclass(frozen=True, eq=False)
class GroupNeeds:
    """Answers which sets of distinct rows may be published as a group, each as one.

    rows    the distinct rows, which count persons
    least   persons that a group has at least; it also has no more values than persons
    values  what is asked beyond that of the values of columns

    >>> table = {"age": [20, 20, 30, 40], "ill": ["a", "b", "b", "b"], "y": [0, 1, 0, 1]}
    >>> roles = Roles(target="y", quasi=["age"], sensitive=["ill"])
    >>> rows = CodedRows.of(table, roles.quasi, target=roles.target)
    >>> GroupNeeds.of(rows, roles, promise_of(2, l=2)).met(np.array([0, 1, 1]), 2).tolist()
    [True, False]
    """

    rows: DistinctRows
    least: int
    values: tuple[ValueNeed, ...] = ()

    @classmethod
    def of(cls, rows: CodedRows, roles: Roles, promise: Promise) -> GroupNeeds:
        """What the parts of a promise ask of a group; other promises than those of `promise_of` ask nothing of it, nor
        does k-map in a table of the population, of whom not all are in these rows."""
        least, needs = 1, []
        beside: dict[str, RowValues] = {}
        for part in promise.promises if isinstance(promise, Both) else (promise,):
            if isinstance(part, KAnonymity):
                least = max(least, part.k)
            if isinstance(part, LDiversity):
                least = max(least, math.ceil(part.l))
            if isinstance(part, KMap) and part.fraction is not None:
                least = max(least, least_sampled(part.k, part.fraction))
            for asked, name, short in _asked_of_values(part, rows, roles):
                if name not in beside:
                    beside[name] = values_of(rows, roles, name)
                needs.append(ValueNeed(asked, name, beside[name], short))
        return cls(rows, least, tuple(needs))

    def merged(self, rows: DistinctRows, place: np.ndarray) -> GroupNeeds:
        """The same about coarser rows: distinct row i is now part of row `place[i]` (see `DistinctRows.merged`)."""
        coarser = {id(need.values): need.values.merged(place, len(rows)) for need in self.values}
        return replace(
            self,
            rows=rows,
            values=tuple(replace(need, values=coarser[id(need.values)]) for need in self.values),
        )

    @property
    def only_persons(self) -> bool:
        """Whether a group needs nothing but persons."""
        return not self.values

    def met(self, of: np.ndarray, n: int, inside: np.ndarray | None = None) -> np.ndarray:
        """Which of n sets of distinct rows have what a group needs; `of` are the sets of those `inside`, or of all."""
        sizes = self.rows.sizes(of, n, inside)
        fine = sizes >= self.least
        for need in self.values:
            which = np.flatnonzero(fine[of])
            if len(which) == 0:
                break
            left = np.flatnonzero(fine)
            number = np.cumsum(fine) - 1
            chosen = which if inside is None else inside[which]
            fine[left[need.short(need.counts(number[of[which]], chosen, sizes[left]))]] = False
        return fine

    def check_possible(self) -> None:
        """Refuse what not even all rows together have: then there is no group that could be published."""
        everyone, persons = np.zeros(len(self.rows), dtype=np.int64), np.array([self.rows.n_persons])
        for need in self.values:
            counts = need.counts(everyone, np.arange(len(self.rows)), persons)
            if need.short(counts)[0]:
                raise CannotRelease(
                    f"{need.asked} was asked, but column {shown(need.column)} has {len(counts.value)} different values,"
                    f" the rarest of them for {counts.weight.min()} and the commonest for {counts.weight.max()} of"
                    f" {persons[0]} persons: not even all of them together are such a group. Ask for less."
                )
        if persons[0] < self.least:
            raise CannotRelease(f"There are only {persons[0]} persons; a group needs {self.least}. Ask for less.")


def values_of(rows: CodedRows, roles: Roles, name: str) -> RowValues:
    """The values of a column beside the quasi-identifiers."""
    if roles.person is None:
        row, (value,), weight = rows.split_by([name])
        return RowValues.of(row, value, weight, None, len(rows))
    row, (value, person), weight = rows.split_by([name, roles.person])
    return RowValues.of(row, value, weight, person, len(rows))


def _asked_of_values(
    promise: Promise, rows: CodedRows, roles: Roles
) -> Iterator[tuple[str, str, Callable[[ValueCounts], np.ndarray]]]:
    """What a promise asks of values: in words, the column, and which groups do not have it."""
    if isinstance(promise, KAnonymity) and promise.label_known:
        if roles.target is None:
            raise RolesError("label_known is about the label; the roles name no target. Name it, or leave it out.")
        yield f"k = {promise.k} with known labels", roles.target, _rare(promise.k)
    elif isinstance(promise, (LDiversity, TCloseness)):
        asked = f"l = {promise.l}" if isinstance(promise, LDiversity) else f"t = {promise.t}"
        if not roles.sensitive:
            raise RolesError(f"{asked} is about sensitive columns; the roles name none. Name them, or leave it out.")
        if isinstance(promise, TCloseness):
            promise.check_order({name: rows.values_of(name).kind for name in roles.sensitive})
        for name in roles.sensitive:
            yield asked, name, _short(promise)


def _rare(k: int) -> Callable[[ValueCounts], np.ndarray]:
    """Which groups have a value that fewer than k persons share."""
    return lambda counts: np.bincount(counts.group, counts.weight < k, counts.n_groups) > 0


def _short(promise: LDiversity | TCloseness) -> Callable[[ValueCounts], np.ndarray]:
    return lambda counts: promise.measured(counts)[1]
