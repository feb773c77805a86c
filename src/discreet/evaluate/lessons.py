# SPDX-License-Identifier: Apache-2.0
"""Lessons: training rows and test rows with the same columns, and how well classifiers predict the test rows.

A protocol makes lessons from a release and held-out rows (see protocols.py). Cross-evaluation takes the `score` of each
classifier; `holdout` takes the predictions of one plain classifier, row by row. A released model is already trained and
predicts instead of every classifier.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from discreet.counting.tally import grouped
from discreet.data.baskets import Baskets
from discreet.data.column import Column, text_of
from discreet.data.dataset import item_table, label_column
from discreet.data.table import Table
from discreet.foundation.lazy_modules import sparse as sp
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import Score, score
from discreet.learning.encoding import learnt_and_tested
from discreet.learning.logistic import fit_logistic
from discreet.learning.own_classifiers import Learner, Scorer, judged_by_name, with_face
from discreet.recoding.published_tree import PublishedTree

Learnt = dict[tuple[tuple[str, bool], ...], tuple[np.ndarray, np.ndarray]]  # weights, by columns and their encoding


_NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Questions:
    """What a classifier is asked: about which parts of the test rows (None: all), and by which scorers besides."""

    parts: tuple[np.ndarray | None, ...] = (None,)
    scorers: Mapping[str, Scorer] = field(default_factory=dict)
    random_state: int = 0


class Lesson:
    """A training table and a test table."""

    def __init__(self, learnt: Table, tested: Table, target: str):
        self.learnt, self.tested, self.target = learnt, tested, target

    def score(self, classifier: Learner, random_state: int = 0) -> Score:
        """How well the classifier of that name, or of the user's own, answers."""
        return self.scores(classifier, Questions(random_state=random_state))[0]

    def scores(self, classifier: Learner, asked: Questions) -> list[Score]:
        """How well the classifier, having learnt once, answers about each part of the test rows."""
        if not isinstance(classifier, str):
            judged = classifier.learnt(self.learnt, self.tested, self.target, asked.random_state)
            return [judged.score(part, asked.scorers) for part in asked.parts]
        learner = CLASSIFIERS[classifier](random_state=asked.random_state)
        learner.fit(examples_for(learner, self.learnt, self._features, self.target))
        return [judged_by_name(learner, self._part(part), self.target, asked.scorers) for part in asked.parts]

    def guesses(self, asked: Questions) -> list[Score]:
        """How well guessing answers about each part of the test rows."""
        lessons = [self if part is None else Lesson(self.learnt, self._part(part), self.target) for part in asked.parts]
        return [lesson.guess(asked.scorers) for lesson in lessons]

    def _part(self, rows: np.ndarray | None) -> Table:
        return self.tested if rows is None else self.tested.take(rows)

    def guess(self, scorers: Mapping[str, Scorer] | None = None) -> Score:
        """How well the shares of the classes among the training rows answer, which know nothing about a row."""
        learnt, tested = self._labels
        classes = sorted({*learnt.texts, *tested.texts})
        place = {text: c for c, text in enumerate(classes)}
        shares = np.zeros(len(classes))
        shares[[place[text] for text in learnt.texts]] = np.bincount(learnt.codes, minlength=len(learnt.texts))
        shares /= shares.sum()
        truth = np.array([place[text] for text in tested.texts], dtype=np.int64)[tested.codes]
        found = score(truth, np.tile(shares, (len(truth), 1)))
        if not scorers:
            return found
        known = np.array([place[text] for text in learnt.texts])
        always = shares[known] / shares[known].sum()
        return with_face(
            found, learnt.texts, lambda rows: np.tile(always, (len(rows), 1)), self.tested, self.target, scorers
        )

    @property
    def _labels(self) -> tuple[Column, Column]:
        return self.learnt.column(self.target), self.tested.column(self.target)

    def from_few(self, most: int) -> Lesson:
        """The lesson with the first training rows alone, of a release, whose rows are in random order."""
        if len(self.learnt) <= most:
            return self
        return Lesson(self.learnt.take(np.arange(most)), self.tested, self.target)

    def right(self, features: Sequence[str] | None = None, *, learnt: Learnt | None = None) -> np.ndarray:
        """Whether the plain classifier is right about each row; with no feature it says the commonest class.

        `learnt` keeps what it learnt for the next lesson with the same training rows and other test rows.
        """
        names = self._features if features is None else list(features)
        return self._answers(names, {} if learnt is None else learnt) == _texts(self.tested, self.target)

    def _answers(self, features: list[str], known: Learnt) -> np.ndarray:
        if not features:
            return np.repeat(_commonest(_texts(self.learnt, self.target)), len(self.tested))
        label = self.learnt.column(self.target)
        how = tuple((name, self.tested.column(name).kind == "category") for name in features)
        groups, first = grouped(self.learnt, features, ordered=False) if how not in known else (_NONE, _NONE)
        learnt, tested = learnt_and_tested(self.learnt, self.tested, features, first)
        if how not in known:
            n_classes = len(label.texts)
            counts = np.bincount(groups * n_classes + label.codes, minlength=len(first) * n_classes)
            known[how] = fit_logistic(learnt, counts.reshape(len(first), n_classes))
        weights, intercepts = known[how]
        return np.array(label.texts)[np.argmax(tested @ weights + intercepts, axis=1)]

    @property
    def _features(self) -> list[str]:
        return [name for name in self.learnt.names if name != self.target]


class BasketLesson(Lesson):
    """Training and test baskets, converted to tables only for classifiers that need them."""

    def __init__(self, learnt: Baskets, tested: Baskets, target: str):
        self._baskets, self.target = (learnt, tested), target

    @cached_property
    def learnt(self) -> Table:  # type: ignore[override]
        return item_table(self._baskets[0], self.target)

    @cached_property
    def tested(self) -> Table:  # type: ignore[override]
        return item_table(self._baskets[1], self.target)

    @property
    def _labels(self) -> tuple[Column, Column]:
        learnt, tested = (label_column(self.target, baskets.label_values) for baskets in self._baskets)
        return learnt, tested

    def right(self, features: Sequence[str] | None = None, *, learnt: Learnt | None = None) -> np.ndarray:
        published, tested = self._baskets
        wanted = set(published.names if features is None else features)
        items = [item for item, name in enumerate(published.names) if name in wanted]
        answers = logistic_answers(published.matrix[:, items], tested.matrix[:, items], published.labels)  # type: ignore[arg-type]
        return answers == tested.labels


class ModelLesson(Lesson):
    """A released model, tested on rows."""

    def __init__(self, learnt: Table, tested: Table, target: str, model: PublishedTree):
        super().__init__(learnt, tested, target)
        self.model = model

    def scores(self, classifier: Learner, asked: Questions) -> list[Score]:
        """How well the model answers, whatever the classifier; a leaf that shows no shares is sure of its class."""
        return [self._judged(self._part(part), asked.scorers) for part in asked.parts]

    def _judged(self, tested: Table, scorers: Mapping[str, Scorer]) -> Score:
        label, mine = tested.column(self.target), [text_of(label) for label in self.model.classes]
        classes = sorted({*mine, *label.texts})
        place = {text: c for c, text in enumerate(classes)}
        proba = np.zeros((len(tested), len(classes)))
        proba[:, [place[text] for text in mine]] = self._shares(tested)
        truth = np.array([place[text] for text in label.texts], dtype=np.int64)[label.codes]
        return with_face(score(truth, proba), mine, self._shares, tested, self.target, scorers)

    def _shares(self, rows: Table) -> np.ndarray:
        mine = [text_of(label) for label in self.model.classes]
        shares = self.model.predict_proba(rows)
        hidden = np.flatnonzero(np.isnan(shares).any(axis=1))
        answers = [text_of(label) for label in self.model.predict(rows).tolist()]
        shares = np.nan_to_num(shares)
        shares[hidden, [mine.index(answers[row]) for row in hidden]] = 1.0
        return shares

    def _answers(self, features: list[str], known: Learnt) -> np.ndarray:
        return np.array([text_of(label) for label in self.model.predict(self.tested).tolist()])


def logistic_answers(learnt: sp.csr_array, tested: sp.csr_array, labels: np.ndarray) -> np.ndarray:
    """What a logistic regression on the first matrix says of the second; with no column, the commonest class."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    if learnt.shape[1] == 0:
        return np.repeat(_commonest(labels), tested.shape[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the last digits of the weights are of no interest here
        return LogisticRegression(max_iter=300).fit(learnt, labels).predict(tested)


def _commonest(labels: np.ndarray) -> Any:
    classes, counts = np.unique(labels, return_counts=True)
    return classes[np.argmax(counts)]


def _texts(table: Table, target: str) -> np.ndarray:
    column = table.column(target)
    return np.array(column.texts)[column.codes]
