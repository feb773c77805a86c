# SPDX-License-Identifier: Apache-2.0
"""Equal content has equal hashes, other content others; what cannot be told by its content is refused."""

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from discreet import Baskets, GreedySelector, Mondrian, ParameterError, Roles, Table
from discreet.evaluate import fingerprint
from discreet.evaluate.fingerprint import digest, imported, source_of
from discreet.prepare.hierarchy import from_paths

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN, PLAIN)
def test_two_values_have_one_hash_only_if_they_are_equal(one, other):
    same = repr(one) == repr(other) if not _has_mapping(one) and not _has_mapping(other) else one == other
    if same and repr(one) == repr(other):
        assert digest(one) == digest(other)
    if one != other:
        assert digest(one) != digest(other)


def _has_mapping(value):
    return isinstance(value, dict) or (isinstance(value, list) and any(map(_has_mapping, value)))


def test_how_parts_are_divided_counts():
    assert digest("ab", "c") != digest("a", "bc")
    assert digest(["a"], "b") != digest(["a", "b"])
    assert digest(1) != digest(1.0) != digest("1.0")
    assert digest(True) != digest(1)
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest(np.arange(4)) != digest(np.arange(4).reshape(2, 2)) != digest(np.arange(4, dtype=np.int32))
    assert digest(np.int64(3)) == digest(3)
    assert digest({1, 2, 3}) == digest({3, 2, 1})


def test_a_table_is_its_content_whatever_frame_it_came_in():
    cells = {"age": [31, 45, None], "sex": ["f", "m", "f"]}
    hashes = {digest(Table.of(frame)) for frame in (cells, pd.DataFrame(cells), pl.DataFrame(cells))}
    assert len(hashes) == 1
    for change in ({"age": [31, 45, 46]}, {"sex": ["f", "f", "m"]}, {"sex": ["f", "m", "F"]}):
        assert digest(Table.of(cells | change)) not in hashes
    assert digest(Table.of({"Age": cells["age"], "sex": cells["sex"]})) not in hashes


def test_baskets_are_their_content():
    X, y = np.array([[1, 0, 1], [0, 1, 1]]), ["a", "b"]
    mine = digest(Baskets.of(X, y))
    assert digest(Baskets.of(sp.coo_array(X), y)) == mine
    assert digest(Baskets.of(X, ["b", "a"])) != mine
    assert digest(Baskets.of(X[:, ::-1], y)) != mine
    assert digest(Baskets.of(X, y, names=["p", "q", "r"])) != mine
    assert digest(Baskets.of(X, y, persons=[0, 0])) != mine


def test_roles_methods_and_hierarchies_are_their_content(tmp_path):
    assert digest(Roles(target="y", quasi="a")) != digest(Roles(target="y", sensitive="a"))
    assert digest(Mondrian(5)) == digest(Mondrian(5)) != digest(Mondrian(6))
    towns = [("a", "x", "*"), ("b", "x", "*")]
    mine = digest(from_paths("town", towns))
    assert digest(from_paths("town", towns)) == mine
    assert digest(from_paths("town", [("a", "x", "*"), ("b", "z", "*")])) != mine
    file = tmp_path / "domain.json"
    file.write_text("{}")
    before = digest(file)
    file.write_text("[]")
    assert digest(file) != before


def test_what_has_no_content_is_refused():
    with pytest.raises(ParameterError, match="without a cache"):
        digest(GreedySelector(5, utility=lambda X, y: X.sum(axis=0)))
    with pytest.raises(ParameterError, match="without a cache"):
        digest(object())


# -- source


def test_the_source_of_a_method_is_what_it_imports_and_no_other_method():
    files = {path.relative_to(fingerprint._PACKAGE).as_posix() for path in imported([Path(_file(Mondrian))])}
    assert {
        "methods/trees/mondrian.py",
        "methods/base.py",
        "methods/trees/cut_partition.py",
        "recoding/plan.py",
        "counting/tally.py",
    } <= files
    assert "methods/trees/tree_ladder.py" not in files
    assert not any(file.startswith(("report/", "cli/")) for file in files)


def test_learners_and_protocols_are_part_of_every_source(monkeypatch):
    asked = []
    monkeypatch.setattr(fingerprint, "imported", lambda start: asked.append(start) or set(start))
    source_of.cache_clear()
    try:
        source_of(Mondrian)
        source_of(None)
    finally:
        source_of.cache_clear()
    named = [[path.name for path in start] for start in asked]
    assert named == [["classifiers.py", "protocols.py", "mondrian.py"], ["classifiers.py", "protocols.py"]]
    learners = imported([fingerprint._PACKAGE / "learning" / "classifiers.py"])
    assert {"c45.py", "part.py", "naive_bayes.py", "encoding.py"} <= {path.name for path in learners}


def test_the_source_changes_with_a_file_it_rests_on(tmp_path, monkeypatch):
    file = tmp_path / "mine.py"
    file.write_text("from discreet.methods.trees.mondrian import Mondrian\n")
    monkeypatch.setattr(fingerprint.inspect, "getfile", lambda cls: str(file))
    hashes = set()
    for text in ("a = 1\n", "a = 2\n", "a = 1\n"):
        source_of.cache_clear()
        file.write_text(text)
        hashes.add(source_of(GreedySelector))
    source_of.cache_clear()
    assert len(hashes) == 2


def test_a_class_without_a_file_is_refused():
    made = type("Notebook", (Mondrian,), {"name": "", "__module__": "__main__"})
    source_of.cache_clear()
    with pytest.raises(ParameterError, match="'Notebook' is in no file"):
        source_of(type(made.__name__, (Mondrian,), {"name": "", "__module__": "builtins"}))


def _file(cls):
    return fingerprint.inspect.getfile(cls)
