# SPDX-License-Identifier: Apache-2.0
"""The detail kept of a column lies between nothing and all, and is exact where a column is dropped or untouched."""

import numpy as np
import pytest

from discreet import DataError, GreedySelector, Mondrian, RandomFlip, Roles
from discreet.evaluate.changes import column_changes

RNG = np.random.default_rng(4)
TABLE = {
    "age": RNG.integers(20, 60, 300),
    "sex": RNG.choice(["f", "m"], 300),
    "town": RNG.choice([f"t{i}" for i in range(80)], 300),
    "y": RNG.integers(0, 2, 300),
}
ROLES = Roles(target="y", quasi=["age", "sex", "town"])


def test_items_are_told_apart_from_recoded_and_dropped_columns():
    changes = {c.name: c for c in column_changes(GreedySelector(k=40).release(TABLE, ROLES), TABLE)}
    assert list(changes) == ["age", "sex", "town"]
    assert changes["sex"].published == ("sex=f", "sex=m")
    assert changes["sex"].detail == pytest.approx(1.0)  # both values can be read off
    dropped = changes["town"]
    assert (dropped.published, dropped.values_after, dropped.detail, dropped.suppressed_cells) == ((), 0, 0.0, 300)


def test_recoding_keeps_a_part_of_each_column_and_its_stars_are_counted():
    release = Mondrian(k=10).release(TABLE, ROLES)
    changes = column_changes(release, TABLE)
    assert all(c.published == (c.name,) for c in changes)
    assert all(0 <= c.detail <= 1 for c in changes)
    assert any(0.05 < c.detail < 0.95 for c in changes)
    stars = sum((np.array(release.data.column(c.name).to_pylist()) == "*").sum() for c in changes)
    assert sum(c.suppressed_cells for c in changes) == stars == release.changes.suppressed_cells


def test_a_coarser_release_keeps_no_more_detail_in_all():
    def kept(k):
        return sum(change.detail for change in column_changes(Mondrian(k=k).release(TABLE, ROLES), TABLE))

    assert kept(5) > kept(20) > kept(100)


def test_baskets_have_no_columns_to_compare():
    release = GreedySelector(k=2).release(RNG.integers(0, 2, (50, 4)), RNG.integers(0, 2, 50))
    with pytest.raises(DataError, match="no quasi-identifier columns to compare"):
        column_changes(release, TABLE)


def test_rows_that_were_changed_together_are_compared_as_they_were_published():
    """What a plan for new rows would say of the source is not what became of it."""
    release = RandomFlip(5, random_state=1).release(TABLE, ROLES)
    changes = column_changes(release, TABLE)
    assert [change.name for change in changes] == list(ROLES.quasi)
    assert {name for change in changes for name in change.published} == set(release.roles.quasi)
    assert 0 < sum(change.detail for change in changes) < len(changes)  # flips blur the items that are kept
