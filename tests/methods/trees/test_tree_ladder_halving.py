# SPDX-License-Identifier: Apache-2.0
"""Those who are left after the first steps of the climb, cut into halves; and even bins."""

import math
from collections import Counter
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet import Roles, Table, TreeLadder
from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees.label_worth import LabelWorth
from discreet.methods.trees.tree_ladder_choice import WaySearch
from discreet.methods.trees.tree_ladder_halving import halve
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.methods.trees.tree_ladder_ways import Binned, Way
from discreet.recoding.axis import Axis

QUASI = ("age", "town", "pay")


def some_people(n, seed=0):
    random = np.random.default_rng(seed)
    age, pay = random.integers(18, 80, n), np.round(random.lognormal(3, 1, n), 1)
    town = random.choice([*"abcde"], n, p=[0.4, 0.3, 0.15, 0.1, 0.05])
    ill = (random.random(n) < 1 / (1 + np.exp(-(age - 50) / 10))).astype(int)
    return {"age": age.tolist(), "town": town.tolist(), "pay": pay.tolist(), "ill": ill.tolist()}


def binned_of(table, bins=8, *, even=True):
    rows = CodedRows.of(Table.of(table), QUASI, target="ill")
    axes = [Axis.of(rows, name, rarest=2, by_class=not even) for name in QUASI]
    ladders = [Ladder.of(axis, bins, even=even) for axis in axes]
    return Binned.of(rows, ladders, LabelWorth(0.1, np.ones(3)), bins)


def slow_boxes(cells, low, high, least, price):
    """The boxes of cells that are cut further, by trying every cut of every column."""
    boxes, waiting = [], [(list(range(len(cells))), list(low), list(high))]

    def covered(c, first, last):
        return sum(first <= cell[c] <= last for cell in cells)

    while waiting:
        members, low, high = waiting.pop()
        best = None
        for c in range(len(low)):
            for cut in range(low[c], high[c]):
                left = [m for m in members if cells[m][c] <= cut]
                n_right = len(members) - len(left)
                if len(left) < least or n_right < least or not any(cells[m][c] == cut for m in members):
                    continue
                whole = math.log2(covered(c, low[c], high[c]))
                gain = len(left) * (whole - math.log2(covered(c, low[c], cut)))
                gain += n_right * (whole - math.log2(covered(c, cut + 1, high[c])))
                if best is None or gain * price[c] > best[0] + 1e-9:
                    best = gain * price[c], c, cut
        if best is None:
            boxes.append((tuple(low), tuple(high)))
            continue
        _, c, cut = best
        left, right = [m for m in members if cells[m][c] <= cut], [m for m in members if cells[m][c] > cut]
        waiting.append((left, low, [*high[:c], cut, *high[c + 1 :]]))
        waiting.append((right, [*low[:c], cut + 1, *low[c + 1 :]], high))
    return sorted(boxes)


@given(n=st.integers(4, 60), least=st.integers(2, 6), seed=st.integers(0, 99))
def test_the_boxes_equal_their_slow_twins(n, least, seed):
    binned, price = binned_of(some_people(n, seed)), np.array([0.3, 0.5, 0.2])
    rows = binned.rows
    high = np.array([[ladder.n_bins - 1 for ladder in binned.ladders]])
    group = np.zeros(len(rows), dtype=np.int64)
    found = halve(rows.codes, rows.rows, group, np.zeros_like(high), high, least, price)
    ends = found.left < 0
    boxes = zip(found.low[ends].tolist(), found.high[ends].tolist(), strict=True)
    cells = np.repeat(rows.codes, rows.rows, axis=0).tolist()
    slow = slow_boxes(cells, [0, 0, 0], high[0].tolist(), least, price.tolist())
    assert sorted((tuple(low), tuple(high)) for low, high in boxes) == slow


def forced(way):
    return mock.patch.object(WaySearch, "ranked", return_value=[way])


@pytest.mark.parametrize("bins", ["even", "class"])
@pytest.mark.parametrize("strictness", [None, 0.69])
@pytest.mark.parametrize(("most", "climbs"), [(16, 0.0), (4, 0.25), (5, 0.5)])
def test_a_release_by_halving_is_k_anonymous_and_recodes_to_itself(bins, strictness, most, climbs):
    table = some_people(300)
    with forced(Way(7, 20, False, strictness, most, bins, climbs=climbs)):
        release = TreeLadder(7).release(table, Roles(target="ill", quasi=QUASI))
    rows = list(zip(*(release.data.column(name).to_pylist() for name in QUASI), strict=True))
    assert oracles.k_anonymity(rows) >= 7
    assert release.losses.groups.groups > 12
    recoded = release.recode(table).to_arrow().select(QUASI).to_pylist()
    assert Counter(map(str, recoded)) == Counter(map(str, release.data.select(QUASI).to_pylist()))


@pytest.mark.parametrize("climbs", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("seed", range(4))
def test_who_stays_is_finer_than_every_half_that_covers_them(climbs, seed):
    """So the finest pattern that a row fits is its own, which is what new rows are recoded by."""
    binned = binned_of(some_people(400, seed), 4)
    parted = binned.parted(
        Way(5, 30, False, 0.69, 4, climbs=climbs),
        lambda of, n, inside: np.bincount(of, binned.rows.rows[inside], n) >= 5,
    )
    own = list(zip(parted.first.tolist(), parted.last.tolist(), strict=True))
    for cells, (low, high) in zip(binned.rows.codes.tolist(), own, strict=True):
        fits = [
            (first, last)
            for first, last in own
            if all(a <= cell <= b for a, cell, b in zip(first, cells, last, strict=True))
        ]
        for first, last in fits:
            assert all(a <= b for a, b in zip(first, low, strict=True))
            assert all(a >= b for a, b in zip(last, high, strict=True))


def test_halving_after_a_part_of_the_climb_keeps_more_detail_than_the_climb():
    binned = binned_of(some_people(400), 6, even=False)

    def met(of, n, inside):
        return np.bincount(of, binned.rows.rows[inside], n) >= 10

    ways = [Way(10, 10, False, None, 6, climbs=climbs) for climbs in (1.0, 0.5, 0.0)]
    climbed, half, halved = (binned.detail(binned.parted(way, met)) for way in ways)
    assert climbed < half
    assert climbed < halved


def test_a_cut_is_not_made_if_a_side_may_not_be_published():
    binned = binned_of(some_people(200))
    way = Way(5, 5, False, None, 8, "even", climbs=0.0)

    def met(of, n, inside):
        return np.bincount(of, binned.rows.rows[inside], n) >= 30

    parted = binned.parted(way, met)
    sizes = np.bincount(np.unique(parted.labels, axis=0, return_inverse=True)[1].ravel(), binned.rows.rows)
    assert sizes.min() >= 30
    assert len(sizes) > 2


def test_k_between_two_sizes_of_the_series_is_kept_to_itself():
    """11 is between 10 and 15: what is tried has sets of 15, what is published sets of 11."""
    table = some_people(400)
    with mock.patch.object(
        WaySearch, "ranked", lambda search: [Way(search.size, 15, False, None, 16, "even", climbs=0.0)]
    ):
        release = TreeLadder(11).release(table, Roles(target="ill", quasi=QUASI))
    assert 11 <= release.verdict.measured < 15


def test_even_bins_have_about_as_many_rows_whatever_their_class():
    table = some_people(2000)
    rows = binned_of(table, 8).rows
    shares = np.bincount(rows.codes[:, 2], rows.rows) / 2000
    assert shares.max() < 0.25
    assert len(shares) == 8
    other = binned_of(table | {"ill": table["ill"][::-1]}, 8).rows
    assert (np.bincount(other.codes[:, 2], other.rows) == np.bincount(rows.codes[:, 2], rows.rows)).all()


def test_who_does_not_recode_reads_the_narrowest_label():
    binned = binned_of(some_people(300))
    parted = binned.parted(Way(5, 5, False, None, 8), lambda of, n, i: np.bincount(of, binned.rows.rows[i], n) >= 5)
    read, width = binned.unrecoded(parted), int(parted.last.max()) + 1
    for c in range(3):
        spans = {(int(a), int(b)) for a, b in zip(parted.first[:, c], parted.last[:, c], strict=True)}
        for cell, label in zip(binned.rows.codes[:, c].tolist(), read[:, c].tolist(), strict=True):
            first, last = divmod(label, width)
            assert (first, last) in spans
            assert last - first == min(b - a for a, b in spans if a <= cell <= b)
