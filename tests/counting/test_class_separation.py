# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
from discreet.counting.class_separation import (
    dist_cnt,
    ham_dist,
    misfits_removed,
    number_of,
    separated_pairs,
)
from discreet.counting.partition import Partition
from discreet.data.baskets import Baskets
from discreet.errors import DataError
from paper_example import TABLE_1, TABLE_1_LABELS


@st.composite
def labelled(draw):
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 6))
    rows = [draw(st.sets(st.integers(0, d - 1))) for _ in range(n)]
    labels = draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    return rows, labels, d


def matrix(rows, d):
    return np.array([[item in row for item in range(d)] for row in rows], dtype=int)


@given(labelled())
def test_measures_equal_brute_force(found):
    rows, labels, d = found
    pairs = len(oracles.unlike_pairs(labels))
    assume(pairs > 0)
    X = matrix(rows, d)
    assert ham_dist(X, labels) == pytest.approx(sum(oracles.ham_pairs(rows, labels, j) for j in range(d)) / pairs)
    assert dist_cnt(X, labels) == pytest.approx(oracles.dist_pairs(rows, labels, range(d)) / pairs)


@given(labelled(), st.data())
def test_gains_equal_recomputation(found, data):
    rows, labels, d = found
    selected = data.draw(st.lists(st.integers(0, d - 1), unique=True))
    baskets = Baskets.of(matrix(rows, d), labels)
    partition = Partition.of(baskets.keep(selected))
    pairs, cm = oracles.dist_pairs(rows, labels, selected), oracles.misfits(rows, labels, selected)
    assert separated_pairs(baskets, partition).tolist() == [
        oracles.dist_pairs(rows, labels, [*selected, j]) - pairs for j in range(d)
    ]
    assert misfits_removed(baskets, partition).tolist() == [
        cm - oracles.misfits(rows, labels, [*selected, j]) for j in range(d)
    ]


def test_the_paper_s_example():
    """HamDist and DistCnt of {x3,x4,x5} and {x1,x2,x5} in Table 1 of the paper."""
    two, three = [0, 1, 4], [2, 3, 4]
    assert ham_dist(TABLE_1[:, three], TABLE_1_LABELS) == pytest.approx(8 / 9)
    assert ham_dist(TABLE_1[:, two], TABLE_1_LABELS) == pytest.approx(6 / 9)
    assert dist_cnt(TABLE_1[:, three], TABLE_1_LABELS) == pytest.approx(4 / 9)
    assert dist_cnt(TABLE_1[:, two], TABLE_1_LABELS) == pytest.approx(6 / 9)


@pytest.mark.parametrize("measure", [ham_dist, dist_cnt])
def test_one_class_is_refused(measure):
    with pytest.raises(DataError, match="one class only"):
        measure([[1, 0], [0, 1]], ["a", "a"])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "0.7", [1.0]])
def test_a_utility_that_returns_no_finite_number_is_refused(value):
    with pytest.raises(DataError, match="must return a finite number"):
        number_of(value)
    assert number_of(np.float32(0.5)) == 0.5
