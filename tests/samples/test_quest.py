# SPDX-License-Identifier: Apache-2.0
"""Market baskets by the Apriori generator: form of the matrix, figures of the paper, classes, popularity."""

from itertools import pairwise

import numpy as np
import pytest

from discreet import samples
from discreet.data.baskets import Baskets
from discreet.samples import catalog
from discreet.samples.quest import _itemsets, _popularity


def lengths(baskets: Baskets) -> np.ndarray:
    return np.diff(baskets.matrix.indptr)


def popularity(baskets: Baskets) -> np.ndarray:
    """Share of all places that each item fills, most popular first."""
    return np.sort(baskets.support)[::-1] / baskets.matrix.nnz


@pytest.fixture(scope="module")
def t10():
    return samples.quest(100_000).data


def test_matrix_is_what_baskets_of_would_make(t10):
    again = Baskets.of(t10.matrix, names=t10.names)
    for ours, theirs in ((t10.matrix, again.matrix), (t10.columns, again.columns)):
        assert (ours != theirs).nnz == 0
        assert ours.dtype == theirs.dtype
        assert ours.indices.dtype == theirs.indices.dtype
        assert ours.indptr.dtype == theirs.indptr.dtype
        np.testing.assert_array_equal(ours.indices, theirs.indices)  # sorted within rows, none twice
    assert t10.labels is None


def test_lengths_have_the_mean_asked_for_and_nobody_leaves_with_nothing(t10):
    # T10I4D100K, made by IBM's own program, has a mean of 10.10
    assert lengths(t10).mean() == pytest.approx(10.1, abs=0.25)
    assert lengths(t10).min() >= 1
    assert lengths(samples.quest(20_000, mean_length=20, mean_pattern=6).data).mean() == pytest.approx(20, abs=0.5)


@pytest.mark.data
def test_baskets_resemble_those_of_the_original_program(t10):
    theirs = catalog.load("t10i4d100k").data
    assert lengths(t10).mean() == pytest.approx(lengths(theirs).mean(), rel=0.02)
    assert lengths(t10).std() == pytest.approx(lengths(theirs).std(), rel=0.05)
    # items and itemsets have random weights: popularity is alike, not equal
    assert (t10.support > 0).sum() == pytest.approx(theirs.shape[1], abs=80)
    ours, known = popularity(t10), popularity(theirs)
    for most in (10, 100, 300):
        assert ours[:most].sum() == pytest.approx(known[:most].sum(), abs=0.05)


def test_items_are_bought_together(t10):
    # The pair bought together most often is bought at least five times as often as chance would have it.
    support = t10.support
    often = np.argsort(support)[::-1][:200]
    chosen = t10.matrix[:, often].astype(np.int64)
    together = (chosen.T @ chosen).toarray().astype(float)
    by_chance = np.outer(support[often], support[often]) / len(t10)
    np.fill_diagonal(together, 0)
    assert (together / by_chance).max() > 5


def test_itemsets_share_items_with_the_one_before():
    def shared(correlation):
        rng = np.random.default_rng(0)
        sets = _itemsets(3000, 4, correlation, 0.5, _popularity(1000, 0, rng), rng)
        items = [set(sets.items[a:b].tolist()) for a, b in pairwise(sets.start)]
        assert all(
            len(s) == b - a for s, a, b in zip(items, sets.start[:-1], sets.start[1:], strict=True)
        )  # none twice
        assert np.mean([len(s) for s in items]) == pytest.approx(4, abs=0.2)  # standard error 0.03
        return np.mean([len(b & a) / len(b) for a, b in pairwise(items)])

    assert shared(0) < 0.02
    # an exponential of mean 0.5, cut at 1, has mean 0.5 (1 - e^-2) = 0.43; small predecessors lower it
    assert 0.3 < shared(0.5) < 0.45


def test_without_corruption_itemsets_stay_whole():
    # One itemset of four items, never corrupted: every basket is that itemset.
    sample = samples.quest(200, items=4, mean_length=4, mean_pattern=50, patterns=1, corruption=0)
    assert sample.data.matrix.nnz == 800


def test_two_classes_have_habits_of_their_own():
    from sklearn.naive_bayes import BernoulliNB

    sample = samples.quest(6000, items=300, mean_length=20, patterns=500, classes=2, random_state=1)
    baskets = sample.data
    assert sample.description == "Made-up market baskets C20.I4.D6000 of 300 items."
    assert baskets.classes.tolist() == ["A", "B"]
    assert np.bincount(baskets.labels).tolist() == [3000, 3000]
    assert 0.45 < baskets.labels[:3000].mean() < 0.55  # the rows are mixed
    baskets.check_for_release()
    X = baskets.matrix.toarray()
    score = BernoulliNB().fit(X[:4000], baskets.labels[:4000]).score(X[4000:], baskets.labels[4000:])
    assert score > 0.9


def test_classes_differ_in_size_by_one_at_most():
    assert sorted(np.bincount(samples.quest(10, classes=3).data.labels).tolist()) == [3, 3, 4]


def test_skew_makes_some_items_popular():
    top = {}
    for skew in (0, 0.5, 1):
        baskets = samples.quest(20_000, items=10_000, mean_length=20, patterns=20_000, skew=skew).data
        top[skew] = popularity(baskets)[:100].sum()
    assert top[0] < 0.05
    assert top[0.5] == pytest.approx(0.1, abs=0.03)
    assert top[1] == pytest.approx(0.5, abs=0.08)


def test_popular_items_are_the_same_in_both_classes_and_spread_over_the_columns():
    baskets = samples.quest(20_000, items=1000, mean_length=20, patterns=5000, skew=1, classes=2).data
    a, b = (np.asarray(baskets.matrix[baskets.labels == c].sum(axis=0)) for c in (0, 1))
    top_a, top_b = (set(np.argsort(x)[::-1][:20].tolist()) for x in (a, b))
    assert len(top_a & top_b) >= 12
    assert 200 < np.mean(list(top_a)) < 800


def test_same_seed_same_baskets():
    one, two = samples.quest(500, random_state=7, classes=2).data, samples.quest(500, random_state=7, classes=2).data
    assert (one.matrix != two.matrix).nnz == 0
    np.testing.assert_array_equal(one.labels, two.labels)
    assert (one.matrix != samples.quest(500, random_state=8, classes=2).data.matrix).nnz > 0
    assert (
        samples.quest(500, random_state=None).data.matrix != samples.quest(500, random_state=None).data.matrix
    ).nnz > 0


@pytest.mark.parametrize(
    "options",
    [
        {"rows": 1},
        {"rows": 1, "items": 1},
        {"items": 2, "mean_length": 50, "patterns": 1},
        {"items": 5, "mean_pattern": 50, "skew": 3},
        {"corruption": 1.0, "patterns": 3},
        {"correlation": 0, "mean_pattern": 1},
        {"mean_length": 1},
    ],
)
def test_extreme_options_end(options):
    baskets = samples.quest(**{"rows": 300, "items": 50, "patterns": 20, **options}).data
    assert baskets.shape == (options.get("rows", 300), options.get("items", 50))
    assert lengths(baskets).min() >= 1


@pytest.mark.slow
def test_a_million_baskets_of_ten_thousand_items():
    baskets = samples.quest(1_000_000, items=10_000, mean_length=20, classes=2).data
    assert baskets.shape == (1_000_000, 10_000)
    assert baskets.matrix.nnz == pytest.approx(20_000_000, rel=0.02)
