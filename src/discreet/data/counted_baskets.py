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
        cls,
        items: np.ndarray,
        line: np.ndarray,
        label: np.ndarray,
        rows: np.ndarray,
        person: np.ndarray | None = None,
        *,
        most: int | None,
        names: tuple[str, ...],
        classes: Any,
        sources: Any,
    ) -> CountedBaskets:
        """From distinct rows: each line of `items` has the places of its items in increasing order (-1 for none), and
        `rows[i]` rows of a class, and of a person, are equal to `line[i]`. Of equal rows `most` are made, or all.

        >>> items, line, label, rows = np.array([[0, 1], [-1, 1]]), [0, 1, 1], [0, 0, 1], np.array([7, 1, 2])
        >>> names = {"names": ("a", "b"), "classes": [0, 1], "sources": None}
        >>> few = CountedBaskets.of_counts(items, line, label, rows, most=3, **names)
        >>> few.matrix.toarray().tolist(), few.labels.tolist(), few.weights.tolist()
        ([[1, 1], [1, 1], [1, 1], [0, 1], [0, 1], [0, 1]], [0, 0, 0, 0, 1, 1], [5, 1, 1, 1, 1, 1])
        """
        if most is None:
            copies = rows
        else:  # however often a person has a row, it is one person
            copies = np.minimum(rows, most if person is None else 1)
        weights = None
        if most is not None:
            weights = np.ones(int(copies.sum()), dtype=np.int64)
            weights[np.cumsum(copies) - copies] = rows - copies + 1
        cells = items[np.repeat(line, copies)]
        has = cells >= 0
        ends = np.append(0, np.cumsum(has.sum(axis=1)))
        matrix = sp.csr_array((np.ones(int(ends[-1]), np.uint8), cells[has], ends), shape=(len(cells), len(names)))
        labels = np.repeat(label, copies).astype(np.int32)
        persons = None if person is None else np.repeat(person, copies)
        return cls(matrix, names, labels, np.asarray(classes), sources, persons, weights=weights)
