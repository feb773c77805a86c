# SPDX-License-Identifier: Apache-2.0
"""Simple orders to add features in, each while containment holds: where OptimalSelector starts from.

A feature that does not fit is skipped; features of the same score are taken in both directions. The orders: weight in a
linear model, chi-squared (with and without the rows that lack the feature), mutual information, HamDist, DistCnt,
correlation and products of these; and pursuit, in which the next features are those that explain most of what the
linear model on the features so far leaves unexplained.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.counting.class_separation import labels_of
from discreet.counting.entropy import entropy_times_n
from discreet.data.baskets import Baskets
from discreet.foundation.progress import progress
from discreet.methods.containment.greedy import by_distcnt
from discreet.methods.containment.optimal_best import Best, by_weight
from discreet.methods.containment.optimal_measures import class_counts_of_items, guides
from discreet.methods.containment.optimal_models import STRONG, WEAK, Ridge

_BATCH = 0.2  # pursuit adds so large a share of the features so far before it fits the model again


def from_simple_orders(best: Best) -> None:
    """Consider the set that each simple order leads to; `starts` has their values."""
    with progress("Adding features in simple orders") as bar:
        for name, features in _sets(best):
            best.starts[name] = max(best.value_of(features), best.starts.get(name, -np.inf))
            bar.advance()
            if best.late():
                return


def _sets(best: Best) -> Iterator[tuple[str, list[int]]]:
    baskets, k = best.baskets, best.k
    for name, scores in simple_orders(baskets).items():
        yield name, best.filled([], scores)
        if (other := _ties_reversed(best.items, scores)) != by_weight(best.items, scores):
            yield name, best.fill([], other)
    separating = by_distcnt(baskets, k, label_known=best.known_labels is not None)
    yield "distcnt", separating
    yield "distcnt, then hamdist", best.filled(separating, guides(baskets)["hamdist"])
    model = Ridge(baskets)
    for penalty in (STRONG * len(baskets), WEAK):
        yield "pursuit", _pursuit(best, model, penalty)


def _ties_reversed(items: list[int], scores: np.ndarray) -> list[int]:
    """The highest first, of equals the last column: which of them fit depends on which comes first.

    >>> _ties_reversed([0, 1, 2], np.array([0.1 + 0.2, 0.3, 0.5]))
    [2, 1, 0]
    """
    alike = np.round(scores / (scores.max(initial=0.0) or 1.0), 9)
    return sorted(items, key=lambda item: (-alike[item], -item))


def simple_orders(baskets: Baskets) -> dict[str, np.ndarray]:
    """Scores of single features, to add them by, the highest first.

    >>> orders = simple_orders(Baskets.of([[1, 0], [1, 1], [0, 1], [0, 1]], [1, 1, 0, 0]))
    >>> sorted(name for name, scores in orders.items() if scores[0] > scores[1])[:2]
    ['chi-squared', 'chi-squared of ones']
    """
    counts, n = class_counts_of_items(baskets), len(baskets)
    share = np.bincount(labels_of(baskets), minlength=baskets.n_classes)[:, None] / n
    support = baskets.support
    of_ones, of_zeros = (_chi_squared(cells, share * total) for cells, total in _cells(counts, share * n, support, n))
    prior = entropy_times_n((share * n).ravel())
    left = sum(entropy_times_n(np.ascontiguousarray(cells.T)) for cells, _ in _cells(counts, share * n, support, n))
    orders = {"chi-squared of ones": of_ones, "chi-squared": of_ones + of_zeros, "mutual information": prior - left}
    return orders | guides(baskets)


def _cells(counts: np.ndarray, sizes: np.ndarray, support: np.ndarray, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The rows of each class with each feature and without it, with their numbers."""
    return [(counts, support), (sizes - counts, n - support)]


def _chi_squared(observed: np.ndarray, expected: np.ndarray) -> np.ndarray:
    return np.divide((observed - expected) ** 2, expected, out=np.zeros_like(expected), where=expected > 0).sum(axis=0)


def _pursuit(best: Best, model: Ridge, penalty: float) -> list[int]:
    """Add the features that explain most of what is left unexplained, a batch at a time, while containment holds."""
    chosen: list[int] = []
    room = len(best.items) if best.limit is None else best.limit
    while len(chosen) < room:
        order = by_weight(best.items, model.unexplained(chosen, penalty))
        more = min(room, len(chosen) + 1 + int(_BATCH * len(chosen)))
        grown = best.fill(chosen, order, more)
        if len(grown) == len(chosen):
            break
        chosen = grown
    return chosen
