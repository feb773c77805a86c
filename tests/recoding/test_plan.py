# SPDX-License-Identifier: Apache-2.0
import numpy as np

from discreet import GreedySelector, Mondrian, Table
from discreet.recoding.plan import AxisScale, KeepItems, Recode
from instances import ROLES, people


def test_leaves_agree_with_a_walk_down_the_tree_by_hand():
    plan = Mondrian(5, split="information").release(people(), ROLES).plan
    assert isinstance(plan, Recode)
    table = Table.of(people())
    places = [scale.of(table.column(scale.name))[table.column(scale.name).codes] for scale in plan.scales]
    for row, leaf in enumerate(plan.leaves(table)):
        node = 0
        while plan.column[node] >= 0:
            goes_left = places[plan.column[node]][row] < plan.cut[node]
            node = plan.left[node] + (0 if goes_left else 1)
        assert plan.left[node] == leaf


def test_suppressed_cells_of_leaves():
    release = Mondrian(40).release(people(), ROLES)
    written = release.plan.apply(Table.of(people())).values()
    stars = sum(column.to_arrow().to_pylist().count("*") for (column,) in written)
    assert 0 < stars == release.changes.suppressed_cells


def test_missing_lies_beyond_every_number():
    column = Table.of({"n": [1.5, None, -2.0]}).column("n")
    assert AxisScale("n", ordered=True).of(column).tolist() == [-2.0, 1.5, np.inf]
    nothing = Table.of({"n": [None, None]}).column("n")
    assert AxisScale("n", ordered=True).of(nothing).tolist() == [np.inf]


def test_unknown_categories_stand_with_other():
    column = Table.of({"c": ["a", "b", "new"]}).column("c")
    assert AxisScale("c", ordered=False, places={"a": 1, "b": 0}, other=7).of(column).tolist() == [1, 0, 7, np.inf]


def test_kept_items_stand_under_the_column_they_came_from():
    release = GreedySelector(5).release(people(), ROLES)
    assert isinstance(release.plan, KeepItems)
    published = release.plan.apply(Table.of(people()))
    for source, columns in published.items():
        assert source in ROLES.quasi
        assert all(column.name.startswith(f"{source}=") for column in columns)
    everything = release.plan.baskets(Table.of(people()))
    assert len(release.plan.kept) < everything.shape[1]
