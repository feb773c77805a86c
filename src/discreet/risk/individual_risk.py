# SPDX-License-Identifier: Apache-2.0
"""Individual risk: the chance to name the right person for a row, when the table is a sample of a population.

R. Benedetti and L. Franconi, "Statistical and technological solutions for controlled data dissemination" (1998);
L. Franconi and S. Polettini, "Individual risk estimation in mu-Argus: a review", Privacy in Statistical Databases, LNCS
3050, 262-272 (2004). A row with f like it in the table is one of F persons of the population, and F is unknown: given
f it is taken to be negative binomial with success probability p = f / F', where F' is the sum of the weights of these
rows. The risk is the mean of 1/F,

    r = E[1/F | f] = p^f / f * 2F1(f, f; f + 1; 1 - p) = p / f * 2F1(1, 1; f + 1; 1 - p),

with Gauss's hypergeometric function; for f = 1 it is p / (1 - p) * log(1 / p).

That is far too low where many are unique in the population: it cannot see how rare values are. Under Pitman's model
(`population_uniqueness.py`) with parameters theta and alpha, each further person of the population joins the row's
group with probability (f - alpha) / (theta + n), so that F - f is negative binomial, too, with f - alpha instead of f
and q = (theta + n) / (theta + n / p) instead of p; both are the same for alpha = theta = 0. Then

    r = E[1/F | f] = q / f * 2F1(1, 1 + alpha; f + 1; 1 - q).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.risk.population_uniqueness import PitmanParameters
from discreet.risk.sampled_groups import SampledGroups

_LARGE = 16  # persons of a group, from which the series needs about a hundred terms at most
EDGES = (0.0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.5, 1.0)  # of the histogram


@dataclass(frozen=True, eq=False, repr=False)
class IndividualRisk:
    """The risk of every row, for the owner; `to_dict` holds sums only.

    of_row      the risk of each row, or of each row's household
    kind        "person" or "household"
    threshold   a row is at risk above it
    """

    of_row: np.ndarray
    kind: str
    threshold: float

    @property
    def expected(self) -> float:
        """The expected number of rows whose person is named correctly if somebody tries for all of them."""
        return float(self.of_row.sum())

    @property
    def rate(self) -> float:
        """The mean risk of a row."""
        return float(self.of_row.mean())

    @property
    def highest(self) -> float:
        return float(self.of_row.max())

    @property
    def at_risk(self) -> int:
        """Rows above the threshold."""
        return int((self.of_row > self.threshold).sum())

    @property
    def histogram(self) -> list[tuple[float, float, int]]:
        """Rows by their risk: above the first number, up to the second."""
        place = np.searchsorted(EDGES, self.of_row, side="left").clip(1, len(EDGES) - 1)
        rows = np.bincount(place, minlength=len(EDGES))
        return [(EDGES[i - 1], EDGES[i], int(rows[i])) for i in range(1, len(EDGES))]

    def __repr__(self) -> str:
        return f"IndividualRisk({len(self.of_row)} rows, rate {self.rate:.4g}, highest {self.highest:.4g})"

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "expected": self.expected,
            "rate": self.rate,
            "highest": self.highest,
            "threshold": self.threshold,
            "at_risk": self.at_risk,
            "histogram": [{"above": low, "to": high, "rows": rows} for low, high, rows in self.histogram],
        }


def individual_risk(
    groups: SampledGroups, *, threshold: float = 0.2, pitman: PitmanParameters | None = None, approximate: bool = False
) -> IndividualRisk:
    """The individual risk of each row, by Benedetti and Franconi, or under Pitman's model if its parameters are given.

    Of a population that was counted, F is known and the risk is 1/F.
    """
    risk = risk_of_groups(groups, pitman=pitman, approximate=approximate)
    return IndividualRisk(risk[groups.of_row], "person", threshold)


def household_risk(risk: IndividualRisk, households: np.ndarray) -> IndividualRisk:
    """The chance that at least one row of the household is named, given to each of its rows: 1 - prod (1 - r).

    Who recognises one member of a household recognises all of them. The members are taken to be independent.

    >>> alone = IndividualRisk(np.array([0.5, 0.5, 0.1]), "person", 0.2)
    >>> household_risk(alone, np.array([0, 0, 1])).of_row.round(2).tolist()
    [0.75, 0.75, 0.1]
    """
    _, place = np.unique(households, return_inverse=True)
    with np.errstate(divide="ignore"):
        spared = np.bincount(place, np.log1p(-np.minimum(risk.of_row, 1.0)))
    return IndividualRisk(-np.expm1(spared)[place], "household", risk.threshold)


def risk_of_groups(
    groups: SampledGroups, *, pitman: PitmanParameters | None = None, approximate: bool = False
) -> np.ndarray:
    """The risk of each group: 1/F if the population was counted, else its mean; 1/f if nothing is known."""
    if groups.population is None:
        return 1 / groups.sizes
    if groups.counted is not None:
        return 1 / groups.population
    if pitman is None:
        return mean_inverse(groups.sizes, groups.population, approximate=approximate)
    return _mean_inverse(groups.sizes.astype(np.float64), seen(groups, pitman), pitman.alpha)


def seen(groups: SampledGroups, pitman: PitmanParameters | None) -> np.ndarray:
    """The success probability of the negative binomial F - f of each group, whose population is estimated."""
    assert groups.population is not None
    p = np.minimum(groups.sizes / groups.population, 1.0)
    if pitman is None:
        return p
    n = groups.n_persons
    return (pitman.theta + n) / (pitman.theta + n / p)


def mean_inverse(sizes: np.ndarray, population: np.ndarray, *, approximate: bool = False) -> np.ndarray:
    """E[1/F | f] for groups of `sizes` persons in the sample that stand for `population` persons.

    `approximate` takes p / (f - 1 + p) for groups of three persons or more, as mu-Argus and sdcMicro do by default.

    >>> mean_inverse([1, 2, 3], [10.0, 20.0, 3.0]).round(4).tolist()
    [0.2558, 0.0827, 0.3333]
    """
    f = np.asarray(sizes, dtype=np.float64)
    p = np.minimum(f / np.asarray(population, dtype=np.float64), 1.0)
    exact = _mean_inverse(f, p, 0.0)
    if not approximate:
        return exact
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where((f > 2) & (p < 1), p / (f - 1 + p), exact)


def _mean_inverse(f: np.ndarray, p: np.ndarray, alpha: float) -> np.ndarray:
    """p / f * 2F1(1, 1 + alpha; f + 1; 1 - p), whichever way is accurate."""
    risk = np.empty(len(f))
    stepwise = (p < 0.5) & (f < _LARGE)
    risk[stepwise] = _by_steps(f[stepwise], p[stepwise], alpha)
    risk[~stepwise] = _by_series(f[~stepwise], p[~stepwise], alpha)
    return risk


def _by_steps(f: np.ndarray, p: np.ndarray, alpha: float) -> np.ndarray:
    """From r(1) = (p^(1 - alpha) - p) / (alpha q) on by r(f + 1) = p (1 - f r(f)) / ((f - alpha) q), with q = 1 - p.

    At alpha = 0, r(1) = p log(1/p) / q. Errors shrink, as p < 1/2.
    """
    missed = -np.log(p) if alpha < 1e-12 else np.expm1(-alpha * np.log(p)) / alpha
    risk = p * missed / (1 - p)
    for step in range(1, int(f.max(initial=1))):
        risk = np.where(f > step, p * (1 - step * risk) / ((step - alpha) * (1 - p)), risk)
    return risk


def _by_series(f: np.ndarray, p: np.ndarray, alpha: float) -> np.ndarray:
    """By p/f sum_n (1 + alpha)_n q^n / (f + 1)_n, whose terms shrink quickly if f is large or q = 1 - p small."""
    term = p / f
    risk, n = term.copy(), 0
    while len(term) and float((term / risk).max()) > 1e-17:
        n += 1
        term = term * (1 - p) * (n + alpha) / (f + n)
        risk += term
    return risk
