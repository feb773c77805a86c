# SPDX-License-Identifier: Apache-2.0
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles
from discreet import (
    Baskets,
    CannotRelease,
    DataError,
    GreedySelector,
    MaximalSelector,
    OptimalSelector,
    RandomFlip,
    Roles,
    RolesError,
)
from discreet.counting.class_separation import dist_cnt
from discreet.privacy import containment_anonymity
from instances import recodes
from medians import Medians
from paper_example import TABLE_1, TABLE_1_LABELS


@st.composite
def labelled(draw):
    n, d = draw(st.integers(4, 12)), draw(st.integers(1, 8))
    rows = [draw(st.sets(st.integers(0, d - 1))) for _ in range(n)]
    labels = draw(st.lists(st.sampled_from("pqr"), min_size=n, max_size=n))
    persons = draw(st.one_of(st.none(), st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    return rows, labels, persons, d


@pytest.mark.parametrize("on_infeasible", ["skip", "stop"])
@pytest.mark.parametrize("constraint", ["containment", "k-anonymity"])
@pytest.mark.parametrize("utility", ["hamdist", "distcnt", "cm"])
@given(found=labelled(), k=st.integers(2, 4))
def test_every_greedy_equals_its_slow_twin(utility, constraint, on_infeasible, found, k):
    rows, labels, persons, d = found
    assume(len(set(labels)) > 1)
    assume(len(set(range(len(rows)) if persons is None else persons)) >= k)
    matrix = np.array([[item in row for item in range(d)] for row in rows], dtype=int)
    baskets = Baskets.of(matrix, labels, persons=persons)
    method = GreedySelector(k, utility=utility, constraint=constraint, on_infeasible=on_infeasible)
    expected = oracles.greedy(rows, labels, d, k, utility, constraint, on_infeasible, persons)
    if not expected:
        with pytest.raises(CannotRelease):
            method.release(baskets)
    else:
        assert list(method.release(baskets).features) == expected


@given(found=labelled(), k=st.integers(2, 4))
def test_a_callable_equals_the_utility_it_computes(found, k):
    rows, labels, _, d = found
    assume(len(set(labels)) > 1)
    matrix = np.array([[item in row for item in range(d)] for row in rows], dtype=int)
    expected = oracles.greedy(rows, labels, d, k, "distcnt", "containment", "skip")
    assume(expected)
    method = GreedySelector(k, utility=lambda baskets: round(dist_cnt(baskets, None), 12) if baskets.shape[1] else 0)
    assert list(method.release(Baskets.of(matrix, labels)).features) == expected


@given(found=labelled(), k=st.integers(2, 4))
def test_skip_is_inclusion_maximal_for_hamdist(found, k):
    rows, labels, _, d = found
    assume(len(set(labels)) > 1)
    selected = oracles.greedy(rows, labels, d, k, "hamdist", "containment", "skip")
    matrix = np.array([[item in row for item in range(d)] for row in rows], dtype=int)
    assume(selected)
    kept = set(GreedySelector(k).release(Baskets.of(matrix, labels)).features)
    for item in set(range(d)) - kept:
        if 0 < sum(item in row for row in rows) < len(rows):  # not the same in all rows
            assert not oracles.is_feasible(rows, [*kept, item], k, "containment")


def test_the_paper_s_table_at_k_3():
    """Stopping ("stop") returns nothing at k = 3, since x2 has support 2; "skip" goes on."""
    with pytest.raises(CannotRelease, match="merge rare values, or skip"):
        GreedySelector(3, on_infeasible="stop").fit(TABLE_1, TABLE_1_LABELS)
    picked = GreedySelector(3).fit(TABLE_1, TABLE_1_LABELS)
    assert containment_anonymity(TABLE_1[:, picked.order_]) >= 3


def test_scikit_learn_selector():
    rng = np.random.default_rng(0)
    X = (rng.random((200, 12)) < 0.4).astype(int)
    y = (X[:, 2] | X[:, 5]).astype(int)
    picked = GreedySelector(5, utility="distcnt", max_features=2).fit(X, y)
    assert sorted(picked.order_) == [2, 5]
    assert picked.support_.dtype == bool
    assert np.flatnonzero(picked.support_).tolist() == [2, 5] == picked.get_support(indices=True).tolist()
    assert picked.get_support().sum() == 2
    assert picked.transform(X).shape == (200, 2)
    assert picked.get_feature_names_out().tolist() == ["x2", "x5"]
    assert len(picked.scores_) == 2
    assert [step["feature"] for step in picked.trace_ if step["kept"]] == [f"x{j}" for j in picked.order_]
    assert (picked.transform(sp.csr_matrix(X)).toarray() == picked.transform(X)).all()
    with pytest.raises(NotFittedError):
        GreedySelector().transform(X)


def test_works_in_a_pipeline_inside_cross_validation():
    rng = np.random.default_rng(1)
    X = (rng.random((150, 10)) < 0.4).astype(int)
    y = X[:, 1]
    assert cross_val_score(make_pipeline(GreedySelector(5), LogisticRegression()), X, y, cv=3).min() > 0.9


class Binarised(Medians, GreedySelector):
    """Cuts what scikit-learn's checks fit on at its medians."""

    name = ""


@parametrize_with_checks([Binarised(k=2), Binarised(k=2, utility="distcnt", constraint="k-anonymity")])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


def test_baskets_have_no_roles_and_tables_need_them():
    X = np.eye(4, dtype=int)
    with pytest.raises(RolesError, match="needs labels"):
        GreedySelector(2).release(X)
    with pytest.raises(RolesError, match="needs roles for a table"):
        GreedySelector(2).release({"a": [1, 0]})
    with pytest.raises(RolesError, match="one class only"):
        GreedySelector(2).release(X, [1, 1, 1, 1])
    with pytest.raises(DataError, match="cells hold something else"):
        GreedySelector(2).release(np.full((4, 2), 3), [0, 1, 0, 1])
    with pytest.raises(CannotRelease, match="only 4 persons"):
        GreedySelector(5).release(X, [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 1}, "'k' parameter of GreedySelector must be an int in the range"),
        ({"utility": "hamming"}, "'utility' parameter of GreedySelector"),
        ({"constraint": "k"}, "'constraint' parameter"),
        ({"on_infeasible": "break"}, "'on_infeasible' parameter"),
        ({"max_features": 0}, "'max_features' parameter"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        GreedySelector(**parameters).fit(TABLE_1, TABLE_1_LABELS)


def test_a_table_goes_through_bins_and_items():
    """Numbers are cut, categories become items, and the columns an item came from stand together."""
    n = 40
    table = {"age": list(range(n)), "sex": ["f", "m"] * (n // 2), "flag": [0, 1, 1, 1] * (n // 4)}
    table["y"] = ["old" if age >= 20 else "young" for age in table["age"]]
    release = GreedySelector(2).release(table, Roles(target="y", quasi=["age", "sex", "flag"]))
    assert release.columns[:2] == ("age=< 20", "age=>= 20")
    assert set(release.data.column("age=< 20").to_pylist()) == {0, 1}
    assert release.owner.trace
    assert any("lacking one value" in note for note in release.owner.notes)
    given = GreedySelector(2, cuts={"age": [10, 30]}).release(table, Roles(target="y", quasi=["age"]))
    assert set(given.columns) <= {"age=< 10", "age=[10, 30)", "age=>= 30", "y"}


def test_a_table_without_frequent_values_cannot_be_released():
    table = {"town": list("abcdef"), "y": [0, 1, 0, 1, 0, 1]}
    with pytest.raises(CannotRelease, match="No feature can be kept at k = 3"):
        GreedySelector(3).release(table, Roles(target="y", quasi=["town"]))


@pytest.mark.parametrize("method", [GreedySelector(3), MaximalSelector(3), OptimalSelector(3), RandomFlip(3)])
@pytest.mark.parametrize("kind", [int, float, bool, str])
def test_a_column_of_0_and_1_is_one_item_and_a_constant_is_none(method, kind):
    """Whatever the target says: such a column is not cut."""
    rng = np.random.default_rng(0)
    table = {"a": rng.integers(0, 2, 60), "b": rng.integers(0, 2, 60), "y": np.arange(60) % 2, "c": ["x"] * 60}
    table |= {name: [kind(value) for value in table[name]] for name in "ab"} | {"age": rng.permutation(60)}
    release = method.release(table, Roles(target="y", quasi=["a", "b", "c", "age"]))
    assert set(release.columns) == {"a", "b", "y"}
    if recodes(method):
        again = release.recode(table).to_arrow()
        assert again.column("a").to_pylist() == [int(value in (1, "1", True)) for value in table["a"]]


def test_cuts_that_are_given_for_a_column_of_0_and_1_are_taken():
    table = {"a": [0, 1] * 10, "y": [0, 1, 1, 1] * 5}
    release = GreedySelector(3, cuts={"a": [0.5]}).release(table, Roles(target="y", quasi=["a"]))
    assert set(release.columns) == {"a=< 0.5", "a=>= 0.5", "y"}


@pytest.mark.parametrize("utility", ["cm", lambda baskets: 0.0])
def test_features_that_gain_nothing_are_refused_with_the_utility_named(utility):
    """No value of a column alone changes the majority class; HamDist and DistCnt still gain by it."""
    X, y = np.eye(3, dtype=int)[np.arange(30) % 3], ([0] * 3 + [1] * 3 + [0] * 3) * 3 + [0, 0, 0]
    named = "utility='cm'" if utility == "cm" else "the given utility"
    with pytest.raises(CannotRelease, match=f"None of the 3 features gains anything by itself under {named}"):
        GreedySelector(2, utility=utility).fit(X, y)
    assert len(GreedySelector(2).fit(X, y).order_)


@pytest.mark.data
@pytest.mark.parametrize(
    ("utility", "expected"), [("hamdist", {5: 12, 8: 11, 11: 11}), ("distcnt", {5: 12, 8: 9, 11: 7})]
)
def test_the_stop_rule_on_pu1_selects_as_many_as_the_reference(utility, expected):
    from discreet.samples import load

    baskets = load("pu1").data
    for k, size in expected.items():
        kept, _ = GreedySelector(k, utility=utility, on_infeasible="stop")._keep(baskets, None)
        assert abs(len(kept) - size) <= 1  # ties


def test_text_in_a_matrix_is_refused_without_quoting_it():
    X = np.array([["SECRET-7731", 1], [0, 1], [1, 0]], dtype=object)
    with pytest.raises(DataError) as caught:
        GreedySelector(2).fit(X, [0, 1, 1])
    assert "SECRET" not in str(caught.value)
    assert caught.value.__context__ is None


@pytest.mark.parametrize("constraint", ["containment", "k-anonymity"])
@pytest.mark.parametrize("utility", ["hamdist", "distcnt", "cm"])
@given(found=labelled(), k=st.integers(2, 3))
def test_known_labels_are_items_that_everybody_knows(utility, constraint, found, k):
    """A feature is kept if and only if the selection with it is feasible with the label as a further item."""
    rows, labels, persons, d = found
    assume(len(set(labels)) > 1)
    whose = range(len(rows)) if persons is None else persons
    assume(len(set(whose)) >= k)
    matrix = np.array([[item in row for item in range(d)] for row in rows], dtype=int)
    baskets = Baskets.of(matrix, labels, persons=persons)
    method = GreedySelector(k, utility=utility, constraint=constraint, label_known=True)
    known = [{*row, f"label {label}"} for row, label in zip(rows, labels, strict=True)]
    every = [f"label {label}" for label in set(labels)]
    if not oracles.is_feasible(known, every, k, constraint, persons):
        with pytest.raises(CannotRelease, match="with known labels"):
            method.release(baskets)
        return
    try:
        release = method.release(baskets)
    except CannotRelease:
        assert (
            not any(
                oracles.is_feasible(known, [*every, item], k, constraint, persons)
                for item in range(d)
                if 0 < sum(item in row for row in rows) < len(rows) and oracles.ham_pairs(rows, labels, item)
            )
            or utility == "cm"
        )
        return
    kept = []
    for step in release.owner.trace:
        item = int(step["feature"][1:])
        assert step["kept"] == oracles.is_feasible(known, [*every, *kept, item], k, constraint, persons)
        kept += [item] if step["kept"] else []
    assert kept == list(release.features)
    assert release.verdict.measured >= k
