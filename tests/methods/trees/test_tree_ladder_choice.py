# SPDX-License-Identifier: Apache-2.0
"""The choice of the way, and that of the size of groups of Mondrian."""

from itertools import pairwise
from unittest import mock

import numpy as np
import pytest

from discreet import Mondrian, Roles, Table, TreeLadder
from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees import held_out_rows, tree_ladder_choice
from discreet.methods.trees.label_worth import LabelWorth
from discreet.methods.trees.tree_ladder_choice import TREES, Trials, WaySearch, at_least, decade_of
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_ways import Way
from discreet.recoding.axis import Axis


def rows_of(columns, label):
    table = Table.of({**columns, "y": label})
    return CodedRows.of(table, [*columns], target="y")


def ladders(rows, rarest, bins):
    even = bins == "even"
    axes = [Axis.of(rows, c.name, rarest=rarest, by_class=not even) for c in rows.columns]
    return [Ladder.of(axis, 16, even=even) for axis in axes]


def trials_of(columns, label, detail=0.1):
    rows = rows_of(columns, label)
    return Trials(rows, ladders, LabelWorth(detail, np.ones(len(columns))))


def noisy(seed, n=900):
    random = np.random.default_rng(seed)
    cells = random.integers(0, 12, (4, n))
    label = random.random(n) < 1 / (1 + np.exp(-0.4 * (cells[0] + cells[1] - 11)))
    return {f"c{j}": cells[j].tolist() for j in range(4)}, label.astype(int).tolist()


def test_the_series_of_sizes_is_the_same_from_wherever_it_is_begun():
    """Slow twin: ten, fifteen, twenty and so on times each power of ten, and five small ones."""
    steps = [2, 3, 4, 5, 7] + [step * 10**p for p in (0, 1, 2) for step in (10, 15, 20, 25, 30, 40, 50, 75)]
    for least in range(2, 5001):
        assert at_least(least) == min(size for size in steps if size >= least)
        assert decade_of(least) == max(size for size in (2, 5, 50, 500, 5000) if size <= least)


def test_what_is_tried_for_a_larger_k_is_tried_for_every_smaller_one():
    trials = trials_of(*noisy(0, 400))
    tried = [set(WaySearch(trials, k).ranked()) for k in (2, 3, 7, 9, 14, 26, 55, 90, 199)]
    assert all(larger <= smaller for smaller, larger in pairwise(tried))
    assert len(tried[-1]) < len(tried[0])


@pytest.mark.parametrize("seed", range(2))
def test_a_smaller_k_is_never_worth_less(seed):
    """Each k by trials of its own: what they find of a way must not depend on k."""
    columns, label = noisy(seed, 500)
    columns["town"] = [f"t{min(v, 40)}" for v in np.random.default_rng(seed).geometric(0.08, 500)]  # many are rare
    roles = Roles(target="y", quasi=[*columns])
    worth = []
    for k in (2, 7, 11, 30, 47, 110, 250, 400):
        release = TreeLadder(k).release({**columns, "y": label}, roles)
        assert release.verdict.holds
        worth.append(max(line["worth"] for line in release.owner.trace if "worth" in line))
    assert all(smaller >= larger for smaller, larger in pairwise(worth))
    assert worth[0] > worth[-1]


def test_the_best_ways_of_a_large_table_are_tried_on_all_folds(monkeypatch):
    """Enough rows are asked about on one fold; whatever k is, the same is found of a way, and the best was settled."""
    monkeypatch.setattr(held_out_rows, "_ASKED", 150)
    columns, label = noisy(4, 600)
    folds, worth = [], []
    for k in (2, 4, 9, 26, 60, 150):
        trials = trials_of(columns, label)
        ranked = WaySearch(trials, k).ranked()
        folds.append([len(trials._found[way]) for way in ranked])
        worth.append(trials.worth(ranked[0]))
        settled = [way for way in ranked if len(trials._found[way]) == 3]
        assert ranked[: len(settled)] == settled
        assert worth[-1] == max(map(trials.worth, settled))
    assert all(smaller >= larger for smaller, larger in pairwise(worth))
    assert 3 * folds[0].count(3) < len(folds[0])


def test_blank_columns_are_revived_at_k_if_that_is_worth_it():
    """Sets of two tell nothing of the class, and a little of the column: what detail counts decides."""
    columns, label = noisy(5, 400)
    for detail, revived in ((1.0, True), (0.0, False)):
        trials = trials_of(columns, label, detail)
        way = Way(100, 100, False, 0.0, 16)
        trials.worth(way)
        assert trials.revives(way, 100)  # as it was tried
        assert trials.revives(way, 2) == revived


def test_a_way_that_is_far_behind_is_not_asked_about_again(monkeypatch):
    """Of what is dropped, the worth is an estimate below the best; what is chosen stays the same."""
    columns, label = noisy(3, 1200)
    asked = []
    for behind in (tree_ladder_choice.BEHIND, 10.0):
        monkeypatch.setattr(tree_ladder_choice, "BEHIND", behind)
        trials = trials_of(columns, label)
        made = mock.patch.object(trials, "_tried", wraps=trials._tried)
        with made as tried:
            best = WaySearch(trials, 5).ranked()[0]
        asked.append((best, tried.call_count))
    assert asked[0][0] == asked[1][0]
    assert asked[0][1] < 0.9 * asked[1][1]


def test_every_way_is_tried_at_the_usual_sizes_of_a_small_table():
    trials = trials_of(*noisy(0, 400))
    ways = WaySearch(trials, 2).ranked()
    for size in (2, 5, 10, 25, 50, 100):
        assert {(way.ahead, way.strictness) for way in ways if way.least == way.trust == size} >= {*TREES}


def test_columns_that_matter_together_are_found_by_looking_ahead():
    random = np.random.default_rng(2)
    cells = random.integers(0, 2, (6, 800))
    label = (cells[1] ^ cells[4]) ^ (random.random(800) < 0.05)
    trials = trials_of({f"c{j}": [f"v{v}" for v in cells[j]] for j in range(6)}, label.tolist())
    best = WaySearch(trials, 10).ranked()[0]
    assert best.ahead
    assert trials.known_and_detail(best)[0] > 0.3


def test_a_class_of_chance_leaves_the_choice_to_detail():
    columns, label = noisy(0)
    label = np.random.default_rng(1).permutation(label).tolist()
    trials = trials_of(columns, label)
    ranked = WaySearch(trials, 5).ranked()
    details = [trials.known_and_detail(way)[1] for way in ranked]
    assert details[0] >= max(details) - 0.02
    assert ranked[0].least == 5


def test_a_trust_that_is_given_holds_for_every_tree():
    trials = trials_of(*noisy(1))
    assert all(way.trust >= 50 for way in WaySearch(trials, 3, trust=50).ranked() if way.strictness is not None)


def test_the_choice_does_not_depend_on_the_order_of_rows():
    columns, label = noisy(2, 300)
    order = np.random.default_rng(0).permutation(300)
    again = {name: [cells[i] for i in order] for name, cells in columns.items()}
    first, second = trials_of(columns, label), trials_of(again, [label[i] for i in order])
    assert WaySearch(first, 4).ranked()[0] == WaySearch(second, 4).ranked()[0]


def accuracy_of(release, columns, label):
    """Of the commonest class of each published row, on new rows."""
    names = [*columns]
    learnt = {}
    for row in release.data.to_pylist():
        learnt.setdefault(tuple(row[name] for name in names), []).append(row["y"])
    common = {cells: max(sorted(set(found)), key=found.count) for cells, found in learnt.items()}
    written = release.recode(columns).to_arrow().select(names).to_pylist()
    said = [common[tuple(row[name] for name in names)] for row in written]
    return np.mean([int(a) == b for a, b in zip(said, label, strict=True)])


def test_noise_is_not_followed_where_k_is_small():
    """The groups of information Mondrian with k = 2 follow chance; what is chosen on held-out rows does not."""
    (columns, label), (other, truth) = noisy(5, 1500), noisy(6, 1500)
    roles = Roles(target="y", quasi=[*columns])
    chosen = accuracy_of(Mondrian(2, split="information").release({**columns, "y": label}, roles), other, truth)
    smallest = accuracy_of(
        Mondrian(2, split="information", least=2).release({**columns, "y": label}, roles), other, truth
    )
    assert chosen > smallest + 0.02


def test_groups_of_mondrian_have_the_size_that_is_asked():
    columns, label = noisy(3)
    roles = Roles(target="y", quasi=[*columns])
    for split in ("median", "information"):
        release = Mondrian(3, split=split, least=40).release({**columns, "y": label}, roles)
        assert release.verdict.measured >= 40
    assert Mondrian(3).release(columns, Roles(quasi=[*columns])).verdict.measured >= 3


def test_a_release_with_half_of_its_cells_blank_says_what_to_ask_for():
    """Of many columns that tell nothing and a few rows, hardly anything is left at k = 20."""
    random = np.random.default_rng(3)
    columns = [*"abcdefghij"]
    table = {name: random.normal(size=120).round(2).tolist() for name in columns}
    table["y"] = [int(a > 0) for a in table["a"]]
    roles = Roles(target="y", quasi=columns)
    release = TreeLadder(20).release(table, roles)
    assert release.losses.information_loss > 0.5
    assert [note for note in release.owner.notes if "--max-suppressed 0.5" in note]
    fewer = TreeLadder(2, max_suppressed=0.5).release(table, roles)
    assert fewer.losses.information_loss <= 0.5
    assert not fewer.owner.notes
