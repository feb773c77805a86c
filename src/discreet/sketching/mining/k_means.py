# SPDX-License-Identifier: Apache-2.0
"""k-means on sketches: records and centres are compared on the components both have.

Component j of a centre is the mean over those of its members that have component j. It has the components that `share`
of its members have at least. With share=1 these are the components that all members have, the rule of the paper: one
record with a single component then leaves its centre a single one.

Distances are estimates on different numbers of components, so a step may raise their sum. Each start keeps its best
state, and the best start wins.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from discreet.errors import DataError
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.foundation.randomness import Randomness, RandomState
from discreet.sketching.mining.ragged import METRICS, as_sketches, distances, measured, some
from discreet.sketching.sketches import Sketches


class SketchKMeans(ClusterMixin, BaseEstimator):
    """Clusters of sketches.

    Parameters
    ----------
    n_clusters : how many.
    metric : "cosine" divides each record by its estimated length first; "euclidean" does not.
    share : a centre has the components that this share of its members have.
    n_init : starts, by k-means++; the one with the least sum of distances wins.
    max_iter : steps of a start at most.

    Attributes: `labels_` (-1 for records without components), `cluster_centers_` (sketches), `inertia_`, `n_iter_`.

    >>> from discreet.sketching.signs import Signs
    >>> from discreet.sketching.sketches import sketch
    >>> made = sketch([[1, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 1], [0, 0, 3, 2]], Signs(bytes(32), 4), [20, 15, 20, 0])
    >>> labels = SketchKMeans(2, random_state=0).fit_predict(made)
    >>> bool(labels[0] == labels[1] != labels[2]), int(labels[3])
    (True, -1)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "metric": [StrOptions(METRICS)],
        "share": [Interval(Real, 0, 1, closed="right")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": [None, Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        metric: str = "cosine",
        share: float = 0.5,
        n_init: int = 4,
        max_iter: int = 100,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.share = share
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> SketchKMeans:
        """Find the clusters; y is not used."""
        check_parameters(self, self._parameter_constraints)
        sketches = as_sketches(X)
        rows = some(sketches)
        if len(rows) < self.n_clusters:
            raise DataError(f"{self.n_clusters} clusters were asked of {len(rows)} sketches that have components.")
        measured_rows = measured(sketches, self.metric).take(rows)
        generator = Randomness(self.random_state).numpy()
        starts = [self._start(measured_rows, generator) for _ in range(self.n_init)]
        self.inertia_, labels, self.cluster_centers_, self.n_iter_ = min(starts, key=lambda start: start[0])
        self.labels_ = np.full(len(sketches), -1)
        self.labels_[rows] = labels
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of the nearest centre, the first one of equals; -1 for records without components."""
        check_is_fitted(self)
        queries = measured(X, self.metric)
        labels, rows = np.full(len(queries), -1), np.flatnonzero(queries.counts)
        labels[rows] = np.argmin(distances(queries.take(rows), self.cluster_centers_)[0], axis=1)
        return labels

    def _start(self, sketches: Sketches, generator: Any) -> tuple[float, np.ndarray, Sketches, int]:
        centres = sketches.take(_spread_out(sketches, self.n_clusters, generator))
        labels, best, steps = np.zeros(0), None, 0
        for step in range(1, self.max_iter + 1):
            far, steps = distances(sketches, centres)[0], step
            nearest = np.argmin(far, axis=1)
            total = float(far[np.arange(len(far)), nearest].sum())
            if best is None or total < best[0]:
                best = (total, nearest, centres)
            if np.array_equal(nearest, labels):
                break
            labels = nearest
            centres = centres_of(sketches, _filled(labels, far, self.n_clusters), self.n_clusters, self.share)
        assert best is not None  # there is a first step
        return *best, steps


def centres_of(sketches: Sketches, labels: np.ndarray, n_clusters: int, share: float) -> Sketches:
    """The centre of each cluster, none of which is empty.

    >>> made = Sketches(np.array([4, 2, 6]), np.array([0, 2, 3]))
    >>> [centres_of(made, np.array([0, 0]), 1, share).values.tolist() for share in (0.5, 1.0)]
    [[5.0, 2.0], [5.0]]
    """
    n, width = sketches.padded.shape
    member = sp.csr_array((np.ones(n), (labels, np.arange(n))), shape=(n_clusters, n))
    sizes = np.bincount(labels * (width + 1) + sketches.counts, minlength=n_clusters * (width + 1))
    have = np.cumsum(sizes.reshape(n_clusters, width + 1)[:, ::-1], axis=1)[:, ::-1]  # so many or more components
    counts = (have[:, 1:] >= share * have[:, :1]).sum(axis=1)
    means = member @ sketches.padded / np.maximum(have[:, 1:], 1)
    is_used = np.arange(means.shape[1]) < counts[:, None]
    return Sketches(means[is_used], np.concatenate([[0], np.cumsum(counts)]))


def _spread_out(sketches: Sketches, n_clusters: int, generator: Any) -> list[int]:
    """k-means++: each further start with a probability in proportion to its distance from the nearest one so far."""
    chosen = [int(generator.integers(len(sketches)))]
    nearest = np.full(len(sketches), np.inf)
    while len(chosen) < n_clusters:
        nearest = np.minimum(nearest, distances(sketches, sketches.take(chosen[-1:]))[0][:, 0])
        odds = nearest.copy()
        if not np.delete(odds, chosen).any():  # all others are copies
            odds[:] = 1.0
        odds[chosen] = 0.0
        chosen.append(int(generator.choice(len(sketches), p=odds / odds.sum())))
    return chosen


def _filled(labels: np.ndarray, far: np.ndarray, n_clusters: int) -> np.ndarray:
    """Give every empty cluster the record that is farthest from its own centre, of those that are not alone there."""
    labels, sizes = labels.copy(), np.bincount(labels, minlength=n_clusters)
    for empty in np.flatnonzero(sizes == 0):
        own = np.where(sizes[labels] > 1, far[np.arange(len(labels)), labels], -1.0)
        moved = int(np.argmax(own))
        sizes[labels[moved]] -= 1
        labels[moved], sizes[empty] = empty, 1
    return labels
