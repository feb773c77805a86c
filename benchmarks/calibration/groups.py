# SPDX-License-Identifier: Apache-2.0
"""Attacks whose intervals are about groups like those of the release: each run has a table of its own.

Downcoding and minimality are tried on all groups of a release, which are few, and the interval says how far the rate of
other groups of such persons may lie. So persons are drawn anew in each run, published and attacked. What all groups of
all runs give together stands for the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from benchmarks.attacks.clusters import COLUMNS, K, persons, trees
from benchmarks.calibration.quick import EVERYBODY, Drawn

from discreet import Mondrian, Roles
from discreet.data.table import Table
from discreet.evaluate.attacks.base import Published
from discreet.evaluate.attacks.registry import ATTACKS, Case
from discreet.methods.given import given_hierarchies

ILL = Roles(target="again", quasi=("age",), sensitive=("ill",))
PERSONS = 2000


def clusters(seed: int) -> Case:
    """Clusters of eight persons with values that few of them have, written by labels that are as tight as can be."""
    table, roles = Table.of(persons(seed)), Roles(target="ill", quasi=COLUMNS)
    release = Mondrian(K, labels="hierarchy", hierarchies=trees(), random_state=1).release(table, roles)
    return Case(Published.of(release), table, roles, hierarchies=given_hierarchies(trees(), roles))


def cut_by_age(seed: int) -> Case:
    """Persons of different ages, seven in ten of whom have the same illness, cut while two illnesses are left."""
    rng = np.random.default_rng(seed)
    columns = {
        "age": rng.integers(0, 1000, PERSONS),
        "ill": rng.choice(["flu", "gout"], PERSONS, p=[0.7, 0.3]),
        "again": rng.integers(0, 2, PERSONS),
    }
    table = Table.of(columns)
    return Case(Published.of(Mondrian(3, l=2, random_state=1).release(table, ILL)), table, ILL)


CASES: dict[str, Callable[[int], Case]] = {"downcoding": clusters, "minimality": cut_by_age}


def drawn(name: str, *, runs: int, targets: int = EVERYBODY) -> dict[str, list[Drawn]]:
    """The attack on a table of its own in each run, by title."""
    found: dict[str, list[Drawn]] = {}
    for seed in range(1, runs + 1):
        for one in ATTACKS[name](replace(CASES[name](seed), targets=targets, seed=seed)):
            found.setdefault(one.attack, []).append(Drawn(one.success, one.targets, np.nan))
    return {title: _with_truth(those) for title, those in found.items()}


def _with_truth(found: list[Drawn]) -> list[Drawn]:
    truth = float(np.average([one.success.value for one in found], weights=[one.targets for one in found]))
    return [replace(one, of_all=truth) for one in found]
