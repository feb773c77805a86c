# SPDX-License-Identifier: Apache-2.0
"""(k, m)-anonymity of baskets: whoever knows any m items of a person is left with at least k persons.

Paper: Terrovitis, Mamoulis, Kalnis, "Privacy-preserving Anonymization of Set-valued Data" (2008). For every set of at
most m items that somebody has, at least k persons have all of them. Containment asks it of sets of any size: it is
(k, m)-anonymity with m the number of items of the longest row.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from discreet.counting.small_sets import SmallSets, smallest_sets
from discreet.counting.supersets import Distinct
from discreet.counting.tally import group_sizes, grouped
from discreet.data.baskets import Baskets
from discreet.data.dataset import as_baskets
from discreet.data.roles import Roles
from discreet.privacy.containment import baskets_of
from discreet.privacy.promise import Interval, Promise, Verdict, table_and_roles

MOST_ITEMS = 16  # that an attacker may know


@dataclass(frozen=True)
class KmAnonymity(Promise):
    """For every set of at most m items that a person has, at least k persons have all of them.

    Parameters
    ----------
    k : int in [2, inf)
    m : int in [1, 16]
        Number of items of a person that the attacker may know. For any number of items see Containment.

    Promise
    -------
    An attacker who knows up to m items that a person has is left with at least k persons. Does not hold back one who
    knows more items, nor one who knows items that the person lacks, nor does it hide what the k persons share.

    >>> baskets = Baskets.of([[1, 1, 0], [1, 0, 1], [1, 1, 0], [1, 0, 1], [1, 1, 1]])
    >>> KmAnonymity(2, m=1).check(baskets).measured, KmAnonymity(2, m=2).check(baskets).measured
    (3, 1)
    """

    name: ClassVar[str] = "(k, m)-anonymity"
    compares_rows: ClassVar[bool] = False
    does_not_protect: ClassVar[str] = (
        "An attacker who knows more than m items of a person, or items that the person does not have, may single the"
        " person out. A group whose members share one label discloses it."
    )
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 2, None, closed="left")],
        "m": [Interval(Integral, 1, MOST_ITEMS, closed="both")],
    }

    k: int = 5
    m: int = 2

    @property
    def rows_tell(self) -> bool:
        return True  # a set is had by at least as many rows as persons

    def __str__(self) -> str:
        return f"({self.k}, {self.m})-anonymity"

    def check(self, data: object, roles: Roles | None = None) -> Verdict:
        baskets = as_baskets(data, bare=roles is None)
        if baskets is None:
            baskets = baskets_of(*table_and_roles(data, roles))
        found, notes = self._measured(baskets)
        labels = baskets.labels
        with_label = None
        if labels is not None and found.complete:
            parts = [baskets.take(np.flatnonzero(labels == label)) for label in np.unique(labels)]
            with_label = min(self._measured(part)[0].fewest for part in parts)
        groups, first = grouped(baskets, baskets.names, ordered=False)
        return Verdict(
            promise=str(self),
            holds=found.fewest >= self.k,
            required=self.k,
            measured=found.fewest,
            rows=len(baskets),
            rows_short=int(found.short.sum()),
            with_label=with_label,
            details={
                "longest row": int(np.diff(baskets.matrix.indptr).max(initial=0)),
                "classical k": int(group_sizes([groups], len(groups), baskets.persons).min()),
                "distinct rows": len(first),
            },
            notes=notes,
        )

    def _measured(self, baskets: Baskets) -> tuple[SmallSets, tuple[str, ...]]:
        """The sets of at most m items; where there are too many of them, bounded from below by containment."""
        found = smallest_sets(baskets, self.k, self.m)
        if found.complete or found.fewest < self.k:
            return found, ()
        distinct = Distinct.of(baskets)
        persons = distinct.covers(self.k)
        note = (
            f"What is measured is at least so much: looking at all sets of {self.m} items would take too long, and the"
            " persons who have all items of a row are fewer than those who have some of them."
        )
        short = found.short | (persons[distinct.group_of_row] < self.k)
        return SmallSets(int(persons.min()), short, False), (note,)
