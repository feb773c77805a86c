# SPDX-License-Identifier: Apache-2.0
"""Columns as matrices: new rows are coded by what the training rows said; weights count as rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import euclidean_distances

from discreet.data.table import Table
from discreet.learning import encoding as encode
from discreet.learning.encoding import OneHot, Ordinal, StandardScale, _beside, encoded, one_hot, places
from discreet.learning.examples import Examples

LEARNT = Table.of(
    {"s": ["a", "*", None, "a"], "n": [1.0, 3.0, None, 3.0], "y": ["u", "v", "u", "v"]}, kinds={"s": "category"}
)
TESTED = Table.of({"s": ["never", None, "*"], "n": [2.0, None, 9.0]}, kinds={"s": "category", "n": "number"})


def examples(**reading):
    return Examples.of(LEARNT, ["s", "n"], "y", **reading)


def test_one_hot_has_a_column_for_missing_and_none_for_what_was_never_met():
    coding = OneHot()
    coding.learn(examples(missing="value"))
    categories, numbers = np.split(coding.apply(TESTED).toarray(), [3], axis=1)
    assert categories.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0]]  # *, a, missing
    mean, deviation = 7 / 3, np.std([1, 3, 3])
    expected = [[(2 - mean) / deviation, 1, 0], [0, 0, 1], [(9 - mean) / deviation, 1, 0]]
    np.testing.assert_allclose(numbers, expected)


def test_distinct_rows_and_the_rows_of_the_table_are_coded_alike():
    for coding in (OneHot(), Ordinal()):
        seen = examples(missing="value")
        learnt, applied = coding.learn(seen), coding.apply(LEARNT)
        dense = [m if isinstance(m, np.ndarray) else m.toarray() for m in (learnt, applied)]
        assert {tuple(np.nan_to_num(line, nan=-9)) for line in dense[0]} == {
            tuple(np.nan_to_num(line, nan=-9)) for line in dense[1]
        }
        assert len(dense[0]) == len(seen)


def test_ordinal_codes_are_nan_where_nothing_is_known():
    coding = Ordinal()
    coding.learn(examples(missing="value"))
    np.testing.assert_array_equal(coding.apply(TESTED), [[np.nan, 2.0], [2.0, np.nan], [0.0, 9.0]])
    coding.learn(examples(missing="unknown", suppressed="unknown"))
    np.testing.assert_array_equal(coding.apply(TESTED)[:, 0], [np.nan, np.nan, np.nan])


@pytest.mark.parametrize(
    "ordered",
    [
        ["< 5", "[5, 10)", "[10, 100)", ">= 100", "*"],
        ["< 2", "-3", "[0, 2)", "[0, 30)", "1.5", "*", "nan"],
        ["< 2020-01-01", "[2020-01-01, 2020-07-01)", ">= 2020-07-01 12:00:00", "{a, b}"],
        ["*", "[a, b)", "bird", "cat", ""],
        ["7", "1,5", "[1, 2, 3)"],
    ],
)
def test_intervals_come_in_the_order_of_their_ends(ordered):
    for texts in (ordered, ordered[::-1], sorted(ordered)):
        place = dict(zip(texts, places(tuple(texts)), strict=True))
        assert sorted(texts, key=place.get) == ordered


def test_a_scale_counts_weights_as_rows():
    numbers, counts = np.array([1.0, 2.0, 5.0, 9.0]), np.array([3, 1, 0, 2])
    every = np.repeat(numbers, counts)
    scale = StandardScale.fit(numbers, counts, parts=4)
    assert (scale.mean, scale.spread) == (pytest.approx(every.mean()), pytest.approx(every.std()))
    assert scale.edges.tolist() == np.unique(np.quantile(every, [0.25, 0.5, 0.75])).tolist()
    constant, empty = StandardScale.fit(np.array([4.0]), np.array([2])), StandardScale.fit(np.empty(0), np.empty(0))
    assert constant.matrix(np.array([4.0, np.nan])).toarray().tolist() == [[0, 1, 0], [0, 0, 1]]
    assert empty.matrix(np.array([np.nan])).toarray().tolist() == [[0, 0, 1]]


def test_two_tables_are_coded_by_the_first():
    learnt, tested = encoded(LEARNT, TESTED, ["s"])
    assert learnt.toarray().tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert tested.toarray().tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0]]
    assert [m.shape for m in encoded(LEARNT, TESTED, [])] == [(4, 0), (3, 0)]


def test_numbers_that_meet_categories_are_compared_as_texts():
    numbers, texts = Table.of({"x": [1, 2]}), Table.of({"x": ["2", "*"]}, kinds={"x": "category"})
    learnt, tested = encoded(numbers, texts, ["x"])
    assert learnt.toarray().tolist() == [[1, 0, 0], [0, 1, 0]]
    assert tested.toarray().tolist() == [[0, 1, 0], [0, 0, 0]]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.integers(0, 3))
def test_columns_of_codes_side_by_side_are_their_one_hot_matrices(kinds, seed):
    """Zero stands for a matrix between them, other numbers are widths; codes from the width on are all zeros."""
    rng = np.random.default_rng(seed)
    parts = [
        (rng.integers(0, 5, 7).astype(np.int32), width) if width else sp.csr_array(rng.random((7, 2)))
        for width in kinds
    ]
    slow = [one_hot(*part).toarray() if isinstance(part, tuple) else part.toarray() for part in parts]
    joined = _beside(parts)
    assert np.array_equal(joined.toarray(), np.hstack(slow))
    assert joined.indices.dtype == np.int32


def test_many_items_in_one_column_each_are_the_same_distances_and_the_same_linear_model(monkeypatch):
    """Also where a value was never met: its column says neither."""
    rng = np.random.default_rng(4)
    cells = rng.random((120, 300)) < rng.random(300)
    columns = {f"i{j:03}": np.where(cells[:, j], "yes", "no") for j in range(300)}
    columns["i000"], columns["i001"] = np.where(cells[:, 0], "yes", "maybe"), np.full(120, "no")
    learnt = Table.of(
        {**columns, "c": rng.choice(["u", "v", "w"], 120), "y": np.where(cells[:, 5] ^ cells[:, 9], 1, 0)}
    )
    tested = learnt.take(rng.permutation(120)[:40])
    strange = Table.of({name: ["never", *tested.column(name).to_arrow().to_pylist()[1:]] for name in (*columns, "c")})
    seen, found = Examples.of(learnt, [*columns, "c"], "y", missing="value"), []
    for many in (10**6, 256):
        monkeypatch.setattr(encode, "_MANY", many)
        coding = OneHot()
        matrix = coding.learn(seen)
        model = LogisticRegression(tol=1e-10, max_iter=10_000).fit(matrix, np.argmax(seen.counts, axis=1))
        shares = [model.predict_proba(coding.apply(table))[:, 1] for table in (tested, strange)]
        found.append((matrix, shares, euclidean_distances(coding.apply(tested))))
    (wide, two, apart), (narrow, one, near) = found
    assert narrow.nnz < 0.6 * wide.nnz
    np.testing.assert_allclose(near, apart, atol=1e-9)
    np.testing.assert_allclose(one, two, atol=1e-5)
