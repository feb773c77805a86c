# SPDX-License-Identifier: Apache-2.0
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
from discreet import Roles, TopDownRefinement, verify
from discreet.counting.coded_rows import CodedRows
from discreet.data.table import Table
from discreet.methods.trees.specialization_cut import Cut, LeafRows
from discreet.methods.trees.specialization_values import GivenTree, Intervals, Star
from discreet.prepare.hierarchy import from_paths
from discreet.recoding.axis import Axis
from methods.trees.test_specialization import DEGREES, PATHS, SETS, leaf_rows, steps_of
from top_down import TopDown


@st.composite
def tables(draw):
    n = draw(st.integers(4, 60))

    def column(cells):
        return draw(st.lists(cells, min_size=n, max_size=n))

    return {
        "town": column(st.one_of(st.none(), st.sampled_from(["x", "x", "y", "y", "z", "v", "w"]))),
        "degree": column(st.sampled_from("abcdef")),
        "age": column(st.integers(0, 4)),
        "who": column(st.integers(0, 25)),
        "y": column(st.sampled_from(draw(st.sampled_from([["no", "yes"], ["a", "b", "c"]])))),
    }


@settings(max_examples=60)
@given(table=tables(), k=st.integers(2, 5), sets=st.sampled_from(SETS), by_person=st.booleans())
def test_the_same_choices_as_counting_everything_anew(table, k, sets, by_person):
    assume(len(set(table["y"])) > 1)
    data, sets = Table.of(table, kinds={"degree": "category", "town": "category"}), sets(k)
    rows = CodedRows.of(data, ("town", "degree", "age"), target="y", person="who" if by_person else None)
    assume((len(set(table["who"])) if by_person else len(data)) >= max(k for _, k in sets))
    town = Axis.of(rows, "town", rarest=k)
    values = [Star(town), GivenTree(DEGREES, rows, "degree", 1), Intervals(Axis.of(rows, "age", rarest=k))]
    cut = Cut(values, LeafRows(values, rows), sets)
    places = range(values[0].n_leaves)
    may_be_shown = {leaf for leaf in places if leaf == town.n_values or town.names[leaf] != "other"}
    columns = [("star", may_be_shown), ("tree", PATHS), ("line",)]
    n_leaves = [column.n_leaves for column in values]
    twin = TopDown(leaf_rows(values, data), table["y"], columns, n_leaves, sets, table["who"] if by_person else None)
    assert steps_of(cut) == twin.steps


@settings(max_examples=40)
@given(table=tables(), k=st.integers(2, 5), person=st.sampled_from([None, "who"]))
def test_random_tables_are_k_anonymous_and_disclosed_values_are_the_rows_own(table, k, person):
    assume(len(set(table["y"])) > 1)
    data = Table.of(table, kinds={"degree": "category", "town": "category"})
    assume((len(data) if person is None else len(set(table["who"]))) >= k)
    release = TopDownRefinement(k).release(data, Roles(target="y", quasi=("town", "degree", "age"), person=person))
    names = ("town", "degree", "age")
    rows = list(zip(*(release.table.column(name).to_arrow().to_pylist() for name in names), strict=True))
    assert oracles.k_anonymity(rows, None if person is None else release.owner.persons.tolist()) >= k
    for name in ("town", "degree"):
        if len(set(table[name])) > 2:
            written = release.recode(data).column(name).to_arrow().to_pylist()
            assert all(new in (old, "*") for new, old in zip(written, table[name], strict=True))


TOWNS = {"town": ["n", "n", "n", "s", "s", "e", "w", "w"], "y": [0, 0, 0, 1, 1, 1, 0, 1]}


def test_disclosing_by_hand():
    """k = 2; 4 of the 8 rows are yes. n tells most, with 3 rows of one class, and leaves groups of 3 and 5. Then s, e
    and w are hidden, 4 of their 5 rows yes. w has the one no: 0.72 - 2/5 bits, where s would tell 0.72 - 3/5 * 0.92. Of
    what is then hidden, s and e, all rows are yes: nothing more is worth telling."""
    release = TopDownRefinement(2).release(TOWNS, Roles(target="y", quasi=["town"]))
    assert [step["into"] for step in release.owner.trace] == [["n", "*"], ["w", "*"]]
    assert release.verdict.measured == 2
    assert release.recode({"town": ["e", "n", "new"], "y": [0, 0, 0]}).column("town").to_arrow().to_pylist() == [
        "*",
        "n",
        "*",
    ]


def test_missing_is_disclosed_as_an_empty_cell():
    table = {"town": [None, None, "n", "n", "s", "s"], "y": [0, 0, 1, 1, 1, 1]}
    release = TopDownRefinement(2).release(table, Roles(target="y", quasi=["town"]))
    assert release.table.column("town").to_arrow().to_pylist().count(None) == 2


def test_a_column_with_a_tree_is_specialised_not_disclosed(tmp_path):
    tree = from_paths("town", [("n", "N", "*"), ("s", "S", "*"), ("e", "S", "*"), ("w", "S", "*")])
    method = TopDownRefinement(3, hierarchies={"town": tree}, recoding="global")
    release = method.release(TOWNS, Roles(target="y", quasi=["town"]))
    assert release.table.column("town").texts == ["N", "S"]
    assert verify(release.save(tmp_path / "out") / "release").holds


def test_several_sets_each_with_its_k():
    table = {"town": ["n", "s"] * 10, "sex": ["f"] * 10 + ["m"] * 10, "y": [0, 1] * 8 + [0, 0, 1, 1]}
    roles = Roles(target="y", quasi=["town", "sex"])
    apart = TopDownRefinement(quasi_sets={("town",): 10, ("sex",): 10}).release(table, roles)
    assert {name: apart.table.column(name).texts for name in roles.quasi} == {"town": ["n", "s"], "sex": ["f", "m"]}
    together = TopDownRefinement(10).release(table, roles)
    assert sum(together.table.column(name).texts == ["*"] for name in roles.quasi) == 1
    with pytest.raises(ValueError, match="'k' parameter of TopDownRefinement"):
        TopDownRefinement(1).release(table, roles)
