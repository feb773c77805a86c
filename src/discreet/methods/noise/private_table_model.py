# SPDX-License-Identifier: Apache-2.0
"""Rows of many columns from noisy counts of few at a time: a tree-augmented naive Bayes model of the table.

Every column depends on the label, on one other column at most and, where the budget carries it, on one column next to
that. The steps that see the rows, each with a share of the budget (private_table_budget.py):

1. count each column with the label, all of them with noise; without it where noise would drown what the label tells;
2. pick pairs of columns that step 1 describes worst, one after the other; a pair must join two parts that were not
   joined, so the picks are a forest;
3. count each picked pair with the label, with noise;
4. pick triples, a pair of the forest and a column next to it, and count them with the label, with noise.

What is public decides beforehand how many pairs and triples there may be; with small budgets there are none, and step 1
has all of it. What the picks leave is spent on counting. Everything else sees noisy counts only.

Literature: N. Friedman, D. Geiger and M. Goldszmidt, "Bayesian Network Classifiers", 1997 (the model); R. McKenna,
G. Miklau and D. Sheldon, "Winning the NIST Contest", 2021, and R. McKenna, B. Mullins, D. Sheldon and G. Miklau, "AIM",
2022 (scores of pairs, and what measuring them costs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from discreet.foundation.randomness import Randomness
from discreet.mechanisms.additive import Gaussian, Geometric
from discreet.methods.noise.engine_levels import counted
from discreet.methods.noise.private_table_budget import (
    COUNTING_ROWS,
    MOST,
    PICKING,
    Accountant,
    GroupPlan,
    by_levels,
    candidate_pairs,
    planned,
    typical_error,
)
from discreet.methods.noise.private_table_cells import simplex
from discreet.methods.noise.private_table_picks import Group, joining, other_children, picked, score
from discreet.methods.noise.private_table_shrinkage import of_column, of_levels, towards
from discreet.privacy.noise import Noise

_ROUNDS = 30  # of proportional fitting
_TINY = 1e-9


@dataclass
class Model:
    """The rows of each class, of each column by class, and of a child by class and level of its parent.

    Columns have the numbers 1, 2, ...; 0 is the label.
    """

    classes: np.ndarray
    single: dict[int, np.ndarray]  # of a column: class x level
    parent: dict[int, int] = field(default_factory=dict)
    pairs: dict[int, np.ndarray] = field(default_factory=dict)  # of a child: class x parent's level x its own
    beside: dict[int, int] = field(default_factory=dict)  # of a child: the third column
    triples: dict[int, np.ndarray] = field(default_factory=dict)  # class x third's level x parent's x its own
    noise: list[Noise] = field(default_factory=list)

    @property
    def total(self) -> int:
        return max(round(float(self.classes.sum())), 1)

    @property
    def order(self) -> list[int]:
        """Parents before children, and the third column of a triple before its child."""
        depth = dict.fromkeys(self.single, 0)
        for column in self.single:
            above = column
            while above in self.parent:
                above, depth[column] = self.parent[above], depth[column] + 1
        return sorted(depth, key=lambda column: (depth[column], column))

    def pair(self, a: int, b: int) -> np.ndarray:
        """The counts of a column and its parent, or its child: class x a's level x b's."""
        return self.pairs[b] if self.parent.get(b) == a else self.pairs[a].transpose(0, 2, 1)


@dataclass
class Counts:
    """What is known of groups of columns: noisy counts with their variances, and the noise that was drawn for them."""

    codes: Sequence[np.ndarray]
    sizes: Sequence[int]
    accountant: Accountant
    randomness: Randomness
    times: np.ndarray | None  # how many rows each line of codes stands for, if not one
    ordered: Sequence[int]  # of each column, how many levels come in an order, before the others
    empty: Sequence[bool]  # of each column, whether the last level is the empty cell
    whole: Fraction = Fraction(1)  # what shares are of
    of: dict[Group, tuple[np.ndarray, float]] = field(default_factory=dict)
    noise: list[Noise] = field(default_factory=list)

    def measure(self, groups: Sequence[Group], share: Fraction) -> None:
        """Count groups of columns together, with noise; what was known of a group before is averaged in."""
        mechanism = self.accountant.counting(groups, self.sizes, share * self.whole)
        shapes = [tuple(self.sizes[column] for column in group) for group in groups]
        true = [
            counted([self.codes[column] for column in group], shape, self.times)
            for group, shape in zip(groups, shapes, strict=True)
        ]
        drawn = mechanism.apply(np.concatenate(true), self.randomness).astype(float)
        parts = np.split(drawn, np.cumsum([len(part) for part in true])[:-1])
        for group, shape, part in zip(groups, shapes, parts, strict=True):
            told = [*([self.of[group]] if group in self.of else []), (part.reshape(shape), _variance(mechanism))]
            self.of[group] = _averaged(told)
        self.noise.append(mechanism.noise)

    def columns(self, share: Fraction, alone: Container[int]) -> None:
        """Count each column with the label, or alone; those with many levels get more of the share."""
        for columns, part in by_levels(range(1, len(self.sizes)), self.sizes, alone):
            self.measure([(column,) if column in alone else (0, column) for column in columns], share * part)

    def rows(self) -> float:
        """The number of rows, with noise. All other shares are of what is left."""
        mechanism = self.accountant.counting([()], self.sizes, COUNTING_ROWS)
        self.whole -= COUNTING_ROWS
        self.noise.append(mechanism.noise)
        return float(
            mechanism.apply(
                np.array([len(self.codes[0]) if self.times is None else int(self.times.sum())]), self.randomness
            )[0]
        )

    def pick(
        self,
        possible: Sequence[Group],
        guess: Callable[[Group], np.ndarray],
        still: Callable[[Sequence[Group], Sequence[Group]], Sequence[Group]],
        picks: int,
        share: Fraction,
    ) -> tuple[list[Group], Fraction]:
        """Groups that the guess describes worst, and what of PICKING is left; `share` is for counting them."""
        error = typical_error(possible, self.sizes, picks, share * self.whole, self.accountant)
        scores = {group: score(self.codes, group, guess(group), error, self.times) for group in possible}
        mechanism = self.accountant.picking(picks, PICKING * self.whole)
        groups, made = picked(scores, lambda taken: still(possible, taken), picks, mechanism, self.randomness)
        if made:
            self.noise.append(replace(mechanism.noise, picks=made))
        return groups, PICKING * Fraction(picks - made, picks)


def fit(
    codes: Sequence[np.ndarray],
    sizes: Sequence[int],
    total: int | None,
    accountant: Accountant,
    randomness: Randomness,
    ordered: Sequence[int] | None = None,
    times: np.ndarray | None = None,
    empty: Sequence[bool] | None = None,
) -> Model:
    """The model of rows whose first column is the label; `total` is how many they are, where that is public.

    `ordered` says how many levels of each column come in an order, before the others; `times`, how many rows each line
    of codes stands for; `empty`, whether the last level of a column is the empty cell.
    """
    ordered = [0] * len(sizes) if ordered is None else ordered
    empty = [False] * len(sizes) if empty is None else empty
    counts = Counts(codes, sizes, accountant, randomness, times, ordered, empty)
    known = counts.rows() if total is None and candidate_pairs(sizes) else total
    plan = planned(sizes, known or 0, accountant)
    possible: list[Group] = list(candidate_pairs(sizes, plan.alone))

    counts.columns(plan.counting[0], plan.alone)
    model = of_columns(counts, total)
    if plan.pairs:
        edges, left = counts.pick(
            possible, lambda pair: independent(model, *pair), joining, plan.pairs, plan.counting[1]
        )
        left += plan.counting[1]
        if not edges:
            counts.columns(left + plan.counting[2] + (PICKING if plan.triples else 0), plan.alone)
            model = of_columns(counts, total)
        else:
            counts.measure([(0, *edge) for edge in edges], left)
            model = _of_pairs(counts, edges, total)
            if plan.triples:
                _add_triples(model, counts, plan, edges, total)
    model.noise = counts.noise
    return model


def of_columns(counts: Counts, total: int | None) -> Model:
    """What the noisy counts say of each column, those of pairs too."""
    told: dict[int, list[tuple[np.ndarray, float]]] = {}
    for group, (table, variance) in counts.of.items():
        for place, column in enumerate(group[1:], start=1):
            others = tuple(axis for axis in range(1, table.ndim) if axis != place)
            told.setdefault(column, []).append((table.sum(axis=others), variance * table[0].size / table.shape[place]))
    columns = {column: _averaged(told[column]) for column in sorted(told)}
    classes = _classes(list(columns.values()), total)
    single = {
        column: of_column(table, variance, classes, counts.ordered[column], empty=counts.empty[column])
        for column, (table, variance) in columns.items()
    }
    share = classes / max(float(classes.sum()), _TINY)
    alone = {group[0]: told for group, told in counts.of.items() if len(group) == 1}
    for column, (levels, variance) in alone.items():
        known = counts.ordered[column]
        rows_of = of_levels(levels, variance, float(classes.sum()), known, empty=counts.empty[column])
        single[column] = np.outer(share, rows_of)
    return Model(classes, dict(sorted(single.items())))


def _averaged(told: Sequence[tuple[np.ndarray, float]]) -> tuple[np.ndarray, float]:
    """Several noisy counts of the same, weighted by how sure they are."""
    sure = [1 / variance for _, variance in told]
    return np.average([table for table, _ in told], axis=0, weights=sure), 1 / sum(sure)


def _variance(mechanism: Geometric | Gaussian) -> float:
    if isinstance(mechanism, Gaussian):
        return mechanism.scale**2
    return 1 / (2 * math.sinh(1 / (2 * mechanism.scale)) ** 2) if mechanism.scale > 1e-2 else 1e-9


def _classes(columns: Sequence[tuple[np.ndarray, float]], total: int | None) -> np.ndarray:
    """How many rows each class has: every column says it, those with few levels with less noise."""
    sure = [1 / (variance * table.shape[1]) for table, variance in columns]
    shares = np.average([table.sum(axis=1) for table, _ in columns], axis=0, weights=sure)
    return np.asarray(simplex(shares[None], max(float(shares.sum()), 1.0) if total is None else float(total))[0])


def independent(model: Model, a: int, b: int) -> np.ndarray:
    """The counts of two columns with the label, if they depend on the label alone: class x one x other."""
    one, other = model.single[a], model.single[b]
    return np.asarray(one[:, :, None] * other[:, None, :] / np.maximum(model.classes, _TINY)[:, None, None])


# -- pairs and triples -------------------------------------------------------------------------------------------------


def _of_pairs(counts: Counts, edges: Sequence[Group], total: int | None) -> Model:
    """What the noisy counts say of each column and of each pair, in agreement."""
    model = of_columns(counts, total)
    reached: set[int] = set()
    for root in model.single:
        waiting = [] if root in reached else [root]
        while waiting:
            column = waiting.pop()
            reached.add(column)
            for a, b in edges:
                child = b if a == column else a
                if column in (a, b) and child not in reached:
                    guess = independent(model, a, b)
                    fitted = fitted_to(towards(counts.of[0, a, b][0], guess, counts.of[0, a, b][1]),
                                       (model.single[a], 2), (model.single[b], 1))  # fmt: skip
                    model.parent[child] = column
                    model.pairs[child] = fitted if child == b else fitted.transpose(0, 2, 1)
                    waiting.append(child)
    return model


def fitted_to(counts: np.ndarray, *margins: tuple[np.ndarray, int]) -> np.ndarray:
    """Counts brought into agreement with margins, each with the axis that it lacks, by proportional fitting."""
    fitted = counts.copy()
    for _ in range(_ROUNDS):
        for margin, axis in margins:
            fitted *= np.expand_dims(margin / np.maximum(fitted.sum(axis=axis), _TINY), axis)
    return fitted


def candidate_triples(model: Model, sizes: Sequence[int]) -> list[Group]:
    """A third column, a parent and its child. The third is the parent's parent, or another child of it before this."""
    found: list[Group] = []
    for child, parent in model.parent.items():
        beside = [other for other, above in model.parent.items() if above == parent and other < child]
        above = [model.parent[parent]] if parent in model.parent else []
        found += [(third, parent, child) for third in (*above, *beside)]
    return [group for group in found if sizes[0] * math.prod(sizes[column] for column in group) <= MOST]


def chained(model: Model, third: int, parent: int, child: int) -> np.ndarray:
    """The counts of a triple with the label, if the outer two depend on the parent and the label alone."""
    one, other = model.pair(third, parent), model.pair(parent, child)
    middle = np.maximum(one.sum(axis=1), _TINY)
    return np.asarray(one[:, :, :, None] * (other / middle[:, :, None])[:, None])


def _add_triples(model: Model, counts: Counts, plan: GroupPlan, edges: Sequence[Group], total: int | None) -> None:
    """Pick triples and count them; the shares for it go to the pairs where none is picked."""
    possible = candidate_triples(model, counts.sizes)
    triples: list[Group] = []
    left = PICKING
    if possible:
        triples, left = counts.pick(
            possible, lambda triple: chained(model, *triple), other_children, plan.triples, plan.counting[2]
        )
    left += plan.counting[2]
    if not triples:
        counts.measure([(0, *edge) for edge in edges], left)
        again = _of_pairs(counts, edges, total)
        model.classes, model.single, model.pairs = again.classes, again.single, again.pairs
        return
    counts.measure([(0, *triple) for triple in triples], left)
    for third, parent, child in triples:
        table, variance = counts.of[0, third, parent, child]
        guess = chained(model, third, parent, child)
        model.beside[child] = third
        model.triples[child] = fitted_to(
            towards(table, guess, variance), (model.pair(third, parent), 3), (model.pair(parent, child), 1)
        )


def rows(model: Model, total: int, randomness: Randomness) -> np.ndarray:
    """Rows drawn from the model, a line for each column, the label first.

    Within each class and each level of the parent, and of the third column of a triple, a level gets its share of the
    rows, rounded by chance; which rows get it is chance, too.
    """
    columns = {0: spread(np.zeros(total, dtype=np.int64), model.classes[None], randomness)}
    for column in model.order:
        if column in model.beside:
            table = model.triples[column]
            above = columns[model.beside[column]] * table.shape[2] + columns[model.parent[column]]
            group = columns[0] * (table.shape[1] * table.shape[2]) + above
            columns[column] = spread(group, table.reshape(-1, table.shape[3]), randomness)
        elif column in model.parent:
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
