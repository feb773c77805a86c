# SPDX-License-Identifier: Apache-2.0
"""Who stands out among baskets, and by how few items: counts only, since an item is what somebody has."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from discreet.counting.small_sets import persons_with, smallest_sets
from discreet.data.baskets import Baskets
from discreet.evaluate.risk import Risk, risk

_FEW = 5
_EFFORT = 1 << 27  # cells that the search for pairs looks at, a second or two


@dataclass(frozen=True)
class BasketInspection:
    """What was counted in baskets.

    items_of_one_row   items that one person has, and `rows_by_one_item`, the rows that such an item singles out
    items_of_few_rows  items that fewer than five persons have
    rows_by_two_items  rows that one or two items single out; at least so many, if not `all_pairs` were looked at
    """

    rows: int
    items: int
    classes: int
    ones: int
    density: float
    items_per_row: dict[str, float]
    items_of_one_row: int
    items_of_few_rows: int
    rows_by_one_item: int
    rows_by_two_items: int
    all_pairs: bool
    risk: Risk

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {
            "risk": asdict(self.risk) | {"below": {str(size): rows for size, rows in self.risk.below.items()}}
        }


def inspect_baskets(baskets: Baskets) -> BasketInspection:
    """Count rows, items, and whom few items single out.

    >>> found = inspect_baskets(Baskets.of([[1, 1, 0], [1, 0, 1], [1, 1, 0], [1, 0, 1], [1, 1, 1]]))
    >>> found.items_of_one_row, found.rows_by_one_item, found.rows_by_two_items
    (0, 0, 1)
    """
    per_row, persons = np.diff(baskets.matrix.indptr), persons_with(baskets)
    alone = np.asarray((baskets.matrix[:, persons == 1] != 0).sum(axis=1)).ravel() > 0
    pairs = smallest_sets(baskets, 2, 2, effort=_EFFORT)
    return BasketInspection(
        rows=len(baskets),
        items=len(baskets.names),
        classes=baskets.n_classes,
        ones=int(baskets.matrix.nnz),
        density=baskets.matrix.nnz / (len(baskets) * len(baskets.names)),
        items_per_row={"least": int(per_row.min()), "median": float(np.median(per_row)), "most": int(per_row.max())},
        items_of_one_row=int((persons == 1).sum()),
        items_of_few_rows=int((persons < _FEW).sum()),
        rows_by_one_item=int(alone.sum()),
        rows_by_two_items=int(pairs.short.sum()),
        all_pairs=pairs.complete,
        risk=risk(baskets),
    )
