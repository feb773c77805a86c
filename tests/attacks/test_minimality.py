# SPDX-License-Identifier: Apache-2.0
"""Minimality: a cut that was refused tells of sensitive values, by hand and against all ways counted one by one."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

from discreet import KActus2, Mondrian, Roles, TopDownSpecialization, TreeLadder, attack
from discreet.attacks import CannotAttack
from discreet.attacks.case import Case
from discreet.attacks.minimality import _Group, _posteriors, _ways
from discreet.attacks.published import Published

ROLES = Roles(target="y", quasi=("age",), sensitive=("ill",))


def test_a_group_by_hand():
    """Six persons, of whom two have gout; the cut that leaves two on the left was refused. The left two are alike, or
    the right four are: 1 way of 15 has both gouts on the left, 6 have both on the right, 8 are ruled out.
    """
    left = np.array([True, True, False, False, False, False])
    ways = _ways([np.array([0, 0, 1, 1, 1, 1])], left[None], 2, random_state=1)
    gout = (np.array([0, 0, 1, 1, 1, 1])[ways] == 0).mean(axis=0)
    assert gout[:2] == pytest.approx([1 / 7] * 2, abs=0.03)
    assert gout[2:] == pytest.approx([3 / 7] * 4, abs=0.03)


@pytest.mark.parametrize(("least", "values"), [(2, [0, 0, 1, 1, 2]), (3, [0, 1, 2, 0, 1, 2])])
def test_what_is_left_is_what_counting_all_ways_leaves(least, values):
    values = np.array(values)
    n = len(values)
    cuts = np.array([np.arange(n) < place for place in (2, n - 2)])
    possible = []
    for way in permutations(range(n)):
        handed = values[list(way)]
        if all(min(len({*handed[left]}), len({*handed[~left]})) < least for left in cuts):
            possible.append(handed)
    expected = np.stack([(np.array(possible) == value).mean(axis=0) for value in range(3)], axis=1)
    drawn = values[_ways([values], cuts, least, random_state=1)]
    found = np.stack([(drawn == value).mean(axis=0) for value in range(3)], axis=1)
    assert found == pytest.approx(expected, abs=0.05)


def test_refused_cuts_of_a_release_are_told():
    """Ages 20 to 23 and 60 to 63, k = l = 2. Any cut would leave one side with one illness: there is one group."""
    ages = [20, 21, 22, 23, 60, 61, 62, 63]
    frame = pd.DataFrame({"age": ages, "ill": ["flu"] * 7 + ["gout"], "y": [0, 1] * 4})
    release = Mondrian(2, l=2, random_state=1).release(frame, ROLES)
    assert release.table.column("age").levels == 1
    (found,) = attack(release, frame, attacks=["minimality"])
    assert found.targets == 1
    assert found.baseline == pytest.approx((7 * 7 / 8 + 1 / 8) / 8)
    assert found.column == "ill"
    assert found.knows == ("age",)
    assert found.bound is None


def test_the_posterior_is_honest():
    """Over many tables the true value is as likely as the posterior says, and likelier than before."""
    rng = np.random.default_rng(2)
    before, after = [], []
    for _ in range(6):
        n = 160
        frame = pd.DataFrame({"age": rng.integers(20, 80, n), "ill": rng.choice(["a", "b"], n, p=[0.7, 0.3])})
        frame["y"] = rng.integers(0, 2, n)
        release = Mondrian(3, l=2, random_state=1).release(frame, ROLES)
        (found,) = attack(release, frame, attacks=["minimality"])
        before.append(found.baseline)
        after.append(found.success.value)
    assert np.mean(after) > np.mean(before) - 0.01


def test_where_a_method_cannot_be_inverted_the_reason_is_said():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.integers(20, 80, 120), "zip": rng.integers(0, 9, 120), "y": rng.integers(0, 2, 120)}
    )
    frame["ill"] = rng.choice(["flu", "gout", "cough"], 120)
    roles = Roles(target="y", quasi=("age", "zip"), sensitive=("ill",))
    reasons = {
        Mondrian(4, random_state=1): "without l no cut is refused",
        Mondrian(4, l=2, relaxed=True, random_state=1): "split at random",
        KActus2(4, random_state=1): "depend on the classes",
        TopDownSpecialization(4, random_state=1): "requires k only",
        TreeLadder(4, random_state=1): "depend on the classes",
    }
    for method, reason in reasons.items():
        with pytest.raises(CannotAttack, match=f"Not applicable: .*{reason}"):
            attack(method.release(frame, roles), frame, attacks=["minimality"])


def test_the_group_of_few_ways_is_left_at_its_prior():
    frame = pd.DataFrame({"age": [1, 2, 3, 4], "ill": ["a", "a", "b", "b"], "y": [0, 1, 0, 1]})
    published = Published.of(Mondrian(2, l=2, random_state=1).release(frame, ROLES))
    none = _Group(np.arange(4), np.arange(4), np.array([[True, False, True, False], [True, True, False, False]]))
    prior, posterior = _posteriors(Case(published, None, ROLES).published, none, 1)["ill"]
    assert posterior.shape[0] == 4
    assert prior.sum() == pytest.approx(1)
    assert posterior.sum(axis=1) == pytest.approx(np.ones(4))
