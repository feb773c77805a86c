# SPDX-License-Identifier: Apache-2.0
"""The data sets of the comparison, the three ways to prepare them, and the share of test rows that come out right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from discreet import samples
from discreet.data.table import Table
from discreet.learning.classifiers import Classifier, examples_for
from discreet.learning.cross_validation import Fold
from discreet.prepare.binning import Binning

How = Literal["raw", "inside the fold", "whole file"]
HOW: tuple[How, ...] = ("raw", "inside the fold", "whole file")
OPTIONS: dict[str, dict[str, Any]] = {"adult": {"quasi": 14}, "german": {"quasi": 20}}


def load(name: str) -> tuple[Table, list[str], str]:
    """A data set of the catalog: the table, its features, the target. Identifiers are left out."""
    sample = samples.load(name, **OPTIONS.get(name, {}))
    table, roles = sample.data, sample.roles
    assert isinstance(table, Table)
    assert roles is not None
    assert roles.target is not None
    return table, [n for n in table.names if n != roles.target and n not in roles.identifiers], roles.target


def accuracy(
    learner: Callable[[], Classifier],
    table: Table,
    features: Sequence[str],
    target: str,
    folds: Sequence[Fold],
    *,
    how: str = "raw",
) -> float:
    """The share of the test rows of all folds that were predicted right.

    Numbers stay as they are ("raw"), or are binned by MDL, with cuts learnt from the training rows of each fold
    ("inside the fold") or from all rows, the test rows and their classes included ("whole file").
    """
    if how == "whole file":
        table = Binning.fit(table, features, target=target).apply(table)
    label = table.column(target)
    truth = np.array(label.texts, dtype=object)[label.codes]
    right = tested = 0
    for train, test in folds:
        taught, asked = table.take(train), table.take(test)
        if how == "inside the fold":
            binning = Binning.fit(taught, features, target=target)
            taught, asked = binning.apply(taught), binning.apply(asked)
        model = learner()
        model.fit(examples_for(model, taught, features, target))
        right += int((model.predict(asked) == truth[test]).sum())
        tested += len(test)
    return right / tested
