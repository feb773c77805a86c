# SPDX-License-Identifier: Apache-2.0
"""The attacks get what theory says that they get."""

import itertools

import numpy as np

from discreet.data.records import Records
from discreet.sketching.component_limits import variance_limits
from discreet.sketching.reconstruction import attack, record_from_sketch, signs_from_records
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import sketch

KEY = bytes(range(32))


def test_with_enough_components_the_key_gives_the_record():
    rng = np.random.default_rng(0)
    X = np.zeros((8, 120), int)
    for row in X:
        row[rng.choice(120, 4, replace=False)] = rng.integers(1, 4, 4)
    signs = Signs(KEY, 120)
    found = sketch(X, signs, 60)
    for i in range(8):
        assert np.rint(record_from_sketch(found.row(i), signs, binary=False)).astype(int).tolist() == X[i].tolist()


def test_items_beyond_the_candidates_are_still_found():
    X = np.zeros((1, 5000), int)
    X[0, [17, 2500, 4999]] = 1
    signs = Signs(KEY, 5000)
    found = record_from_sketch(sketch(X, signs, 80).row(0), signs, binary=True)
    assert np.flatnonzero(np.rint(found)).tolist() == [17, 2500, 4999]


def test_delta_alone_lets_nearly_every_sketch_determine_its_record():
    """d = 16, 4 ones, delta = 0.3: 10 components, and with most keys over 90 % of the 1820 records have a sketch of
    their own."""
    records = np.zeros((1820, 16), int)
    for row, items in zip(records, itertools.combinations(range(16), 4), strict=True):
        row[list(items)] = 1
    assert set(variance_limits(Records.of(records), 0.3).tolist()) == {10}
    own = []
    for key in range(15):
        found = sketch(records, Signs(key.to_bytes(32, "big"), 16), 10)
        _, times = np.unique(found.padded, axis=0, return_counts=True)
        own.append((times == 1).sum() / 1820)
    assert np.median(own) > 0.9


def test_as_many_known_records_as_items_reveal_every_sign():
    """d = 30: all signs of all components, without the key."""
    rng = np.random.default_rng(3)
    X = (rng.random((60, 30)) < 0.3).astype(int)
    assert np.linalg.matrix_rank(X) == 30
    signs = Signs(KEY, 30)
    records, found = Records.of(X), sketch(X, signs, 12)
    for component in range(12):
        assert (signs_from_records(records, found, component) == signs.of(range(30), 12)[:, component]).all()


def test_a_report_counts_and_stays_with_the_owner():
    rng = np.random.default_rng(5)
    X = (rng.random((50, 40)) < 0.2).astype(int)
    X[:, 0] = 1
    signs, records = Signs(KEY, 40), Records.of(X)
    few, many = (attack(records, sketch(X, signs, m), signs) for m in (1, 40))
    assert few.with_key.exact == 0
    assert few.with_key.determined == 0
    assert many.with_key.exact == many.with_key.tried == 10
    assert many.with_key.determined == 50
    assert many.with_key.items == 1.0
    assert many.with_key.largest_share > 1
    assert [known.known for known in many.with_records] == [5, 25, 50]
    shares = [known.signs for known in many.with_records]
    assert shares[0] < 0.9 < shares[-1] == 1.0
    assert len(many.trace()) == len(many.sentences()) == 4
