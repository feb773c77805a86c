# SPDX-License-Identifier: Apache-2.0
"""Prints the studies of the sketch paper, with what the paper states, and adds what was measured to a file.

--quick takes 1000 records of three sets, one split and few levels. --rows 0 takes whole data sets, 200,000 of the made
ones. text_fbis and basehock need the folder of the papers' data sets in DISCREET_DATA. --show prints the tables of what
was measured, --page draws its curves.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from benchmarks.sketches import curves, protocol, readings, studies, tables, timing
from benchmarks.sketches.studies import Asked

SETS = ("c20_i4", "c20_i6", "text_fbis", "basehock")
LEVELS = {"delta": (0.2, 0.4, 1, 2, 4), "k": (2, 5, 10, 20)}
QUICK_SETS = ("c20_i4", "text_fbis", "basehock")
QUICK = {"delta": (0.4, 2), "k": (5,)}
ITEMS = (1000, 1200, 1400, 1600)
STUDIES = ("classes", "clusters", "dimensions", "growth", "sketching", "neighbours")
PAGE = Path(__file__).parent.parent / "results" / "sketches.html"


def main() -> None:
    asked = _options()
    if asked.show or asked.page or asked.plots:
        found = curves.read(asked.results or curves.MEASURED)
        if asked.show:
            tables.show(found)
        if asked.page:
            print(f"\n{curves.write(found, PAGE)} curves are in benchmarks/results/{PAGE.name}.")
        if asked.plots:
            curves.plots(found, asked.plots)
        return
    rows = (1000 if asked.quick else 3000) if asked.rows is None else asked.rows or None
    levels = QUICK if asked.quick else LEVELS
    if asked.delta is not None or asked.k is not None:
        levels = {"delta": asked.delta or (), "k": asked.k or ()}
    settings = list(protocol.SETTINGS) if asked.setting is None else [asked.setting]
    known = asked.readings or ["promise"]
    grid = [("delta", level, s, "promise") for level in levels["delta"] for s in settings]
    grid += [("k", level, s, r) for level in levels["k"] for s in settings for r in known]
    plan = Asked(rows, 1 if asked.quick else asked.splits, asked.test, tuple(grid), asked.results, asked.votes)
    wanted = asked.sets or (QUICK_SETS if asked.quick else SETS)
    sets = [s for s in wanted if s[0] == "c" or os.environ.get("DISCREET_DATA")]
    chosen = asked.studies or STUDIES[:3]
    begun = time.perf_counter()
    for name in sets:
        if "classes" in chosen:
            studies.classes(name, plan)
        if "clusters" in chosen:
            studies.clusters(name, plan)
        if "growth" in chosen:
            studies.growth(name, plan)
    if "dimensions" in chosen:
        studies.dimensions(ITEMS[::2] if asked.quick else ITEMS, plan)
    if "sketching" in chosen:
        timing.sketching(plan)
    if "neighbours" in chosen:
        timing.neighbours(plan)
    print("\nThe paper states:")
    for row in protocol.published()["statements"]:
        print(f"- {row['where']}: {row['says']}")
    left = [s for s in wanted if s not in sets]
    if left:
        print(f"\nLeft out, since DISCREET_DATA is not set: {', '.join(left)}.")
    print(f"\n{time.perf_counter() - begun:.0f} s, {time.process_time():.0f} s of a processor.")


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m benchmarks.sketches", description=__doc__)
    options.add_argument("--sets", nargs="*", choices=SETS, default=None)
    options.add_argument("--studies", nargs="*", choices=STUDIES)
    options.add_argument("--rows", type=int, help="records of a set at most (default 3000, quick 1000; 0 for all)")
    options.add_argument("--splits", type=int, default=2, help="random splits or starts (default 2)")
    options.add_argument("--test", type=int, help="test records that are asked, at random; all if not given")
    options.add_argument("--quick", action="store_true", help="1000 records of three sets, one split, few levels")
    options.add_argument("--delta", nargs="*", type=float, help="levels of delta in place of the usual ones")
    options.add_argument("--k", nargs="*", type=int, help="levels of k in place of the usual ones")
    options.add_argument("--setting", choices=list(protocol.SETTINGS), help="one of the two; both if not given")
    options.add_argument("--votes", type=int, default=protocol.NEIGHBOURS, help="neighbours that vote (default 5)")
    options.add_argument("--readings", nargs="*", choices=list(readings.READINGS), help="of Definition 3")
    options.add_argument("--results", type=Path, help="a file that what is measured is added to, a line each")
    kept = "of the file of results (measured.jsonl if none is named); nothing is measured"
    options.add_argument("--show", action="store_true", help=f"print the tables {kept}")
    options.add_argument("--page", action="store_true", help=f"draw the curves {kept}")
    options.add_argument("--plots", type=Path, help="a folder for two pictures of time, as SVG")
    return options.parse_args()


if __name__ == "__main__":
    main()
