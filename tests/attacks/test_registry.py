# SPDX-License-Identifier: Apache-2.0
"""What applies to which release, what is left out and why; and what a finding says of itself."""

import importlib
from contextlib import suppress
from dataclasses import fields
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest

import discreet as ds
from discreet import DataError, KAnonymity, Mondrian, ParameterError, Roles
from discreet.attacks import ATTACKS, CannotAttack, Case, Finding, Published, run
from discreet.attacks.finding import rate, rate_of_persons
from discreet.attacks.label_meanings import recode_known
from discreet.attacks.registry import chosen, tried
from discreet.data.table import Table
from discreet.evaluate.utility import Share
from instances import INSTANCES, ROLES, baskets, people


def case_of(name="mondrian-median", **more):
    frame = people(120)
    release = INSTANCES[name].make(4, 1).release(frame, ROLES)
    return Case(Published.of(release), Table.of(frame), ROLES, **more)


def test_every_attack_is_where_it_is_said_to_be():
    for name, attack in ATTACKS.items():
        module, function = attack.where.split(":")
        assert callable(getattr(importlib.import_module(f"discreet.attacks.{module}"), function))
        assert attack.name == name
        assert all(need in Case.__dataclass_fields__ or hasattr(Case, need) for need in attack.needs)


def test_those_that_apply_are_chosen_and_others_refused_by_name():
    here = case_of()
    assert "prosecutor" in [attack.name for attack in chosen(here)]
    assert "sparse" not in [attack.name for attack in chosen(here)]
    assert "membership" not in [attack.name for attack in chosen(here)]
    assert "membership" in [attack.name for attack in chosen(case_of(control=Table.of(people(50, seed=9))))]
    assert [attack.name for attack in chosen(here, ["marketer", "marketer"])] == ["marketer"]
    with pytest.raises(DataError, match="'sparse' does not apply: it applies to baskets, and the release holds table"):
        chosen(here, ["sparse"])
    with pytest.raises(DataError, match=r"it needs another release of the same persons\. Give 'others'"):
        chosen(here, ["intersection"])
    with pytest.raises(ParameterError, match="Did you mean 'marketer'"):
        chosen(here, ["marketeer"])


def test_a_document_has_no_rows_to_attack():
    release = INSTANCES["kadet"].make(4, 1).release(people(120), ROLES)
    with pytest.raises(DataError, match="No attack applies to this release of model"):
        run(release, people(120))


def test_what_cannot_be_tried_is_left_out_unless_it_was_asked_for():
    """One quasi-identifier: two parties cannot have one each."""
    frame = people(120)
    roles = Roles(target="again", quasi=("age",), sensitive=("ill",))
    here = Case(Published.of(Mondrian(k=4, random_state=1).release(frame, roles)), Table.of(frame), roles, targets=50)
    findings, left_out = tried(here)
    assert "one known column each" in left_out["linkability"]
    assert "it needs another release of the same persons" in left_out["intersection"]
    assert "sparse" not in left_out
    assert findings
    with pytest.raises(CannotAttack):
        tried(here, ["linkability"])


def test_a_table_is_not_attacked_with_baskets():
    X, y = baskets()
    here = case_of()
    with pytest.raises(DataError, match="baskets were given"):
        tried(Case(here.published, ds.Baskets.of(X, y), ROLES), ["prosecutor"])
    with pytest.raises(DataError, match="baskets were given"):
        tried(Case(here.published, here.known, ROLES, control=ds.Baskets.of(X, y)), ["prosecutor"])


def test_frames_and_files_are_read(tmp_path):
    frame = people(120)
    frame.to_csv(tmp_path / "known.csv", index=False)
    release = Mondrian(k=4, random_state=1).release(frame, ROLES)
    release.save(tmp_path / "out")
    wanted = ["prosecutor", "homogeneity"]
    here = ds.attack(release, frame, attacks=wanted)
    there = ds.attack(tmp_path / "out" / "release", tmp_path / "known.csv", attacks=wanted)
    assert here == there


def finding(success, control=None, bound=None, baseline=0.0):
    return Finding("x", "?", success, 100, baseline, control, bound)


def test_risk_is_what_being_in_the_release_adds():
    found = finding(rate(60, 100), rate(20, 100))
    assert found.risk.value == pytest.approx(0.5)
    assert found.risk.low < 0.5 < found.risk.high
    assert finding(rate(100, 100), rate(20, 100)).risk.value == pytest.approx(1)
    assert finding(rate(20, 100), rate(20, 100)).risk.value == 0
    assert finding(rate(10, 100), rate(20, 100)).risk.value == pytest.approx(-1 / 8)
    assert finding(rate(60, 100)).risk is None
    assert finding(rate(60, 100), Share(1.0, 0.9, 1.0)).risk is None


def test_the_interval_of_the_risk_covers_it():
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(400):
        found = finding(rate(rng.binomial(300, 0.5), 300), rate(rng.binomial(300, 0.3), 300))
        covered += found.risk.low <= (0.5 - 0.3) / (1 - 0.3) <= found.risk.high
    assert 0.92 <= covered / 400 <= 0.98


def test_more_than_the_bound_beyond_chance_breaks_the_promise():
    assert finding(rate(60, 100), bound=0.2).breaks_promise
    assert not finding(rate(25, 100), bound=0.2).breaks_promise
    assert not finding(rate(60, 100)).breaks_promise
    assert finding(rate(60, 100), rate(20, 100), baseline=0.4).advantage == pytest.approx(0.2)


def test_rows_of_a_person_count_by_their_mean():
    found, n = rate_of_persons(np.array([1.0, 1.0, 0.0, 0.0]), np.array([3, 3, 3, 8]))
    assert n == 2
    assert found.value == pytest.approx((2 / 3 + 0) / 2)
    assert rate_of_persons(np.array([1.0, 0.0]), None)[1] == 2


def test_known_rows_are_written_with_the_labels_of_a_release():
    frame = people(120)
    for name in ("mondrian-median", "tdr", "greedy-hamdist", "random-flip", "breach-aware"):
        release = INSTANCES[name].make(4, 1).release(frame, ROLES)
        written = recode_known(Published.of(release), Table.of(frame))
        for column in release.roles.quasi:
            assert {*written.column(column).texts} <= {*release.table.column(column).texts, "*", "0", "1"}, name
        if release.plan is not None:
            theirs = release.recode(Table.of(frame))
            same = [written.column(n).texts == theirs.column(n).texts for n in release.roles.quasi]
            assert all(same) or name == "mondrian-median"  # whose tree places rows that patterns do not


def test_numbers_that_are_published_as_intervals_without_a_record_are_read():
    released = Table.of({"age": ["< 40", "[40, 60)", ">= 60", "*"], "y": [0, 1, 0, 1]})
    published = Published(released, KAnonymity(2), Roles(target="y", quasi=("age",)))
    written = recode_known(published, Table.of(pd.DataFrame({"age": [12, 40, 99, None], "y": [0, 0, 1, 1]})))
    assert written.column("age").to_arrow().to_pylist() == ["< 40", "[40, 60)", ">= 60", "*"]


class Watching(Case):
    """A case that notes which of its settings an attack reads."""

    seen: ClassVar[set[str]] = set()

    def __getattribute__(self, name):
        Watching.seen.add(name)
        return super().__getattribute__(name)


SETTINGS = {"share", "aux_items", "targets", "random_state", "hierarchies", "population", "control", "gone", "others"}


def test_attacks_say_which_settings_they_use():
    """So that the command can refuse an option that no attack would look at."""
    table, control = people(160), people(80, seed=9)
    first, second = (Mondrian(k=4, l=2, random_state=seed).release(table, ROLES) for seed in (1, 2))
    case = Case(
        *(Published.of(first), Table.of(table), ROLES, Table.of(control)),
        others=(Published.of(second),),
        gone=Table.of(table[:5]),
        targets=20,
    )
    watching = Watching(**{one.name: getattr(case, one.name) for one in fields(case)})
    for attack in ATTACKS.values():
        if attack.why_not(case):
            continue
        Watching.seen = set()
        with suppress(CannotAttack):
            attack(watching)
        read = Watching.seen & (SETTINGS - {"control"})  # whose shape is looked at with that of the known persons
        read |= {"control"} if {"absent", "baskets"} & Watching.seen or attack.name == "intersection" else set()
        said = {*attack.needs, *attack.uses} & SETTINGS
        assert read <= said, attack.name
        assert said - read <= {"aux_items", "population", "random_state", "targets"}, attack.name  # where it got so far
