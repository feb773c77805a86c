# SPDX-License-Identifier: Apache-2.0
"""Prints the table of speeds: ours and theirs, medians of warm runs taken in turns, and whether the limit was met.

Needs the folder of the papers' data sets in DISCREET_DATA for Adult and PU1; lines that need them are left out else.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from benchmarks.speed import baskets, compare, noise, private, risk, sketches, start, streams, tables, trees, weights
from benchmarks.speed.measure import Table

RESULTS = Path(__file__).parent.parent / "results" / "speed.json"
PARTS = {
    "tally": tables.tally,
    "check": tables.k_anonymity_check,
    "mondrian": tables.mondrian,
    "c45": trees.c45,
    "releases": trees.releases,
    "weights": weights.weights,
    "greedy": baskets.greedy,
    "distcnt": baskets.distcnt,
    "flip": baskets.flip,
    "stream": streams.stream,
    "selection": noise.selection,
    "counts": noise.counts,
    "private-table": private.private_table,
    "risk": risk.risk,
    "sketch": sketches.sketching,
    "k-variance": sketches.k_variance,
    "compare": compare.compare,
    "start": start.imports,
    "methods": start.methods,
    "adult": start.release_of_adult,
    "cold": start.cold,
}
NEED_DATA = {"check", "mondrian", "c45", "releases", "weights", "greedy", "private-table", "risk", "selection", "adult"}


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    options.add_argument("parts", nargs="*", choices=[[], *PARTS], help="which parts; all when none is named")
    options.add_argument("--runs", type=int, default=5, help="measured runs of what takes seconds (default 5)")
    asked = options.parse_args()
    table = Table()
    table.head()
    left_out = []
    for name in asked.parts or PARTS:
        if name in NEED_DATA and not os.environ.get("DISCREET_DATA"):
            left_out.append(name)
        else:
            PARTS[name](table, asked.runs)
    missed = [line.what.strip() for line in table.lines if line.met is False]
    print(f"\n{len(missed)} limits missed." if missed else "\nEvery limit was met.")
    if left_out:
        print(f"Left out, since DISCREET_DATA is not set: {', '.join(left_out)}.")
    if not asked.parts:
        table.save(RESULTS)


if __name__ == "__main__":
    main()
