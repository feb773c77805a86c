# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import oracles
from discreet import Baskets, CannotRelease, Containment, GreedySelector, KmSelector
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
