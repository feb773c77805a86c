# SPDX-License-Identifier: Apache-2.0
"""How many persons are unique in the population, estimated from a sample of it.

A row that is unique in the table need not be unique in the population. Three models estimate how many persons are:
Zayatz, Pitman and the slide negative binomial model (SNB). Which one to believe follows the rule of Dankar, El Emam,
Neisa and Roffey, "Estimating the re-identification risk of clinical data sets", BMC Medical Informatics and Decision
Making 12:66 (2012): Pitman if the sampling fraction is at most 0.1; above, the smaller one of Zayatz and SNB. A model
that cannot be fitted is left out, with the reason: Zayatz, which always exists, takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.errors import DataError, ParameterError, Setting
from discreet.risk.population_uniqueness_pitman import EVERYBODY, PitmanParameters, fit_pitman, pitman
from discreet.risk.population_uniqueness_sizes import CannotEstimate, GroupSizes
from discreet.risk.population_uniqueness_snb import snb
from discreet.risk.population_uniqueness_zayatz import zayatz

__all__ = ["PitmanParameters", "PopulationUniqueness", "estimate_uniqueness"]

SMALL = 0.1  # the largest sampling fraction at which Pitman's model decides: Dankar et al. 2012
_MODELS: dict[str, Callable[[GroupSizes], float]] = {"zayatz": zayatz, "pitman": pitman, "snb": snb}


@dataclass(frozen=True)
class PopulationUniqueness:
    """Unique persons of the population, as estimated.

    persons    persons of the population
    fraction   the share of them that is in the table
    estimates  unique persons by model: zayatz, pitman, snb; None where the model could not be fitted
    failures   the reason, by model, why there is no estimate
    model      the model that the rule chooses; "census" if the table is the whole population
    unique     unique persons of the population, by that model
    pitman     the parameters of Pitman's model; their limit if everybody is unique in the table; None for a census
    """

    persons: float
    fraction: float
    estimates: dict[str, float | None]
    failures: dict[str, str]
    model: str
    unique: float
    pitman: PitmanParameters | None = None

    @property
    def share(self) -> float:
        """Unique persons among all persons of the population."""
        return self.unique / self.persons

    def to_dict(self) -> dict[str, Any]:
        return {
            "persons": self.persons,
            "fraction": self.fraction,
            "model": self.model,
            "unique": self.unique,
            "share": self.share,
            "estimates": dict(self.estimates),
            "failures": dict(self.failures),
        }


def estimate_uniqueness(sizes: np.ndarray, *, fraction: float) -> PopulationUniqueness:
    """Unique persons of the population of which a sample has groups of these sizes.

    >>> found = estimate_uniqueness([1] * 60 + [2] * 15 + [3] * 5 + [10], fraction=0.2)
    >>> found.model, round(found.unique), {name: round(value) for name, value in found.estimates.items()}
    ('snb', 143, {'zayatz': 189, 'pitman': 143, 'snb': 143})
    """
    sizes = np.asarray(sizes)
    if len(sizes) == 0 or (sizes < 1).any():
        raise DataError("Population uniqueness needs the sizes of groups, each of at least one person.")
    if not 0 < fraction <= 1:
        raise ParameterError(Setting("sampling_fraction"), " is a share of the population: above 0, at most 1.")
    groups = GroupSizes.of(sizes, fraction)
    if fraction == 1 or groups.ones == 0:  # all are seen, or nobody is unique in the sample: there is nothing to fit
        by, same = "census" if fraction == 1 else "zayatz", dict.fromkeys(_MODELS, float(groups.ones))
        return PopulationUniqueness(groups.population, fraction, {**same}, {}, by, float(groups.ones))
    estimates: dict[str, float | None] = {}
    failures: dict[str, str] = {}
    for name, model in _MODELS.items():
        try:
            estimates[name] = model(groups)
        except CannotEstimate as failure:
            estimates[name], failures[name] = None, str(failure)
    chosen = _chosen(estimates, fraction)
    unique = estimates[chosen]
    assert unique is not None
    return PopulationUniqueness(groups.population, fraction, estimates, failures, chosen, unique, _fitted(groups))


def _fitted(groups: GroupSizes) -> PitmanParameters | None:
    if groups.ones == groups.persons:
        return EVERYBODY
    try:
        return fit_pitman(groups)
    except CannotEstimate:
        return None


def _chosen(estimates: dict[str, float | None], fraction: float) -> str:
    """The rule of Dankar et al. 2012; ties and failures go to Zayatz."""
    zayatz, other = estimates["zayatz"], estimates["pitman" if fraction <= SMALL else "snb"]
    assert zayatz is not None
    if other is None:
        return "zayatz"
    if fraction <= SMALL:
        return "pitman"
    return "snb" if other < zayatz else "zayatz"
