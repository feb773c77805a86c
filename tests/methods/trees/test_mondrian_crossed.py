# SPDX-License-Identifier: Apache-2.0
"""Pairs counted in growing windows, and repeated rows counted leaf by leaf, are those of all rows at once."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counting.tally import group_sizes, pair_counts
from discreet.methods.trees import mondrian_crossed
from discreet.methods.trees.mondrian_crossed import CrossedCodes, repeats


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n_parts=st.integers(1, 6), spare=st.sampled_from([1, 40, 2**20]))
def test_codes_by_label_are_those_of_all_parts_together(seed, n_parts, spare):
    random, crossed, every = np.random.default_rng(seed), CrossedCodes(), []
    before, mondrian_crossed._SPARE = mondrian_crossed._SPARE, spare  # so that windows are put together in between
    try:
        for _ in range(n_parts):
            n, n_leaves = random.integers(1, 200), random.integers(1, 12)
            labels = random.integers(0, 30, n_leaves)
            leaf_of = random.integers(0, n_leaves, n)
            codes = (labels[leaf_of] * 5 + random.integers(0, 40, n)).astype(np.uint16)
            crossed.add(codes, labels, leaf_of)
            every.append((labels[leaf_of], codes.astype(np.int64)))
        label, code, rows = pair_counts(*(np.concatenate(part) for part in zip(*every, strict=True)))
        for found, expected in zip(crossed.whole(), (code, label, rows), strict=True):
            assert np.array_equal(found, expected)
    finally:
        mondrian_crossed._SPARE = before


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(1, 400), n_leaves=st.integers(1, 30))
def test_repeated_rows_are_those_of_all_rows(seed, n, n_leaves):
    random = np.random.default_rng(seed)
    leaf_of = np.sort(np.append(np.arange(n_leaves), random.integers(0, n_leaves, n)))
    ranks = np.column_stack([leaf_of, *random.integers(0, 3, (2, len(leaf_of)))]).astype(np.int32)
    expected = np.bincount(group_sizes(list(ranks.T), len(ranks)))
    found = repeats(ranks, random.permutation(leaf_of), n_leaves)
    assert np.array_equal(np.trim_zeros(found, "b"), expected)
