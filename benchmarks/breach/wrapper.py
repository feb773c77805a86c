# SPDX-License-Identifier: Apache-2.0
"""The competitor that does not look at privacy: Weka's WrapperSubsetEval with BestFirst in both directions.

Merit of a subset: accuracy by five folds from seed 1, repeated from two to five times, until the deviation of the error
is at most 1 % of its mean. Search: expand the best subset on a list of five by every addition, then every removal; stop
after five expansions in a row that found nothing better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.learning.weka import JavaRandom, folds
from discreet.data.table import Table
from discreet.learning.subset_scores import SubsetScores

_STALE, _REPEATS, _FOLDS, _THRESHOLD, _BETTER = 5, 5, 5, 0.01, 0.00001


class Wrapper:
    """Merit of subsets as WrapperSubsetEval has it."""

    def __init__(self, table: Table, attributes: Sequence[str], target: str, learner: str = "c45"):
        chance, labels = JavaRandom(1), table.column(target).codes
        self._repeats = [
            SubsetScores(table, attributes, target, folds(labels, _FOLDS, chance), learner) for _ in range(_REPEATS)
        ]

    def __call__(self, subset: frozenset[str]) -> float:
        errors: list[float] = []
        for scores in self._repeats:
            errors.append(1 - scores.of(subset).accuracy)
            if len(errors) > 1 and np.std(errors, ddof=1) <= _THRESHOLD * np.mean(errors):
                break
        return -float(np.mean(errors))


def best_first(merit: Callable[[frozenset[str]], float], attributes: Sequence[str]) -> frozenset[str]:
    """The subset that the search ends with.

    >>> sorted(best_first(lambda subset: -abs(len(subset) - 2) - ("a" not in subset), "abc"))
    ['a', 'b']
    """
    best: frozenset[str] = frozenset()
    known = {best: merit(best)}
    open_, stale = [best], 0
    while stale < _STALE and open_:
        here, found = open_.pop(0), False
        for adding in (True, False):
            for name in attributes:
                if (name in here) == adding:
                    continue
                there = here | {name} if adding else here - {name}
                if there not in known:
                    known[there] = merit(there)
                    place = next((i for i, o in enumerate(open_) if known[o] < known[there]), len(open_))
                    open_.insert(place, there)
                    del open_[_STALE:]
                gain = known[there] - known[best]
                if gain > _BETTER if adding else gain > 0 or (gain == 0 and len(there) < len(best)):
                    best, found = there, True
        stale = 0 if found else stale + 1
    return best
