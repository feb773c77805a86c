# SPDX-License-Identifier: Apache-2.0
"""Both searches against brute force over all subsets of the columns."""

import time
from itertools import count

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet.methods.containment import maximal_contained as contained
from discreet.methods.containment.maximal_contained import largest_contained
from discreet.methods.containment.maximal_frequent import largest_frequent
from discreet.methods.containment.maximal_pool import Clock
from paper_example import TABLE_1


@st.composite
def tables(draw, most_rows=12, most_columns=10):
    n, d = draw(st.integers(2, most_rows)), draw(st.integers(1, most_columns))
    rows = draw(st.lists(st.integers(0, 2**d - 1), min_size=n, max_size=n))
    if draw(st.booleans()):  # fewer zeros: longer sets
        rows = [row | other for row, other in zip(rows, reversed(rows), strict=True)]
    persons = draw(st.one_of(st.none(), st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    return rows, d, persons


def matrix_of(rows, d):
    return sp.csr_array(np.array([[row >> j & 1 for j in range(d)] for row in rows], dtype=np.uint8))


def persons_with(rows, persons, wanted):
    """Persons with a row that has all the wanted items; rows and items are bits of whole numbers."""
    return len(
        {number if persons is None else persons[number] for number, row in enumerate(rows) if wanted & ~row == 0}
    )


def frequent(rows, d, k, persons=None):
    return {wanted for wanted in range(1, 2**d) if persons_with(rows, persons, wanted) >= k}


def feasible(rows, d, k, persons=None):
    """Sets of columns that somebody has, for which every row's own items are had by k."""
    used = np.bitwise_or.reduce(rows)
    return {
        wanted
        for wanted in range(1, 2**d)
        if wanted & ~used == 0 and all(persons_with(rows, persons, row & wanted) >= k for row in rows)
    }


def maximal(family, d):
    """Maximal sets of a family that holds all subsets of its sets: the larger first, then by columns."""
    top = [s for s in family if not any(not s >> j & 1 and s | 1 << j in family for j in range(d))]
    return sorted((tuple(j for j in range(d) if s >> j & 1) for s in top), key=lambda s: (-len(s), s))


@pytest.mark.parametrize("by", [None, "rows", "items"])
@given(found=tables(), k=st.integers(2, 5), r=st.integers(1, 20))
def test_the_largest_frequent_sets_equal_brute_force(by, found, k, r):
    rows, d, persons = found
    numbers = None if persons is None else np.array(persons)
    got = largest_frequent(matrix_of(rows, d), k, r, persons=numbers, by=by)
    assert got.sets == maximal(frequent(rows, d, k, persons), d)[:r]
    assert got.proven


@given(found=tables(), k=st.integers(2, 5), r=st.integers(1, 20))
def test_the_largest_contained_sets_equal_brute_force(found, k, r):
    rows, d, persons = found
    numbers = None if persons is None else np.array(persons)
    got = largest_contained(matrix_of(rows, d), k, r, persons=numbers)
    assert got.sets == maximal(feasible(rows, d, k, persons), d)[:r]
    assert got.proven


@given(found=tables(most_rows=10, most_columns=5), k=st.integers(2, 4))
def test_the_brute_force_agrees_with_the_definition(found, k):
    rows, d, persons = found
    sets = [{j for j in range(d) if row >> j & 1} for row in rows]
    have = feasible(rows, d, k, persons)
    used = set().union(*sets)
    for wanted in range(1, 2**d):
        features = {j for j in range(d) if wanted >> j & 1}
        if features <= used:
            assert (wanted in have) == oracles.is_feasible(sets, features, k, "containment", persons)


def test_the_families_of_table_1():
    """19 feasible sets, 15 frequent ones; the maximal sets of both."""
    rows = [sum(int(cell) << j for j, cell in enumerate(row)) for row in TABLE_1]
    assert len(feasible(rows, 5, 2)) == 19
    assert len(frequent(rows, 5, 2)) == 15
    matrix = sp.csr_array(TABLE_1)
    assert set(largest_contained(matrix, 2).sets) == {(0, 1, 4), (0, 2, 3, 4)}
    assert set(largest_frequent(matrix, 2).sets) == {(0, 1, 4), (0, 2, 4), (0, 3, 4)}


def skewed(n, d, density, seed=0):
    """Columns of very different support, and rows of different lengths."""
    rng = np.random.default_rng(seed)
    popular = rng.pareto(1.0, d) + 0.05
    length = rng.gamma(2.0, 1.0, n)
    share = np.outer(length / length.mean(), popular / popular.mean()) * density
    return sp.csr_array((rng.random((n, d)) < np.minimum(share, 0.95)).astype(np.uint8))


@pytest.mark.parametrize("k", [3, 6, 30])
def test_rows_and_items_find_the_same_on_wider_tables(k):
    for seed in range(4):
        matrix = skewed(60, 90, 0.2, seed)
        by_rows, by_items, both = (largest_frequent(matrix, k, by=by) for by in ("rows", "items", None))
        assert by_rows == by_items == both
        assert both.proven


def test_every_set_is_frequent_and_maximal_on_a_wide_table():
    matrix = skewed(150, 2500, 0.05)
    dense = matrix.toarray().astype(bool)
    for columns in largest_frequent(matrix, 5).sets:
        having = dense[:, columns].all(axis=1)
        assert having.sum() >= 5
        others = np.setdiff1d(np.arange(2500), columns)
        assert dense[having][:, others].sum(axis=0).max() < 5


def test_contained_sets_are_feasible_and_at_least_as_large_where_the_family_is_too_large_to_search():
    matrix = sp.csr_array((np.random.default_rng(0).random((60, 1000)) < 0.15).astype(np.uint8))
    found = largest_contained(matrix, 4, 6)
    frequent_sets = largest_frequent(matrix, 4, 6).sets
    assert not found.proven
    rows = [set(np.flatnonzero(row).tolist()) for row in matrix.toarray()]
    for columns, frequent_set in zip(found.sets, frequent_sets, strict=True):
        assert oracles.is_feasible(rows, columns, 4, "containment")
        assert len(columns) >= len(frequent_set)


@given(found=tables(), k=st.integers(2, 5))
def test_the_bound_of_an_unproven_search_holds(found, k):
    rows, d, persons = found
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contained, "_FEW", 0)
        got = largest_contained(
            matrix_of(rows, d), k, persons=None if persons is None else np.unique(persons, return_inverse=True)[1]
        )
    largest = max((int(s).bit_count() for s in feasible(rows, d, k, persons)), default=0)
    assert got.bound >= largest
    if got.sets:
        assert len(got.sets[0]) <= largest


def test_the_time_limit_is_kept_and_told():
    matrix = skewed(2000, 300, 0.5)
    largest_frequent(matrix[:20], 2)  # compiled
    largest_contained(matrix[:20], 2)
    for search in (largest_frequent, largest_contained):
        start = time.process_time()
        found = search(matrix, 40, clock=Clock(0.3))
        assert time.process_time() - start < 5  # of this process: work that is not interrupted, on any machine
        assert not found.proven
        assert found.sets


def test_a_limit_of_work_gives_the_same_answer_every_time():
    matrix = skewed(2000, 300, 0.5)
    one, other = (largest_frequent(matrix, 40, clock=Clock(work=3e7)) for _ in range(2))
    assert one == other
    assert not one.proven


def test_the_clock_ticks():
    ticks = count()
    largest_frequent(skewed(60, 90, 0.2), 3, clock=Clock(tick=lambda: next(ticks)))
    assert next(ticks) > 0


def test_nothing_is_frequent():
    matrix = sp.csr_array(np.eye(4, dtype=np.uint8))
    assert largest_frequent(matrix, 2).sets == []
    assert largest_contained(matrix, 2).sets == []
