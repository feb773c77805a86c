# SPDX-License-Identifier: Apache-2.0
"""Hierarchies whose leaves are written as in the file of the data."""

import pytest

import discreet as ds
from discreet.data.table import Table
from discreet.prepare.hierarchy import Hierarchy


def tree(*leaves: str) -> Hierarchy:
    return Hierarchy("x", leaves, tuple((leaf, f"group of {leaf}", "*") for leaf in leaves))


@pytest.mark.parametrize(
    ("cells", "leaves"),
    [
        (["1.169,17", "980,5", "77"], ["77", "1.169,17", "980,50"]),
        (["1169.17", "980.5", "77"], ["77", "1.169,17", "980,50"]),
        (["12 %", "7,5 %"], ["7,5 %", "12 %"]),
        (["25.03.2024", "03.04.2024"], ["03.04.2024", "25.03.2024"]),
        (["2024-03-25", "2024-04-03"], ["03/04/2024", "25/03/2024"]),
        (["2024-04-03", "2024-06-05"], ["03/04/2024", "05/06/2024"]),  # which order it is, the values tell
        (["2024-03-04", "2024-05-06"], ["03/04/2024", "05/06/2024"]),
    ],
)
def test_values_find_their_leaves_in_any_notation(cells, leaves):
    column = Table.of({"x": cells}).column("x")
    assert column.kind != "category"
    assert sorted(tree(*leaves).leaf_codes(column)[:-1].tolist()) == list(range(len(leaves)))


def test_plain_leaves_are_read_as_ever():
    column = Table.of({"x": [1023, 7]}).column("x")
    assert tree("1.023", "7").leaf_codes(column)[:-1].tolist() == [1, -1]  # 1.023 is not 1023


def test_a_release_by_such_a_hierarchy_keeps_its_promise_and_recodes(tmp_path):
    days = [f"{day:02}.{month:02}.1970" for month in (1, 5) for day in (3, 14, 25)]
    paths = tuple((day, day[3:], "*") for day in days)
    rows = {"born": days * 10, "y": ["a", "b", "b"] * 20}
    method = ds.TreeLadder(5, hierarchies={"born": Hierarchy("born", tuple(days), paths)}, random_state=1)
    method.release(rows, ds.Roles(target="y", quasi=["born"])).save(tmp_path / "out")
    assert ds.verify(tmp_path / "out" / "release").holds
    assert "*" not in ds.recode(tmp_path / "out" / "release", {"born": ["03.05.1970"]}).column("born").texts
