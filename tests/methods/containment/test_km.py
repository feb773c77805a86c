# SPDX-License-Identifier: Apache-2.0
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
from discreet import (
    Baskets,
    CannotRelease,
    Containment,
    DataError,
    GreedySelector,
    KmSelector,
    ParameterError,
    Roles,
    verify,
)
from discreet.methods.containment import km
from discreet.samples import load


@st.composite
def labelled(draw):
    n, d = draw(st.integers(4, 14)), draw(st.integers(1, 8))
    rows = [draw(st.sets(st.integers(0, d - 1))) for _ in range(n)]
    labels = draw(st.lists(st.sampled_from("pqr"), min_size=n, max_size=n))
    persons = draw(st.one_of(st.none(), st.lists(st.integers(0, 5), min_size=n, max_size=n)))
    return rows, labels, persons, d


@pytest.mark.parametrize("utility", ["information", "hamdist"])
@settings(deadline=None)
@given(found=labelled(), k=st.integers(2, 4), m=st.integers(1, 3))
def test_what_is_kept_holds_and_nothing_more_fits(utility, found, k, m):
    rows, labels, persons, d = found
    whose = range(len(rows)) if persons is None else persons
    assume(len(set(labels)) > 1 and len(set(whose)) >= k)
    matrix = np.array([[item in row for item in range(d)] for row in rows], dtype=int).reshape(len(rows), d)
    method = KmSelector(k, m=m, utility=utility, random_state=0)
    has = [{whose[i] for i, row in enumerate(rows) if item in row} for item in range(d)]
    common = [j for j in range(d) if len(has[j]) >= k and any(j not in row for row in rows)]
    if not common:
        with pytest.raises(CannotRelease, match="No item can be kept"):
            method.release(Baskets.of(matrix, labels, persons=persons))
        return
    release = method.release(Baskets.of(matrix, labels, persons=persons))
    kept = set(release.features)
    assert kept <= set(common)
    assert oracles.km_anonymity([row & kept for row in rows], m, persons) == release.verdict.measured >= k
    for item in set(common) - kept:
        assert oracles.km_anonymity([row & (kept | {item}) for row in rows], m, persons) < k


@settings(deadline=None, max_examples=40)
@given(found=labelled(), k=st.integers(2, 4), m=st.integers(1, 3))
def test_m_items_of_a_person_with_the_groups_that_follow_find_k(found, k, m):
    """The attacker knows m items of a row as they were, and so their groups; counted is what is published."""
    rows, labels, persons, d = found
    whose = range(len(rows)) if persons is None else persons
    assume(len(set(labels)) > 1 and len(set(whose)) >= k)
    matrix = np.array([[item in row for item in range(d)] for row in rows], dtype=int).reshape(len(rows), d)
    group_of = {f"x{i}": f"group {i % 3}" for i in range(d)}
    try:
        release = KmSelector(k, m=m, groups=group_of).release(Baskets.of(matrix, labels, persons=persons))
    except CannotRelease:
        return
    shown = set(release.columns)

    def published(items):
        return {name for i in items for name in (f"x{i}", group_of[f"x{i}"]) if name in shown}

    written = [published(row) for row in rows]
    for row in rows:
        for size in range(1, m + 1):
            for known in combinations(sorted(row), size):
                assert len({whose[i] for i, cells in enumerate(written) if cells >= published(known)}) >= k
    assert release.verdict.measured >= k
    recoded = release.recode([[f"x{i}" for i in sorted(row)] for row in rows])
    assert [set(recoded.items(i)) for i in range(len(rows))] == written
    for name in shown & set(group_of.values()):  # a group says something that its members do not
        assert not {item for item, group in group_of.items() if group == name} <= shown


def test_groups_keep_what_single_items_cannot(tmp_path):
    rng = np.random.default_rng(1)
    X = (rng.random((300, 40)) < 0.03).astype(int)
    y = X[:, :8].any(axis=1).astype(int)
    baskets = Baskets.of(X, y)
    groups = {f"x{i}": f"shelf {i // 8}" for i in range(40)}
    plain, grouped = (KmSelector(6, groups=given, random_state=1).release(baskets) for given in (None, groups))
    assert "shelf 0" in grouped.columns
    assert sum(step["gain"] for step in grouped.owner.trace if step["kept"]) > sum(
        step["gain"] for step in plain.owner.trace if step["kept"]
    )
    folder = grouped.save(tmp_path / "out")
    found = verify(folder / "release")
    assert found.holds, found.problems
    with pytest.raises(DataError, match="names of items: 'x1'"):
        KmSelector(6, groups={"x0": "x1"}).release(baskets)
    with pytest.raises(ParameterError, match="for baskets only"):
        KmSelector(2, groups=groups).release({"a": [0, 1] * 4, "y": [0, 1] * 4}, Roles(target="y", quasi=["a"]))


def test_what_tells_about_the_class_is_kept_rather_than_what_does_not():
    """Items 0 and 1 occur together once only, so one of them goes: 0 tells the class, 1 does not."""
    X = np.zeros((40, 2), dtype=int)
    X[:20, 0] = 1
    X[19:39, 1] = 1
    assert KmSelector(3).fit(X, [1] * 20 + [0] * 20).order_.tolist() == [0]
    assert KmSelector(3).fit(X, [0] * 19 + [1] * 20 + [0]).order_.tolist() == [1]


def test_more_rare_sets_than_are_weighed_together(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = (rng.random((200, 15)) < 0.25).astype(int), rng.integers(0, 2, 200)
    whole = KmSelector(8, m=3).fit(X, y)
    monkeypatch.setattr(km, "_MOST_SETS", 10)
    parts = KmSelector(8, m=3).release(X, y)
    assert parts.verdict.holds
    assert whole.scores_.sum() >= 0.5 * sum(step["gain"] for step in parts.owner.trace if step["kept"])


def test_a_search_that_takes_too_long_gives_items_up(monkeypatch):
    rng = np.random.default_rng(0)
    X, y = (rng.random((200, 15)) < 0.25).astype(int), rng.integers(0, 2, 200)
    real = km.rare_sets

    def hasty(baskets, k, m, *, most):
        return real(baskets, k, m, most=most, effort=2000)

    monkeypatch.setattr(km, "rare_sets", hasty)
    assert KmSelector(8, m=3).release(X, y).verdict.holds


@pytest.mark.data
def test_more_is_kept_than_under_containment():
    sample = load("basehock")
    data = sample.data
    km_release = KmSelector(5, m=2, random_state=0).release(data)
    contained = GreedySelector(5, random_state=0).release(data)
    assert len(km_release.features) > 2 * len(contained.features)
    assert not Containment(5).check(km_release.baskets).holds
