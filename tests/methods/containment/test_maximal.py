# SPDX-License-Identifier: Apache-2.0
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import parametrize_with_checks

import oracles
from discreet import Baskets, CannotRelease, DataError, MaximalSelector, Roles
from discreet.methods.containment.maximal import NOT_PROVEN
from discreet.privacy import containment_anonymity
from instances import PERSON_ROLES, ROLES, people
from medians import Medians
from methods.test_containment import feasible, frequent, maximal, skewed, tables
from paper_example import TABLE_1, TABLE_1_LABELS

FAMILIES = {"containment": feasible, "frequent": frequent}


@pytest.mark.parametrize("family", ["containment", "frequent"])
@pytest.mark.parametrize("utility", ["hamdist", "distcnt"])
@given(
    found=tables(most_columns=7),
    labels=st.text("pqr", min_size=12, max_size=12),
    k=st.integers(2, 5),
    r=st.integers(1, 6),
)
def test_the_best_of_the_largest_sets_equals_its_slow_twin(utility, family, found, labels, k, r):
    rows, d, persons = found
    labels = list(labels)[: len(rows)]
    assume(len(set(labels)) > 1)
    assume(len(set(range(len(rows)) if persons is None else persons)) >= k)
    sets = [{j for j in range(d) if row >> j & 1} for row in rows]
    worth = {
        "hamdist": lambda chosen: sum(oracles.ham_pairs(sets, labels, j) for j in chosen),
        "distcnt": lambda chosen: oracles.dist_pairs(sets, labels, chosen),
    }[utility]
    candidates = maximal(FAMILIES[family](rows, d, k, persons), d)[:r]
    matrix = np.array([[j in row for j in range(d)] for row in sets], dtype=int)
    method = MaximalSelector(k, candidates=r, utility=utility, family=family)
    baskets = Baskets.of(matrix, labels, persons=persons)
    if not candidates:
        with pytest.raises(CannotRelease, match="No feature can be kept"):
            method.release(baskets)
        return
    expected = max(candidates, key=worth)  # the first of equals
    release = method.release(baskets)
    assert release.features == expected
    assert method.proven_
    assert [step["size"] for step in release.owner.trace if not step["kept"]] == [len(chosen) for chosen in candidates]
    assert [step["gain"] for step in release.owner.trace if not step["kept"]] == [
        worth(chosen) for chosen in candidates
    ]
    assert sum(step["gain"] for step in release.owner.trace if step["kept"]) == worth(expected)


def test_the_paper_s_table():
    """{x1, x3, x4, x5} is feasible but not frequent; HamDist prefers it."""
    exact = MaximalSelector(2).fit(TABLE_1, TABLE_1_LABELS)
    assert exact.order_.tolist() == [0, 2, 3, 4]
    assert [step["size"] for step in exact.trace_ if not step["kept"]] == [4, 3]
    assert containment_anonymity(TABLE_1[:, exact.order_]) == 2
    paper = MaximalSelector(2, family="frequent").fit(TABLE_1, TABLE_1_LABELS)
    assert paper.order_.tolist() == [0, 1, 4]
    assert [step["size"] for step in paper.trace_ if not step["kept"]] == [3, 3, 3]


def test_scikit_learn_selector():
    rng = np.random.default_rng(0)
    X = (rng.random((200, 12)) < 0.4).astype(int)
    y = (X[:, 2] | X[:, 5]).astype(int)
    picked = MaximalSelector(5).fit(X, y)
    assert picked.get_support().sum() == len(picked.order_) == len(picked.scores_)
    assert (picked.transform(sp.csr_matrix(X)).toarray() == picked.transform(X)).all()
    assert [step["feature"] for step in picked.trace_ if step["kept"]] == [f"x{j}" for j in picked.order_]


class Binarised(Medians, MaximalSelector):
    """Cuts what scikit-learn's checks fit on at its medians."""

    name = ""


@parametrize_with_checks([Binarised(k=2), Binarised(k=2, utility="distcnt", family="frequent")])
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check(estimator)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 1}, "'k' parameter of MaximalSelector must be an int in the range"),
        ({"candidates": 0}, "'candidates' parameter"),
        ({"utility": "cm"}, "'utility' parameter of MaximalSelector"),
        ({"family": "closed"}, "'family' parameter"),
        ({"time_limit": 0}, "'time_limit' parameter"),
    ],
)
def test_wrong_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        MaximalSelector(**parameters).fit(TABLE_1, TABLE_1_LABELS)


@pytest.mark.parametrize("family", ["containment", "frequent"])
def test_a_time_limit_gives_a_release_that_says_so(family):
    matrix = skewed(2000, 300, 0.5)
    labels = np.arange(2000) % 2
    method = MaximalSelector(40, family=family, time_limit=0.2)
    release = method.release(matrix, labels)
    assert release.verdict.holds
    assert not method.proven_
    assert not any(step["proven"] for step in release.owner.trace if not step["kept"])


@pytest.mark.parametrize("family", ["containment", "frequent"])
def test_there_is_an_answer_at_any_time_limit_and_for_any_number_of_candidates(family):
    rng = np.random.default_rng(0)
    X = (rng.random((60, 5)) < 0.5).astype(int)
    hurried = MaximalSelector(3, family=family, time_limit=1e-9).fit(X, X[:, 0])
    assert len(hurried.order_)
    assert not hurried.proven_
    assert MaximalSelector(3, family=family, candidates=10**12).fit(X, X[:, 0]).proven_
    wide = (rng.random((60, 500)) < 0.5).astype(int)
    with pytest.raises(DataError, match=r"would take .* GB of memory"):
        MaximalSelector(3, family=family, candidates=10**9).fit(wide, X[:, 0])


def test_an_unproven_table_release_tells_its_owner(monkeypatch):
    from discreet.methods.containment import maximal as module
    from discreet.methods.containment.maximal_pool import MaximalSets

    whole = module.largest_contained
    monkeypatch.setattr(
        module, "largest_contained", lambda *args, **kwargs: MaximalSets(whole(*args, **kwargs).sets, proven=False)
    )
    said = NOT_PROVEN.partition("{}")[0]
    assert any(note.startswith(said) for note in MaximalSelector(5).release(people(), ROLES).owner.notes)
    frequent = MaximalSelector(5, family="frequent").release(people(), ROLES)
    assert not any(note.startswith(said) for note in frequent.owner.notes)


def test_unproven_baskets_tell_the_size_found_and_a_bound():
    matrix = (np.random.default_rng(0).random((60, 1000)) < 0.15).astype(int)
    method = MaximalSelector(4, candidates=3)
    (note,) = (n for n in method.release(matrix, np.arange(60) % 2).owner.notes if n.startswith("The search for"))
    largest = max(step["size"] for step in method.fit(matrix, np.arange(60) % 2).trace_ if not step["kept"])
    assert f"Features in the largest set found: {largest}. No feasible set has more than {method.bound_}." in note
    assert largest <= method.bound_ < 1000


def test_persons_who_have_several_rows_count_once():
    rows = MaximalSelector(5, family="frequent").release(people(), ROLES)
    persons = MaximalSelector(5, family="frequent").release(people(), PERSON_ROLES)
    assert persons.verdict.measured >= 5
    assert len(persons.columns) <= len(rows.columns)


def test_a_table_whose_values_are_all_rare_cannot_be_released():
    table = {"town": list("abcdef"), "y": [0, 1, 0, 1, 0, 1]}
    with pytest.raises(CannotRelease, match="No feature can be kept at k = 3"):
        MaximalSelector(3).release(table, Roles(target="y", quasi=["town"]))


@pytest.mark.data
def test_the_largest_sets_of_pu1():
    """Sizes found once by the row search and once by the item search, proven largest; a frequent set is feasible."""
    from discreet.samples import load

    baskets = load("pu1").data
    for k, largest in {5: 694, 8: 617, 11: 577}.items():
        method = MaximalSelector(k, family="frequent")
        kept, trace = method._keep(baskets, None)
        assert method.proven_
        assert trace[0]["size"] == largest
        rows = np.asarray(baskets.matrix[:, kept].sum(axis=1)) == len(kept)
        assert rows.sum() >= k
