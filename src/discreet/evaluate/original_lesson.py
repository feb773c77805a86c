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
from discreet.evaluate.lessons import Lesson
from discreet.learning.cross_validation import Score
from discreet.learning.encoding import PARTS
from discreet.prepare.binning import Binning

_TRIED = 9_000  # training rows with which the preparations are compared
_TESTED = 1 / 3  # of them

Prepared = tuple[Table, Table]


class OriginalLesson(Lesson):
    """Training and test rows of the original table."""

    def score(self, classifier: str, random_state: int = 0) -> Score:
        """How well the classifier answers in the preparation that suits it."""
        numbers = [name for name in self._features if _is_cut(self.learnt, name)]
        if not numbers:
            return super().score(classifier, random_state)
        ways: list[Callable[[Table, Table], Prepared]] = [
            lambda learnt, tested: (learnt, tested),
            lambda learnt, tested: self._cut(learnt, tested, numbers, "frequency"),
            lambda learnt, tested: self._cut(learnt, tested, numbers, "mdl"),
        ]
        order = np.random.default_rng(random_state).permutation(len(self.learnt))[:_TRIED]
        part = max(int(len(order) * _TESTED), 1)
        tested, learnt = self.learnt.take(np.sort(order[:part])), self.learnt.take(np.sort(order[part:]))
        best = ways[0]
        if learnt.column(self.target).levels > 1:
            trials = [Lesson(*way(learnt, tested), self.target).score(classifier, random_state).brier for way in ways]
            best = ways[int(np.argmin(trials))]
        return Lesson(*best(self.learnt, self.tested), self.target).score(classifier, random_state)

    def _cut(self, learnt: Table, tested: Table, numbers: list[str], method: str) -> Prepared:
        binning = Binning.fit(learnt, numbers, target=self.target, method=method, bins=PARTS)  # type: ignore[arg-type]
        return binning.apply(learnt), binning.apply(tested)


def _is_cut(table: Table, name: str) -> bool:
    column = table.column(name)
    return column.kind != "category" and len(column.values) > 2
