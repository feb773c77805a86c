# SPDX-License-Identifier: Apache-2.0
"""Prints the studies of the sketch paper on a slice of each data set, with what the paper states.

--quick takes 1000 records of three sets, one split and few levels. --rows 0 takes whole data sets, the paper's size,
which takes hours. text_fbis and basehock need the folder of the papers' data sets in DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import os
import time

from benchmarks.sketches import protocol
from benchmarks.sketches.protocol import Accuracy

SETS = ("c20_i4", "c20_i6", "text_fbis", "basehock")
LEVELS = {"delta": (0.2, 0.4, 1, 2, 4), "k": (2, 5, 10, 20)}
QUICK_SETS = ("c20_i4", "text_fbis", "basehock")
QUICK = {"delta": (0.4, 2), "k": (5,)}
ITEMS = (1000, 1200, 1400, 1600)
DELTAS = (0.2, 0.3, 0.4)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.sketches", description=__doc__)
    options.add_argument("--sets", nargs="*", choices=SETS, default=None)
    options.add_argument("--studies", nargs="*", choices=["classes", "clusters", "dimensions"])
    options.add_argument("--rows", type=int, help="records of a set at most (default 3000, quick 1000; 0 for all)")
    options.add_argument("--splits", type=int, default=2, help="random splits or starts (default 2)")
    options.add_argument("--quick", action="store_true", help="1000 records of three sets, one split, few levels")
    options.add_argument("--delta", nargs="*", type=float, help="levels of delta in place of the usual ones")
    options.add_argument("--k", nargs="*", type=int, help="levels of k in place of the usual ones")
    options.add_argument(
        "--setting", choices=list(protocol.SETTINGS), help="one of the two settings; both if not given"
    )
    asked = options.parse_args()
    rows = (1000 if asked.quick else 3000) if asked.rows is None else asked.rows or None
    splits = 1 if asked.quick else asked.splits
    levels = QUICK if asked.quick else LEVELS
    if asked.delta is not None or asked.k is not None:
        levels = {"delta": asked.delta or (), "k": asked.k or ()}
    settings = list(protocol.SETTINGS) if asked.setting is None else [asked.setting]
    grid = [(p, level, s) for p, each in levels.items() for level in each for s in settings]
    wanted = asked.sets or (QUICK_SETS if asked.quick else SETS)
    sets = [s for s in wanted if s[0] == "c" or os.environ.get("DISCREET_DATA")]
    studies = asked.studies or ["classes", "clusters", "dimensions"]
    begun = time.perf_counter()
    for name in sets:
        data = protocol.records(name, rows)
        size = f"{len(data):,} records, {data.shape[1]:,} items, {data.ones.mean():.0f} of them in a record"
        if "classes" in studies:
            print(f"\n## Accuracy, {name} ({size}; {splits} splits)\n")
            _classes(data, grid, splits)
        if "clusters" in studies:
            print(f"\n## 10-means, {name} ({size}; {splits} starts)\n")
            _clusters(data, grid, splits)
    if "dimensions" in studies:
        _dimensions(rows, splits, ITEMS[::2] if asked.quick else ITEMS)
    print("\nThe paper states:")
    for row in protocol.published()["statements"]:
        print(f"- {row['where']}: {row['says']}")
    left = [s for s in wanted if s not in sets]
    if left:
        print(f"\nLeft out, since DISCREET_DATA is not set: {', '.join(left)}.")
    print(f"\n{time.perf_counter() - begun:.0f} s.")


def _classes(data, grid, splits) -> None:
    base = protocol.mean_of([protocol.baseline_accuracy(data, seed) for seed in range(splits)])
    print(_line("promise", "setting", "median components", "suppressed", "neighbours", "lost", "linear", "lost"))
    print(_line(*["---"] * 8))
    print(_line("none", "records", "", "", f"{base.neighbours:.3f}", "", f"{base.linear:.3f}", ""), flush=True)
    for promise, level, setting in grid:
        by = protocol.method(promise, level, setting)
        found = protocol.mean_of([protocol.sketched_accuracy(data, by, seed) for seed in range(splits)])
        cells = [f"{promise} = {level:g}", setting, f"{found.components:.0f}", f"{found.suppressed:.1%}"]
        for which in protocol.CLASSIFIERS:
            cells += [f"{getattr(found, which):.3f}", _lost(base, found, which)]
        print(_line(*cells), flush=True)


def _lost(base: Accuracy, found: Accuracy, which: str) -> str:
    """Of the baseline's accuracy."""
    return f"{1 - getattr(found, which) / getattr(base, which):.0%}"


def _clusters(data, grid, starts) -> None:
    def over(quality) -> float:
        return sum(quality(data, seed) for seed in range(starts)) / starts

    base, floor = over(protocol.baseline_quality), over(protocol.random_quality)
    print(_line("promise", "setting", "mean cosine", "of the way from random to the records' own"))
    print(_line(*["---"] * 4))
    print(_line("none", "records", f"{base:.3f}", "100%"))
    print(_line("none", "random clusters", f"{floor:.3f}", "0%"), flush=True)
    for promise, level, setting in grid:
        by = protocol.method(promise, level, setting)
        found = sum(protocol.sketched_quality(data, by, seed) for seed in range(starts)) / starts
        print(
            _line(f"{promise} = {level:g}", setting, f"{found:.3f}", f"{(found - floor) / (base - floor):.0%}"),
            flush=True,
        )


def _dimensions(rows, splits, sizes) -> None:
    print(f"\n## Items, Q20.I6.G(items) ({rows or 200_000:,} records; {splits} splits): accuracy over the baseline's\n")
    print(_line("items", "classifier", *(f"delta = {delta:g}" for delta in DELTAS)))
    print(_line(*["---"] * (2 + len(DELTAS))))
    for items in sizes:
        data = protocol.records(f"q20_i6_g{items}", rows)
        base = protocol.mean_of([protocol.baseline_accuracy(data, seed) for seed in range(splits)])
        found = [
            protocol.mean_of(
                [protocol.sketched_accuracy(data, protocol.method("delta", d, "paper"), seed) for seed in range(splits)]
            )
            for d in DELTAS
        ]
        for which in protocol.CLASSIFIERS:
            ratios = (f"{getattr(f, which) / getattr(base, which):.3f}" for f in found)
            print(_line(str(items), which, *ratios), flush=True)


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
