# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.data.baskets import Baskets
from discreet.data.table import Table
from discreet.errors import DataError
from discreet.prepare.one_hot import Binarisation


def ward():
    return Table.of(
        {
            "sex": ["f", "m", "f", "m", "f", "f"],
            "smokes": [1, 0, 0, 1, 1, 0],
            "drinks": [True, False, None, True, False, False],
            "age": ["< 40", ">= 40", None, "< 40", "< 40", "[1, 2)"],
            "who": ["p1", "p1", "p2", "p2", "p3", "p3"],
            "ill": ["y", "n", "y", "n", "y", "n"],
        }
    )


COLUMNS = ["sex", "smokes", "drinks", "age"]


def test_each_value_is_an_item_and_a_flag_is_one():
    items = Binarisation.fit(ward(), COLUMNS)
    assert items.names == (
        *("sex=f", "sex=m", "smokes", "drinks", "drinks=missing"),
        *("age=< 40", "age=>= 40", "age=[1, 2)", "age=missing"),
    )
    assert items.sources == ("sex",) * 2 + ("smokes",) + ("drinks",) * 2 + ("age",) * 4


def test_rows_become_their_items_by_hand():
    baskets = Binarisation.fit(ward(), COLUMNS).apply(ward(), target="ill", person="who")
    assert [baskets.items(row) for row in range(6)] == [
        ("sex=f", "smokes", "drinks", "age=< 40"),
        ("sex=m", "age=>= 40"),
        ("sex=f", "drinks=missing", "age=missing"),
        ("sex=m", "smokes", "drinks", "age=< 40"),
        ("sex=f", "smokes", "age=< 40"),
        ("sex=f", "age=[1, 2)"),
    ]
    assert baskets.classes.tolist() == ["n", "y"]
    assert baskets.labels.tolist() == [1, 0, 1, 0, 1, 0]
    assert baskets.persons.tolist() == [0, 0, 1, 1, 2, 2]
    assert baskets.sources == Binarisation.fit(ward(), COLUMNS).sources


def test_a_two_valued_column_other_than_a_flag_gives_two_items():
    table = Table.of({"x": [1, 2], "y": ["0", "true"], "z": [0, 1]})
    assert Binarisation.fit(table, ["x", "y", "z"]).names == ("x=1", "x=2", "y=0", "y=true", "z")


def test_a_flag_that_nobody_has_is_no_item():
    table = Table.of({"x": [0, 0], "y": [1, 1]})
    assert Binarisation.fit(table, ["x", "y"]).names == ("y",)


def test_one_and_true_are_the_same_answer_for_a_flag():
    items = Binarisation.fit(Table.of({"x": [0, 1]}), ["x"])
    new = Table.of({"x": [True, False, None]})
    assert [items.apply(new).items(row) for row in range(3)] == [("x",), (), ()]


def test_rare_values_get_no_item():
    assert Binarisation.fit(ward(), COLUMNS, rarest=3).names == ("sex=f", "smokes", "age=< 40")


def test_rarity_counts_persons_where_they_are_named():
    # smokes: rows 1, 4, 5 of p1, p2, p3; age < 40 likewise; sex=m: p1, p2; drinks: p1, p2
    assert Binarisation.fit(ward(), COLUMNS, rarest=3, person="who").names == ("sex=f", "smokes", "age=< 40")
    table = Table.of({"x": ["a", "a", "a", "b", "b"], "who": [1, 1, 1, 2, 3]})
    assert Binarisation.fit(table, ["x"], rarest=2).names == ("x=a", "x=b")
    assert Binarisation.fit(table, ["x"], rarest=2, person="who").names == ("x=b",)


def test_unseen_values_give_no_item():
    items = Binarisation.fit(ward(), ["sex", "age"])
    new = Table.of({"age": [None, "old"], "sex": ["x", "f"]})
    baskets = items.apply(new, target="ill")
    assert [baskets.items(row) for row in range(2)] == [("age=missing",), ("sex=f",)]
    assert baskets.labels is None
    assert baskets.names == items.names


def test_names_that_would_coincide_are_told_apart_the_same_way_every_time():
    table = Table.of({"a": ["b=c", "x"], "a=b": ["c", "y"], "a=x": [1, 0], "m": pa.array(["missing", None])})
    items = Binarisation.fit(table, table.names)
    assert items.names == ("a=b=c", "a=x", "a=b=c (2)", "a=b=y", "a=x (2)", "m=missing", "m=missing (2)")
    assert items.apply(table).items(0) == ("a=b=c", "a=b=c (2)", "a=x (2)", "m=missing")
    assert items.apply(table).items(1) == ("a=x", "a=b=y", "m=missing (2)")


cells = st.one_of(st.none(), st.sampled_from(["0", "1", "a", "b", "a=b", "missing"]))


@given(st.data(), st.integers(1, 20), st.integers(1, 4), st.integers(1, 3))
@settings(max_examples=150)
def test_the_matrix_equals_the_table_cell_by_cell(data, rows, width, rarest):
    names = ["x", "x=a", "x=b", "y"][:width]
    raw = {name: data.draw(st.lists(cells, min_size=rows, max_size=rows)) for name in names}
    table = Table.of({name: pa.array(column, pa.string()) for name, column in raw.items()})
    try:
        items = Binarisation.fit(table, names, rarest=rarest)
    except DataError:
        for column in table.columns():
            support = np.bincount(column.codes)
            is_flag = set(column.texts) <= {"0", "1"}
            assert all(s < rarest or (is_flag and t == "0") for s, t in zip(support, column.texts, strict=False))
        return
    assert len(set(items.names)) == len(items.names)
    baskets = items.apply(table)
    dense = baskets.matrix.toarray()
    for j, item in enumerate(items.items):
        column = table.column(item.column)
        texts = [*column.texts, None]
        assert dense[:, j].tolist() == [int(texts[code] == item.text) for code in column.codes]
        assert dense[:, j].sum() >= rarest
    same = Baskets.of(dense, names=items.names)
    for made, checked in zip(
        (baskets.matrix.indices, baskets.matrix.indptr, baskets.matrix.data),
        (same.matrix.indices, same.matrix.indptr, same.matrix.data),
        strict=True,
    ):
        assert made.dtype == checked.dtype
        assert made.tolist() == checked.tolist()


def test_rows_in_pieces_give_the_same_matrix(monkeypatch):
    items = Binarisation.fit(ward(), COLUMNS)
    whole = items.apply(ward()).matrix
    monkeypatch.setattr("discreet.prepare.one_hot._CHUNK", 8)
    assert (items.apply(ward()).matrix != whole).nnz == 0


def test_many_rows_keep_every_cell():
    rng = np.random.default_rng(0)
    table = Table.of({f"c{j}": rng.integers(0, 30, 200_000) for j in range(10)})
    baskets = Binarisation.fit(table, table.names).apply(table)
    assert baskets.matrix.nnz == 2_000_000
    assert baskets.support[:30].tolist() == np.bincount(table.column("c0").codes).tolist()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"columns": ["sex", "sex"]}, "once only"),
        ({"columns": ["sexx"]}, "Did you mean 'sex'"),
        ({"columns": ["who"], "person": "who"}, "identifies persons"),
        ({"columns": ["sex"], "rarest": 0}, "whole number"),
        ({"columns": ["sex"], "rarest": 7}, "no items"),
        ({"columns": []}, "no items"),
    ],
)
def test_wrong_requests_are_refused_with_advice(options, says):
    with pytest.raises(DataError, match=says):
        Binarisation.fit(ward(), **options)


def test_absent_columns_and_missing_labels_are_refused():
    items = Binarisation.fit(ward(), ["sex", "age"])
    with pytest.raises(DataError, match="not in the table: 'age'"):
        items.apply(Table.of({"sex": ["f"]}))
    table = Table.of({"sex": ["f", "m"], "age": ["Quisling", "b"], "ill": ["Snell", None]})
    with pytest.raises(DataError, match="1 of 2 labels are missing") as caught:
        items.apply(table, target="ill")
    assert "Quisling" not in str(caught.value)
    assert "Snell" not in str(caught.value)


def test_a_value_that_all_rows_have_is_no_item_where_it_would_tell_nothing():
    table = Table.of({"a": ["x", "x", "x"], "b": [1, 1, 0], "c": [1, 1, 1], "d": ["y", None, "y"]})
    assert Binarisation.fit(table, "abcd").names == ("a=x", "b", "c", "d=y", "d=missing")
    assert Binarisation.fit(table, "abcd", everybody=False).names == ("b", "d=y", "d=missing")
    with pytest.raises(DataError, match="in 1 or more rows, but not in all: there are no items"):
        Binarisation.fit(table, "ac", everybody=False)
