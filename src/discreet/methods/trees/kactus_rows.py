# SPDX-License-Identifier: Apache-2.0
"""Rows that stand together at a node of a tree: how many of each class, how many persons, how many sensitive values.

Where every row is a person and no sensitive value counts, the numbers of rows per class say everything. Else the rows
themselves are kept, in the order in which they would be given away.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


class Stock:
    """Rows that stand together, counted by class; `persons` is what k is compared with: here every row is one."""

    __slots__ = ("counts", "persons", "values")

    def __init__(self, counts: Sequence[int]):
        self.counts = list(counts)
        self.persons = sum(self.counts)
        self.values = math.inf  # different values of the sensitive column that has fewest, where that is asked for

    @property
    def first(self) -> int:
        """The least rank of its rows; rows that are only counted have none."""
        return 0

    def give(self, label: int, to: Stock) -> None:
        """Hand on the first row of a class; `to.give(label, self)` takes it back."""
        self.counts[label] -= 1
        to.counts[label] += 1
        self.persons -= 1
        to.persons += 1

    def add(self, other: Stock) -> None:
        """Take in all rows of another stock, which must not be used any more."""
        self.counts = [a + b for a, b in zip(self.counts, other.counts, strict=True)]
        self.persons += other.persons


class PersonStock(Stock):
    """As Stock, where a person may have several rows or sensitive values are counted: the rows themselves are known.

    `queues` hold the rows of each class, the first one last. `facts` say of each row whose it is, and its sensitive
    values. `seen` are the persons with each value of a column, `whose` the rows of each value and person.
    """

    __slots__ = ("facts", "owners", "queues", "rank", "seen", "whose")

    def __init__(self, queues: list[list[int]], rank: Sequence[int], facts: Sequence[tuple[int, tuple[int, ...]]]):
        self.queues, self.rank, self.facts = queues, rank, facts
        self.counts = [len(queue) for queue in queues]
        self.owners: Counter[int] = Counter()
        self.seen: list[Counter[int]] = [Counter() for _ in (facts[0][1])]
        self.whose: list[Counter[tuple[int, int]]] = [Counter() for _ in self.seen]
        for queue in queues:
            for row in queue:
                self._count(row)
        self._measure()

    @property
    def first(self) -> int:
        return min(self.rank[row] for queue in self.queues for row in queue)

    def _count(self, row: int) -> None:
        owner, values = self.facts[row]
        self.owners[owner] += 1
        for seen, whose, value in zip(self.seen, self.whose, values, strict=True):
            whose[value, owner] += 1
            seen[value] += whose[value, owner] == 1

    def _discount(self, row: int) -> None:
        owner, values = self.facts[row]
        _less(self.owners, owner)
        for seen, whose, value in zip(self.seen, self.whose, values, strict=True):
            _less(whose, (value, owner))
            if (value, owner) not in whose:
                _less(seen, value)

    def _measure(self) -> None:
        self.persons = len(self.owners)
        self.values = min((min(len(seen), self.persons) for seen in self.seen), default=math.inf)

    def give(self, label: int, to: Stock) -> None:
        assert isinstance(to, PersonStock)
        row = self.queues[label].pop()
        to.queues[label].append(row)
        self.counts[label] -= 1
        to.counts[label] += 1
        self._discount(row)
        to._count(row)
        self._measure()
        to._measure()

    def add(self, other: Stock) -> None:
        assert isinstance(other, PersonStock)
        self.queues = [
            sorted(mine + theirs, key=self.rank.__getitem__, reverse=True)
            for mine, theirs in zip(self.queues, other.queues, strict=True)
        ]
        self.counts = [len(queue) for queue in self.queues]
        self.owners.update(other.owners)
        for mine, theirs in zip(self.whose, other.whose, strict=True):
            mine.update(theirs)
        self.seen = [Counter(value for value, _ in whose) for whose in self.whose]
        self._measure()

    def together(self, others: Sequence[Stock]) -> PersonStock:
        """The rows of this and other stocks, as a stock of their own."""
        stocks = [self, *(other for other in others if isinstance(other, PersonStock))]
        queues = [[row for stock in stocks for row in stock.queues[label]] for label in range(len(self.queues))]
        return PersonStock(queues, self.rank, self.facts)


def _less(counter: Counter[Any], key: Any) -> None:
    if counter[key] == 1:
        del counter[key]
    else:
        counter[key] -= 1


def stocks_of(
    ends: np.ndarray,
    labels: np.ndarray,
    n_nodes: int,
    rank: Callable[[np.ndarray], np.ndarray],
    persons: np.ndarray | None = None,
    sensitive: Sequence[np.ndarray] = (),
) -> list[Stock]:
    """The stock of each node: of the rows that end there, whose classes, persons and sensitive values are given.

    >>> [stock.counts for stock in stocks_of(np.array([1, 1, 0]), np.array([0, 1, 1]), 2, lambda rows: rows)]
    [[0, 1], [1, 1]]
    """
    n_classes = int(labels.max()) + 1
    if persons is None and not sensitive:
        counts = np.bincount(ends * n_classes + labels, minlength=n_nodes * n_classes)
        return [Stock(line) for line in counts.reshape(n_nodes, n_classes).tolist()]
    ranks = rank(np.arange(len(ends)))
    order = ranks.tolist()
    owners = np.arange(len(ends)) if persons is None else persons
    values = list(zip(*(codes.tolist() for codes in sensitive), strict=True)) or [()] * len(ends)
    facts = list(zip(owners.tolist(), values, strict=True))
    queues: list[list[list[int]]] = [[[] for _ in range(n_classes)] for _ in range(n_nodes)]
    for row in np.argsort(-ranks).tolist():
        queues[ends[row]][labels[row]].append(row)
    return [PersonStock(queue, order, facts) for queue in queues]
