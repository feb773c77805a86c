# SPDX-License-Identifier: Apache-2.0
"""Cross-validation: folds that are the same for every method, and scores on held-out rows.

Folds depend on `random_state`, the number of rows, the classes and the persons alone. All rows of a person lie in one
fold. Whatever is learnt before a classifier (cuts, for instance) is learnt on the training rows of each fold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np

from discreet.data.table import Table
from discreet.errors import DataError, ParameterError
from discreet.foundation.lazy_modules import stats
from discreet.foundation.randomness import Randomness, RandomState
from discreet.learning.classifiers import Classifier, examples_for

Measure = Literal["accuracy", "balanced_accuracy", "auc", "brier"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
Prepare = Callable[[Table], Callable[[Table], Table]]


class Fold(NamedTuple):
    """Rows to learn from, and rows to test on."""

    train: np.ndarray
    test: np.ndarray


def kfold(
    n: int,
    folds: int = 10,
    random_state: RandomState = 0,
    *,
    labels: np.ndarray | None = None,
    persons: np.ndarray | None = None,
    repeats: int = 1,
) -> list[Fold]:
    """Every row is a test row once in each repeat. With `labels` each fold gets its share of each class.

    `persons` says whose each row is: a person's rows are in one fold, and count for the class of the first of them.

    >>> [fold.test.tolist() for fold in kfold(6, 3, random_state=1, labels=np.array([0, 0, 0, 1, 1, 1]))]
    [[0, 3], [2, 4], [1, 5]]
    """
    for name, values in (("labels", labels), ("persons", persons)):
        if values is not None and len(values) != n:
            raise DataError(f"There are {n} rows, but {len(values)} {name}.")
    unit_of_row, first = np.arange(n), np.arange(n)
    if persons is not None:
        _, first, unit_of_row = np.unique(persons, return_index=True, return_inverse=True)
    if not 2 <= folds <= len(first) or repeats < 1:
        what = "rows" if persons is None else "persons"
        raise ParameterError(
            f"The number of folds must lie between 2 and the {len(first)} {what}, and 'repeats' be 1 or more."
            f" Got {folds} folds, {repeats} repeats."
        )
    of_unit = np.zeros(len(first), dtype=np.int64) if labels is None else np.asarray(labels)[first]
    class_of_unit = np.unique(of_unit, return_inverse=True)[1]
    randomness, splits = Randomness(random_state), []
    for _ in range(repeats):
        shuffled = randomness.permutation(len(first))
        by_class = shuffled[np.argsort(class_of_unit[shuffled], kind="stable")]
        fold_of_unit = np.empty(len(first), dtype=np.int64)
        fold_of_unit[by_class] = np.arange(len(first)) % folds  # dealt like cards, one class after the other
        fold_of_row = fold_of_unit[unit_of_row]
        splits += [Fold(np.flatnonzero(fold_of_row != f), np.flatnonzero(fold_of_row == f)) for f in range(folds)]
    return splits


def five_by_two(
    n: int, random_state: RandomState = 0, *, labels: np.ndarray | None = None, persons: np.ndarray | None = None
) -> list[Fold]:
    """Dietterich's five repeats of two folds: one half teaches, the other tests, then the other way round."""
    return kfold(n, 2, random_state, labels=labels, persons=persons, repeats=5)


@dataclass(frozen=True)
class Score:
    """How well the test rows of one fold were predicted.

    balanced_accuracy  mean over the classes of the share of their rows that were right
    auc                chance that a row of a class is ranked above a row of another; with more than two classes each
                       one against the rest, weighted by its rows; NaN if all rows are of one class
    brier              mean of half the squared distance between the probabilities and the truth: 0 best, 1 worst
    rows               test rows whose class is known
    others             what scorers of the user's own say, by name
    """

    accuracy: float
    balanced_accuracy: float
    auc: float
    brier: float
    rows: int
    others: tuple[tuple[str, float], ...] = field(default=(), repr=False)

    def of(self, measure: str) -> float:
        """One of the measures, or what a scorer of that name says."""
        return getattr(self, measure) if measure in MEASURES else dict(self.others)[measure]


@dataclass(frozen=True)
class Scores:
    """The scores of the folds, in their order: those of another method on the same folds can be compared one by one."""

    folds: tuple[Score, ...]

    def of(self, measure: str) -> np.ndarray:
        return np.array([score.of(measure) for score in self.folds])

    def mean(self, measure: str = "accuracy") -> float:
        return float(self.of(measure).mean())

    def deviation(self, measure: str = "accuracy") -> float:
        """Standard deviation over the folds. Folds share rows: this is no standard error."""
        return float(self.of(measure).std(ddof=1))

    def __repr__(self) -> str:
        means = ", ".join(f"{measure}={self.mean(measure):.4f}" for measure in MEASURES)
        return f"Scores({len(self.folds)} folds: {means})"


def score(truth: np.ndarray, proba: np.ndarray) -> Score:
    """Score probabilities, one column per class, against the places of the true classes.

    What counts as predicted is the most probable class, the first one of equals.

    >>> score(np.array([0, 0, 1, 1]), np.array([[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.2, 0.8]]))
    Score(accuracy=0.75, balanced_accuracy=0.75, auc=1.0, brier=0.125, rows=4)
    """
    n, n_classes = proba.shape
    if n == 0:
        raise DataError("There is no test row whose class is known: nothing can be scored.")
    right = np.argmax(proba, axis=1) == truth
    rows = np.bincount(truth, minlength=n_classes)
    present = rows > 0
    recall = np.bincount(truth, right, minlength=n_classes)[present] / rows[present]
    missed = np.eye(n_classes)[truth] - proba
    return Score(
        accuracy=float(right.mean()),
        balanced_accuracy=float(recall.mean()),
        auc=_auc(truth, proba, rows),
        brier=float((missed**2).sum(axis=1).mean() / 2),
        rows=n,
    )


def _auc(truth: np.ndarray, proba: np.ndarray, rows: np.ndarray) -> float:
    """Mann and Whitney's: from the ranks of the rows of a class among all; ties count half."""
    n, against_rest = len(truth), []
    classes = [1] if len(rows) == 2 else range(len(rows))
    weighed = [c for c in classes if 0 < rows[c] < n]
    for c in weighed:
        ranks = stats.rankdata(proba[:, c])[truth == c].sum()
        against_rest.append((ranks - rows[c] * (rows[c] + 1) / 2) / (rows[c] * (n - rows[c])))
    return float(np.average(against_rest, weights=rows[weighed])) if weighed else float("nan")


def cross_validate(
    make: Callable[[], Classifier],
    table: Table,
    features: Sequence[str],
    target: str,
    folds: Sequence[Fold],
    *,
    prepare: Prepare | None = None,
) -> Scores:
    """Fit a new classifier on the training rows of each fold and score it on the test rows.

    `prepare` learns a preparation from a table of training rows and returns what applies it to any table; it keeps the
    names of the features and of the target, and the rows.

    >>> from discreet.learning.naive_bayes import NaiveBayes
    >>> t = Table.of({"x": ["a", "b"] * 6, "y": ["no", "yes"] * 6})
    >>> cross_validate(NaiveBayes, t, ["x"], "y", kfold(12, 3))
    Scores(3 folds: accuracy=1.0000, balanced_accuracy=1.0000, auc=1.0000, brier=0.0346)
    """
    needed = table.select(list(dict.fromkeys([*features, target])))
    scores = []
    for fold in folds:
        train, test = needed.take(fold.train), needed.take(fold.test)
        if prepare is not None:
            apply = prepare(train)
            train, test = apply(train), apply(test)
        model = make()
        model.fit(examples_for(model, train, features, target))
        scores.append(score_on(model, test, target))
    return Scores(tuple(scores))


def score_on(model: Classifier, test: Table, target: str) -> Score:
    """Score a fitted classifier on rows; a class unseen in training has probability 0."""
    label = test.column(target)
    labelled = np.flatnonzero(label.codes < len(label.values))
    classes = sorted({*model.classes_, *label.texts})
    place = {text: c for c, text in enumerate(classes)}
    proba = np.zeros((len(labelled), len(classes)))
    proba[:, [place[text] for text in model.classes_]] = model.predict_proba(test)[labelled]
    truth = np.array([place[text] for text in label.texts], dtype=np.int64)[label.codes[labelled]]
    return score(truth, proba)
