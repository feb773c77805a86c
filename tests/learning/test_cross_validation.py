# SPDX-License-Identifier: Apache-2.0
"""Folds keep classes and persons together and are the same for everyone; scores are scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from discreet.data.table import Table
from discreet.errors import DataError, ParameterError
from discreet.learning.cross_validation import Score, Scores, cross_validate, five_by_two, kfold, score, score_on
from discreet.learning.examples import Examples
from discreet.learning.naive_bayes import NaiveBayes
from discreet.prepare import Binning


@given(labels=st.lists(st.integers(0, 3), min_size=4, max_size=60), folds=st.integers(2, 4), seed=st.integers(0, 9))
def test_every_row_is_tested_once_and_every_class_is_shared_out(labels, folds, seed):
    labels = np.array(labels)
    found = kfold(len(labels), folds, seed, labels=labels, repeats=2)
    assert len(found) == 2 * folds
    for repeat in (found[:folds], found[folds:]):
        assert sorted(np.concatenate([fold.test for fold in repeat])) == list(range(len(labels)))
        sizes = [len(fold.test) for fold in repeat]
        assert max(sizes) - min(sizes) <= 1
        for c in range(4):
            share = [(labels[fold.test] == c).sum() for fold in repeat]
            assert max(share) - min(share) <= 1
        for fold in repeat:
            assert sorted([*fold.train, *fold.test]) == list(range(len(labels)))


@given(persons=st.lists(st.integers(0, 15), min_size=12, max_size=60), seed=st.integers(0, 9))
def test_nobody_is_on_both_sides(persons, seed):
    persons = np.array([*persons, 0, 1])  # two persons at least
    for fold in kfold(len(persons), 2, seed, labels=persons % 3, persons=persons):
        assert set(persons[fold.train]).isdisjoint(persons[fold.test])
    named = kfold(len(persons), 2, seed, persons=np.array([f"person {person:02d}" for person in persons]))
    assert [fold.test.tolist() for fold in named] == [
        fold.test.tolist() for fold in kfold(len(persons), 2, seed, persons=persons)
    ]


def test_folds_depend_on_the_seed_alone():
    same, again, other = (kfold(40, 5, seed) for seed in (3, 3, 4))
    assert all(np.array_equal(a.test, b.test) for a, b in zip(same, again, strict=True))
    assert any(not np.array_equal(a.test, b.test) for a, b in zip(same, other, strict=True))


def test_five_by_two_halves_five_times():
    found = five_by_two(20, labels=np.arange(20) % 2)
    assert len(found) == 10
    for first, second in zip(found[::2], found[1::2], strict=True):
        assert np.array_equal(first.train, second.test)
        assert np.array_equal(first.test, second.train)
    assert len({tuple(fold.test) for fold in found}) == 10


def test_folds_that_cannot_be_are_refused():
    with pytest.raises(ParameterError, match=r"between 2 and the 3 persons.*Got 4 folds"):
        kfold(6, 4, persons=np.array([1, 1, 2, 2, 3, 3]))
    with pytest.raises(ParameterError, match=r"between 2 and the 6 rows.*Got 1 folds"):
        kfold(6, 1)
    with pytest.raises(DataError, match="6 rows, but 5 labels"):
        kfold(6, 2, labels=np.arange(5))


@given(
    n_classes=st.integers(2, 4),
    lines=st.lists(st.tuples(st.integers(0, 99), *[st.integers(0, 4)] * 4), min_size=8, max_size=40),
)
def test_scores_equal_those_of_scikit_learn(n_classes, lines):
    truth = np.array([*range(n_classes), *(line[0] % n_classes for line in lines)])
    weights = np.array([[1.0] * 4] * n_classes + [line[1:] for line in lines])[:, :n_classes] + 0.1
    proba = weights / weights.sum(axis=1, keepdims=True)
    got, guess = score(truth, proba), proba.argmax(axis=1)
    assert got.rows == len(truth)
    assert got.accuracy == pytest.approx(metrics.accuracy_score(truth, guess))
    assert got.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(truth, guess))
    if n_classes == 2:
        assert got.auc == pytest.approx(metrics.roc_auc_score(truth, proba[:, 1]))
    else:
        assert got.auc == pytest.approx(metrics.roc_auc_score(truth, proba, multi_class="ovr", average="weighted"))
    brier = metrics.brier_score_loss(truth, proba, scale_by_half=True, labels=range(n_classes))
    assert got.brier == pytest.approx(brier)


def test_one_class_has_no_ranking():
    assert np.isnan(score(np.array([1, 1]), np.array([[0.5, 0.5], [0.1, 0.9]])).auc)
    with pytest.raises(DataError, match="no test row whose class is known"):
        score(np.empty(0, dtype=int), np.empty((0, 2)))


def test_a_class_that_was_never_met_and_rows_without_a_class():
    train = Table.of({"x": ["a", "b"], "y": ["no", "yes"]})
    test = Table.of({"x": ["a", "b", "a", "a"], "y": ["no", "maybe", "yes", None]})
    got = score_on(NaiveBayes().fit(Examples.of(train, ["x"], "y")), test, "y")
    assert (got.rows, got.accuracy, got.balanced_accuracy) == (3, 1 / 3, 1 / 3)


def test_a_preparation_is_learnt_on_the_training_rows_of_each_fold():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    table = Table.of({"x": x, "y": np.where(x > 0.1, "high", "low")})
    seen = []

    def prepare(train):
        seen.append(train)
        return Binning.fit(train, ["x"], target="y").apply

    folds = kfold(60, 3, labels=table.column("y").codes)
    binned = cross_validate(NaiveBayes, table, ["x"], "y", folds, prepare=prepare)
    assert [len(train) for train in seen] == [40, 40, 40]
    assert all(train.column("x").equals(table.column("x").take(f.train)) for train, f in zip(seen, folds, strict=True))
    assert binned.mean() > cross_validate(NaiveBayes, table, ["x"], "y", folds).mean()
    assert binned.mean() > 0.9


def test_scores_are_summed_up_by_fold():
    scores = Scores((Score(0.5, 0.4, 0.6, 0.2, 10), Score(0.7, 0.4, 0.8, 0.1, 10)))
    assert scores.mean() == pytest.approx(0.6)
    assert scores.deviation() == pytest.approx(np.sqrt(0.02))
    assert scores.of("auc").tolist() == [0.6, 0.8]
    assert repr(scores) == "Scores(2 folds: accuracy=0.6000, balanced_accuracy=0.4000, auc=0.7000, brier=0.1500)"
