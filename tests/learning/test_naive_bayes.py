# SPDX-License-Identifier: Apache-2.0
"""Naive Bayes equals its definition on random tables, for all features and for some, on rows and on weights."""

import math

import numpy as np
import pytest
from benchmarks.learning.others import on_weka_folds
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.learning.examples import Examples
from discreet.learning.naive_bayes import NaiveBayes, probabilities


def slow_twin(rows, labels, new, numeric):
    """The definition, cell by cell: {class: log weight} of one new row. None is unknown."""
    classes = sorted(set(labels))
    found = {}
    for c in classes:
        score = math.log((labels.count(c) + 1) / (len(labels) + len(classes)))
        for f, cell in enumerate(new):
            everywhere = [row[f] for row in rows if row[f] is not None]
            here = [row[f] for row, label in zip(rows, labels, strict=True) if label == c and row[f] is not None]
            if cell is None:
                continue
            if not numeric[f]:
                if cell in everywhere:
                    score += math.log((here.count(cell) + 1) / (len(here) + len(set(everywhere))))
                continue
            values = sorted(set(everywhere))
            precision = (values[-1] - values[0]) / (len(values) - 1) if len(values) > 1 else 0.01
            rounded = [round(v / precision) * precision for v in here or everywhere]
            mean = sum(rounded) / len(rounded) if rounded else 0.0
            deviation = math.sqrt(sum((v - mean) ** 2 for v in rounded) / len(rounded)) if rounded else 0.0
            scale = max(deviation, precision / 6) * math.sqrt(2)
            far = abs(round(cell / precision) * precision - mean)
            upper = [math.erfc((far + side * precision / 2) / scale) / 2 for side in (-1, 1)]
            score += math.log(max(upper[0] - upper[1], 1e-75))
        found[c] = score
    return found


CELLS = st.tuples(
    st.sampled_from(["a", "b", "c", None]), st.sampled_from([1.0, 2.0, 2.5, 7.0, 40.0, None]), st.sampled_from("xy")
)


def table_of(rows, labels=None):
    columns = {"s": [r[0] for r in rows], "n": [r[1] for r in rows], "t": [r[2] for r in rows]}
    if labels is not None:
        columns["y"] = labels
    return Table.of(columns, kinds={"s": "category", "n": "number", "t": "category"})


@given(
    rows=st.lists(st.tuples(CELLS, st.sampled_from("uvw")), min_size=2, max_size=30), new=st.lists(CELLS, min_size=1)
)
def test_it_equals_the_definition(rows, new):
    cells, labels = [row for row, _ in rows], [label for _, label in rows]
    model = NaiveBayes().fit(Examples.of(table_of(cells, labels), ["s", "n", "t"], "y"))
    got = model.predict_proba(table_of(new))
    for line, row in zip(got, new, strict=True):
        expected = slow_twin(cells, labels, row, [False, True, False])
        assert model.classes_ == tuple(expected)
        np.testing.assert_allclose(line, probabilities(np.array([[*expected.values()]]))[0], atol=1e-9)


@given(st.lists(st.tuples(CELLS, st.sampled_from("uvw")), min_size=2, max_size=30))
def test_some_features_predict_as_if_only_they_had_been_learnt(rows):
    table = table_of([row for row, _ in rows], [label for _, label in rows])
    model = NaiveBayes().fit(Examples.of(table, ["s", "n", "t"], "y"))
    evidence = model.evidence(table)
    for some in ([], ["n"], ["t", "s"]):
        alone = NaiveBayes().fit(Examples.of(table, some, "y")).predict_proba(table)
        np.testing.assert_allclose(model.predict_proba(table, features=some), alone, atol=1e-12)
        places = [["s", "n", "t"].index(name) for name in some]
        summed = probabilities(model.log_prior_ + evidence[places].sum(axis=0))
        np.testing.assert_allclose(summed, alone, atol=1e-12)


def test_weights_are_rows():
    table = table_of([("a", 1.0, "x"), ("b", 3.0, "y"), ("a", None, "y")], ["u", "v", "v"])
    thrice = table.take(np.array([0, 0, 0, 1, 2, 2]))
    weighted = Examples.of(table, ["s", "n", "t"], "y", weights=np.array([3, 1, 2]))
    plain = Examples.of(thrice, ["s", "n", "t"], "y")
    np.testing.assert_allclose(
        NaiveBayes().fit(weighted).predict_proba(table), NaiveBayes().fit(plain).predict_proba(table)
    )


def test_a_suppressed_cell_says_nothing():
    table = Table.of({"s": ["*", "*", "*", "a", "b"], "y": ["u", "u", "u", "u", "v"]})
    examples = Examples.of(table, ["s"], "y", missing=NaiveBayes.missing, suppressed=NaiveBayes.suppressed)
    proba = NaiveBayes().fit(examples).predict_proba(table)
    np.testing.assert_allclose(proba[0], [5 / 7, 2 / 7])


def test_both_tails_are_alike():
    table = Table.of({"n": [-1.0, 0.0, 1.0, 99.0, 100.0, 101.0], "y": ["u"] * 3 + ["v"] * 3})
    model = NaiveBayes().fit(Examples.of(table, ["n"], "y"))
    below, above = model.evidence(Table.of({"n": [-60.0, 160.0]}))[0]
    np.testing.assert_allclose(below, above[::-1])


def test_a_feature_that_was_not_learnt_is_refused():
    table = Table.of({"sex": ["f", "m"], "y": ["u", "v"]})
    model = NaiveBayes().fit(Examples.of(table, ["sex"], "y"))
    with pytest.raises(DataError, match=r"did not learn from 'sx'. Did you mean 'sex'"):
        model.predict(table, features=["sx"])
    with pytest.raises(DataError, match="at least one row whose class is known"):
        NaiveBayes().fit(Examples.of(Table.of({"sex": ["f"], "y": [None]}), ["sex"], "y"))


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "published"), [("german", 75.4), ("tic_tac_toe", 69.62), ("glass", 49.53), ("pima", 76.30)]
)
def test_ten_folds_of_weka_give_the_figure_of_its_naive_bayes(name, published):
    """Weka's NaiveBayes with its defaults, `-x 10 -s 1`: the same rows are right, to the second decimal."""
    assert on_weka_folds("naive-bayes", name) == published
