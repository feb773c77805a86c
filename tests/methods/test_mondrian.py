# SPDX-License-Identifier: Apache-2.0
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import oracles
from discreet import CannotRelease, DataError, Mondrian, Roles


@st.composite
def tables(draw):
    n = draw(st.integers(2, 40))

    def column(cells):
        return draw(st.lists(cells, min_size=n, max_size=n))

    return {
        "age": column(st.one_of(st.none(), st.integers(0, 9))),
        "pay": column(st.sampled_from([0.5, 1.25, 2.0, 7.5])),
        "town": column(st.one_of(st.none(), st.sampled_from("abcd"))),
        "who": column(st.integers(0, 12)),
        "y": column(st.sampled_from(["no", "yes"])),
    }


QUASI = ("age", "pay", "town")


@pytest.mark.parametrize("split", ["median", "information"])
@given(table=tables(), k=st.integers(2, 4), person=st.sampled_from([None, "who"]))
def test_random_tables_are_k_anonymous(split, table, k, person):
    assume(len(set(table["y"])) > 1)
    roles = Roles(target="y", quasi=QUASI, person=person)
    persons = len(table["y"]) if person is None else len(set(table["who"]))
    if persons < k:
        with pytest.raises(CannotRelease):
            Mondrian(k, split=split).release(table, roles)
        return
    release = Mondrian(k, split=split).release(table, roles)
    rows = list(zip(*(release.data.column(name).to_pylist() for name in QUASI), strict=True))
    whose = None if person is None else release.persons.tolist()
    assert oracles.k_anonymity(rows, whose) == release.verdict.measured >= k


@pytest.mark.parametrize("split", ["median", "information"])
@given(table=tables(), k=st.integers(2, 4), person=st.sampled_from([None, "who"]))
def test_no_further_cut_is_possible(split, table, k, person):
    """Strict partitioning ends only where no value of any column parts a group into two of k persons."""
    assume(len(set(table["y"])) > 1)
    whose = list(range(len(table["y"]))) if person is None else table["who"]
    assume(len(set(whose)) >= k)
    release = Mondrian(k, split=split).release(table, Roles(target="y", quasi=QUASI, person=person))
    support = Counter(zip(table["town"], whose, strict=True))
    rare = {t for t in "abcd" if len({w for town, w in support if town == t}) < k}
    towns = ["other" if town in rare else town for town in table["town"]]
    recoded = release.recode(table)
    leaves = list(zip(*(recoded.column(name).to_arrow().to_pylist() for name in QUASI), strict=True))
    for leaf in set(leaves):
        mine = [i for i, found in enumerate(leaves) if found == leaf]
        for values in (table["age"], table["pay"]):  # categories have another order in "information"
            for border in {values[i] for i in mine} - {None}:
                left = {whose[i] for i in mine if values[i] is not None and values[i] < border}
                right = {whose[i] for i in mine if values[i] is None or values[i] >= border}
                assert len(left) < k or len(right) < k
        ways = {towns[i] for i in mine}
        if len(ways) == 2:
            sides = [{whose[i] for i in mine if towns[i] == way} for way in ways]
            assert min(map(len, sides)) < k


def inside(label, value):
    """Whether a published label is true of a source value."""
    if label == "*":
        return True
    if label is None:
        return value is None
    if label.endswith(" or missing"):
        return value is None or inside(label.removesuffix(" or missing"), value)
    if label == "not missing":
        return value is not None
    if label.startswith("not {"):
        return value is None or value not in label[5:-1].split(", ")
    if label.startswith("{"):
        return value in label[1:-1].split(", ")
    if label.startswith("< "):
        return value is not None and value < float(label[2:])
    if label.startswith(">= "):
        return value is not None and value >= float(label[3:])
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return value is not None and float(low) <= value < float(high)
    return str(value) == label


@pytest.mark.parametrize("split", ["median", "information"])
@given(table=tables(), k=st.integers(2, 3))
def test_every_label_is_true_of_the_cell_it_replaces(split, table, k):
    assume(len(set(table["y"])) > 1 and len(table["y"]) >= k)
    release = Mondrian(k, split=split).release(table, Roles(target="y", quasi=QUASI))
    recoded = release.recode(table)
    rare = {town for town, rows in Counter(table["town"]).items() if rows < k and town is not None}
    for name in QUASI:
        source = ["other" if name == "town" and value in rare else value for value in table[name]]
        for label, value in zip(recoded.column(name).to_arrow().to_pylist(), source, strict=True):
            assert inside(label, value), (name, label, value)


@given(table=tables(), k=st.integers(2, 4))
def test_a_category_that_fewer_than_k_persons_have_is_never_named(table, k):
    assume(len(set(table["y"])) > 1 and len(table["y"]) >= k)
    table = {**table, "town": [None if town is None else f"town-{town}" for town in table["town"]]}
    rare = [town for town, rows in Counter(table["town"]).items() if town is not None and rows < k]
    for split in ("median", "information"):
        release = Mondrian(k, split=split).release(table, Roles(target="y", quasi=QUASI))
        text = " ".join(str(label) for label in release.data.column("town").to_pylist())
        assert not any(town in text for town in rare)


def test_median_halves_by_hand():
    """Ages 1..8 at k = 2: cut at 5, then at 3 and 7; groups of two."""
    table = {"age": list(range(1, 9)), "y": [0, 1] * 4}
    release = Mondrian(2).release(table, Roles(target="y", quasi=["age"]))
    assert Counter(release.data.column("age").to_pylist()) == {"< 3": 2, "[3, 5)": 2, "[5, 7)": 2, ">= 7": 2}


def test_information_cuts_where_the_class_changes():
    table = {"age": list(range(12)), "noise": [0, 5] * 6, "y": ["a"] * 3 + ["b"] * 9}
    release = Mondrian(3, split="information").release(table, Roles(target="y", quasi=["noise", "age"]))
    pairs = set(zip(release.data.column("age").to_pylist(), release.data.column("y").to_pylist(), strict=True))
    assert all(len({y for age, y in pairs if age == label}) == 1 for label, _ in pairs)


def test_a_table_that_cannot_be_cut_is_suppressed_as_a_whole():
    table = {"age": [1, 2, 3], "town": list("abc"), "y": [0, 1, 0]}
    release = Mondrian(2).release(table, Roles(target="y", quasi=["age", "town"]))
    assert set(release.data.column("age").to_pylist()) == {"*"}
    assert release.changes.suppressed_cells >= 3


def test_single_whole_numbers_are_written_as_such():
    table = {"age": [40] * 5 + [41] * 5 + [42] * 5, "y": [0, 1, 0] * 5}
    release = Mondrian(5).release(table, Roles(target="y", quasi=["age"]))
    assert set(release.data.column("age").to_pylist()) == {"< 41", "41", ">= 42"}


def test_dates_are_cut_as_dates():
    days = [f"2024-0{month}-15" for month in range(1, 9)]
    release = Mondrian(4).release({"day": days, "y": [0, 1] * 4}, Roles(target="y", quasi=["day"]))
    assert set(release.data.column("day").to_pylist()) == {"< 2024-05-01", ">= 2024-05-01"} or all(
        label.startswith(("< 2024-0", ">= 2024-0")) for label in release.data.column("day").to_pylist()
    )


def test_infinite_numbers_are_refused():
    table = {"pay": [1.5, float("inf"), 2.5, 3.5], "y": [0, 1, 0, 1]}
    with pytest.raises(DataError, match="'pay' holds infinite numbers"):
        Mondrian(2).release(table, Roles(target="y", quasi=["pay"]))


def test_many_distinct_numbers_are_sorted_not_counted():
    """Sparse ranks take the sorting path of the kernel; the result is as for dense ones."""
    rng = np.random.default_rng(2)
    numbers = np.sort(rng.choice(10**6, 3000, replace=False))
    table = {"n": numbers.tolist(), "m": rng.permutation(numbers).tolist(), "y": (numbers % 2).tolist()}
    release = Mondrian(5).release(table, Roles(target="y", quasi=["n", "m"]))
    assert release.verdict.measured >= 5
    assert release.verdict.details["groups"] > 200


def test_baskets_are_refused():
    with pytest.raises(DataError, match="Mondrian releases table, not baskets"):
        Mondrian(2).release(np.eye(3), [0, 1, 1])


@pytest.mark.data
def test_adult_at_k_5():
    from discreet.samples import load

    sample = load("adult_arx")
    for split in ("median", "information"):
        release = Mondrian(5, split=split).release(sample.data, sample.roles)
        assert release.verdict.holds
        assert len(release.table) == 30_162
        assert release.verdict.details["groups"] > 3000
