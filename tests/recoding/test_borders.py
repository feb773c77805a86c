# SPDX-License-Identifier: Apache-2.0
"""Borders are moved to round places, and lose no more than they may."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discreet import Table
from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.recoding.axis import Axis
from discreet.recoding.borders import Borders


def bits(rows):
    """Bits that state the classes of these rows, in plain Python."""
    return -sum(rows.count(label) * math.log2(rows.count(label) / len(rows)) for label in set(rows))


def how_round(border):
    """2 for each power of ten that divides a whole number, 1 more for five times that power."""
    if border == 0:
        return math.inf
    power = 0
    while border % 10 ** (power + 1) == 0:
        power += 1
    return 2 * power + (border % (5 * 10**power) == 0)


def slowly_moved(ages, labels, borders):
    """The borders one after the other at the roundest age between their neighbours, by trying every one."""
    noise = math.log2(len(ages)) / 2
    ends = [min(ages), *borders, max(ages) + 1]
    values = sorted(set(ages))

    def between(low, high):
        return [label for age, label in zip(ages, labels, strict=True) if low <= age < high]

    for i in range(1, len(ends) - 1):
        low, here, high = ends[i - 1], ends[i], ends[i + 1]
        options = []
        for below, above in pairwise(values):
            border = max(range(below + 1, above + 1), key=lambda b: (how_round(b), -abs(2 * b - below - above), -b))
            if not low < border < high or above < low or below >= high:
                continue
            left, right = between(low, border), between(border, high)
            lost = bits(left) + bits(right) - bits(between(low, here)) - bits(between(here, high))
            enough = len(left) >= len(between(low, here)) / 2 and len(right) >= len(between(here, high)) / 2
            if border == here or (left and right and enough and lost <= noise):
                options.append((-how_round(border), round(lost, 9), border))
        ends[i] = min(options)[2]
    return ends[1:-1]


@given(seed=st.integers(0, 10_000), n=st.integers(30, 300), bins=st.integers(2, 8))
@settings(max_examples=40)
def test_borders_are_moved_as_the_slow_twin_moves_them(seed, n, bins):
    rng = np.random.default_rng(seed)
    ages = rng.integers(20, 90, n).tolist()
    labels = (np.array(ages) / 90 + rng.normal(0, 0.3, n) > 0.6).astype(int).tolist()
    assume(len(set(labels)) == 2)
    rows = CodedRows.of(Table.of({"age": ages, "y": labels}), ["age"], target="y")

    def ladder(readable):
        return Ladder.of(Axis.of(rows, "age", rarest=2, by_class=True, readable=readable), bins)

    def borders(ladder, axis):
        return [int(axis.cut(start - 1, start)) for start in ladder.starts[1:-1].tolist()]

    local, moved = ladder(False), ladder(True)
    axis = Axis.of(rows, "age", rarest=2)
    assert borders(moved, axis) == slowly_moved(ages, labels, borders(local, axis))
    assert moved.information[0] >= local.information[0] - len(local.starts) * math.log2(n) / 2 / n


def test_of_many_days_every_first_of_a_month_may_be_a_border():
    """1,000 days are cut into 256 pieces of four: each piece starts at the roundest day in reach, and all days are."""
    days = np.datetime64("2021-01-01") + np.arange(1000)
    table = Table.of({"day": days.astype(str).repeat(2), "y": [0, 1] * 1000})
    axis = Axis.of(CodedRows.of(table, ["day"], target="y"), "day", rarest=2, readable=True)
    borders = Borders.of(axis)
    starts = set(days[borders.starts[1:-1]].astype(str))
    firsts = {str(day) for day in days[1:] if str(day).endswith("-01")}
    assert firsts <= starts
    assert len(starts) < 256
