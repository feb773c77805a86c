# SPDX-License-Identifier: Apache-2.0
"""The slide negative binomial model: a group has one person more than a negative binomial number.

G. Chen and S. Keller-McNulty, "Estimation of identification disclosure risk in microdata", Journal of Official
Statistics 14(1), 79-95 (1998). K groups of the population have 1 + X persons each, X negative binomial with parameters
alpha > 0 and 0 < beta < 1, so that K beta^alpha persons are unique. If each person is sampled with probability f, the
sample is expected to hold, with d = (1 - f)(1 - beta),

    K f (beta / (1 - d))^alpha (1 + alpha d / (1 - d))                                          groups of one, and
    K alpha beta^alpha f^2 (1 - beta) (2 - (1 - alpha) d) / (2 (1 - d)^(alpha + 2))             groups of two.

K is estimated first (Shlosser's estimator in the form of Haas and Stokes, "Estimating the number of classes in a finite
population", Journal of the American Statistical Association 93(444), 1475-1487, 1998); then alpha and beta are those
that make both numbers the observed ones.

ARX 3.9 writes the last factor of the second equation as a product and sets a bracket of Shlosser's estimator
otherwise; its SNB therefore seldom converges, and differs from this one where it does.
"""

from __future__ import annotations

import math

import numpy as np

from discreet.risk.population_uniqueness_sizes import CannotEstimate, GroupSizes

_CLOSE = 1e-8  # of the logarithms of expected and observed numbers
_WIDE = 15.0  # of log(alpha) and logit(beta), on either side
_STARTS = ((-1.5, -1.5), (-3.0, -3.0), (0.0, -2.0), (0.0, 2.0), (2.0, 0.0), (3.0, 3.0), (-4.0, 1.0))


def snb(groups: GroupSizes) -> float:
    """Estimated unique persons of the population."""
    from scipy.optimize import least_squares

    ones, twos, fraction = groups.ones, groups.of_size(2), groups.fraction
    if twos == 0:
        raise CannotEstimate("no two persons of the table form a group, and the model is fitted to such pairs")
    classes = shlosser(groups)
    if not math.isfinite(classes):
        raise CannotEstimate("the number of groups of the population cannot be estimated")

    def misfit(point: np.ndarray) -> np.ndarray:
        expected = expected_groups(classes, math.exp(point[0]), 1 / (1 + math.exp(-point[1])), fraction)
        return np.log(np.maximum(expected, 1e-300)) - np.log((ones, twos))

    solutions = []
    for start in _STARTS:
        found = least_squares(misfit, start, bounds=(-_WIDE, _WIDE), xtol=1e-14, ftol=1e-14, gtol=1e-14)
        if np.abs(found.fun).max() < _CLOSE:
            alpha, beta = math.exp(found.x[0]), 1 / (1 + math.exp(-found.x[1]))
            mean = 1 + alpha * (1 - beta) / beta  # persons of a group of the population; N / K was observed
            solutions.append((abs(math.log(mean * classes / groups.population)), classes * beta**alpha))
    if not solutions:
        raise CannotEstimate("no parameters give the numbers of groups of one and of two persons that the table has")
    return min(solutions)[1]


def expected_groups(classes: float, alpha: float, beta: float, fraction: float) -> tuple[float, float]:
    """Expected groups of one and of two persons in a sample of a population of this model."""
    missed = (1 - fraction) * (1 - beta)
    seen = 1 - missed
    common = classes * (beta / seen) ** alpha * fraction
    ones = common * (1 + alpha * missed / seen)
    twos = common * fraction * alpha * (1 - beta) * (2 - (1 - alpha) * missed) / (2 * seen**2)
    return ones, twos


def shlosser(groups: GroupSizes) -> float:
    """Estimated number of groups of the population, K (Haas and Stokes 1998, modified Shlosser estimator)."""
    f, sizes, counts = groups.fraction, groups.sizes, groups.counts
    unseen = float(((1 - f) ** sizes * counts).sum())
    once = float((sizes * f * (1 - f) ** (sizes - 1) * counts).sum())
    above = float((sizes * f * f * (1 - f * f) ** (sizes - 1) * counts).sum())
    below = float((((1 - f * f) ** sizes - (1 - f) ** sizes) * counts).sum())  # (1 - f)^j ((1 + f)^j - 1)
    if not (once > 0 and below > 0):
        return math.inf
    return groups.groups + groups.ones * (above / below) * (unseen / once) ** 2
