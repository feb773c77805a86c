# SPDX-License-Identifier: Apache-2.0
"""Means over several splits of adult_arx: `python -m benchmarks.frontier.splits [--keep before|after]`.

Other splits of the same rows move an accuracy by some thousandths, so one split alone decides nothing between close
methods. Logistic regression learns from the release of 70 % of the rows; the others are recoded, or (raw) read as a
recipient reads them who does not recode. It runs on any version that has the public names, so that `before` was
measured by the same lines (with PYTHONPATH at the sources of version 0.1) as `after`. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import discreet as ds
from benchmarks.frontier.protocol import Split, scores
from benchmarks.frontier.tables import TABLES
from discreet.evaluate.protocols import read
from discreet.foundation.progress import show, track

KEPT = Path(__file__).parent / "splits.json"
SEEDS = range(6)
MEASURES = ("accuracy", "AUC", "raw accuracy", "suppressed")
Figures = dict[str, dict[str, list[list[float]]]]  # k -> method -> a line of measures for each split

METHODS: dict[str, Callable[[int], Any]] = {
    "TreeLadder": lambda k: ds.TreeLadder(k, random_state=0),
    "Mondrian, information": lambda k: ds.Mondrian(k, split="information", random_state=0),
    "TDS": lambda k: ds.TopDownSpecialization(k, random_state=0),
}
OF_BEFORE = {"TreeLadder, detail=True": lambda k: ds.TreeLadder(k, detail=True, random_state=0)}  # a bool in 0.1


def measured(table: str, methods: dict[str, Callable[[int], Any]], seeds: range = SEEDS) -> Figures:
    """The measures of every method at every k, split by split."""
    load, ks = TABLES[table]
    data, found = load(), {str(k): {name: list[list[float]]() for name in methods} for k in ks}
    for seed in track(seeds, table):
        rows = Split.of(*data, seed)
        for k in ks:
            for name, make in methods.items():
                release = make(k).release(rows.train, rows.roles)
                recoded = scores("logistic", release.table, release.recode(rows.test), rows)
                raw = scores("logistic", release.table, read(release, rows.test), rows)["accuracy"]
                line = (recoded["accuracy"], recoded["auc"], raw, release.losses.information_loss)
                found[str(k)][name].append([round(value, 4) for value in line])
    return found


def lines_of(kept: dict[str, Figures], each: str | None = None) -> Iterator[str]:
    """A line of Markdown for each k, method and version: the mean of each measure, or every split of one."""
    heads = MEASURES if each is None else tuple(f"split {seed}" for seed in SEEDS)
    yield "| k | method | version | " + " | ".join(heads) + " |"
    yield "|" + "---|" * (3 + len(heads))
    for k in next(iter(kept.values()), {}):
        for version, found in kept.items():
            for name, by_split in found[k].items():
                figures = np.array(by_split)
                values = figures.mean(axis=0) if each is None else figures[:, MEASURES.index(each)]
                shown = " | ".join(f"{value:.3f}" for value in values)
                yield f"| {k} | {name} | {'0.1' if version == 'before' else 'now'} | {shown} |"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.frontier.splits", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    options.add_argument("--keep", choices=("before", "after"), help="measure, and write down under this name")
    options.add_argument("--each", choices=MEASURES, help="every split of one measure, instead of means")
    asked = options.parse_args()
    show()
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    if asked.keep:
        kept[asked.keep] = measured("adult_arx", METHODS | (OF_BEFORE if asked.keep == "before" else {}))
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    print("\n".join(lines_of(kept, asked.each)))


if __name__ == "__main__":
    main()
