# SPDX-License-Identifier: Apache-2.0
"""Losses on small tables where they can be counted by hand, and against slow twins."""

from collections import defaultdict

import numpy as np
import pytest

from discreet import CannotRelease, GreedySelector, Mondrian, ParameterError, RandomFlip, Roles, Table
from discreet.data.column import from_labels
from discreet.methods import METHODS
from discreet.methods.base import Decision, Method
from discreet.methods.limits import MAX_SUPPRESSED
from discreet.privacy import KAnonymity
from discreet.release.losses import certainty_penalty, information_loss, penalty_of
from instances import ROLES, baskets, people

SMALL = {"age": [10, 20, 30, 40, 50], "sex": ["f", "f", "m", "m", "m"], "y": ["a", "a", "b", "b", "a"]}
SMALL_ROLES = Roles(target="y", quasi=["age", "sex"])


class Suppress(Method):
    """Publishes given cells: a method to count by hand."""

    _parameter_constraints = {"max_suppressed": MAX_SUPPRESSED}  # noqa: RUF012

    def __init__(self, cells=None, rows=None, max_suppressed=None):
        self.cells, self.rows, self.max_suppressed = cells, rows, max_suppressed

    @property
    def promise(self):
        return KAnonymity(2)

    def _plan(self, table, roles, randomness):
        published = {name: [from_labels(name, cells, np.arange(len(cells)))] for name, cells in self.cells.items()}
        return Decision(None, published=published, rows=None if self.rows is None else np.array(self.rows))


def test_the_method_of_this_test_is_not_registered():
    assert Suppress not in METHODS.values()


def suppressed(**options):
    """Two rows with one cell each, two with none, one left out: of 10 cells 2 are published."""
    cells = {"age": ["*"] * 4, "sex": ["f", "f", "*", "*"]}
    return Suppress(cells=cells, rows=[0, 1, 2, 3], **options).release(SMALL, SMALL_ROLES)


def test_information_loss_counts_rows_left_out_as_suppressed():
    release = suppressed()
    assert release.losses.information_loss == information_loss(release) == 8 / 10
    assert (release.losses.rows, release.losses.left_out, release.losses.suppressed_rows) == (5, 1, 3)


def test_groups_of_one_class_and_diversity():
    groups = suppressed().losses.groups
    assert (groups.groups, groups.pure_groups, groups.pure_rows, groups.diversity) == (2, 2, 4, {"y": 1})
    losses = suppressed().losses
    assert (losses.pure_group_share, losses.pure_row_share) == (1, 1)


@pytest.mark.parametrize("k", [2, 5, 20])
def test_groups_as_the_slow_twin_counts_them(k):
    release = Mondrian(k, split="information").release(people(), ROLES)
    found = defaultdict(list)
    for row in release.table.to_arrow().to_pylist():
        found[tuple(row[name] for name in ROLES.quasi)].append(row)
    pure = [rows for rows in found.values() if len({row["again"] for row in rows}) == 1]
    groups = release.losses.groups
    assert (groups.groups, groups.pure_groups, groups.pure_rows) == (len(found), len(pure), sum(map(len, pure)))
    for name in ("again", "ill"):
        assert groups.diversity[name] == min(len({row[name] for row in rows}) for rows in found.values())
    assert release.certificate.groups.model_dump() == vars(groups)


def test_the_penalty_of_an_interval_is_its_share_of_the_range():
    release = Mondrian(2).release({"age": [10, 20, 30, 40], "y": [0, 1, 0, 1]}, Roles(target="y", quasi=["age"]))
    assert sorted(set(release.data["age"].to_pylist())) == ["< 30", ">= 30"]
    # whole numbers: [10, 29] and [30, 40] of the range 10 to 40
    assert certainty_penalty(release) == pytest.approx((19 + 10) / 2 / 30)
    floats = {"x": [1.5, 2.5, 3.5, 4.5], "y": [0, 1, 0, 1]}
    release = Mondrian(2).release(floats, Roles(target="y", quasi=["x"]))
    assert release.losses.certainty_penalty == pytest.approx((1.5 + 1.5) / 2 / 3)


def test_the_penalty_of_a_set_is_its_share_of_the_values():
    table = {"job": ["a", "a", "b", "b", "c", "c"], "y": [0, 0, 0, 1, 1, 1]}
    release = Mondrian(2).release(table, Roles(target="y", quasi=["job"]))
    assert release.losses.certainty_penalty == 0  # exact
    release = Mondrian(3).release(table, Roles(target="y", quasi=["job"]))
    assert release.losses.certainty_penalty == 1  # every job is rarer than 3: one label for all
    wider = {"job": ["a"] * 3 + ["b"] * 3 + ["c"] * 8, "y": [0, 1] * 7}
    release = Mondrian(6).release(wider, Roles(target="y", quasi=["job"]))
    assert sorted(set(release.data["job"].to_pylist())) == ["c", "other"]
    assert release.losses.certainty_penalty == pytest.approx((8 * 0 + 6 * 2 / 3) / 14)


def test_rows_left_out_and_columns_dropped_are_wholly_uncertain():
    release = Mondrian(2).release(SMALL, SMALL_ROLES)
    labellings, table = release.plan.labellings, Table.of(SMALL)
    published = release.plan.apply(table)
    whole = penalty_of(labellings, table, published, ["age", "sex"], 0)
    assert whole == release.penalty
    without = penalty_of(labellings, table, {"age": published["age"]}, ["age", "sex"], 0)
    age = penalty_of(labellings, table, {"age": published["age"]}, ["age"], 0)
    assert without == pytest.approx((age + 1) / 2)
    assert penalty_of((), table, published, ["age", "sex"], 0) is None
    four = [column.take(np.arange(4)) for column in published["age"]]
    of_four = penalty_of(labellings, table, {"age": four}, ["age"], 0)  # the sum over four rows, divided by five
    assert penalty_of(labellings, table, {"age": four}, ["age"], 1) == pytest.approx(of_four + 1 / 5)


def test_items_are_as_uncertain_as_the_values_that_share_them():
    table = {"job": ["a"] * 4 + ["b"] * 4 + ["c", "d"], "y": [0] * 4 + [1] * 6}
    release = GreedySelector(4, max_features=1).release(table, Roles(target="y", quasi=["job"]))
    (item,) = release.roles.quasi
    told = 4  # the rows that have the item are certain; the others have one of three values
    assert item in ("job=a", "job=b")
    assert release.losses.certainty_penalty == pytest.approx((10 - told) * 3 / 4 / 10)
    assert RandomFlip(4).release(table, Roles(target="y", quasi=["job"])).losses.certainty_penalty is None


def test_items_that_were_dropped_are_lost():
    release = GreedySelector(5).release(*baskets())
    assert release.losses.information_loss == pytest.approx(1 - len(release.features) / 14)
    assert release.losses.groups.diversity.keys() == {"label"}


# -- the limit --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [0.8, 1, {"cells": 0.8}, {"rows": 0.6}, {"rows": 0.6, "cells": 0.8}, None])
def test_a_limit_that_is_obeyed(limit):
    assert suppressed(max_suppressed=limit).verdict.holds


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (0.79, "at most 0.79 of the cells of quasi-identifiers may be suppressed, but 0.8 would be"),
        ({"rows": 0.5}, "at most 0.5 of the rows may be suppressed, but 0.6 would be"),
        ({"rows": 0.5, "cells": 0.1}, "but 0.6 would be and at most 0.1 of the cells"),
        ({"rows": 0.7, "cells": 0.1}, "By 'max_suppressed' at most 0.1 of the cells"),
    ],
)
def test_a_limit_that_is_not_obeyed_is_an_error(limit, said):
    with pytest.raises(CannotRelease, match="Nothing was released") as caught:
        suppressed(max_suppressed=limit)
    assert said in str(caught.value)
    assert "3 of 5 rows wholly suppressed or left out" in str(caught.value)


@pytest.mark.parametrize("limit", [-0.1, 1.5, True, "half", {}, {"columns": 0.5}, {"rows": 2}, {"cells": None}])
def test_what_is_not_a_limit(limit):
    with pytest.raises(ParameterError, match="'max_suppressed' parameter of Suppress must be a float in the range"):
        suppressed(max_suppressed=limit)


def test_mondrian_has_the_limit():
    release = Mondrian(40).release(people(), ROLES)
    loss = release.losses.information_loss
    assert 0 < loss < 1
    assert Mondrian(40, max_suppressed=loss).release(people(), ROLES).verdict.holds
    with pytest.raises(CannotRelease, match="By 'max_suppressed'"):
        Mondrian(40, max_suppressed=loss - 0.01).release(people(), ROLES)
