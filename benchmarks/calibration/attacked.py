# SPDX-License-Identifier: Apache-2.0
"""How often intervals of attacks hold the rate of everybody: `python -m benchmarks.calibration.attacked`.

One release and one release of baskets; each attack is made many times on a few targets, drawn anew, and once on all. A
share of the intervals of 95 % holds what all give. Two numbers of targets, a small part of the persons and half of them
(of membership, whose interval is about persons who were never drawn, too, smaller parts): their mean rates stand beside
that of all, since a rate must not depend on how many are tried.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from discreet import Baskets, GreedySelector, Mondrian, Roles, Table, VarianceSketch
from discreet.evaluate.attacks.base import Finding, Published
from discreet.evaluate.attacks.registry import ATTACKS, Case
from discreet.samples import load

ROWS = 900
ROLES = Roles(target="readmitted", quasi=("age", "sex", "zip"), sensitive=("diagnosis",), other=("stay_days",))


def cases(rows: int = ROWS) -> dict[str, Case]:
    """A case for each attack that tries some of the persons, by its name."""
    people = load("clinic", rows=2 * rows, seed=11).data
    assert isinstance(people, Table)
    inside, outside = people.take(np.arange(rows)), people.take(np.arange(rows, 2 * rows))
    release = Published.of(Mondrian(4, random_state=1).release(inside, ROLES))
    second = Roles(target="readmitted", quasi=("marital", "occupation"), other=("stay_days",))
    other = Published.of(Mondrian(4, random_state=2).release(inside, second))
    table = Case(release, inside, ROLES, control=outside, others=(other,))
    rng = np.random.default_rng(5)
    matrix = (rng.random((rows, 60)) < rng.random(60) * 0.3).astype(int)
    baskets = Baskets.of(matrix, rng.integers(0, 2, rows))
    picked = Published.of(GreedySelector(3, random_state=1).release(baskets))
    sketched = VarianceSketch(k=3, random_state=1).release(matrix)
    return {
        "singling-out": table,
        "linkability": table,
        "intersection": table,
        "inference": table,
        "membership": table,
        "sparse": Case(picked, baskets, Roles(), aux_items=3),
        "sketches": Case(Published.of(sketched), None, Roles(), aux_items=4),
    }


@dataclass(frozen=True)
class Line:
    """Of an attack and a number of targets: the share of intervals that hold the rate of all, and the mean rate."""

    attack: str
    targets: int
    runs: int
    share: float
    mean: float
    of_all: float


def lines(name: str, case: Case, *, runs: int, sizes: tuple[int, ...]) -> Iterator[Line]:
    """The attack on so many targets, drawn anew in each run, against the attack on all."""
    whole = {found.attack: found for found in _made(name, replace(case, targets=10**9))}
    for size in sizes:
        drawn: dict[str, list[Finding]] = {}
        for seed in range(1, runs + 1):
            for found in _made(name, replace(case, targets=size, seed=seed)):
                drawn.setdefault(found.attack, []).append(found)
        for attack, found in drawn.items():
            truth = whole[attack].success.value
            if name == "inference":  # always tried on one half: all give what halves give on average
                truth = float(np.mean([one.success.value for one in found]))
            if truth in (0.0, 1.0) or found[0].success.is_counted:  # nothing to hit; or of one person, or of all
                continue
            held = np.mean([one.success.low - 1e-9 <= truth <= one.success.high + 1e-9 for one in found])
            mean = float(np.mean([one.success.value for one in found]))
            yield Line(attack, found[0].targets, len(found), float(held), mean, truth)


def _made(name: str, case: Case) -> list[Finding]:
    return ATTACKS[name](case)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.calibration.attacked", description=__doc__)
    options.add_argument("--runs", type=int, default=200)
    options.add_argument("--attacks", help="names, a,b; all if not given")
    asked = options.parse_args()
    print(
        "| attack | targets | intervals | hold the rate of all | mean rate | rate of all |\n|---|---|---|---|---|---|"
    )
    shares = []
    for name, case in cases().items():
        if asked.attacks and name not in asked.attacks.split(","):
            continue
        runs = min(asked.runs, 60) if name == "inference" else asked.runs
        sizes = {"membership": (ROWS // 15, ROWS // 6), "inference": (ROWS // 2,)}.get(name, (ROWS // 6, ROWS // 2))
        for line in lines(name, case, runs=runs, sizes=sizes):
            cells = line.attack, line.targets, line.runs, f"{line.share:.3f}", f"{line.mean:.3f}", f"{line.of_all:.3f}"
            print("| " + " | ".join(map(str, cells)) + " |", flush=True)
            shares.append(line.share)
    print(f"\n{len(shares)} shares: from {min(shares):.3f} to {max(shares):.3f}.")


if __name__ == "__main__":
    main()
