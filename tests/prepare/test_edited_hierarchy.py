# SPDX-License-Identifier: Apache-2.0
"""Hierarchies changed by hand stay hierarchies."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import DataError
from discreet.prepare.edited_hierarchy import arx_csv, merged, moved, renamed, split, with_level, without_level
from discreet.prepare.hierarchy import Hierarchy, read_hierarchy

TOWNS = Hierarchy(
    "town",
    ("Ulm", "Bonn", "Köln", "Graz", "Wien"),
    (
        ("Ulm", "South", "Germany", "*"),
        ("Bonn", "West", "Germany", "*"),
        ("Köln", "West", "Germany", "*"),
        ("Graz", "Styria", "Austria", "*"),
        ("Wien", "Vienna", "Austria", "*"),
    ),
)


def test_groups_are_merged_below_the_parent_of_the_first():
    found = merged(TOWNS, 1, ["South", "Styria"], "Far south")
    assert found.paths[0] == ("Ulm", "Far south", "Germany", "*")
    assert found.paths[3] == ("Graz", "Far south", "Germany", "*")
    assert found.labels(2) == ("Germany", "Austria")


def test_splitting_undoes_merging_on_the_lowest_level():
    assert split(merged(TOWNS, 1, ["South", "West"], "All"), 1, "All").labels(1)[:3] == ("Ulm", "Bonn", "Köln")


def test_values_and_groups_are_moved():
    assert moved(TOWNS, 1, "Ulm", "West").paths[0] == ("Ulm", "West", "Germany", "*")
    assert moved(TOWNS, 2, "Styria", "Germany").paths[3] == ("Graz", "Styria", "Germany", "*")


def test_levels_are_added_and_removed():
    assert with_level(TOWNS, 1).paths[0] == ("Ulm", "Ulm", "South", "Germany", "*")
    assert without_level(TOWNS, 2).paths[0] == ("Ulm", "South", "*")


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda: merged(TOWNS, 1, ["South"], "x"), "two groups"),
        (lambda: merged(TOWNS, 1, ["South", "West"], "Styria"), "called 'Styria' already"),
        (lambda: merged(TOWNS, 3, ["*", "x"], "y"), "between the values and the top"),
        (lambda: renamed(TOWNS, 1, "South", " "), "1 to 200 letters"),
        (lambda: renamed(TOWNS, 1, "South", "*"), "is not"),
        (lambda: renamed(TOWNS, 1, "North", "x"), "no group 'North'"),
        (lambda: moved(TOWNS, 1, "Rom", "West"), "no group 'Rom'"),
        (lambda: renamed(TOWNS, 1, "South", "Bonn"), "different names"),
    ],
)
def test_edits_that_make_no_sense_are_refused(edit, why):
    with pytest.raises(DataError, match=why):
        edit()


def test_what_is_written_is_read_again(tmp_path):
    (tmp_path / "town.csv").write_text(arx_csv(TOWNS), encoding="utf-8")
    assert read_hierarchy(tmp_path / "town.csv", "town").paths == TOWNS.paths


@settings(max_examples=40)
@given(st.data())
def test_any_edits_keep_every_value_and_one_parent_for_each_group(data):
    """A Hierarchy that is not a tree cannot be made; so each edit gives a tree, of the same values, or is refused."""
    tree = TOWNS
    for _ in range(6):
        try:
            tree = _any_edit(tree, data.draw)
        except DataError:
            continue
        assert tree.values == TOWNS.values
        assert {path[-1] for path in tree.paths} == {"*"}


def _any_edit(tree, draw):
    level = draw(st.integers(1, max(1, tree.levels - 2)))
    labels = st.sampled_from(tree.labels(level))
    edit = draw(st.sampled_from(["merge", "split", "rename", "move"]))
    if edit == "merge":
        return merged(tree, level, [draw(labels), draw(labels)], draw(st.sampled_from("pqrs")))
    if edit == "split":
        return split(tree, level, draw(labels))
    if edit == "rename":
        return renamed(tree, level, draw(labels), draw(st.sampled_from("pqrs")))
    return moved(tree, level, draw(st.sampled_from(tree.labels(level - 1))), draw(labels))
