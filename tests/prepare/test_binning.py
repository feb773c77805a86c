# SPDX-License-Identifier: Apache-2.0
import datetime
import math
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.data.column import SUPPRESSED, encode
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.prepare.binning import Binning, equal_frequency_cuts, equal_width_cuts, mdl_cuts

# -- the slow twin: the paper's text, on a list of (value, class) ---------------------------------------------------


def entropy(rows):
    n = len(rows)
    return -sum(c / n * math.log2(c / n) for c in Counter(y for _, y in rows).values())


def textbook_cuts(rows):
    """All cuts of rows = [(value, class)], sorted by value, as values: x < cut goes left."""
    values = sorted({x for x, _ in rows})
    candidates = []
    for cut in values[1:]:
        left, right = [r for r in rows if r[0] < cut], [r for r in rows if r[0] >= cut]
        e = (len(left) * entropy(left) + len(right) * entropy(right)) / len(rows)
        candidates.append((e, cut, left, right))
    if not candidates:
        return []
    least = min(e for e, *_ in candidates)
    e, cut, left, right = next(c for c in candidates if c[0] <= least + 1e-9)
    k, k1, k2 = (len({y for _, y in part}) for part in (rows, left, right))
    delta = math.log2(3**k - 2) - (k * entropy(rows) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(rows) - e <= (math.log2(len(rows) - 1) + delta) / len(rows) + 1e-11:
        return []
    return [*textbook_cuts(left), cut, *textbook_cuts(right)]


def counted(rows):
    values = sorted({x for x, _ in rows})
    counts = np.zeros((len(values), 1 + max(y for _, y in rows)), dtype=int)
    for x, y in rows:
        counts[values.index(x), y] += 1
    return values, counts


runs = st.lists(st.tuples(st.integers(0, 2), st.integers(1, 12)), min_size=1, max_size=8)
noise = st.lists(st.tuples(st.integers(0, 15), st.integers(0, 3)), max_size=12)


@given(runs, noise)
@settings(max_examples=400)
def test_mdl_cuts_equal_the_textbook(blocks, extra):
    rows = [(x, y) for x, (y, times) in enumerate(blocks) for _ in range(times)]
    rows = sorted([*rows, *extra])
    values, counts = counted(rows)
    assert [values[p] for p in mdl_cuts(values, counts)] == textbook_cuts(rows)


@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 1)), min_size=1, max_size=60))
@settings(max_examples=200)
def test_mdl_cuts_equal_the_textbook_where_classes_depend_on_the_value(rows):
    rows = sorted((x, int(x > 15) if x % 5 else y) for x, y in rows)
    values, counts = counted(rows)
    assert [values[p] for p in mdl_cuts(values, counts)] == textbook_cuts(rows)


def test_a_clean_change_of_class_is_cut_and_noise_is_not():
    # six rows of each class: gain 1 bit; cost (log2 11 + log2 7 - 2) / 12 = (3.46 + 2.81 - 2) / 12 = 0.36 bits
    assert mdl_cuts([1, 2], [[6, 0], [0, 6]]) == [1]
    assert mdl_cuts([1, 2], [[6, 6], [6, 6]]) == []
    assert mdl_cuts([1, 2, 3], [[9, 0], [9, 0], [9, 0]]) == []
    assert mdl_cuts([], np.zeros((0, 2), int)) == []


def test_values_without_rows_change_nothing():
    assert mdl_cuts([1, 2, 3, 4], [[6, 0], [0, 0], [0, 6], [0, 0]]) == [2]


def test_many_classes_do_not_overflow():
    counts = np.kron(np.eye(700, dtype=int), np.ones((1, 1), int)) * 1000
    cuts = mdl_cuts(np.arange(700.0), counts)
    assert len(cuts) == 699


@given(runs, st.integers(2, 5))
def test_mdl_cuts_do_not_depend_on_the_names_of_the_classes(blocks, shift):
    rows = [(x, y) for x, (y, times) in enumerate(blocks) for _ in range(times)]
    values, counts = counted(rows)
    renamed = np.roll(np.pad(counts, ((0, 0), (0, shift))), shift, axis=1)
    assert mdl_cuts(values, counts) == mdl_cuts(values, renamed)


@pytest.mark.parametrize(("numbers", "counts"), [([2, 1], [[1], [1]]), ([1], [[1], [1]]), ([1, 1], [[1], [1]])])
def test_numbers_must_increase_with_a_row_each(numbers, counts):
    with pytest.raises(DataError):
        mdl_cuts(np.array(numbers), np.array(counts))


def test_a_hundred_thousand_noisy_values_are_cut_where_the_class_turns():
    y = np.arange(100_000) // 10_000 % 2
    seen = np.where(np.random.default_rng(0).random(100_000) < 0.2, 1 - y, y)
    cuts = np.array(mdl_cuts(np.arange(100_000.0), np.eye(2, dtype=int)[seen]))
    for turn in range(10_000, 100_000, 10_000):
        assert np.abs(cuts - turn).min() < 50


# -- cuts at equal counts and widths -------------------------------------------------------------------------------


def column(values):
    return encode("x", pa.array(values))


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=60), st.integers(1, 12))
def test_equal_frequency_bins_are_never_empty_and_at_most_as_many_as_asked(values, bins):
    cuts = equal_frequency_cuts(column(values), bins)
    sizes = np.bincount(np.searchsorted(cuts, values, side="right"), minlength=len(cuts) + 1)
    assert len(sizes) == len(cuts) + 1 <= bins
    assert sizes.all()


def test_equal_frequency_bins_are_equal_where_values_differ():
    cuts = equal_frequency_cuts(column(list(range(100))), 4)
    assert np.bincount(np.searchsorted(cuts, range(100), side="right")).tolist() == [25] * 4


def test_a_heavy_value_does_not_swallow_the_others():
    assert equal_frequency_cuts(column([0] * 90 + list(range(1, 11))), 10) == (1.0,)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40, unique=True), st.integers(1, 12))
def test_equal_width_cuts_are_nearly_equally_far_apart(values, bins):
    cuts = equal_width_cuts(column(values), bins)
    low, high = min(values), max(values)
    width = (high - low) / bins
    if not all(float(v).is_integer() for v in values) and width > 1e-9:
        assert len(cuts) == bins - 1
        for j, cut in enumerate(cuts, start=1):
            assert abs(cut - (low + j * width)) <= width / 49


def test_a_constant_column_has_no_cuts():
    assert equal_width_cuts(column([7, 7]), 5) == equal_frequency_cuts(column([7, 7]), 5) == ()


@pytest.mark.parametrize("bins", [0, -1, 2.5, True, "3"])
def test_the_number_of_bins_is_checked(bins):
    for cut in (equal_frequency_cuts, equal_width_cuts):
        with pytest.raises(DataError, match="whole number"):
            cut(column([1, 2, 3]), bins)


# -- Binning -------------------------------------------------------------------------------------------------------


def people():
    return Table.of(
        {
            "age": [20, 25, 30, None, 50, 60, 61, 62] * 5,
            "seen": [datetime.date(2020, 1, d) for d in (1, 2, 3, 4, 25, 26, 27, 28)] * 5,
            "sex": ["f", "m", None, "f", "f", "m", "m", "f"] * 5,
            "ill": ["no", "no", "no", "no", "yes", "yes", "yes", "yes"] * 5,
        }
    )


def test_learnt_cuts_are_where_the_class_changes():
    binning = Binning.fit(people(), ["age", "seen", "sex"], target="ill")
    assert binning.cuts["age"] == (40.0,)
    assert binning.labels("seen") == ("< 2020-01-14", ">= 2020-01-14")
    assert set(binning.cuts) == {"age", "seen"}


def test_missing_stays_missing_and_categories_stay_as_they_are():
    binned = Binning.fit(people(), ["age", "sex"], target="ill").apply(people())
    assert binned.column("age").to_arrow().to_pylist()[:5] == ["< 40", "< 40", "< 40", None, ">= 40"]
    assert binned.column("sex").to_arrow() == people().column("sex").to_arrow()
    assert binned.names == people().names


def test_new_rows_with_unseen_values_fall_in_an_interval():
    binning = Binning.fit(people(), ["age"], target="ill")
    new = Table.of({"age": [-3, 39.5, 40, 999, None]})
    assert binning.apply(new).column("age").to_arrow().to_pylist() == ["< 40", "< 40", ">= 40", ">= 40", None]


def test_new_rows_that_are_all_missing_stay_missing():
    binning = Binning.fit(people(), ["age"], target="ill")
    assert binning.apply(Table.of({"age": pa.array([None, None])})).column("age").to_arrow().to_pylist() == [None, None]


def test_a_column_without_cuts_is_suppressed_except_where_missing():
    table = Table.of({"x": [1, 2, 3, None], "y": ["a", "b", "a", "b"]})
    binned = Binning.fit(table, ["x"], target="y").apply(table)
    assert binned.column("x").to_arrow().to_pylist() == [SUPPRESSED] * 3 + [None]


def test_rows_with_a_missing_target_teach_nothing():
    table = Table.of({"x": [1] * 8 + [9] * 8 + [5] * 9, "y": ["a"] * 8 + ["b"] * 8 + [None] * 9})
    assert Binning.fit(table, ["x"], target="y").cuts["x"] == (5.0,)


def test_given_cuts_win_over_learnt_ones():
    binning = Binning.fit(people(), ["age", "seen"], target="ill", cuts={"age": [30, 60], "seen": ["2020-01-10"]})
    assert binning.labels("age") == ("< 30", "[30, 60)", ">= 60")
    assert binning.labels("seen") == ("< 2020-01-10", ">= 2020-01-10")
    same = Binning.fit(people(), ["seen"], cuts={"seen": [datetime.date(2020, 1, 10)]})
    assert same.cuts["seen"] == binning.cuts["seen"] == (18271.0,)


@given(
    st.lists(st.one_of(st.none(), st.floats(-100, 100), st.integers(-5, 5)), min_size=1, max_size=30),
    st.lists(st.floats(-50, 50), max_size=5, unique=True).map(sorted),
)
def test_every_value_lies_in_the_interval_that_is_written(values, cuts):
    table = Table.of({"x": pa.array(values, pa.float64()), "other": ["a"] * len(values)}, kinds={"x": "number"})
    labels = Binning.fit(table, ["x"], cuts={"x": cuts}).apply(table).column("x").to_arrow().to_pylist()
    for value, label in zip(values, labels, strict=True):
        if value is None:
            assert label is None
        elif label.startswith("<"):
            assert value < float(label[2:])
        elif label.startswith(">="):
            assert value >= float(label[3:])
        elif label != SUPPRESSED:
            low, high = map(float, label[1:-1].split(", "))
            assert low <= value < high


@pytest.mark.parametrize("method", ["frequency", "width"])
def test_other_methods_need_no_target(method):
    binning = Binning.fit(people(), ["age", "seen"], method=method, bins=3)
    assert len(binning.cuts["age"]) == len(binning.cuts["seen"]) == 2


def test_moments_that_a_double_cannot_tell_apart_can_be_binned():
    moments = [datetime.datetime(9000, 1, 1, 8, 0, 0, i) for i in range(20)]
    table = Table.of({"x": moments, "y": ["a", "b"] * 10})
    assert len(np.unique(table.column("x").numbers)) < table.column("x").levels
    for method in ("mdl", "frequency", "width"):
        binned = Binning.fit(table, ["x"], target="y", method=method, bins=4).apply(table)
        assert 1 <= binned.column("x").levels <= 4


def test_order_of_rows_does_not_matter():
    table = people()
    shuffled = table.take(np.random.default_rng(1).permutation(len(table)))
    for method in ("mdl", "frequency", "width"):
        fits = [Binning.fit(t, ["age", "seen"], target="ill", method=method, bins=3) for t in (table, shuffled)]
        assert fits[0] == fits[1]


# -- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"cuts": {"agee": [1]}}, "Did you mean 'age'"),
        ({"cuts": {"sex": [1]}}, "categories"),
        ({"cuts": {"age": [3, 2]}}, "increasing"),
        ({"cuts": {"age": [2, 2]}}, "increasing"),
        ({"cuts": {"age": [2, math.inf]}}, "finite"),
        ({"cuts": {"age": [math.nan]}}, "finite"),
        ({"cuts": {"age": ["old"]}}, "must be numbers"),
        ({"cuts": {"seen": ["June"]}}, "must be dates"),
        ({"target": "age"}, "by itself"),
        ({}, "no target"),
        ({"target": "il"}, "Did you mean 'ill'"),
        ({"method": "magic"}, "mdl, frequency, width"),
    ],
)
def test_wrong_requests_are_refused_with_advice(options, says):
    with pytest.raises(DataError, match=says):
        Binning.fit(people(), ["age", "seen", "sex"], **{"target": None, **options})


def test_a_column_of_another_kind_is_refused_without_telling_its_values():
    binning = Binning.fit(people(), ["age"], target="ill")
    with pytest.raises(DataError, match="was binned as a number") as caught:
        binning.apply(Table.of({"age": ["Quisling", "Snell"]}))
    assert "Quisling" not in str(caught.value)


def test_too_many_classes_are_refused(monkeypatch):
    monkeypatch.setattr("discreet.prepare.binning._MOST_CELLS", 10)
    with pytest.raises(DataError, match="too many to cut by class"):
        Binning.fit(people(), ["age"], target="ill")


# -- the papers' data ----------------------------------------------------------------------------------------------


@pytest.mark.data
def test_the_cuts_of_wdbc_separate_most_of_the_classes():
    path = Path(os.environ["DISCREET_DATA"]) / "wdbc" / "wdbc.data.gz"
    table = Table.of(path, names=["id", "class", *(f"x{j}" for j in range(30))])
    binning = Binning.fit(table, [f"x{j}" for j in range(30)], target="class")
    assert sum(map(bool, binning.cuts.values())) >= 20
    binned = binning.apply(table).column("x22")  # worst perimeter, the best single column of this table
    target = table.column("class")
    cells = np.bincount(binned.codes * 2 + target.codes).reshape(-1, 2)
    assert cells.max(axis=1).sum() / len(table) > 0.9
