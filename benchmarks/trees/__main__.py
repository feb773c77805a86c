# SPDX-License-Identifier: Apache-2.0
"""Prints the study of the kACTUS-2 paper: accuracy of four classifiers on releases of seven methods, and ranks."""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.trees.protocol import DATA, LEARNERS, METHODS, ORIGINAL, OWN_TREE, Cell, cells, mean, study
from discreet.evaluate.statistics import area_under_curve as area
from discreet.evaluate.statistics import friedman
from discreet.progress import show


def line(*found: object) -> str:
    return "| " + " | ".join(f"{x:.3f}" if isinstance(x, float) else str(x) for x in found) + " |"


def learners_of(method: str) -> tuple[str, ...]:
    return (OWN_TREE,) if method == "kADET" else LEARNERS


def curves(found: dict[Cell, dict], data: str, ks: list[int], methods: list[str]) -> None:
    print(f"\n## {data}: accuracy against k, mean of the turns\n")
    print(line("method", "classifier", *(f"k = {k}" for k in ks), "area", "original"))
    print(line(*["---"] * (len(ks) + 4)))
    for method in methods:
        for learner in learners_of(method):
            values = [mean(found[Cell(data, method, k)], learner) for k in ks]
            original = mean(found[Cell(data, ORIGINAL, 0)], "c45" if learner == OWN_TREE else learner)
            print(line(method, learner, *values, area(ks, values), original))
    lost = [[np.mean(found[Cell(data, m, k)]["lost"] or [np.nan]) for k in ks] for m in methods]
    print("\nInformation loss (suppressed cells of quasi-identifiers):\n")
    print(line("method", *(f"k = {k}" for k in ks)))
    print(line(*["---"] * (len(ks) + 1)))
    for method, losses in zip(methods, lost, strict=True):
        if method != "kADET":
            print(line(method, *map(float, losses)))


def ranks(found: dict[Cell, dict], ks_of: dict[str, list[int]], methods: list[str]) -> None:
    """Mean ranks of the areas over data sets and classifiers; kADET stands with its own tree beside each classifier."""
    rows = []
    for data, ks in ks_of.items():
        for learner in LEARNERS:
            values = [
                area(ks, [mean(found[Cell(data, m, k)], OWN_TREE if m == "kADET" else learner) for k in ks])
                for m in methods
            ]
            rows.append((data, learner, values))
    print("\n## Area under accuracy against log k\n")
    print(line("data", "classifier", *methods))
    print(line(*["---"] * (len(methods) + 2)))
    for data, learner, values in rows:
        print(line(data, learner, *values))
    table = np.array([values for *_, values in rows])
    print(line("mean", "", *map(float, table.mean(axis=0))))
    if len(ks_of) < 2 or len(methods) < 2:
        return
    found_ranks = friedman(np.round(table, 6))
    print(line("mean rank", "", *found_ranks.ranks))
    print(
        f"\nFriedman, adjusted: F({found_ranks.degrees[0]}, {found_ranks.degrees[1]}) = {found_ranks.f:.2f},"
        f" p = {found_ranks.p:.2g}; mean ranks differ from {found_ranks.critical_difference(control=True):.2f} on"
        " (Bonferroni-Dunn, one method against the others, 95 %). The four classifiers of a data set are not"
        " independent, so this is on the bold side; per classifier:\n"
    )
    print(line("classifier", *methods, "p", "critical difference"))
    print(line(*["---"] * (len(methods) + 3)))
    for learner in LEARNERS:
        own = friedman(np.round([values for _, which, values in rows if which == learner], 6))
        print(line(learner, *own.ranks, own.p, own.critical_difference(control=True)))


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.trees", description=__doc__)
    options.add_argument("--data", nargs="*", choices=[*DATA], default=[*DATA])
    options.add_argument("--methods", nargs="*", choices=[*METHODS], default=[*METHODS])
    options.add_argument("--k", type=int, nargs="*", default=None)
    options.add_argument("--turns", type=int, default=10, help="of 5x2 cross-validation, at most 10")
    options.add_argument("--workers", type=int, default=2)
    asked = options.parse_args()
    show()
    found = study(list(cells(asked.data, asked.methods, asked.k)), asked.turns, asked.workers)
    ks_of = {data: [k for k in DATA[data][2] if asked.k is None or k in asked.k] for data in asked.data}
    for data, ks in ks_of.items():
        curves(found, data, ks, asked.methods)
    ranks(found, ks_of, asked.methods)


if __name__ == "__main__":
    main()
