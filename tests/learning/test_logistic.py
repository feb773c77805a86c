# SPDX-License-Identifier: Apache-2.0
"""Logistic regression on distinct rows, against scikit-learn's on single rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression

from discreet.learning.logistic import fit_logistic


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_finds_the_minimum_that_scikit_learn_finds(n_classes):
    rng = np.random.default_rng(n_classes)
    lines = rng.integers(0, 2, (30, 6)).astype(float)
    rows = rng.integers(0, 30, 2000)
    score = lines[rows] @ rng.normal(0, 1.5, (6, n_classes)) + rng.gumbel(size=(2000, n_classes))
    labels = score.argmax(axis=1)
    counts = np.zeros((30, n_classes))
    np.add.at(counts, (rows, labels), 1)
    weights, intercepts = fit_logistic(sp.csr_array(lines), counts)
    theirs = LogisticRegression(max_iter=5000, tol=1e-10).fit(lines[rows], labels)
    found = lines @ weights + intercepts
    shares = np.exp(found) / np.exp(found).sum(axis=1, keepdims=True)
    assert shares == pytest.approx(theirs.predict_proba(lines), abs=1e-3)


def test_of_one_class_everybody_belongs_to_it():
    weights, intercepts = fit_logistic(sp.csr_array(np.eye(3)), np.array([[2.0], [1.0], [4.0]]))
    assert (np.eye(3) @ weights + intercepts).argmax(axis=1).tolist() == [0, 0, 0]
