# SPDX-License-Identifier: Apache-2.0
"""Whole releases of `PrivateTable` by its model of marginals: what its steps give away together.

A run fits the model to one of two neighbours and writes down all that its mechanisms say. Then the model is fitted to
the other neighbour, and its mechanisms say the same again: so every number and every score that they were given is
known on either side. What follows the mechanisms sees nothing else of the rows. The outcome of a run is the logarithm
of how much likelier it is on one neighbour than on the other: no other test tells them apart better.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations
from unittest import mock

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from discreet.foundation.randomness import Randomness
from discreet.mechanisms.additive import Gaussian
from discreet.mechanisms.mechanism import Mechanism
from discreet.mechanisms.selection import PermuteAndFlip, Selection
from discreet.methods.noise import private_table_model
from discreet.methods.noise.private_table_budget import Accountant, GroupPlan, by_levels
from discreet.privacy.budget import epsilon_of, rho_for

SIZES = (2, 2, 3, 2)  # the label, and three columns; shares go with the numbers of levels
ROWS = [(0, 0, 0, 0)] * 8 + [(1, 1, 1, 1)] * 8
OTHER = (1, 0, 1, 0)  # the row that is another one, or one more
PAIRS = [(0, 1, 2), (0, 2, 3)]
PLAN = GroupPlan(
    2, 1, (Fraction(3, 10), Fraction(3, 10), Fraction(2, 10))
)  # few rows carry no pairs: the plan is given


def neighbour(rows: list[tuple], relation: str) -> list[tuple]:
    return [OTHER, *rows[1:]] if relation == "replace-one" else [OTHER, *rows]


def accountant(epsilon: float, delta: float, relation: str, times: float = 1.0) -> Accountant:
    """With noise that is so many times too narrow."""
    broken = epsilon_of(times**2 * rho_for(epsilon, delta), delta) if delta else times * epsilon
    return Accountant(broken, delta, relation, 1)


class Steps:
    """All steps of a release on one of two neighbours."""

    def __init__(self, budget: Accountant, one: list[tuple], other: list[tuple]):
        self.budget = budget
        self.tables = {True: np.array(one).T, False: np.array(other).T}
        self.public = len(one) if budget.neighbours == "replace-one" else None

    def sample(self, first: bool, runs: int) -> np.ndarray:
        """Logarithms of likelihood quotients of so many runs on one of the neighbours."""
        with mock.patch.object(private_table_model, "planned", return_value=PLAN):
            return np.array([self._quotient(first) for _ in range(runs)])

    def _quotient(self, first: bool) -> float:
        drawn = self._fitted(first, None)
        again = self._fitted(not first, [outcome for _, _, outcome in drawn])
        total = 0.0
        for (mechanism, values, outcome), (same, others, _) in zip(drawn, again, strict=True):
            assert (mechanism.scale, mechanism.sensitivity) == (same.scale, same.sensitivity)
            on, off = (values, others) if first else (others, values)
            total += likelihood(mechanism, on, outcome) - likelihood(mechanism, off, outcome)
        return total

    def _fitted(self, first: bool, outcomes: list[np.ndarray] | None) -> list[tuple[Mechanism, np.ndarray, np.ndarray]]:
        """Every use of a mechanism: itself, what it was given, and what it said, or must say."""
        uses: list[tuple[Mechanism, np.ndarray, np.ndarray]] = []

        def apply(mechanism, values, _):
            outcome = mechanism.run(values) if outcomes is None else outcomes[len(uses)]
            uses.append((mechanism, np.asarray(values, dtype=float), outcome))
            return outcome

        with mock.patch.object(Mechanism, "apply", apply):
            private_table_model.fit(list(self.tables[first]), SIZES, self.public, self.budget, Randomness())
        return uses


def likelihood(mechanism: Mechanism, values: np.ndarray, outcome: np.ndarray) -> float:
    """The logarithm of the likelihood of an outcome, up to what does not depend on the values."""
    if isinstance(mechanism, Gaussian):
        return float(-((outcome - values) ** 2).sum() / (2 * mechanism.scale**2))
    if not isinstance(mechanism, Selection):
        return float(-np.abs(outcome - values).sum() / mechanism.scale)
    odds, pick = (values - values.max()) / mechanism.scale, int(outcome[0])
    if isinstance(mechanism, PermuteAndFlip):
        return float(odds[pick] + math.log(_flipped(np.exp(np.delete(odds, pick)))))
    return float(odds[pick] - np.logaddexp.reduce(odds))


def _flipped(others: np.ndarray) -> float:
    """The odds that a candidate comes before all others that are accepted (McKenna and Sheldon, 2020)."""
    subsets = (part for size in range(len(others) + 1) for part in combinations(others, size))
    return sum((-1) ** len(part) / (len(part) + 1) * math.prod(part) for part in subsets)


def by_likelihood(losses: dict[bool, np.ndarray], delta: float, false_alarm: float) -> float:
    """A lower bound on epsilon from these logarithms of quotients on either neighbour, as the densities tell them.

    Without a delta every outcome whose quotient is above e^epsilon refutes epsilon by itself: the largest counts. With
    one, delta is at least the mean of 1 - e^(epsilon - loss), where that is positive; its lower bound is that of
    Maurer and Pontil, 2009.
    """
    sides = (losses[True], -losses[False])
    if not delta:
        return float(max(side.max() for side in sides))

    def excess(tried: float) -> float:
        return max(_at_least(np.maximum(-np.expm1(tried - side), 0.0), false_alarm / 2) for side in sides) - delta

    return float(brentq(excess, 0, 60)) if excess(0) > 0 else 0.0


def _at_least(values: np.ndarray, false_alarm: float) -> float:
    odds, runs = math.log(2 / false_alarm), len(values)
    return float(values.mean() - math.sqrt(2 * values.var(ddof=1) * odds / runs) - 7 * odds / (3 * runs - 3))


def exact_counts(epsilon: float, delta: float, relation: str) -> float:
    """The epsilon of counting columns and pairs together at this delta, exactly (Balle and Wang, 2018): a part of the
    claim."""
    budget = accountant(epsilon, delta, relation)
    columns, pairs, _ = PLAN.counting
    used = [
        budget.counting([(0, column) for column in some], SIZES, columns * part)
        for some, part in by_levels((1, 2, 3), SIZES)
    ]
    used.append(budget.counting(PAIRS, SIZES, pairs))
    apart = math.sqrt(sum((mechanism.sensitivity / mechanism.scale) ** 2 for mechanism in used))

    def excess(tried: float) -> float:
        upper, lower = norm.cdf(apart / 2 - tried / apart), norm.cdf(-apart / 2 - tried / apart)
        return float(upper - math.exp(tried) * lower - delta)

    return float(brentq(excess, 0, 10 * epsilon))
