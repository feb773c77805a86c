# SPDX-License-Identifier: Apache-2.0
"""Attribute inference: what is true of everybody is told of anybody, what was memorised of those in the release."""

import numpy as np
import pandas as pd
import pytest

import discreet.attacks.inference as attack
from discreet import DataError, KAnonymity, Mondrian, Roles
from discreet.attacks.case import Case
from discreet.attacks.published import Published
from discreet.attacks.registry import run, run_case
from discreet.data.table import Table
from instances import ROLES, people

HERE = Roles(target="y", quasi=("a", "b"), sensitive=("ill",))


def frame_of(n, seed, ill):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"a": rng.integers(0, 4, n).astype(str), "b": rng.integers(0, 3, n), "y": rng.integers(0, 2, n)}
    )
    return frame.assign(ill=ill(frame, rng))


def found(frame, absent=None, roles=HERE, **more):
    raw = Published(Table.of(frame), KAnonymity(2), Roles(target="y", quasi=roles.quasi, sensitive=roles.sensitive))
    control = None if absent is None else Table.of(absent)
    return run_case(Case(raw, Table.of(frame), roles, control=control, **more), ["inference"])


def test_what_is_true_of_everybody_is_guessed_of_anybody():
    def ill(frame, rng):
        return np.where(frame.a.isin(["0", "1"]), "flu", "gout")

    one = found(frame_of(200, 1, ill), frame_of(100, 2, ill))[0]
    assert one.attack == "inference of ill"
    assert one.success.value == 1
    assert one.control.value == 1
    assert one.advantage == 0
    assert 0.4 < one.baseline < 0.6
    assert one.targets == 100  # half of the persons


def test_what_was_memorised_is_guessed_only_of_those_in_the_release():
    """Everybody has a value of their own and an illness by chance."""

    def own(n, seed):
        rng = np.random.default_rng(seed)
        return pd.DataFrame({"a": [f"{seed}-{i}" for i in range(n)], "y": [0, 1] * (n // 2),
                             "ill": rng.choice(["flu", "gout"], n)})  # fmt: skip

    roles = Roles(target="y", quasi=("a",), sensitive=("ill",))
    one = found(own(120, 1), own(120, 2), roles)[0]
    assert one.success.value == 1
    assert one.control.high < 0.7
    assert one.success.low > one.control.high


def test_numbers_are_learnt_by_heart():
    """A tree that is not pruned reads everybody's illness off a number that is theirs alone."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame({"a": rng.permutation(400), "y": [0, 1] * 200, "ill": rng.choice(["flu", "gout"], 400)})
    one = found(frame, roles=Roles(target="y", quasi=("a",), sensitive=("ill",)))[0]
    assert one.success.value == 1
    assert "learners is tree" in one.detail


def test_the_strongest_is_chosen_on_the_other_half(monkeypatch):
    """A learner that is right on the half that is measured, and on no other row, is not chosen."""
    frame = frame_of(100, 1, lambda frame, rng: rng.choice(["flu", "gout"], len(frame)))
    chosen_on, measured_on = attack._halves(100, None, 5)
    assert {*chosen_on} & {*measured_on} == set()
    assert len({*chosen_on, *measured_on}) == 100
    truth = np.array([{"flu": 0, "gout": 1}[ill] for ill in frame.ill])
    late = np.where(np.isin(np.arange(100), measured_on), truth, 1 - truth)
    early = np.where(np.isin(np.arange(100), chosen_on), truth, 1 - truth)
    monkeypatch.setattr(attack, "_learnt", lambda *given: {"late": late, "early": early})
    monkeypatch.setattr(attack, "_answers", lambda model, people, values: model)
    one = found(frame, random_state=5)[0]
    assert "learners is early" in one.detail
    assert one.success.value == 0


def test_the_rows_of_a_person_stay_together():
    persons = np.repeat(np.arange(20), 3)
    first, second = attack._halves(60, persons, 0)
    assert {*persons[first]} & {*persons[second]} == set()
    assert len(first) == len(second) == 30
    with pytest.raises(DataError, match="3 are too few"):
        attack._halves(9, np.repeat(np.arange(3), 3), 0)


def test_all_learners_are_tried_on_a_release():
    frame = people(160)
    release = Mondrian(k=5, random_state=1).release(frame, ROLES)
    one, two, *further = run(release, frame, control=people(100, seed=8), attacks=["inference"])
    assert [one.knows, {*further[0].knows} > {*one.knows}] == [ROLES.quasi, True]
    assert [one.attack, two.attack] == ["inference of ill", "inference of again"]
    assert any(f"learners is {name}" in two.detail for name in attack.LEARNERS)
    assert two.success.low <= two.success.value <= two.success.high
    assert two.control is not None
    truth = frame.again.to_numpy()[attack._halves(160, None, 0)[1]]
    assert two.baseline == pytest.approx((truth == frame.again.mode()[0]).mean())
    assert two.bound is None


def test_many_numbers_are_guessed_by_quarters():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"a": rng.integers(0, 100, 300), "b": rng.integers(0, 3, 300), "y": rng.integers(0, 2, 300)})
    frame["pay"] = frame.a * 10 + rng.integers(0, 9, 300)
    one = found(frame, roles=Roles(target="y", quasi=("a", "b"), sensitive=("pay",)))[0]
    assert "One of 4 intervals" in one.note
    assert one.success.value > 0.8
    assert one.baseline < 0.4


def test_without_the_truth_nothing_can_be_measured():
    frame = people(80)
    release = Mondrian(k=5, random_state=1).release(frame, ROLES)
    with pytest.raises(DataError, match="lacks the column"):
        run(release, frame[list(ROLES.quasi)], attacks=["inference"])


def test_a_column_with_one_value_says_nothing():
    frame = frame_of(40, 1, lambda frame, rng: ["flu"] * len(frame))
    assert [one.attack for one in found(frame) if not one.beyond] == ["inference of y"]
