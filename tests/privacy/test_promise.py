# SPDX-License-Identifier: Apache-2.0
import dataclasses
import json

import pytest

from discreet import Containment, DataError, DiscreetError, KAnonymity, LDiversity, Roles, TCloseness
from discreet.privacy import PROMISES, promise_from
from discreet.privacy.promise import Both

ALL = [
    KAnonymity(3),
    KAnonymity(3, sets=[["a"], ["a", "b"]]),
    Containment(4),
    LDiversity(2),
    LDiversity(2, measure="recursive", c=1.5),
    TCloseness(0.25, distance="ordered"),
    KAnonymity(2) & LDiversity(2) & TCloseness(0.5),
]


@pytest.mark.parametrize("promise", ALL, ids=str)
def test_a_promise_survives_the_certificate(promise):
    assert promise_from(json.loads(json.dumps(promise.to_dict()))) == promise


def test_and_is_flat():
    assert len((KAnonymity(2) & (LDiversity(2) & TCloseness(0.5))).promises) == 3


def test_every_promise_says_what_it_does_not_protect():
    for promise in PROMISES.values():
        if promise is not Both:
            assert len(promise.does_not_protect) > 40
            assert promise.kind in ("recomputed", "proved", "owner")


@pytest.mark.parametrize(
    "description",
    [
        {"name": "all of", "promises": []},
        {"name": "all of", "promises": 3},
        {"name": "all of", "promises": ["x"]},
        {"name": []},
        {},
        [],
        "k-anonymity",
        {"name": "k-anonymity", "k": 2, "sets": [[["q"]]]},
        {"name": "k-anonymity", "k": 2, "sets": [[]]},
    ],
)
def test_descriptions_that_are_none(description):
    with pytest.raises(DiscreetError):
        promise_from(description)


def test_unknown_promises_and_parameters_are_named():
    with pytest.raises(DataError, match="Did you mean 'k-anonymity'"):
        promise_from({"name": "k-anonimity", "k": 3})
    with pytest.raises(DataError, match="parameters it does not have"):
        promise_from({"name": "k-anonymity", "j": 3})


def test_verdicts_are_frozen_and_true_or_false():
    verdict = KAnonymity(2).check({"x": [1, 1]}, Roles(quasi=["x"]))
    assert verdict
    assert verdict.sentence() == "2-anonymity holds: 2 required, 2 measured."
    with pytest.raises(dataclasses.FrozenInstanceError):
        verdict.holds = False
    both = (KAnonymity(2, columns=["x"]) & KAnonymity(2)).check({"x": [1, 1]}, Roles(quasi=["x"]))
    assert both.sentence().startswith("2-anonymity of x and 2-anonymity hold: ")


def test_a_table_needs_roles():
    with pytest.raises(DataError, match="needs roles"):
        KAnonymity(2).check({"x": [1, 1]})
