# SPDX-License-Identifier: Apache-2.0
"""A linear classifier on sketches: logistic regression whose weights are a sketch too.

The score of a record with m components s is the mean of s_j w_j over them: the estimate of w.x for the weights w of the
records' items whose sketch is (w_j). Only the sketch of w is learnt; no item's weight is known without the key. So a
record enters with its components divided by their number, and zeros after them.
"""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.utils.validation import check_is_fitted

from discreet.foundation.parameters import Interval, StrOptions, check_parameters
from discreet.sketching.mining.ragged import METRICS, as_sketches, measured, some, targets_of
from discreet.sketching.sketches import Sketches


class SketchLinearClassifier(ClassifierMixin, BaseEstimator):
    """Logistic regression on sketches.

    Parameters
    ----------
    C : the inverse of the weight of the L2 penalty, for rows of mean squared length 1.
    metric : "cosine" divides each record by its estimated length first; "euclidean" does not.
    max_iter : steps of the solver at most.

    Training sketches without components are left out. A record without components gets the shares of the classes.
    Attributes: `coef_`, the sketch of the weights of each class, and `intercept_`, as scikit-learn has them.

    >>> from discreet.sketching.signs import Signs
    >>> from discreet.sketching.sketches import sketch
    >>> signs = Signs(bytes(32), 4)
    >>> train = sketch([[1, 1, 0, 0], [2, 2, 0, 0], [0, 0, 1, 1], [0, 0, 1, 2]], signs, [20, 15, 20, 25])
    >>> new = sketch([[3, 2, 0, 0], [0, 0, 2, 1]], signs, 18)
    >>> SketchLinearClassifier().fit(train, ["a", "a", "b", "b"]).predict(new).tolist()
    ['a', 'b']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "C": [Interval(Real, 0, None, closed="neither")],
        "metric": [StrOptions(METRICS)],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, C: float = 1.0, *, metric: str = "cosine", max_iter: int = 200) -> None:
        self.C = C
        self.metric = metric
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any = None) -> SketchLinearClassifier:
        """Learn the weights; y is taken from the labels of the sketches when it is not given."""
        check_parameters(self, self._parameter_constraints)
        sketches = as_sketches(X)
        self.classes_, codes = targets_of(sketches, y)
        self.prior_ = np.bincount(codes, minlength=len(self.classes_)) / len(codes)
        rows = some(sketches)
        self._width = int(sketches.counts.max())
        matrix = self._matrix(measured(sketches.take(rows), self.metric))
        self._occurring = np.unique(codes[rows])
        if len(self._occurring) < 2:
            return self
        scale = float(np.sqrt((matrix**2).sum(axis=1).mean())) or 1.0
        model = LogisticRegression(C=self.C, max_iter=self.max_iter)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(matrix / scale, codes[rows])
        self.coef_, self.intercept_ = model.coef_ / scale, model.intercept_
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """The estimates of w.x + b: one number a record for two classes, else one for each class."""
        check_is_fitted(self, "coef_")
        scores = self._matrix(measured(X, self.metric)) @ self.coef_.T + self.intercept_
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class."""
        check_is_fitted(self)
        sketches = as_sketches(X)
        proba = np.zeros((len(sketches), len(self.classes_)))
        if len(self._occurring) < 2:
            proba[:, self._occurring] = 1.0
        else:
            scores = self.decision_function(sketches)
            scores = np.stack([np.zeros(len(sketches)), scores], axis=1) if scores.ndim == 1 else scores
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            proba[:, self._occurring] = powers / powers.sum(axis=1, keepdims=True)
        proba[sketches.counts == 0] = self.prior_
        return proba

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class, the first one of equals."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]

    def _matrix(self, sketches: Sketches) -> np.ndarray:
        """The components over their number, as many as the widest training record had; what is beyond is cut off."""
        counts = np.minimum(sketches.counts, self._width)
        matrix = np.zeros((len(sketches), self._width))
        width = min(self._width, sketches.padded.shape[1])
        matrix[:, :width] = sketches.padded[:, :width]
        return matrix / np.maximum(counts, 1)[:, None]
