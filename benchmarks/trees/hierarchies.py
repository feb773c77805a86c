# SPDX-License-Identifier: Apache-2.0
"""Prints whether hierarchies cost accuracy: the same method with hierarchies from files, and without any.

On many tables, methods see 70 % of the rows; classifiers learn from the release and are tested on the other 30 %,
recoded as the release says. The files are written and read back as people have them:

  automatic  the tree that discreet builds for each column
  flat       every value directly below "*"
  random     values in groups at random, whatever they mean, and each of the rarest alone in a branch of its own
  deep       the most common value against all others, then the next one, and so on
  lacking    as automatic, but a third of the values have no line; one for "*" stands for them
  ARX        on adult_arx, the files that ARX comes with

A difference is of the best of three classifiers to the same without hierarchies, with its standard error over tables
and turns. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.trees.arx import arx_hierarchies, line
from benchmarks.trees.ours import DATA as OURS
from discreet import KAdet, Mondrian, Roles, Table, TopDownRefinement, TopDownSpecialization
from discreet.data.column import Column
from discreet.foundation.progress import show, track
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import score_on
from discreet.methods import Method
from discreet.prepare.automatic_hierarchy import automatic
from discreet.prepare.hierarchy import Hierarchy, read_hierarchy
from discreet.samples import load

LEARNERS = ("logistic", "tree", "naive-bayes")
METHODS: dict[str, Callable[[int, Any], Method]] = {
    "TDS": lambda k, trees: TopDownSpecialization(k, hierarchies=trees, random_state=0),
    "TDS as published": lambda k, trees: TopDownSpecialization(k, hierarchies=trees, recoding="global", random_state=0),
    "TDR": lambda k, trees: TopDownRefinement(k, hierarchies=trees, random_state=0),
    "Mondrian": lambda k, trees: Mondrian(
        k, split="information", labels="hierarchy", hierarchies=trees, random_state=0
    ),
    "kADET": lambda k, trees: KAdet(k, hierarchies=trees, random_state=0),
}
KINDS = ("automatic", "flat", "random", "deep", "lacking", "ARX")
_MOST = 6000  # rows of a table


def _sample(name: str) -> tuple[Table, Roles]:
    sample = load(name)
    assert isinstance(sample.data, Table)
    assert sample.roles is not None
    return sample.data, Roles(target=sample.roles.target, quasi=sample.roles.quasi)


_SAMPLES = ("adult_arx", "german", "glass", "tic_tac_toe")
TABLES: dict[str, Callable[[], tuple[Table, Roles]]] = {name: partial(_sample, name) for name in _SAMPLES} | OURS


def _paths(column: Column, kind: str, seed: int) -> list[list[str]]:
    """The lines of a file for the column."""
    random = np.random.default_rng(seed)
    rows = np.bincount(column.codes, minlength=len(column.values) + 1)[:-1]
    texts = [text.strip() for text in column.texts]
    tree = automatic(column, counts=rows)
    whole = [list(path) for path in tree.paths]
    if kind == "automatic" or len(column.values) < 3:
        return whole
    if kind == "lacking":
        lacking = set(random.permutation(len(whole))[: len(whole) // 3].tolist())
        above = ["others"] * (len(whole[0]) - 2)
        return [*(path for i, path in enumerate(whole) if i not in lacking), ["*", *above, "*"]]
    if kind == "flat":
        return [[text, "*"] for text in texts]
    if kind == "random":
        groups = [f"group {number}" for number in random.integers(0, 3, len(texts))]
        for rarest in np.argsort(rows, kind="stable")[: max(len(texts) // 10, 1)]:
            groups[rarest] = f"alone {rarest}"
        return [[text, group, "*"] for text, group in zip(texts, groups, strict=True)]
    depth = min(len(texts) - 1, 6)
    order = np.argsort(-rows, kind="stable").tolist()
    return [
        [text, *(_deep(order.index(i), level) for level in range(depth, 0, -1)), "*"] for i, text in enumerate(texts)
    ]


def _deep(place: int, level: int) -> str:
    """The label of the value at this place by frequency, on a level: itself, if it is more common than the level."""
    return f"top {place + 1}" if place < level else f"after the first {level}"


def written_and_read(table: Table, roles: Roles, kind: str, seed: int, folder: Path) -> dict[str, Hierarchy]:
    """Hierarchies of all quasi-identifiers, each from a file with another delimiter."""
    if kind == "ARX":
        return arx_hierarchies()
    trees = {}
    for place, column in enumerate(table.columns(roles.quasi)):
        if not len(column.values):
            continue
        file = folder / f"{kind}_{seed}_hierarchy_{place}.csv"
        with file.open("w", encoding="utf-8-sig", newline="") as stream:
            csv.writer(stream, delimiter=";,\t"[place % 3]).writerows(_paths(column, kind, seed))
        trees[column.name] = read_hierarchy(file, column.name)
    return trees


def accuracies(method: Method, train: Table, test: Table, roles: Roles) -> list[float]:
    """Of the classifiers on the release; of kADET, which is one itself, its own."""
    target = str(roles.target)
    if isinstance(method, KAdet):
        label = test.column(target)
        right = np.array([*map(str, method.fit(train, roles).predict(test))]) == np.array(label.texts)[label.codes]
        return [float(right.mean())] * len(LEARNERS)
    release = method.release(train, roles)
    recoded, found = release.recode(test), []
    for name in LEARNERS:
        model = CLASSIFIERS[name]()
        model.fit(examples_for(model, release.table, list(release.roles.quasi), target))
        found.append(score_on(model, recoded, target).accuracy)
    return found


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.trees.hierarchies", description=__doc__)
    options.add_argument("--tables", nargs="*", choices=[*TABLES], default=[*TABLES])
    options.add_argument("--methods", nargs="*", choices=[*METHODS], default=["TDS"])
    options.add_argument("--kinds", nargs="*", choices=KINDS, default=[*KINDS])
    options.add_argument("--k", type=int, nargs="+", default=[5, 50])
    options.add_argument("--rows", type=int, default=_MOST, help="of a table at most")
    options.add_argument("--turns", type=int, default=1)
    asked = options.parse_args()
    show()
    print(line("table", "k", "method", "none", *asked.kinds))
    print(line(*["---"] * (4 + len(asked.kinds))))
    differences: dict[tuple[str, int, str], list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in track(asked.tables, "tables"):
            table, roles = TABLES[name]()
            kinds = [kind for kind in asked.kinds if kind != "ARX" or name == "adult_arx"]
            for k in asked.k:
                if len(table) < 8 * k:
                    continue
                for method in asked.methods:
                    found: dict[str, list[float]] = {}
                    for turn in range(asked.turns):
                        rows = np.random.default_rng(turn).permutation(len(table))[: asked.rows]
                        cut = int(0.7 * len(rows))
                        train, test = (table.take(np.sort(part)) for part in (rows[:cut], rows[cut:]))
                        for kind in ("none", *kinds):
                            trees = None if kind == "none" else written_and_read(table, roles, kind, turn, Path(folder))
                            best = max(accuracies(METHODS[method](k, trees), train, test, roles))
                            found.setdefault(kind, []).append(best)
                    for kind in kinds:
                        difference = np.subtract(found[kind], found["none"]).tolist()
                        differences.setdefault((method, k, kind), []).extend(difference)
                    cells = [f"{np.mean(found[kind]):.3f}" if kind in found else "" for kind in ("none", *asked.kinds)]
                    print(line(name, k, method, *cells), flush=True)
    print()
    print(line("method", "k", "hierarchies", "mean difference", "standard error", "worst", "tables and turns"))
    print(line(*["---"] * 7))
    for (method, k, kind), of_tables in differences.items():
        error = np.std(of_tables, ddof=1) / np.sqrt(len(of_tables)) if len(of_tables) > 1 else np.nan
        numbers = (f"{np.mean(of_tables):+.4f}", f"{error:.4f}", f"{min(of_tables):+.3f}", len(of_tables))
        print(line(method, k, kind, *numbers))


if __name__ == "__main__":
    main()
