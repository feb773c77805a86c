# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbours on sketches: each record gets the class that most of its nearest training sketches have.

Distances on few components are rough, and the nearest of many rough ones are near by chance: records with few
components would be everybody's neighbours. `shrinkage` pulls a distance towards the mean distance of its record, as if
so many components more had shown the mean; distances on many components hardly move.
"""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from discreet.foundation.compiled_kernels import compiled
from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.sketching.mining.ragged import METRICS, as_sketches, distances, measured, some, targets_of

_CELLS = 2**20  # distances that are held at a time


class SketchKNeighborsClassifier(ClassifierMixin, BaseEstimator):
    """The class that most of the nearest sketches have.

    Parameters
    ----------
    n_neighbors : how many neighbours vote.
    metric : "cosine" divides each record by its estimated length first; "euclidean" does not.
    shrinkage : components by which distances are pulled to the mean; 0 takes them as they are.

    Training sketches without components are left out. A record without components gets the shares of the classes.

    >>> from discreet.sketching.signs import Signs
    >>> from discreet.sketching.sketches import sketch
    >>> signs = Signs(bytes(32), 4)
    >>> train = sketch([[1, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 1]], signs, [20, 15, 20])
    >>> new = sketch([[3, 2, 0, 0], [0, 0, 2, 1]], signs, 18)
    >>> SketchKNeighborsClassifier(1).fit(train, ["a", "a", "b"]).predict(new).tolist()
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "metric": [StrOptions(METRICS)],
        "shrinkage": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, n_neighbors: int = 5, *, metric: str = "cosine", shrinkage: float = 20.0) -> None:
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.shrinkage = shrinkage

    def fit(self, X: Any, y: Any = None) -> SketchKNeighborsClassifier:
        """Keep the sketches; y is taken from their labels when it is not given."""
        check_parameters(self, self._parameter_constraints)
        sketches = as_sketches(X)
        self.classes_, codes = targets_of(sketches, y)
        rows = some(sketches)
        self.prior_ = np.bincount(codes, minlength=len(self.classes_)) / len(codes)
        self._references, self._codes = measured(sketches, self.metric).take(rows), codes[rows]
        return self

    def kneighbors(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The squared distances of the nearest training sketches and their places among those that have components,
        nearest first, earlier ones first among equals. A record without components has NaN and -1."""
        check_is_fitted(self)
        queries = measured(X, self.metric)
        n = min(self.n_neighbors, len(self._references))
        far, near = np.full((len(queries), n), np.nan), np.full((len(queries), n), -1)
        rows = np.flatnonzero(queries.counts)
        for part in np.array_split(rows, -(-len(rows) * len(self._references) // _CELLS) or 1):
            distance, shared = distances(queries.take(part), self._references)
            if self.shrinkage:
                mean = distance.mean(axis=1, keepdims=True)
                distance -= mean
                distance *= shared / (shared + self.shrinkage)
                distance += mean
            near[part] = least(distance, n)
            far[part] = np.take_along_axis(distance, near[part], axis=1)
        return far, near

    def predict_proba(self, X: Any) -> np.ndarray:
        """The share of each class among the neighbours."""
        near = self.kneighbors(X)[1]
        votes = np.stack([(self._codes[near] == c).mean(axis=1) for c in range(len(self.classes_))], axis=1)
        return np.where(near[:, :1] < 0, self.prior_, votes)

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes, the first one of equals."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


@compiled
def least(values, n):
    """The places of the n least numbers of each row, least first, earlier ones first among equals."""
    places = np.empty((len(values), n), np.int64)
    for i in range(len(values)):
        row, mine, size = values[i], places[i], 0
        for j in range(len(row)):
            if size == n and not row[j] < row[mine[n - 1]]:
                continue
            at = min(size, n - 1)
            while at > 0 and row[j] < row[mine[at - 1]]:
                mine[at] = mine[at - 1]
                at -= 1
            mine[at] = j
            size = min(size + 1, n)
    return places
