# SPDX-License-Identifier: Apache-2.0
"""Learning a decision tree from Adult."""

from __future__ import annotations

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks.learning.parity import load
from benchmarks.speed.measure import Table, against, in_turns, within
from discreet.learning.c45 import C45
from discreet.learning.examples import Examples
from discreet.prepare.binning import Binning

_J48 = {"raw": 1.22, "binned": 0.33}  # CPU seconds of Weka's J48 on such a machine


def c45(table: Table, runs: int) -> None:
    """From coded columns to a pruned tree, against scikit-learn's unpruned one on the codes, and against J48's time."""
    adult, features, target = load("adult")
    binned = Binning.fit(adult, features, target=target).apply(adult)
    for how, data in (("raw", adult), ("binned", binned)):
        found: list[C45] = []
        codes = np.column_stack([column.codes for column in data.columns(features)]).astype(np.float32)
        labels = data.column(target).codes
        rival = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)
        ours, theirs = in_turns(
            lambda data=data, found=found: found.append(C45().fit(Examples.of(data, features, target))),
            lambda codes=codes, labels=labels, rival=rival: rival.fit(codes, labels),
            runs=2 * runs,
        )
        what, note = f"C45.fit, Adult 45,222 x 14, {how}", f"{len(found[0].tree_.leaves)} leaves"
        table.add(against(what, "scikit-learn's tree on codes", ours, theirs, 1.0, note=note))
        table.add(within("  the same, J48's seconds", _J48[how], ours))
