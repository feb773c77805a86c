# SPDX-License-Identifier: Apache-2.0
"""Pitman's model: groups appear as in a sampling formula with two parameters, theta and alpha.

N. Hoshino, "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official Statistics
17(4), 499-520 (2001). With n persons in u groups, c_j of them of size j, the likelihood is proportional to

    prod_{i=1}^{u-1} (theta + i alpha) / prod_{i=1}^{n-1} (theta + i) * prod_j [prod_{i=1}^{j-1} (i - alpha)]^{c_j}

for 0 <= alpha < 1 and theta > -alpha, and a large population of N persons has about
Gamma(theta + 1) / Gamma(theta + alpha) * N^alpha unique ones.

Departures: 1. the maximum is sought in log(theta + alpha) and logit(alpha), so that no step can leave the range of the
parameters, and it is accepted only if the likelihood is level there; the paper and ARX take Newton steps in theta and
alpha.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from discreet.risk.population_uniqueness_sizes import CannotEstimate, GroupSizes

_LEVEL = 1e-8  # the slope of the likelihood per person that counts as none
_EDGE = 12.0  # of logit(alpha), beyond which alpha is 0 or 1 for any purpose
_FAR = 30.0  # of log(theta + alpha)


@dataclass(frozen=True)
class PitmanParameters:
    """theta and alpha of Pitman's sampling formula."""

    theta: float
    alpha: float

    def unique(self, persons: float) -> float:
        """Expected unique ones among many persons (Hoshino 2001)."""
        return math.exp(math.lgamma(self.theta + 1) - math.lgamma(self.theta + self.alpha)) * persons**self.alpha


EVERYBODY = PitmanParameters(0.0, 1.0)  # where the likelihood of a table of unique rows leads: all groups are of one


def pitman(groups: GroupSizes) -> float:
    """Estimated unique persons of the population."""
    unique = fit_pitman(groups).unique(groups.population)
    if not 0 <= unique <= groups.population:
        raise CannotEstimate("its estimate is larger than the population")
    return unique


@lru_cache(maxsize=1)
def fit_pitman(groups: GroupSizes) -> PitmanParameters:
    """The parameters of greatest likelihood; the last ones are kept, as uniqueness and individual risk need them."""
    if groups.ones == groups.persons:
        raise CannotEstimate("everybody is unique in the table, so that the model has no best parameters")
    if groups.groups == 1:
        raise CannotEstimate("all persons are in one group")
    found = [one for one in (_inside(groups), _at_zero(groups)) if one is not None]
    if not found:
        raise CannotEstimate("no parameters of greatest likelihood were found")
    return max(found, key=lambda one: _likelihood(one.theta, one.alpha, groups)[0])


def _inside(groups: GroupSizes) -> PitmanParameters | None:
    """The best parameters with alpha between 0 and 1; None if there are none at which the likelihood is level."""
    from scipy.optimize import minimize, root

    def loss(point: np.ndarray) -> tuple[float, np.ndarray]:
        """At (log(theta + alpha), logit(alpha)), per person, with its slope."""
        alpha, both = 1 / (1 + math.exp(-point[1])), math.exp(point[0])
        value, by_theta, by_alpha = _likelihood(both - alpha, alpha, groups)
        slope = np.array([by_theta * both, (by_alpha - by_theta) * alpha * (1 - alpha)])
        return -value / groups.persons, -slope / groups.persons

    start = math.log(max(groups.groups / 10, 1.0))
    near = [
        minimize(loss, point, jac=True, method="L-BFGS-B", bounds=((-_FAR, _FAR), (-_EDGE, _EDGE)))
        for point in ((start, 0.0), (start, -2.0), (start + 3, 1.0))
    ]
    best = min(near, key=lambda found: found.fun).x
    exact = root(lambda point: loss(np.clip(point, (-_FAR, -_EDGE), (_FAR, _EDGE)))[1], best, tol=1e-12).x
    if np.abs(exact - best).max() > 1 or np.abs(loss(exact)[1]).max() > _LEVEL or abs(exact[1]) >= _EDGE:
        return None
    alpha = 1 / (1 + math.exp(-exact[1]))
    return PitmanParameters(math.exp(exact[0]) - alpha, alpha)


def _at_zero(groups: GroupSizes) -> PitmanParameters | None:
    """The best parameters with alpha = 0 (Ewens's formula); None if a larger alpha is better."""
    from scipy.optimize import brentq

    def slope(log_theta: float) -> float:
        return _likelihood(math.exp(log_theta), 0.0, groups)[1] * math.exp(log_theta)

    if not slope(-_FAR) > 0 > slope(_FAR):
        return None
    theta = math.exp(brentq(slope, -_FAR, _FAR, xtol=1e-12))
    return PitmanParameters(theta, 0.0) if _likelihood(theta, 0.0, groups)[2] <= 0 else None


def _likelihood(theta: float, alpha: float, groups: GroupSizes) -> tuple[float, float, float]:
    """The logarithm of the likelihood, and its slopes in theta and in alpha."""
    from scipy.special import digamma, gammaln

    steps = np.arange(1, groups.groups)
    terms = theta + steps * alpha  # positive, as theta > -alpha
    inverse = 1 / terms
    value = np.log(terms).sum() - (gammaln(theta + groups.persons) - gammaln(theta + 1))
    value += (groups.counts * (gammaln(groups.sizes - alpha) - gammaln(1 - alpha))).sum()
    by_theta = inverse.sum() - (digamma(theta + groups.persons) - digamma(theta + 1))
    by_alpha = (steps * inverse).sum() - (groups.counts * (digamma(groups.sizes - alpha) - digamma(1 - alpha))).sum()
    return float(value), float(by_theta), float(by_alpha)
