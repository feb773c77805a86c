# SPDX-License-Identifier: Apache-2.0
"""The folds that Weka's cross-validation makes from a seed, row by row: shuffle, sort by class, deal.

Two programs that are compared on the same folds differ only where their learners do; on folds of their own they differ
by chance too, by more than a point on small tables.
"""

from __future__ import annotations

import numpy as np

from discreet.learning.cross_validation import Fold

_MASK = (1 << 48) - 1


class JavaRandom:
    """Java's java.util.Random, of which Weka needs whole numbers below a bound.

    >>> chance = JavaRandom(42)
    >>> [chance.below(10) for _ in range(5)]
    [0, 3, 8, 4, 0]
    """

    def __init__(self, seed: int):
        self._state = (seed ^ 0x5DEECE66D) & _MASK

    def below(self, bound: int) -> int:
        while True:
            self._state = (self._state * 0x5DEECE66D + 0xB) & _MASK
            bits = self._state >> 17
            if bound & -bound == bound:
                return (bound * bits) >> 31
            if bits - bits % bound + bound - 1 < 1 << 31:
                return bits % bound

    def shuffle(self, rows: list[int]) -> None:
        """`Instances.randomize`."""
        for last in range(len(rows) - 1, 0, -1):
            other = self.below(last + 1)
            rows[last], rows[other] = rows[other], rows[last]


def folds(labels: np.ndarray, n_folds: int, seed: int | JavaRandom) -> list[Fold]:
    """`Instances.randomize`, `stratify` and `testCV`. The order of the rows within a fold is not kept.

    Repeats of Weka's go on with the same generator, from where the shuffles of the training rows have left it.
    """
    chance = seed if isinstance(seed, JavaRandom) else JavaRandom(seed)
    label, order = np.asarray(labels).tolist(), list(range(len(labels)))
    chance.shuffle(order)
    place = 1
    while place < len(order):  # rows of the class of the row before come next, by swaps
        wanted = label[order[place - 1]]
        for other in range(place, len(order)):
            if label[order[other]] == wanted:
                order[place], order[other] = order[other], order[place]
                place += 1
        place += 1
    dealt = np.array([row for start in range(n_folds) for row in order[start::n_folds]])
    found = []
    for test in np.array_split(dealt, n_folds):  # the first ones are larger by one row
        found.append(Fold(np.setdiff1d(np.arange(len(order)), test), np.sort(test)))
        if chance is seed:
            chance.shuffle(found[-1].train.tolist())
    return found
