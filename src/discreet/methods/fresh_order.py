# SPDX-License-Identifier: Apache-2.0
"""The order of published rows: one that reveals nothing of the order they came in."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.counting.tally import grouped, order_of, row_order
from discreet.data.baskets import Baskets
from discreet.data.table import Table
from discreet.foundation.randomness import Randomness


def fresh_order(table: Table, randomness: Randomness, before: Table | None = None) -> np.ndarray:
    """An order of rows that reveals nothing: sorted by published content, then shuffled.

    Rows with equal content are interchangeable, so the result depends on the published rows and the randomness only,
    not on the order they came in. Where the owner keeps what the rows were `before`, that is part of their content.
    """
    columns = [*table.columns(), *(before.columns() if before is not None else [])]
    order = row_order((column.codes for column in columns), len(table), [column.levels for column in columns])
    return order[randomness.permutation(len(table))]


def fresh_basket_order(baskets: Baskets, randomness: Randomness) -> np.ndarray:
    """As `fresh_order`: by label, then item by item, found on the distinct rows."""
    groups, first = grouped(baskets, (), ordered=False)
    distinct = baskets.matrix[first].tocsc()

    def codes() -> Iterator[np.ndarray]:
        for item in range(distinct.shape[1]):
            has = np.zeros(len(first), dtype=np.int64)
            has[distinct.indices[distinct.indptr[item] : distinct.indptr[item + 1]]] = 1
            yield has

    rank = np.empty(len(first), dtype=np.int64)
    rank[row_order(codes(), len(first), [2] * distinct.shape[1])] = np.arange(len(first))
    key = np.asarray(baskets.labels, dtype=np.int64) * len(first) + rank[groups]
    return order_of(key)[randomness.permutation(len(baskets))]
