# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbours against comparing all pairs in exact arithmetic."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet.sketching.similar_records
from discreet.data.records import Records
from discreet.errors import DataError
from discreet.sketching.similar_records import Neighbours, content_hash, nearest, recall


def twin(X, k: int, hashes) -> list[list[float]]:
    """The squared cosines of the k nearest neighbours, nearest first; and who they are, ties by hash."""
    found = []
    for q in range(len(X)):
        keys = []
        for other in range(len(X)):
            if other != q:
                c, a, b = (int(u @ v) for u, v in ((X[q], X[other]), (X[q], X[q]), (X[other], X[other])))
                keys.append((-Fraction(c * c, a * b), int(hashes[other]), other))
        found.append(sorted(keys)[:k])
    return found


MATRICES = st.integers(1, 6).flatmap(
    lambda d: st.lists(st.lists(st.integers(0, 2), min_size=d, max_size=d).filter(any), min_size=3, max_size=12)
)


@given(MATRICES, st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_neighbours_equal_their_slow_twin(rows, k):
    X = np.array(rows)
    k = min(k, len(X) - 1)
    records = Records.of(X)
    hashes = content_hash(records)
    found = nearest(records, k)
    for q, slow in enumerate(twin(X, k, hashes)):
        assert q not in found.of[q]
        assert len(set(found.of[q].tolist())) == k
        assert [(hashes[o]) for o in found.of[q]] == [h for _, h, _ in slow]  # equal records stand for each other
        assert np.allclose(found.cosine[q], [float(-key) ** 0.5 for key, _, _ in slow])


def test_the_order_of_the_records_does_not_matter():
    rng = np.random.default_rng(0)
    X = (rng.random((200, 30)) < 0.15).astype(int)
    X[:, 0] = 1
    order = rng.permutation(200)
    hashes, shuffled = content_hash(Records.of(X)), content_hash(Records.of(X[order]))
    assert (hashes[order] == shuffled).all()
    one, other = nearest(Records.of(X), 7), nearest(Records.of(X[order]), 7)
    assert (hashes[one.of][order] == shuffled[other.of]).all()


def test_pieces_give_the_same(monkeypatch):
    X = (np.random.default_rng(1).random((100, 20)) < 0.3).astype(int)
    X[:, 0] = 1
    whole = nearest(Records.of(X), 4).of
    monkeypatch.setattr(discreet.sketching.similar_records, "_PIECE", 7)
    assert (nearest(Records.of(X), 4).of == whole).all()


def test_different_content_has_different_hashes():
    rows = [[a, b, c] for a in range(4) for b in range(4) for c in range(4)]
    assert len(set(content_hash(Records.of(rows)).tolist())) == 64
    assert content_hash(Records.of([[1.5, 0]]))[0] != content_hash(Records.of([[1.25, 0]]))[0]


def test_too_few_or_empty_records_have_no_neighbours():
    with pytest.raises(DataError, match="more than 2 records"):
        nearest(Records.of([[1, 0], [0, 1]]), 2)
    with pytest.raises(DataError, match="1 records are empty"):
        nearest(Records.of([[1, 0], [0, 0]]), 1)


def test_recall_counts_neighbours_that_were_missed():
    X = (np.random.default_rng(3).random((60, 30)) < 0.4).astype(int)
    records = Records.of(X)
    true = nearest(records, 4)
    assert recall(records, true, np.arange(60)) == 1
    worse = Neighbours(true.of, np.where(np.arange(4) < 3, true.cosine, 0.0))
    assert recall(records, worse, np.arange(60)) == 0.75


@given(MATRICES, st.integers(1, 5), st.booleans())
@settings(max_examples=60, deadline=None)
def test_all_kinds_of_numbers_give_the_same(rows, k, whole):
    """Large whole numbers and numbers that are not whole are added up in 64 bits, small whole ones in 32."""
    X = np.array(rows)
    k = min(k, len(X) - 1)
    one = nearest(Records.of(X), k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discreet.sketching.similar_records, "_SMALL", 0)
        other = nearest(Records.of(X if whole else X * 0.5), k)
    assert np.array_equal(one.cosine, other.cosine)
    if whole:
        assert np.array_equal(one.of, other.of)


def test_more_records_than_a_tile_have_the_neighbours_of_all_pairs():
    rng = np.random.default_rng(4)
    X = (rng.random((300, 12)) < 0.3).astype(int)
    X[:, 0] = 1
    records = Records.of(X)
    whole = nearest(records, 6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discreet.sketching.similar_records, "_TILE", 128)
        tiled = nearest(records, 6)
    assert np.array_equal(tiled.of, whole.of)
    cosines = X @ X.T / np.sqrt(X.sum(axis=1)[:, None] * X.sum(axis=1))
    np.fill_diagonal(cosines, -1)
    assert np.allclose(whole.cosine, -np.sort(-cosines, axis=1)[:, :6])
