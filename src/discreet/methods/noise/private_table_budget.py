# SPDX-License-Identifier: Apache-2.0
"""What each step of the model of marginals may cost, which columns are counted with the label, and how many pairs and
triples of columns the budget carries.

Only what is public decides: the number of rows (where it is private, a noisy count of them), the budget, and how many
levels the columns have.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Container, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

from discreet.mechanisms.additive import Gaussian, Geometric
from discreet.mechanisms.selection import Exponential, PermuteAndFlip
from discreet.privacy.budget import epsilon_of, exact, rho_for

MOST = 2**20  # cells of a group of columns with the label; larger groups are no candidates
COUNTING_ROWS = Fraction(1, 50)  # of the budget, where the number of rows is private
PICKING = Fraction(1, 10)  # of the budget, for the picks of each kind of groups
GROWTH = 1 / 3  # a column's share of the counts grows as this power of its levels; benchmarks/private_table
DROWNED = 1.0  # noise of a column's counts with the label, as a share of all rows, that is too much; study there
ALONE = 0.05  # the part of its share that a column has if it is counted without the label
GAIN_OF_A_PAIR, GAIN_OF_A_TRIPLE = 0.2, 0.1  # rows that a group puts right, as a share of all; benchmarks/private_table
_LESS = 1 - 1e-12
_TINY = 1e-9
_GRAIN = 1000  # shares are whole thousandths: they add up exactly


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

    def counting(
        self, groups: Sequence[tuple[int, ...]], sizes: Sequence[int], share: float | Fraction
    ) -> Geometric | Gaussian:
        """Noise for groups of columns that are counted together; a row is in one cell of each.

        The empty group has one cell, the number of rows.
        """
        if not self.delta:
            sensitivity = len(groups) * self.step
            return Geometric(sensitivity=sensitivity, epsilon=self._part(share), neighbours=self.neighbours)
        both = 2 if self.neighbours == "replace-one" else 1
        return Gaussian(
            sensitivity=math.nextafter(self.rows * math.sqrt(both * len(groups)), math.inf),
            epsilon=epsilon_of(float(share) * self._rho, self.delta),
            delta=self.delta,
            dimension=sum(math.prod(sizes[column] for column in group) for group in groups),
            neighbours=self.neighbours,
        )

    def picking(self, picks: int, share: float | Fraction) -> Exponential | PermuteAndFlip:
        """One pick of so many. A little less than its part: roundings of all picks must not add up to more.

        Permute-and-flip never expects a lower score than the exponential mechanism at the same epsilon, but its
        zero-concentrated loss is larger.
        """
        if not self.delta:
            epsilon = self._part(exact(share) / picks) * _LESS
            return PermuteAndFlip(sensitivity=self.step, epsilon=epsilon, neighbours=self.neighbours)
        epsilon = math.sqrt(8 * float(share) * self._rho / picks) * _LESS
        return Exponential(sensitivity=self.step, epsilon=epsilon, neighbours=self.neighbours)

    @property
    def _rho(self) -> float:
        return rho_for(self.epsilon, self.delta)

    def _part(self, share: float | Fraction) -> float:
        """A share of epsilon, rounded down: parts never add up to more than the whole."""
        part = float(exact(self.epsilon) * exact(share))
        while exact(part) > exact(self.epsilon) * exact(share):
            part = math.nextafter(part, 0.0)
        return part


@dataclass(frozen=True)
class GroupPlan:
    """How many groups of two and of three columns are picked at most, the shares of the budget for the counts, and
    which columns are counted without the label."""

    pairs: int = 0
    triples: int = 0
    counting: tuple[Fraction, Fraction, Fraction] = (Fraction(1), Fraction(0), Fraction(0))
    alone: frozenset[int] = frozenset()


def candidate_pairs(sizes: Sequence[int], alone: Container[int] = ()) -> list[tuple[int, int]]:
    """Pairs of columns that may be counted with the label, which is column 0."""
    columns = [column for column in range(1, len(sizes)) if column not in alone]
    return [(a, b) for b in columns for a in columns if a < b and sizes[0] * sizes[a] * sizes[b] <= MOST]


def drowned(sizes: Sequence[int], rows: float, accountant: Accountant) -> frozenset[int]:
    """Columns that are not worth counting with the label, as noise would drown what it tells; all but one at most.

    Those with few levels come first. As many are counted with the label as the noise allows, which grows with their
    number; of columns with equally many levels every second one, say, so that neighbours in the table share the loss.

    >>> sorted(drowned([2, 3, 3, 3, 3, 90], 300, Accountant(0.1, 0.0, "replace-one", 1)))
    [1, 3, 5]
    """
    few_first = [[c for c in range(1, len(sizes)) if sizes[c] == size] for size in sorted(set(sizes[1:]))]
    columns = [column for alike in few_first for column in alike]

    def noise(kept: int) -> float:
        """Of the counts with the label of the last column that is kept, in L1."""
        parts = by_levels(columns, sizes, columns[kept:])
        alike, part = next((some, part) for some, part in parts if columns[kept - 1] in some)
        mechanism = accountant.counting([(0, column) for column in alike], sizes, part)
        return mechanism.error * sizes[0] * sizes[columns[kept - 1]]

    kept = 1 + bisect_right(range(2, len(columns) + 1), DROWNED * rows, key=noise)  # the noise grows with each column
    linked: list[int] = []
    for alike in few_first:
        some = min(kept - len(linked), len(alike))
        linked += [alike[(2 * place + 1) * len(alike) // (2 * some)] for place in range(some)]
    return frozenset(columns) - frozenset(linked)


def planned(sizes: Sequence[int], rows: float, accountant: Accountant) -> GroupPlan:
    """The plan with the largest gain: rows that groups put right, less the error that noise brings to all counts.

    A group is assumed to put a fixed share of the rows right. Counting it brings an error, and so does counting the
    columns with less than the whole budget; shares go with the roots of the errors, which makes their sum smallest.
    """
    alone = drowned(sizes, rows, accountant)
    columns = [sizes[0] * sizes[column] for column in range(1, len(sizes)) if column not in alone]
    pairs = [sizes[0] * sizes[a] * sizes[b] for a, b in candidate_pairs(sizes, alone)]
    if not pairs:
        return GroupPlan(alone=alone)
    typical = (median(pairs), median(pairs) * median(sizes[1:]))
    most = min(len(columns) - 1, len(pairs))

    def error(groups: int, cells: float) -> float:
        """Of counting so many groups of so many cells each with the whole budget, in L1."""
        return (accountant.counting([(0,)] * groups, sizes, 1).error + _TINY) * groups * cells if groups else 0.0

    of_columns = error(len(columns), sum(columns) / len(columns))
    of_pairs, of_triples = ([error(groups, cells) for groups in range(most + 1)] for cells in typical)
    best, plan = 0.0, GroupPlan(alone=alone)
    for n_pairs in range(1, most + 1):
        for n_triples in range(n_pairs if typical[1] <= MOST else 1):
            roots = [math.sqrt(part) for part in (of_columns, of_pairs[n_pairs], of_triples[n_triples])]
            whole = 1 - PICKING * (2 if n_triples else 1)
            cost = sum(roots) ** 2 / float(whole) - of_columns
            gain = rows * (GAIN_OF_A_PAIR * n_pairs + GAIN_OF_A_TRIPLE * n_triples) - cost
            if gain > best:
                best, plan = gain, GroupPlan(n_pairs, n_triples, _shares(roots, whole), alone)
    return plan


def _shares(roots: Sequence[float], whole: Fraction) -> tuple[Fraction, Fraction, Fraction]:
    """Parts of `whole` that go with the roots of the errors, in thousandths; at least one where there is an error."""
    parts = [max(round(_GRAIN * float(whole) * root / sum(roots)), 1) if root else 0 for root in roots]
    pairs, triples = (Fraction(part, _GRAIN) for part in parts[1:])
    return whole - pairs - triples, pairs, triples


def by_levels(
    columns: Sequence[int], sizes: Sequence[int], alone: Container[int] = ()
) -> list[tuple[list[int], Fraction]]:
    """Columns with equally many levels, and their part of what counting all columns may cost: exactly 1 together.

    The rows of a level are fewer where there are many levels, so noise must be narrower there. Columns that are counted
    alone come last, and their part is small.

    >>> by_levels([1, 2, 3], [2, 8, 1, 8])
    [([2], Fraction(1, 5)), ([1, 3], Fraction(4, 5))]
    """
    weights = {c: max(round(_GRAIN * sizes[c] ** GROWTH * (ALONE if c in alone else 1)), 1) for c in columns}
    kinds = sorted({(column in alone, sizes[column]) for column in columns})
    alike = [[column for column in columns if (column in alone, sizes[column]) == kind] for kind in kinds]
    whole = sum(weights.values())
    return [(some, Fraction(sum(weights[column] for column in some), whole)) for some in alike]


def typical_error(groups: Sequence[tuple[int, ...]], sizes: Sequence[int], picks: int, share: Fraction,
                  accountant: Accountant) -> float:  # fmt: skip
    """The error that noise brings to a cell of a group, if as many of the largest groups as may be are counted."""
    largest = sorted(groups, key=lambda group: math.prod(sizes[column] for column in group))[-picks:]
    return accountant.counting([(0, *group) for group in largest], sizes, share).error
