# SPDX-License-Identifier: Apache-2.0
"""Learning a decision tree from Adult, and releases of Adult by the methods that grow trees."""

from __future__ import annotations

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks.learning.parity import load
from benchmarks.speed import data as sets
from benchmarks.speed.measure import Line, Table, against, in_turns, within
from discreet import KActus2, KAdet, TopDownRefinement, TopDownSpecialization, TreeLadder
from discreet.learning.c45 import C45
from discreet.learning.examples import Examples
from discreet.prepare.binning import Binning

_J48 = {"raw": 1.22, "binned": 0.33}  # CPU seconds of Weka's J48 on such a machine
_ARX = {"Adult 45,222 x 8": 4.0, "1,000,000 x 8": 45.0}  # CPU seconds of ARX 3.9.2, quoted; the least where several
_MOST = {"Adult 45,222 x 8": 1.0, "1,000,000 x 8": 10.0}  # seconds that ours may take


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


def releases(table: Table, runs: int) -> None:
    """Whole releases at k = 5, from data frame to checked release, in CPU seconds against the bound and ARX's."""
    frame, roles = sets.adult()
    frames = {"Adult 45,222 x 8": frame, "1,000,000 x 8": sets.perturbed(frame, roles, 1_000_000)}
    for name, rows in frames.items():
        for method in (TreeLadder, KActus2, TopDownSpecialization, TopDownRefinement, KAdet):
            (ours,) = in_turns(lambda method=method, rows=rows: method(5).release(rows, roles), runs=runs)
            what, spent = f"{method.__name__}(k=5).release, {name}", ours.processor
            table.add(Line(what, f"{_MOST[name]:g} CPU-s", spent, _MOST[name], 1.0))
            table.add(Line("  the same", f"ARX, {_ARX[name]:g} CPU-s (quoted)", spent, _ARX[name], 1.0))
