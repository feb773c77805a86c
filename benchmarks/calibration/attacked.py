# SPDX-License-Identifier: Apache-2.0
"""How often intervals of attacks hold the rate of everybody: `python -m benchmarks.calibration.attacked`.

One release and one release of baskets; each attack is made many times on a few targets, drawn anew, and once on all. A
share of the intervals of 95 % holds what all give. Two numbers of targets, a small part of the persons and half of
them: their mean rates stand beside that of all, since a rate must not depend on how many are tried. The interval of
membership is about persons who were never drawn, too, so that small parts of more persons are; those of downcoding and
minimality are about groups of other persons (groups.py). Inference is measured on one half of the persons, and the
truth is what the learner that was chosen on the other half gets right of all.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.calibration import groups
from benchmarks.calibration.quick import Drawn, drawing
from discreet import Baskets, GreedySelector, Mondrian, Roles, Table, VarianceSketch
from discreet.attacks.case import Case
from discreet.attacks.published import Published
from discreet.samples import load

ROWS = 900
ROLES = Roles(target="readmitted", quasi=("age", "sex", "zip"), sensitive=("diagnosis",), other=("stay_days",))
MANY = 4  # times as many persons for membership


def _people(rows: int) -> tuple[Table, Table]:
    """Persons to publish, and as many others."""
    people = load("clinic", rows=2 * rows, random_state=11).data
    assert isinstance(people, Table)
    return people.take(np.arange(rows)), people.take(np.arange(rows, 2 * rows))


def cases(rows: int = ROWS) -> dict[str, Case]:
    """A case for each attack that tries some of the persons, by its name."""
    inside, outside = _people(rows)
    release = Published.of(Mondrian(4, random_state=1).release(inside, ROLES))
    many, others = _people(MANY * rows)
    larger = Published.of(Mondrian(4, random_state=1).release(many, ROLES))
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
        "membership": Case(larger, many, ROLES, control=others),
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

    @classmethod
    def of(cls, attack: str, found: Sequence[Drawn]) -> Line:
        targets = int(np.median([one.targets for one in found]))
        share = float(np.mean([one.holds for one in found]))
        mean = float(np.mean([one.success.value for one in found]))
        return cls(attack, targets, len(found), share, mean, float(np.mean([one.of_all for one in found])))

    @property
    def error(self) -> float:
        """The standard error of a share of so many intervals, if it is 95 %."""
        return math.sqrt(0.95 * 0.05 / self.runs)

    @property
    def is_calibrated(self) -> bool:
        """Whether the share is within 95 +- 2 %, or beyond it by no more than chance explains."""
        return abs(self.share - 0.95) <= 0.02 + 2 * self.error


def lines(name: str, case: Case, *, runs: int, sizes: tuple[int, ...]) -> Iterator[Line]:
    """The attack on so many targets, drawn anew in each run, against the attack on all."""
    draw = drawing(name, case)
    for size in sizes:
        found: dict[str, list[Drawn]] = {}
        for seed in range(1, runs + 1):
            for attack, one in draw(size, seed).items():
                found.setdefault(attack, []).append(one)
        for attack, those in found.items():
            if those[0].of_all in (0.0, 1.0) or those[0].success.is_counted:  # nothing to hit; or of one person, or all
                continue
            yield Line.of(attack, those)


def lines_of_groups(name: str, *, runs: int, persons: int) -> list[Line]:
    """The same with a table of its own in each run."""
    return [Line.of(attack, found) for attack, found in groups.drawn(name, runs=runs, persons=persons).items()]


def all_lines(names: Sequence[str], runs: int) -> Iterator[Line]:
    for name, case in cases().items():
        if name in names:
            sizes = {"membership": (ROWS // 15, ROWS // 5), "inference": (ROWS // 2,)}
            yield from lines(name, case, runs=runs, sizes=sizes.get(name, (ROWS // 6, ROWS // 2)))
    for name, numbers in groups.NUMBERS.items():
        for persons in numbers if name in names else ():
            yield from lines_of_groups(name, runs=min(runs, groups.RUNS), persons=persons)


NAMES = (
    "singling-out",
    "linkability",
    "intersection",
    "inference",
    "membership",
    "sparse",
    "sketches",
    *groups.NUMBERS,
)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.calibration.attacked", description=__doc__)
    options.add_argument("--runs", type=int, default=1000, help=f"for downcoding and minimality {groups.RUNS} at most")
    options.add_argument("--attacks", help="names, a,b; all if not given")
    asked = options.parse_args()
    titles = "attack", "targets", "intervals", "hold the rate of all", "error", "mean rate", "rate of all"
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    found = []
    for line in all_lines(asked.attacks.split(",") if asked.attacks else NAMES, asked.runs):
        shares = f"{line.share:.3f}", f"{line.error:.3f}", f"{line.mean:.3f}", f"{line.of_all:.3f}"
        print("| " + " | ".join([line.attack, str(line.targets), str(line.runs), *shares]) + " |", flush=True)
        found.append(line)
    shares_found = [line.share for line in found]
    print(f"\n{len(found)} shares: from {min(shares_found):.3f} to {max(shares_found):.3f}.")
    print(f"Outside 95 +- 2 % by more than two errors: {sum(not line.is_calibrated for line in found)}.")


if __name__ == "__main__":
    main()
