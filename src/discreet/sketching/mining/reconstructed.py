# SPDX-License-Identifier: Apache-2.0
"""Any scikit-learn estimator on sketches: every cell of the records is estimated first, and the estimator learns from
the estimates.

It needs the key, so it is for the owner and for people who may know the records. Estimates of single cells are much
rougher than those of distances: where an estimator can work with distances, work on the sketches themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from discreet.errors import DataError
from discreet.sketching.mining.ragged import as_sketches, some, targets_of
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import Sketches

_CELLS = 2**23  # of records that are held at a time when asked


class SketchReconstruction(BaseEstimator):
    """An estimator fitted on the reconstructed records.

    Parameters
    ----------
    estimator : any scikit-learn estimator; a copy of it is fitted.
    signs : the owner's key.

    `estimator_` is the fitted copy. Training sketches without components are left out; asked about one, the estimator
    sees a record of zeros.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from discreet.sketching.sketches import sketch
    >>> signs = Signs(bytes(32), 4)
    >>> train = sketch([[1, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 1], [0, 0, 2, 2]], signs, 30)
    >>> model = SketchReconstruction(GaussianNB(), signs).fit(train, ["a", "a", "b", "b"])
    >>> model.predict(sketch([[1, 2, 0, 0]], signs, 30)).tolist()
    ['a']
    """

    def __init__(self, estimator: Any, signs: Signs) -> None:
        self.estimator = estimator
        self.signs = signs

    def fit(self, X: Any, y: Any = None) -> SketchReconstruction:
        """Reconstruct and fit; y is taken from the labels of the sketches when it is not given and they have any."""
        if not isinstance(self.signs, Signs):
            raise DataError("Records are reconstructed with the owner's key: say signs.")
        sketches = as_sketches(X)
        rows = some(sketches)
        labels = None
        if y is not None or sketches.labels is not None:
            classes, codes = targets_of(sketches, y)
            labels = classes[codes[rows]]
            self.classes_ = classes
        self.estimator_ = clone(self.estimator)
        matrix = sketches.take(rows).attributes(self.signs)
        self.estimator_ = self.estimator_.fit(matrix) if labels is None else self.estimator_.fit(matrix, labels)
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self._answers("predict", X)

    def predict_proba(self, X: Any) -> np.ndarray:
        return self._answers("predict_proba", X)

    def decision_function(self, X: Any) -> np.ndarray:
        return self._answers("decision_function", X)

    def transform(self, X: Any) -> np.ndarray:
        return self._answers("transform", X)

    def score(self, X: Any, y: Any = None) -> float:
        """The share of records whose class is predicted."""
        sketches = as_sketches(X)
        classes, codes = targets_of(sketches, y)
        return float((self.predict(sketches) == classes[codes]).mean())

    def _answers(self, what: str, X: Any) -> np.ndarray:
        check_is_fitted(self)
        call = getattr(self.estimator_, what)
        return np.concatenate([call(part.attributes(self.signs)) for part in self._parts(as_sketches(X))])

    def _parts(self, sketches: Sketches) -> Iterator[Sketches]:
        rows = max(_CELLS // self.signs.n_items, 1)
        for start in range(0, max(len(sketches), 1), rows):
            yield sketches.take(np.arange(start, min(start + rows, len(sketches))))
