# SPDX-License-Identifier: Apache-2.0
import os
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.column import encode
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.prepare.hierarchy import Hierarchy, from_paths, read_hierarchies, read_hierarchy

PATHS = [
    ("Bachelors", "Undergraduate", "Higher", "*"),
    ("11th", "High School", "Secondary", "*"),
    ("Some-college", "Undergraduate", "Higher", "*"),
    ("Masters", "Graduate", "Higher", "*"),
]


def education():
    return from_paths("education", PATHS)


def column(values, name="education"):
    return encode(name, pa.array(values))


@st.composite
def trees(draw):
    """A random tree as paths: numbers of parents shrink from level to level."""
    leaves = draw(st.integers(1, 12))
    levels = [[f"v{i}" for i in range(leaves)]]
    parent = list(range(leaves))
    for level in range(1, draw(st.integers(1, 4))):
        merge = draw(st.lists(st.integers(0, 3), min_size=max(parent) + 1, max_size=max(parent) + 1))
        used = sorted({merge[p] for p in parent})
        parent = [used.index(merge[p]) for p in parent]
        levels.append([f"L{level}-{p}" for p in parent])
    return from_paths("x", zip(*levels, ["*"] * leaves, strict=True))


# -- the tree ------------------------------------------------------------------------------------------------------


def test_codes_and_labels_by_hand():
    h = education()
    assert (h.levels, len(h)) == (4, 4)
    assert h.labels(1) == ("Undergraduate", "High School", "Graduate")
    assert h.codes(1).tolist() == [0, 1, 0, 2]
    assert h.codes(0).tolist() == [0, 1, 2, 3]
    assert h.codes(3).tolist() == [0, 0, 0, 0]
    assert h.parents(1).tolist() == [0, 1, 0]
    assert h.ancestors.shape == (4, 4)


def test_the_tree_is_walked_from_the_root():
    root = education().root
    assert (root.label, root.level, root.leaves.tolist()) == ("*", 3, [0, 1, 2, 3])
    higher, secondary = root.children
    assert [child.label for child in higher.children] == ["Undergraduate", "Graduate"]
    assert higher.leaves.tolist() == [0, 2, 3]
    assert secondary.children[0].children[0].label == "11th"
    assert secondary.children[0].children[0].children == ()


@given(trees())
def test_children_share_out_the_leaves_of_their_parent(h):
    def walk(node):
        assert [h.paths[leaf][node.level] for leaf in node.leaves] == [node.label] * len(node.leaves)
        if node.level == 0:
            assert len(node.leaves) == 1
        else:
            below = [leaf for child in node.children for leaf in child.leaves]
            assert sorted(below) == node.leaves.tolist()
            for child in node.children:
                walk(child)

    walk(h.root)


@given(trees())
def test_codes_lead_to_the_labels_of_the_paths(h):
    for level in range(h.levels):
        labels = h.labels(level)
        assert [labels[code] for code in h.codes(level)] == [path[level] for path in h.paths]
        if level + 1 < h.levels:
            assert h.parents(level)[h.codes(level)].tolist() == h.codes(level + 1).tolist()


# -- generalising --------------------------------------------------------------------------------------------------


def test_values_become_their_ancestors_unseen_the_root_and_missing_stays():
    values = column(["Masters", "11th", "Quisling", None])
    h = education()
    assert h.generalise(values, 0).to_arrow().to_pylist() == ["Masters", "11th", "*", None]
    assert h.generalise(values, 2).to_arrow().to_pylist() == ["Higher", "Secondary", "*", None]
    assert h.generalise(values, 3).to_arrow().to_pylist() == ["*"] * 4


@given(trees(), st.lists(st.integers(0, 14), min_size=1, max_size=20))
def test_generalising_is_monotone_what_is_equal_stays_equal(h, picks):
    values = encode("x", pa.array([f"v{i}" if i < 14 else None for i in picks], pa.string()))
    before = None
    for level in range(h.levels):
        codes = h.generalise(values, level).codes
        if before is not None:
            pairs = {(a, b) for a, b in zip(before, codes, strict=True)}
            assert len({a for a, _ in pairs}) == len(pairs)
        before = codes


def test_numbers_find_their_leaf_by_meaning():
    h = from_paths("n", [("1.0", "low", "*"), ("2", "low", "*"), ("003", "high", "*")])
    assert h.leaf_codes(column([1, 2, 3, 4])).tolist() == [0, 1, 2, -1, -1]


def test_a_named_mark_of_missing_is_the_leaf_of_missing_cells():
    h = from_paths("w", [("a", "known", "*"), ("?", "unknown", "*")])
    values = column(["a", "?"])
    assert h.generalise(values, 0).to_arrow().to_pylist() == ["a", None]
    assert h.generalise(values, 1).to_arrow().to_pylist() == ["known", "unknown"]
    h.check_against(values)


def test_intervals_take_any_number():
    paths = (("< 3", "< 5", "*"), ("[3, 5)", "< 5", "*"), (">= 5", ">= 5", "*"))
    h = Hierarchy("n", ("< 3", "[3, 5)", ">= 5"), paths, cuts=(3.0, 5.0))
    values = column([-100.5, 3, 4.9, 5, None])
    assert h.generalise(values, 0).to_arrow().to_pylist() == ["< 3", "[3, 5)", "[3, 5)", ">= 5", None]
    h.check_against(values)
    assert h.leaf_codes(encode("n", pa.array([None, None]))).tolist() == [-1]


def test_uncovered_values_are_counted_not_told():
    values = column(["Masters", "Quisling", "Quisling", "Snell", None])
    with pytest.raises(DataError, match="2 of its 3 different values are not among the 4 leaves") as caught:
        education().check_against(values)
    assert "Quisling" not in str(caught.value)
    education().check_against(column(["Masters", None]))


@pytest.mark.parametrize("level", [-1, 4, 99])
def test_a_level_that_is_not_there_is_refused(level):
    for ask in (education().codes, education().labels, lambda n: education().generalise(column(["11th"]), n)):
        with pytest.raises(DataError, match="levels 0 to 3"):
            ask(level)


# -- checks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paths", "says"),
    [
        ([], "0 values"),
        ([("Quisling",)], "one level"),
        ([("Quisling", "*"), ("b", "c", "*")], "uneven: its paths have 2, 3 levels"),
        ([("Quisling", "x", "*"), ("Quisling", "y", "*")], "1 of its 2 values more than once"),
        ([("Quisling", "top"), ("b", "top")], "must end in"),
        ([("Quisling", "x", "Snell", "*"), ("b", "x", "z", "*")], "1 labels of level 1 have more than one parent"),
        ([("Quisling", "x", "*"), ("b", "Quisling", "*")], "1 labels for different branches"),
    ],
)
def test_what_is_no_tree_is_refused_without_telling_values(paths, says):
    with pytest.raises(DataError, match=says) as caught:
        from_paths("w", paths)
    assert "Quisling" not in str(caught.value)
    assert "Snell" not in str(caught.value)


def test_a_path_begins_with_its_own_value():
    with pytest.raises(DataError, match="do not begin"):
        Hierarchy("w", ("a",), (("b", "*"),))


def test_a_label_may_be_repeated_upwards_along_its_branch():
    h = from_paths("w", [("Other", "Other", "*"), ("x", "Other", "*"), ("y", "z", "*")])
    assert h.labels(1) == ("Other", "z")


def test_a_long_branch_of_repeated_labels_is_checked_quickly():
    paths = [(f"v{i}", f"v{i}", f"v{i}", "*") for i in range(30_000)]
    assert len(from_paths("w", paths).labels(2)) == 30_000


# -- reading -------------------------------------------------------------------------------------------------------


def written(folder, text, name="tree.csv", encoding="utf-8"):
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
def test_the_delimiter_is_found(tmp_path, delimiter):
    text = "\n".join(delimiter.join(path) for path in PATHS) + "\n\n"
    h = read_hierarchy(written(tmp_path, text), "education")
    assert h.paths == tuple(PATHS)
    assert h.how == "read from tree.csv"


def test_commas_inside_labels_do_not_mislead(tmp_path):
    h = read_hierarchy(written(tmp_path, "[0, 5);[0, 10);*\n[5, 10);[0, 10);*\n"), "age")
    assert h.values == ("[0, 5)", "[5, 10)")


def test_quotes_spaces_and_windows_files_are_read(tmp_path):
    text = '\ufeff"a;b" ; "x"; *\r\nc;x;*\r\n'
    assert read_hierarchy(written(tmp_path, text), "w").values[1] == "c"
    assert read_hierarchy(written(tmp_path, "Köln;NRW;*\nBonn;NRW;*", encoding="cp1252"), "w").values[0] == "Köln"


def test_several_roots_get_one_on_top_and_another_name_of_the_root_is_a_star(tmp_path):
    assert read_hierarchy(written(tmp_path, "a;x\nb;y\n"), "w").paths == (("a", "x", "*"), ("b", "y", "*"))
    assert read_hierarchy(written(tmp_path, "a;x;Any\nb;y;Any\n"), "w").paths == (("a", "x", "*"), ("b", "y", "*"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a;x;*\nb;x;*\nQuisling;*\n", "line 3 has 2 cells where 3 are expected"),
        ("Quisling;x;*\nQuisling;x;*\n", "more than once"),
        ("Quisling\nb\n", "one cell"),
        ("\n\n", "empty"),
        ("", "empty"),
        (f"a;*\nQuisling;{'x' * 200_000}\n", "cannot be read"),
        ("a;;*\nQuisling;x;*\n", "1 empty labels"),
        ("a;x;p;*\nQuisling;x;q;*\n", "more than one parent"),
    ],
)
def test_broken_files_are_refused_without_telling_values(tmp_path, text, says):
    with pytest.raises(DataError, match=says) as caught:
        read_hierarchy(written(tmp_path, text), "w")
    assert "Quisling" not in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"no file 'none.csv'"):
        read_hierarchy(tmp_path / "none.csv", "w")
    with pytest.raises(DataError, match="no hierarchy file"):
        read_hierarchies(tmp_path)


def test_a_folder_is_read_by_column(tmp_path):
    for name in ("adult_hierarchy_age.csv", "sex_hierarchy.csv", "data.csv"):
        written(tmp_path, "a;*\nb;*\n", name)
    assert list(read_hierarchies(tmp_path)) == ["age", "sex"]
    assert list(read_hierarchies(str(tmp_path / "d*.csv"))) == ["data"]
    written(tmp_path, "a;*\nb;*\n", "other_hierarchy_age.csv")
    with pytest.raises(DataError, match="more than one hierarchy file for the columns 'age'"):
        read_hierarchies(tmp_path)


@pytest.mark.data
def test_the_hierarchies_of_adult_cover_adult():
    folder = Path(os.environ["DISCREET_DATA"]) / "adult_arx"
    table = Table.of(folder / "adult.csv.gz")
    hierarchies = read_hierarchies(folder)
    assert set(hierarchies) == set(table.names)
    for name, h in hierarchies.items():
        h.check_against(table.column(name))
        assert h.generalise(table.column(name), h.levels - 1).levels == 1
    ages = hierarchies["age"].generalise(table.column("age"), 3)
    assert set(ages.texts) <= {"0-19", "20-39", "40-59", "60-79", "80-99"}
    # This file is off by one: it puts 20 in "0-19", and 40 in "20-39". A file is taken at its word.
    numbers = table.column("age").numbers[table.column("age").codes]
    assert int((ages.codes == ages.texts.index("20-39")).sum()) == int(((numbers > 20) & (numbers <= 40)).sum())


# -- files as people have them -----------------------------------------------------------------------------------------

LINES = [["37.0", "30-39", "*"], ["41", "40-49", "*"], ["44", "40-49", "*"]]


def _written(lines, delimiter, *, quote=False, blanks=False):
    mark, space = ('"' if quote else ""), (" " if blanks else "")
    return "\n".join(delimiter.join(f"{mark}{space}{cell}{space}{mark}" for cell in line) for line in lines) + "\n"


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("heading", [None, ["age", "decade", "all"], ["value", "level 1", "level 2"]])
@pytest.mark.parametrize("style", [{}, {"quote": True}, {"blanks": True}, {"quote": True, "blanks": True}])
def test_delimiters_marks_headings_quotes_and_blanks_make_no_difference(tmp_path, delimiter, encoding, heading, style):
    file = tmp_path / "age.csv"
    file.write_bytes(_written([*([heading] if heading else []), *LINES], delimiter, **style).encode(encoding))
    h = read_hierarchy(file, "age")
    assert [list(path) for path in h.paths] == LINES
    assert h.leaf_codes(column([37, 41, 44, None], "age")).tolist() == [0, 1, 2, -1]


def test_a_delimiter_at_the_end_of_every_line_is_no_empty_label(tmp_path):
    file = tmp_path / "age.csv"
    file.write_text("".join(";".join(line) + ";\n" for line in LINES))
    assert read_hierarchy(file, "age").paths == tuple(map(tuple, LINES))


def test_a_first_line_that_is_a_value_is_no_heading(tmp_path):
    file = tmp_path / "town.csv"
    file.write_text("Bonn;Rhine;*\nUlm;Danube;*\n")
    assert read_hierarchy(file, "town").values == ("Bonn", "Ulm")


def test_numbers_belong_to_ranges():
    h = from_paths(
        "age", [("< 20", "young", "*"), ("20-24", "young", "*"), ("[25, 40)", "old", "*"), ("40+", "old", "*")]
    )
    assert h.leaf_codes(column([3, 20, 24, 24.5, 25, 39.9, 40, 99], "age")).tolist() == [0, 1, 1, -1, 2, 2, 3, 3, -1]


def test_values_with_blanks_around_find_their_leaf():
    values = column([" Masters", "11th "])
    assert {text.strip(): leaf for text, leaf in zip(values.texts, education().leaf_codes(values), strict=False)} == {
        "Masters": 3,
        "11th": 1,
    }


def test_a_line_for_all_others_takes_the_values_without_a_line():
    h = from_paths("w", [("a", "known", "*"), ("*", "unknown", "*")])
    values = column(["a", "b", "c"])
    h.check_against(values)
    assert h.generalise(values, 1).to_arrow().to_pylist() == ["known", "unknown", "unknown"]
    assert h.generalise(values, 0).to_arrow().to_pylist() == ["a", "*", "*"]
    whole = h.completed(values)
    assert whole.generalise(values, 0).to_arrow().to_pylist() == ["a", "b", "c"]
    assert whole.generalise(column(["a", "d"]), 1).to_arrow().to_pylist() == ["known", "unknown"]
    assert education().completed(values) == education()
