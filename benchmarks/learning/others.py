# SPDX-License-Identifier: Apache-2.0
"""PART, naive Bayes and logistic regression beside Weka's: ten folds, numbers as they are.

On Weka's own folds (seed 1) the two programs see the same rows. Folds of ours, over several seeds, say how much such a
figure depends on the folds. A line is fine if one of the two is within two points of Weka's figure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from benchmarks.learning.parity import accuracy, load
from benchmarks.learning.weka import folds
from discreet.learning.classifiers import CLASSIFIERS
from discreet.learning.cross_validation import kfold

WEKA_NAMES = {"part": "PART", "naive-bayes": "naive-bayes", "logistic": "logistic"}  # ours: as in published.toml
_LARGE = 2000  # rows from which on a figure hardly depends on the folds: one division will do
_POINTS = 2.0


def on_weka_folds(learner: str, name: str) -> float:
    """Percent of the rows of a data set that a learner gets right on Weka's ten folds."""
    table, features, target = load(name)
    divided = folds(table.column(target).codes, 10, 1)
    return round(100 * accuracy(CLASSIFIERS[learner], table, features, target, divided), 2)


def lines(name: str, weka: Mapping, repeats: int) -> Iterator[tuple[str, bool]]:
    """The lines of a data set as Markdown, and whether each is fine."""
    table, features, target = load(name)
    labels = table.column(target).codes
    for learner, weka_name in WEKA_NAMES.items():
        if weka_name not in weka:
            continue
        same = on_weka_folds(learner, name)
        own = [
            100 * accuracy(CLASSIFIERS[learner], table, features, target, kfold(len(table), 10, seed, labels=labels))
            for seed in range(1 if len(table) > _LARGE else max(repeats, 1))
        ]
        mean, expected = float(np.mean(own)), float(weka[weka_name])
        spread = f"{np.std(own, ddof=1):.2f}" if len(own) > 1 else "-"
        fine = min(abs(same - expected), abs(mean - expected)) <= _POINTS
        cells = [name, learner, f"{expected:.2f}", f"{same:.2f}", f"{same - expected:+.2f}", f"{mean:.2f}", spread]
        yield f"| {' | '.join([*cells, 'yes' if fine else 'NO'])} |", fine


def report(published: Mapping[str, Mapping], names: list[str], repeats: int) -> None:
    """Print the table of these data sets."""
    print("| data | learner | Weka | ours, its folds | difference | ours, our folds | deviation | fine |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |")
    judged = []
    for name in names:
        for line, fine in lines(name, published[name], repeats):
            print(line, flush=True)
            judged.append(fine)
    print(f"\n{sum(judged)} of {len(judged)} figures are fine.")
