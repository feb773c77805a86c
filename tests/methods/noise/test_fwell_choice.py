# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_classification

from discreet import Fwell, ParameterError
from discreet.methods.noise.fwell_choice import GRID, best_variant, variants
from discreet.methods.noise.fwell_neighbours import margins_to


def by_hand(rows, classes, n_neighbors, metric):
    """The definition, one row after the other: means over the nearest hits and misses, ties to the first row."""

    def distance(a, b):
        if metric == "manhattan":
            return round(sum(abs(x - y) for x, y in zip(a, b, strict=True)), 9)
        norm = np.sqrt(sum(x * x for x in a)) * np.sqrt(sum(y * y for y in b))
        return round(-sum(x * y for x, y in zip(a, b, strict=True)) / norm, 9) if norm else 0.0

    z = []
    for i, row in enumerate(rows):
        parts = []
        for same in (False, True):
            others = [j for j in range(len(rows)) if j != i and (classes[j] == classes[i]) == same]
            near = sorted(others, key=lambda j: (distance(row, rows[j]), j))[:n_neighbors]
            parts.append([np.abs(np.subtract(row, rows[j])) for j in near])
        complete = all(parts)
        z.append(np.mean(parts[0], axis=0) - np.mean(parts[1], axis=0) if complete else np.zeros(len(row)))
    return np.array(z)


@pytest.mark.parametrize("metric", ["manhattan", "cosine"])
@given(
    cells=st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=4, max_size=9),
    labels=st.lists(st.integers(0, 2), min_size=9, max_size=9),
    n_neighbors=st.integers(2, 4),
)
def test_margins_to_several_neighbours_equal_the_definition(metric, cells, labels, n_neighbors):
    X, classes = np.array(cells, dtype=float), np.array(labels[: len(cells)])
    expected = by_hand(X.tolist(), classes.tolist(), n_neighbors, metric)
    sparse = margins_to(sp.csr_array(X), classes, n_neighbors, metric)
    np.testing.assert_allclose(sparse.toarray(), expected, atol=1e-9)
    if metric == "manhattan":
        np.testing.assert_allclose(margins_to(X, classes, n_neighbors, metric), expected, atol=1e-9)


def test_the_choice_is_the_one_with_most_held_out_rows_right():
    X, y = make_classification(300, 60, n_informative=4, n_redundant=6, n_clusters_per_class=4, random_state=0)
    model = Fwell(n_features=8).fit(X, y)
    chosen = (model.regularization_, model.n_neighbors_, model.metric_)
    assert model.held_out_[chosen] == max(model.held_out_.values())
    assert {variant.regularization for variant in model.held_out_} == set(GRID)
    given_ = Fwell(model.regularization_, n_neighbors=10, n_features=8).fit(X, y)
    np.testing.assert_array_equal(given_.weights_, model.weights_)
    assert not given_.held_out_


def test_sparse_rows_are_compared_by_cosine_where_that_helps():
    """Long and short rows about two subjects: by Manhattan distance everybody is near the short ones."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    long = rng.uniform(0.02, 0.5, 400)
    about = np.where(y[:, None] == (np.arange(200) < 100), 1.0, 0.45)
    about[:, 20:100] = about[:, 120:] = 0.7  # most words are about neither
    X = sp.csr_array((rng.random((400, 200)) < long[:, None] * about).astype(float))
    model = Fwell(n_features=40).fit(X, y)
    assert model.metric_ == "cosine"
    useful = {*range(20), *range(100, 120)}
    plain = Fwell(0.01, n_features=40).fit(X, y)
    assert len(useful & set(model.order_.tolist())) > len(useful & set(plain.order_.tolist()))


def test_given_numbers_are_used_as_they_are():
    assert {v.n_neighbors for v in variants(3, None, sparse=True)} == {3}
    assert {v.metric for v in variants(None, None, sparse=False)} == {"manhattan"}
    few = np.random.default_rng(0).random((8, 3))
    chosen, shares = best_variant(few, np.array([0, 1] * 4), variants(None, None, sparse=False), None)
    assert not shares
    assert chosen.regularization == 0.1
    with pytest.raises(ParameterError, match="for sparse rows"):
        Fwell(metric="cosine").fit(few, [0, 1] * 4)
