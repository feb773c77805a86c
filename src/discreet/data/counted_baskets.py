# SPDX-License-Identifier: Apache-2.0
"""Baskets whose rows stand for many equal ones, so that a selector decides on distinct rows.

Whether k persons are left never depends on more than k equal rows, so k of them are enough, of each class. What items
are worth depends on all of them: the first of the equal rows stands for those that are left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.data.baskets import Baskets
from discreet.foundation.lazy_modules import sparse as sp


@dataclass(frozen=True, eq=False)
class CountedBaskets(Baskets):
    """Baskets with `weights`: the number of rows that each row stands for."""

    weights: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> CountedBaskets:
        weights = None if self.weights is None else self.weights[rows]
        return replace(super().take(rows), weights=weights)  # type: ignore[return-value,call-arg]

    @classmethod
    def of_counts(
        cls, items: np.ndarray, counts: np.ndarray, k: int, *, names: tuple[str, ...], classes: Any, sources: Any
    ) -> CountedBaskets:
        """From distinct rows, a line each with the places of its items in increasing order (-1 for none), and the
        numbers of rows of each class.

        >>> items, counts = np.array([[0, 1], [-1, 1]]), np.array([[7, 0], [1, 2]])
        >>> few = CountedBaskets.of_counts(items, counts, 3, names=("a", "b"), classes=[0, 1], sources=None)
        >>> few.matrix.toarray().tolist(), few.labels.tolist(), few.weights.tolist()
        ([[1, 1], [1, 1], [1, 1], [0, 1], [0, 1], [0, 1]], [0, 0, 0, 0, 1, 1], [5, 1, 1, 1, 1, 1])
        """
        line, label = np.nonzero(counts)
        rows = counts[line, label]
        copies = np.minimum(rows, k)
        weights = np.ones(int(copies.sum()), dtype=np.int64)
        weights[np.cumsum(copies) - copies] = rows - copies + 1
        cells = items[np.repeat(line, copies)]
        has = cells >= 0
        ends = np.append(0, np.cumsum(has.sum(axis=1)))
        matrix = sp.csr_array((np.ones(int(ends[-1]), np.uint8), cells[has], ends), shape=(len(cells), len(names)))
        labels = np.repeat(label, copies).astype(np.int32)
        return cls(matrix, names, labels, np.asarray(classes), sources, weights=weights)
