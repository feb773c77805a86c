# SPDX-License-Identifier: Apache-2.0
"""How well a column, or a set of columns, tells rows apart.

distinction   the share of different values among the rows: 1 if every row has its own
separation    the share of all pairs of rows that differ in the column: the chance that it tells two persons apart

R. Motwani and Y. Xu, "Efficient algorithms for masking and finding quasi-identifiers" (2007). Missing is a value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RARE = 5  # rows below which a value is rare


@dataclass(frozen=True)
class Distinctness:
    """What a column, or a set of columns, tells apart, in rows.

    values       different values, missing included
    alone        rows that share their value with no other row
    rare_values  values of fewer than 5 rows, and `rare_rows`, the rows that have one
    """

    values: int
    distinction: float
    separation: float
    alone: int
    rare_values: int
    rare_rows: int


def distinctness(rows_of_value: np.ndarray) -> Distinctness:
    """From the number of rows of each value that occurs.

    >>> found = distinctness(np.array([3, 1]))  # three of the six pairs are told apart
    >>> found.distinction, found.separation, found.alone, found.rare_values
    (0.5, 0.5, 1, 2)
    """
    counts = rows_of_value[rows_of_value > 0].astype(np.float64)
    n = float(counts.sum())
    pairs = n * (n - 1)
    rare = counts < RARE
    return Distinctness(
        values=len(counts),
        distinction=len(counts) / n if n else 0.0,
        separation=1 - float((counts * (counts - 1)).sum()) / pairs if pairs else 0.0,
        alone=int((counts == 1).sum()),
        rare_values=int(rare.sum()),
        rare_rows=int(counts[rare].sum()),
    )
