# SPDX-License-Identifier: Apache-2.0
"""Homogeneity: planted groups of one value are found, diverse releases have none, guessing is counted."""

import numpy as np
import pandas as pd
import pytest

import attack_twins as twins
from discreet import DataError, KAnonymity, LDiversity, Roles, TCloseness
from discreet.attacks.case import Case
from discreet.attacks.homogeneity import CONFIDENT
from discreet.attacks.published import Published
from discreet.attacks.registry import run, run_case
from discreet.data.table import Table
from instances import INSTANCES, PERSON_ROLES, ROLES, people

ROLES_HERE = Roles(target="y", quasi=("town",), sensitive=("ill",))


def frame_of(groups):
    """A table of towns, each with so many rows of each illness."""
    rows = [(town, ill) for town, counts in groups.items() for ill, n in counts.items() for _ in range(n)]
    return pd.DataFrame(
        {"town": [t for t, _ in rows], "ill": [i for _, i in rows], "y": [i % 2 for i in range(len(rows))]}
    )


def attack(frame, promise, known=None, **more):
    published = Published(Table.of(frame), promise, ROLES_HERE)
    case = Case(published, Table.of(frame if known is None else known), ROLES_HERE, **more)
    return {finding.attack: finding for finding in run_case(case, ["homogeneity"])}


def test_groups_of_one_value_are_found_and_guessing_is_counted():
    frame = frame_of({"A": {"flu": 4}, "B": {"flu": 19, "hiv": 1}, "C": {"flu": 1, "hiv": 3}})
    found = attack(frame, KAnonymity(4))
    whole, nearly = found["homogeneity of ill"], found["homogeneity of ill, 90% alike"]
    assert whole.success.value == pytest.approx(4 / 28)
    assert whole.baseline == pytest.approx(4 / 28 * 24 / 28)  # flu is 24 of 28
    assert nearly.success.value == pytest.approx((4 + 19) / 28)  # the one with hiv in B is told wrongly
    assert nearly.baseline == pytest.approx(24 / 28 * 24 / 28)
    assert whole.bound is None
    assert "24 of 28" in nearly.detail
    assert whole.targets == 28


def test_values_that_are_told_wrongly_do_not_count():
    frame = frame_of({"A": {"flu": 4}, "B": {"flu": 2, "hiv": 2}})
    known = frame.assign(ill=["hiv", "flu", "flu", "flu", "flu", "flu", "hiv", "gout"])
    assert attack(frame, KAnonymity(4), known)["homogeneity of ill"].success.value == pytest.approx(3 / 8)
    untold = attack(frame, KAnonymity(4), known.drop(columns="ill"))["homogeneity of ill"]
    assert untold.success.value == pytest.approx(4 / 8)
    assert "count as correct" in untold.note


def test_the_control_group_says_what_the_table_tells_of_anybody():
    frame = frame_of({"A": {"flu": 6}, "B": {"flu": 3, "hiv": 3}})
    absent = frame_of({"A": {"flu": 3, "hiv": 1}, "B": {"flu": 2}})
    found = attack(frame, KAnonymity(6), control=Table.of(absent))["homogeneity of ill"]
    assert found.success.value == pytest.approx(1 / 2)
    assert found.control.value == pytest.approx(3 / 6)


@pytest.mark.parametrize("name", ["kactus2-diverse", "mondrian-diverse"])
@pytest.mark.parametrize("roles", [ROLES, PERSON_ROLES], ids=["rows", "persons"])
def test_diverse_releases_tell_no_value_for_sure(name, roles):
    frame = people(160)
    release = INSTANCES[name].make(4, 1).release(frame, roles)
    found = {finding.attack: finding for finding in run(release, frame, roles=roles, attacks=["homogeneity"])}
    assert found["homogeneity of ill"].success.value == 0
    assert found["homogeneity of ill"].bound == 0
    assert not found["homogeneity of ill"].breaks_promise
    assert found["homogeneity of ill, 90% alike"].bound is None
    assert found["homogeneity of again"].bound is None  # of the target nothing is promised


def test_a_group_of_one_value_breaks_diversity():
    frame = frame_of({"A": {"flu": 4}, "B": {"flu": 2, "hiv": 2}})
    assert attack(frame, KAnonymity(4) & LDiversity(2))["homogeneity of ill"].breaks_promise
    assert not attack(frame, KAnonymity(4))["homogeneity of ill"].breaks_promise


def test_what_the_promises_rule_out():
    frame = frame_of({"A": {"flu": 3, "hiv": 3}, "B": {"flu": 3, "hiv": 3}})

    def bounds(promise):
        return [f.bound for name, f in attack(frame, promise).items() if " ill" in name and not f.beyond]

    assert bounds(LDiversity(2)) == [0, None]
    assert bounds(LDiversity(2, measure="recursive", c=4)) == [0, 0]  # less than 4/5 of a group
    assert bounds(LDiversity(2, measure="recursive", c=20)) == [0, None]  # less than 20/21
    assert bounds(TCloseness(0.2)) == [0, 0]  # at most 0.5 + 0.2
    assert bounds(TCloseness(0.45)) == [0, None]
    assert bounds(TCloseness(0.5)) == [None, None]


@pytest.mark.parametrize("name", ["mondrian-median", "kactus2", "tdr", "greedy-hamdist", "kactus2-swap"])
def test_counts_are_those_of_all_pairs(name):
    frame = people(90)
    release = INSTANCES[name].make(4, 1).release(frame, ROLES)
    published, known = Published.of(release), Table.of(frame)
    fits, ill = np.array(twins.pairs(published, known)), np.array(twins.cells(published.data, "ill"))
    for least, title in ((1.0, "homogeneity of ill"), (CONFIDENT, "homogeneity of ill, 90% alike")):
        hits = 0
        for row, truth in zip(fits, frame.ill, strict=True):
            values, counts = np.unique(ill[row], return_counts=True)
            hits += bool(len(values)) and counts.max() >= least * row.sum() and values[counts.argmax()] == truth
        found = {f.attack: f for f in run_case(Case(published, known, ROLES), ["homogeneity"])}[title]
        assert found.success.value == pytest.approx(hits / 90)


def test_sensitive_columns_must_be_published():
    frame = people(90)
    release = INSTANCES["mondrian-median"].make(4, 1).release(frame, ROLES)
    with pytest.raises(DataError, match="does not hold the sensitive columns 'hidden_column'"):
        run(release, frame, roles=Roles(sensitive=("hidden_column",)), attacks=["homogeneity"])
    other = run(release, frame, roles=Roles(sensitive=("stay",)), attacks=["homogeneity"])
    assert [f.attack for f in other[::2] if not f.beyond] == [
        "homogeneity of stay",
        "homogeneity of ill",
        "homogeneity of again",
    ]
