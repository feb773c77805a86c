# SPDX-License-Identifier: Apache-2.0
"""Rows of many columns from noisy counts of few at a time: a tree-augmented naive Bayes model of the table.

Every column depends on the label, and on one other column at most. Three steps, each with a share of the budget:

1. count each column with the label, all of them with noise;
2. pick pairs of columns that step 1 describes worst, one after the other, by the exponential mechanism; a pair must
   join two parts that were not joined, so the picks are a forest;
3. count each picked pair with the label, with noise.

Everything else sees noisy counts only. The score of a pair is by how much its true counts differ from what step 1 says
of them, less the noise that counting them would bring; "no further pair" is a candidate with the score 0.

Literature: N. Friedman, D. Geiger and M. Goldszmidt, "Bayesian Network Classifiers", 1997 (the model); R. McKenna,
G. Miklau and D. Sheldon, "Winning the NIST Contest", 2021, and R. McKenna, B. Mullins, D. Sheldon and G. Miklau, "AIM",
2022 (scores of pairs, and what measuring them costs).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from discreet.foundation.randomness import Randomness
from discreet.mechanisms.additive import Gaussian, Geometric
from discreet.mechanisms.selection import Exponential
from discreet.methods.noise.private_table_cells import counted, simplex
from discreet.privacy.budget import epsilon_of, exact, rho_for
from discreet.privacy.noise import Noise

SHARES = (0.35, 0.1, 0.55)  # of the budget, for the three steps
_MOST = 2**20  # cells of a pair of columns with the label; larger pairs are no candidates
_ROUNDS = 30  # of proportional fitting
_TINY = 1e-9
_LESS = 1 - 1e-12


@dataclass(frozen=True)
class Accountant:
    """What each step may cost. `step` is by how much one person changes the counts of one group of columns, in L1.

    Without a delta the epsilons of the steps add up; with one their zero-concentrated losses do, and counts get
    Gaussian noise.
    """

    epsilon: float
    delta: float
    neighbours: str
    rows: int  # of a person

    @property
    def step(self) -> int:
        return self.rows * (2 if self.neighbours == "replace-one" else 1)

    def counting(self, groups: Sequence[tuple[int, ...]], sizes: Sequence[int], share: float) -> Geometric | Gaussian:
        """Noise for groups of columns that are counted together; a row is in one cell of each."""
        if not self.delta:
            sensitivity = len(groups) * self.step
            return Geometric(sensitivity=sensitivity, epsilon=self._part(share), neighbours=self.neighbours)
        both = 2 if self.neighbours == "replace-one" else 1
        return Gaussian(
            sensitivity=math.nextafter(self.rows * math.sqrt(both * len(groups)), math.inf),
            epsilon=epsilon_of(share * self._rho, self.delta),
            delta=self.delta,
            dimension=sum(math.prod(sizes[column] for column in group) for group in groups),
            neighbours=self.neighbours,
        )

    def picking(self, picks: int, share: float) -> Exponential:
        """One pick of so many. A little less than its part: roundings of all picks must not add up to more."""
        if not self.delta:
            epsilon = self._part(share / picks) * _LESS
        else:
            epsilon = math.sqrt(8 * share * self._rho / picks) * _LESS
        return Exponential(sensitivity=self.step, epsilon=epsilon, neighbours=self.neighbours)

    @property
    def _rho(self) -> float:
        return rho_for(self.epsilon, self.delta)

    def _part(self, share: float) -> float:
        """A share of epsilon, rounded down: parts never add up to more than the whole."""
        part = float(exact(self.epsilon) * exact(share))
        while exact(part) > exact(self.epsilon) * exact(share):
            part = math.nextafter(part, 0.0)
        return part


@dataclass
class Model:
    """The rows of each class, of each column by class, and of a child by class and level of its parent.

    Columns have the numbers 1, 2, ...; 0 is the label.
    """

    classes: np.ndarray
    single: dict[int, np.ndarray]  # of a column: class x level
    parent: dict[int, int] = field(default_factory=dict)
    pairs: dict[int, np.ndarray] = field(default_factory=dict)  # of a child: class x parent's level x its own
    noise: list[Noise] = field(default_factory=list)

    @property
    def total(self) -> int:
        return max(round(float(self.classes.sum())), 1)

    @property
    def order(self) -> list[int]:
        """Parents before children."""
        depth = dict.fromkeys(self.single, 0)
        for column in self.single:
            above = column
            while above in self.parent:
                above, depth[column] = self.parent[above], depth[column] + 1
        return sorted(depth, key=lambda column: (depth[column], column))


def fit(
    codes: Sequence[np.ndarray], sizes: Sequence[int], total: int | None, accountant: Accountant, randomness: Randomness
) -> Model:
    """The model of rows whose first column is the label; `total` is how many they are, where that is public."""
    columns = range(1, len(codes))
    possible = [(a, b) for b in columns for a in range(1, b) if sizes[0] * sizes[a] * sizes[b] <= _MOST]
    picks = min(len(columns) - 1, len(possible))
    shares = SHARES if picks else (1.0, 0.0, 0.0)

    alone = [(0, column) for column in columns]
    first = accountant.counting(alone, sizes, shares[0])
    model = of_columns(_measured(codes, sizes, alone, first, randomness), total)
    model.noise.append(first.noise)
    if not picks:
        return model

    picking = accountant.picking(picks, shares[1])
    scores = pair_scores(codes, model, possible, noise_of_a_pair(sizes, possible, picks, accountant))
    edges = picked(scores, possible, picks, picking, randomness)
    model.noise.append(replace(picking.noise, picks=picks))
    if edges:
        with_label = [(0, *edge) for edge in edges]
        last = accountant.counting(with_label, sizes, shares[2])
        tables = _measured(codes, sizes, with_label, last, randomness)
        model.noise.append(last.noise)
        _join(model, dict(zip(edges, tables, strict=True)), _variance(first), _variance(last))
    return model


def of_columns(tables: Sequence[np.ndarray], total: int | None) -> Model:
    """What the noisy counts of each column with the label say."""
    classes = _classes(tables, total)
    return Model(classes, {place: simplex(table, classes) for place, table in enumerate(tables, start=1)})


def _measured(
    codes: Sequence[np.ndarray],
    sizes: Sequence[int],
    groups: Sequence[tuple[int, ...]],
    mechanism: Geometric | Gaussian,
    randomness: Randomness,
) -> list[np.ndarray]:
    """The noisy counts of groups of columns, drawn together."""
    shapes = [tuple(sizes[column] for column in group) for group in groups]
    true = [counted([codes[column] for column in group], shape) for group, shape in zip(groups, shapes, strict=True)]
    drawn = mechanism.apply(np.concatenate(true), randomness).astype(float)
    parts = np.split(drawn, np.cumsum([len(part) for part in true])[:-1])
    return [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]


def _variance(mechanism: Geometric | Gaussian) -> float:
    if isinstance(mechanism, Gaussian):
        return mechanism.scale**2
    return 1 / (2 * math.sinh(1 / (2 * mechanism.scale)) ** 2) if mechanism.scale > 1e-2 else 1e-9


def _classes(single: Sequence[np.ndarray], total: int | None) -> np.ndarray:
    """How many rows each class has: every column says it, those with few levels with less noise."""
    weights = [1 / part.shape[1] for part in single]
    shares = np.average([part.sum(axis=1) for part in single], axis=0, weights=weights)
    return simplex(shares[None], max(float(shares.sum()), 1.0) if total is None else float(total))[0]


# -- which pairs -------------------------------------------------------------------------------------------------------


def noise_of_a_pair(
    sizes: Sequence[int], possible: Sequence[tuple[int, int]], picks: int, accountant: Accountant
) -> float:
    """The error that noise brings to a cell of a pair that is counted. Only what is public decides."""
    largest = sorted(possible, key=lambda pair: sizes[pair[0]] * sizes[pair[1]])[-picks:]
    return accountant.counting([(0, *pair) for pair in largest], sizes, SHARES[2]).error


def pair_scores(
    codes: Sequence[np.ndarray], model: Model, possible: Sequence[tuple[int, int]], error: float
) -> list[int]:
    """The score of each pair. Given the model, it changes with the true counts of the pair alone."""
    scores = []
    for a, b in possible:
        guess = np.rint(independent(model, a, b)).astype(np.int64)
        scores.append(pair_score(codes[0], codes[a], codes[b], guess) - round(error * guess.size))
    return scores


def picked(
    scores: Sequence[int],
    possible: Sequence[tuple[int, int]],
    picks: int,
    mechanism: Exponential,
    randomness: Randomness,
) -> list[tuple[int, int]]:
    """Pairs that make a forest, picked one after the other; fewer than `picks` once "no further pair" is picked."""
    edges: list[tuple[int, int]] = []
    for _ in range(picks):
        joins = joining(possible, edges)
        choice = int(mechanism.apply(np.array([scores[place] for place in joins] + [0]), randomness)[0])
        if choice == len(joins):
            break
        edges.append(possible[joins[choice]])
    return edges


def joining(possible: Sequence[tuple[int, int]], edges: Sequence[tuple[int, int]]) -> list[int]:
    """The places of pairs that join two parts which the edges have not joined yet."""
    part_of = {column: column for pair in possible for column in pair}
    for a, b in edges:
        one, other = part_of[a], part_of[b]
        part_of = {column: one if part == other else part for column, part in part_of.items()}
    return [place for place, (a, b) in enumerate(possible) if part_of[a] != part_of[b]]


def independent(model: Model, a: int, b: int) -> np.ndarray:
    """The counts of two columns with the label, if they depend on the label alone: class x one x other."""
    one, other = model.single[a], model.single[b]
    return one[:, :, None] * other[:, None, :] / np.maximum(model.classes, _TINY)[:, None, None]


def pair_score(label: np.ndarray, one: np.ndarray, other: np.ndarray, guess: np.ndarray) -> int:
    """How far the true counts are from a guess that rests on noisy ones, in L1: it changes with them, row by row."""
    return int(np.abs(counted([label, one, other], guess.shape) - guess.ravel()).sum())


# -- the fitted model --------------------------------------------------------------------------------------------------


def _join(model: Model, tables: dict[tuple[int, int], np.ndarray], before: float, after: float) -> None:
    """Bring what the steps say of each column together, then the pairs into agreement with it."""
    evidence = {column: [(table, before)] for column, table in model.single.items()}
    for (a, b), table in tables.items():
        evidence[a].append((table.sum(axis=2), after * table.shape[2]))
        evidence[b].append((table.sum(axis=1), after * table.shape[1]))
    for column, parts in evidence.items():
        mean = np.average([part for part, _ in parts], axis=0, weights=[1 / variance for _, variance in parts])
        model.single[column] = simplex(mean, model.classes)
    reached: set[int] = set()
    for root in model.single:
        waiting = [] if root in reached else [root]
        while waiting:
            column = waiting.pop()
            reached.add(column)
            for (a, b), table in tables.items():
                child = b if a == column else a
                if column in (a, b) and child not in reached:
                    fitted = _fitted(model, a, b, table, after)
                    model.parent[child] = column
                    model.pairs[child] = fitted if child == b else fitted.transpose(0, 2, 1)
                    waiting.append(child)


def _fitted(model: Model, a: int, b: int, table: np.ndarray, variance: float) -> np.ndarray:
    """Noisy counts of a pair, drawn towards independence as far as they may be noise (James and Stein), without
    negative numbers, and fitted to the counts of both columns."""
    guess = independent(model, a, b)
    off = table - guess
    shrinkage = np.maximum(0.0, 1 - variance * off[0].size / np.maximum((off**2).sum(axis=(1, 2)), _TINY))
    fitted = np.maximum(guess + shrinkage[:, None, None] * off, guess / 1000)
    for _ in range(_ROUNDS):
        fitted *= (model.single[a] / np.maximum(fitted.sum(axis=2), _TINY))[:, :, None]
        fitted *= (model.single[b] / np.maximum(fitted.sum(axis=1), _TINY))[:, None, :]
    return fitted


def rows(model: Model, total: int, randomness: Randomness) -> np.ndarray:
    """Rows drawn from the model, a line for each column, the label first.

    Within each class and each level of the parent a level gets its share of the rows, rounded by chance; which rows get
    it is chance, too.
    """
    columns = {0: spread(np.zeros(total, dtype=np.int64), model.classes[None], randomness)}
    for column in model.order:
        if column in model.parent:
            table = model.pairs[column]
            group = columns[0] * table.shape[1] + columns[model.parent[column]]
            columns[column] = spread(group, table.reshape(-1, table.shape[2]), randomness)
        else:
            columns[column] = spread(columns[0], model.single[column], randomness)
    return np.stack([columns[column] for column in range(len(columns))])


def spread(group: np.ndarray, weights: np.ndarray, randomness: Randomness) -> np.ndarray:
    """A level for each row: in a group of n rows a level of weight w is drawn nw times, rounded up or down.

    >>> np.bincount(spread(np.zeros(8, dtype=int), np.array([[1.0, 0.0, 3.0]]), Randomness(0))).tolist()
    [2, 0, 6]
    """
    order = randomness.permutation(len(group))
    order = order[np.argsort(group[order], kind="stable")]
    sizes = np.bincount(group, minlength=len(weights))
    shifts = (randomness.uint64(len(weights)) >> np.uint64(11)) / 2.0**53
    levels = np.empty(len(group), dtype=np.int64)
    start = 0
    for size, weight, shift in zip(sizes.tolist(), weights, shifts, strict=True):
        if size:
            share = np.cumsum(weight if weight.sum() > 0 else np.ones(len(weight)))
            upto = np.floor(share / share[-1] * size + shift)  # systematic sampling
            upto[-1] = size
            levels[order[start : start + size]] = np.repeat(
                np.arange(len(weight)), np.diff(upto, prepend=0).astype(int)
            )
            start += size
    return levels
