# SPDX-License-Identifier: Apache-2.0
import json
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
from checks import published_bytes
from discreet import CannotRelease, DataError, ParameterError, Roles, RolesError, TopDownSpecialization, verify
from discreet.counting.coded_rows import CodedRows
from discreet.data.table import Table
from discreet.methods.trees.specialization_cut import Cut, LeafRows
from discreet.methods.trees.specialization_values import FINEST, AutomaticTree, GivenTree, Intervals, fixed_point_bits
from discreet.prepare.hierarchy import from_paths
from discreet.recoding.axis import Axis
from instances import MARKERS, RARE, people
from top_down import TopDown


def published(k=5, **parameters):
    """As the papers have it."""
    return TopDownSpecialization(k, recoding="global", **parameters)


PATHS = [
    ("a", "a-c", "a-d", "*"),
    ("b", "a-c", "a-d", "*"),
    ("c", "a-c", "a-d", "*"),
    ("d", "d", "a-d", "*"),
    ("e", "e-f", "e-f", "*"),
    ("f", "e-f", "e-f", "*"),
]
DEGREES = from_paths("degree", PATHS)
TOWNS = ("North", "South", "East", "West")
QUASI = ("age", "degree", "pay")


@st.composite
def tables(draw):
    n = draw(st.integers(4, 60))

    def column(cells):
        return draw(st.lists(cells, min_size=n, max_size=n))

    return {
        "age": column(st.one_of(st.none(), st.integers(0, 6))),
        "degree": column(st.sampled_from(draw(st.sampled_from(["abcdef", "abd", "cef", "aef"])))),
        "pay": column(st.sampled_from([0.5, 1.25, 2.0])),
        "who": column(st.integers(0, 25)),
        "y": column(st.sampled_from(draw(st.sampled_from([["no", "yes"], ["a", "b", "c"]])))),
    }


SETS = [
    lambda k: [((0, 1, 2), k)],
    lambda k: [((0, 1), k), ((1, 2), k + 1)],
    lambda k: [((2,), k), ((0, 1, 2), k), ((1,), k + 3)],
]


def leaf_rows(values, data):
    cells = (column.leaf_of_code[data.column(column.name).codes].tolist() for column in values)
    return list(zip(*cells, strict=True))


def steps_of(cut):
    """All refinements of a cut, as the slow twin writes them."""
    steps = []
    while step := cut.refine():
        children = {frozenset(child.leaves.tolist()) for child in step.children}
        steps.append((step.column, frozenset(step.part.leaves.tolist()), children))
        assert step.smallest == tuple(groups.size for groups in cut.sets)
    return steps


@settings(max_examples=60)
@given(table=tables(), k=st.integers(2, 5), sets=st.sampled_from(SETS), by_person=st.booleans())
def test_the_same_choices_as_counting_everything_anew(table, k, sets, by_person):
    assume(len(set(table["y"])) > 1)
    data, sets = Table.of(table, kinds={"degree": "category"}), sets(k)
    rows = CodedRows.of(data, QUASI, target="y", person="who" if by_person else None)
    total = len(set(table["who"])) if by_person else len(data)
    assume(total >= max(k for _, k in sets))
    values = [
        Intervals(Axis.of(rows, "age", rarest=2)),
        GivenTree(DEGREES, rows, "degree", 1),
        Intervals(Axis.of(rows, "pay", rarest=2)),
    ]
    cut = Cut(values, LeafRows(values, rows), sets)
    columns = [("line",), ("tree", PATHS), ("line",)]
    n_leaves = [column.n_leaves for column in values]
    twin = TopDown(leaf_rows(values, data), table["y"], columns, n_leaves, sets, table["who"] if by_person else None)
    assert steps_of(cut) == twin.steps
    for (members, _), groups in zip(sets, cut.sets, strict=True):
        assert groups.size == twin.smallest(members, twin.parts)


@settings(max_examples=40)
@given(table=tables(), k=st.integers(2, 5), person=st.sampled_from([None, "who"]))
def test_random_tables_are_k_anonymous(table, k, person):
    assume(len(set(table["y"])) > 1)
    data, roles = Table.of(table, kinds={"degree": "category"}), Roles(target="y", quasi=QUASI, person=person)
    assume((len(data) if person is None else len(set(table["who"]))) >= k)
    release = TopDownSpecialization(k).release(data, roles)
    rows = list(zip(*(release.table.column(name).to_arrow().to_pylist() for name in QUASI), strict=True))
    assert oracles.k_anonymity(rows, None if person is None else release.owner.persons.tolist()) >= k


@given(st.lists(st.lists(st.integers(0, 10**6), min_size=3, max_size=3), min_size=1, max_size=5))
def test_entropy_is_the_textbook_one_in_parts_of_a_bit(counts):
    for found, line in zip(fixed_point_bits(np.array(counts)), counts, strict=True):
        n = sum(line)
        bits = -sum(c * math.log2(c / n) for c in line if c)
        assert found / FINEST == pytest.approx(bits, abs=1e-5 + 1e-12 * n)


# -- by hand ----------------------------------------------------------------------------------------------------------

PEOPLE = {
    "degree": ["a", "b", "c", "d", "d", "d", "e", "e", "f", "f"],
    "sex": ["f", "m"] * 5,
    "y": ["no", "no", "no", "no", "no", "yes", "yes", "yes", "yes", "yes"],
}
BY_DEGREE = Roles(target="y", quasi=["degree", "sex"])
BY_DEGREE_ALONE = Roles(target="y", quasi=["degree"])


def test_scores_and_choices_by_hand():
    """I(5 no, 5 yes) = 1. Degree parts them 5 no, 1 yes | 4 yes: gain 1 - 0.6 I(5, 1), loss 10 - 4 = 6. Sex parts
    them 3, 2 | 2, 3: gain 1 - I(3, 2), loss 5; so degree is first. Then sex would leave groups of 2, and a-d with
    its a-c and d groups of 3: loss 1. The rows of e-f have one class: it stays."""
    release = published(3, hierarchies={"degree": DEGREES}).release(PEOPLE, BY_DEGREE)

    def entropy(p):
        return -p * math.log2(p) - (1 - p) * math.log2(1 - p)

    first, second = release.owner.trace
    assert (first["column"], first["value"], first["into"]) == ("degree", "*", ["a-d", "e-f"])
    assert first["score"] == pytest.approx((1 - 0.6 * entropy(5 / 6)) / 7, abs=1e-6)
    assert (second["value"], second["into"]) == ("a-d", ["a-c", "d"])
    assert second["score"] == pytest.approx((entropy(5 / 6) - 0.5 * entropy(1 / 3)) / 2, abs=1e-6)
    assert set(release.table.column("degree").texts) == {"a-c", "d", "e-f"}
    assert release.table.column("sex").texts == ["*"]
    assert [step["smallest groups"] for step in release.owner.trace] == [[4], [3]]


def test_anonymity_loss_is_the_mean_over_the_sets_of_the_column():
    sets = [(["degree", "sex"], 3), (["degree"], 2)]
    release = published(hierarchies={"degree": DEGREES}, quasi_sets=sets).release(PEOPLE, BY_DEGREE)
    gain = 1 - 0.6 * (-5 / 6 * math.log2(5 / 6) - 1 / 6 * math.log2(1 / 6))
    assert release.owner.trace[0]["score"] == pytest.approx(gain / (6 + 1), abs=1e-6)
    assert release.owner.trace[0]["smallest groups"] == [4, 4]


def test_a_label_whose_rows_are_all_in_one_child_is_replaced_by_the_children_of_that_child():
    table = {"degree": ["a", "a", "b", "b"], "y": [0, 0, 1, 1]}
    release = published(2, hierarchies={"degree": DEGREES}).release(table, Roles(target="y", quasi=["degree"]))
    assert release.table.column("degree").texts == ["a", "b"]
    assert len(release.owner.trace) == 1
    new = {"degree": ["a", "c", "d", "e", "nobody"]}
    assert release.plan.apply(Table.of(new))["degree"][0].texts == ["*", "a", "c", "d", "e-f"]
    assert release.recode(new).column("degree").texts == ["*", "a"]  # labels that were published, and no others


def test_where_nothing_is_valid_everything_is_suppressed():
    release = published(10, hierarchies={"degree": DEGREES}).release(PEOPLE, BY_DEGREE)
    assert release.owner.trace == []
    assert [release.table.column(name).texts for name in BY_DEGREE.quasi] == [["*"], ["*"]]
    assert release.verdict.measured == 10


# -- several sets of quasi-identifiers --------------------------------------------------------------------------------


def test_each_set_keeps_its_own_k_and_the_files_alone_show_it(tmp_path):
    rng = np.random.default_rng(5)
    table = {name: rng.integers(0, 6, 300) for name in ("a", "b", "c")}
    table["y"] = (table["a"] + table["b"] > rng.integers(3, 8, 300)).astype(int)
    roles = Roles(target="y", quasi=["a", "b", "c"])
    method = published(quasi_sets=[(["a", "b"], 3), (["b", "c"], 40)], random_state=1)
    release = method.release(table, roles)
    folder = release.save(tmp_path / "out") / "release"
    found = verify(folder)
    assert found.holds
    assert str(method.promise) == "3-anonymity of a, b and 40-anonymity of b, c"
    columns = {name: release.table.column(name).to_arrow().to_pylist() for name in "abc"}
    left, right = (oracles.k_anonymity(list(zip(*(columns[n] for n in names), strict=True))) for names in ("ab", "bc"))
    assert [part.measured for part in found.verdict.parts] == [left, right]
    assert 3 <= left < 40 <= right
    assert oracles.k_anonymity(list(zip(*columns.values(), strict=True))) < 40
    stated = json.loads((folder / "certificate.json").read_text())
    assert stated["method"]["parameters"]["quasi_sets"] == [[["a", "b"], 3], [["b", "c"], 40]]
    assert "k" not in stated["method"]["parameters"]


def test_sets_are_pairs_or_a_mapping_in_any_spelling():
    promises = {
        str(published(quasi_sets=sets).promise)
        for sets in ({("a", "b"): 3, "c": 4}, [(("a", "b"), 3), ("c", 4)], [[{"b", "a"}, 3], [["c"], 4]])
    }
    assert promises == {"3-anonymity of a, b and 4-anonymity of c"}


@pytest.mark.parametrize("sets", [[["age", "sex"]], [([], 3)], [(["age"], 1)], [(["age"], "3")], [], [((1, 2), 3)]])
def test_sets_that_are_none_are_refused(sets):
    with pytest.raises(ParameterError, match="quasi_sets"):
        published(quasi_sets=sets).release(PEOPLE, BY_DEGREE)


def test_sets_lie_within_the_quasi_identifiers_and_name_them_all():
    with pytest.raises(RolesError, match=r"not quasi-identifiers: 'sx'\. Did you mean 'sex'"):
        published(quasi_sets=[(["degree", "sx"], 3)]).release(PEOPLE, BY_DEGREE)
    with pytest.raises(RolesError, match="holds the quasi-identifiers 'sex'"):
        published(quasi_sets=[(["degree"], 3)]).release(PEOPLE, BY_DEGREE)


def test_the_largest_k_of_the_sets_must_be_possible():
    with pytest.raises(CannotRelease, match="k = 11 was asked, but there are only 10 persons"):
        published(quasi_sets=[(["degree"], 3), (["sex"], 11)]).release(PEOPLE, BY_DEGREE)
    assert published(50, quasi_sets=[(["degree", "sex"], 5)]).release(PEOPLE, BY_DEGREE).verdict.holds


# -- hierarchies ------------------------------------------------------------------------------------------------------


def test_hierarchies_come_from_objects_files_or_a_folder(tmp_path):
    lines = "\n".join(";".join(path) for path in PATHS)
    (tmp_path / "hierarchy_degree.csv").write_text(lines)
    (tmp_path / "hierarchy_unrelated.csv").write_text("1;*\n2;*")
    given = [{"degree": DEGREES}, {"degree": str(tmp_path / "hierarchy_degree.csv")}, tmp_path, str(tmp_path)]
    releases = [published(3, hierarchies=h, random_state=1).release(PEOPLE, BY_DEGREE) for h in given]
    assert len({str(release.table.to_arrow().to_pylist()) for release in releases}) == 1
    stated = [release.certificate.method.parameters["hierarchies"] for release in releases]
    assert stated == [["degree"], ["degree"], "given", "given"]
    said = "Hierarchy files were used for 'degree'. Not used, since they are no quasi-identifiers: 'unrelated'."
    assert [said in release.owner.notes for release in releases] == [False, False, True, True]
    assert str(tmp_path) not in releases[1].certificate.to_bytes().decode()


def test_hierarchies_of_other_columns_and_gaps_are_refused():
    with pytest.raises(RolesError, match=r"hierarchies for 'degre', which .* Did you mean 'degree'"):
        published(3, hierarchies={"degre": DEGREES}).release(PEOPLE, BY_DEGREE)
    with pytest.raises(
        DataError, match="does not cover column 'sex': 1 of its 2 different values are not among the 1 leaves"
    ):
        published(3, hierarchies={"sex": from_paths("sex", [("f", "*")])}).release(PEOPLE, BY_DEGREE)


def test_a_folder_without_a_file_for_a_quasi_identifier_is_refused(tmp_path):
    (tmp_path / "hierarchy_degre.csv").write_text("a;*\nb;*")
    with pytest.raises(RolesError, match=r"the files are for 'degre', .* Did you mean 'degree'"):
        published(3, hierarchies=tmp_path).release(PEOPLE, BY_DEGREE)


def test_missing_is_a_child_of_the_root_of_a_given_tree():
    table = {"degree": ["a", "b", "d", "e", "f", "e", None, None, None], "y": [0, 0, 0, 1, 1, 1, 0, 1, 1]}
    release = published(3, hierarchies={"degree": DEGREES}).release(table, BY_DEGREE_ALONE)
    assert release.table.column("degree").texts == ["a-d", "e-f"]
    assert release.table.column("degree").has_missing
    assert release.owner.notes == []
    fewer = {name: cells[:-1] for name, cells in table.items()}
    blocked = published(3, hierarchies={"degree": DEGREES}).release(fewer, BY_DEGREE_ALONE)
    assert blocked.table.column("degree").texts == ["*"]
    assert "'degree' is missing for 2 persons, fewer than k = 3" in blocked.owner.notes[0]


def test_a_leaf_for_missing_is_used_and_stays_an_empty_cell():
    tree = from_paths("degree", [*PATHS, ("?", "e-f", "e-f", "*")])
    table = {"degree": ["a", "b", "d", "e", "e", None, None], "y": [0, 0, 0, 1, 0, 1, 0]}
    finer = published(2, hierarchies={"degree": tree}).release(table, BY_DEGREE_ALONE)
    assert finer.table.column("degree").to_arrow().to_pylist().count(None) == 2
    coarser = published(3, hierarchies={"degree": tree}).release(table, BY_DEGREE_ALONE)
    assert coarser.table.column("degree").to_arrow().to_pylist().count("e-f") == 4


def test_numbers_in_a_given_tree_are_found_by_what_they_mean():
    tree = from_paths("n", [("1.0", "low", "*"), ("2.0", "low", "*"), ("9", "high", "*")])
    table = {"n": [1, 1, 2, 2, 9, 9], "y": [0, 0, 0, 0, 1, 1]}
    release = published(2, hierarchies={"n": tree}).release(table, Roles(target="y", quasi=["n"]))
    assert release.table.column("n").texts == ["high", "low"]
    assert release.recode({"n": [2, 9, 5], "y": [0, 1, 1]}).column("n").to_arrow().to_pylist() == ["low", "high", "*"]


def test_rare_values_of_a_given_tree_are_written_but_not_named_to_the_public():
    table = {"degree": ["a"] * 3 + ["b"] + ["e"] * 4, "y": [0, 0, 1, 0, 1, 1, 1, 0]}
    release = published(3, hierarchies={"degree": DEGREES}).release(table, Roles(target="y", quasi=["degree"]))
    assert release.table.column("degree").texts == ["a-d", "e-f"]
    recoded = release.recode(table).column("degree").to_arrow().to_pylist()  # by the public record
    assert recoded == ["a-d"] * 3 + ["*"] + ["e-f"] * 4
    (public,) = release.plan.public.columns
    named = {text for meaning in public.meanings for text in meaning.texts}
    assert named == {"a", "e"}


def test_a_rare_value_of_a_given_tree_is_in_no_published_byte(tmp_path):
    tree = from_paths("town", [(t, "south" if t == "South" else "not south", "*") for t in (*TOWNS, RARE)])
    release = published(5, hierarchies={"town": tree}).release(people(), Roles(target="again", quasi=["town"]))
    assert "not south" in release.table.column("town").texts
    content = published_bytes(release.save(tmp_path / "out") / "release")
    assert not any(marker.encode() in content for marker in MARKERS)
    assert b"not south" in content


def test_post_codes_lose_their_ends_and_numbers_are_cut_at_round_places():
    table = {
        "zip": ["01067", "01067", "01069", "01069", "10115", "10115", "10115", "10117"],
        "age": [20, 24, 31, 38, 52, 57, 66, 70],
        "y": [0, 0, 1, 1, 1, 1, 1, 0],
    }
    release = published(2).release(table, Roles(target="y", quasi=["zip"]))
    assert release.table.column("zip").texts == ["01067", "01069", "1****"]
    release = published(2).release(table, Roles(target="y", quasi=["age"]))
    assert release.table.column("age").texts == ["< 30", ">= 30"]


def test_automatic_groups_name_no_category_that_few_have():
    towns = ["x"] * 9 + ["y"] * 8 + ["z"] * 7 + ["Rare-1", "Rare-2", "Rare-3"]
    table = Table.of({"town": towns, "y": [i % 2 for i in range(len(towns))]})
    tree = AutomaticTree(Axis.of(CodedRows.of(table, ["town"], target="y"), "town", rarest=4))

    def labels(branch):
        return {branch.label} | {label for child in branch.children for label in labels(child)}

    assert labels(tree.root().branch) == {"*", "x", "y", "z", "other", "{other, z}", "{x, y}"}


def test_a_value_not_met_before_is_an_other_or_tells_nothing():
    table = {"town": ["x", "x", "y", "y", "z"], "y": [0, 0, 1, 1, 1]}
    release = published(2).release(table, Roles(target="y", quasi=["town"]))
    assert release.table.column("town").texts == ["not {y}", "y"]
    new = {"town": ["new", "z", "x", None], "y": [0, 0, 0, 0]}
    assert release.recode(new).column("town").to_arrow().to_pylist() == ["not {y}", "not {y}", "not {y}", "*"]
