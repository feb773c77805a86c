# SPDX-License-Identifier: Apache-2.0
"""Persons in small clusters, after Cohen 2022: `python -m benchmarks.attacks.clusters`.

64 clusters of 8 persons and four columns, in each of which a person has the common value of the cluster, or, one in 25,
another value of the cluster. At k = 5 a cluster is one group. With labels that are as tight as can be, a group that is
written as its whole cluster holds a rare value, most likely one; without, that has a chance of 24 %.
"""

from __future__ import annotations

import argparse

import numpy as np

from discreet import Mondrian, Roles
from discreet.attacks import CannotAttack, attack
from discreet.attacks.finding import Finding
from discreet.prepare.hierarchy import Hierarchy

CLUSTERS, PERSONS, K, RARE = 64, 8, 5, 0.04
COLUMNS = ("town", "trade", "school", "club")
LABELS = Mondrian._parameter_constraints["labels"][0].options


def persons(seed: int) -> dict[str, list[str]]:
    """The table: a person's value names the cluster, and whether it is the rare one."""
    rng = np.random.default_rng(seed)
    rare = rng.random((len(COLUMNS), CLUSTERS * PERSONS)) < RARE
    table = {
        name: [f"{name} {row // PERSONS:02d}{'b' if rare[c, row] else 'a'}" for row in range(CLUSTERS * PERSONS)]
        for c, name in enumerate(COLUMNS)
    }
    return table | {"ill": [("no", "yes")[bit] for bit in rng.integers(0, 2, CLUSTERS * PERSONS)]}


def trees() -> dict[str, Hierarchy]:
    """Both values of a cluster lie below it, in every column."""
    found = {}
    for name in COLUMNS:
        values = [f"{name} {cluster:02d}{kind}" for cluster in range(CLUSTERS) for kind in "ab"]
        found[name] = Hierarchy(name, values, [(value, value[:-1], "*") for value in values])
    return found


def attacked(labels: str, seed: int) -> tuple[Finding | None, int, int]:
    """What the attack finds, None if it has nothing to state; how many labels are whole clusters, and how many of these
    groups hold one rare value.
    """
    table = persons(seed)
    given = {"hierarchies": trees()} if labels == "hierarchy" else {}
    release = Mondrian(K, labels=labels, random_state=1, **given).release(table, Roles(target="ill", quasi=COLUMNS))
    try:
        found = next(iter(attack(release, table, attacks=["downcoding"], **given)), None)
    except CannotAttack:
        found = None
    whole = one = 0
    for name in COLUMNS:
        published = {*release.data.column(name).to_pylist()}
        for cluster in range(CLUSTERS):
            number = table[name].count(f"{name} {cluster:02d}b")
            whole += f"{name} {cluster:02d}" in published
            one += f"{name} {cluster:02d}" in published and number == 1
    return found, whole, one


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.attacks.clusters", description=__doc__)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--labels", default=",".join(sorted(LABELS)), help="of Mondrian, a,b")
    asked = options.parse_args()
    print(
        "| labels | groups written as their cluster | one rare value | stated rightly | prior |\n|---|---|---|---|---|"
    )
    for labels in asked.labels.split(","):
        found, whole, one = attacked(labels, asked.seed)
        if found is None:
            print(f"| {labels} | {whole} | {one} | nothing is stated | |")
            continue
        share = f"{found.success.value:.3f} [{found.success.low:.3f}, {found.success.high:.3f}]"
        print(f"| {labels} | {whole} | {one} | {share} of {found.targets} | {found.baseline:.3f} |")


if __name__ == "__main__":
    main()
