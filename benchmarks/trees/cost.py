# SPDX-License-Identifier: Apache-2.0
"""Prints the time of whole kACTUS-2 releases of Adult and of Adult enlarged, from data frame to checked release.

Needs the folder of the papers' data sets in DISCREET_DATA. Rows are drawn with replacement and ages moved by up to
three years, as in benchmarks/speed. The first release of a process is not timed.
"""

from __future__ import annotations

import argparse
import time
from statistics import median

import pandas as pd

from benchmarks.speed.data import enlarged
from discreet import KActus2, Roles
from discreet.samples import load


def seconds(frame: pd.DataFrame, roles: Roles, runs: int) -> tuple[float, float, str]:
    """Median seconds of the clock and of the processor, and what the release lost."""
    clock, processor, found = [], [], ""
    for _ in range(runs):
        start, used = time.perf_counter(), time.process_time()
        release = KActus2(5, random_state=0).release(frame, roles)
        clock.append(time.perf_counter() - start)
        processor.append(time.process_time() - used)
        found = f"{release.changes.suppressed_cells / release.changes.quasi_cells:.2f}"
    return median(clock), median(processor), found


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.trees.cost", description=__doc__)
    options.add_argument("--rows", type=int, nargs="*", default=[1_000_000], help="sizes of the enlarged tables")
    options.add_argument("--quasi", type=int, choices=(8, 14), nargs="*", default=[8, 14])
    options.add_argument("--runs", type=int, default=3)
    asked = options.parse_args()
    frame = load("adult", quasi=14).data.to_frame("pandas")  # type: ignore[union-attr]
    print("| rows | quasi-identifiers | seconds | processor | suppressed |\n| --- | --- | --- | --- | --- |")
    for n in [len(frame), *asked.rows]:
        table = frame if n == len(frame) else enlarged(frame, n)
        for quasi in asked.quasi:
            roles = load("adult", quasi=quasi).roles
            assert roles is not None
            if n == len(frame):
                seconds(table, roles, 1)
            clock, processor, lost = seconds(table, roles, asked.runs)
            print(f"| {n:,} | {quasi} | {clock:.2f} | {processor:.2f} | {lost} |", flush=True)


if __name__ == "__main__":
    main()
