# SPDX-License-Identifier: Apache-2.0
"""Classifiers by name, all with the same three calls: `fit(examples)`, `predict(table)`, `predict_proba(table)`.

| name          | learner                                              | missing cell     | suppressed cell ("*") |
|---------------|------------------------------------------------------|------------------|-----------------------|
| `c45`         | `c45.C45`: C4.5, pruned                              | unknown          | unknown               |
| `part`        | `part.Part`: rules from partial C4.5 trees           | unknown          | unknown               |
| `naive-bayes` | `bayes.NaiveBayes`                                   | unknown          | unknown               |
| `logistic`    | logistic regression, L2 with C = 1, one-hot          | a category       | a category            |
| `svm`         | linear SVM, squared hinge loss with C = 1, one-hot   | a category       | a category            |
| `3nn`         | three nearest rows, Euclidean, one-hot               | a category       | a category            |
| `forest`      | 100 random trees, ordinal codes                      | a category       | a category            |
| `boosting`    | histogram gradient boosting, 100 trees, ordinal      | a category       | a category            |
| `tree`        | CART grown to the end, ordinal codes                 | a category       | a category            |

A number that is missing is unknown to the first ones, a column of its own in one-hot coding, and NaN, which trees send
to the better side, in ordinal coding. All but boosting learn from distinct rows with weights, which gives what learning
from the rows gives; boosting counts rows in a leaf and is given them all. The SVM's probabilities are a squashed
distance from the boundary: they rank rows, but are not frequencies. scikit-learn is loaded on first use.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.foundation.randomness import RandomState, drawn_seed
from discreet.learning.encoding import MatrixCoding, OneHot, Ordinal
from discreet.learning.examples import Examples
from discreet.learning.naive_bayes import NaiveBayes, probabilities

_TREES = 100  # of a forest
_DENSE = 50_000_000  # cells up to which rows are compared as a dense matrix


class Classifier(Protocol):
    """What a classifier must offer. `missing` and `suppressed` say how the examples it learns from are read."""

    @property
    def missing(self) -> Literal["unknown", "value"]: ...

    @property
    def suppressed(self) -> Literal["unknown", "value"]: ...

    @property
    def classes_(self) -> tuple[str, ...]: ...

    def fit(self, examples: Examples) -> Any: ...

    def predict(self, table: Table) -> np.ndarray: ...

    def predict_proba(self, table: Table) -> np.ndarray: ...


def examples_for(classifier: Classifier, table: Table, features: Sequence[str], target: str) -> Examples:
    """The examples of a table, with missing and suppressed cells as this classifier reads them."""
    return Examples.of(table, features, target, missing=classifier.missing, suppressed=classifier.suppressed)


@contextmanager
def _quiet() -> Iterator[None]:
    """Use one thread, since folds run in parallel, and silence convergence warnings."""
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


class _Learner:
    """A model on a matrix; without features, or with one class, it predicts the class shares."""

    missing: ClassVar[Literal["unknown", "value"]] = "value"
    suppressed: ClassVar[Literal["unknown", "value"]] = "value"
    coding: ClassVar[Callable[[], MatrixCoding]]
    classes_: tuple[str, ...]

    def __init__(self, random_state: RandomState = 0):
        self.random_state = drawn_seed(random_state)

    def fit(self, examples: Examples) -> _Learner:
        weights = examples.counts.sum(axis=0)
        if not weights.sum() > 0:
            raise DataError("A classifier needs at least one row whose class is known, and there is none.")
        self.classes_ = examples.classes
        self._shares = weights / weights.sum()
        self._occurring = np.flatnonzero(weights)
        self._coding = type(self).coding()
        self._is_constant = len(self._occurring) < 2 or not examples.features
        if not self._is_constant:
            with _quiet():
                self._fit(self._coding.learn(examples), examples.counts)
        return self

    def predict_proba(self, table: Table) -> np.ndarray:
        """The probability of each class; classes without a training row have 0."""
        proba = np.zeros((len(table), len(self.classes_)))
        if self._is_constant:
            proba[:] = self._shares
        elif len(table):
            with _quiet():
                proba[:, self._occurring] = self._proba(self._coding.apply(table))
        return proba

    def predict(self, table: Table) -> np.ndarray:
        """The most probable class of each row, the first one of equals."""
        return np.array(self.classes_)[np.argmax(self.predict_proba(table), axis=1)]

    def _fit(self, matrix: Any, counts: np.ndarray) -> None:
        """Learn from distinct rows and their weights per class."""
        raise NotImplementedError

    def _proba(self, matrix: Any) -> np.ndarray:
        """The probabilities of the classes that occur in training."""
        raise NotImplementedError


class _Estimator(_Learner):
    """A scikit-learn estimator with weights: a distinct row is passed once per class it occurs in."""

    def _fit(self, matrix: Any, counts: np.ndarray) -> None:
        row, label = np.nonzero(counts)
        self._model = self._make().fit(matrix[row], label, sample_weight=counts[row, label])

    def _proba(self, matrix: Any) -> np.ndarray:
        return self._model.predict_proba(matrix)

    def _make(self) -> Any:
        raise NotImplementedError


class Logistic(_Estimator):
    """Logistic regression, penalised by half the sum of squares of its weights."""

    coding = OneHot

    def _make(self) -> Any:
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression(C=1.0, max_iter=1000)


class LinearSVM(_Estimator):
    """A linear support vector machine in its primal form, one class against the rest."""

    coding = OneHot

    def _make(self) -> Any:
        from sklearn.svm import LinearSVC

        return LinearSVC(C=1.0, dual=False, random_state=self.random_state)

    def _proba(self, matrix: Any) -> np.ndarray:
        distance = self._model.decision_function(matrix)
        if distance.ndim == 1:
            distance = np.column_stack([np.zeros(len(distance)), distance])
        return probabilities(distance)


class ScikitLearnTree(_Estimator):
    """scikit-learn's binary tree by Gini's index, grown until leaves are pure."""

    coding = Ordinal

    def _make(self) -> Any:
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(random_state=self.random_state)


class Forest(_Learner):
    """Breiman's random forest. A bootstrap of the rows is drawn as new weights of the distinct rows."""

    coding = Ordinal

    def _fit(self, matrix: Any, counts: np.ndarray) -> None:
        from sklearn.tree import DecisionTreeClassifier

        row, label = np.nonzero(counts)
        label_among_occurring = np.searchsorted(self._occurring, label)
        weights, random = counts[row, label], np.random.default_rng(self.random_state)
        total = weights.sum()
        self._models = []
        for _ in range(_TREES):
            drawn = random.multinomial(max(round(total), 1), weights / total)
            some = np.flatnonzero(drawn)
            tree = DecisionTreeClassifier(max_features="sqrt", random_state=int(random.integers(2**31)))
            self._models.append(tree.fit(matrix[row[some]], label_among_occurring[some], sample_weight=drawn[some]))

    def _proba(self, matrix: Any) -> np.ndarray:
        probabilities = np.zeros((len(matrix), len(self._occurring)))
        for tree in self._models:  # a bootstrap may lack a class
            probabilities[:, tree.classes_] += tree.predict_proba(matrix)
        return probabilities / _TREES


class Boosting(_Learner):
    """Histogram gradient boosting on all the rows: its leaves are limited by numbers of rows, not by weights."""

    coding = Ordinal

    def _fit(self, matrix: Any, counts: np.ndarray) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier

        if (counts != np.rint(counts)).any():
            raise DataError(
                "Boosting counts rows: the weights of the examples must be whole numbers, and some are not."
            )
        row, label = np.nonzero(counts)
        times = counts[row, label].astype(np.int64)
        model = HistGradientBoostingClassifier(early_stopping=False, random_state=self.random_state)
        self._model = model.fit(np.repeat(matrix[row], times, axis=0), np.repeat(label, times))

    def _proba(self, matrix: Any) -> np.ndarray:
        return self._model.predict_proba(matrix)


class Neighbors(_Learner):
    """The classes of the three nearest rows. Equal rows are as near as each other: if not all of them are among the
    three, the rest of the three is divided among their classes."""

    coding = OneHot
    _k: ClassVar[int] = 3

    def _fit(self, matrix: Any, counts: np.ndarray) -> None:
        from sklearn.neighbors import NearestNeighbors

        some = np.flatnonzero(counts.sum(axis=1))
        self._size = counts[some].sum(axis=1)
        self._mix = counts[np.ix_(some, self._occurring)] / self._size[:, None]
        self._is_dense = matrix.shape[0] * matrix.shape[1] <= _DENSE
        self._model = NearestNeighbors(n_neighbors=min(self._k, len(some)), algorithm="brute")
        self._model.fit(matrix[some].toarray() if self._is_dense else matrix[some])

    def _proba(self, matrix: Any) -> np.ndarray:
        nearest = self._model.kneighbors(matrix.toarray() if self._is_dense else matrix, return_distance=False)
        votes, remaining = np.zeros((matrix.shape[0], len(self._occurring))), np.full(matrix.shape[0], float(self._k))
        for place in nearest.T:
            taken = np.minimum(self._size[place], remaining)
            votes += taken[:, None] * self._mix[place]
            remaining -= taken
        return votes / votes.sum(axis=1, keepdims=True)


def _c45(random_state: int = 0) -> Classifier:
    from discreet.learning.c45 import C45

    return C45()


def _part(random_state: int = 0) -> Classifier:
    from discreet.learning.part import Part

    return Part()


def _naive_bayes(random_state: int = 0) -> NaiveBayes:
    return NaiveBayes()


CLASSIFIERS: dict[str, Callable[..., Classifier]] = {
    "c45": _c45,
    "part": _part,
    "naive-bayes": _naive_bayes,
    "logistic": Logistic,
    "svm": LinearSVM,
    "3nn": Neighbors,
    "forest": Forest,
    "boosting": Boosting,
    "tree": ScikitLearnTree,
}
