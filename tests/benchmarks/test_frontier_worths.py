# SPDX-License-Identifier: Apache-2.0
"""Other forms of TreeLadder's worth choose as they say, among ways that are tried as the method tries them."""

from unittest.mock import patch

import numpy as np
from benchmarks.frontier.constants import measured
from benchmarks.frontier.protocol import Split
from benchmarks.frontier.worths import FORMS, KEPT, NOW, Tried, best_by, most_detail, ways_tried

from discreet import Roles, Table, TreeLadder
from discreet.methods.trees.tree_ladder_choice import WaySearch
from discreet.methods.trees.tree_ladder_ways import Way


def tried(least, known, detail, suppressed):
    return Tried(Way(least, least, False, None, 16), known, detail, suppressed, slope=0.1, noise=0.01)


FULL, EMPTY, MIDDLE = tried(2, 0.20, 0.60, 0.0), tried(5, 0.25, 0.05, 0.9), tried(10, 0.24, 0.10, 0.5)
WAYS = [FULL, EMPTY, MIDDLE]


def test_detail_that_is_worth_more_and_charges_for_suppressed_cells_leave_an_empty_release():
    assert best_by()(WAYS) == FULL
    assert best_by(0.5)(WAYS) == EMPTY
    assert best_by(0.5, beyond=1.0)(WAYS) == MIDDLE
    assert best_by(0.5, one=1.0)(WAYS) == FULL


def test_a_root_prefers_the_first_tenth_of_detail():
    little, none = tried(2, 0.20, 0.10, 0.0), tried(2, 0.23, 0.0, 0.0)
    assert best_by()([little, none]) == none
    assert best_by(root=True)([little, none]) == little


def test_most_detail_is_taken_of_those_that_are_near_the_best():
    assert most_detail(0.5)(WAYS) == EMPTY
    assert most_detail(1.0)(WAYS) == MIDDLE
    assert most_detail(5.0)(WAYS) == FULL


def test_as_it_is_chooses_what_the_method_does_and_knows_what_ways_suppress():
    random = np.random.default_rng(0)
    cells = random.integers(0, 9, (3, 200))
    label = (cells[0] + random.integers(0, 5, 200) > 6).astype(int)
    table = Table.of({f"c{j}": cells[j].tolist() for j in range(3)} | {"y": label.tolist()})
    rows, chosen = Split.of(table, Roles(target="y", quasi=["c0", "c1", "c2"])), []
    ways, search = ways_tried(5, rows), WaySearch.ranked
    with patch.object(WaySearch, "ranked", lambda self: chosen.append(search(self)) or chosen[-1]):
        TreeLadder(5, random_state=0).release(rows.train, rows.roles)
    assert FORMS[NOW](ways).way == chosen[0][0]
    assert max(way.suppressed for way in ways) > 0.5 > min(way.suppressed for way in ways)
    assert all(way.detail < 0.3 for way in ways if way.suppressed > 0.8)


def test_what_is_kept_is_of_every_form():
    assert all({*found} == {*FORMS} for found in measured(KEPT).values())
