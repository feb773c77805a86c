# SPDX-License-Identifier: Apache-2.0
"""Test rows that the user held out: the method sees all rows of the data, and every classifier is asked about these.

There is one release and one model of each classifier, so that only the choice of the test rows can vary. They are dealt
into ten parts, each with its share of every class and all rows of a person in one; every part gives a score, and
intervals are Student's over the parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from discreet.data.dataset import Dataset, TableDataset, keep_items
from discreet.data.notation import notation_named
from discreet.data.table import Table
from discreet.errors import DataError, listing
from discreet.learning.cross_validation import kfold
from discreet.learning.significance import Difference, paired

_PARTS = 10


@dataclass(frozen=True)
class OwnTestRows:
    """The parts of the test rows, which take the place of folds."""

    parts: tuple[np.ndarray, ...]
    random_state: int = 0

    @classmethod
    def of(cls, test: Dataset, random_state: int) -> OwnTestRows:
        units = len(test) if test.persons is None else len(np.unique(test.persons))
        if units < 2:
            raise DataError(f"Own test rows must be of two persons at least, and there is {units}. Pass more.")
        folds = kfold(len(test), min(_PARTS, units), random_state, labels=test.labels, persons=test.persons)
        return cls(tuple(fold.test for fold in folds), random_state)

    def __len__(self) -> int:
        return len(self.parts)

    def __str__(self) -> str:
        return "own test rows"

    @property
    def test(self) -> str:
        """The test behind the intervals."""
        return f"Student's t-test over {len(self)} parts of the test rows"

    def judge(self, values: np.ndarray, confidence: float = 0.95) -> Difference:
        """The mean of one figure per part, or of differences, with its interval; all NaN if a figure is missing."""
        if len(values) != len(self) or not np.isfinite(values).all():
            return Difference(*[float("nan")] * 5)
        return paired(values, confidence=confidence)


def read_own_rows(test: object, dataset: Dataset) -> Dataset:
    """Own test rows, read as the data are: with the same columns, items, kinds and notations, but no identifiers."""
    return _READ[dataset.shape](test, dataset)


def _table(test: object, dataset: Dataset) -> Dataset:
    roles = dataset.roles
    assert roles is not None
    table = Table.of(test)
    absent = [name for name in roles.published if name not in table]
    if absent:
        raise DataError(f"The test rows lack {len(absent)} columns of the data: {listing(absent)}.")
    person = roles.person if roles.person in table else None
    kinds: dict[str, Any] = {name: dataset.data.column(name).kind for name in roles.published}
    mine = replace(roles, identifiers=(), person=person, allow_unique=())
    named = {name: notation_named(how) for name, how in dataset.data.notations.items() if name in kinds}
    recorded = {name: notation for name, notation in named.items() if notation is not None}
    read = table.reread(kinds=kinds, recorded=recorded).select(
        [*roles.published, *([] if person is None else [person])]
    )
    return _labelled(TableDataset(read, mine))


def _baskets(test: object, dataset: Dataset) -> Dataset:
    other = Dataset.unchecked(test)
    absent = [name for name in dataset.data.names if name not in set(other.data.names)]
    if absent:
        raise DataError(f"The test rows lack {len(absent)} items of the data: {listing(absent)}.")
    return _labelled(Dataset.unchecked(keep_items(other.data, dataset.data.names)))


_READ = {"table": _table, "baskets": _baskets}


def _labelled(test: Dataset) -> Dataset:
    """DataError unless some rows say their class."""
    if not len(test) or (test.labels >= len(test.classes)).any():
        missing = int((test.labels >= len(test.classes)).sum())
        raise DataError(f"Every test row must say its class; {missing} of {len(test)} do not. Leave them out.")
    return test
