# SPDX-License-Identifier: Apache-2.0
"""Mining sketches: equal to slow twins, like scikit-learn on the records when components are many, and reproducible."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

import discreet as ds
from discreet.errors import DataError, ParameterError
from discreet.sketching.mining import as_matrix, as_sketches, distances, reconstructed, unit
from discreet.sketching.mining import nearest_neighbors as neighbors
from discreet.sketching.mining.k_means import _filled, centres_of
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import Sketches, sketch

KEY = bytes(range(32))
CLASSIFIERS = [ds.SketchKNeighborsClassifier(3), ds.SketchLinearClassifier(10.0)]


def topics(n: int = 120, d: int = 60, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Records of three classes, each with words of its own and common ones."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    rates = np.full((3, d), 0.05)
    for c in range(3):
        rates[c, 15 * c : 15 * c + 15] = 0.6
    X = rng.poisson(rates[y])
    X[np.arange(n), 15 * y] += 1
    return X, y


RAGGED = st.lists(st.lists(st.integers(-9, 9), max_size=6), min_size=1, max_size=8)


def of_lists(rows) -> Sketches:
    counts = [len(row) for row in rows]
    return Sketches(np.array([v for row in rows for v in row], dtype=np.int32), np.cumsum([0, *counts]))


def twin_distance(s, t) -> float:
    m = min(len(s), len(t))
    return sum((a - b) ** 2 for a, b in zip(s, t, strict=False)) / m if m else float("nan")


@given(these=RAGGED, those=RAGGED)
@settings(max_examples=100, deadline=None)
def test_distances_are_on_the_components_both_have(these, those):
    found, shared = distances(of_lists(these), of_lists(those))
    expected = [[twin_distance(s, t) for t in those] for s in these]
    assert np.allclose(found, expected, equal_nan=True)
    assert shared.tolist() == [[min(len(s), len(t)) for t in those] for s in these]


@given(rows=RAGGED)
@settings(max_examples=50, deadline=None)
def test_the_matrix_form_says_the_same(rows):
    made = of_lists(rows)
    again = as_sketches(as_matrix(made))
    assert again.counts.tolist() == made.counts.tolist()
    assert again.values.tolist() == made.values.tolist()


def test_unit_records_have_the_length_one():
    made = unit(of_lists([[3, 4], [0, 0, 0], [], [-2]]))
    assert np.allclose(made.lengths(), [1, 0, 0, 1])


@pytest.mark.parametrize("X", [[[np.nan, 1.0]], [[np.inf, 1.0]], [1.0, 2.0], [["a"]]])
def test_what_is_no_matrix_of_components_is_refused(X):
    with pytest.raises(DataError, match="components"):
        as_sketches(X)


# -- neighbours ------------------------------------------------------------------------------------------------------


@given(
    train=st.lists(st.lists(st.integers(-4, 4), max_size=5), min_size=1, max_size=9),
    asked=RAGGED,
    k=st.integers(1, 4),
    shrinkage=st.sampled_from([0.0, 4.0]),
    data=st.data(),
)
@settings(max_examples=100, deadline=None)
def test_neighbours_equal_their_slow_twin(train, asked, k, shrinkage, data):
    y = data.draw(st.lists(st.sampled_from("abc"), min_size=len(train), max_size=len(train)))
    model = ds.SketchKNeighborsClassifier(k, metric="euclidean", shrinkage=shrinkage)
    kept = [(row, label) for row, label in zip(train, y, strict=True) if row]
    if not kept:
        with pytest.raises(DataError, match="nothing to learn"):
            model.fit(of_lists(train), y)
        return
    found = model.fit(of_lists(train), y).predict_proba(of_lists(asked))
    far = model.kneighbors(of_lists(asked))[0]
    for s, proba, nearest in zip(asked, found, far, strict=True):
        if not s:
            assert np.allclose(proba, [y.count(c) / len(y) for c in sorted(set(y))])
            continue
        each = [(twin_distance(s, t), min(len(s), len(t)), label) for t, label in kept]
        mean = sum(e[0] for e in each) / len(each)
        pulled = sorted((m * d + shrinkage * mean) / (m + shrinkage) for d, m, _ in each)[:k]
        assert np.allclose(nearest, pulled)
        if shrinkage == 0:  # sums of whole numbers: no rounding, so ties are ties
            voting = [label for _, _, label in sorted(each, key=lambda e: e[0])[:k]]
            assert np.allclose(proba, [voting.count(c) / len(voting) for c in sorted(set(y))])


def test_neighbours_in_parts_are_the_same(monkeypatch):
    X, y = topics()
    made = sketch(X, Signs(KEY, 60), 40)
    whole = ds.SketchKNeighborsClassifier(3).fit(made, y).kneighbors(made)[1]
    monkeypatch.setattr(neighbors, "_CELLS", 500)
    assert np.array_equal(ds.SketchKNeighborsClassifier(3).fit(made, y).kneighbors(made)[1], whole)


def test_shrinkage_keeps_short_sketches_from_being_everybodys_neighbours():
    """All records of a class are alike; one record of the other class has a single component."""
    X, y = topics(n=180)
    signs = Signs(KEY, 60)
    counts = np.where(np.arange(len(X)) < 30, 1, 60)
    train, test = sketch(X[:90], signs, counts[:90]), sketch(X[90:], signs, 60)
    near = {c: ds.SketchKNeighborsClassifier(1, shrinkage=c).fit(train, y[:90]).kneighbors(test)[1] for c in (0, 20)}
    assert (near[0] < 30).mean() > 0.3 > (near[20] < 30).mean()


# -- clusters --------------------------------------------------------------------------------------------------------


@given(rows=st.lists(st.lists(st.integers(-9, 9), min_size=1, max_size=6), min_size=2, max_size=9), data=st.data())
@settings(max_examples=60, deadline=None)
def test_centres_equal_their_slow_twin(rows, data):
    labels = np.array([0, 1, *data.draw(st.lists(st.integers(0, 1), min_size=len(rows) - 2, max_size=len(rows) - 2))])
    share = data.draw(st.sampled_from([0.25, 0.5, 1.0]))
    found = centres_of(of_lists(rows), labels, 2, share)
    for c in (0, 1):
        mine = [row for row, label in zip(rows, labels, strict=True) if label == c]
        columns = [[row[j] for row in mine if len(row) > j] for j in range(6)]
        expected = [sum(column) / len(column) for column in columns if column and len(column) >= share * len(mine)]
        assert np.allclose(found.row(c), expected)
        if share == 1:
            assert np.allclose(found.row(c), of_lists(mine).centroid(range(len(mine))).values)


def test_clusters_are_those_of_the_records_when_components_are_many():
    X, _ = topics()
    made = sketch(X, Signs(KEY, 60), np.where(np.arange(120) % 2, 200, 250))
    found = ds.SketchKMeans(3, random_state=1).fit(made)
    alike = X / np.sqrt((X**2).sum(axis=1, keepdims=True))
    theirs = KMeans(3, n_init=4, random_state=0).fit(alike).labels_
    pairs = {(a, b) for a, b in zip(found.labels_.tolist(), theirs.tolist(), strict=True)}
    assert len(pairs) == 3
    assert np.array_equal(found.predict(made), found.labels_)


def test_the_same_seed_gives_the_same_clusters_and_suppressed_records_none():
    X, _ = topics()
    counts = np.where(np.arange(120) < 10, 0, 20)
    made = sketch(X, Signs(KEY, 60), counts)
    one, two = (ds.SketchKMeans(10, random_state=3).fit(made) for _ in range(2))
    assert np.array_equal(one.labels_, two.labels_)
    assert set(one.labels_[:10]) == {-1}
    assert set(one.labels_[10:]) <= set(range(10))
    far = distances(unit(made.take(np.arange(10, 120))), one.cluster_centers_)[0]
    assert np.isclose(one.inertia_, far.min(axis=1).sum())


def test_copies_fill_as_many_clusters_as_there_are():
    made = of_lists([[2, 2]] * 4)
    assert ds.SketchKMeans(3, random_state=0).fit(made).inertia_ == 0
    with pytest.raises(DataError, match="5 clusters"):
        ds.SketchKMeans(5).fit(made)


def test_an_empty_cluster_takes_the_farthest_record():
    far = np.array([[0.0, 9.0], [5.0, 9.0], [1.0, 9.0]])
    assert _filled(np.array([0, 0, 0]), far, 2).tolist() == [0, 1, 0]


# -- classifiers -----------------------------------------------------------------------------------------------------


def test_neighbours_are_those_of_the_records_when_components_are_many():
    X, y = topics(n=240)
    made = sketch(X, Signs(KEY, 60), 4000)
    train, test = made.take(np.arange(120)), made.take(np.arange(120, 240))
    model = ds.SketchKNeighborsClassifier(5, metric="euclidean").fit(train, y[:120])
    theirs = KNeighborsClassifier(5).fit(X[:120], y[:120])
    assert (model.predict(test) == theirs.predict(X[120:])).mean() > 0.95


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_the_linear_classifier_is_logistic_regression_on_components_over_their_number(metric):
    X, y = topics()
    rng = np.random.default_rng(0)
    made = sketch(X, Signs(KEY, 60), rng.integers(1, 50, 120))
    model = ds.SketchLinearClassifier(metric=metric).fit(made, y)
    rows = []
    for i in range(120):
        s = made.row(i) / (np.sqrt((made.row(i) ** 2).mean()) or 1.0 if metric == "cosine" else 1.0)
        rows.append([*(s / len(s)), *[0.0] * (made.counts.max() - len(s))])
    matrix = np.array(rows)
    matrix /= np.sqrt((matrix**2).sum(axis=1).mean())
    theirs = LogisticRegression(max_iter=200).fit(matrix, y)
    assert np.allclose(model.predict_proba(made), theirs.predict_proba(matrix), atol=1e-3)


def test_the_linear_score_is_the_estimate_of_a_dot_product():
    X, y = topics()
    made = sketch(X, Signs(KEY, 60), np.where(np.arange(120) % 2, 20, 35))
    model = ds.SketchLinearClassifier(metric="euclidean").fit(made, y == 0)
    weights = Sketches(model.coef_[0], np.array([0, 35]))
    assert np.allclose(model.decision_function(made), made.dots(weights)[:, 0] + model.intercept_[0])


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_classifiers_learn_and_work_in_cross_validation(model):
    X, y = topics(n=240)
    names = np.array(["x", "y", "z"])[y]
    made = sketch(X, Signs(KEY, 60), np.where(np.arange(240) % 2, 40, 60))
    assert cross_val_score(model, as_matrix(made), names, cv=4).mean() > 0.85
    labelled = made.labelled(y, np.array(["x", "y", "z"]))
    fitted = clone(model).fit(labelled)
    assert np.array_equal(fitted.predict(made), clone(model).fit(as_matrix(made), names).predict(made))
    assert fitted.score(made, names) > 0.85
    assert np.allclose(fitted.predict_proba(made).sum(axis=1), 1)


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_suppressed_records_get_the_shares_of_the_classes(model):
    made = of_lists([[3, 1], [2, 2], [-3, 1], [], [1]])
    fitted = clone(model).fit(made, ["a", "a", "b", "b", "a"])
    assert np.allclose(fitted.predict_proba(of_lists([[]])), [[0.6, 0.4]])


def test_one_class_alone_is_always_predicted():
    fitted = ds.SketchLinearClassifier().fit(of_lists([[3], [2], []]), ["b", "b", "a"])
    assert fitted.predict(of_lists([[1], [-1]])).tolist() == ["b", "b"]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_labels_must_be_there(model):
    made = of_lists([[3, 1], [2, 2]])
    with pytest.raises(DataError, match="no labels"):
        clone(model).fit(made)
    with pytest.raises(DataError, match="2 labels are needed"):
        clone(model).fit(made, ["a"])


def test_parameters_are_checked():
    made = of_lists([[3, 1], [2, 2]])
    for model in (
        ds.SketchKNeighborsClassifier(0),
        ds.SketchKNeighborsClassifier(metric="manhattan"),
        ds.SketchKMeans(2, share=0),
        ds.SketchLinearClassifier(0),
    ):
        with pytest.raises(ParameterError):
            model.fit(made, ["a", "b"])


# -- reconstruction --------------------------------------------------------------------------------------------------


def test_any_estimator_learns_from_reconstructed_records(monkeypatch):
    X, y = topics()
    signs = Signs(KEY, 60)
    made = sketch(X, signs, np.where(np.arange(120) < 5, 0, 60))
    model = ds.SketchReconstruction(LogisticRegression(), signs).fit(made, y)
    theirs = LogisticRegression().fit(made.attributes(signs)[5:], y[5:])
    assert np.array_equal(model.predict(made), theirs.predict(made.attributes(signs)))
    whole = model.predict_proba(made)
    monkeypatch.setattr(reconstructed, "_CELLS", 600)
    assert np.allclose(model.predict_proba(made), whole)
    assert model.score(made, y) > 0.85
    clusters = ds.SketchReconstruction(KMeans(3, n_init=2, random_state=0), signs).fit(made)
    assert clusters.transform(made).shape == (120, 3)
    with pytest.raises(DataError, match="key"):
        ds.SketchReconstruction(LogisticRegression(), None).fit(made, y)
