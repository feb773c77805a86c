# SPDX-License-Identifier: Apache-2.0
"""Delta-anonymity and k-variance, measured over many keys and against their definitions; what the checks refuse."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DataError, DeltaAnonymity, KVariance, ParameterError, Roles, Table
from discreet.data.records import Records
from discreet.privacy import promise_from
from discreet.sketching.component_limits import pair_limits, variance_limits
from discreet.sketching.signs import Signs
from discreet.sketching.similar_records import nearest
from discreet.sketching.sketches import Sketches, sketch


def with_counts(counts) -> Sketches:
    offsets = np.concatenate([[0], np.cumsum(counts)])
    return Sketches(np.zeros(offsets[-1], np.int32), offsets)


def some(n=40, d=12, seed=0) -> Records:
    X = np.random.default_rng(seed).poisson(0.5, (n, d))
    X[:, 0] += 1
    X[:, 1] += 1
    return Records.of(X)


# -- delta -------------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.3, 0.5, 1.0]))
@settings(max_examples=40, deadline=None)
def test_delta_holds_up_to_the_limit_and_not_beyond(seed, delta):
    records = some(seed=seed)
    limits = variance_limits(records, delta)
    kept = np.flatnonzero(limits)
    records, limits = records.take(kept), limits[kept]
    assert DeltaAnonymity(delta).check_with_source(with_counts(limits), None, records).holds
    for row in range(min(5, len(kept))):
        more = limits.copy()
        more[row] += 1
        found = DeltaAnonymity(delta).check_with_source(with_counts(more), None, records)
        assert (found.holds, found.rows_short) == (False, 1)
        assert found.measured < delta


def test_delta_is_the_variance_over_keys():
    """The estimates of every cell, over 4000 keys, vary by delta or more; the blurred least is near it."""
    records, delta = Records.of([[1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]]), 0.5
    m = int(variance_limits(records, delta)[0])
    assert m == 10
    estimates = []
    for key in range(4000):
        signs = Signs(key.to_bytes(32, "big"), 12)
        estimates.append(sketch(records, signs, m).attributes(signs)[0])
    variances, means = np.var(estimates, axis=0), np.mean(estimates, axis=0)
    assert np.allclose(means, records.matrix.toarray()[0], atol=5 * math.sqrt(0.6 / 4000))
    assert np.allclose(variances[:6], 0.5, rtol=0.15)
    assert np.allclose(variances[6:], 0.6, rtol=0.15)


# -- k-variance --------------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_k_variance_holds_when_every_pair_of_neighbours_keeps_its_limit(seed, k):
    rng, records = np.random.default_rng(seed), some(n=15, seed=seed)
    counts = rng.integers(1, 12, 15)
    near = nearest(records, k).of
    rows = np.repeat(np.arange(15), k)
    kept = np.minimum(counts[rows], counts[near.ravel()]) <= pair_limits(records, rows, near.ravel())
    found = KVariance(k).check_with_source(with_counts(counts), None, records)
    assert found.holds == kept.all()
    assert found.rows_short == (~kept.reshape(15, k)).any(axis=1).sum()
    assert (found.measured == k) == found.holds
    assert KVariance(k).check_with_source(with_counts(np.ones(15, int)), None, records).holds


def test_a_pair_is_told_apart_no_better_than_promised():
    """8 and 8 ones, 5 common, over 3000 keys: with the limit of components the standard deviation is the gap, 3."""
    x, y = np.zeros((2, 16), int)
    x[:8], y[3:11] = 1, 1
    limit = int(pair_limits(Records.of([x, y]), np.array([0]), np.array([1]))[0])
    assert limit == 79 // 9
    dots = [
        sketch([x, y], Signs(key.to_bytes(32, "big"), 16), limit).dots()[0, 1] for key in range(3000)
    ]  # one sketch for each key
    assert abs(np.mean(dots) - 5) < 0.3
    assert np.std(dots) >= 3 * 0.95


def test_neighbours_that_an_index_found_are_all_that_is_promised():
    records = some(n=12)
    promise = KVariance(2, "approximate")
    itself, twice, beyond = ([[i, (i + 1) % 12] for i in range(12)], [[(i + 1) % 12] * 2 for i in range(12)], [[1, 12]])
    for wrong in (None, np.array(itself), np.array(twice), np.array(beyond * 12), np.array(itself)[:, :1]):
        with pytest.raises(DataError, match="do not each have 2 other records"):
            promise.check_with_source(with_counts([1] * 12), None, replace(records, neighbours=wrong))
    far = np.array([[(i + 5) % 12, (i + 6) % 12] for i in range(12)])
    found = promise.check_with_source(with_counts([1] * 12), None, replace(records, neighbours=far))
    assert found.holds
    assert "neighbours that were found" in found.promise


def test_a_files_word_for_neighbours_is_not_taken(tmp_path):
    """Neighbours in a file do not replace the search for the exact ones."""
    records = some(n=12)
    counts = np.full(12, 11)
    assert not KVariance(3).check_with_source(with_counts(counts), None, records).holds
    itself = np.repeat(np.arange(12)[:, None], 3, axis=1)  # each its own neighbour: no limit
    forged = replace(records, neighbours=itself)
    forged.write(tmp_path / "evidence.parquet")
    read = Records.read(tmp_path / "evidence.parquet", records.names)
    assert read.neighbours.tolist() == itself.tolist()
    assert not KVariance(3).check_with_source(with_counts(counts), None, read).holds


# -- both --------------------------------------------------------------------------------------------------------------


def test_joined_promises_are_both_checked():
    records = some(n=20)
    promise = KVariance(2) & DeltaAnonymity(0.5)
    assert promise.check_with_source(with_counts([1] * 20), None, records).holds
    assert not promise.check_with_source(with_counts([100] * 20), None, records).holds
    assert promise_from(promise.to_dict()) == promise
    assert promise.needs_source


def test_only_the_owner_can_check():
    for promise in (DeltaAnonymity(0.5), KVariance(3)):
        with pytest.raises(DataError, match="only the owner has"):
            promise.check(with_counts([1, 2]))
        with pytest.raises(DataError, match="something else"):
            promise.check_with_source(Table.of({"a": [1]}), Roles(quasi=["a"]), Table.of({"a": [1]}))
        with pytest.raises(DataError, match="got 40 records, 2 sketches"):
            promise.check_with_source(with_counts([1, 2]), None, some())
        assert promise.kind == "owner"
        assert "variance is not a guarantee" in promise.does_not_protect


def test_parameters_have_ranges():
    for wrong in (lambda: DeltaAnonymity(0), lambda: KVariance(0), lambda: KVariance(2, "some")):
        with pytest.raises(ParameterError):
            wrong()
