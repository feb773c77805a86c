# SPDX-License-Identifier: Apache-2.0
"""Prints what whole releases of Adult, and of Adult enlarged, cost: from data frame to checked release, at k = 5.

Rows are drawn with replacement, and every quasi-identifier cell is redrawn from its column with probability 0.1, so
that distinct rows grow with the rows. Each line runs in a process of its own, after an unmeasured release of Adult;
the memory is the peak of that process, making the data included.

Needs the folder of the papers' data sets in DISCREET_DATA. Limits: Adult in 1 s, a million rows in 10 CPU-seconds.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.plot import log_log
from benchmarks.speed import data

ADULT, MILLION = 45_222, 1_000_000
SIZES = (ADULT, 100_000, MILLION, 3_000_000)
METHODS = {
    "TreeLadder": "TreeLadder",
    "kACTUS-2": "KActus2",
    "TDS": "TopDownSpecialization",
    "TDR": "TopDownRefinement",
    "Mondrian": "Mondrian",
    "kADET": "KAdet",
}
SAID = {ADULT: "45 k", 100_000: "100 k", MILLION: "1 M", 3_000_000: "3 M", 10_000_000: "10 M"}


def one(name: str, rows: int, runs: int) -> dict:
    """The median cost of one method at one size, in this process."""
    import discreet

    frame, roles = data.adult()
    method = getattr(discreet, METHODS[name])
    method(5, random_state=0).release(frame, roles)  # compiles
    larger = frame if rows == len(frame) else data.perturbed(frame, roles, rows)
    clock, processor = [], []
    for _ in range(runs):
        start, used = time.perf_counter(), time.process_time()
        release = method(5, random_state=0).release(larger, roles)
        clock.append(time.perf_counter() - start)
        processor.append(time.process_time() - used)
    peak = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="ascii"))
    found = {"method": name, "rows": rows, "seconds": median(clock), "cpu": median(processor)}
    lost = release.losses.information_loss if release.content.has_cells else None
    return found | {"suppressed": lost, "GB": int(peak[1]) / 2**20 if peak else float("nan")}


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m benchmarks.trees.cost", description=__doc__)
    options.add_argument("--rows", type=int, nargs="*", default=SIZES)
    options.add_argument("--methods", nargs="*", choices=[*METHODS], default=[*METHODS])
    options.add_argument("--largest", nargs="*", choices=[*METHODS], default=[], help="these at 10 million rows too")
    options.add_argument("--runs", type=int, default=3, help="measured runs up to a million rows; one above")
    options.add_argument("--plot", type=Path, help="write the plot here")
    options.add_argument("--one", help=argparse.SUPPRESS)  # for the child process
    asked = options.parse_args()
    if asked.one:
        print(json.dumps(one(asked.one, asked.rows[0], asked.runs)))
        return 0
    print("| method | rows | seconds | CPU-seconds | suppressed | peak GB |\n|---|---:|---:|---:|---:|---:|")
    found = []
    for name in asked.methods:
        for rows in [*asked.rows, *([10_000_000] if name in asked.largest else [])]:
            runs = asked.runs if rows <= MILLION else 1
            command = [sys.executable, "-m", "benchmarks.trees.cost", "--one", name, "--rows", rows, "--runs", runs]
            done = subprocess.run([*map(str, command)], check=True, stdout=subprocess.PIPE, text=True)
            line = json.loads(done.stdout.splitlines()[-1])
            found.append(line)
            lost = "-" if line["suppressed"] is None else f"{line['suppressed']:.2f}"
            cost = f"{line['seconds']:.2f} | {line['cpu']:.2f}"
            print(f"| {name} | {rows:,} | {cost} | {lost} | {line['GB']:.1f} |", flush=True)
    if asked.plot:
        lines = {m: [(f["rows"], f["cpu"]) for f in found if f["method"] == m] for m in asked.methods}
        marks = {rows: SAID.get(rows, f"{rows:,}") for rows in sorted({line["rows"] for line in found})}
        title = "CPU-seconds of a release against rows, k = 5"
        asked.plot.write_text(log_log(title, lines, marks, "CPU-seconds"), encoding="utf-8")
    limits = {ADULT: 1.0, MILLION: 10.0}
    missed = [f"{f['method']} at {f['rows']:,}" for f in found if f["cpu"] > limits.get(f["rows"], float("inf"))]
    print(f"\nLimits missed: {', '.join(missed)}." if missed else "\nEvery limit was met.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
