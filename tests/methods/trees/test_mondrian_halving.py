# SPDX-License-Identifier: Apache-2.0
"""Median cuts by counting are those of the kernel that sorts, node by node, on random rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.methods.trees.cut_partition import Need, partition


@pytest.mark.parametrize("in_turn", [False, True])
@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 900), seed=st.integers(0, 10**6), least=st.integers(1, 6), weights=st.booleans())
def test_the_tree_is_that_of_sorted_rows(n, seed, least, weights, in_turn):
    random = np.random.default_rng(seed)
    levels = random.choice([1, 2, 5, 60, 1500], 4)
    ranks = np.column_stack([random.integers(0, most, n) for most in levels]).astype(np.int32)
    counts = random.integers(1, 5, (n, 2)) if weights else np.ones((n, 1), dtype=np.int64)
    position = np.cumsum(random.random((1500, 4)), axis=0)
    asked = {"by_information": False, "in_turn": in_turn}
    always = Need(1, (np.arange(n), np.zeros(n, dtype=np.int64)))  # any need beside rows asks for the other kernel
    expected = partition(ranks.copy(), counts, [Need(least), always], position, **asked)
    for given_counts in [counts] if weights else [counts, np.empty((n, 0), dtype=np.int64)]:
        parted = ranks.copy()
        found = partition(parted, given_counts, [Need(least)], position, **asked)
        for line in ("column", "ends", "begins", "left", "leaf_of"):
            assert np.array_equal(getattr(found, line), getattr(expected, line)), line
        order = np.lexsort([*ranks.T, found.leaf_of])
        by_leaf = np.sort(found.leaf_of)
        assert np.array_equal(parted[np.lexsort([*parted.T, by_leaf])], ranks[order])  # leaf by leaf, in place
