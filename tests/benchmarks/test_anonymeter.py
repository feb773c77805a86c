# SPDX-License-Identifier: Apache-2.0
"""The comparison with anonymeter: what the rival is given, and what is printed of both; the rival itself is not run."""

import json

import numpy as np
import pandas as pd
import pytest
from benchmarks.anonymeter import __main__ as benchmark

from benchmarks import rivals
from discreet import Mondrian, Roles, Table
from discreet.attacks import Published

ROLES = Roles(target=benchmark.SECRET, quasi=("age", "sex", "town"))


def people(n, seed):
    rng = np.random.default_rng(seed)
    return Table.of(
        {
            "age": rng.integers(18, 90, n),
            "sex": rng.choice(["f", "m"], n),
            "town": rng.choice(["A", "B", "C"], n),
            benchmark.SECRET: rng.choice(["<=50K", ">50K"], n),
        }
    )


@pytest.fixture
def published():
    return Published.of(Mondrian(k=5, random_state=0).release(people(120, 1), ROLES))


def test_the_rival_gets_the_original_with_the_labels_of_the_release(published, monkeypatch):
    seen = {}

    def run(rival, worker, folder, asked, limit):
        seen.update(json.loads(asked), worker=worker)
        for name in ("original", "release", "control"):
            seen[name] = pd.read_csv(f"{folder}/{name}.csv", dtype=str, keep_default_na=False)
        return {title: {"failed": "not run"} for title in benchmark.OURS}

    monkeypatch.setattr(rivals, "run", run)
    found = benchmark.by_anonymeter(published, people(120, 1), people(60, 2), 50)
    assert found["inference"] == {"failed": "not run"}
    assert [len(seen[name]) for name in ("original", "release", "control")] == [120, 120, 60]
    assert list(seen["original"]) == list(seen["release"]) == ["age", "sex", "town", benchmark.SECRET]
    assert {*seen["original"].age} <= {*seen["release"].age}
    assert seen["parties"] == [["age", "sex"], ["town"]]
    assert seen["numbers"] == []


def test_a_rival_that_cannot_be_had_is_said_to_be_absent(published, monkeypatch):
    def run(*arguments, **more):
        raise rivals.AbsentError("anonymeter cannot be installed here")

    monkeypatch.setattr(rivals, "run", run)
    found = benchmark.by_anonymeter(published, people(120, 1), people(60, 2), 50)
    assert "cannot be installed here" in benchmark._cells(found["linkability"])[3]


def test_ours_has_every_attack_with_rates_and_risk(published):
    found = benchmark.by_discreet(published, people(120, 1), people(60, 2), 50)
    assert list(found) == list(benchmark.OURS)
    for rates in found.values():
        assert 0 <= rates["success"] <= 1
        assert rates["risk"][1] <= rates["risk"][0] <= rates["risk"][2]
        assert len(benchmark._cells(rates)) == 5
    assert found["several columns"]["attacks"] == 50
