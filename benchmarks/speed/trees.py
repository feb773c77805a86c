# SPDX-License-Identifier: Apache-2.0
"""Learning a decision tree from Adult, and releases of Adult by the methods that grow trees."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from benchmarks.learning.parity import load
from benchmarks.rivals.arx import METRICS, anonymise
from benchmarks.rivals.arx import VARIABLE as ARX
from benchmarks.speed import data as sets
from benchmarks.speed.measure import Line, Table, Times, against, beside, in_turns
from benchmarks.speed.tables import grown
from discreet import KActus2, KAdet, Roles, TopDownRefinement, TopDownSpecialization, TreeLadder
from discreet import Table as Table_
from discreet.learning.c45 import C45
from discreet.learning.examples import Examples
from discreet.prepare.binning import Binning

_J48 = {"raw": 1.22, "binned": 0.33}  # CPU seconds of Weka's J48, quoted
_ARX = {"Adult 45,222 x 8": 4.0, "1,000,000 x 8": 45.0}  # CPU seconds of ARX 3.9.2, quoted; the least where several


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
        table.add(Line("  the same, CPU", "Weka's J48 (quoted)", ours.processor, _J48[how]))


def releases(table: Table, runs: int) -> None:
    """Whole releases at k = 5, from data frame to checked release, against a bare tree and against ARX.

    ARX is measured where DISCREET_ARX names its source, with our automatic hierarchies; else its seconds are quoted.
    """
    frame, roles = sets.adult()
    frames = {"Adult 45,222 x 8": frame, "1,000,000 x 8": sets.perturbed(frame, roles, 1_000_000)}
    for name, rows in frames.items():
        methods = (TreeLadder, KActus2, TopDownSpecialization, TopDownRefinement, KAdet)
        works = [lambda method=method, rows=rows: method(5).release(rows, roles) for method in methods]
        *all_of_ours, bare = in_turns(*works, lambda rows=rows: grown(rows, roles), runs=runs)
        by_arx = _arx(rows, roles, runs)
        for method, ours in zip(methods, all_of_ours, strict=True):
            what = f"{method.__name__}(k=5).release, {name}"
            table.add(against(what, "scikit-learn's tree, pandas groupby", ours, bare, None))
            for metric, run in by_arx.items():
                table.add(beside("  the same", f"ARX, {metric}", ours, run))
            if ARX not in os.environ:
                table.add(Line("  the same, CPU", "ARX 3.9.2 (quoted)", ours.processor, _ARX[name]))


def _arx(rows: pd.DataFrame, roles: Roles, runs: int) -> dict[str, Callable[[], Times]]:
    """Times of ARX by its metrics, measured when first asked for, once."""

    @cache
    def times(metric: str) -> Times:
        found = anonymise(Table_.of(rows), roles, 5, metric, runs=runs)
        return Times(found.seconds, found.cpu)

    return {metric: partial(times, metric) for metric in (METRICS if ARX in os.environ else METRICS[:1])}
