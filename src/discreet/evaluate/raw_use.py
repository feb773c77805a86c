# SPDX-License-Identifier: Apache-2.0
"""Use without recoding: a classifier that learnt from a release, asked about rows as they are.

Such a row is read cell by cell, each value as the narrowest published label that covers it (protocol `holdout` of
protocols.py). Where recoded rows are predicted better than by guessing, and rows as they are neither better than by
guessing nor as well as recoded ones, a recipient has to recode rows first.

Without held-out rows the question is asked of the rows of the release itself, which flatters a classifier: where it
fails on these as they are, it is evident that a recipient has to recode.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.dataset import Dataset
from discreet.errors import DataError
from discreet.evaluate.confidence import Share, effective_rows, paired_difference, wilson
from discreet.evaluate.lessons import Learnt
from discreet.evaluate.protocols import Protocol, held_out, original
from discreet.release.release import Release

_MOST_ROWS = 10_000  # test rows
_MOST_LEARNT = 50_000  # rows to learn from, where it is asked whether something is evident


@dataclass(frozen=True)
class RawUse:
    """Accuracy on the same held-out rows: recoded, read cell by cell, and guessed; and the gains over guessing."""

    recoded: Share
    raw: Share
    guessing: Share
    recoded_gain: Share
    raw_gain: Share

    @property
    def needs_recoding(self) -> bool:
        """Whether only recoded rows are predicted better than by guessing, and rows as they are worse beyond noise."""
        return self.recoded_gain.low > 0 >= self.raw_gain.low and self.raw.high < self.recoded.value


def raw_use(release: Release, train: Dataset, test: Dataset, recoded: np.ndarray | None = None) -> RawUse | None:
    """Use on recoded rows and on rows as they are; None where rows cannot be written in the labels of the release.

    `recoded` says which of the recoded test rows are predicted right, where that is known.
    """
    if release.shape not in ("table", "baskets"):
        return None
    few = test if recoded is not None else test.named().take(np.arange(min(len(test), _MOST_ROWS)))

    learnt: Learnt = {}  # from the same rows, whatever it is asked about

    def right(protocol: Protocol) -> np.ndarray:
        lesson = held_out(release, train, few, protocol)
        return (lesson.from_few(_MOST_LEARNT) if train is test else lesson).right(learnt=learnt)

    try:
        after = right("recoded") if recoded is None else recoded
        raw = after if release.shape == "baskets" else right("holdout")
    except DataError:
        return None
    guess = original(train, few).right(())
    n = effective_rows(few.persons, len(few))
    recoded_share, raw_share, guessed = (wilson(float(right.mean()), n) for right in (after, raw, guess))
    return RawUse(recoded_share, raw_share, guessed, gain(after, guess, n), gain(raw, guess, n))


def raw_use_of_its_own_rows(release: Release, dataset: Dataset) -> RawUse | None:
    """Use on the rows that a table was released from; None for other shapes, or if there are no two classes."""
    if release.shape != "table" or release.roles is None or release.roles.target is None or len(dataset.classes) < 2:
        return None
    return raw_use(release, dataset, dataset)


def gain(right: np.ndarray, before: np.ndarray, n: float) -> Share:
    """The difference of two accuracies on the same rows, with its interval."""
    return paired_difference(float((right & ~before).mean()), float((before & ~right).mean()), n)
