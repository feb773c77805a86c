# SPDX-License-Identifier: Apache-2.0
"""Downcoding: tight labels give away how many rows hold a rare value, other labels do not."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.attacks.clusters import COLUMNS, attacked, persons, trees

from discreet import KAnonymity, Mondrian, Roles, attack
from discreet.attacks import CannotAttack, Case, Published
from discreet.attacks.downcoding import downcoding
from discreet.attacks.group_members import GroupMembers
from discreet.data.table import Table
from discreet.recoding.labels import EVERYTHING, Labelling, Meaning
from discreet.recoding.patterns import EachColumn


def test_labels_of_trees_are_downcoded():
    """64 clusters of 8 persons: 62 of 71 groups that are written as their cluster hold one rare value."""
    found, whole, one = attacked("hierarchy", 1)
    assert (whole, one) == (71, 62)
    assert found.success.low > 0.7 > found.baseline
    assert found.baseline == pytest.approx(0.24, abs=0.02)
    assert found.units == "groups"
    assert found.kind == "label"


def test_without_the_trees_nothing_can_be_told_of_those_below_them():
    table = persons(1)
    release = Mondrian(5, labels="hierarchy", hierarchies=trees(), random_state=1).release(
        table, Roles(target="ill", quasi=COLUMNS)
    )
    with pytest.raises(CannotAttack, match="give the hierarchies"):
        attack(release, table, attacks=["downcoding"])


def clustered(tight: bool, seed: int) -> tuple[Published, Table]:
    """80 groups of 8 rows, written as their cluster if a rare value is in them, or always."""
    rng = np.random.default_rng(seed)
    rare = rng.random((80, 8)) < 0.04
    values = [f"c{g:02d}{'b' if rare[g, r] else 'a'}" for g in range(80) for r in range(8)]
    labels = [f"c{g:02d}" if rare[g].any() or not tight else f"c{g:02d}a" for g in range(80) for _ in range(8)]
    wide = [f"c{g:02d}" for g in range(80)]
    texts = [*wide, *(f"{label}a" for label in wide), "*"]
    meanings = [*(Meaning.of([f"{w}a", f"{w}b"]) for w in wide), *(Meaning.of([f"{w}a"]) for w in wide), EVERYTHING]
    plan = EachColumn((Labelling("x", "category", tuple(texts), tuple(meanings)),))
    roles = Roles(quasi=("x",))
    return Published(Table.of({"x": labels}), KAnonymity(8), roles, plan), Table.of({"x": values})


def test_tight_labels_gain_and_others_do_not():
    gains = {True: [], False: []}
    for tight in gains:
        for seed in range(5):
            published, known = clustered(tight, seed)
            (found,) = downcoding(Case(published, known, published.roles))
            gains[tight].append(found.success.value - found.baseline)
    assert min(gains[True]) > 0.4
    assert abs(np.mean(gains[False])) < 0.08  # 400 groups: a standard deviation is 0.02


def test_members_are_those_who_fit_one_group_only():
    frame = pd.DataFrame({"age": [20, 25, 30, 35, 60, 65], "ill": list("uvuvww")})
    published = Published(
        Table.of({"age": ["< 40", "< 40", "< 40", "< 40", "*", "*"], "ill": list("uvuvww")}),
        KAnonymity(2),
        Roles(quasi=("age",), other=("ill",)),
    )
    blind = GroupMembers.of(published, Table.of(frame))
    assert (blind.group_of_known >= 0).sum() == 2
    assert not blind.is_known.all()
    told = GroupMembers.of(published, Table.of(frame), by_other_columns=True)
    assert told.is_known.all()
    assert told.group_of_known.tolist() == [told.group_of_known[0]] * 4 + [told.group_of_known[5]] * 2
