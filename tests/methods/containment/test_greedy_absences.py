# SPDX-License-Identifier: Apache-2.0
"""GreedySelector under the two-sided promise: attackers may know some items that a person lacks."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import oracles
from discreet import Baskets, CannotRelease, Containment, GreedySelector, KAnonymity, verify
from discreet.counting import supersets
from discreet.methods.containment import greedy
from instances import PERSON_ROLES, ROLES, baskets, people


def is_feasible(rows, features, k, absences, persons=None):
    """From the definition, on the projection."""
    projected = [row & set(features) for row in rows]
    whose = range(len(rows)) if persons is None else persons
    for e in projected:
        for size in range(absences + 1):
            for A in combinations(set(features) - e, size):
                if len({whose[i] for i, f in enumerate(projected) if f >= e and not f & set(A)}) < k:
                    return False
    return True


@given(st.data(), st.integers(2, 4), st.integers(1, 3))
def test_hamdist_equals_the_definition(data, k, absences):
    n, d = data.draw(st.integers(k, 14)), data.draw(st.integers(1, 6))
    rows = [data.draw(st.sets(st.integers(0, d - 1))) for _ in range(n)]
    labels = [0, 1, *(data.draw(st.integers(0, 1)) for _ in range(n - 2))]
    persons = data.draw(st.one_of(st.none(), st.lists(st.integers(0, 6), min_size=n, max_size=n)))
    if not is_feasible(rows, [], k, 0, persons):
        return
    gain = [oracles.ham_pairs(rows, labels, j) for j in range(d)]
    selected = []
    for j in sorted((j for j in range(d) if gain[j]), key=lambda j: (-gain[j], j)):
        if is_feasible(rows, [*selected, j], k, absences, persons):
            selected.append(j)
    matrix = np.array([[j in row for j in range(d)] for row in rows], dtype=int).reshape(n, d)
    method = GreedySelector(k, absences=absences)
    found = Baskets.of(matrix, labels, persons=persons)
    if not selected:
        with pytest.raises(CannotRelease):
            method.release(found)
        return
    release = method.release(found)
    assert [j for j in release.features if gain[j]] == selected
    assert release.verdict.holds


@pytest.mark.parametrize("utility", ["hamdist", "distcnt", "cm"])
@pytest.mark.parametrize("absences", [1, 2])
def test_the_promise_holds_on_the_saved_files(utility, absences, tmp_path):
    X, y = baskets()
    release = GreedySelector(5, utility=utility, absences=absences).release(X, y)
    assert release.promise == Containment(5, absences)
    sets = [set(np.flatnonzero(row)) for row in release.data.toarray()]
    assert is_feasible(sets, range(len(release.columns)), 5, absences)
    found = verify(release.save(tmp_path / "out") / "release")
    assert found.holds, found.problems
    assert found.verdict == release.verdict
    assert found.certificate.promise == {"name": "containment", "k": 5, "absences": absences}


@pytest.mark.parametrize("roles", [ROLES, PERSON_ROLES], ids=["rows", "persons"])
def test_tables(roles, tmp_path):
    release = GreedySelector(5, absences=1).release(people(), roles)
    folder = release.save(tmp_path / "out")
    assert verify(folder / "release", owner=folder / "owner").holds
    assert str(release.promise) == "5-anonymity by containment with 1 absence"


def test_more_absences_keep_no_more_features_and_all_of_them_are_k_anonymity():
    X, y = baskets()
    kept = [len(GreedySelector(5, absences=m).fit(X, y).order_) for m in range(4)]
    assert kept == sorted(kept, reverse=True)
    all_absences = GreedySelector(5, absences=X.shape[1]).fit(X, y)
    k_anonymous = GreedySelector(5, constraint="k-anonymity").fit(X, y)
    assert all_absences.order_.tolist() == k_anonymous.order_.tolist()
    assert GreedySelector(5, constraint="k-anonymity", absences=2).promise == KAnonymity(5)


def test_where_the_final_check_bounds_features_are_taken_back(monkeypatch):
    X, y = baskets()
    exact = GreedySelector(5, absences=3).fit(X, y)
    bounded = Containment(5, absences=3)

    def holds_for_at_most_two(self, data, roles=None):
        verdict = check(self, data, roles)
        return verdict if data.shape[1] <= 2 else type(verdict)(**{**vars(verdict), "holds": False})

    check = type(bounded).check
    monkeypatch.setattr(greedy.Containment, "check", holds_for_at_most_two)
    taken_back = GreedySelector(5, absences=3).fit(X, y)
    assert taken_back.order_.tolist() == exact.order_.tolist()[:2]
    assert len(taken_back.scores_) == 2


def test_bounds_only_lose_features(monkeypatch):
    X, y = baskets()
    exact = GreedySelector(3, absences=3).release(X, y)
    monkeypatch.setattr(supersets, "_EFFORT", 0)
    monkeypatch.setattr(supersets, "_SHARE", 0)
    bounded = GreedySelector(3, absences=3).release(X, y)
    assert bounded.verdict.holds
    assert len(bounded.columns) <= len(exact.columns)
