# SPDX-License-Identifier: Apache-2.0
import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet.counting.bitmaps import Patterns, lowest_bit, popcount


@st.composite
def baskets(draw, most_rows=14, most_items=7):
    n, d = draw(st.integers(1, most_rows)), draw(st.integers(1, most_items))
    return [draw(st.sets(st.integers(0, d - 1))) for _ in range(n)], d


def rows_of(rows, item):
    return np.array([i for i, row in enumerate(rows) if item in row], dtype=np.int32)


@pytest.mark.parametrize("constraint", ["containment", "k-anonymity"])
@given(found=baskets(), data=st.data())
def test_the_incremental_check_equals_the_definition(constraint, found, data):
    rows, d = found
    k = data.draw(st.integers(2, 5))
    persons = data.draw(st.one_of(st.none(), st.lists(st.integers(0, 6), min_size=len(rows), max_size=len(rows))))
    patterns = Patterns(len(rows), None if persons is None else np.array(persons))
    keeps = patterns.keeps_containment if constraint == "containment" else patterns.keeps_k_anonymity
    if not oracles.is_feasible(rows, [], k, constraint, persons):
        return  # the check is for a further item on top of a feasible set
    selected = []
    for item in data.draw(st.permutations(range(d))):
        mine = rows_of(rows, item)
        expected = oracles.is_feasible(rows, [*selected, item], k, constraint, persons)
        assert keeps(mine, k) == expected
        if expected:
            patterns.add(mine)
            selected.append(item)


def test_more_than_64_items_fit():
    rows = [set(range(130)), set(range(130)), {129}, {129}, {0, 64, 128}, {0, 64, 128}]
    patterns = Patterns(len(rows))
    for item in range(130):
        assert patterns.keeps_containment(rows_of(rows, item), 2) == oracles.is_feasible(
            rows, range(item + 1), 2, "containment"
        )
        patterns.add(rows_of(rows, item))
    assert patterns.partition.n_groups == 3
    assert not patterns.keeps_containment(np.array([0, 4], dtype=np.int32), 3)


def test_many_patterns_fill_more_than_one_word():
    """200 different patterns together with one item: the last word of the bitmap is only partly used."""
    rng = np.random.default_rng(5)
    matrix = rng.random((400, 12)) < 0.5
    rows = [set(np.flatnonzero(row)) for row in matrix]
    for k in (2, 5, 20, 60):
        patterns, selected = Patterns(len(rows)), []
        for item in range(12):
            expected = oracles.is_feasible(rows, [*selected, item], k, "containment")
            assert patterns.keeps_containment(rows_of(rows, item), k) == expected
            if expected:
                patterns.add(rows_of(rows, item))
                selected.append(item)


def test_bit_intrinsics():
    @numba.njit
    def both(word):
        return popcount(word), lowest_bit(word)

    for number in (1, 2, 0b101000, 2**63, 2**64 - 1):
        assert both(np.uint64(number)) == (number.bit_count(), (number & -number).bit_length() - 1)


@given(found=baskets(), data=st.data())
def test_sets_are_the_patterns_of_the_rows(found, data):
    rows, d = found
    patterns, selected = Patterns(len(rows)), data.draw(st.permutations(range(d)))
    for item in selected:
        patterns.add(rows_of(rows, item))
    chosen = sorted(data.draw(st.sets(st.integers(0, len(rows) - 1), min_size=1)))
    number, (row_start, row_items, item_start, item_rows) = patterns.sets(np.array(chosen))
    for row, mine in zip(chosen, number, strict=True):
        assert {selected[i] for i in row_items[row_start[mine] : row_start[mine + 1]]} == rows[row]
        for place, item in enumerate(selected):
            assert (mine in item_rows[item_start[place] : item_start[place + 1]]) == (item in rows[row])
