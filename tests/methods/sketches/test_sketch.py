# SPDX-License-Identifier: Apache-2.0
"""DeltaSketch and VarianceSketch: numbers of components against slow twins, caps, refusals, keys, the index."""

import numpy as np
import pytest

import discreet.sketching.similar_records
from discreet import CannotRelease, DataError, DeltaSketch, KVariance, ParameterError, VarianceSketch, verify
from discreet.data.records import Records
from discreet.sketching.component_limits import UNLIMITED, pair_limits, quarters
from discreet.sketching.signs import Signs, read_key
from discreet.sketching.similar_records import nearest
from discreet.sketching.sketches import sketch

FREE = {"information": None, "count_classes": None, "allow_determined": True}


def some(n=60, d=40, seed=0, share=0.2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < share).astype(int)
    X[np.arange(n), rng.integers(0, d, n)] += rng.integers(1, 3, n)
    return X


# -- delta -------------------------------------------------------------------------------------------------------------


def test_components_are_those_of_the_paper():
    X = np.array([[1] * 20 + [0] * 980, [1] + [0] * 999])
    for delta, most in ((0.2, 95), (0.3, 63), (0.4, 47)):
        assert DeltaSketch(delta, **FREE).components(X).tolist() == [most, 0]


def test_caps_join_and_are_rounded_to_classes():
    X = some(d=200)
    free, most = DeltaSketch(0.2, **FREE).components(X), DeltaSketch(0.2, **FREE | {"max_components": 30})
    assert (most.components(X) == np.minimum(free, 30)).all()
    capped = DeltaSketch(0.2, **FREE | {"information": 0.5}).components(X)
    assert (capped <= free).all()
    assert (capped < free).any()
    both = DeltaSketch(0.2).components(X)
    assert set(both.tolist()) <= {0, *quarters(256)}
    assert (both <= capped).all()
    own = DeltaSketch(0.2, **FREE | {"count_classes": (1, 10)}).components(X)
    assert set(own.tolist()) <= {0, 1, 10}


def test_records_that_cannot_be_blurred_are_suppressed_and_counted():
    X = some(d=200)
    X[:7] = 0
    X[:5, 3] = 2  # one cell: a variance of zero; two records are empty
    release = DeltaSketch(0.5).release(X, np.arange(60) % 2)
    assert release.rows == 53
    assert release.certificate.changes.rows_dropped == 7
    assert "7 of 60 records were suppressed." in release.owner.notes


def test_sketches_are_made_in_order_for_the_owner():
    X = some()
    signs = Signs.fresh(40)
    method = DeltaSketch(0.5)
    found = method.sketch(X, signs)
    assert found.counts.tolist() == method.components(X).tolist()
    assert found.values.tolist() == sketch(X, signs, method.components(X)).values.tolist()


def test_a_sketch_that_determines_its_record_is_refused_unless_asked_for():
    X = np.zeros((60, 1000), int)
    for row in X:
        row[np.random.default_rng(row.sum()).choice(1000, 20, replace=False)] = 1
    y = np.arange(60) % 2
    with pytest.raises(CannotRelease, match="60 of 60 sketches can carry all the bits"):
        DeltaSketch(0.4, information=None, count_classes=None).release(X, y)
    asked = DeltaSketch(0.4, **FREE).release(X, y)
    assert set(asked.data.counts.tolist()) == {47}
    assert next(step for step in asked.owner.trace if "determined" in step)["determined"] == 60
    assert DeltaSketch(0.4).release(X, y).verdict.holds


def test_a_key_can_be_used_again_and_is_never_shown(tmp_path):
    X = some()
    first = DeltaSketch(0.3).release(X, np.arange(60) % 2)
    folder = first.save(tmp_path / "first")
    signs, names = read_key(folder / "owner" / "key.json")
    assert signs == first.owner.signs
    assert names == tuple(f"x{j}" for j in range(40))
    method = DeltaSketch(0.3, key=signs)
    assert signs.key.hex() not in repr(method)
    assert str(signs.key) not in repr(method)
    second = method.release(X[:20], np.arange(20) % 2)
    assert "key" not in second.certificate.method.parameters
    assert any("key was given" in note for note in second.owner.notes)
    rows = {tuple(first.data.row(i)) for i in range(len(first.data))}
    assert {tuple(second.data.row(i)) for i in range(len(second.data))} <= rows
    with pytest.raises(ParameterError, match="key is for 40 items"):
        method.release(X[:, :30], np.arange(60) % 2)
    with pytest.raises(DataError, match="cannot be read"):
        read_key(folder / "owner" / "trace.json")


def test_counts_weights_and_one_class_are_released(tmp_path):
    for X in (some(seed=3), some(seed=4) / 4):
        release = DeltaSketch(0.01, **FREE).release(X, ["same"] * 60)
        folder = release.save(tmp_path / str(X.dtype))
        assert verify(folder / "release", owner=folder / "owner").holds


# -- k-variance --------------------------------------------------------------------------------------------------------


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
    release = VarianceSketch(4, neighbours="approximate", random_state=1).release(X, np.arange(400) % 2)
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
