# SPDX-License-Identifier: Apache-2.0
"""A decision tree as arrays: the feature, the children and the class counts of each node.

Node 0 is the root. The children of a node are adjacent, after it. A test of a category has a child for each code, even
if no training row of the node has it; a test of a number has two: below the cut, and at or above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.counting.tally import distinct_codes
from discreet.data.table import Table
from discreet.foundation.compiled_kernels import compiled
from discreet.learning.examples import Examples, Feature


@dataclass(frozen=True, eq=False)
class Branch:
    """One branch of a test, with the branches of the test below it: none at a leaf.

    `accepts[code]` says whether a row with that code of feature `column` takes the branch; the last entry is for a
    value that is not known. Every code is accepted by exactly one branch of a test.
    """

    column: int
    accepts: np.ndarray
    children: tuple[Branch, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class DecisionTree:
    """A decision tree over the features of some examples.

    test     the feature that each node tests, -1 at a leaf
    cut      where a number is cut: x < cut takes the first child; NaN at other nodes
    first    the first child of each node; a leaf has none, and its entry means nothing
    width    how many children each node has
    counts   training rows of each class at each node, a row of unknown value in fractions

    >>> sex, age = Feature("sex", texts=("f", "m")), Feature("age", numbers=np.array([20.0, 30.0, 40.0]))
    >>> test, cut = np.array([0, -1, 1, -1, -1]), np.array([np.nan, np.nan, 25.0, np.nan, np.nan])
    >>> counts = np.array([[4.0, 3.0], [3.0, 1.0], [1.0, 2.0], [1.0, 0.0], [0.0, 2.0]])
    >>> first, width = np.array([1, 0, 3, 0, 0]), np.array([2, 0, 2, 0, 0])
    >>> tree = DecisionTree((sex, age), ("no", "yes"), test, cut, first, width, counts)
    >>> print(tree.to_text())
    sex = f: no (4, 1 wrong)
    sex = m
    |   age < 25: no (1)
    |   age >= 25: yes (2)
    >>> tree.predict(Table.of({"sex": ["m", "m", None], "age": [50, 24, 24]})).tolist()
    ['yes', 'no', 'no']
    """

    features: tuple[Feature, ...]
    classes: tuple[str, ...]
    test: np.ndarray
    cut: np.ndarray
    first: np.ndarray
    width: np.ndarray
    counts: np.ndarray

    def __repr__(self) -> str:
        return f"DecisionTree({self.n_nodes} nodes, {len(self.leaves)} leaves, depth {self.depth})"

    @property
    def n_nodes(self) -> int:
        return len(self.test)

    @cached_property
    def leaves(self) -> np.ndarray:
        """The nodes that test nothing."""
        return np.flatnonzero(self.test < 0)

    @cached_property
    def parent(self) -> np.ndarray:
        """The node above each node; -1 above the root."""
        parent, inner = np.full(self.n_nodes, -1, dtype=np.int64), np.flatnonzero(self.test >= 0)
        width = self.width[inner]
        within = np.arange(width.sum()) - np.repeat(np.cumsum(width) - width, width)
        parent[np.repeat(self.first[inner], width) + within] = np.repeat(inner, width)
        return parent

    @cached_property
    def depth(self) -> int:
        """The most tests that a row may have to pass."""
        return int(self._depths.max())

    @cached_property
    def _depths(self) -> np.ndarray:
        depths = np.zeros(self.n_nodes, dtype=np.int64)
        for node in range(1, self.n_nodes):
            depths[node] = depths[self.parent[node]] + 1
        return depths

    def children(self, node: int | np.integer) -> range:
        start = int(self.first[node])
        return range(start, start + int(self.width[node])) if self.test[node] >= 0 else range(0)

    @cached_property
    def weights(self) -> np.ndarray:
        """Training rows at each node."""
        return self.counts.sum(axis=1)

    @cached_property
    def probabilities(self) -> np.ndarray:
        """The share of each class at each node; a node without rows has the shares of its parent."""
        weights = self.weights[:, None]
        shares = np.divide(self.counts, weights, out=np.zeros(self.counts.shape), where=weights > 0)
        above = np.arange(self.n_nodes)
        while (empty := (self.weights[above] == 0) & (above > 0)).any():
            above[empty] = self.parent[above[empty]]
        return shares[above]

    @cached_property
    def _shares(self) -> np.ndarray:
        """The part of a row of unknown value that each node gets from its parent."""
        siblings = np.bincount(self.parent + 1, self.weights)[self.parent + 1]
        siblings[0] = 1.0
        return np.divide(self.weights, siblings, out=np.zeros(self.n_nodes), where=siblings > 0)

    @cached_property
    def _cuts(self) -> dict[int, np.ndarray]:
        """Of each feature that is tested the cuts, increasing; none for categories."""
        tested = np.unique(self.test[self.test >= 0]).tolist()
        return {f: np.unique(self.cut[(self.test == f) & ~np.isnan(self.cut)]) for f in tested}

    # -- prediction ----------------------------------------------------------------------------------------------------

    def distribution(self, table: Table) -> np.ndarray:
        """The shares of the classes for each row: those of its leaf.

        A row whose value is missing, or a category that no training row had, goes down all branches, in parts as large
        as the training rows that went there.
        """
        codes, levels = [], []
        for f, cuts in self._cuts.items():
            feature, column = self.features[f], table.column(self.features[f].name)
            if feature.is_number:
                numbers = feature.numbers_of(column)
                places = np.searchsorted(cuts, numbers, side="right")
                places[np.isnan(numbers)] = len(cuts) + 1
                codes.append(places[column.codes])
                levels.append(len(cuts) + 2)
            else:
                codes.append(feature.codes(column))
                levels.append(feature.unknown + 1)
        return self._distribution(codes, levels, len(table))

    def distribution_of(self, examples: Examples) -> np.ndarray:
        """As `distribution`, for the distinct rows of examples that have the features of this tree."""
        codes, levels = [], []
        for f, cuts in self._cuts.items():
            feature, column = examples.features[f], examples.codes[:, f]
            if feature.numbers is not None:
                places = np.append(np.searchsorted(cuts, feature.numbers, side="right"), len(cuts) + 1)
                column = places[column]
            codes.append(column)
            levels.append(len(cuts) + 2 if feature.is_number else feature.unknown + 1)
        return self._distribution(codes, levels, len(examples))

    def _distribution(self, codes: list[np.ndarray], levels: list[int], n_rows: int) -> np.ndarray:
        if not codes:
            return np.tile(self.probabilities[0], (n_rows, 1))
        distinct, groups = distinct_codes(codes, n_rows, levels, ordered=False)
        place_of = np.full(len(self.features), -1, dtype=np.int64)
        place_of[[*self._cuts]] = np.arange(len(self._cuts))
        limit = np.full(self.n_nodes, -1, dtype=np.int64)  # for a number: places above it take the second child
        for f, cuts in self._cuts.items():
            at = np.flatnonzero((self.test == f) & ~np.isnan(self.cut))
            limit[at] = np.searchsorted(cuts, self.cut[at])
        unknown = np.array(levels, dtype=np.int64) - 1
        tested = np.where(self.test >= 0, place_of[self.test], -1)
        shape = (tested, limit, self.first.astype(np.int64), self.width.astype(np.int64))
        return _shares_of_rows(distinct, unknown, *shape, self._shares, self.probabilities)[groups]

    def predict(self, table: Table) -> np.ndarray:
        """The class of each row: the one with the largest share, the first of equals."""
        return np.array(self.classes, dtype=object)[self.distribution(table).argmax(axis=1)]

    # -- shape ---------------------------------------------------------------------------------------------------------

    def branches(self) -> tuple[Branch, ...]:
        """The branches of the first test; none if the tree is a leaf.

        Where a value is not known, the branch with the most training rows accepts it, the first of equals.
        """
        below: list[tuple[Branch, ...]] = [()] * self.n_nodes
        for node in reversed(range(self.n_nodes)):
            f = int(self.test[node])
            if f < 0:
                continue
            accepted = self._accepted(node)
            accepted[int(np.argmax(self.weights[self.children(node)])), -1] = True
            below[node] = tuple(
                Branch(f, accepts, below[child]) for accepts, child in zip(accepted, self.children(node), strict=True)
            )
        return below[0]

    def _accepted(self, node: int) -> np.ndarray:
        """Which codes each child of a node accepts, the unknown one left out."""
        feature = self.features[self.test[node]]
        if feature.numbers is None:
            return np.eye(int(self.width[node]), feature.unknown + 1, dtype=bool)
        low = feature.numbers < self.cut[node]
        return np.column_stack([np.stack([low, ~low]), np.zeros(2, dtype=bool)])

    def to_text(self) -> str:
        """The tree for people: a line for each branch, with the training rows of a leaf and how many it gets wrong."""
        if self.test[0] < 0:
            return self._leaf_text(0)
        lines, waiting = [], [*reversed(self.children(0))]
        while waiting:
            node = waiting.pop()
            indent = "|   " * (int(self._depths[node]) - 1)
            end = "" if self.test[node] >= 0 else f": {self._leaf_text(node)}"
            lines.append(f"{indent}{self._test_text(node)}{end}")
            waiting += reversed(self.children(node))
        return "\n".join(lines)

    def _test_text(self, node: int) -> str:
        above = int(self.parent[node])
        feature, place = self.features[self.test[above]], node - int(self.first[above])
        if feature.texts is not None:
            return f"{feature.name} = {feature.texts[place] or 'missing'}"
        return f"{feature.name} {'>=' if place else '<'} {self.cut[above]:.10g}"

    def _leaf_text(self, node: int) -> str:
        weight, best = self.weights[node], int(self.probabilities[node].argmax())
        wrong = weight - self.counts[node, best]
        return f"{self.classes[best]} ({weight:.6g}{f', {wrong:.6g} wrong' if wrong > 0 else ''})"


@compiled
def _shares_of_rows(codes, unknown, tested, limit, first, width, share, probabilities):
    """For each row the class shares of the leaves that it reaches, weighted by the parts that reach them."""
    shares = np.zeros((len(codes), probabilities.shape[1]))
    nodes = np.empty(len(tested), dtype=np.int64)
    parts = np.empty(len(tested))
    for row in range(len(codes)):
        nodes[0] = 0
        parts[0] = 1.0
        waiting = 1
        while waiting > 0:
            waiting -= 1
            node = nodes[waiting]
            part = parts[waiting]
            f = tested[node]
            if f < 0:
                for c in range(probabilities.shape[1]):
                    shares[row, c] += part * probabilities[node, c]
                continue
            code = codes[row, f]
            if code == unknown[f]:
                for child in range(first[node], first[node] + width[node]):
                    if share[child] > 0:
                        nodes[waiting] = child
                        parts[waiting] = part * share[child]
                        waiting += 1
            else:
                if limit[node] >= 0:
                    code = 1 if code > limit[node] else 0
                nodes[waiting] = first[node] + code
                parts[waiting] = part
                waiting += 1
    return shares
