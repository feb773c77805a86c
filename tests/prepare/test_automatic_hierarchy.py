# SPDX-License-Identifier: Apache-2.0
import datetime
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.data.column import encode
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.prepare.automatic_hierarchy import automatic


def column(values, name="x"):
    return encode(name, pa.array(values))


anything = st.one_of(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=300),
    st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=300),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30),
    st.lists(st.text("ab ,{}+#*01", min_size=1, max_size=6), min_size=1, max_size=60),
    st.lists(st.dates(), min_size=1, max_size=60),
    st.lists(st.datetimes(min_value=datetime.datetime(1, 1, 2)), min_size=1, max_size=60),
    st.lists(st.from_regex(r"[0-9]{5}", fullmatch=True), min_size=1, max_size=60),
    st.lists(st.booleans(), min_size=1, max_size=5),
)


@given(anything, st.integers(2, 12), st.sampled_from(["x", "zip"]))
@settings(max_examples=300, deadline=None)
def test_every_column_gets_a_tree_that_covers_it(values, fanout, name):
    x = column(values, name)
    if not len(x.values):  # white space only
        return
    h = automatic(x, fanout=fanout)
    h.check_against(x)
    assert h.name == name
    sizes = [len(h.labels(level)) for level in range(h.levels)]
    assert sizes[-1] == 1
    assert sizes == sorted(sizes, reverse=True)
    assert h.generalise(x, h.levels - 1).levels == 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=300), st.integers(2, 5))
@settings(max_examples=100, deadline=None)
def test_numbers_lie_in_the_interval_that_is_written(values, fanout):
    x = column(values)
    h = automatic(x, fanout=fanout)
    for level in range(1, h.levels - 1):
        general = h.generalise(x, level)
        for number, label in {(x.numbers[a], general.texts[b]) for a, b in zip(x.codes, general.codes, strict=True)}:
            if label.startswith("<"):
                assert number < float(label[2:])
            elif label.startswith(">="):
                assert number >= float(label[3:])
            else:
                low, high = map(float, label[1:-1].split(", "))
                assert low <= number < high


def test_ages_are_merged_in_round_steps():
    h = automatic(column(range(17, 91), "age"))
    assert h.how == "intervals with round borders"
    assert h.paths[0] == ("17", "< 20", "< 20", "< 20", "*")
    assert h.paths[25] == ("42", "[40, 45)", "[40, 50)", "[40, 60)", "*")


def test_many_numbers_have_intervals_as_leaves_and_every_new_number_finds_one():
    x = column(np.random.default_rng(0).normal(size=5000))
    h = automatic(x)
    assert len(h) <= 64
    assert h.cuts is not None
    assert h.generalise(column([-99.5, 99.5]), 0).to_arrow().to_pylist() == [h.values[0], h.values[-1]]


def test_numbers_crowded_in_one_place_are_cut_by_counts():
    values = np.random.default_rng(0).lognormal(10, 2, 5000)
    x = column(values)
    h = automatic(x)
    assert h.how == "intervals of about equal counts"
    rows = np.bincount(h.leaf_codes(x)[x.codes], minlength=len(h))
    assert rows.min() > 0
    assert rows.max() < 5000 / 64 * 2
    assert all(len(f"{cut:.15g}".rstrip("0")) <= 5 for cut in h.cuts)  # round borders


def test_a_heavy_value_does_not_count_as_a_crowd():
    assert automatic(column([0] * 5000 + list(range(100)))).how == "intervals with round borders"


def test_dates_follow_the_calendar():
    h = automatic(column([datetime.date(2021, 3, 14), datetime.date(1999, 12, 31)]))
    assert h.how == "day, month, quarter, year"
    assert h.paths[0] == ("1999-12-31", "1999-12", "1999-Q4", "1999", "*")
    moments = automatic(column([datetime.datetime(2021, 3, 14, 9, 30), datetime.datetime(2021, 3, 14, 9, 31)]))
    assert moments.paths[0] == ("2021-03-14 09:30:00", "2021-03-14", "2021-03", "2021-Q1", "2021", "*")


def test_post_codes_lose_their_ends():
    h = automatic(column(["01067", "10115", "01069"], "where"))
    assert h.paths[0] == ("01067", "0106*", "010**", "01***", "0****", "*")
    assert automatic(column(["SW1A", "EC2M"], "area")).how == "prefixes of the code"


def test_post_codes_read_as_numbers_get_their_zeros_back_for_the_prefix():
    h = automatic(column([1067, 10115], "zip_code"))
    assert h.how == "prefixes of the code"
    assert h.paths[0] == ("1067", "0106*", "010**", "01***", "0****", "*")
    assert automatic(column([1067, 10115], "salary")).how != "prefixes of the code"


@pytest.mark.parametrize(
    "values", [["abcd", "efgh"], ["a1", "b2"], ["123456789012345x", "123456789012345y"], ["a1b2", "c"]]
)
def test_other_texts_are_no_post_codes(values):
    assert automatic(column(values)).how != "prefixes of the code"


def test_categories_are_merged_with_neighbours_so_that_counts_are_similar():
    # a b c d e f with 90 1 1 1 1 6 rows: d and e, then b and c with them, before anything joins a
    h = automatic(column(list("a" * 90 + "bcde" + "f" * 6)), fanout=3)
    assert h.labels(1) == ("a", "{b, c, +3}")
    assert h.how == "neighbouring values in groups of about equal counts"


def test_equal_counts_give_groups_within_a_factor_of_two():
    h = automatic(column([f"v{i:03}!" for i in range(81)]), fanout=3)
    for level in range(1, h.levels - 1):
        sizes = np.bincount(h.codes(level))
        assert sizes.max() <= 2 * sizes.min() + 1


def test_given_counts_decide():
    x = column(list("abcd"))
    assert automatic(x, counts=np.array([1, 1, 1, 9]), fanout=3).labels(1) == ("{a, b, c}", "d")
    assert automatic(x, counts=np.array([9, 1, 1, 1]), fanout=3).labels(1) == ("a", "{b, c, d}")


def test_labels_of_groups_do_not_grow():
    h = automatic(column([f"{i:04}" + "x" * 200 for i in range(500)]))
    assert max(len(label) for level in range(1, h.levels) for label in h.labels(level)) < 80


def test_labels_of_different_groups_differ_even_if_their_values_begin_alike():
    h = automatic(column(["same beginning of forty characters, " + str(i) for i in range(100, 181)]))
    for level in range(h.levels):
        for code, label in enumerate(h.labels(level)):
            leaves = set(np.flatnonzero(h.codes(level) == code).tolist())
            others = [
                set(np.flatnonzero(h.codes(other) == h.labels(other).index(label)).tolist())
                for other in range(h.levels)
                if label in h.labels(other)
            ]
            assert all(leaves == same for same in others)


@pytest.mark.parametrize("values", [[True, False], ["f", "m"], [0, 1], [7]])
def test_few_values_go_straight_to_the_root(values):
    h = automatic(column(values))
    assert (h.levels, h.how) == (2, "the values themselves")


def test_order_of_rows_does_not_matter():
    values = [f"v{i % 17}" for i in range(200)]
    assert automatic(column(values)) == automatic(column(values[::-1]))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"fanout": 1}, "from 2 on"),
        ({"fanout": 2.5}, "from 2 on"),
        ({"counts": np.array([1])}, "2 different values"),
        ({"counts": np.array([1, -1])}, "of 0 or more"),
    ],
)
def test_wrong_requests_are_refused_without_telling_values(options, says):
    with pytest.raises(DataError, match=says) as caught:
        automatic(column(["Quisling", "Snell"]), **options)
    assert "Quisling" not in str(caught.value)


def test_a_column_without_values_is_refused():
    with pytest.raises(DataError, match="no values"):
        automatic(encode("x", pa.array([None, None])))


@pytest.mark.data
def test_every_column_of_adult_gets_a_hierarchy():
    table = Table.of(Path(os.environ["DISCREET_DATA"]) / "adult_arx" / "adult.csv.gz")
    for x in table.columns():
        h = automatic(x)
        h.check_against(x)
        assert 2 <= h.levels <= 6
