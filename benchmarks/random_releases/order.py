# SPDX-License-Identifier: Apache-2.0
"""Does the published order of rows tell the order they came in? A permutation test over all releases together.

Of a fresh random order each statistic has a known mean and variance, so that its sum over many releases is close to
normal. A link that each release shows faintly shows clearly in the sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

LIMIT = 6.0  # standard deviations; by chance passed once in 500 million sums
_NAMES = ("rank correlation", "rows in their place", "neighbours in order", "neighbours in reverse", "halves")


def statistics(order: Sequence[int]) -> tuple[tuple[float, float], ...]:
    """Of an order, each statistic less its mean under chance, and its variance.

    >>> [round(value, 3) for value, _ in statistics([0, 1, 2, 3])]
    [1.0, 3, 2.25, -0.75, 1.0]
    """
    n = len(order)
    squares = sum((place - row) ** 2 for place, row in enumerate(order))
    fixed = sum(place == row for place, row in enumerate(order))
    steps = [after - before for before, after in pairwise(order)]
    half = n // 2
    kept = sum(row < half for row in order[:half])
    mean_kept = half * half / n
    spread = half * half * (n - half) ** 2 / (n * n * (n - 1))
    near = (n - 1) / n
    return (
        (1 - 6 * squares / (n * (n * n - 1)), 1 / (n - 1)),
        (fixed - 1, 1.0),
        (steps.count(1) - near, near),
        (steps.count(-1) - near, near),
        (kept - mean_kept, spread),
    )


@dataclass
class Orders:
    """Sums of the statistics over many releases."""

    releases: int = 0
    totals: list[float] = field(default_factory=lambda: [0.0] * len(_NAMES))
    variances: list[float] = field(default_factory=lambda: [0.0] * len(_NAMES))

    def add(self, order: Sequence[int]) -> None:
        if len(order) < 4 or sorted(order) != list(range(len(order))):  # rows were dropped
            return
        self.releases += 1
        for place, (value, variance) in enumerate(statistics(order)):
            self.totals[place] += value
            self.variances[place] += variance

    def join(self, other: Orders) -> None:
        self.releases += other.releases
        self.totals = [a + b for a, b in zip(self.totals, other.totals, strict=True)]
        self.variances = [a + b for a, b in zip(self.variances, other.variances, strict=True)]

    def scores(self) -> dict[str, float]:
        """How many standard deviations each sum is off."""
        if not self.releases:
            return {}
        sums = zip(_NAMES, self.totals, self.variances, strict=True)
        return {name: total / math.sqrt(variance) for name, total, variance in sums}

    def leaks(self) -> list[str]:
        """Statistics that chance does not explain."""
        return [f"{name}: {score:+.1f} deviations" for name, score in self.scores().items() if abs(score) > LIMIT]
