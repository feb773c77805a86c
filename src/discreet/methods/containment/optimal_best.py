# SPDX-License-Identifier: Apache-2.0
"""The best set of features found so far: what every search of OptimalSelector reports to."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import numpy as np

from discreet.data.baskets import Baskets
from discreet.methods.containment.optimal_measures import Worth
from discreet.methods.containment.optimal_search import fill


class Best:
    """The best feasible set so far, with the values of all sets that were looked at."""

    def __init__(
        self,
        baskets: Baskets,
        k: int,
        items: list[int],
        worth: Worth,
        time_limit: float | None,
        limit: int | None,
        known_labels: np.ndarray | None = None,
    ):
        self.baskets, self.k, self.items, self.worth, self.limit = baskets, k, items, worth, limit
        self.known_labels = known_labels
        self.deadline = np.inf if time_limit is None else time.monotonic() + time_limit
        self.features: list[int] = []
        self.value = -np.inf
        self.bound: float | None = None
        self.proven = self.stopped = False
        self.values: dict[frozenset[int], float] = {}
        self.starts: dict[str, float] = {}  # the value of the set that each simple order leads to
        self.settled = False  # whether no add and no swap improves the set

    def late(self) -> bool:
        """Whether the time is over and a set was found."""
        self.stopped |= time.monotonic() > self.deadline
        return self.stopped and bool(self.features)

    def consider(self, features: Sequence[int]) -> bool:
        """Evaluate a feasible set, trimmed to `limit` features; True if it is the best so far."""
        if self.known_labels is not None:  # some searches do not know that labels are known
            features = self.fill([], features)
        chosen = self.trimmed(features)
        key = frozenset(chosen)
        if not chosen or key in self.values:
            return False
        self.values[key] = value = self.worth.value(chosen)
        if value > self.value or not self.features:
            self.features, self.value = chosen, value
            return True
        return False

    def value_of(self, features: Sequence[int]) -> float:
        """The value of a feasible set, which is considered if it was not before."""
        self.consider(features)
        return self.values.get(frozenset(self.trimmed(features)), -np.inf)

    def trimmed(self, features: Sequence[int]) -> list[int]:
        """At most `limit` of the features: drop the least valuable fifth of the surplus, score again, repeat."""
        chosen = sorted(int(f) for f in features)
        while self.limit is not None and len(chosen) > self.limit:
            surplus = len(chosen) - self.limit
            gone = surplus if self.worth.modular else -(-surplus // 5)
            order = np.argsort(-self.worth.alone(chosen), kind="stable")[: len(chosen) - gone]
            chosen = sorted(chosen[place] for place in order)
        return chosen

    def filled(self, chosen: Sequence[int], weights: np.ndarray) -> list[int]:
        """The chosen features and all further ones that stay feasible, by weight (Algorithm 2, lines 3 to 9)."""
        return self.fill(list(chosen), by_weight(self.items, weights))

    def fill(self, chosen: Sequence[int], order: Iterable[int], limit: int | None = None) -> list[int]:
        """A feasible set, extended by each of `order` that fits (see `optimal_search.fill`)."""
        return fill(self.baskets, self.k, chosen, order, limit, known_labels=self.known_labels)

    def prefer_more(self) -> None:
        """Of the sets with the highest value, take the one with the most features: a recipient has more of them."""
        equals = [sorted(s) for s, value in self.values.items() if value == self.value]
        most = min(equals, key=lambda s: (-len(s), s), default=self.features)
        if len(most) > len(self.features):
            self.features, self.settled = most, False

    def leaders(self, n: int) -> list[list[int]]:
        """The n best sets of those that were looked at."""
        return [sorted(s) for s in sorted(self.values, key=lambda s: (-self.values[s], sorted(s)))[:n]]


def by_weight(features: Iterable[int], weights: np.ndarray) -> list[int]:
    """The heaviest first, of equals the first column."""
    return sorted(features, key=lambda feature: (-weights[feature], feature))
