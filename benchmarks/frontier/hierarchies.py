# SPDX-License-Identifier: Apache-2.0
"""adult_arx with the hierarchies that ARX ships: `python -m benchmarks.frontier.hierarchies [--keep]`.

The best release that writes each column at one level of these files (benchmarks/rivals/full_domain.py), beside methods
of ours with the same files and without any. Means over several splits, best of three learners, asked about the other
rows as they are recoded. `--keep` measures and writes down. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.frontier.protocol import LEARNERS, Split, best_of, scores
from benchmarks.frontier.rivals import ARX_TABLE, Measured, arx_hierarchies, best_full_domain
from benchmarks.frontier.splits import SEEDS
from benchmarks.frontier.tables import TABLES
from benchmarks.rivals.full_domain import SUPPRESSED, texts_of
from discreet import Table, TopDownSpecialization, TreeLadder
from discreet.foundation.progress import show, track
from discreet.methods import Method

KEPT = Path(__file__).parent / "hierarchies.json"
MEASURES = ("accuracy", "AUC", "log-loss", "suppressed cells", "rows of stars alone")
Figures = dict[str, dict[str, list[list[float]]]]  # k -> method -> a line of measures for each split
Measure = Callable[[Split], Measured]


def ours(make: Callable[[], Method]) -> Measure:
    """What is measured of a release of ours."""

    def measured(rows: Split) -> Measured:
        release = make().release(rows.train, rows.roles)
        recoded = release.recode(rows.test)
        return {
            "learners": {name: scores(name, release.table, recoded, rows) for name in LEARNERS},
            "suppressed": release.losses.information_loss,
            "stars": rows_of_stars(release.table, rows.roles.quasi),
        }

    return measured


def rows_of_stars(table: Table, quasi: Sequence[str]) -> int:
    """Rows of which nothing is published but the class."""
    return sum({*row} == {SUPPRESSED} for row in zip(*(texts_of(table, name) for name in quasi), strict=True))


def methods_at(k: int, files: dict[str, Path]) -> dict[str, Measure]:
    return {
        "best full-domain release": lambda rows: best_full_domain(rows, k),
        "TreeLadder, same hierarchies": ours(lambda: TreeLadder(k, hierarchies=files, random_state=0)),
        "TreeLadder, none": ours(lambda: TreeLadder(k, random_state=0)),
        "TDS, same hierarchies": ours(lambda: TopDownSpecialization(k, hierarchies=files, random_state=0)),
        "TDS, none": ours(lambda: TopDownSpecialization(k, random_state=0)),
    }


def measured(seeds: range = SEEDS) -> Figures:
    """The measures of every method at every k, split by split."""
    load, ks = TABLES[ARX_TABLE]
    table, roles = load()
    found: Figures = {str(k): {} for k in ks}
    for seed in track(seeds, ARX_TABLE):
        rows = Split.of(table, roles, seed)
        for k in ks:
            for name, measure in methods_at(k, arx_hierarchies(roles.quasi)).items():
                one = measure(rows)
                line = [*(best_of(one, m) for m in ("accuracy", "auc", "log_loss")), one["suppressed"], one["stars"]]
                found[str(k)].setdefault(name, []).append([round(float(value), 4) for value in line])
    return found


def lines_of(found: Figures) -> Iterator[str]:
    """A line of Markdown for each k and method: means; of rows of stars the fewest of a release that has any."""
    yield "| k | method | " + " | ".join(MEASURES) + " |"
    yield "|" + "---|" * (2 + len(MEASURES))
    for k, methods in found.items():
        for name, by_split in methods.items():
            figures = np.array(by_split)
            shown = [f"{value:.3f}" for value in figures[:, :-1].mean(axis=0)]
            stars = [int(rows) for rows in figures[:, -1] if rows > 0]
            yield f"| {k} | {name} | " + " | ".join([*shown, f"{min(stars)} or more" if stars else "0"]) + " |"


def main() -> None:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.frontier.hierarchies", description=(__doc__ or "").splitlines()[0]
    )
    options.add_argument("--keep", action="store_true", help="measure, and write down")
    asked = options.parse_args()
    show()
    if asked.keep:
        KEPT.write_text(json.dumps(measured(), indent=1) + "\n", encoding="utf-8")
    print("\n".join(lines_of(json.loads(KEPT.read_text(encoding="utf-8")))))


if __name__ == "__main__":
    main()
