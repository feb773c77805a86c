# SPDX-License-Identifier: Apache-2.0
"""Utility of a release in short, for the report: one split and one classifier.

Three rows in ten are set aside (by person, when rows name one: nobody is on both sides). The method sees the other rows
only. A classifier learns from what the method released of them and is tested on the rows set aside, under the protocol
`recoded` of protocols.py. The same classifier on the original columns, on the same split, says what there was to lose;
without any quasi-identifier, what the release could not have lost; always guessing the most common class, what is worth
nothing. cross_evaluation.py measures the same with several classifiers, folds and protocols.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.data.dataset import Dataset
from discreet.data.roles import Roles
from discreet.errors import DataError
from discreet.evaluate.confidence import Share, effective_rows, wilson
from discreet.evaluate.protocols import NOTHING_OF_ROWS, held_out, original
from discreet.evaluate.questions import OtherTarget, ask_targets
from discreet.evaluate.raw_use import RawUse, gain, raw_use
from discreet.foundation.displayed import Displayed
from discreet.foundation.randomness import Randomness, RandomState
from discreet.learning.encoding import PARTS
from discreet.methods import Method

CLASSIFIER = f"logistic regression, categories one-hot, numbers standardised and in {PARTS} parts"
_LEARNERS = {"table": CLASSIFIER, "baskets": CLASSIFIER, "model": f"the released model, beside {CLASSIFIER}"}


@dataclass(frozen=True, repr=False)
class Utility(Displayed):
    """Accuracy on held-out rows: of the original columns, of the release, their difference, and two baselines.

    `accuracy_without_quasi` is what the published columns that are not quasi-identifiers reach by themselves;
    `majority` what the most common class of the training rows reaches, and `above_guessing` the gain over it. `raw` is
    use without recoding, `targets` are other columns as targets. `units` says what was set aside whole.
    """

    accuracy_before: Share
    accuracy_after: Share
    difference: Share
    accuracy_without_quasi: Share
    majority: Share
    n_train: int
    n_test: int
    units: str
    above_guessing: Share
    raw: RawUse | None = None
    targets: tuple[OtherTarget, ...] = ()
    classifier: str = CLASSIFIER

    def __repr__(self) -> str:
        before, after, guess = self.accuracy_before, self.accuracy_after, self.majority
        shares = f"accuracy {before.value:.3f} before, {after.value:.3f} after, {guess.value:.3f} by guessing"
        return f"Utility({shares}, {self.n_test} test rows)"

    @property
    def accuracy_raw(self) -> Share | None:
        """The accuracy on rows that are not recoded, where rows can be read."""
        return None if self.raw is None else self.raw.raw


def holdout(
    method: Method, data: object, roles: Roles | None = None, *, test_share: float = 0.3, random_state: RandomState = 0
) -> Utility:
    """Measure what the method costs on a table with its roles, or on labelled baskets.

    The released rows of the report are not the ones measured here: the method is run once more, on the training rows.
    """
    dataset = Dataset.of(data, roles)
    train, test = map(dataset.take, split(dataset.labels, dataset.persons, test_share, Randomness(random_state)))
    release = method.release(train)
    if release.shape not in _LEARNERS:
        raise DataError(NOTHING_OF_ROWS.format(release.shape))
    learnable = original(train, test)
    before, without, guess = learnable.right(), learnable.right(dataset.not_quasi), learnable.right(())
    after = held_out(release, train, test, "recoded").right()
    n = effective_rows(test.persons, len(test))
    return Utility(
        accuracy_before=wilson(float(before.mean()), n),
        accuracy_after=wilson(float(after.mean()), n),
        difference=gain(after, before, n),
        accuracy_without_quasi=wilson(float(without.mean()), n),
        majority=wilson(float(guess.mean()), n),
        n_train=len(train),
        n_test=len(test),
        units="rows" if test.persons is None else "persons",
        above_guessing=gain(after, guess, n),
        raw=raw_use(release, train, test, after),
        targets=ask_targets(release, train, test),
        classifier=_LEARNERS[release.shape],
    )


def split(
    labels: np.ndarray, persons: np.ndarray | None, test_share: float, randomness: Randomness
) -> tuple[np.ndarray, np.ndarray]:
    """Training rows and test rows; the same share of each class, and all rows of a person on one side."""
    if not 0 < test_share < 1:
        raise DataError(f"'test_share' must lie between 0 and 1. Got {test_share!r} instead.")
    unit_of_row, first = _units(persons, len(labels))
    shuffled = randomness.permutation(len(first))
    is_test = np.zeros(len(first), dtype=bool)
    for label in np.unique(labels):
        units = shuffled[labels[first[shuffled]] == label]  # a person counts for the class of their first row
        is_test[units[: round(test_share * len(units))]] = True
    in_test = is_test[unit_of_row]
    train, test = np.flatnonzero(~in_test), np.flatnonzero(in_test)
    if len(test) == 0 or len(np.unique(labels[train])) < 2:
        raise DataError(f"{len(labels)} rows are too few to split: both parts need rows, and two classes.")
    return train, test


def _units(persons: np.ndarray | None, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """What goes to one side whole: the unit of each row, and the first row of each unit."""
    if persons is None:
        return np.arange(n_rows), np.arange(n_rows)
    _, first, unit_of_row = np.unique(persons, return_index=True, return_inverse=True)
    return unit_of_row, first
