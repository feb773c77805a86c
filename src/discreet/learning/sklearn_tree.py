# SPDX-License-Identifier: Apache-2.0
"""scikit-learn's decision tree, read as branches over the codes of examples, for who wants another inducer than C4.5.

A number is given to scikit-learn as its code, NaN where it is not known: a test on it gives two intervals of codes. A
category is given as its code, whose tests give two ranges of codes, or as a column of 0 and 1 for each code: the test
of such a column gives the branches "is v" and "is not v".
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.errors import DataError
from discreet.learning.decision_tree import Branch
from discreet.learning.examples import Examples


def sklearn_branches(examples: Examples, **parameters: Any) -> tuple[Branch, ...]:
    """The branches of scikit-learn's DecisionTreeClassifier, fitted to the examples with categories as 0/1 columns.

    >>> from discreet.data.table import Table
    >>> examples = Examples.of(Table.of({"a": ["u", "v", "w", "u"], "y": [1, 0, 0, 1]}), ["a"], "y")
    >>> [branch.accepts.tolist() for branch in sklearn_branches(examples, random_state=0)]
    [[False, True, True, True], [True, False, False, False]]
    """
    from sklearn.tree import DecisionTreeClassifier

    rows, labels = np.nonzero(examples.counts)
    estimator = DecisionTreeClassifier(**parameters)
    estimator.fit(one_hot(examples)[rows], labels, sample_weight=examples.counts[rows, labels])
    return from_sklearn(estimator, examples)


def one_hot(examples: Examples) -> np.ndarray:
    """The distinct rows as a matrix for scikit-learn: a column for each number, one for each code of a category."""
    columns = []
    for f, feature in enumerate(examples.features):
        codes = examples.codes[:, f]
        if feature.is_number:
            columns.append(np.where(codes == feature.unknown, np.nan, codes)[:, None])
        else:
            columns.append(codes[:, None] == np.arange(feature.unknown))
    return np.concatenate(columns, axis=1).astype(np.float32) if columns else np.empty((len(examples), 0), np.float32)


def from_sklearn(estimator: Any, examples: Examples, *, codes: bool = False) -> tuple[Branch, ...]:
    """The branches of a fitted DecisionTreeClassifier on the columns of `one_hot`, or on the codes themselves."""
    tree, meanings = estimator.tree_, _meanings(examples, codes)
    if len(meanings) != estimator.n_features_in_:
        raise DataError(
            f"The tree was fitted to {estimator.n_features_in_} columns; the examples have"
            f" {len(meanings)} {'columns of codes' if codes else 'with the categories as 0 and 1'}. Fit it to these."
        )
    below: list[tuple[Branch, ...]] = [()] * tree.node_count
    for node in reversed(range(tree.node_count)):  # children stand after their parents
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        if left < 0:
            continue
        f, code = meanings[tree.feature[node]]
        feature = examples.features[f]
        every = np.arange(feature.unknown + 1)
        goes_left = (every if code is None else every == code) <= tree.threshold[node]
        if feature.is_number:
            goes_left[-1] = bool(tree.missing_go_to_left[node])
        below[node] = (Branch(f, goes_left, below[left]), Branch(f, ~goes_left, below[right]))
    return below[0]


def _meanings(examples: Examples, codes: bool) -> list[tuple[int, int | None]]:
    """Of each column of scikit-learn's matrix the feature, and the code that it asks for; none where it is the code."""
    meanings: list[tuple[int, int | None]] = []
    for f, feature in enumerate(examples.features):
        meanings += [(f, None)] if codes or feature.is_number else [(f, code) for code in range(feature.unknown)]
    return meanings
