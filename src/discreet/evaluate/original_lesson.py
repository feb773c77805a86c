# SPDX-License-Identifier: Apache-2.0
"""The original rows as a classifier gets them who prepares them as well as a release is prepared.

A release writes numbers as intervals, and many classifiers learn more from intervals than from numbers. So that no
release is ahead of the original by that alone, a classifier learns from the original in the best of three
preparations: numbers as they are, cut into 16 intervals with about as many rows in each, and cut where the classes
change (MDL). Which one is best is decided on the training rows: by the Brier score on a third of them, having learnt
from the rest. The test rows take no part in it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.data.table import Table
from discreet.evaluate.lessons import Lesson, Questions
from discreet.learning.cross_validation import Score
from discreet.learning.encoding import PARTS
from discreet.learning.own_classifiers import Learner
from discreet.prepare.binning import Binning

_TRIED = 9_000  # training rows with which the preparations are compared
_TESTED = 1 / 3  # of them

Prepared = tuple[Table, Table]


class OriginalLesson(Lesson):
    """Training and test rows of the original table."""

    def scores(self, classifier: Learner, asked: Questions) -> list[Score]:
        """How well the classifier answers in the preparation that suits it."""
        numbers = [name for name in self._features if _is_cut(self.learnt, name)]
        if not numbers:
            return super().scores(classifier, asked)
        ways: list[Callable[[Table, Table], Prepared]] = [
            lambda learnt, tested: (learnt, tested),
            lambda learnt, tested: self._cut(learnt, tested, numbers, "frequency"),
            lambda learnt, tested: self._cut(learnt, tested, numbers, "mdl"),
        ]
        order = np.random.default_rng(asked.random_state).permutation(len(self.learnt))[:_TRIED]
        part = max(int(len(order) * _TESTED), 1)
        tested, learnt = self.learnt.take(np.sort(order[:part])), self.learnt.take(np.sort(order[part:]))
        best = ways[0]
        if learnt.column(self.target).levels > 1:
            trials = [Lesson(*way(learnt, tested), self.target).score(classifier, asked.random_state) for way in ways]
            best = ways[int(np.argmin([_loss(trial) for trial in trials]))]
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
