# SPDX-License-Identifier: Apache-2.0
"""What a release is worth to someone who learns from it, in short: one split and one classifier, for the report.

Three rows in ten are set aside (by person, when rows name one: nobody is on both sides). The method sees the other rows
only. A classifier learns from what the method released of them and is tested on the rows set aside, written as the
release would have written them: the protocol `recoded` of protocols.py. The same classifier on the original columns, on
the same split, says what there was to lose; without any quasi-identifier, what the release could not have lost; always
guessing the most common class, what is worth nothing. study.py measures with several classifiers, folds and protocols.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from discreet.counting.tally import group
from discreet.data.baskets import Baskets
from discreet.data.column import text_of
from discreet.data.document import Document
from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.errors import DataError, RolesError
from discreet.evaluate.confidence import Share, effective_rows, paired_difference, wilson
from discreet.foundation.randomness import Randomness
from discreet.learning.encoding import PARTS, encoded
from discreet.learning.published_tree import PublishedTree
from discreet.methods.base import Method

CLASSIFIER = f"logistic regression, categories one-hot, numbers standardised and in {PARTS} parts"


@dataclass(frozen=True)
class Utility:
    """Accuracy on held-out rows: of the original columns, of the release, their difference, and two baselines.

    `accuracy_without_quasi` is what the published columns that are not quasi-identifiers reach by themselves;
    `majority` what the most common class of the training rows reaches. `units` says what was set aside whole.
    """

    accuracy_before: Share
    accuracy_after: Share
    difference: Share
    accuracy_without_quasi: Share
    majority: Share
    n_train: int
    n_test: int
    units: str
    classifier: str = CLASSIFIER


def holdout(
    method: Method, data: object, roles: Roles | None = None, *, test_share: float = 0.3, random_state: int | None = 0
) -> Utility:
    """Measure what the method costs on a table with its roles, or on labelled baskets.

    The released rows of the report are not the ones measured here: the method is run once more, on the training rows.
    """
    if isinstance(data, Baskets):
        return _baskets(method, data, test_share, random_state)
    if roles is None:
        raise RolesError("A holdout study of a table needs roles: holdout(method, table, roles).")
    table = Table.of(data)
    roles.check_for_release(table)
    target = table.column(roles.target)  # type: ignore[arg-type]
    persons = None if roles.person is None else table.column(roles.person).codes
    train_rows, test_rows = split(target.codes, persons, test_share, Randomness(random_state))
    train, test = table.select(roles.named).take(train_rows), table.select(roles.named).take(test_rows)
    release = method.release(train, roles)
    features = [name for name in roles.published if name != roles.target]
    plain = [name for name in features if name not in roles.quasi]
    published = [name for name in release.columns if name != roles.target]
    truth = _labels(test, roles.target)

    def right(learnt: Table, tested: Table, names: list[str]) -> np.ndarray:
        return _learn(*encoded(learnt, tested, names), _labels(learnt, roles.target)) == truth

    if release.document is not None:
        after, classifier = _answers(release.document, test) == truth, f"the released model, beside {CLASSIFIER}"
    else:
        assert release.table is not None
        after, classifier = right(release.table, release.recode(test), published), CLASSIFIER
    return _utility(
        before=right(train, test, features),
        after=after,
        without=right(train, test, plain),
        guess=right(train, test, []),
        persons=None if persons is None else persons[test_rows],
        n_train=len(train),
        classifier=classifier,
    )


def _baskets(method: Method, baskets: Baskets, test_share: float, random_state: int | None) -> Utility:
    baskets.check_for_release()
    assert baskets.labels is not None
    train_rows, test_rows = split(baskets.labels, baskets.persons, test_share, Randomness(random_state))
    train, test = baskets.take(train_rows), baskets.take(test_rows)
    release = method.release(train)
    if release.baskets is None:
        raise DataError(f"A release of {release.shape} says nothing of rows by itself: no accuracy can be measured.")
    assert release.baskets.labels is not None
    place = {name: item for item, name in enumerate(test.names)}
    kept = [place[name] for name in release.baskets.names]

    def right(learnt: sp.csr_array, tested: sp.csr_array, labels: Any) -> np.ndarray:
        return _learn(learnt, tested, labels) == test.labels

    guess = right(train.matrix[:, :0], test.matrix[:, :0], train.labels)
    return _utility(
        before=right(train.matrix, test.matrix, train.labels),
        after=right(release.baskets.matrix, test.keep(kept).matrix, release.baskets.labels),
        without=guess,
        guess=guess,
        persons=test.persons,
        n_train=len(train),
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
        raise DataError(f"{len(labels)} rows are too few to set some aside: both sides need rows, and two classes.")
    return train, test


def _units(persons: np.ndarray | None, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """What goes to one side whole: the unit of each row, and the first row of each unit."""
    if persons is None:
        return np.arange(n_rows), np.arange(n_rows)
    return group([persons], n_rows)


# -- learning ------------------------------------------------------------------------------------------------------


def _labels(table: Table, target: str | None) -> np.ndarray:
    column = table.column(target)  # type: ignore[arg-type]
    return np.array(column.texts)[column.codes]


def _answers(document: Document, test: Table) -> np.ndarray:
    """What a released model says of rows."""
    if document.shape != "model":
        raise DataError(f"A release of {document.shape} says nothing of rows by itself: no accuracy can be measured.")
    return np.array([text_of(label) for label in PublishedTree.of(document).predict(test).tolist()])


def _learn(learnt: sp.csr_array, tested: sp.csr_array, labels: np.ndarray) -> np.ndarray:
    """What a classifier that learnt from the first matrix says of the second; with no column, the common class."""
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    if learnt.shape[1] == 0:
        classes, counts = np.unique(labels, return_counts=True)
        return np.repeat(classes[np.argmax(counts)], tested.shape[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the last digits of the weights are of no interest here
        return LogisticRegression(max_iter=300).fit(learnt, labels).predict(tested)


def _utility(
    *,
    before: np.ndarray,
    after: np.ndarray,
    without: np.ndarray,
    guess: np.ndarray,
    persons: np.ndarray | None,
    n_train: int,
    classifier: str = CLASSIFIER,
) -> Utility:
    n = effective_rows(persons, len(before))
    return Utility(
        accuracy_before=wilson(float(before.mean()), n),
        accuracy_after=wilson(float(after.mean()), n),
        difference=paired_difference(float((after & ~before).mean()), float((before & ~after).mean()), n),
        accuracy_without_quasi=wilson(float(without.mean()), n),
        majority=wilson(float(guess.mean()), n),
        n_train=n_train,
        n_test=len(before),
        units="rows" if persons is None else "persons",
        classifier=classifier,
    )
