# SPDX-License-Identifier: Apache-2.0
"""What a group of rows needs to be published: the parameters that say it, the promise they make, and the question
"may these rows be one group?", asked about many sets of distinct rows at once.

The parameters, the same for every method that groups rows:

l            how many values of each sensitive column every group has at least; None for no such need
diversity    how values are counted: "distinct" takes each as one; "entropy" takes exp(entropy), the number of equally
             common values; "recursive" asks r1 < c (r_l + ... + r_m) of the counts r1 >= r2 >= ...
c            the factor of "recursive"
t            how far the sensitive values of a group may be distributed from those of the whole table; None for no limit
distance     "equal" if all values are equally far from each other; "ordered" if they are numbers or dates
label_known  whether k persons are left also to somebody who knows the label: each label in a group has k persons

l and t are about the columns that the roles call sensitive; a target is one of them only if it is named there, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from discreet.counting.coded_rows import CodedRows, DistinctRows
from discreet.counting.tally import group, pair_counts
from discreet.data.roles import Roles
from discreet.errors import CannotRelease, ParameterError, RolesError, shown
from discreet.foundation.parameters import Interval, StrOptions
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.l_diversity import LDiversity, ValueCounts
from discreet.privacy.promise import Both, Promise
from discreet.privacy.t_closeness import TCloseness

GROUP_NEEDS: dict[str, list[Any]] = {  # for `_parameter_constraints`
    "l": [Interval(Real, 1, None, closed="neither"), None],
    "diversity": [StrOptions({"distinct", "entropy", "recursive"})],
    "c": [Interval(Real, 0, None, closed="neither"), None],
    "t": [Interval(Real, 0, 1, closed="both"), None],
    "distance": [StrOptions({"equal", "ordered"})],
    "label_known": [bool],
}


def stated_needs(method: object) -> dict[str, Any]:
    """The parameters above as a method has them."""
    return {name: getattr(method, name) for name in GROUP_NEEDS}


def promise_of(
    k: int,
    *,
    l: float | None = None,  # noqa: E741  (the field's own letter)
    diversity: str = "distinct",
    c: float | None = None,
    t: float | None = None,
    distance: str = "equal",
    label_known: bool = False,
) -> Promise:
    """The promise that these parameters make.

    >>> str(promise_of(5, l=2, t=0.2))
    '5-anonymity and distinct 2-diversity and 0.2-closeness'
    """
    promises: list[Promise] = [KAnonymity(k, label_known=label_known)]
    if l is not None:
        promises.append(LDiversity(l, measure=diversity, c=c))
    elif c is not None or diversity != "distinct":
        raise ParameterError("'diversity' and 'c' say how l values are counted. Give l, too, or leave them out.")
    if t is not None:
        promises.append(TCloseness(t, distance=distance))
    elif distance != "equal":
        raise ParameterError("'distance' says how t is measured. Give t, too, or leave it out.")
    return promises[0] if len(promises) == 1 else Both(tuple(promises))


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

    def counts(self, of: np.ndarray, inside: np.ndarray, sizes: np.ndarray) -> ValueCounts:
        """How often each value occurs in sets of the distinct rows `inside`; `sizes` are the persons of each set."""
        first, n = self._start[inside], self._start[inside + 1] - self._start[inside]
        entry = np.repeat(first - np.concatenate([[0], np.cumsum(n)[:-1]]), n) + np.arange(int(n.sum()))
        sets, value, weight = np.repeat(of, n), self.value[entry], self.weight[entry]
        if self.person is not None:
            once = group([sets, value, self.person[entry]], len(entry), ordered=False)[1]
            sets, value, weight = sets[once], value[once], weight[once]
        sets, value, weight = pair_counts(sets, value, weight)
        return ValueCounts(sets, value, weight, sizes, sizes, self.whole)


Short = Callable[[ValueCounts], np.ndarray]  # which groups do not have what they need


@dataclass(frozen=True, eq=False)
class GroupNeeds:
    """Answers which sets of distinct rows may be published as a group, each as one.

    rows   the distinct rows, which count persons
    least  persons that a group has at least; it also has no more values than persons
    asked  what is needed beyond that: the column it is about, its values, and which sets do not have it

    >>> table = {"age": [20, 20, 30, 40], "ill": ["a", "b", "b", "b"], "y": [0, 1, 0, 1]}
    >>> roles = Roles(target="y", quasi=["age"], sensitive=["ill"])
    >>> rows = CodedRows.of(table, roles.quasi, target=roles.target)
    >>> GroupNeeds.of(rows, roles, promise_of(2, l=2)).met(np.array([0, 1, 1]), 2).tolist()
    [True, False]
    """

    rows: DistinctRows
    least: int
    asked: tuple[tuple[str, RowValues, Short], ...] = ()

    @classmethod
    def of(cls, rows: CodedRows, roles: Roles, promise: Promise) -> GroupNeeds:
        """What the parts of a promise ask of a group; other promises than those of `promise_of` ask nothing of it."""
        least, asked = 1, []
        values: dict[str, RowValues] = {}
        for part in promise.promises if isinstance(promise, Both) else (promise,):
            if isinstance(part, KAnonymity):
                least = max(least, part.k)
                if part.label_known:
                    asked += [(name, values_of(rows, roles, name), _few(part.k)) for name in _target(roles)]
            elif isinstance(part, (LDiversity, TCloseness)):
                least = max(least, math.ceil(part.l)) if isinstance(part, LDiversity) else least
                for name in _sensitive(rows, roles, part):
                    if name not in values:
                        values[name] = values_of(rows, roles, name)
                    asked.append((name, values[name], _short(part)))
        return cls(rows, least, tuple(asked))

    def merged(self, rows: DistinctRows, place: np.ndarray) -> GroupNeeds:
        """The same about coarser rows: distinct row i is now part of row `place[i]` (see `DistinctRows.merged`)."""
        asked = {id(values): values.merged(place, len(rows)) for _, values, _ in self.asked}
        return replace(
            self, rows=rows, asked=tuple((name, asked[id(values)], short) for name, values, short in self.asked)
        )

    @property
    def only_persons(self) -> bool:
        """Whether a group needs nothing but persons."""
        return not self.asked

    def met(self, of: np.ndarray, n: int, inside: np.ndarray | None = None) -> np.ndarray:
        """Which of n sets of distinct rows have what a group needs; `of` are the sets of those `inside`, or of all."""
        sizes = self.rows.sizes(of, n, inside)
        fine = sizes >= self.least
        for _, values, short in self.asked:
            which = np.flatnonzero(fine[of])
            if len(which) == 0:
                break
            left = np.flatnonzero(fine)
            number = np.cumsum(fine) - 1
            chosen = which if inside is None else inside[which]
            counts = values.counts(number[of[which]], chosen, sizes[left])
            fine[left[short(counts)]] = False
        return fine

    def check_possible(self, asked: Promise) -> None:
        """Refuse what not even all rows together have: then there is no group that could be published."""
        everyone, persons = np.zeros(len(self.rows), dtype=np.int64), np.array([self.rows.n_persons])
        if persons[0] < self.least:
            raise CannotRelease(
                f"{asked} was asked, but there are only {persons[0]} persons: a group needs {self.least}. Ask for less."
            )
        for name, values, short in self.asked:
            counts = values.counts(everyone, np.arange(len(self.rows)), persons)
            if short(counts)[0]:
                raise CannotRelease(
                    f"{asked} was asked, but not even all {persons[0]} persons together keep it: column {shown(name)}"
                    f" has {len(counts.value)} different values, the rarest of them for {counts.weight.min()} persons,"
                    f" the most common for {counts.weight.max()}. Ask for less, or leave out what is rare."
                )


def values_of(rows: CodedRows, roles: Roles, name: str) -> RowValues:
    """The values of a column beside the quasi-identifiers."""
    if roles.person is None:
        row, (value,), weight = rows.split_by([name])
        return RowValues.of(row, value, weight, None, len(rows))
    row, (value, person), weight = rows.split_by([name, roles.person])
    return RowValues.of(row, value, weight, person, len(rows))


def _few(k: int) -> Short:
    """Which groups have a value that fewer than k persons share."""
    return lambda counts: np.bincount(counts.group, counts.weight < k, counts.n_groups) > 0


def _short(promise: LDiversity | TCloseness) -> Short:
    return lambda counts: promise.measured(counts)[1]


def _target(roles: Roles) -> Sequence[str]:
    if roles.target is None:
        raise RolesError("label_known is about the label; the roles name no target. Name it, or leave out label_known.")
    return (roles.target,)


def _sensitive(rows: CodedRows, roles: Roles, promise: LDiversity | TCloseness) -> Sequence[str]:
    """The sensitive columns, which the promise must be able to measure."""
    if not roles.sensitive:
        asked = f"l = {promise.l}" if isinstance(promise, LDiversity) else f"t = {promise.t}"
        raise RolesError(f"{asked} is about sensitive columns; the roles name none. Name them, or leave it out.")
    if isinstance(promise, TCloseness):
        promise.check_order({name: rows.values_of(name).kind for name in roles.sensitive})
    return roles.sensitive
