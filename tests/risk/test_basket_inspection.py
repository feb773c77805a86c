# SPDX-License-Identifier: Apache-2.0
"""Baskets are described by counts: how many rows one item, or two, single out."""

from itertools import combinations

import numpy as np
import pytest

from discreet.data.baskets import Baskets
from discreet.risk.basket_inspection import inspect_baskets


def test_by_hand():
    """Item 3 is in row 0 alone; items 0 and 1 are together in row 1 alone; rows 2 and 3 are alike."""
    found = inspect_baskets(Baskets.of([[1, 0, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 0], [0, 1, 1, 0]]))
    assert (found.items_of_one_row, found.rows_by_one_item) == (1, 1)
    assert found.rows_by_two_items == 3  # rows 0, 1 and, by items 1 and 2, row 4
    assert found.all_pairs
    assert found.to_dict()["risk"]["below"]["2"] == found.risk.unique == 3


@pytest.mark.parametrize("seed", range(4))
def test_pairs_are_counted_as_plain_counting_does(seed):
    bits = np.random.default_rng(seed).random((25, 8)) < 0.3
    bits[:, 0] |= ~bits.any(axis=1)
    found = inspect_baskets(Baskets.of(bits.astype(int).tolist()))
    rows = [frozenset(np.flatnonzero(row).tolist()) for row in bits]
    single = [sets for size in (1, 2) for sets in combinations(range(8), size)]
    out = {
        i for i, row in enumerate(rows) for s in single if row.issuperset(s) and sum(map(set(s).issubset, rows)) == 1
    }
    one = {i for i, row in enumerate(rows) for item in row if sum(item in other for other in rows) == 1}
    assert found.rows_by_two_items == len(out)
    assert found.rows_by_one_item == len(one)
