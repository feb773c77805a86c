# SPDX-License-Identifier: Apache-2.0
"""TreeLadder along hierarchies that do not fit: they cost nothing but labels."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
from discreet import Roles, Table, TreeLadder
from discreet.counting.coded_rows import CodedRows
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.prepare.hierarchy import from_paths
from discreet.prepare.intervals import read_interval
from discreet.recoding.axis import Axis
from discreet.recoding.branch_sets import BranchSets
from discreet.recoding.labels import EVERYTHING, Meaning

QUASI = ("age", "zip", "town")


def people(n=600, seed=1):
    """The class follows from bands of ages, from the first digits of codes, and from every second town."""
    draw = random.Random(seed)
    ages = [draw.randrange(15, 90) for _ in range(n)]
    zips = [f"{draw.randrange(10, 20)}{draw.randrange(100):03d}" for _ in range(n)]
    towns = [f"town {draw.randrange(12)}" for _ in range(n)]
    score = [
        (40 <= age < 60) + (int(code) < 15000) + int(town[5:]) % 2
        for age, code, town in zip(ages, zips, towns, strict=True)
    ]
    labels = ["yes" if draw.random() < (0.05, 0.3, 0.7, 0.95)[one] else "no" for one in score]
    return Table.of({"age": ages, "zip": zips, "town": towns, "y": labels})


def by_chance(table, name, seed=2):
    draw = random.Random(seed)
    return from_paths(name, [(text, f"{name} group {draw.randrange(6)}", "*") for text in table.column(name).texts])


def catch_all(table, name):
    """Every second value, and a line for all others."""
    listed = [(text, f"{name} listed", "*") for text in table.column(name).texts[::2]]
    return from_paths(name, [*listed, ("*", f"{name} elsewhere", "*")])


def ladder(table, name, hierarchy=None, *, k=5, free=False):
    axis = Axis.of(CodedRows.of(table, QUASI, target="y"), name, rarest=k, by_class=True)
    return Ladder.of(axis, 16, hierarchy, free=free)


@pytest.mark.parametrize("build", [by_chance, catch_all])
@pytest.mark.parametrize("name", QUASI)
@pytest.mark.parametrize("k", [5, 50])
def test_free_bins_are_those_without_a_hierarchy(build, name, k):
    table = people()
    free, none = ladder(table, name, build(table, name), k=k, free=True), ladder(table, name, k=k)
    assert (free.codes() == none.codes()).all()
    assert np.array_equal(free.bins, none.bins)
    assert free.information.tolist() == none.information.tolist()


@pytest.mark.parametrize("build", [by_chance, catch_all])
def test_what_is_known_of_the_class_is_hardly_less_than_without_hierarchies(build):
    table, roles = people(), Roles(target="y", quasi=QUASI)

    def best(**more):
        release = TreeLadder(20, random_state=0, **more).release(table, roles)
        return max(step["known of the class"] for step in release.owner.trace if "tried" in step)

    assert best(hierarchies={name: build(table, name) for name in QUASI}) >= best() - 0.02


def test_values_that_a_file_leaves_to_its_last_line_are_told_apart():
    table = Table.of({"town": list("abcdefgh") * 40, "y": list("nynynynn") * 40})
    tree = from_paths("town", [("a", "listed", "*"), ("b", "listed", "*"), ("*", "elsewhere", "*")])
    release = TreeLadder(5, hierarchies={"town": tree}, random_state=0).release(
        table, Roles(target="y", quasi=["town"])
    )
    classes = {}
    for label, y in zip(*(release.data.column(name).to_pylist() for name in ("town", "y")), strict=True):
        classes.setdefault(label, set()).add(y)
    assert all(len(found) == 1 for found in classes.values())


def test_numbers_that_a_file_leaves_to_its_last_line_lie_in_their_intervals():
    table = people()
    listed = [(str(age), f"{age // 10 * 10}-{age // 10 * 10 + 9}", "*") for age in range(20, 70)]
    tree = from_paths("age", [*listed, ("*", "elsewhere", "*")])
    release = TreeLadder(5, hierarchies={"age": tree}, random_state=0).release(table, Roles(target="y", quasi=["age"]))
    ages = sorted(set(table.column("age").texts))
    for age, label in zip(
        ages,
        release.recode(Table.of({"age": list(map(int, ages))})).column("age").to_arrow().to_pylist(),
        strict=True,
    ):
        found = read_interval(label, "number")
        assert label in ("*", "elsewhere") or (found is not None and found[0] <= int(age) < found[1]) or "-" in label


def by_decades(table, *more):
    paths = [(text, f"the {int(text) // 10 * 10}s", "*") for text in table.column("age").texts]
    return from_paths("age", [*paths, *more])


def test_whole_branches_have_their_labels_in_any_order():
    table = people(3000)
    ages = ladder(table, "age", by_decades(table), free=True)
    assert ages.whole.label(Meaning.between(30, 40)) == "the 30s"
    assert ages.whole.label(Meaning.between(30, 40, missing=True)) == "the 30s or missing"
    assert ages.whole.label(Meaning.between(None, 20)) == "the 10s"
    assert ages.whole.label(Meaning.between(30, 50)) is None
    assert ages.whole.label(Meaning.between(30, 39)) is None
    assert ages.whole.label(EVERYTHING) is None
    release = TreeLadder(20, hierarchies={"age": by_decades(table)}, random_state=0).release(
        table, Roles(target="y", quasi=["age"])
    )
    labels = set(release.data.column("age").to_pylist())
    assert "the 50s" in labels or not labels & {"[50, 60)"}


def test_labels_of_whole_branches_do_not_tell_who_has_a_rare_value():
    """The file counts 90 among the 30s. So [30, 40) is not called so, whether or not somebody is 90."""
    table, ninety = people(3000), {"age": 90, "zip": 10000, "town": "town 1", "y": "no"}
    with_ninety = by_decades(table, ("90", "the 30s", "*"))
    cells = {name: [*table.column(name).to_arrow().to_pylist(), cell] for name, cell in ninety.items()}
    for one in (table, Table.of(cells)):
        assert ladder(one, "age", with_ninety, free=True).whole.label(Meaning.between(30, 40)) is None
    elsewhere = by_decades(table, ("*", "elsewhere", "*"))
    assert ladder(table, "age", elsewhere, free=True).whole.label(Meaning.between(30, 40)) is None


def test_all_but_a_branch_does_not_tell_who_has_a_rare_value_of_it():
    """Whether or not somebody has the rare town d, which is among the others, they are not called `not {north}`."""
    rows = {"town": list("abcef") * 40, "y": list("nynny") * 40}
    tree = from_paths("town", [*((town, "north", "*") for town in "abd"), *((town, "south", "*") for town in "cef")])
    with_rare = {name: [*cells, *more] for (name, cells), more in zip(rows.items(), ("dg", "nn"), strict=True)}
    tree = from_paths("town", [*tree.paths, ("g", "south", "*")])
    without = {name: [*cells, *more] for (name, cells), more in zip(rows.items(), ("gg", "nn"), strict=True)}
    for people_of_towns in (with_rare, without):
        axis = Axis.of(CodedRows.of(Table.of(people_of_towns), ["town"], target="y"), "town", rarest=5)
        sets = BranchSets.of(axis, tree)
        others = tuple(rank for rank, name in enumerate(axis.names) if name not in "ab")
        assert "north" not in sets.label(others)
        assert sets.label(tuple(axis.names.index(town) for town in "ab")) == "north"


def test_a_label_that_is_a_value_too_means_one_thing():
    table = Table.of({"town": list("abcdefgh") * 40, "y": list("nynynynn") * 40})
    tree = from_paths(
        "town", [(town, "a" if town in "ab" else "c" if town in "cd" else "e", "*") for town in "abcdefgh"]
    )
    release = TreeLadder(5, hierarchies={"town": tree}, random_state=0).release(
        table, Roles(target="y", quasi=["town"])
    )
    recoded = release.recode(Table.of({"town": list("abcdefgh")})).column("town").to_arrow().to_pylist()
    assert len({(label, y) for label, y in zip(recoded, "nynynynn", strict=True)}) == len(set(recoded))


@st.composite
def tables_with_trees(draw):
    n = draw(st.integers(6, 40))
    cells = {
        "age": st.one_of(st.none(), st.integers(0, 9)),
        "zip": st.sampled_from([f"{code}" for code in range(10110, 10160, 2)]),
        "town": st.one_of(st.none(), st.sampled_from("abcdef")),
        "y": st.sampled_from(["no", "yes"]),
    }
    table = {name: draw(st.lists(cell, min_size=n, max_size=n)) for name, cell in cells.items()}
    trees = {}
    for name in draw(st.sets(st.sampled_from(QUASI), min_size=1)):
        texts = Table.of(table).column(name).texts
        listed = [text for text in texts if draw(st.integers(0, 3))]
        paths = [(text, f"{name} group {draw(st.integers(0, 2))}", "*") for text in listed]
        trees[name] = from_paths(name, [*paths, ("*", f"{name} elsewhere", "*")])
    return table, trees


@given(drawn=tables_with_trees(), k=st.integers(2, 4), detail=st.sampled_from([0, 0.1, 10]))
@settings(max_examples=25)
def test_random_trees_keep_k_persons_and_recode_to_the_release(drawn, k, detail):
    table, trees = drawn
    assume(len(set(table["y"])) > 1)
    release = TreeLadder(k, detail=detail, bins=4, hierarchies=trees).release(table, Roles(target="y", quasi=QUASI))
    rows = list(zip(*(release.data.column(name).to_pylist() for name in QUASI), strict=True))
    assert oracles.k_anonymity(rows, None) == release.verdict.measured >= k
    recoded = release.recode(table).to_arrow().select(QUASI).to_pylist()
    assert Counter(map(str, recoded)) == Counter(map(str, release.data.select(QUASI).to_pylist()))
