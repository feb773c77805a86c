# SPDX-License-Identifier: Apache-2.0
"""All classifiers have the same three calls; distinct rows with weights teach what the rows teach."""

import subprocess
import sys

import numpy as np
import pytest
from benchmarks.learning.others import on_weka_folds
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.learning import classifiers
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.encoding import OneHot, Ordinal
from discreet.learning.examples import Examples

FEATURES = ["age", "sex", "zip", "height"]


def released(n=400, seed=0):
    """A table as a release writes it: intervals, sets, suppressed and missing cells; many rows are equal."""
    rng = np.random.default_rng(seed)
    age, sex, zip_ = rng.integers(0, 4, n), rng.integers(0, 2, n), rng.integers(0, 3, n)
    height = rng.integers(0, 5, n).astype(float)
    odds = age + sex * (zip_ == 1) + height / 2 + rng.normal(size=n)
    return Table.of(
        {
            "age": np.array(["< 20", "[20, 30)", "[30, 100)", ">= 100"])[age],
            "sex": np.array(["f", "*"])[sex],
            "zip": np.array(["{a, b}", "c", None], dtype=object)[zip_],
            "height": [None if h == 4 else 150 + 10 * h for h in height],
            "y": np.array(["no", "perhaps", "yes"])[np.digitize(odds, [2, 4])],
        },
        kinds={"height": "number"},
    )


def fitted(name, table, **options):
    model = CLASSIFIERS[name](**options)
    model.fit(examples_for(model, table, FEATURES, "y"))
    return model


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_every_classifier_learns_from_a_release(name):
    train, test = released(), released(200, seed=1)
    model = fitted(name, train)
    proba, guess = model.predict_proba(test), model.predict(test)
    assert model.classes_ == ("no", "perhaps", "yes")
    assert proba.shape == (200, 3)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba >= 0).all()
    assert guess.tolist() == np.array(model.classes_)[proba.argmax(axis=1)].tolist()
    truth = np.array(test.column("y").texts)[test.column("y").codes]
    most_common = max((truth == c).mean() for c in model.classes_)
    assert (guess == truth).mean() > most_common + 0.1


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_the_same_seed_gives_the_same_model(name):
    train, test = released(), released(100, seed=1)
    first, again = (fitted(name, train, random_state=3).predict_proba(test) for _ in range(2))
    np.testing.assert_array_equal(first, again)


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_without_features_or_with_one_class_the_shares_of_the_classes_remain(name):
    table = Table.of({"x": ["a", "b", "a"], "y": ["v", "u", "v"]})
    model = CLASSIFIERS[name]()
    model.fit(examples_for(model, table, [], "y"))
    assert model.predict(table).tolist() == ["v", "v", "v"]
    model.fit(examples_for(model, table.take(np.array([0, 2])), ["x"], "y"))
    assert model.predict_proba(table).tolist() == [[1.0]] * 3
    assert model.predict_proba(table.take(np.array([], dtype=int))).shape == (0, 1)
    with pytest.raises(DataError, match="at least one row whose class is known"):
        model.fit(examples_for(model, Table.of({"x": ["a"], "y": [None]}), ["x"], "y"))


@pytest.mark.parametrize("name", sorted(CLASSIFIERS))
def test_a_category_that_was_never_met_and_a_missing_number_can_be_predicted(name):
    new = Table.of({"age": ["[0, 9)"], "sex": [None], "zip": ["q"], "height": [None]}, kinds={"height": "number"})
    assert fitted(name, released()).predict_proba(new).sum() == pytest.approx(1)


@pytest.mark.parametrize("name", ["c45", "part", "naive-bayes"])
def test_a_suppressed_cell_is_unknown_to_some(name):
    model = fitted(name, released())
    assert (model.missing, model.suppressed) == ("unknown", "unknown")
    known = Table.of({"age": ["< 20"] * 3, "sex": ["*", None, "never"], "zip": ["c"] * 3, "height": [150] * 3})
    proba = model.predict_proba(known)
    np.testing.assert_allclose(proba, proba[[0, 0, 0]])


@pytest.mark.parametrize("name", ["logistic", "svm", "3nn", "forest", "boosting", "tree"])
def test_a_suppressed_cell_is_a_category_to_the_others(name):
    table = Table.of({"s": ["*"] * 30 + [None] * 30 + ["a"] * 30, "y": ["u"] * 30 + ["v"] * 30 + ["w"] * 30})
    model = CLASSIFIERS[name]()
    model.fit(examples_for(model, table, ["s"], "y"))
    assert (model.missing, model.suppressed) == ("value", "value")
    assert model.predict(table.take(np.array([0, 30, 60]))).tolist() == ["u", "v", "w"]


# -- distinct rows and rows ------------------------------------------------------------------------------------------


def on_rows(estimator, coding, train, test):
    """scikit-learn on one line per row."""
    coding.learn(Examples.of(train, FEATURES, "y", missing="value"))
    learnt, tested = coding.apply(train), coding.apply(test)
    if isinstance(estimator, KNeighborsClassifier):
        learnt, tested = learnt.toarray(), tested.toarray()
    estimator.fit(learnt, train.column("y").codes)
    return estimator.decision_function(tested) if isinstance(estimator, LinearSVC) else estimator.predict_proba(tested)


def test_logistic_regression_on_distinct_rows_is_that_on_rows():
    train, test = released(), released(100, seed=1)
    rows = on_rows(LogisticRegression(max_iter=1000), OneHot(), train, test)
    np.testing.assert_allclose(fitted("logistic", train).predict_proba(test), rows, atol=2e-3)


def test_the_svm_on_distinct_rows_is_that_on_rows():
    train, test = released(), released(100, seed=1)
    distance = on_rows(LinearSVC(dual=False, random_state=0), OneHot(), train, test)
    expected = np.exp(distance) / np.exp(distance).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(fitted("svm", train).predict_proba(test), expected, atol=2e-3)


def test_the_tree_on_distinct_rows_is_that_on_rows():
    train = released()
    rows = on_rows(DecisionTreeClassifier(random_state=0), Ordinal(), train, train)
    np.testing.assert_allclose(fitted("tree", train).predict_proba(train), rows)


def test_boosting_is_given_the_rows():
    train, test = released(), released(100, seed=1)
    with threadpool_limits(1):
        rows = on_rows(HistGradientBoostingClassifier(early_stopping=False, random_state=0), Ordinal(), train, test)
    np.testing.assert_allclose(fitted("boosting", train).predict_proba(test), rows, atol=1e-6)
    halves = Examples.of(train, FEATURES, "y", weights=np.full(len(train), 0.5))
    with pytest.raises(DataError, match="weights of the examples must be whole"):
        CLASSIFIERS["boosting"]().fit(halves)


def test_the_forest_draws_bootstraps_of_the_rows():
    train, test = released(), released(100, seed=1)
    rows = on_rows(RandomForestClassifier(n_estimators=400, random_state=0), Ordinal(), train, test)
    ours = np.mean([fitted("forest", train, random_state=seed).predict_proba(test) for seed in range(4)], axis=0)
    assert np.abs(ours - rows).mean() < 0.02


def test_three_neighbours_are_those_of_the_rows_where_no_two_are_equally_far():
    rng = np.random.default_rng(0)
    points = rng.normal(size=40)
    times = rng.integers(1, 5, 40)
    train = Table.of(
        {"x": np.repeat(points, times), "y": np.repeat(np.array(["u", "v"])[rng.integers(0, 2, 40)], times)}
    )
    test = Table.of({"x": rng.normal(size=100)})
    model = CLASSIFIERS["3nn"]()
    model.fit(examples_for(model, train, ["x"], "y"))
    x, y = train.column("x"), train.column("y")
    rows = KNeighborsClassifier(3, algorithm="brute").fit(x.numbers[x.codes][:, None], y.codes)
    expected = rows.predict_proba(test.column("x").numbers[test.column("x").codes][:, None])
    np.testing.assert_allclose(model.predict_proba(test), expected)


def test_neighbours_in_a_sparse_matrix_are_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    train, test = (Table.of({"x": rng.normal(size=50), "y": np.arange(50) % 2}, kinds={"y": "category"}) for _ in "ab")
    found = []
    for cells in (classifiers._DENSE, 0):
        monkeypatch.setattr(classifiers, "_DENSE", cells)
        model = CLASSIFIERS["3nn"]()
        model.fit(examples_for(model, train, ["x"], "y"))
        found.append(model.predict_proba(test))
    np.testing.assert_allclose(*found)


def test_equal_rows_share_what_is_left_of_the_three():
    train = Table.of({"x": ["a"] + ["b"] * 8 + ["c"], "y": ["u"] + ["u"] * 2 + ["v"] * 6 + ["u"]})
    model = CLASSIFIERS["3nn"]()
    model.fit(examples_for(model, train, ["x"], "y"))
    np.testing.assert_allclose(model.predict_proba(Table.of({"x": ["b"]})), [[0.25, 0.75]])


def test_scikit_learn_is_loaded_when_first_used():
    code = "import sys, discreet.learning.cross_validation; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.data
@pytest.mark.parametrize(("name", "published"), [("tic_tac_toe", 98.33), ("pima", 77.21)])
def test_logistic_regression_comes_near_that_of_weka(name, published):
    """Weka's has next to no penalty, so the figures differ a little."""
    assert on_weka_folds("logistic", name) == pytest.approx(published, abs=2)
