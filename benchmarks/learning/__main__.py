# SPDX-License-Identifier: Apache-2.0
"""Prints the accuracy of C4.5 beside J48's, then of the others: on Weka's own folds, and on folds of ours.

Needs the folder of the papers' data sets in DISCREET_DATA. On Weka's folds the two programs see the same rows, so a
difference is a difference of the programs. The interval is that of 95 % of such figures under other divisions into
folds (mean +- 1.96 standard deviations over the repeats; a 5x2 figure is the mean of five). A line is fine if the
difference is within a point, or if Weka's figure lies in the interval.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import numpy as np

from benchmarks.learning import others
from benchmarks.learning.parity import HOW, accuracy, load
from benchmarks.learning.weka import folds
from discreet.learning.c45 import C45
from discreet.learning.cross_validation import kfold

PUBLISHED = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))
PROTOCOLS = (("5x2", 2, 5), ("10-fold", 10, 1))  # name, folds, repeats that make up a figure
_LARGE = 2000  # rows from which on a figure hardly depends on the folds: one division will do


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.learning", description=__doc__)
    options.add_argument("--data", choices=[*PUBLISHED], nargs="*", default=[*PUBLISHED])
    options.add_argument("--repeats", type=int, default=20, help="divisions into folds of ours (default 20)")
    options.add_argument("--learners", choices=["c45", "others"], nargs="*", default=["c45", "others"])
    asked = options.parse_args()
    if "c45" in asked.learners:
        _report(asked.data, asked.repeats)
    if "others" in asked.learners:
        others.report(PUBLISHED, asked.data, asked.repeats)


def _report(names: list[str], repeats: int) -> None:
    print("| data | numbers | protocol | Weka | ours, its folds | difference | ours, our folds | 95 % | fine |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | --- | --- |")
    lines = [line for name in names for line in _lines(name, repeats)]
    judged = [fine for fine in lines if fine is not None]
    print(f"\n{sum(judged)} of {len(judged)} figures are fine.")


def _lines(name: str, repeats: int):
    table, features, target = load(name)
    labels = table.column(target).codes
    repeats = 1 if len(table) > _LARGE else max(repeats, 1)
    for how in HOW:
        for place, (protocol, n_folds, times) in enumerate(PROTOCOLS):
            same = [
                100 * accuracy(C45, table, features, target, folds(labels, n_folds, seed), how=how)
                for seed in range(1, times + 1)
            ]
            ours = round(float(np.mean(same)), 2)
            own = np.array([
                100 * accuracy(C45, table, features, target, kfold(len(table), n_folds, seed, labels=labels), how=how)
                for seed in range(repeats)
            ])  # fmt: skip
            spread = 1.96 * float(own.std(ddof=1)) / times**0.5 if repeats > 1 else 0.0
            weka = PUBLISHED[name].get(how, [None, None])[place]
            cells = [name, how, protocol, "-", f"{ours:.2f}", "-", f"{own.mean():.2f}", "-", "-"]
            fine = None
            if repeats > 1:
                cells[7] = f"{own.mean() - spread:.1f} to {own.mean() + spread:.1f}"
            if weka is not None:
                fine = abs(ours - weka) <= 1 or abs(own.mean() - weka) <= spread
                cells[3], cells[5], cells[8] = f"{weka:.2f}", f"{round(ours - weka, 2):+.2f}", "yes" if fine else "NO"
            print(f"| {' | '.join(cells)} |", flush=True)
            yield fine


if __name__ == "__main__":
    main()
