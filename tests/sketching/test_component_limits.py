# SPDX-License-Identifier: Apache-2.0
"""Limits of components against exact rational arithmetic; the counter-examples to the paper's formulas."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.data.records import Records
from discreet.errors import ParameterError
from discreet.sketching.component_limits import (
    UNLIMITED,
    component_bits,
    determined,
    information_limits,
    pair_limits,
    quarters,
    record_bits,
    rounded,
    variance_limits,
)


def allows(x, y, m: int) -> bool:
    """V >= m (sqrt(ab) - c)^2, by whole numbers: 2 m c sqrt(ab) >= m (ab + c^2) - V."""
    a, b = sum(u * u for u in x), sum(v * v for v in y)
    c, e = sum(u * v for u, v in zip(x, y, strict=True)), sum((u * v) ** 2 for u, v in zip(x, y, strict=True))
    short = m * (a * b + c * c) - (a * b + c * c - 2 * e)
    return short <= 0 or 4 * m * m * c * c * a * b >= short * short


def limit_by_the_book(x, y) -> int:
    a, b, c = (sum(u * v for u, v in zip(p, q, strict=True)) for p, q in ((x, x), (y, y), (x, y)))
    if a * b == c * c:
        return UNLIMITED
    m = 1
    while allows(x, y, 2 * m):
        m *= 2
    return max(n for n in range(m, 2 * m) if allows(x, y, n))


ROWS = st.integers(1, 7).flatmap(
    lambda d: st.tuples(*[st.lists(st.integers(0, 3), min_size=d, max_size=d).filter(any)] * 2)
)


@given(ROWS)
@settings(max_examples=300, deadline=None)
def test_limits_of_pairs_are_exact(pair):
    x, y = pair
    found = int(pair_limits(Records.of([x, y]), np.array([0]), np.array([1]))[0])
    assert found == limit_by_the_book(x, y) >= 1
    halves = pair_limits(Records.of(np.array([x, y]) * 0.3), np.array([0]), np.array([1]))[0]
    assert halves == UNLIMITED if found == UNLIMITED else found - 1 <= halves <= found


def test_limits_of_long_records_are_never_too_large():
    """Sums beyond 2^51 are rounded; the limit must not be."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        x, y = rng.integers(0, 30_000, (2, 6)).tolist()
        found = int(pair_limits(Records.of([x, y]), np.array([0]), np.array([1]))[0])
        true = limit_by_the_book(x, y)
        assert true * (1 - 1e-6) - 1 <= found <= true


def test_every_binary_pair_allows_a_component():
    """Exact variance less threshold^2 is 2c (sqrt(ab) - 1) for a and b ones, c common: no record is suppressed."""
    for a, b in itertools.product(range(1, 12), repeat=2):
        for c in range(max(0, a + b - 14), min(a, b) + 1):
            x, y = np.zeros((2, 14), int)
            x[:a], y[a - c : a - c + b] = 1, 1
            assert x @ y == c
            assert pair_limits(Records.of([x, y]), np.array([0]), np.array([1]))[0] >= 1
            surplus = (a * b + c * c - 2 * c) - (math.sqrt(a * b) - c) ** 2
            assert math.isclose(surplus, 2 * c * (math.sqrt(a * b) - 1), abs_tol=1e-9)


def test_the_printed_square_root_would_be_useless():
    """With the root over the difference and the paper's variance the limit is |x||y| + x.y: 2 for unit vectors."""
    x = np.array([1, 1, 1, 0]) / math.sqrt(3)
    y = np.array([0, 1, 1, 1]) / math.sqrt(3)
    printed = (1 - (x @ y) ** 2) / (1 - x @ y)
    assert math.isclose(printed, 1 + x @ y)
    assert printed <= 2
    ours = pair_limits(Records.of([[1, 1, 1, 0], [0, 1, 1, 1]]), np.array([0]), np.array([1]))[0]
    assert ours == (9 + 4 - 4) // (3 - 2) ** 2


def test_limits_for_delta_are_the_largest_not_the_smallest():
    twenty = Records.of([[1] * 20])
    assert [variance_limits(twenty, delta)[0] for delta in (0.2, 0.3, 0.4)] == [95, 63, 47]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.sampled_from([0.1, 0.2, 0.25, 0.3, 0.7, 1, 2.5, 1e-3]))
@settings(max_examples=200, deadline=None)
def test_limits_for_delta_are_exact(x, delta):
    spread = sum(u * u for u in x) - max(u * u for u in x)
    found = variance_limits(Records.of([x]), delta)[0]
    asked = Fraction(str(delta))
    assert found * asked <= spread < (found + 1) * asked
    rough = variance_limits(Records.of(np.array([x]) * 0.5), delta / 4)[0]
    assert rough in (found - 1, found)


def test_a_component_tells_no_more_than_the_bound():
    """The entropy of a sum of l fair signs, exactly, is below the bound that the cap uses."""
    for cells in range(1, 40):
        chances = np.array([math.comb(cells, j) for j in range(cells + 1)]) / 2.0**cells
        entropy = -(chances * np.log2(chances)).sum()
        assert entropy <= component_bits(Records.of([[1] * cells]))[0] + 1e-12


def test_the_cap_on_information_is_that_of_the_specification():
    """d = 1000, 20 ones: 138 bits, about 43 components; delta = 0.4 allows 47."""
    records = Records.of([[1] * 20 + [0] * 980])
    assert round(record_bits(records)[0]) == 138
    assert information_limits(records, 1.0)[0] in (42, 43)
    assert determined(records, np.array([47])).all()
    assert not determined(records, information_limits(records, 0.99)).any()
    assert information_limits(records, 0.5)[0] == 21


def test_records_without_a_choice_have_no_bits():
    records = Records.of([[1, 1], [0, 0]])
    assert record_bits(records).tolist() == [0, 0]
    assert information_limits(records, 1.0).tolist() == [0, 0]


def test_classes_of_counts():
    assert quarters(8) == tuple(range(1, 9))
    assert quarters(100)[-3:] == (64, 80, 96)
    counts = np.arange(300)
    lowered = rounded(counts, quarters(256))
    assert (lowered <= counts).all()
    assert set(lowered.tolist()) == {0, *quarters(256)}
    assert rounded(counts, None).tolist() == counts.tolist()
    for wrong in ((), (2, 3), (1, 1), (1, 5, 3)):
        with pytest.raises(ParameterError):
            rounded(counts, wrong)
