# SPDX-License-Identifier: Apache-2.0
"""What l-diversity, t-closeness and known labels cost at k = 5: `python -m benchmarks.frontier.promises`.

Every method that makes them, on Adult with the occupation as what is sensitive, and on the sample of a clinic with the
diagnosis. As in `benchmarks.frontier`, 70 % of the rows are released; learners are asked about the others, recoded. A
dash: no release, since none of the rows together has what is asked. The rows of Adult need DISCREET_DATA.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.frontier.protocol import Split, best_of, measured
from benchmarks.frontier.tables import TABLES
from discreet import KActus2, Method, Mondrian, Roles, Table, TopDownSpecialization, TreeLadder, samples
from discreet.foundation.progress import show, track

ASKED: tuple[dict[str, Any], ...] = (
    {},
    {"label_known": True},
    {"l": 3},
    {"l": 3, "diversity": "entropy"},
    {"t": 0.3},
    {"t": 0.2},
    {"t": 0.1},
)
METHODS: dict[str, Callable[..., Method]] = {
    "TreeLadder": TreeLadder,
    "Mondrian, information": partial(Mondrian, split="information"),
    "Mondrian, median": Mondrian,
    "TDS": TopDownSpecialization,
    "KActus2": KActus2,
}


def _adult() -> tuple[Table, Roles]:
    table, roles = TABLES["adult_arx"][0]()
    sensitive = "occupation"
    quasi = [name for name in roles.quasi if name != sensitive]
    return table, Roles(target=roles.target, quasi=quasi, sensitive=[sensitive])


def _clinic() -> tuple[Table, Roles]:
    rows = samples.load("clinic")
    return rows.data, rows.roles


DATA = {"adult_arx": _adult, "clinic": _clinic}


def main() -> None:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.frontier.promises", description=__doc__.splitlines()[0]
    )  # type: ignore[union-attr]
    options.add_argument("--tables", nargs="+", default=[*DATA], choices=[*DATA])
    options.add_argument("--methods", nargs="+", default=[*METHODS], choices=[*METHODS])
    asked = options.parse_args()
    show()
    print("| table | asked beside k = 5 | method | accuracy | AUC | unrecoded | detail | suppressed | CPU-s |")
    print("|---|---|---|---|---|---|---|---|---|")
    for table in asked.tables:
        rows = Split.of(*DATA[table]())
        for needs in track(ASKED, table):
            words = ", ".join(f"{name} = {value}" for name, value in needs.items()) or "nothing"
            for name in asked.methods:
                found = measured(lambda name=name, needs=needs: METHODS[name](5, random_state=0, **needs), rows)  # type: ignore[misc]
                print(f"| {table} | {words} | {name} | {_cells(found)} |", flush=True)


def _cells(found: dict[str, Any]) -> str:
    if "refused" in found:
        return " | ".join("-" * 6)
    shown = (best_of(found, "accuracy"), best_of(found, "auc"), found["raw"], found["detail"], found["suppressed"])
    return " | ".join([f"{figure:.3f}" for figure in shown] + [f"{found['cpu']:.1f}"])


if __name__ == "__main__":
    main()
