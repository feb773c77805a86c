# SPDX-License-Identifier: Apache-2.0
"""k-anonymity by containment: whoever knows items that a person has is left with at least k persons.

Paper: Zhang, Mohammed, Dave, Al Hasan, "Feature Selection for Classification under Anonymity Constraint".
CS(e) are the items of row e; AC(e) is the number of persons with a row f such that CS(f) contains CS(e); the promise
is that the smallest AC is at least k. Closed form: the smallest multiplicity among the inclusion-maximal
distinct rows.

The paper leaves attackers who know absences to future work. With `absences=m` the promise also holds against attackers
who know up to m items that a person lacks: for every row e and every set A of at most m items that e lacks, at least k
persons have a row f such that CS(f) contains CS(e) and nothing of A. supersets.py counts both.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.supersets import Distinct
from discreet.counting.tally import is_engine
from discreet.data.baskets import Baskets
from discreet.data.counted_baskets import CountedBaskets
from discreet.data.dataset import as_baskets
from discreet.data.roles import Roles
from discreet.errors import DataError, RolesError
from discreet.foundation.lazy_modules import sparse as sp
from discreet.privacy.exclusive_items import one_hot_note
from discreet.privacy.exposure import counted_items_of, exposure, items_of
from discreet.privacy.promise import Interval, Promise, Verdict, table_and_roles


def containment_anonymity(X: object, absences: int = 0) -> int:
    """AC of a 0/1 matrix: the largest k for which it is k-anonymous by containment.

    With absences, the largest k against an attacker who knows that many; for large data and two or more absences this
    may be a lower bound.

    >>> containment_anonymity([[1, 1], [1, 0], [1, 1]])
    2
    >>> containment_anonymity([[1, 1], [1, 0], [1, 1]], absences=1)
    1
    """
    persons, _ = Distinct.of(Baskets.of(X)).fewest_left(1, Containment(absences=absences).absences)
    return int(persons.min())


@dataclass(frozen=True)
class Containment(Promise):
    """For every person, at least k persons have all the items that the person has.

    Parameters
    ----------
    k : int in [2, inf)
    absences : int in [0, inf)
        Number of items that a person lacks and the attacker may know, besides any that the person has.
    label_known : bool
        Whether the attacker also knows the person's label: at least k persons of the same label have all the items.

    Promise
    -------
    An attacker who knows any set of items that a person has, and up to `absences` that the person lacks, is left with
    at least k persons. Does not hold back one who knows more absences; how far the table is from protecting against
    that is in the details (`classical k`, `unique rows`, `rows in groups below k`). Where items are one-hot values of a
    column, lacking one means having another: then absences are as well known as presences.

    >>> baskets = Baskets.of([[1, 1], [1, 0], [1, 1]])
    >>> Containment(2).check(baskets).holds, Containment(2, absences=1).check(baskets).holds
    (True, False)
    """

    name: ClassVar[str] = "containment"
    does_not_protect: ClassVar[str] = (
        "An attacker who knows which items a person does not have may single the person out; where items are the values"
        " of one column, lacking one value means having another. A group whose members share one label discloses it."
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "absences": [Interval(Integral, 0, None, closed="left")],
        "label_known": [bool],
    }

    k: int = 5
    absences: int = 0
    label_known: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.absences:  # certificates state what this promise leaves open
            object.__setattr__(self, "does_not_protect", _beyond(self.absences))

    @property
    def rows_tell(self) -> bool:
        return True

    def __str__(self) -> str:
        absences = f" with {self.absences} absence{'s' * (self.absences > 1)}" if self.absences else ""
        known = (" and known labels" if self.absences else " with known labels") if self.label_known else ""
        return f"{self.k}-anonymity by containment{absences}{known}"

    def to_dict(self) -> dict[str, Any]:
        described = super().to_dict()
        return {key: value for key, value in described.items() if value or key not in ("absences", "label_known")}

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        baskets = as_baskets(data, bare=roles is None)
        if baskets is None:
            baskets = baskets_of(*table_and_roles(data, roles), counted=True)
        if self.label_known and baskets.labels is None:
            raise RolesError("Containment with known labels needs labels: there are none.")
        distinct = Distinct.of(baskets)
        counted = Distinct.of(with_label_items(baskets)) if self.label_known else distinct
        persons, given_up = counted.fewest_left(self.k, self.absences)
        measured = int(persons.min())
        with_label = measured if self.label_known else None
        if with_label is None and baskets.labels is not None:
            same = [baskets.take(np.flatnonzero(baskets.labels == label)) for label in np.unique(baskets.labels)]
            with_label = min(containment_anonymity(part, self.absences) for part in same)
        return Verdict(
            promise=str(self),
            holds=measured >= self.k,
            required=self.k,
            measured=measured,
            rows=int(counted.rows.sum()),
            rows_short=int(counted.rows[persons < self.k].sum()),
            with_label=with_label,
            details=exposure(distinct, baskets, self.k, None if self.absences or self.label_known else measured),
            notes=(*self._evidence(given_up, len(counted)), *one_hot_note(baskets, self.absences)),
        )

    def _evidence(self, given_up: int, n_distinct: int) -> tuple[str, ...]:
        if not self.absences:
            return ()
        if not given_up:
            return ("The persons left after the worst absences were counted exactly.",)
        return (
            f"What is measured is at least so much: of {given_up} of the {n_distinct} distinct rows, finding the worst"
            f" {self.absences} absences would take too long, and the persons left are bounded from below.",
        )


def with_label_items(baskets: Baskets) -> Baskets:
    """The baskets with an item for each label, which its rows have: whoever knows the label knows that item, too."""
    n, labels = len(baskets), np.asarray(baskets.labels)
    codes = np.unique(labels, return_inverse=True)[1].ravel()
    items = sp.csr_array((np.ones(n, dtype=np.uint8), codes, np.arange(n + 1)), shape=(n, int(codes.max()) + 1))
    matrix = sp.csr_array(sp.hstack([baskets.matrix, items], format="csr"))
    names = (*baskets.names, *(f"label {i}" for i in range(items.shape[1])))
    return CountedBaskets(matrix, names, persons=baskets.persons, weights=baskets.weights)


def _beyond(absences: int) -> str:
    return (
        f"An attacker who knows more than {absences} of the items that a person does not have may single the person"
        " out. A group whose members share one label discloses it."
    )


def baskets_of(data: Any, roles: Roles, *, counted: bool = False) -> Baskets:
    """The quasi-identifiers of a table as baskets; they must be 0/1 columns. `counted` rows may stand for several."""
    if is_engine(data):
        raise DataError("Containment can be checked on tables in memory and on baskets, not through an engine.")
    if not roles.quasi:
        raise DataError("Containment needs 0/1 quasi-identifiers; none were named.")
    return counted_items_of(data, roles) if counted else items_of(data, roles)
