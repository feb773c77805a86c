# SPDX-License-Identifier: Apache-2.0
"""Linkability: the chance that two parties pick the same row equals that of all pairs, and is held to 1/k."""

import numpy as np
import pandas as pd
import pytest

import attack_twins as twins
from discreet import DataError, KAnonymity, Roles
from discreet.attacks.case import Case
from discreet.attacks.published import Published
from discreet.attacks.registry import run, run_case
from discreet.data.table import Table
from instances import INSTANCES, ROLES, people

TABLES = [name for name, instance in INSTANCES.items() if {"table", "synthetic"} & {*instance.shapes}]


def attack(case):
    return run_case(case, ["linkability"])[0]


@pytest.mark.parametrize("name", TABLES)
def test_two_parties_are_held_to_one_in_k(name):
    frame = people(160)
    release = INSTANCES[name].make(4, None if name.startswith("private") else 1).release(frame, ROLES)
    published = Published.of(release)
    if len({item.split("=")[0] for item in published.roles.quasi}) < 2:
        with pytest.raises(DataError, match="one known column each"):
            run(release, frame, attacks=["linkability"])
        return
    found = run(release, frame, control=people(80, seed=9), attacks=["linkability"])[0]
    assert (found.bound == 1 / 4) == any(isinstance(promise, KAnonymity) for promise in published.promises)
    if found.bound is not None:
        assert found.success.value <= 1 / 4
    assert found.targets == 160
    assert found.baseline == 1 / 160


def test_parties_who_each_know_enough_are_joined():
    """Every value is one person's own: both parties find the row, and of others they find any."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.permutation(200), "b": [f"b{i}" for i in rng.permutation(200)], "y": [0, 1] * 100})
    absent = pd.DataFrame({"a": rng.random(200) * 200, "b": [f"c{i}" for i in range(200)], "y": [0, 1] * 100})
    published = Published(Table.of(frame), KAnonymity(2), Roles(target="y", quasi=("a", "b")))
    found = attack(Case(published, Table.of(frame), published.roles, control=Table.of(absent)))
    assert found.success.value == 1
    assert found.control.value == pytest.approx(1 / 200)
    assert found.risk.low > 0.9
    assert found.breaks_promise
    assert "one knowing a, the other b?" in found.question


def _gap(published, name, label, known):
    """Gower's distance of a label from a value, in plain Python; numbers as they are or intervals."""
    if twins.fits(published, {name: label}, known):
        return 0.0
    labelling = {one.name: one for one in published.recoding.labellings} if published.recoding else {}
    source = labelling[name].source if name in labelling else name
    value, spans = known[source], []
    for other in {*twins.cells(published.data, name)}:
        ends = _ends(labelling.get(name), other)
        spans += [end for end in ends or () if np.isfinite(end)]
    ends = _ends(labelling.get(name), label)
    if value is None or isinstance(value, str) or ends is None:
        return 1.0
    span = max(max(spans) - min(spans), 1e-6)
    return min(max(max(ends[0] - value, value - ends[1]) / span, 1e-6), 1.0)


def _ends(labelling, label):
    if labelling is None:
        return None if label is None or isinstance(label, str) else (label, label)
    if labelling.fallback == "0" or label not in labelling.labels:
        return None
    return labelling.meanings[labelling.labels.index(label)].interval


@pytest.mark.parametrize(
    "name", ["mondrian-median", "mondrian-information", "tdr", "breach-aware", "private-table", "kactus2-swap"]
)
def test_chances_are_those_of_all_pairs(name):
    frame = people(60)
    release = INSTANCES[name].make(4, None if name.startswith("private") else 1).release(frame, ROLES)
    published, known = Published.of(release), Table.of(frame)
    quasi = list(published.roles.quasi)
    parties = (quasi[: (len(quasi) + 1) // 2], quasi[(len(quasi) + 1) // 2 :])
    found = attack(Case(published, known, ROLES, parties=parties))
    cells = {name: twins.cells(published.data, name) for name in quasi}
    persons = [
        dict(zip(known.names, r, strict=True)) for r in zip(*(twins.cells(known, n) for n in known.names), strict=True)
    ]
    chances = []
    for person in persons:
        near = []
        for names in parties:
            apart = np.array([sum(_gap(published, n, cells[n][row], person) for n in names) for row in range(60)])
            near.append({*np.flatnonzero(apart <= apart.min() + 1e-9)})
        chances.append(len(near[0] & near[1]) / len(near[0]) / len(near[1]))
    assert found.success.value == pytest.approx(np.mean(chances))


def test_a_party_beyond_the_quasi_identifiers_is_covered_by_the_other():
    frame = people(160)
    release = INSTANCES["mondrian-median"].make(4, 1).release(frame, ROLES)
    known = Table.of(frame)
    found = attack(Case(Published.of(release), known, ROLES, parties=(("age", "sex"), ("ill", "stay"))))
    assert found.bound == 1 / 4
    assert found.success.value <= 1 / 4
    outside = attack(Case(Published.of(release), known, ROLES, parties=(("ill",), ("stay", "again"))))
    assert outside.bound is None


def test_columns_that_both_know_are_refused():
    release = INSTANCES["mondrian-median"].make(4, 1).release(people(80), ROLES)
    with pytest.raises(DataError, match="Both parties know 'age'"):
        attack(Case(Published.of(release), Table.of(people(80)), ROLES, parties=(("age", "sex"), ("age",))))
