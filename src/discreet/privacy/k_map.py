# SPDX-License-Identifier: Apache-2.0
"""k-map: every published combination of quasi-identifiers fits at least k persons of the population.

Definition: Sweeney, "k-Anonymity: a Model for Protecting Privacy" (2002); as a measure of risk El Emam and Dankar 2008.
The persons in a release are a sample of a population. Whoever does not know that a person was sampled is left with all
persons of the population who fit, so groups may be smaller than k in the release.

With a population table, its persons are recoded as the release is, and counted: only its owner can repeat that. With a
sampling fraction f the number N of persons in the population who fit is estimated from the n who were sampled: the
persons are taken to be drawn independently with probability f, and N is bounded from below by the smallest N with
P(Binomial(N, f) >= n) >= 0.05. The expected number, n / f, is larger. Anyone can repeat the estimate; that it holds for
95 of 100 groups rests on the fraction, and on the sample being random.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.counting.tally import Tally, group, tally
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.privacy.promise import Interval, Promise, Verdict, counted_and_roles

_DOUBT = 0.05  # share of groups whose population is smaller than its bound


@dataclass(frozen=True)
class KMap(Promise):
    """Every published combination of quasi-identifiers fits at least k persons of the population.

    Parameters
    ----------
    k : int in [2, inf)
    fraction : float in (0, 1] or None
        The share of the population that was sampled, from which its groups are estimated. None for a population table,
        which the owner keeps.

    Promise
    -------
    Whoever knows the quasi-identifiers of a person, but not whether the person was sampled, is left with at least k
    persons of the population, or, with a fraction, with at least k by an estimate that errs for 1 group in 20.
    Does not hold back an attacker who knows that the person is in the release.

    >>> table = {"sex": ["f", "f", "f", "m", "m", "m"], "y": [0, 1, 0, 1, 1, 0]}
    >>> KMap(5, fraction=0.2).check(table, Roles(target="y", quasi=["sex"])).measured
    5
    """

    name: ClassVar[str] = "k-map"
    does_not_protect: ClassVar[str] = (
        "An attacker who knows that a person is in the release is left with the persons of the release who fit, perhaps"
        " a single one: k-map hides who was sampled among those who could have been, and is void where that is known."
        " A group whose members all share one sensitive value or one label discloses it."
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "fraction": [Interval(Real, 0, 1, closed="right"), None],
    }

    k: int = 5
    fraction: float | None = None

    @property
    def rows_tell(self) -> bool:
        return self.fraction is not None  # a group has at least as many rows as persons

    @property
    def needs_source(self) -> bool:
        return self.fraction is None

    def __str__(self) -> str:
        return f"{self.k}-map" if self.fraction is None else f"estimated {self.k}-map"

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        if self.fraction is None:
            raise DataError("k-map without a sampling fraction needs the population, which only the owner has.")
        data, roles = counted_and_roles(data, roles)
        counted = tally(data, roles.quasi, person=roles.person)
        rows, sampled = counted.counts.sum(axis=1), int(counted.sizes.min())
        note = (
            f"Estimated, not counted: if each person of the population was sampled with probability {self.fraction:g},"
            f" so many persons at least fit each group, in 95 of 100 groups; {sampled / self.fraction:.4g} are expected"
            " to fit the smallest one."
        )
        measured = population_bound(sampled, self.fraction)
        short = int(rows[counted.sizes < least_sampled(self.k, self.fraction)].sum())
        return self._verdict(measured, rows, short, sampled, len(rows), (note,))

    def check_with_source(self, data: object, roles: Roles | None, source: Any) -> Verdict:
        """Count the persons of the population, recoded as the release is, who fit each group."""
        if self.fraction is not None:
            return self.check(data, roles)
        data, roles = counted_and_roles(data, roles)
        counted = tally(data, roles.quasi, person=roles.person)
        persons, rows = _fitting(counted, Table.of(source)), counted.counts.sum(axis=1)
        short = int(rows[persons < self.k].sum())
        return self._verdict(int(persons.min()), rows, short, int(counted.sizes.min()), len(rows), ())

    def _verdict(
        self, measured: int, rows: np.ndarray, short: int, sampled: int, n_groups: int, notes: tuple[str, ...]
    ) -> Verdict:
        return Verdict(
            promise=str(self),
            holds=measured >= self.k,
            required=self.k,
            measured=measured,
            rows=int(rows.sum()),
            rows_short=short,
            kind="owner" if self.fraction is None else "recomputed",
            details={"groups": n_groups, "smallest group in the release": sampled},
            notes=notes,
        )


def _fitting(counted: Tally, population: Table) -> np.ndarray:
    """Persons of the recoded population in each group of the release."""
    absent = [name for name in counted.columns if name not in population]
    if absent:
        raise DataError(f"The recoded population lacks {len(absent)} of the {len(counted.columns)} published columns.")
    columns = []
    for name in counted.columns:
        mine, theirs = counted.column(name), population.column(name)
        numbers: dict[str | None, int] = {}
        codes = [
            np.array([numbers.setdefault(text, len(numbers)) for text in (*column.texts, None)])[column.codes]
            for column in (mine, theirs)
        ]
        columns.append(np.concatenate(codes))
    n = len(counted)
    groups, first = group(columns, n + len(population))
    return np.bincount(groups[n:], minlength=len(first))[groups[:n]]


def population_bound(sampled: int, fraction: float) -> int:
    """Of how many persons a sample of this fraction has `sampled` or more with a chance of 5 %, at the least.

    >>> population_bound(1, 0.01), population_bound(5, 0.1), population_bound(7, 1.0)
    (6, 21, 7)
    """
    from scipy.special import betainc

    def enough(persons: int) -> bool:
        return bool(betainc(sampled, persons - sampled + 1, fraction) >= _DOUBT)  # P(Binomial(persons, f) >= sampled)

    low, high = sampled - 1, sampled
    while not enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def least_sampled(k: int, fraction: float) -> int:
    """The smallest number of sampled persons whose bound is k or more.

    >>> least_sampled(20, 0.1), least_sampled(6, 0.01), least_sampled(7, 1.0)
    (5, 1, 7)
    """
    low, high = 0, k  # with k sampled persons there are k
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if population_bound(middle, fraction) >= k else (middle, high)
    return high
