# SPDX-License-Identifier: Apache-2.0
"""Prints the study of the kACTUS-2 paper: accuracy of four classifiers on releases of seven methods, and tests."""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.trees.protocol import DATA, LEARNERS, METHODS, ORIGINAL, OWN_TREE, Cell, cells, mean, study
from benchmarks.trees.verdicts import HEADINGS, Areas, of_the_paper, verdicts
from discreet.evaluate.statistics import area_under_curve as area
from discreet.foundation.progress import show


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


def areas_of(found: dict[Cell, dict], ks_of: dict[str, list[int]], methods: list[str], *, log: bool = True) -> Areas:
    """kADET's tree stands with C4.5."""
    areas = {}
    for data, ks in ks_of.items():
        for learner in LEARNERS:
            for method in methods:
                if method != "kADET" or learner == "c45":
                    own = OWN_TREE if method == "kADET" else learner
                    values = [mean(found[Cell(data, method, k)], own) for k in ks]
                    areas[data, learner, method] = area(ks, values, log=log)
    return areas


def print_areas(areas: Areas, methods: list[str]) -> None:
    print(line("data", "classifier", *methods))
    print(line(*["---"] * (len(methods) + 2)))
    for data, learner in dict.fromkeys(key[:2] for key in areas):
        print(line(data, learner, *(areas.get((data, learner, method), "") for method in methods)))
    means = {m: [value for (*_, method), value in areas.items() if method == m] for m in methods if m != "kADET"}
    print(line("mean", "", *(float(np.mean(means[m])) if m in means else "" for m in methods)))


def print_verdicts(areas: Areas) -> None:
    print(line(*HEADINGS))
    print(line(*["---"] * len(HEADINGS)))
    for verdict in verdicts(areas):
        print(line(*verdict))


def print_beside_the_paper(found: dict[Cell, dict], ks_of: dict[str, list[int]], methods: list[str]) -> None:
    papers = of_the_paper({data: ks[-1] - ks[0] for data, (_, _, ks) in DATA.items()})
    theirs = [method for method in dict.fromkeys(method for *_, method in papers) if method in methods]
    ours = areas_of(found, ks_of, theirs, log=False)
    print("\n## The paper's areas (Table 1) as mean accuracies, and ours over k itself\n")
    print(line("data", "classifier", *(f"{method}, published / ours" for method in theirs)))
    print(line(*["---"] * (len(theirs) + 2)))
    for data, learner in dict.fromkeys(key[:2] for key in ours):
        keys = [(data, learner, method) for method in theirs]
        print(line(data, learner, *(f"{papers[key]:.3f} / {ours[key]:.3f}" if key in ours else "" for key in keys)))
    print("\n## The same tests on the paper's areas\n")
    print_verdicts(papers)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.trees", description=__doc__)
    options.add_argument("--data", nargs="*", choices=[*DATA], default=[*DATA])
    options.add_argument("--methods", nargs="*", choices=[*METHODS], default=[*METHODS])
    options.add_argument("--k", type=int, nargs="*", default=None)
    options.add_argument("--turns", type=int, default=10, help="of 5x2 cross-validation, at most 10")
    options.add_argument("--adult-turns", type=int, default=None, help="of Adult, which takes longest; --turns if none")
    options.add_argument("--workers", type=int, default=2)
    asked = options.parse_args()
    show()
    turns_of = dict.fromkeys(asked.data, asked.turns) | {"adult": asked.adult_turns or asked.turns}
    found = study(list(cells(asked.data, asked.methods, asked.k)), turns_of, asked.workers)
    ks_of = {data: [k for k in DATA[data][2] if asked.k is None or k in asked.k] for data in asked.data}
    for data, ks in ks_of.items():
        curves(found, data, ks, asked.methods)
    print("\n## Area under accuracy against log k\n")
    print_areas(areas := areas_of(found, ks_of, asked.methods), asked.methods)
    print("\n## Who beats all others with 95 % confidence\n")
    print_verdicts(areas)
    if asked.k is None:
        print_beside_the_paper(found, ks_of, asked.methods)


if __name__ == "__main__":
    main()
