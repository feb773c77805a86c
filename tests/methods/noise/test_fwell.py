# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import check_grad, minimize
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from discreet import DataError, Fwell, ParameterError
from discreet.methods.noise.margin_loss import gradient, loss, minimiser, one_pass
from discreet.methods.noise.margins import STEPS, margins, nearest
from discreet.methods.noise.weighting import heaviest, limits, scaled


def twin_nearest(rows, classes, others=None, other_classes=None):
    """Nearest hits and misses by plain loops, in whole steps, ties to the lowest row."""
    own = others is None
    others, other_classes = (rows, classes) if own else (others, other_classes)
    hits, misses = [], []
    for i, row in enumerate(rows):
        apart = [
            (sum(abs(round(a * STEPS) - round(b * STEPS)) for a, b in zip(row, other, strict=True)), j)
            for j, other in enumerate(others)
            if not (own and i == j)
        ]
        for found, same in ((hits, True), (misses, False)):
            found.append(
                min([(d, j) for d, j in apart if (other_classes[j] == classes[i]) == same], default=(0, -1))[1]
            )
    return hits, misses


def rows_of(seed, n, d, levels, density=1.0, sign=False):
    """Rows with many ties; some cells are zero."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels + 1, (n, d)) / levels * (rng.random((n, d)) < density)
    return X - 0.5 * (X > 0.5) if not sign else np.clip(X * rng.choice([-0.5, 0.5], (n, d)), -0.5, 0.5)


# -- nearest hits and misses -------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25), st.integers(1, 40), st.sampled_from([1, 2, 7, 10**5]), st.booleans())
def test_neighbours_are_those_of_the_slow_twin_dense_and_sparse(seed, n, d, levels, sign):
    X = rows_of(seed, n, d, levels, 0.4, sign)
    classes = np.random.default_rng(seed + 1).integers(0, 3, n)
    expected = twin_nearest(X.tolist(), classes)
    for rows in (X, sp.csr_array(X)):
        found = nearest(rows, classes)
        assert [places.tolist() for places in found] == [list(places) for places in expected]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12), st.integers(1, 20))
def test_neighbours_in_another_table(seed, n, m, d):
    X, others = rows_of(seed, n, d, 3, 0.5), rows_of(seed + 1, m, d, 3, 0.5)
    classes, other_classes = (np.random.default_rng(seed + 2 + k).integers(0, 2, size) for k, size in enumerate((n, m)))
    expected = twin_nearest(X.tolist(), classes, others.tolist(), other_classes)
    for make in (np.asarray, sp.csr_array):
        found = nearest(make(X), classes, make(others), other_classes)
        assert [places.tolist() for places in found] == [list(places) for places in expected]


def test_cells_of_many_columns_add_up_without_overflow():
    X = np.array([[0.0], [1.0], [1.0]]).repeat(100_000, axis=1)
    assert nearest(X, [0, 0, 1])[1].tolist() == [2, 2, 1]


def test_margins_are_zero_without_a_hit_or_a_miss():
    X = np.array([[0.0, 1.0], [0.5, 1.0], [1.0, 0.0]])
    for rows in (X, sp.csr_array(X)):
        z = margins(rows, [0, 0, 1])
        z = z.toarray() if sp.issparse(z) else z
        assert z.tolist() == [[0.5, 1.0], [0.0, 1.0], [0.0, 0.0]]
        assert abs(margins(rows, [0, 0, 0])).sum() == 0


# -- the objective -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("regularization", [1e-4, 0.01, 1.0, 30.0])
@pytest.mark.parametrize(("n", "d"), [(40, 3), (15, 60), (1, 1)])
def test_the_minimiser_is_scipys_and_its_gradient_is_certified(n, d, regularization):
    z = np.random.default_rng(n + d).normal(0.3, 1, (n, d))
    w, norm = minimiser(z, regularization, 1e-10)
    assert norm <= 1e-10
    assert norm == pytest.approx(np.linalg.norm(gradient(z, regularization, w)))
    # Strong convexity: whatever point scipy finds, its gradient bounds its distance to the minimiser.
    found = minimize(lambda v: loss(z, regularization, v), np.zeros(d), jac=lambda v: gradient(z, regularization, v))
    bound = (np.linalg.norm(gradient(z, regularization, found.x)) + norm) / (2 * regularization)
    assert np.linalg.norm(found.x - w) <= bound * (1 + 1e-9)
    assert loss(z, regularization, w) <= found.fun + 1e-12
    assert np.linalg.norm(minimiser(sp.csr_array(z), regularization, 1e-10)[0] - w) <= 1e-10 / regularization


def test_the_gradient_is_that_of_the_loss():
    z, w = np.random.default_rng(3).normal(0, 1, (9, 4)), np.array([0.3, -1.0, 2.0, 0.0])
    assert check_grad(lambda v: loss(z, 0.2, v), lambda v: gradient(z, 0.2, v), w) < 1e-6


def test_a_gradient_that_cannot_be_reached_is_said():
    with pytest.raises(DataError, match="was not found"):
        minimiser(np.random.default_rng(0).normal(1e6, 1e6, (50, 3)), 1e-9, 1e-30)


@pytest.mark.parametrize(("n", "one", "other"), [(8, 0.222323, -0.030769), (100, 0.222323, -0.002497)])
def test_the_counter_example_of_the_specification(n, one, other):
    """Two of n rows are of class 1 and lie at 1; one of them moves to 0. The weight falls far more than 2/n."""
    before = np.array([0.0] * (n - 2) + [1.0, 1.0])[:, None]
    after = np.array([0.0] * (n - 1) + [1.0])[:, None]
    y = [0] * (n - 2) + [1, 1]
    found = [Fwell(1.0, bounds=(0, 1)).fit(X, y).weights_[0] for X in (before, after)]
    assert found == pytest.approx([one, other], abs=1e-6)
    assert found[0] - found[1] > 2 / n


def test_one_pass_as_printed_turns_round_on_one_row():
    X, y = np.array([0.0] * 50 + [1.0] * 50)[:, None], [0] * 50 + [1] * 50
    moved = X.copy()
    moved[-1] = 0.4
    found = [Fwell(1.0, bounds=(0, 1), solver="one-pass").fit(rows, y) for rows in (X, moved)]
    assert [weighted.weights_[0] for weighted in found] == pytest.approx([1.0, -1.0], abs=1e-9)
    assert found[0].gradient_norm_ > 0.1


def test_one_pass_is_the_printed_loop():
    z = np.random.default_rng(5).normal(0, 1, (7, 3))
    w = np.ones(3)
    for row in z:
        g = -row / (1 + np.exp(w @ row)) / 7 + 2 * 0.3 * w
        w = w - g / np.linalg.norm(g)
    assert one_pass(z, 0.3) == pytest.approx(w)
    assert one_pass(sp.csr_array(z), 0.3) == pytest.approx(w)


# -- the estimator -----------------------------------------------------------------------------------------------------


def data(n=120, d=12, seed=4):
    rng = np.random.default_rng(seed)
    X = rng.random((n, d)) * (rng.random((n, d)) < 0.6)
    return X, np.where(X[:, 2] + X[:, 7] > X[:, 2].mean() + X[:, 7].mean(), "yes", "no")


def test_the_features_that_decide_are_the_heaviest():
    X, y = data(n=400)
    weighted = Fwell(0.01, n_features=2).fit(X, y)
    assert np.flatnonzero(weighted.get_support()).tolist() == [2, 7]
    assert weighted.transform(X).shape == (400, 2)
    assert weighted.gradient_norm_ <= 1e-9
    assert not hasattr(weighted, "release")


@pytest.mark.parametrize("solver", ["exact", "one-pass"])
def test_sparse_and_dense_weigh_alike(solver):
    X, y = data()
    dense, sparse = (Fwell(0.1, solver=solver).fit(rows, y).weights_ for rows in (X, sp.csc_matrix(X)))
    assert dense == pytest.approx(sparse, abs=1e-9)


def test_the_unit_of_a_column_does_not_matter():
    X, y = data()
    unit = 2.0 ** np.arange(-6, 6)
    plain, other = Fwell(0.1).fit(X, y), Fwell(0.1).fit(X * unit + 4 * unit, y)
    assert plain.weights_ == pytest.approx(other.weights_, abs=1e-6)
    given_ = Fwell(0.1, bounds=(4 * unit, 4 * unit + X.max(axis=0) * unit)).fit(X * unit + 4 * unit, y)
    assert plain.weights_ == pytest.approx(given_.weights_, abs=1e-6)


def test_a_constant_column_weighs_nothing():
    X, y = data()
    X[:, 0] = 5
    assert Fwell().fit(X, y).weights_[0] == 0


def test_a_tenth_of_the_features_is_kept_unless_a_number_is_given():
    assert heaviest(np.arange(40), None).tolist() == [39, 38, 37, 36]
    assert heaviest(np.arange(4), None).tolist() == [3]
    with pytest.raises(ParameterError, match="99 features were asked of 12"):
        Fwell(n_features=99).fit(*data())


def test_labels_that_allow_no_neighbours_are_refused():
    X, y = data()
    with pytest.raises(DataError, match="1 classes"):
        Fwell().fit(X, ["no"] * len(X))
    with pytest.raises(DataError, match="3 classes, 1 of them with a single row"):
        Fwell().fit(X, ["maybe", *y[1:]])


def test_errors_tell_no_cell():
    X, y = data()
    text = X.astype(object)
    text[3, 3] = "secret-7731"
    with pytest.raises(DataError, match="needs numbers") as refused:
        Fwell().fit(text, y)
    assert "secret" not in str(refused.value)
    with pytest.raises(DataError, match="without the zero") as refused:
        Fwell(bounds=(0.125, 1)).fit(sp.csr_array(X), y)
    assert "12 columns" in str(refused.value)


@pytest.mark.parametrize(
    "wrong", [{"regularization": 0}, {"solver": "newton"}, {"tolerance": 0.0}, {"n_features": 0}, {"bounds": 3}]
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        Fwell(**wrong).fit(*data())


@pytest.mark.parametrize("wrong", [(1, 0), (0, 1, 2), (0, float("inf")), ("a", "b"), ([0, 0], [1, 1]), (None, 1)])
def test_bounds_are_checked(wrong):
    with pytest.raises(ParameterError, match="pair"):
        limits(wrong, ["a", "b", "c"])
    with pytest.raises(ParameterError, match="none for 'c'"):
        limits({"a": (0, 1), "b": (0, 1)}, ["a", "b", "c"])


def test_cells_beyond_the_bounds_are_brought_back():
    X = np.array([[-5.0, 0.5], [9.0, 0.0]])
    ends = np.zeros(2), np.array([2.0, 1.0])
    assert scaled(X, *ends).tolist() == scaled(sp.csr_array(X), *ends).toarray().tolist() == [[0, 0.5], [1, 0]]


def test_a_sparse_column_without_zeros_may_lie_anywhere():
    X, y = data()
    X[:, 0] = 3 + np.arange(len(X)) / 7
    dense, sparse = (Fwell(0.1).fit(rows, y).weights_ for rows in (X, sp.csr_array(X)))
    assert dense == pytest.approx(sparse, abs=1e-9)


def test_in_a_pipeline():
    X, y = data(n=400)
    model = make_pipeline(Fwell(0.01, n_features=2), KNeighborsClassifier(3)).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.8


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([Fwell(), Fwell(0.1, solver="one-pass", n_features=1)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
