# SPDX-License-Identifier: Apache-2.0
"""The sparse attack equals its slow twin, finds people in raw baskets, and is held to 1/k by containment."""

import math
from statistics import fmean, pstdev

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import (
    Baskets,
    Containment,
    DataError,
    GreedySelector,
    KAnonymity,
    KmSelector,
    MaximalSelector,
    ParameterError,
    Table,
)
from discreet.attacks.published import Published
from discreet.attacks.registry import run
from discreet.attacks.sparse import PRESENCES_ONLY, SCORES, SparseAttack, sparse_attacks
from discreet.privacy import containment_anonymity


def twin(attack: SparseAttack, baskets: Baskets, known: list[set[int]]) -> list[float]:
    """The chance of each row's owner to be named, from the definition: one row after the other."""
    rows = [set(baskets.matrix[[row]].indices.tolist()) for row in range(len(baskets))]
    support = [sum(item in row for row in rows) for item in range(baskets.shape[1])]

    def score(named: set[int], row: set[int]) -> float:
        both = named & row
        if attack.score == "weighted":
            return sum(1 / math.log(1 + support[item]) for item in both)
        return len(both) if attack.score == "count" else len(both) / math.sqrt(max(len(row), 1))

    chances = []
    for owner, named in zip(rows, known, strict=True):
        scores = [score(named, row) for row in rows]
        best = max(scores)
        ties = [row for row, found in zip(rows, scores, strict=True) if found >= best - 1e-9]
        chance = (owner in ties) / len(ties)
        if attack.eccentricity is not None:
            behind, spread = best - sorted(scores)[-2], pstdev(scores)
            chance *= len(ties) == 1 and spread > 0 and behind / spread > attack.eccentricity
        chances.append(chance)
    return chances


def random_baskets(seed: int, rows: int, items: int) -> Baskets:
    rng = np.random.default_rng(seed)
    X = (rng.random((rows, items)) < rng.random(items)).astype(int)
    X[0] = 1
    return Baskets.of(X)


@given(
    st.integers(0, 10**6),
    st.integers(2, 14),
    st.integers(2, 9),
    st.sampled_from(SCORES),
    st.sampled_from([None, 0.0, 0.7, 1.5]),
    st.integers(1, 5),
    st.integers(0, 2),
    st.sampled_from(["random", "rare"]),
)
def test_it_equals_its_slow_twin(seed, rows, items, score, eccentricity, known, wrong, which):
    baskets = random_baskets(seed, rows, items)
    attack = SparseAttack(known, wrong, score, which, eccentricity, targets=rows, random_state=seed)
    named = attack.known_items(baskets.matrix, baskets.support)
    sets = [
        set(named.indices[start:stop].tolist()) for start, stop in zip(named.indptr, named.indptr[1:], strict=False)
    ]
    found = attack.run(Published(baskets, Containment(2)), baskets)
    assert found.success.value == pytest.approx(fmean(twin(attack, baskets, sets)))
    assert found.targets == rows


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(0, 2), st.sampled_from(PRESENCES_ONLY), st.integers(2, 4))
def test_scores_of_presences_are_held_to_one_in_k_by_containment(seed, known, wrong, score, k):
    """Not on average: for every target, whatever items are known, wrong ones too."""
    rng = np.random.default_rng(seed)
    X = (rng.random((30, 6)) < 0.6).astype(int)
    X[:k] = 1
    baskets = Baskets.of(X)
    assert containment_anonymity(baskets) >= k
    for row in range(0, 30, 7):
        attack = SparseAttack(known, wrong, score, targets=1, random_state=seed + row)
        found = attack.run(Published(baskets, Containment(k)), baskets)
        assert found.success.value <= 1 / k + 1e-12
        assert found.bound == 1 / k
        assert not found.breaks_promise
        sure = SparseAttack(known, wrong, score, eccentricity=0.0, targets=30, random_state=seed)
        assert sure.run(Published(baskets, Containment(k)), baskets).success.value == 0


def test_a_score_divided_by_length_breaks_containment():
    """Three have all there is; one has the first item alone, and whoever knows that item names that one."""
    baskets = Baskets.of([[1, 1, 1]] * 3 + [[1, 0, 0]])
    published = Published(baskets, Containment(3))
    assert Containment(3).check(baskets).holds
    loner = baskets.take(np.array([3]))
    assert SparseAttack(1, score="count").run(published, loner).success.value == 0.25
    found = SparseAttack(1, score="cosine").run(published, loner)
    assert found.success.value == 1.0
    assert found.bound is None
    assert "uses absences" in found.note


def test_under_k_anonymity_no_score_gets_more():
    baskets = Baskets.of([[1, 1, 1]] * 3 + [[1, 0, 0]] * 3)
    for found in sparse_attacks(Published(baskets, KAnonymity(3)), baskets):
        assert found.success.value <= found.bound + 1e-12 == 1 / 3 + 1e-12


def test_rare_items_tell_more_and_wrong_ones_tell_less():
    rng = np.random.default_rng(5)
    baskets = Baskets.of((rng.random((300, 60)) < np.linspace(0.02, 0.5, 60)).astype(int))
    published = Published(baskets, Containment(2))
    success = {
        (items, wrong): SparseAttack(3, wrong, items=items, random_state=1).run(published, baskets).success.value
        for items in ("random", "rare")
        for wrong in (0, 2)
    }
    assert success["rare", 0] > success["random", 0] > success["random", 2]
    assert success["rare", 0] > success["rare", 2]


def test_wrong_items_are_items_that_the_person_lacks():
    baskets = random_baskets(3, 20, 30)
    named = SparseAttack(5, wrong=2).known_items(baskets.matrix, baskets.support)
    true = np.asarray(named.multiply(baskets.matrix).sum(axis=1))
    lengths = np.diff(baskets.matrix.indptr)
    wrong = np.minimum(np.minimum(2, lengths), 30 - lengths)
    assert np.diff(named.indptr).tolist() == np.minimum(lengths, 5).tolist()
    assert (np.diff(named.indptr) - true).tolist() == wrong.tolist()


def test_the_control_group_is_named_wrongly_or_not_at_all():
    rng = np.random.default_rng(2)
    everybody = Baskets.of((rng.random((400, 80)) < 0.1).astype(int))
    inside, outside = everybody.take(np.arange(200)), everybody.take(np.arange(200, 400))
    published = Published(inside, Containment(2))
    found = SparseAttack(8, eccentricity=1.5).run(published, inside, outside)
    assert found.control.value < 0.2 < found.success.value
    assert found.advantage == found.success.value - found.control.value
    assert SparseAttack(8).run(published, inside, outside).control is None


def test_blocks_change_nothing(monkeypatch):
    from discreet.attacks import sparse

    baskets = random_baskets(9, 50, 12)
    whole = [found.success for found in sparse_attacks(Published(baskets, Containment(2)), baskets)]
    monkeypatch.setattr(sparse, "_CELLS", 60)
    assert [found.success for found in sparse_attacks(Published(baskets, Containment(2)), baskets)] == whole


def test_several_rows_of_a_person_have_no_bound_here():
    baskets = Baskets.of([[1, 1], [1, 1], [1, 0]], persons=[1, 2, 2])
    assert SparseAttack(1).run(Published(baskets, Containment(2)), baskets).bound is None


def test_what_does_not_fit_is_refused():
    baskets = random_baskets(1, 6, 4)
    renamed = Baskets.of(baskets.matrix, names=["a", "b", "c", "d"])
    with pytest.raises(DataError, match="4 of the 4 published items"):
        SparseAttack().run(Published(baskets, Containment(2)), renamed)
    with pytest.raises(DataError, match="needs baskets"):
        SparseAttack().run(Published(Table.of({"a": [1]}), Containment(2)), baskets)
    with pytest.raises(ParameterError, match="known"):
        SparseAttack(known=0)


@pytest.mark.data
@pytest.mark.parametrize("method", [GreedySelector(5), MaximalSelector(5)])
def test_eight_tokens_identify_most_messages_before_selection_and_one_in_k_after(method):
    from discreet.samples import load

    baskets = load("pu1").data
    before = SparseAttack().run(Published(baskets, Containment(5)), baskets)
    assert before.success.low > 0.8
    assert before.breaks_promise
    published = Published.of(method.release(baskets))
    for score in PRESENCES_ONLY:
        after = SparseAttack(score=score).run(published, baskets)
        assert after.success.high < after.bound == 0.2
    assert SparseAttack(score="cosine").run(published, baskets).success.low > 0.2


def test_it_is_among_the_attacks():
    from discreet.attacks.registry import run

    baskets = Baskets.of(np.eye(12, dtype=int)[:, :6] + np.eye(12, 6, k=-6, dtype=int), [0, 1] * 6)
    release = GreedySelector(2).release(baskets)
    found = run(release, baskets, attacks=["sparse"], aux_items=2)
    assert [finding.attack for finding in found][:2] == ["sparse overlap (count)", "sparse overlap (weighted)"]
    assert all(finding.targets == 12 for finding in found)
    with pytest.raises(DataError, match="a table was given"):
        run(release, {"a": [1, 0]}, attacks=["sparse"])


@pytest.mark.parametrize("m", [1, 2, 3])
def test_m_known_items_find_no_more_than_one_in_k_and_more_items_do(m):
    rng = np.random.default_rng(4)
    X, y = (rng.random((300, 12)) < 0.3).astype(int), rng.integers(0, 2, 300)
    release = KmSelector(6, m=m, random_state=1).release(X, y)
    people = Baskets.of(X, y)
    for score in ("count", "weighted"):
        for items in ("rare", "random"):
            found = SparseAttack(known=m, score=score, items=items).run(Published.of(release), people)
            assert found.bound == 1 / 6
            assert found.success.value <= 1 / 6
    assert SparseAttack(known=m + 1).run(Published.of(release), people).bound is None
    found = {finding.attack: finding for finding in run(release, people, attacks=["sparse"])}
    assert found[f"sparse overlap (weighted), {m} known"].bound == 1 / 6
    assert (
        found["sparse overlap (weighted)"].success.value > found[f"sparse overlap (weighted), {m} known"].success.value
    )
