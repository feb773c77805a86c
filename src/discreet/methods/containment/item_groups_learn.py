# SPDX-License-Identifier: Apache-2.0
"""Learn groups of items: those that speak for the same class go together, the strongest first.

Of each item the class is known that it speaks for most clearly (its largest standardised excess of rows), and how
strongly (the logarithm of the ratio of its shares in that class and outside, with one row added to each in the
proportion of the classes). The items of a class, in the order of strength, are cut into groups, each as soon as a given
share of the rows has one of its members. So strong items are not mixed with weak ones, and several groups of like
strength together say how much of it a row has.

Groups are published, so nothing is learnt from the rows of a class that fewer than k persons have: a group of items
that speak for such a class would tell what these few persons have in common.
"""

from __future__ import annotations

import numpy as np

from discreet.counting.bitmaps import Patterns
from discreet.counting.class_separation import labels_of
from discreet.counting.tally import persons_per_group
from discreet.data.baskets import Baskets
from discreet.foundation.lazy_modules import sparse as sp


def of_common_classes(baskets: Baskets, k: int) -> Baskets | None:
    """The rows of the classes that k persons have; None if these are fewer than two classes.

    >>> of_common_classes(Baskets.of([[1], [0], [1], [1], [0]], list("aabbc")), 2)
    Baskets(4 rows, 1 items, 3 ones)
    """
    classes = common_classes(baskets, k)
    if len(classes) < 2:
        return None
    return baskets.take(np.flatnonzero(np.isin(labels_of(baskets), classes)))


def common_classes(baskets: Baskets, k: int) -> np.ndarray:
    """The classes that k persons have."""
    return np.flatnonzero(
        persons_per_group(labels_of(baskets).astype(np.int64), baskets.n_classes, baskets.persons) >= k
    )


def learnt_groups(baskets: Baskets, items: np.ndarray, coverage: float) -> list[list[int]]:
    """Groups of these items, each at most one group's; with coverage 0 every item is by itself.

    >>> X = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 1]]
    >>> learnt_groups(Baskets.of(X, [1, 1, 1, 0, 0, 0]), np.arange(4), 0.5)
    [[2, 3], [0, 1]]
    """
    strength, clearness = _tendencies(baskets)
    clearness[:, np.bincount(labels_of(baskets), minlength=baskets.n_classes) == 0] = -np.inf
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
    n, one_hot = len(baskets), np.eye(baskets.n_classes)[labels_of(baskets)]
    inside = baskets.matrix.astype(float).T @ one_hot
    size, support = one_hot.sum(axis=0), baskets.support[:, None]
    share = size / n
    outside = support - inside
    share_inside = np.maximum(inside + share, 1e-9) / (size + 1)  # a class may be empty
    ratio = np.log(share_inside) - np.log(np.maximum(outside + 1 - share, 1e-9) / (n - size + 1))
    spread = support * share * (1 - share) * (1 - support / n)
    return ratio, (inside - support * share) / np.sqrt(np.maximum(spread, 1e-9))


def fitting(matrix: sp.csr_array, baskets: Baskets, k: int, n_first: int, *, by: str) -> list[int]:
    """Of the columns for the rows of these baskets, those that fit together, each that leaves every row contained in
    those of k persons. The first `n_first` columns are tried first, by chi-squared ("telling") or by the number of rows
    that have them ("common"), the highest first; then the others, by chi-squared of the classes that k persons have."""
    telling, columns = _chi_squared(matrix, baskets, common_classes(baskets, k)), matrix.tocsc()
    score = np.where(np.arange(matrix.shape[1]) < n_first, np.diff(columns.indptr), telling)
    score = telling if by == "telling" else score
    order = np.lexsort((-score, np.arange(matrix.shape[1]) >= n_first))
    patterns, kept = Patterns(len(baskets), baskets.persons), []
    for place in order.tolist():
        rows = columns.indices[columns.indptr[place] : columns.indptr[place + 1]]
        if 0 < len(rows) < len(baskets) and patterns.keeps_containment(rows, k):
            patterns.add(rows)
            kept.append(place)
    return kept


def _chi_squared(matrix: sp.csr_array, baskets: Baskets, classes: np.ndarray) -> np.ndarray:
    """Of the rows of these classes that have each column, by class; the number of rows if there is one class."""
    one_hot = np.eye(baskets.n_classes)[labels_of(baskets)][:, classes]
    observed = matrix.astype(float).T @ one_hot
    if len(classes) < 2:
        return np.asarray(matrix.sum(axis=0), dtype=float)
    expected = np.outer(observed.sum(axis=1), one_hot.sum(axis=0) / one_hot.sum())
    return np.divide((observed - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0).sum(axis=1)
