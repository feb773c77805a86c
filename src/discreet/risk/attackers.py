# SPDX-License-Identifier: Apache-2.0
"""Three attackers: the prosecutor, the journalist and the marketer.

K. El Emam, "Guide to the De-Identification of Personal Health Information" (2013), whose names ARX uses, too.

prosecutor  looks for a person known to be in the table: succeeds with 1/f in a group of f persons of the table
journalist  looks for any person of the population, to prove that it can be done: 1/F, F persons of the population
marketer    links as many rows as possible to a list of the population: the mean of 1/F counts

Where F is estimated, 1/F is its mean (`individual_risk.py`), under Pitman's model where that could be fitted. Where
nothing is known about the population, the table is taken to be all of it, which is the worst case: then journalist and
prosecutor are the same.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from discreet.risk.individual_risk import risk_of_groups
from discreet.risk.population_uniqueness import PitmanParameters
from discreet.risk.sampled_groups import SampledGroups


@dataclass(frozen=True)
class Success:
    """How often an attacker is right: at most, on average, and in how many rows more often than the threshold."""

    highest: float
    average: float
    at_risk: int


@dataclass(frozen=True)
class Attackers:
    """The success of three attackers; `basis` says what the population was: counted, estimated, or the table."""

    prosecutor: Success
    journalist: Success
    marketer: float
    threshold: float
    basis: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def attackers_of(groups: SampledGroups, *, threshold: float = 0.2, pitman: PitmanParameters | None = None) -> Attackers:
    """What the three attackers achieve.

    >>> from discreet.data.table import Table
    >>> found = attackers_of(SampledGroups.of(Table.of({"sex": ["f", "f", "m"]}), ["sex"]))
    >>> found.prosecutor.highest, round(found.marketer, 2), found.basis
    (1.0, 0.67, 'table')
    """
    outside = risk_of_groups(groups, pitman=pitman)
    marketer = float((groups.rows * outside).sum() / groups.n_rows)
    standing = groups.sizes if groups.population is None else groups.population
    journalist = _success(groups, outside, threshold)
    # from the list to the table: a person of the list, chosen by chance among those who fit a group of the table
    backwards = float(len(groups) / standing.sum())
    journalist = Success(journalist.highest, max(journalist.average, backwards), journalist.at_risk)
    basis = "table" if groups.population is None else "estimated" if groups.counted is None else "counted"
    return Attackers(_success(groups, 1 / groups.sizes, threshold), journalist, marketer, threshold, basis)


def _success(groups: SampledGroups, chance: np.ndarray, threshold: float) -> Success:
    average = float((groups.rows * chance).sum() / groups.n_rows)
    return Success(float(chance.max()), average, int(groups.rows[chance > threshold].sum()))
