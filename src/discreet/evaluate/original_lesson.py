# SPDX-License-Identifier: Apache-2.0
"""The original rows as a classifier gets them who prepares them as well as a release is prepared.

A release writes numbers as intervals, and many classifiers learn more from intervals than from numbers. So that no
release is ahead of the original by that alone, a classifier learns from the original in the best of three
preparations: numbers as they are, cut into 16 intervals with about as many rows in each, and cut where the classes
change (MDL). A release also puts rare categories together, and hundreds of them only mislead: the best of the three is
tried once more with the categories of few rows as one. Which one is best is decided on the training rows: by the Brier
score on a third of them, having learnt from the rest. The test rows take no part in it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.data.column import Column, from_labels
from discreet.data.table import Table
from discreet.evaluate.lessons import Lesson, Questions
from discreet.learning.cross_validation import Score
from discreet.learning.encoding import PARTS
from discreet.learning.own_classifiers import Learner
from discreet.prepare.binning import Binning
from discreet.recoding.labels import other_mark

_TRIED = 9_000  # training rows with which the preparations are compared
_TESTED = 1 / 3  # of them

_FEW = 30  # training rows of a category that tell little

Prepared = tuple[Table, Table]
Way = Callable[[Table, Table], Prepared]


class OriginalLesson(Lesson):
    """Training and test rows of the original table."""

    def scores(self, classifier: Learner, asked: Questions) -> list[Score]:
        """How well the classifier answers in the preparation that suits it."""
        numbers = [name for name in self._features if _is_cut(self.learnt, name)]
        ways: list[Way] = [lambda learnt, tested: (learnt, tested)]
        if numbers:
            ways += [
                lambda learnt, tested: self._cut(learnt, tested, numbers, "frequency"),
                lambda learnt, tested: self._cut(learnt, tested, numbers, "mdl"),
            ]
        several = [name for name in self._features if self.learnt.column(name).kind == "category"]
        is_rare = any(_is_rare(self.learnt.column(name)).any() for name in several)
        if (len(ways) == 1 and not is_rare) or self.learnt.column(self.target).levels < 2:
            return super().scores(classifier, asked)
        order = np.random.default_rng(asked.random_state).permutation(len(self.learnt))[:_TRIED]
        part = max(int(len(order) * _TESTED), 1)
        tested, learnt = self.learnt.take(np.sort(order[:part])), self.learnt.take(np.sort(order[part:]))

        def loss(way: Way) -> float:
            return _loss(Lesson(*way(learnt, tested), self.target).score(classifier, asked.random_state))

        losses = [loss(way) for way in ways]
        best = ways[int(np.argmin(losses))]

        def together(learnt: Table, tested: Table) -> Prepared:
            return _together(*best(learnt, tested), several)

        if is_rare and loss(together) < min(losses):
            return Lesson(*together(self.learnt, self.tested), self.target).scores(classifier, asked)
        return Lesson(*best(self.learnt, self.tested), self.target).scores(classifier, asked)

    def _cut(self, learnt: Table, tested: Table, numbers: list[str], method: str) -> Prepared:
        binning = Binning.fit(learnt, numbers, target=self.target, method=method, bins=PARTS)  # type: ignore[arg-type]
        return binning.apply(learnt), binning.apply(tested)


def _loss(trial: Score) -> float:
    """The Brier score; the share of wrong answers of a classifier that gives no probabilities."""
    return 1 - trial.accuracy if np.isnan(trial.brier) else trial.brier


def _is_cut(table: Table, name: str) -> bool:
    column = table.column(name)
    return column.kind != "category" and len(column.values) > 2


def _is_rare(column: Column) -> np.ndarray:
    """Which values few rows have."""
    return np.bincount(column.codes, minlength=len(column.values))[: len(column.values)] < _FEW


def _together(learnt: Table, tested: Table, names: list[str]) -> Prepared:
    """Both tables with the categories that few rows learnt from have, and those that none has, as one."""
    for name in names:
        column = learnt.column(name)
        common = {text for text, rare in zip(column.texts, _is_rare(column), strict=True) if not rare}
        learnt, tested = (_with_other(table, name, common) for table in (learnt, tested))
    return learnt, tested


def _with_other(table: Table, name: str, common: set[str]) -> Table:
    column, mark = table.column(name), other_mark(common)
    labels = [text if text in common else mark for text in column.texts]
    return table.with_columns([from_labels(name, [*labels, None], column.codes)])
