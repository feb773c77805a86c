# SPDX-License-Identifier: Apache-2.0
"""Upper bounds of the utility over all feasible sets: how far the selected set may be from the best.

Two features conflict if some row has both, but fewer than k persons do: no feasible set has both. A clique of conflicts
gives at most one of its features to any feasible set. So if the utility of a set is at most the sum of those of its
features (HamDist, DistCnt), the best feature of each clique bounds it. Every other bound is that of all features
together, feasible or not.
"""

from __future__ import annotations

import numpy as np

from discreet.data.baskets import Baskets
from discreet.foundation.compiled_kernels import compiled
from discreet.methods.containment.optimal_best import Best
from discreet.methods.containment.optimal_models import csr

_PAIRS = 2e8  # pairs of ones in a row, up to which conflicts are counted


def ceiling(best: Best) -> float | None:
    """The smallest proven bound, or None if there is none."""
    worth, items = best.worth, best.items
    bounds = [worth.ceiling(items) if not worth.modular else worth.value(best.trimmed(items))]
    if worth.additive:
        alone = worth.alone(items)
        bounds.append(_sum_of_most(most_in_cliques(best.baskets, best.k, items, alone), best.limit))
    known = [bound for bound in bounds if bound is not None]
    return min(known) if known else None


def _sum_of_most(values: np.ndarray, limit: int | None) -> float:
    return float(np.sort(values)[::-1][:limit].sum())


def most_in_cliques(baskets: Baskets, k: int, items: list[int], alone: np.ndarray) -> np.ndarray:
    """The value of the best feature of each clique of conflicts; each feature is in one clique.

    >>> X = [[1, 1, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1], [0, 1, 1], [0, 0, 0]]
    >>> most_in_cliques(Baskets.of(X), 2, [0, 1, 2], np.array([3.0, 2.0, 1.0])).tolist()
    [3.0, 1.0]
    """
    X = csr(baskets)[:, items]
    if float((np.diff(X.indptr).astype(float) ** 2).sum()) > _PAIRS:
        return alone
    order = np.argsort(-alone, kind="stable")
    X = X[:, order]
    together = (X.T @ X).tocsr()
    together.data[together.data >= k] = 0  # of a pair, k rows may be fewer than k persons: then it is no conflict here
    together.eliminate_zeros()
    together.sort_indices()
    return alone[order][_leaders(together.indptr, together.indices, len(items))]


@compiled
def _leaders(indptr, indices, n):
    """The first feature of each clique: each feature joins the first clique with all of which it conflicts."""
    leader = np.empty(n, dtype=np.int64)
    size = np.zeros(n, dtype=np.int64)
    clique = np.full(n, -1, dtype=np.int64)
    hits = np.zeros(n, dtype=np.int64)
    n_cliques = 0
    for j in range(n):
        mine = n
        for i in range(indptr[j], indptr[j + 1]):
            other = indices[i]
            if other < j:
                c = clique[other]
                hits[c] += 1
                if hits[c] == size[c] and c < mine:
                    mine = c
        for i in range(indptr[j], indptr[j + 1]):
            if indices[i] < j:
                hits[clique[indices[i]]] = 0
        if mine == n:
            mine = n_cliques
            leader[mine] = j
            n_cliques += 1
        clique[j] = mine
        size[mine] += 1
    return leader[:n_cliques]
