# SPDX-License-Identifier: Apache-2.0
"""Learn groups of items: those that speak for the same class go together, the strongest first.

Of each item the class is known that it speaks for most clearly (its largest standardised excess of rows), and how
strongly (the logarithm of the ratio of its shares in that class and outside, with one row added to each in the
proportion of the classes). The items of a class, in the order of strength, are cut into groups, each as soon as a given
share of the rows has one of its members. So strong items are not mixed with weak ones, and several groups of like
strength together say how much of it a row has.
"""

from __future__ import annotations

import numpy as np

from discreet.counting.bitmaps import Patterns
from discreet.data.baskets import Baskets
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.randomness import Randomness

GRID = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)  # coverages that "auto" compares
_FOLDS = 3
_FEW, _TIMES = 1000, 4  # rows up to which they are divided into folds so many times
_PENALTIES = (1.0, 30.0)
_MOST_CELLS = 20_000_000  # of a dense matrix that a linear model is fitted on


def learnt_groups(baskets: Baskets, items: np.ndarray, coverage: float) -> list[list[int]]:
    """Groups of these items, each at most one group's; with coverage 0 every item is by itself.

    >>> X = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 1]]
    >>> learnt_groups(Baskets.of(X, [1, 1, 1, 0, 0, 0]), np.arange(4), 0.5)
    [[2, 3], [0, 1]]
    """
    strength, clearness = _tendencies(baskets)
    speaks_for = clearness[items].argmax(axis=1)
    columns, groups = baskets.columns, []
    for c in range(baskets.n_classes):
        mine = items[speaks_for == c]
        covered, group = np.zeros(len(baskets), dtype=bool), list[int]()
        for item in mine[np.argsort(-strength[mine, c], kind="stable")].tolist():
            group.append(item)
            covered[columns.indices[columns.indptr[item] : columns.indptr[item + 1]]] = True
            if covered.sum() >= coverage * len(baskets):
                groups.append(group)
                covered[:], group = False, []
        if group:
            groups.append(group)
    return groups


def _tendencies(baskets: Baskets) -> tuple[np.ndarray, np.ndarray]:
    """For each item and class: how strongly the item speaks for the class, and how clearly."""
    assert baskets.labels is not None
    n, one_hot = len(baskets), np.eye(baskets.n_classes)[baskets.labels]
    inside = baskets.matrix.astype(float).T @ one_hot
    size, support = one_hot.sum(axis=0), baskets.support[:, None]
    share = size / n
    outside = support - inside
    share_inside = np.maximum(inside + share, 1e-9) / (size + 1)  # a class may be empty
    ratio = np.log(share_inside) - np.log(np.maximum(outside + 1 - share, 1e-9) / (n - size + 1))
    spread = support * share * (1 - share) * (1 - support / n)
    return ratio, (inside - support * share) / np.sqrt(np.maximum(spread, 1e-9))


def grouped_matrix(baskets: Baskets, groups: list[list[int]]) -> sp.csr_array:
    """0/1 columns, one for each group: whether a row has one of its members."""
    items = np.concatenate([np.asarray(group, dtype=np.int64) for group in groups]) if groups else np.zeros(0, int)
    column = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    member = sp.csr_array((np.ones(len(items)), (items, column)), shape=(baskets.shape[1], len(groups)))
    return sp.csr_array((baskets.matrix.astype(float) @ member) > 0)


def fitting(matrix: sp.csr_array, baskets: Baskets, k: int, n_groups: int) -> list[int]:
    """Of the columns for the rows of these baskets, those that fit together: first the `n_groups` groups, then single
    items, by chi-squared, the highest first, each that leaves every row contained in those of k persons."""
    order = np.lexsort((-_chi_squared(matrix, baskets), np.arange(matrix.shape[1]) >= n_groups))
    patterns, kept, columns = Patterns(len(baskets), baskets.persons), [], matrix.tocsc()
    for place in order.tolist():
        rows = columns.indices[columns.indptr[place] : columns.indptr[place + 1]]
        if 0 < len(rows) < len(baskets) and patterns.keeps_containment(rows, k):
            patterns.add(rows)
            kept.append(place)
    return kept


def _chi_squared(matrix: sp.csr_array, baskets: Baskets) -> np.ndarray:
    """Of the rows that have each column, by class."""
    assert baskets.labels is not None
    one_hot = np.eye(baskets.n_classes)[baskets.labels]
    observed = matrix.astype(float).T @ one_hot
    expected = np.outer(observed.sum(axis=1), one_hot.mean(axis=0))
    return np.divide((observed - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0).sum(axis=1)


# -- how large groups should be ----------------------------------------------------------------------------------------


def held_out_auc(baskets: Baskets, k: int, coverage: float) -> float:
    """The mean AUC, over folds, of a linear model on the groups of the other folds that fit together.

    The other folds have fewer rows, so fewer persons are asked for, in proportion: else groups would fit less well
    than on all rows. Few rows are divided several times.
    """
    scores = []
    fewer = max(2, round(k * (1 - 1 / _FOLDS)))
    for time in range(1 if len(baskets) > _FEW else _TIMES):
        fold = _folds(baskets, time)
        for f in range(_FOLDS):
            learnt, tested = baskets.take(np.flatnonzero(fold != f)), baskets.take(np.flatnonzero(fold == f))
            items = np.flatnonzero((learnt.support >= fewer) & (learnt.support < len(learnt)))
            groups = learnt_groups(learnt, items, coverage)
            kept = fitting(grouped_matrix(learnt, groups), learnt, fewer, len(groups))
            chosen = [groups[place] for place in kept]
            parts = grouped_matrix(learnt, chosen), learnt.labels, grouped_matrix(tested, chosen), tested.labels
            scores.append(_auc(*parts))  # type: ignore[arg-type]
    return float(np.mean(scores))


def _folds(baskets: Baskets, time: int) -> np.ndarray:
    """The fold of each row by lot, each class spread evenly, the rows of a person together."""
    assert baskets.labels is not None
    whose = np.arange(len(baskets)) if baskets.persons is None else baskets.persons
    by_class = np.lexsort((Randomness(3 + time).permutation(len(baskets)), baskets.labels))
    place = np.empty(len(baskets), dtype=np.int64)
    place[by_class] = np.arange(len(baskets))
    first = np.full(int(whose.max()) + 1, len(baskets))
    np.minimum.at(first, whose, place)
    return first[whose] % _FOLDS


def _auc(X: sp.csr_array, labels: np.ndarray, tested: sp.csr_array, truth: np.ndarray) -> float:
    """The better of two ridge regressions on the classes' indicators; the mean over classes that are in both parts."""
    if not X.shape[1]:
        return 0.5
    from sklearn.metrics import roc_auc_score

    most = max(_MOST_CELLS // X.shape[1], 2000)
    rows = Randomness(4).permutation(X.shape[0])[:most]
    dense, targets = X[rows].toarray().astype(float), np.eye(int(max(labels.max(), truth.max())) + 1)[labels[rows]]
    middle, share = dense.mean(axis=0), targets.mean(axis=0)
    dense -= middle
    products, sums = dense.T @ dense, dense.T @ (targets - share)
    scores = []
    for penalty in _PENALTIES:
        weights = np.linalg.solve(products + penalty * np.eye(len(products)), sums)
        predicted = (tested.astype(float) @ weights) - middle @ weights
        areas = [roc_auc_score(truth == c, predicted[:, c]) for c in range(len(share)) if 0 < np.mean(truth == c) < 1]
        scores.append(float(np.mean(areas)) if areas else 0.5)
    return max(scores)
