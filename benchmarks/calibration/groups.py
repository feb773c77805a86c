# SPDX-License-Identifier: Apache-2.0
"""Attacks whose intervals are about groups like those of the release: each run has a table of its own.

Downcoding and minimality are tried on all groups of a release, which are few, and the interval says how far the rate of
other groups of such persons may lie. So persons are drawn anew in each run, published and attacked. What all groups of
all runs give together stands for the truth.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.attacks.clusters import CLUSTERS, COLUMNS, PERSONS, K, trees
from benchmarks.attacks.clusters import persons as clustered
from benchmarks.calibration.quick import EVERYBODY, Drawn
from discreet import Mondrian, Roles
from discreet.attacks.case import Case
from discreet.attacks.published import Published
from discreet.attacks.registry import ATTACKS
from discreet.data.table import Table

RUNS = 500  # at most, since tables are made anew in each
NUMBERS = {"downcoding": (CLUSTERS * PERSONS,), "minimality": (260, 1000)}  # of persons
AGES = Roles(target="again", quasi=("age",), sensitive=("ill",))


def case_of(name: str, persons: int, seed: int) -> Case:
    return _clusters(seed) if name == "downcoding" else _ages(persons, seed)


def _clusters(seed: int) -> Case:
    """Clusters of eight persons with values that few of them have, written by labels that are as tight as can be."""
    table, roles, given = Table.of(clustered(seed)), Roles(target="ill", quasi=COLUMNS), trees()
    release = Mondrian(K, labels="hierarchy", hierarchies=given, random_state=1).release(table, roles)
    return Case(Published.of(release), table, roles, hierarchies=given)


def _ages(persons: int, seed: int) -> Case:
    """Persons of whom seven in ten have the same illness, cut by a number while both illnesses are left."""
    rng = np.random.default_rng(seed)
    table = Table.of(
        {
            "age": rng.integers(0, 1000, persons),
            "ill": rng.choice(["flu", "gout"], persons, p=[0.7, 0.3]),
            "again": rng.integers(0, 2, persons),
        }
    )
    return Case(Published.of(Mondrian(3, l=2, random_state=1).release(table, AGES)), table, AGES)


def drawn(name: str, *, runs: int, persons: int) -> dict[str, list[Drawn]]:
    """The attack on all groups of a table of its own in each run, by title."""
    found: dict[str, list[Drawn]] = {}
    for seed in range(1, runs + 1):
        for one in ATTACKS[name](replace(case_of(name, persons, seed), targets=EVERYBODY)):
            found.setdefault(one.attack, []).append(Drawn(one.success, one.targets, np.nan))
    return {title: _with_truth(those) for title, those in found.items()}


def _with_truth(found: list[Drawn]) -> list[Drawn]:
    truth = float(np.average([one.success.value for one in found], weights=[one.targets for one in found]))
    return [replace(one, of_all=truth) for one in found]
