# SPDX-License-Identifier: Apache-2.0
"""A promise, a method, an attack, a classifier and an engine are added as CONTRIBUTING.md says: a toy of each."""

import re
import sys
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import numpy as np
import pytest

import discreet as ds
from discreet.attacks import ATTACKS, Finding
from discreet.counting.tally import tally
from discreet.data.table import Table
from discreet.evaluate.confidence import Share
from discreet.foundation.parameters import Interval
from discreet.learning.classifiers import CLASSIFIERS
from discreet.methods.base import Decision, Method
from discreet.privacy.promise import PROMISES, Promise, Verdict, promise_from
from discreet.recoding.plan import KeepColumns

ROOT = Path(__file__).parent.parent
TABLE = {"age": [31, 33, 45, 47], "ill": ["flu", "flu", "flu", "gout"]}
ROLES = ds.Roles(target="ill", quasi=["age"])


@pytest.fixture
def at_least():
    """A promise that a release has at least m rows; it is known while the test runs."""
    before = dict(PROMISES)

    @dataclass(frozen=True)
    class AtLeast(Promise):
        name: ClassVar[str] = "toy"
        does_not_protect: ClassVar[str] = "A toy protects nobody."
        _parameter_constraints: ClassVar[dict] = {"m": [Interval(Integral, 1, None, closed="left")]}
        m: int = 2

        def __str__(self) -> str:
            return f"at least {self.m} rows"

        def check(self, data, roles=None):
            rows = len(Table.of(data))
            return Verdict(str(self), rows >= self.m, self.m, rows, rows, 0 if rows >= self.m else rows)

    yield AtLeast
    PROMISES.clear()
    PROMISES.update(before)


@pytest.fixture
def keep_all(at_least):
    """A method that publishes every column as it is, under the toy promise."""

    class KeepAll(Method):
        def __init__(self, m=2, *, random_state=None):
            self.m = m
            self.random_state = random_state

        @property
        def promise(self):
            return at_least(self.m)

        def _plan(self, table, roles, randomness):
            return Decision(KeepColumns(tuple(roles.quasi)))

    return KeepAll


def test_a_promise_is_known_by_its_name_once_its_class_exists(at_least):
    assert promise_from({"name": "toy", "m": 3}) == at_least(3)
    with pytest.raises(ds.ParameterError, match="'m'"):
        at_least(0)


def test_a_method_with_its_promise_releases_saves_and_verifies(keep_all, tmp_path):
    release = keep_all(3, random_state=1).release(TABLE, ROLES)
    release.save(tmp_path / "out")
    assert ds.verify(tmp_path / "out" / "release").holds


def test_a_method_whose_promise_does_not_hold_releases_nothing(keep_all):
    with pytest.raises(ds.PromiseBroken, match="at least 9 rows is broken"):
        keep_all(9).release(TABLE, ROLES)


def test_an_attack_joins_by_an_entry(monkeypatch):
    """Its function is found by its name when it is first made."""

    def toy(case):
        sure = Share(1.0, 1.0, 1.0)
        return [Finding("toy", "is the person in the release?", sure, len(case.known), 1.0)]

    module = ModuleType("discreet.attacks.toy")
    module.toy = toy
    monkeypatch.setitem(sys.modules, "discreet.attacks.toy", module)
    monkeypatch.setitem(ATTACKS, "toy", type(ATTACKS["prosecutor"])("toy", "say who is there", "toy:toy", ("table",)))
    release = ds.Mondrian(k=2).release(TABLE, ROLES)
    (found,) = ds.attack(release, TABLE, attacks=["toy"])
    assert (found.by, found.targets, found.success.value) == ("toy", 4, 1.0)


class Commonest:
    """The commonest class for every row."""

    missing = suppressed = "value"

    def __init__(self, random_state=0):
        self.random_state = random_state

    def fit(self, examples):
        self.classes_, rows = examples.classes, examples.counts.sum(axis=0)
        self.shares = rows / rows.sum()
        return self

    def predict_proba(self, table):
        return np.tile(self.shares, (len(table), 1))

    def predict(self, table):
        return np.array(self.classes_)[np.argmax(self.predict_proba(table), axis=1)]


def test_a_classifier_joins_by_an_entry(monkeypatch):
    monkeypatch.setitem(CLASSIFIERS, "toy", Commonest)
    clinic = ds.samples.clinic(200, random_state=1)
    method = ds.Mondrian(k=5, random_state=1)
    found = ds.evaluate_utility(method, clinic.data, clinic.roles, folds="3-fold", classifiers=["toy"])
    assert found.difference(found.methods[1], "toy").mean == 0  # it looks at no column


class Rows:
    """An engine: whatever has a verb `tally` counts by itself."""

    def __init__(self, table):
        self.table, self.asked = Table.of(table), 0

    @property
    def names(self):
        return self.table.names

    def __len__(self):
        return len(self.table)

    def tally(self, columns, *, target=None, person=None):
        self.asked += 1
        return tally(self.table, columns, target=target, person=person)


def test_an_engine_joins_by_its_verbs():
    rows = Rows(TABLE)
    assert ds.KAnonymity(2).check(rows, ROLES).measured == ds.KAnonymity(2).check(TABLE, ROLES).measured == 1
    assert rows.asked


def test_contributing_names_files_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    paths = [path for path in re.findall(r"`((?:src|tests|docs|benchmarks)/[\w./]+)`", text) if "<" not in path]
    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []
    for what in ("promise", "method", "attack", "classifier", "engine", "paper"):
        assert re.search(rf"^## To add an? {what}$", text, flags=re.MULTILINE), what
