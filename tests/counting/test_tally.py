# SPDX-License-Identifier: Apache-2.0
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.counting import tally as counting
from discreet.counting.pair_windows import counted_in_windows
from discreet.counting.partition import Partition
from discreet.counting.tally import (
    distinct_codes,
    group,
    group_sizes,
    grouped,
    pair_counts,
    persons_per_group,
    row_order,
    tally,
)
from discreet.data.baskets import Baskets
from discreet.data.table import Table

cells = st.one_of(st.none(), st.sampled_from("abc"))
rows = st.lists(st.tuples(cells, cells, st.one_of(st.none(), st.integers(0, 3))), min_size=1, max_size=30)


def as_table(found, persons=None, labels=None):
    columns = {name: [row[i] for row in found] for i, name in enumerate("xyz")}
    if persons is not None:
        columns["person"] = persons
    if labels is not None:
        columns["label"] = labels
    return Table.of(columns)


@given(rows, st.data())
def test_tally_equals_brute_force_with_missing_values(found, data):
    persons = data.draw(st.lists(st.integers(0, 5), min_size=len(found), max_size=len(found)))
    labels = data.draw(st.lists(st.sampled_from("pqr"), min_size=len(found), max_size=len(found)))
    table = as_table(found, persons, labels)
    counted = tally(table, ["x", "y", "z"], target="label", person="person")
    columns, classes = table.columns("xyz"), sorted(set(labels))
    seen = {}
    for line, codes in enumerate(counted.codes):
        values = tuple((*column.values.to_pylist(), None)[code] for column, code in zip(columns, codes, strict=True))
        seen[values] = (counted.counts[line].tolist(), counted.sizes[line])
    expected = {}
    for values in set(found):
        mine = [i for i, row in enumerate(found) if row == values]
        counts = [sum(labels[i] == c for i in mine) for c in classes]
        expected[values] = (counts, len({persons[i] for i in mine}))
    assert seen == expected
    assert [tuple(counted.codes[g]) for g in counted.group_of_row] == [
        tuple(int(column.codes[i]) for column in columns) for i in range(len(found))
    ]


@given(rows)
def test_distinct_rows_are_in_lexicographic_order(found):
    codes = tally(as_table(found), ["x", "y", "z"]).codes.tolist()
    assert codes == sorted(codes)


@given(rows, st.randoms(use_true_random=False))
def test_row_order_does_not_matter(found, random):
    shuffled = found.copy()
    random.shuffle(shuffled)
    one, other = (tally(as_table(rows_), ["x", "y", "z"]) for rows_ in (found, shuffled))
    assert one.codes.tolist() == other.codes.tolist()
    assert one.counts.tolist() == other.counts.tolist()


@given(st.lists(st.lists(st.integers(0, 2**30), min_size=5, max_size=5), min_size=1, max_size=50))
def test_many_levels_do_not_overflow(found):
    """Five columns of 2**30 levels have more combinations than a 64-bit key can number."""
    codes = np.array(found, dtype=np.int64)
    groups, first = group(list(codes.T), len(codes), [2**30 + 1] * 5)
    distinct = sorted(map(tuple, set(map(tuple, found))))
    assert [tuple(codes[row]) for row in first] == distinct
    assert [distinct[g] for g in groups] == list(map(tuple, found))


def test_numbering_survives_growth_of_the_table():
    key = np.concatenate([np.arange(5000), np.arange(5000)[::-1]])
    groups, first = group([key], len(key))
    assert (groups == key).all()
    assert (first == np.arange(5000)).all()


def test_no_columns_make_one_group():
    assert group([], 3)[0].tolist() == [0, 0, 0]
    assert group_sizes([], 3).tolist() == [3]


def test_persons_count_once_per_group():
    assert persons_per_group(np.array([0, 0, 1, 1]), 2, np.array([7, 7, 7, 8])).tolist() == [1, 2]


@given(st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=20))
def test_partition_groups_equal_baskets(found):
    matrix = np.array([[item in row for item in range(6)] for row in found], dtype=int)
    partition = Partition.of(Baskets.of(matrix))
    groups = partition.group_of_row
    for i, one in enumerate(found):
        for j, other in enumerate(found):
            assert (groups[i] == groups[j]) == (one == other)
    assert partition.sizes.tolist() == np.bincount(groups).tolist()
    assert [groups[row] for row in partition.first_rows()] == list(range(partition.n_groups))


def test_unknown_column_is_named_with_the_nearest():
    from discreet.errors import DataError

    with pytest.raises(DataError, match="Did you mean 'zip_code'"):
        tally({"zip_code": [1, 2]}, ["zipcode"])


def test_codes_that_are_far_apart_do_not_overflow():
    rng = np.random.default_rng(0)
    wide = [rng.integers(0, 50, 4000) * (2**61 // 50) for _ in range(3)]
    groups, first = group(wide, 4000)
    rows = list(zip(*(codes.tolist() for codes in wide), strict=True))
    numbers = {row: place for place, row in enumerate(sorted(set(rows)))}
    assert groups.tolist() == [numbers[row] for row in rows]
    assert [rows[place] for place in first] == sorted(numbers)


@given(st.lists(st.integers(0, 2**62), max_size=40), st.integers(0, 3))
def test_few_keys_get_the_numbers_that_the_kernel_gives(keys, copies):
    key = np.array(keys * (copies + 1), dtype=np.int64)
    for mine, theirs in zip(counting._sorted(key), counting._hashed(key), strict=True):
        assert mine.tolist() == theirs.tolist()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), max_size=40))
def test_distinct_codes_and_the_order_of_rows_are_those_of_a_sort(found):
    columns = [np.array([row[c] for row in found], dtype=np.int64) for c in range(3)]
    codes, place = distinct_codes(columns, len(found), [4, 3, 2])
    assert list(map(tuple, codes.tolist())) == sorted(set(found))
    assert [tuple(codes[p].tolist()) for p in place] == found
    order = row_order(iter(columns), len(found), [4, 3, 2])
    assert order.tolist() == sorted(range(len(found)), key=found.__getitem__)


def test_baskets_are_grouped_item_by_item_once():
    rng = np.random.default_rng(3)
    baskets = Baskets.of((rng.random((300, 7)) < 0.4).astype(int))
    groups, first = grouped(baskets, baskets.names, ordered=False)
    assert grouped(baskets, baskets.names[::-1], ordered=False)[0] is groups
    in_order, _ = grouped(baskets, baskets.names)
    rows = baskets.matrix.toarray()
    assert len(first) == len(set(zip(groups.tolist(), in_order.tolist(), strict=True))) == len(np.unique(rows, axis=0))
    assert (rows[first][groups] == rows).all()


@pytest.mark.parametrize("spread", [1, 10**6])  # few possible pairs, which are all counted, and many, which are sorted
def test_pairs_are_counted_in_order_with_and_without_weights(spread):
    random = np.random.default_rng(3)
    a, b, weights = random.integers(0, 5, 300) * spread, random.integers(0, 7, 300), random.integers(0, 9, 300)
    by_hand = {}
    for pair, weight in zip(zip(a.tolist(), b.tolist(), strict=True), weights.tolist(), strict=True):
        rows, total = by_hand.get(pair, (0, 0))
        by_hand[pair] = rows + 1, total + weight
    for place, weight in enumerate((None, weights)):
        found = zip(*(part.tolist() for part in pair_counts(a, b, weight)), strict=True)
        assert list(found) == [(*pair, by_hand[pair][place]) for pair in sorted(by_hand)]


@given(seed=st.integers(0, 10**6), n=st.integers(1, 300), weighted=st.booleans())
def test_pairs_in_windows_are_those_that_are_sorted(seed, n, weighted):
    random = np.random.default_rng(seed)
    a = random.integers(0, 40, n)
    b = (37 * a + random.integers(0, 4, n)).astype(np.uint16)
    weights = random.integers(1, 9, n) if weighted else None
    found = counted_in_windows(a, b, weights, most=10**4)
    expected = Counter()
    for pair, rows in zip(
        zip(a.tolist(), b.tolist(), strict=True), [1] * n if weights is None else weights.tolist(), strict=True
    ):
        expected[pair] += rows
    assert found is not None
    pairs = list(zip(*(part.tolist() for part in found[:2]), strict=True))
    assert pairs == sorted(expected)
    assert found[2].tolist() == [expected[pair] for pair in pairs]
    assert counted_in_windows(a, b, weights, most=len(pairs) - 1) is None
    assert counted_in_windows(a, b, np.zeros(n, dtype=np.int64), most=10**4) is None
