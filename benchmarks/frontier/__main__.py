# SPDX-License-Identifier: Apache-2.0
"""Prints, for every table and k, what each method's release is worth; keeps it as JSON, one file per table.

A release that was measured already is not measured again, unless `--again` says so. Needs DISCREET_DATA. The page is
written by `python -m benchmarks.frontier.page`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from benchmarks.frontier.protocol import Split, detail_of, lines, measured
from benchmarks.frontier.rivals import RIVALS
from benchmarks.frontier.tables import TABLES, Tables
from discreet import KActus, KActus2, Mondrian, TopDownRefinement, TopDownSpecialization, TreeLadder
from discreet.foundation.progress import show, track
from discreet.methods import Method

KEPT = Path(__file__).parent / "measured"

METHODS: dict[str, Callable[[int], Method]] = {
    "TreeLadder": lambda k: TreeLadder(k, random_state=0),
    "Mondrian, information": lambda k: Mondrian(k, split="information", random_state=0),
    "Mondrian, median": lambda k: Mondrian(k, random_state=0),
    "KActus2": lambda k: KActus2(k, random_state=0),
    "TDS": lambda k: TopDownSpecialization(k, random_state=0),
    "TDR": lambda k: TopDownRefinement(k, random_state=0),
    "KActus": lambda k: KActus(k, random_state=0),
}
ALL = (*METHODS, *RIVALS)


def study(
    table: str,
    methods: list[str],
    ks: list[int] | None,
    *,
    seed: int,
    again: bool,
    folder: Path,
    tables: Tables = TABLES,
) -> dict:
    """What was measured of one table, now or before."""
    path = folder / f"{table}-{seed}.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    load, own_ks = tables[table]
    asked = [f"{k} {method}" for k in ks or own_ks for method in methods]
    new = [name for name in asked if again or name not in found]
    lacking = [name for name in asked if name not in new and _lacks_detail(name, found[name])]
    if new or lacking:
        rows = Split.of(*load(), seed)
        folder.mkdir(parents=True, exist_ok=True)
        note_rows(folder, table, len(rows.test))
        for name in track(new, table):
            k, method = name.split(" ", 1)
            if method in RIVALS:
                found[name] = RIVALS[method](rows, int(k))
            else:
                found[name] = measured(lambda k=k, method=method: METHODS[method](int(k)), rows)  # type: ignore[misc]
            path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        for name in track(lacking, f"{table}: detail"):
            k, method = name.split(" ", 1)
            found[name]["detail"] = detail_of(METHODS[method](int(k)).release(rows.train, rows.roles))
            path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return {name: found[name] for name in asked}


def note_rows(folder: Path, table: str, rows: int) -> None:
    """Keep how many rows of a table are held out."""
    path = folder / "rows.json"
    noted = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    path.write_text(json.dumps(noted | {table: rows}, indent=1) + "\n", encoding="utf-8")


def _lacks_detail(name: str, figures: dict) -> bool:
    """Whether a release was measured before its detail was: it is made again for that alone."""
    return name.split(" ", 1)[1] in METHODS and "learners" in figures and "detail" not in figures


def add_options(options: argparse.ArgumentParser, tables: list[str], folder: Path) -> None:
    """What a study of these tables can be asked."""
    options.add_argument("--tables", nargs="*", choices=tables, default=None)
    options.add_argument("--methods", nargs="*", choices=ALL, default=[*ALL])
    options.add_argument("--k", type=int, nargs="*", default=None)
    options.add_argument("--seed", type=int, default=0, help="of the split")
    options.add_argument("--again", action="store_true", help="measure releases again that were measured")
    options.add_argument("--folder", type=Path, default=folder, help="where the measurements are kept")


def print_study(asked: argparse.Namespace, tables: Tables) -> None:
    """Measure what was asked, and print it."""
    show()
    for table in asked.tables or tables:
        found = study(
            table, asked.methods, asked.k, seed=asked.seed, again=asked.again, folder=asked.folder, tables=tables
        )
        print(f"\n## {table}\n")
        print("\n".join(lines(found)), flush=True)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.frontier", description=__doc__)
    add_options(options, [*TABLES], KEPT)
    print_study(options.parse_args(), TABLES)


if __name__ == "__main__":
    main()
