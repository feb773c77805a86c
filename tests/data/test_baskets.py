# SPDX-License-Identifier: Apache-2.0
"""Sparse 0/1 data from everything that holds it."""

import gzip
import os
import traceback
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.baskets import Baskets, binary_csr
from discreet.data.table import Table
from discreet.errors import DataError, RolesError

MARK = "SECRET-" + "7731"
CELLS = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 0]])
NAMES = ["milk", "tea", "rye"]


def refused(build, *arguments, **options) -> str:
    """The message of the refusal: one paragraph, without a cell, without another error behind it."""
    with pytest.raises(DataError) as caught:
        build(*arguments, **options)
    error = caught.value
    assert MARK not in "".join(traceback.format_exception(error)) + repr(error)
    assert error.__context__ is None
    assert "\n" not in str(error)
    return str(error)


def cells_of(baskets: Baskets) -> list[list[int]]:
    """The cells; and that the matrix is what is promised of it."""
    matrix = baskets.matrix
    assert isinstance(matrix, sp.csr_array)
    assert matrix.has_sorted_indices
    assert matrix.data.dtype == np.uint8
    assert (matrix.data == 1).all()
    assert matrix.has_canonical_format
    return matrix.toarray().tolist()


# -- matrices ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "lil", "dok", "dia"])
@pytest.mark.parametrize("style", ["array", "matrix"])
@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int64, np.float32, np.float64])
def test_every_sparse_form_of_the_same_cells_is_the_same(form, style, dtype):
    X = getattr(sp, f"{form}_{style}")(CELLS.astype(dtype))
    before = X.toarray()
    baskets = Baskets.of(X)
    assert cells_of(baskets) == CELLS.tolist()
    assert baskets.names == ("x0", "x1", "x2")
    assert (X.toarray() == before).all()
    assert X.dtype == dtype


FRAME = pd.DataFrame(CELLS, columns=NAMES)
COLUMNS = dict(zip(NAMES, CELLS.T, strict=True))
NAMELESS = {
    "lists": CELLS.tolist,
    "integers": CELLS.copy,
    "truth values": lambda: CELLS.astype(bool),
    "floats": lambda: CELLS.astype(np.float32),
    "objects": lambda: CELLS.astype(object),
    "text": lambda: CELLS.astype(str),
    "by columns": lambda: np.asfortranarray(CELLS),
}
NAMED = {
    "pandas": FRAME.copy,
    "pandas truth values": lambda: FRAME.astype(bool),
    "pandas nullable": lambda: FRAME.astype("Int8"),
    "pandas sparse": lambda: FRAME.astype(pd.SparseDtype(int, 0)),
    "polars": lambda: pl.DataFrame(CELLS, schema=NAMES),
    "polars truth values": lambda: pl.DataFrame(CELLS, schema=NAMES).cast(pl.Boolean),
    "polars lazy": lambda: pl.DataFrame(CELLS, schema=NAMES).lazy(),
    "arrow": lambda: pa.table(COLUMNS),
    "duckdb": lambda: duckdb.from_arrow(pa.table(COLUMNS)),
    "table": lambda: Table.of(COLUMNS),
    "mapping": COLUMNS.copy,
}


@pytest.mark.parametrize("form", [*NAMELESS, *NAMED])
def test_every_dense_form_of_the_same_cells_is_the_same(form):
    baskets = Baskets.of({**NAMELESS, **NAMED}[form]())
    assert cells_of(baskets) == CELLS.tolist()
    assert baskets.names == (tuple(NAMES) if form in NAMED else ("x0", "x1", "x2"))


def test_explicit_zeros_are_no_items_and_a_cell_given_twice_is_not_binary():
    zeros = sp.csr_array((np.array([1, 0, 1]), np.array([2, 1, 0]), np.array([0, 2, 3])), shape=(2, 3))
    assert cells_of(Baskets.of(zeros)) == [[0, 0, 1], [1, 0, 0]]
    for dtype in (np.int64, np.uint8, bool):
        twice = sp.coo_array((np.ones(257, dtype), (np.zeros(257, int), np.zeros(257, int))), shape=(1, 2))
        assert "1 cells hold something else" in refused(Baskets.of, twice)


def test_cells_that_are_not_binary_or_missing_are_counted():
    assert "2 cells hold something else" in refused(Baskets.of, [[0, 2], [1, -1]])
    assert "1 cells hold something else" in refused(Baskets.of, sp.csr_array([[0, 3], [1, 1]]))
    assert "1 cells hold something else" in refused(Baskets.of, [[0.5, 1.0]])
    assert "1 cells hold something else" in refused(Baskets.of, [[np.inf, 1.0]])
    for X in ([[1, None]], [[1, np.nan]], sp.csr_array([[1, np.nan]]), pd.DataFrame({"a": [1, None]})):
        assert "1 are missing" in refused(Baskets.of, X)
    assert "1 are missing" in refused(Baskets.of, pl.DataFrame({"a": [True, None]}))
    assert "text or missing values" in refused(Baskets.of, pd.DataFrame({"a": [True, None]}, dtype="boolean"))
    assert "text or missing values" in refused(Baskets.of, [[MARK, 1]])
    assert "text or missing values" in refused(Baskets.of, pd.DataFrame({"a": [MARK]}))


def test_shapes_that_are_no_matrix():
    assert "1 dimensions" in refused(Baskets.of, [1, 0])
    assert "3 dimensions" in refused(Baskets.of, np.zeros((2, 2, 2)))
    assert "1 dimensions" in refused(Baskets.of, sp.coo_array(np.array([1, 0])))
    assert "1 dimensions" in refused(Baskets.of, pd.Series([1, 0]))
    assert "do not form one" in refused(Baskets.of, [[1], [1, 0]])
    assert "0 x 3 was given" in refused(Baskets.of, np.zeros((0, 3)))
    assert "3 x 0 was given" in refused(Baskets.of, sp.csr_array((3, 0)))


def test_names_are_one_for_every_column():
    assert Baskets.of(CELLS, names=NAMES).items(0) == ("milk", "rye")
    assert Baskets.of(pd.DataFrame(CELLS), names=NAMES).names == tuple(NAMES)
    assert Baskets.of(pd.DataFrame(CELLS)).names == ("0", "1", "2")
    assert "2 names were given for 3 columns" in refused(Baskets.of, CELLS, names=NAMES[:2])
    assert "1 of 3 repeat another" in refused(Baskets.of, CELLS, names=[MARK, MARK, "x"])


def test_baskets_of_baskets_may_get_labels_names_and_persons():
    baskets = Baskets.of(CELLS)
    assert Baskets.of(baskets).matrix is baskets.matrix
    other = Baskets.of(baskets, [0, 1, 1], names=NAMES, persons=["a", "b", "a"])
    assert (other.n_classes, other.names, other.persons.tolist()) == (2, tuple(NAMES), [0, 1, 0])


# -- labels and persons ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y",
    [
        ["no", "yes", "no"],
        ("no", "yes", "no"),
        np.array(["no", "yes", "no"]),
        np.array(["no", "yes", "no"], object),
        pd.Series(["no", "yes", "no"], index=[5, 6, 7]),
        pd.Series(["no", "yes", "no"]).astype("category"),
        pl.Series(["no", "yes", "no"]),
        pl.Series(["no", "yes", "no"], dtype=pl.Categorical),
        pa.array(["no", "yes", "no"]),
        pa.chunked_array([["no"], ["yes", "no"]]),
    ],
    ids=lambda y: type(y).__module__ + type(y).__name__,
)
def test_labels_in_every_form(y):
    baskets = Baskets.of(CELLS, y)
    assert (baskets.classes.tolist(), baskets.labels.tolist()) == (["no", "yes"], [0, 1, 0])
    assert baskets.labels.dtype == np.int32


def test_labels_of_numbers_and_truth_values():
    assert Baskets.of(CELLS, [3, 1, 3]).classes.tolist() == [1, 3]
    assert Baskets.of(CELLS, [1.5, 1.0, 1.5]).classes.tolist() == [1.0, 1.5]
    assert Baskets.of(CELLS, [True, False, True]).classes.tolist() == [False, True]
    assert Baskets.of(CELLS, np.array([True, 2, False], object)).classes.tolist() == [0, 1, 2]


def test_labels_that_do_not_fit():
    for y in (["a"], ["a"] * 4, [["a"], ["b"], ["c"]], np.zeros((3, 1)), "abc", 7):
        assert "for each of the 3 rows" in refused(Baskets.of, CELLS, y)
    for y in (
        [MARK, None, "x"],
        [MARK, float("nan"), "x"],
        [1.0, 2.0, float("nan")],
        pd.Series([MARK, None, "x"]),
        pd.Series([MARK, None, "x"], dtype="category"),
        pd.Series([1, None, 2], dtype="Int64"),
        pl.Series([MARK, None, "x"]),
        pl.Series([1, None, 2]),
        pd.Series(pd.to_datetime(["2020-01-01", None, None])).iloc[[0, 1, 0]],
    ):
        assert "1 of 3 labels are missing" in refused(Baskets.of, CELLS, y)
    assert "mix text with other values" in refused(Baskets.of, CELLS, [MARK, 1, "x"])


def test_persons_are_numbered_and_renumbered():
    baskets = Baskets.of(CELLS, persons=["bob", "ann", "bob"])
    assert baskets.persons.tolist() == [1, 0, 1]
    assert baskets.take(np.array([2, 0])).persons.tolist() == [0, 0]
    assert "1 of 3 persons are missing" in refused(Baskets.of, CELLS, persons=[MARK, None, "x"])
    assert "for each of the 3 rows" in refused(Baskets.of, CELLS, persons=[1, 2])


def test_a_release_needs_labels_of_two_classes():
    with pytest.raises(RolesError, match="needs labels"):
        Baskets.of(CELLS).check_for_release()
    labelled = Baskets.of(CELLS, [0, 0, 1])
    labelled.check_for_release()
    for one in (Baskets.of(CELLS, [1, 1, 1]), labelled.take(np.array([0, 1]))):
        with pytest.raises(RolesError, match="one class only"):
            one.check_for_release()


# -- parts -------------------------------------------------------------------------------------------------------------


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_keep_and_take_are_columns_and_rows(n, d, data):
    cells = np.array(data.draw(st.lists(st.lists(st.integers(0, 1), min_size=d, max_size=d), min_size=n, max_size=n)))
    y = data.draw(st.lists(st.sampled_from("ab"), min_size=n, max_size=n))
    columns = data.draw(st.lists(st.integers(0, d - 1), unique=True))
    rows = data.draw(st.lists(st.integers(0, n - 1)))
    baskets = Baskets.of(cells, y)
    kept = baskets.keep(columns)
    assert cells_of(kept) == cells[:, columns].tolist()
    assert kept.names == tuple(baskets.names[j] for j in columns)
    assert kept.support.tolist() == cells[:, columns].sum(axis=0).tolist()
    mask = np.isin(np.arange(d), columns)
    assert cells_of(baskets.keep(mask)) == cells[:, mask].tolist()
    taken = baskets.take(np.array(rows, dtype=int))
    assert cells_of(taken) == cells[rows].tolist()
    assert [taken.classes[label] for label in taken.labels] == [y[row] for row in rows]


def test_a_repr_tells_counts_only():
    assert repr(Baskets.from_transactions([[MARK, "x"]], ["a"])) == "Baskets(1 rows, 2 items, 2 ones)"


# -- transactions ------------------------------------------------------------------------------------------------------


def test_transactions_from_lists_lines_and_files_are_the_same(tmp_path):
    text = "10 9\n\n9  9 100 \r\n10\n"
    (tmp_path / "plain.dat").write_text(text, newline="")
    (tmp_path / "packed.dat.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "marked.dat").write_text("\ufeff" + text, newline="", encoding="utf-8")
    (tmp_path / "commas.dat").write_text("10, 9\n\n9,9,100,\n10\n")
    expected = [[1, 1, 0], [0, 0, 0], [1, 0, 1], [0, 1, 0]]
    for baskets in (
        Baskets.from_transactions([[10, 9], [], [9, 9, 100], ["10"]]),
        Baskets.from_transactions(["10 9", "", "9 9 100", "10"]),
        Baskets.from_transactions(({"10", "9"}, set(), {9, 100}, (10,))),
        Baskets.from_transactions(tmp_path / "plain.dat"),
        Baskets.from_transactions(str(tmp_path / "packed.dat.gz")),
        Baskets.from_transactions(tmp_path / "marked.dat"),
        Baskets.from_transactions(tmp_path / "commas.dat", separator=","),
    ):
        assert baskets.names == ("9", "10", "100")
        assert cells_of(baskets) == expected


def test_items_are_sorted_as_text_when_one_is_no_number():
    assert Baskets.from_transactions(["10 9 b"]).names == ("10", "9", "b")
    assert Baskets.from_transactions(["² 3 01 1"]).names == ("01", "1", "3", "²")  # a digit to Python, no number


@given(st.lists(st.lists(st.sampled_from(["a", "b", "c d", "7"])), min_size=1))
def test_transactions_equal_counting_by_hand(rows):
    if not any(rows):
        assert "no items" in refused(Baskets.from_transactions, rows)
        return
    names = sorted({item for row in rows for item in row}, key=lambda item: item)
    baskets = Baskets.from_transactions(iter(rows))
    assert baskets.names == tuple(names)
    assert cells_of(baskets) == [[int(name in row) for name in names] for row in rows]


def test_transactions_that_cannot_be_read(tmp_path):
    assert "no items" in refused(Baskets.from_transactions, [])
    assert "no items" in refused(Baskets.from_transactions, [[], [""]])
    assert "no file 'absent'" in refused(Baskets.from_transactions, tmp_path / "absent")
    assert "no file of transactions" in refused(Baskets.from_transactions, f"{MARK}\nb")
    assert "not a text file" in refused(Baskets.from_transactions, tmp_path)
    (tmp_path / "junk").write_bytes(b"\xff\xfe\x00" + MARK.encode())
    assert "not a text file" in refused(Baskets.from_transactions, tmp_path / "junk")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(MARK.encode() * 100)[:-9])
    assert "not a text file" in refused(Baskets.from_transactions, tmp_path / "cut.gz")
    assert "2 items of the transactions are missing" in refused(Baskets.from_transactions, [[MARK, None], [np.nan]])
    assert "Row 2" in refused(Baskets.from_transactions, [[MARK], 7])
    assert "cannot be written as text" in refused(Baskets.from_transactions, [[MARK + "\ud800"]])
    assert "separator of items" in refused(Baskets.from_transactions, [["a"]], separator="")
    assert "for each of the 1 rows" in refused(Baskets.from_transactions, [["a"]], [0, 1])


# -- columns of a table ------------------------------------------------------------------------------------------------


def test_one_hot_columns_with_target_and_person():
    frame = pd.DataFrame({"id": ["u", "v", "u"], "tea": [1, 0, 1], "rye": [True, False, False], "y": ["a", "b", "a"]})
    baskets = Baskets.from_columns(frame, target="y", person="id")
    assert baskets.names == ("tea", "rye")
    assert cells_of(baskets) == [[1, 1], [0, 0], [1, 0]]
    assert (baskets.classes.tolist(), baskets.labels.tolist()) == (["a", "b"], [0, 1, 0])
    assert baskets.persons.tolist() == [0, 1, 0]
    assert Baskets.from_columns(frame, target="y", columns=["rye"]).names == ("rye",)


def test_columns_that_are_not_binary_are_named(tmp_path):
    (tmp_path / "t.csv").write_text(f"a,b,c,y\n1,{MARK},,p\n0,2,1,q\n")
    message = refused(Baskets.from_columns, tmp_path / "t.csv", target="y")
    assert "2 of 3 columns have others: 'b', 'c'" in message
    assert "no column 'z'" in refused(Baskets.from_columns, tmp_path / "t.csv", columns=["z"])
    assert "1 of 2 labels are missing" in refused(Baskets.from_columns, {"a": [1, 0], "y": [MARK, None]}, target="y")
    assert "2 x 0" in refused(Baskets.from_columns, {"y": ["p", "q"]}, target="y")


# -- text --------------------------------------------------------------------------------------------------------------


def test_words_of_texts():
    baskets = Baskets.from_text(["Tea and rye", "more tea, more"], [0, 1], stop_words=["and"])
    assert baskets.names == ("more", "rye", "tea")
    assert cells_of(baskets) == [[0, 1, 1], [1, 0, 1]]
    assert Baskets.from_text(iter(["aa", "bb"])).shape == (2, 2)


def test_texts_without_words():
    assert "no words" in refused(Baskets.from_text, ["", "?"])
    for texts in ([], "one text", ["a", None], [b"bytes"]):
        assert "need a list of texts" in refused(Baskets.from_text, texts)
    with pytest.raises(TypeError):
        Baskets.from_text(["aa"], colour="red")


def test_binary_csr_leaves_its_argument_alone():
    X = sp.csr_array((np.array([1, 0]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    binary_csr(X)
    assert (X.nnz, X.indices.tolist()) == (2, [1, 0])


@pytest.mark.data
def test_retail_has_its_well_known_shape():
    retail = Baskets.from_transactions(Path(os.environ["DISCREET_DATA"], "fimi", "retail.dat.gz"))
    assert retail.shape == (88_162, 16_470)
    assert retail.matrix.nnz == 908_576
    assert retail.names[:3] == ("0", "1", "2")
