# SPDX-License-Identifier: Apache-2.0
"""What an attacker is taken to know: it can be said, it has its effect, and every conclusion names it."""

import numpy as np
import pandas as pd
import pytest

import discreet as ds
from discreet import Mondrian, Roles, RolesError
from discreet.attacks.case import case_of
from discreet.attacks.conclusions import about_promise, beyond, knowing
from discreet.attacks.published import Published
from discreet.attacks.registry import run, tried
from discreet.errors import ParameterError
from instances import baskets

HERE = Roles(target="y", quasi=("a", "b"), sensitive=("ill",), other=("c", "d", "e", "f"))


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(3)
    n = 200
    columns = {"a": rng.integers(0, 40, n), "b": rng.choice(list("uvw"), n), "y": rng.integers(0, 2, n)}
    columns |= {name: rng.integers(0, 30, n) for name in "cdef"}
    return pd.DataFrame(columns | {"ill": rng.choice(["flu", "gout", "cough"], n)})


@pytest.fixture(scope="module")
def release(frame):
    return Mondrian(k=5, random_state=1).release(frame, HERE)


def prosecuted(found):
    return next(one for one in found if one.by == "prosecutor" and one.kind == "row" and not one.beyond)


def test_quasi_identifiers_of_the_roles_are_what_is_known(frame, release):
    plain = prosecuted(run(release, frame, attacks=["prosecutor"]))
    more = Roles(target="y", quasi=("a", "b", "c", "d", "e", "f"), sensitive=("ill",))
    told = prosecuted(run(release, frame, roles=more, attacks=["prosecutor"]))
    assert plain.success.value <= 1 / 5
    assert told.success.value == 1
    assert (plain.bound, told.bound) == (1 / 5, None)
    assert (plain.knows, told.knows) == (("a", "b"), ("a", "b", "c", "d", "e", "f"))
    same = run(release, frame, roles=HERE, attacks=["prosecutor"])
    assert prosecuted(same) == plain
    with pytest.raises(RolesError, match="has the columns 'cc'"):
        run(release, frame, roles=Roles(target="y", quasi=("a", "cc")), attacks=["prosecutor"])


def test_columns_that_are_known_can_be_named(frame, release):
    by_hand = frame.assign(one=1).groupby(["c", "d"]).one.transform("sum")
    found = prosecuted(run(release, frame, knows=["c", "d"], attacks=["prosecutor"]))
    assert found.success.value == pytest.approx((1 / by_hand).mean())
    assert "an attacker who knows c and d " in found.question
    assert not any(one.beyond for one in run(release, frame, knows="all", attacks=["prosecutor"]))
    fewer = prosecuted(run(release, frame, knows=["a"], attacks=["prosecutor"]))
    assert fewer.bound == 1 / 5  # groups of a and b are groups of a
    with pytest.raises(RolesError, match=r"cannot know 'ilk': the release does not publish it\. Did you mean 'ill'"):
        run(release, frame, knows=["a", "ilk"])
    with pytest.raises(RolesError, match="the known table has no such column"):
        run(release, frame.drop(columns="c"), knows=["c"])
    X, y = baskets()
    with pytest.raises(ParameterError, match="holds baskets"):
        run(ds.GreedySelector(k=5, random_state=1).release(ds.Baskets.of(X, y)), ds.Baskets.of(X, y), knows=["a"])


def test_attacks_are_made_again_with_all_columns_and_kept_is_said_of_the_promise(frame, release):
    case = case_of(Published.of(release), frame)
    found, _ = tried(case, ["prosecutor", "homogeneity", "linkability"])
    again = {one.by: one for one in found if one.beyond}
    assert set(again) == {"prosecutor", "homogeneity", "linkability"}
    assert all(one.bound is None for one in found if one.beyond)
    assert not any(one.breaks_promise for one in found)
    kept = about_promise(case, found)
    assert kept.startswith("Kept: 5-anonymity of a and b. None of the 3 results")
    assert kept.endswith("nor about anyone who knows more.")
    said = beyond(case, found)
    assert said[0].startswith("Anyone who also knows y, c, d, e, f and ill finds 100 of 100 persons, not 1")
    assert "The promise does not cover these columns." in said[0]
    assert "can read it off the matching rows" in said[1]
    assert knowing(case) == "Knowing a and b, which the promise covers"


def test_a_value_that_is_told_is_not_known(frame, release):
    found = run(release, frame, knows="all", attacks=["homogeneity", "inference"])
    for one in found:
        assert one.column in ("ill", "y")
        assert one.column not in one.knows
        assert one.column not in one.question.split(" knowing ")[-1].split(", tell")[0].split(" and ")


def test_every_finding_names_what_is_known(frame, release):
    outside = frame.sample(frac=1.0, random_state=1).reset_index(drop=True)
    for one in run(release, frame, control=outside, targets=50):
        assert one.by in ds.attacks.ATTACKS
        assert one.knows is not None
        if one.by in ("prosecutor", "journalist", "marketer", "linkability"):
            assert {*one.knows} == ({*frame.columns} if one.beyond else {"a", "b"}), one.attack
            assert all(name in one.question for name in ("a", "b"))
