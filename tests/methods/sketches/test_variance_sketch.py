# SPDX-License-Identifier: Apache-2.0
"""VarianceSketch: equal records, suppression, joined promises, one search for neighbours, the index."""

import numpy as np
import pytest

import discreet.sketching.similar_records
from discreet import CannotRelease, DeltaSketch, KVariance, VarianceSketch, verify
from discreet.data.records import Records
from discreet.sketching.component_limits import UNLIMITED, pair_limits
from discreet.sketching.signs import read_key
from discreet.sketching.similar_records import nearest

FREE = {"information": None, "count_classes": None, "allow_determined": True}


def some(n=60, d=40, seed=0, share=0.2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < share).astype(int)
    X[np.arange(n), rng.integers(0, d, n)] += rng.integers(1, 3, n)
    return X


def test_equal_records_have_equally_many_components_and_no_limit():
    X = some(n=50, share=0.3)
    X[25:] = X[:25]
    records = Records.of(X)
    counts = VarianceSketch(3, **FREE).components(X)
    assert (counts[:25] == counts[25:]).all()
    assert pair_limits(records, np.arange(25), np.arange(25, 50)).tolist() == [UNLIMITED] * 25
    assert VarianceSketch(1, **FREE | {"max_components": 99}).components(X).tolist() == [99] * 50


def test_k_variance_suppresses_nothing_that_is_not_empty():
    X = some(n=100, share=0.05)
    X[3] = 0
    for k in (1, 5, 50):
        assert np.flatnonzero(VarianceSketch(k, **FREE).components(X) == 0).tolist() == [3]


def test_delta_and_information_join_k_variance():
    X = some(n=80, d=200)
    plain = VarianceSketch(3, **FREE)
    joined = VarianceSketch(3, delta=0.3)
    assert (joined.components(X) <= DeltaSketch(0.3).components(X)).all()
    release = joined.release(X, np.arange(80) % 2)
    assert release.verdict.holds
    assert len(release.verdict.parts) == 2
    assert plain.release(X, np.arange(80) % 2).verdict.holds


def test_neighbours_are_sought_once_to_make_and_save_a_release_and_again_by_another_process(tmp_path, monkeypatch):
    searched = []
    search = discreet.sketching.similar_records._nearest
    monkeypatch.setattr(
        discreet.sketching.similar_records, "_nearest", lambda r, k, rows: searched.append(k) or search(r, k, rows)
    )
    discreet.sketching.similar_records._all.cache_clear()
    folder = VarianceSketch(6, max_components=16).release(some(d=200, seed=9), np.arange(60) % 2).save(tmp_path / "out")
    assert searched == [6]
    discreet.sketching.similar_records._all.cache_clear()  # as in another process
    assert verify(folder / "release", owner=folder / "owner").holds
    assert searched == [6, 6]
    evidence = folder / "owner" / "evidence.parquet"
    changed = Records.read(evidence, read_key(folder / "owner" / "key.json")[1])
    changed.matrix.data[0] += 1  # other records: their neighbours are not known
    changed.write(evidence)
    assert not verify(folder / "release", owner=folder / "owner").holds


def test_too_few_records_are_an_error():
    with pytest.raises(CannotRelease, match="only 20 of 20"):
        VarianceSketch(20).release(some(n=20, d=200), np.arange(20) % 2)


def test_an_index_finds_most_neighbours_and_its_pairs_are_checked(tmp_path):
    """One test, since the index takes long to compile."""
    rng = np.random.default_rng(2)
    groups = rng.random((20, 300)) < 0.05
    X = (groups[rng.integers(0, 20, 400)] & (rng.random((400, 300)) < 0.8)).astype(int)
    X[np.arange(400), rng.integers(0, 300, 400)] = 1
    X[0] = 0  # suppressed
    release = VarianceSketch(4, neighbour_search="approximate", random_state=1).release(X, np.arange(400) % 2)
    assert release.promise == KVariance(4, "approximate")
    assert release.verdict.holds
    assert any("nearest neighbours of" in note for note in release.owner.notes)
    of = release.owner.records.neighbours
    assert of.shape == (release.rows, 4)
    assert not (of == np.arange(release.rows)[:, None]).any()
    assert all(len(set(row)) == 4 for row in of.tolist())
    exact = nearest(release.owner.records, 4)
    kept = release.owner.records.matrix.astype(float)
    lengths = np.sqrt(release.owner.records.lengths)
    dots = (kept @ kept.T).toarray() / lengths / lengths[:, None]
    found = np.take_along_axis(dots, of, 1)
    assert (found >= exact.farthest[:, None] - 1e-9).mean() > 0.8
    folder = release.save(tmp_path / "out")
    again = verify(folder / "release", owner=folder / "owner")
    assert again.holds, again.problems
