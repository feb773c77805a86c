# SPDX-License-Identifier: Apache-2.0
"""Sketches: unbiased with the stated variances over all seeds, equal to their slow twin, intervals that cover."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet.sketching.sketches
from discreet.data.records import Records
from discreet.errors import DataError, ParameterError
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import Sketches, sketch
from sketching.test_signs import all_signs

KEY = bytes(range(32))


def twin(rows, signs: Signs, counts) -> list[list[float]]:
    """Component by component, item by item."""
    each = signs.of(range(signs.n_items), max([*counts, 1])).tolist()
    return [
        [sum(x * each[i][j] for i, x in enumerate(row)) for j in range(m)] for row, m in zip(rows, counts, strict=True)
    ]


COUNTS = st.integers(1, 9).flatmap(lambda d: st.lists(st.lists(st.integers(0, 4), min_size=d, max_size=d), min_size=1))


@given(rows=COUNTS, data=st.data())
@settings(max_examples=60, deadline=None)
def test_sketches_equal_their_slow_twin(rows, data):
    counts = data.draw(st.lists(st.integers(0, 70), min_size=len(rows), max_size=len(rows)))
    signs = Signs(KEY, len(rows[0]))
    found = sketch(sp.csr_array(np.array(rows)), signs, counts)
    assert [found.row(i).tolist() for i in range(len(rows))] == twin(rows, signs, counts)
    halves = sketch(np.array(rows) / 2, signs, counts)
    assert np.allclose(halves.values * 2, found.values)


def test_pieces_give_the_same_as_the_whole(monkeypatch):
    rng = np.random.default_rng(1)
    X, counts = rng.poisson(0.3, (80, 60)), rng.integers(0, 70, 80)
    signs = Signs(KEY, 60)
    whole = sketch(X, signs, counts)
    for cells in (1, 300, 2000):
        monkeypatch.setattr(discreet.sketching.sketches, "_CELLS", cells)
        assert sketch(X, signs, counts).values.tolist() == whole.values.tolist()


@pytest.mark.parametrize("items", [1, 3, 4, 5, 7, 8, 31, 251, 252, 253, 260, 600])
def test_rows_of_ones_are_counted_bit_by_bit(items):
    """Up to 252 items are counted at a time, four by four; blocks of components are 128 wide and then one of 64."""
    rng = np.random.default_rng(items)
    rows = (rng.random((12, 700)) < items / 700).astype(np.uint8)
    rows[0, :items], rows[0, items:], rows[1] = 1, 0, 0
    signs, counts = Signs(KEY, 700), np.array([200, 5, 0, 1, 63, 64, 65, 127, 128, 129, 192, 193])
    found = sketch(sp.csr_array(rows), signs, counts)
    each = signs.of(np.arange(700), 200).astype(np.int64)
    for i, (row, m) in enumerate(zip(rows, counts, strict=True)):
        assert found.row(i).tolist() == (row @ each[:, :m]).tolist()


def test_many_items_need_no_matrix_of_signs():
    """2^31 items and 64 components would be 128 GB of signs."""
    items = np.array([5, 2**31 - 1, 123_456_789])
    X = sp.csr_array((np.ones(3), items, [0, 3]), shape=(1, 2**31))
    signs = Signs(KEY, 2**31)
    assert (
        sketch(Records(X.astype(np.int32), ()), signs, 64).values.tolist() == signs.of(items, 64).sum(axis=0).tolist()
    )


# -- unbiased, with the exact variances, over all seeds --------------------------------------------------------------

CASES = [
    ((1, 1, 1, 0, 0, 0, 0, 0), (0, 1, 1, 1, 1, 0, 0, 0)),
    ((3, 0, 1, 2, 0, 0, 5, 1), (1, 4, 1, 0, 0, 2, 1, 0)),
    ((1, 1, 1, 1, 1, 1, 1, 1), (1, 1, 1, 1, 1, 1, 1, 1)),
    ((7, 0, 0, 0, 0, 0, 0, 0), (0, 0, 2, 0, 0, 0, 0, 0)),
]


@pytest.mark.parametrize(("x", "y"), CASES)
def test_estimates_are_unbiased_and_their_variances_exact_over_all_seeds(x, y):
    x, y, r = np.array(x), np.array(y), all_signs(3).astype(np.int64)
    s, t = x @ r, y @ r
    a, b, c, e = x @ x, y @ y, x @ y, (x**2) @ (y**2)
    for i in range(8):
        terms = s * r[i]
        assert (terms.mean(), terms.var()) == (x[i], a - x[i] ** 2)
    assert ((s * t).mean(), (s * t).var()) == (c, a * b + c**2 - 2 * e)
    assert ((s**2).mean(), (s**2).var()) == (a, 2 * (a**2 - (x**4).sum()))
    z = x - y
    assert (((s - t) ** 2).mean(), ((s - t) ** 2).var()) == (z @ z, 2 * ((z @ z) ** 2 - (z**4).sum()))


def test_the_papers_variance_of_the_dot_product_is_wrong():
    """8 and 8 ones, 5 common: 79, not 39. A record with itself: 112, not 0. Mixed signs: 0, not 4."""
    r = all_signs(4).astype(np.int64)
    x, y = np.zeros(16, int), np.zeros(16, int)
    x[:8], y[3:11] = 1, 1
    for u, v, exact, printed in ((x, y, 79, 39), (x, x, 112, 0)):
        assert ((u @ r) * (v @ r)).var() == exact
        assert (u @ u) * (v @ v) - (u @ v) ** 2 == printed
    u, v = np.array([1, 1, *[0] * 14]), np.array([1, -1, *[0] * 14])
    assert ((u @ r) * (v @ r)).var() == 0
    assert (u @ u) * (v @ v) - (u @ v) ** 2 == 4


# -- the primitives --------------------------------------------------------------------------------------------------


def ragged() -> tuple[np.ndarray, Signs, Sketches]:
    rng = np.random.default_rng(4)
    X = rng.poisson(0.4, (30, 25))
    X[:, 0] += 1
    signs = Signs(KEY, 25)
    return X, signs, sketch(X, signs, rng.integers(2, 40, 30))


def test_primitives_are_means_over_the_components_both_records_have():
    _, signs, found = ragged()
    for q, o in itertools.product(range(6), repeat=2):
        m = min(found.counts[q], found.counts[o])
        s, t = found.row(q)[:m], found.row(o)[:m]
        terms = s * t
        dot = found.dot(q, o)
        assert np.isclose(dot.value[0], terms.mean())
        assert np.isclose(dot.variance[0], terms.var(ddof=1) / m)
        assert np.isclose(found.dots()[q, o], terms.mean())
        assert np.isclose(found.distance(q, o).value[0], ((s - t) ** 2).mean())
    for item in (0, 7):
        terms = [found.row(q) * signs.of([item], found.counts[q])[0] for q in range(6)]
        assert np.allclose(found.attribute(range(6), item, signs).value, [term.mean() for term in terms])
        assert np.allclose(found.attributes(signs)[:6, item], [term.mean() for term in terms])
    assert np.allclose(found.length(range(30)).value, found.lengths())


def test_a_centroid_is_the_sketch_of_the_mean():
    X, signs, found = ragged()
    rows = [3, 5, 8]
    shared = found.counts[rows].min()
    centroid = found.centroid(rows)
    assert np.allclose(centroid.values, sketch(X[rows].mean(axis=0)[None], signs, shared).values)


def test_intervals_cover_what_they_should():
    """300 keys, 30 components: each interval at 95 % covers the truth in 90 % of the keys at least."""
    rng = np.random.default_rng(0)
    X = (rng.random((2, 200)) < 0.1).astype(int)
    X[:, :6] = 1
    covered = {"attribute": 0, "dot": 0, "length": 0, "distance": 0, "centroid": 0}
    truth = {
        "attribute": 1,
        "dot": X[0] @ X[1],
        "length": X[0] @ X[0],
        "distance": ((X[0] - X[1]) ** 2).sum(),
        "centroid": (X.mean(axis=0) ** 2).sum(),
    }
    for key in range(300):
        signs = Signs(key.to_bytes(32, "big"), 200)
        found = sketch(X, signs, 30)
        estimates = {
            "attribute": found.attribute(0, 2, signs),
            "dot": found.dot(0, 1),
            "length": found.length(0),
            "distance": found.distance(0, 1),
            "centroid": found.centroid([0, 1]).length(0),
        }
        for name, estimate in estimates.items():
            covered[name] += bool(estimate.low[0] <= truth[name] <= estimate.high[0])
    assert min(covered.values()) >= 0.9 * 300, covered


def near_copies(rng) -> np.ndarray:
    """Eight records, five near copies of each."""
    first = np.repeat(rng.random((8, 200)) < 0.1, 6, axis=0)
    return (first ^ (rng.random((48, 200)) < 0.02)).astype(int)


@pytest.mark.parametrize("components", [8, 15, 30])
def test_intervals_of_nearest_neighbours_cover_95_of_100(components):
    """60 keys, 48 pairs each: the share moves by less than 0.02 from one set of keys to another."""
    rng = np.random.default_rng(5)
    X = near_copies(rng)
    dots = X @ X.T
    alike = dots / np.sqrt(np.outer(np.diag(dots), np.diag(dots)))
    np.fill_diagonal(alike, -1)
    rows, nearest = np.arange(48), alike.argmax(axis=1)
    held, held_chosen = [], []
    for _ in range(60):
        found = sketch(X, Signs(rng.bytes(32), 200), components)
        estimate = found.dot(rows, nearest)
        held.append((estimate.low <= dots[rows, nearest]) & (dots[rows, nearest] <= estimate.high))
        chosen, estimate = found.nearest(rows)
        truth = dots[rows, chosen[:, 0]]
        held_chosen.append((estimate.low <= truth) & (truth <= estimate.high))
    assert 0.93 <= np.mean(held) <= 0.975
    assert 0.93 <= np.mean(held_chosen) <= 0.975


def test_nearest_are_other_records_and_need_components():
    rng = np.random.default_rng(6)
    X = near_copies(rng)
    found = sketch(X, Signs(KEY, 200), 60)
    near, estimate = found.nearest([0, 7], n=3)
    assert near.shape == (2, 3)
    assert len(estimate.value) == 6
    assert set(near[0].tolist()) <= {1, 2, 3, 4, 5}
    assert set(near[1].tolist()) <= {6, 8, 9, 10, 11}
    with pytest.raises(DataError, match="four components"):
        sketch(X, Signs(KEY, 200), 3).nearest(0)
    with pytest.raises(DataError, match="48 others"):
        found.nearest(0, n=48)


def test_one_component_has_no_interval_for_a_mean():
    found = sketch([[1, 1, 0], [0, 1, 1]], Signs(KEY, 3), 1)
    dot = found.dot(0, 1)
    assert (dot.low[0], dot.high[0]) == (-np.inf, np.inf)


def test_suppressed_records_have_no_estimates():
    found = sketch([[1, 1, 0], [0, 1, 1]], Signs(KEY, 3), [0, 4])
    for ask in (found.dot, found.distance):
        with pytest.raises(DataError, match="1 of the records have no components"):
            ask(0, 1)
    with pytest.raises(DataError, match="no components"):
        found.length(0)
    with pytest.raises(DataError, match="has none"):
        found.centroid([0, 1])
    assert found.dots()[0].tolist() == [0, 0]


def test_taking_rows_and_files_keep_everything(tmp_path):
    rng = np.random.default_rng(2)
    for X in (rng.poisson(0.5, (20, 9)), rng.random((20, 9))):
        found = sketch(Records.of(X, np.arange(20) % 3), Signs(KEY, 9), rng.integers(0, 6, 20)).take([4, 4, 19, 0])
        assert found.labels.tolist() == [1, 1, 1, 0]
        found.write(tmp_path / "data.parquet")
        again = Sketches.read(tmp_path / "data.parquet")
        assert again.values.dtype == found.values.dtype
        assert (again.values.tolist(), again.offsets.tolist()) == (found.values.tolist(), found.offsets.tolist())
        assert again.classes[again.labels].tolist() == ["1", "1", "1", "0"]


def test_wrong_counts_are_refused():
    for X, components in (([[1, 0]], 3), ([[1, 0, 1]], -1)):
        with pytest.raises(ParameterError):
            sketch(X, Signs(KEY, 3), components)
