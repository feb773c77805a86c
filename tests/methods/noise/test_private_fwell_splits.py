# SPDX-License-Identifier: Apache-2.0
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import floor

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import ParameterError, PrivacyLeakWarning, PrivateFwell
from discreet.evaluate.audit import audit
from discreet.foundation.randomness import Randomness
from discreet.mechanisms.selection import PermuteAndFlip
from discreet.methods.noise.private_fwell_splits import CUTS, UNIT, levels, picked_splits, split_scores

FALSE_ALARM = 1e-8


def impurity(labels) -> int:
    """Half of Gini's impurity of a cell, in units, rounded down."""
    counts = [labels.count(label) for label in set(labels)]
    n = len(labels)
    return floor(UNIT * (Fraction(n) - Fraction(sum(c * c for c in counts), n)) / 2) if n else 0


def twin_score(above, cells, labels) -> int:
    """The slow twin: every cell, split in two."""
    groups = {}
    for key in zip(cells, above, labels, strict=True):
        groups.setdefault(key[:2], []).append(key[2])
    return -sum(impurity(group) for group in groups.values())


def is_above(value, low, high, cut) -> bool:
    """The first cut is above the lower bound, the others are at eighths of the width."""
    value = min(max(value, low), high)
    return value > low if cut == 0 else Fraction(value) >= Fraction(low) + (Fraction(high) - Fraction(low)) * cut / CUTS


# -- the scores --------------------------------------------------------------------------------------------------------

CELLS = st.sampled_from([-3.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 9.0])
ROWS = st.lists(st.tuples(CELLS, CELLS, st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=12)


@settings(deadline=None)
@given(ROWS, st.sampled_from([(-1.0, 1.0), (0.0, 2.0), (-4.0, 4.0)]))
def test_the_scores_are_those_of_the_slow_twin(rows, ends):
    *columns, labels, cells = zip(*rows, strict=True)
    X, (low, high) = np.array(columns).T, ends
    ends = (np.full(2, low), np.full(2, high))
    expected = [
        [twin_score([is_above(v, low, high, cut) for v in column], cells, labels) for cut in range(CUTS)]
        for column in columns
    ]
    for matrix in (X, sp.csr_array(X)):
        found = levels(matrix, *ends)
        assert split_scores(found, np.array(cells), np.array(labels)).tolist() == expected
        for j, cut in product(range(2), range(CUTS)):
            assert found.above(j, cut, len(X)).tolist() == [is_above(v, low, high, cut) for v in columns[j]]


@pytest.mark.parametrize(("n", "n_cells", "n_classes"), [(2, 2, 2), (4, 2, 2), (5, 2, 3), (3, 4, 3), (7, 1, 2)])
def test_no_neighbour_changes_a_score_by_more_than_a_row(n, n_cells, n_classes):
    """Every table of n rows that lie in these cells, above or below the cut, and every neighbour of it."""
    kinds = list(product(range(n_cells), (False, True), range(n_classes)))
    largest = 0
    for others in combinations_with_replacement(kinds, n - 1):
        scores = []
        for last in kinds:
            cells, above, labels = zip(*others, last, strict=True)
            scores.append(twin_score(above, cells, labels))
        largest = max(largest, max(scores) - min(scores))
    assert (1 - 1 / n) * UNIT - 1 <= largest <= UNIT == PrivateFwell(strategy="splits").mechanism(n, 1).sensitivity


# -- picks -------------------------------------------------------------------------------------------------------------


def test_a_column_that_repeats_another_is_not_picked():
    """The label needs two columns; three more are copies of the first one."""
    rng = np.random.default_rng(0)
    X = rng.random((2000, 6))
    X[:, 3:] = X[:, [0]]
    y = (2 * X[:, 0] + X[:, 1] > 1.5).astype(int)
    method = PrivateFwell(40.0, bounds=(0, 1), strategy="splits", n_features=2)  # odds of another pick: 1e-11
    for _ in range(5):
        first, second = np.argsort(-method.fit(X, y).weights_)[:2]
        assert first in {0, 3, 4, 5}
        assert second == 1
    assert 1 not in np.argsort(-PrivateFwell(20.0, strategy="ranks", n_features=2).fit(X, y).weights_)[:2]


def test_a_column_that_matters_only_with_another_is_found():
    """Which half of the one column a row is in says what the other one means; alone the other says little."""
    rng = np.random.default_rng(1)
    X = rng.random((3000, 12))
    y = np.where(X[:, 4] > 0.5, X[:, 7] > 0.25, X[:, 7] <= 0.5)
    y = np.where(rng.random(3000) < 0.2, X[:, 4] > 0.5, y)
    method = PrivateFwell(30.0, bounds=(0, 1), strategy="splits", n_features=2)
    for _ in range(5):
        assert set(method.fit(X, y).get_support(indices=True)) == {4, 7}


def test_all_columns_can_be_picked_and_none_twice():
    X = np.random.default_rng(2).random((30, 4))
    found = levels(X, np.zeros(4), np.ones(4))
    mechanism = PermuteAndFlip(sensitivity=UNIT, epsilon=1.0, picks=4)
    for seed in range(20):
        picked = picked_splits(found, np.arange(30) % 2, mechanism, Randomness(seed))
        assert sorted(picked) == [0, 1, 2, 3]


def test_one_pick_of_many_has_the_scale_of_all():
    """So picks cost together what the statement says."""
    for picks, epsilon in ((3, 0.1), (7, 1 / 3), (486, 10.0)):
        mechanism = PermuteAndFlip(sensitivity=UNIT, epsilon=epsilon, picks=picks)
        assert PermuteAndFlip(sensitivity=picks * UNIT, epsilon=epsilon).scale == mechanism.scale
        assert mechanism.loss.epsilon <= epsilon


# -- bounds ------------------------------------------------------------------------------------------------------------


def test_sparse_rows_need_bounds_around_the_zero_whatever_their_cells_are():
    X = sp.csr_array(np.ones((40, 2)))
    for way in ("splits", "blocks"):
        with pytest.raises(ParameterError, match="zero"):
            PrivateFwell(bounds=(1, 2), strategy=way).fit(X, [0, 1] * 20)


def test_bounds_read_from_the_rows_warn():
    X = np.random.default_rng(3).random((50, 3))
    X[:, 2] = 7  # no width
    with pytest.warns(PrivacyLeakWarning, match="bounds"):
        assert PrivateFwell(strategy="splits").fit(X, [0, 1] * 25).weights_.sum() == 1


# -- an audit ----------------------------------------------------------------------------------------------------------


def neighbours(rivals=8, others=40):
    """One row is of class 1. Before, the first column tells it from all others and the rivals do not; after, the
    rivals do and the first column does not. Every score moves by almost a row, the first one against all others."""
    X = np.zeros((others + 1, rivals + 1))
    one, other = X.copy(), X.copy()
    one[-1, 0] = 1
    other[-1, 1:] = 1
    return one, other, np.array([0] * others + [1])


def first_pick(y, mechanism):
    """Draws of the column that is picked first."""

    def sample(X, runs):
        method = PrivateFwell(bounds=(0, 1), strategy="splits", n_features=1)
        scores = method.statistic(X, y, [str(j) for j in range(X.shape[1])]).ravel()
        return np.array([mechanism.run(scores)[0] // CUTS for _ in range(runs)])

    return sample


def test_an_audit_on_the_worst_neighbours_does_not_refute_the_claim_and_refutes_half_the_noise():
    """As a rule 1.1 is found, and 2.6: what must be found lies seven standard deviations below."""
    one, other, y = neighbours()
    claimed = PrivateFwell(2.0, strategy="splits", n_features=1).mechanism(*one.shape)
    assert 0.5 < audit(first_pick(y, claimed), one, other, runs=8000, false_alarm=FALSE_ALARM).epsilon <= 2.0
    half = PermuteAndFlip(sensitivity=UNIT, epsilon=4.0)
    assert half.scale == claimed.scale / 2
    assert audit(first_pick(y, half), one, other, runs=10_000, false_alarm=FALSE_ALARM).refutes(2.0)
