# SPDX-License-Identifier: Apache-2.0
"""Whole releases of `PrivateTable` by its model of marginals: what its three steps give away together.

A run draws all that a release draws from the rows: noisy counts of every column with the label, the picks of pairs, and
noisy counts of the picked pairs; what follows sees nothing else of the rows. The outcome of a run is turned into the
logarithm of how much likelier it is on one of two neighbours than on the other: no other test tells them apart better.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from discreet.foundation.randomness import Randomness
from discreet.mechanisms.additive import Gaussian
from discreet.methods.noise.private_table_cells import counted
from discreet.methods.noise.private_table_model import (
    SHARES,
    Accountant,
    joining,
    noise_of_a_pair,
    of_columns,
    pair_scores,
    picked,
)
from discreet.privacy.budget import epsilon_of, rho_for

SIZES = (2, 2, 2, 2)  # the label, and three columns
ROWS = [(0, 0, 0, 0)] * 8 + [(1, 1, 1, 1)] * 8
OTHER = (1, 0, 1, 0)  # the row that is another one, or one more
SINGLE = [(0, column) for column in (1, 2, 3)]
PAIRS = [(1, 2), (1, 3), (2, 3)]
PICKS = 2


def neighbour(rows: list[tuple], relation: str) -> list[tuple]:
    return [OTHER, *rows[1:]] if relation == "replace-one" else [OTHER, *rows]


def accountant(epsilon: float, delta: float, relation: str, times: float = 1.0) -> Accountant:
    """With noise that is so many times too narrow."""
    broken = epsilon_of(times**2 * rho_for(epsilon, delta), delta) if delta else times * epsilon
    return Accountant(broken, delta, relation, 1)


class Steps:
    """The three steps on one of two neighbours."""

    def __init__(self, budget: Accountant, one: list[tuple], other: list[tuple]):
        self.budget = budget
        self.tables = {True: np.array(one).T, False: np.array(other).T}
        self.public = len(one) if budget.neighbours == "replace-one" else None
        self.picking = budget.picking(PICKS, SHARES[1])
        self.error = noise_of_a_pair(SIZES, PAIRS, PICKS, budget)

    def counts(self, first: bool, groups: list[tuple[int, ...]]) -> np.ndarray:
        codes = self.tables[first]
        return np.concatenate([counted([codes[c] for c in group], [SIZES[c] for c in group]) for group in groups])

    def sample(self, first: bool, runs: int) -> np.ndarray:
        """Logarithms of likelihood quotients of so many runs on one of the neighbours."""
        noisy, ratio = self._counted(first, SINGLE, SHARES[0], runs)
        chosen: dict[tuple, list[int]] = {}
        for run in range(runs):
            model = of_columns([part.reshape(2, 2) for part in noisy[run].reshape(3, 4)], self.public)
            scores = {side: pair_scores(self.tables[side], model, PAIRS, self.error) for side in (True, False)}
            edges = picked(scores[first], PAIRS, PICKS, self.picking, Randomness())
            ratio[run] += self._of_picks(scores[True], edges) - self._of_picks(scores[False], edges)
            chosen.setdefault(tuple(edges), []).append(run)
        for edges, which in chosen.items():
            if edges:
                ratio[which] += self._counted(first, [(0, *edge) for edge in edges], SHARES[2], len(which))[1]
        return ratio

    def _counted(self, first: bool, groups: list, share: float, runs: int) -> tuple[np.ndarray, np.ndarray]:
        mechanism = self.budget.counting(groups, SIZES, share)
        true = {side: self.counts(side, groups) for side in (True, False)}
        values = np.tile(true[first], runs)
        if isinstance(mechanism, Gaussian):
            noisy = replace(mechanism, dimension=len(values)).run(values.astype(float)).reshape(runs, -1)
            loss = ((noisy - true[False]) ** 2 - (noisy - true[True]) ** 2) / (2 * mechanism.scale**2)
        else:
            noisy = mechanism.run(values).reshape(runs, -1)
            loss = (np.abs(noisy - true[False]) - np.abs(noisy - true[True])) / mechanism.scale
        return noisy.astype(float), loss.sum(axis=1)

    def _of_picks(self, scores: list[int], edges: list[tuple[int, int]]) -> float:
        """The logarithm of the probability of these picks, and of ending after them."""
        total = 0.0
        for place in range(min(len(edges) + 1, PICKS)):
            joins = joining(PAIRS, edges[:place])
            odds = np.array([*(scores[join] for join in joins), 0]) / self.picking.scale
            taken = joins.index(PAIRS.index(edges[place])) if place < len(edges) else len(joins)
            total += odds[taken] - np.logaddexp.reduce(odds)
        return total


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
    """The epsilon of steps 1 and 3 together at this delta, exactly (Balle and Wang, 2018): a part of the claim."""
    budget = accountant(epsilon, delta, relation)
    groups = (SINGLE, [(0, *pair) for pair in PAIRS[:PICKS]])
    used = [budget.counting(group, SIZES, share) for group, share in zip(groups, (SHARES[0], SHARES[2]), strict=True)]
    apart = math.sqrt(sum((mechanism.sensitivity / mechanism.scale) ** 2 for mechanism in used))

    def excess(tried: float) -> float:
        upper, lower = norm.cdf(apart / 2 - tried / apart), norm.cdf(-apart / 2 - tried / apart)
        return float(upper - math.exp(tried) * lower - delta)

    return float(brentq(excess, 0, 10 * epsilon))
