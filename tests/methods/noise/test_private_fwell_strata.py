# SPDX-License-Identifier: Apache-2.0
import warnings
from itertools import combinations_with_replacement, permutations, product
from math import factorial, floor
from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import CannotRelease, PrivacyLeakWarning, PrivateFwell
from discreet.evaluate.audit import audit
from discreet.mechanisms.selection import PermuteAndFlip
from discreet.methods.noise.private_fwell_ranks import SortedColumns, rank_scores
from discreet.methods.noise.private_fwell_strata import (
    LAST,
    MOST_ROWS,
    UNIT,
    Scored,
    StrataStrategy,
    levels_of,
    part_of,
)

FALSE_ALARM = 1e-8


def twin_part(ours, others) -> int:
    """What a stratum counts for, from the cells of a class and of all other rows in it."""
    pairs = sum((a > b) - (a < b) for a in ours for b in others)
    most = max(len(ours), len(others))
    size = floor(UNIT * abs(pairs) * most / (2 * (most**2 + abs(pairs)))) if most else 0
    return size if pairs > 0 else -size


def twin_score(cells, strata, labels) -> int:
    """The slow twin: every stratum, every class against all others."""
    sums = [0]
    for k in set(labels):
        total = 0
        for s in set(strata):
            there = [(cell, label) for cell, stratum, label in zip(cells, strata, labels, strict=True) if stratum == s]
            total += twin_part([c for c, label in there if label == k], [c for c, label in there if label != k])
        sums.append(abs(total))
    return sum(sorted(sums)[-2:]) // 2


def twin_least(cells, labels, *, best: bool = False) -> int:
    """Ranks, with or without the best pair of classes."""
    pairs = [0]
    classes = sorted(set(labels))
    for k in classes:
        for other in classes[: classes.index(k)]:
            ours = [c for c, label in zip(cells, labels, strict=True) if label == k]
            theirs = [c for c, label in zip(cells, labels, strict=True) if label == other]
            pairs.append(abs(sum((a > b) - (a < b) for a in ours for b in theirs)))
    return UNIT * (sum(pairs) - (0 if best else max(pairs))) // (2 * len(cells))


# -- the scores --------------------------------------------------------------------------------------------------------

CELLS = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0])
ROWS = st.lists(st.tuples(CELLS, CELLS, st.integers(0, 2), st.integers(0, 3)), min_size=1, max_size=14)


@settings(deadline=None)
@given(ROWS)
def test_the_scores_are_those_of_the_slow_twin(rows):
    *columns, strata, labels = zip(*rows, strict=True)
    X = np.array(columns).T
    classes = np.unique(labels, return_inverse=True)[1]
    expected = [twin_score(column, strata, labels) for column in columns]
    for matrix in (X, sp.csr_array(X)):
        scored = Scored(SortedColumns.of(matrix), classes, *np.zeros((2, 2), dtype=np.int64))
        assert scored.scores([np.array(strata)]).tolist() == expected
    parts = [max(twin_score(c, strata, labels), twin_least(c, labels)) for c in columns]
    whole = [max(twin_score(c, [0] * len(c), labels), twin_least(c, labels, best=True)) for c in columns]
    for matrix in (X, sp.csr_array(X)):
        assert PrivateFwell().statistic(matrix, list(labels), ["a", "b"]).tolist() == whole
        scored = StrataStrategy(PrivateFwell())._scored(matrix, list(labels))
        assert scored.scores([np.array(strata)]).tolist() == parts


@given(st.integers(0, MOST_ROWS**2 // 4), st.integers(1, MOST_ROWS))
def test_long_division_is_exact_for_as_many_rows_as_are_allowed(pairs, most):
    pairs = min(pairs, most**2)
    assert part_of(pairs, most) == UNIT * pairs * most // (2 * (most**2 + pairs))


@pytest.mark.parametrize(("p", "q"), list(product(range(9), repeat=2)))
def test_a_row_more_changes_what_a_stratum_counts_for_by_no_more_than_half_a_row(p, q):
    """Whatever the pairs are: from -pq to pq, and the row more is in q of them."""

    def counted(pairs, size, others):
        most = max(size, others)
        found = UNIT * abs(pairs) * most // (2 * (most**2 + abs(pairs))) if most else 0
        return found if pairs > 0 else -found

    for pairs in range(-p * q, p * q + 1):
        for more in range(-q, q + 1):
            assert abs(counted(pairs + more, p + 1, q) - counted(pairs, p, q)) <= UNIT // 2


@pytest.mark.parametrize(("n", "values", "strata", "labels"), [(2, 3, 2, 3), (3, 2, 2, 3), (4, 2, 2, 2), (5, 2, 1, 4)])
def test_no_neighbour_changes_a_score_by_more_than_a_row_and_some_by_almost_one(n, values, strata, labels):
    """Every table of n rows with so many values, strata and classes, and every neighbour of it; and a row less."""
    kinds = list(product(range(values), range(strata), range(labels)))
    largest = 0
    for others in combinations_with_replacement(kinds, n - 1):
        scores: list[list[int]] = [[], []]
        for rows in [[*others, last] for last in kinds] + [list(others)]:
            cells, where, classes = zip(*rows, strict=True)
            for found, best in zip(scores, (False, True), strict=True):
                found.append(max(twin_score(cells, where, classes), twin_least(cells, classes, best=best)))
        largest = max(largest, *(max(found) - min(found) for found in scores))
    assert largest <= UNIT == PrivateFwell().mechanism(n, 1).sensitivity
    assert largest >= UNIT / 4


def test_more_rows_than_can_be_counted_are_refused():
    assert PrivateFwell().mechanism(MOST_ROWS, 3).sensitivity == UNIT
    with pytest.raises(CannotRelease, match="ranks"):
        PrivateFwell().mechanism(MOST_ROWS + 1, 3)


# -- picks -------------------------------------------------------------------------------------------------------------


def test_a_level_depends_on_its_own_cell_alone():
    cells = np.array([0.2, np.nan, -5.0, 0.9])
    assert levels_of(cells, 0.0, 1.0).tolist() == [int(levels_of(cells[[i]], 0.0, 1.0)[0]) for i in range(4)]
    assert len(set(levels_of(cells, 0.0, 1.0))) == 4
    assert levels_of(np.array([3.0, 7.0]), 7.0, 7.0).tolist() == [0, 0]  # no width


def test_a_column_that_repeats_another_is_not_picked_where_there_are_bounds():
    """The label needs two columns; three more are copies of the first one."""
    rng = np.random.default_rng(0)
    X = rng.random((2000, 6))
    X[:, 3:] = X[:, [0]]
    y = (2 * X[:, 0] + X[:, 1] > 1.5).astype(int)
    for matrix in (X, sp.csr_array(X)):
        method = PrivateFwell(40.0, bounds=(0, 1), n_features=2)
        first, second = np.argsort(-method.fit(matrix, y).weights_)[:2]
        assert first in {0, 3, 4, 5}
        assert second == 1  # odds of another pick: 1e-13
    assert 1 not in np.argsort(-PrivateFwell(40.0, n_features=2).fit(X, y).weights_)[:2]


def test_of_many_classes_ranks_of_all_pairs_count():
    """Each of twenty classes is a twentieth of the rows; all are in the order of the first column."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(20), 20)
    X = rng.random((400, 5))
    X[:, 0] = y
    scores = PrivateFwell().statistic(X, y, [str(j) for j in range(5)])
    assert scores[0] > 0.9 * UNIT * rank_scores(X, y)[0] / 800
    assert scores[0] > 4 * scores[1:].max()


def test_before_there_are_strata_a_score_is_never_below_that_of_ranks():
    """Three classes: a column that orders only two of them says less than one that orders all three a little."""
    rng = np.random.default_rng(3)
    y = np.repeat(np.arange(3), 200)
    X = rng.random((600, 3)) + np.outer(y, [0.4, 0.0, 0.0]) + np.outer(y == 2, [0.0, 0.5, 0.0])
    scores, ranks = PrivateFwell().statistic(X, y, list("abc")), UNIT * rank_scores(X, y) // 1200
    assert (scores >= ranks).all()
    assert ranks[0] > StrataStrategy(PrivateFwell())._scored(X, y).least[0]
    two = y < 2  # with two classes ranks are never above: nothing changes
    of_two = PrivateFwell().statistic(X[two], y[two], list("abc"))
    assert (of_two >= UNIT * rank_scores(X[two], y[two]) // 800).all()


def test_all_columns_can_be_picked_and_none_twice():
    X = np.random.default_rng(2).random((30, LAST + 3))
    for bounds in (None, (0, 1)):
        method = PrivateFwell(bounds=bounds, n_features=LAST + 3)
        assert sorted(method.fit(X, np.arange(30) % 2).weights_) == pytest.approx(np.arange(1, LAST + 4) / (LAST + 3))


# -- the whole release -------------------------------------------------------------------------------------------------


def chances(scores, scale):
    """Of each candidate, by the definition of permute and flip: orders of the candidates, each tossed for in turn."""
    found = np.zeros(len(scores))
    accepted = np.exp((scores - scores.max()) / scale)
    for order in permutations(range(len(scores))):
        left = 1 / factorial(len(scores))
        for place in order:
            found[place] += left * accepted[place]
            left *= 1 - accepted[place]
    return found


def chance_of_picks(method, X, y, wanted):
    """How likely a release has these picks in this order: every pick is asked for its scores and gives the next one."""
    place, chance = iter(wanted), []

    def apply(mechanism, scores, _):
        left = [j for j in range(X.shape[1]) if j not in wanted[: len(chance)]]
        chosen = left.index(next(place))
        chance.append(chances(scores.astype(float), mechanism.scale)[chosen])
        return np.array([chosen])

    with mock.patch.object(PermuteAndFlip, "apply", apply), warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        method.fit(X, y)
    return np.prod(chance)


@pytest.mark.parametrize("seed", range(8))
def test_the_loss_of_all_picks_together_is_no_more_than_epsilon(seed):
    """Exact chances of every sequence of three picks, on neighbours drawn by lot; the later picks see the earlier."""
    rng = np.random.default_rng(seed)
    method = PrivateFwell(3.0, bounds=(0, 1), n_features=3, random_state=0)
    X, y = rng.integers(0, 3, (9, 4)) / 2, rng.integers(0, 2 + seed % 2, 9)
    other, labels = X.copy(), y.copy()
    other[0], labels[0] = rng.integers(0, 3, 4) / 2, 1 - labels[0] % 2
    one, two = (
        np.array([chance_of_picks(method, *table, wanted) for wanted in permutations(range(4), 3)])
        for table in ((X, y), (other, labels))
    )
    assert one.sum() == pytest.approx(1)
    assert two.sum() == pytest.approx(1)
    assert 0.05 < np.abs(np.log(one / two)).max() <= 3.0


# -- audits ------------------------------------------------------------------------------------------------------------


def neighbours(rivals=8, others=40):
    """The last row is below its own class in the first column and above it in the rivals, or the other way round."""
    one, other = np.zeros((2, 2 * others + 1, rivals + 1))
    one[-1, 0], one[-1, 1:] = 1, -1
    other[-1, 0], other[-1, 1:] = -1, 1
    one[[1, 3]] = other[[1, 3]] = 0.5  # two rows of class 1: no sum of pairs falls below zero and turns
    return one, other, np.array([0, 1] * others + [1])


def first_pick(y, mechanism):
    def sample(X, runs):
        scores = PrivateFwell().statistic(X, y, [str(j) for j in range(X.shape[1])])
        return np.array([mechanism.run(scores)[0] for _ in range(runs)])

    return sample


def test_an_audit_on_bad_neighbours_does_not_refute_the_claim_and_refutes_half_the_noise():
    one, other, y = neighbours()
    move = PrivateFwell().statistic(one, y, [""] * 9) - PrivateFwell().statistic(other, y, [""] * 9)
    assert move[0] > 0.8 * UNIT
    assert (move[1:] < -0.8 * UNIT).all()
    claimed = PrivateFwell(2.0, n_features=1).mechanism(*one.shape)
    assert 0.5 < audit(first_pick(y, claimed), one, other, runs=8000, false_alarm=FALSE_ALARM).epsilon <= 2.0
    half = PermuteAndFlip(sensitivity=UNIT, epsilon=4.0)
    assert half.scale == claimed.scale / 2
    assert audit(first_pick(y, half), one, other, runs=20_000, false_alarm=FALSE_ALARM).refutes(2.0)
