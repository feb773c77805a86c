# SPDX-License-Identifier: Apache-2.0
"""Rows in random order, a bucket at a time."""

from collections import Counter
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare

from discreet.engines import buckets as module
from discreet.engines.buckets import Buckets
from discreet.foundation.randomness import Randomness

SCHEMA = pa.schema({"x": pa.int64(), "label": pa.dictionary(pa.int32(), pa.string())})


def batch(start, stop):
    labels = pa.DictionaryArray.from_arrays(pa.array(np.arange(start, stop) % 2, pa.int32()), ["even", "odd"])
    return pa.RecordBatch.from_arrays([pa.array(np.arange(start, stop)), labels], schema=SCHEMA)


def shuffled(folder, sizes, n_buckets, seed):
    buckets = Buckets(folder, SCHEMA, n_buckets=n_buckets, randomness=Randomness(seed))
    for start, stop in zip(np.append(0, np.cumsum(sizes)), np.cumsum(sizes), strict=False):
        buckets.add(batch(start, stop))
    return pa.concat_tables([SCHEMA.empty_table(), *buckets.shuffled()])


@pytest.mark.parametrize("n_buckets", [1, 7, 300])
def test_every_row_comes_once_with_its_cells(tmp_path, monkeypatch, n_buckets):
    monkeypatch.setattr(module, "_GATHERED", 100)
    rows = shuffled(tmp_path, [30, 500, 0, 3], n_buckets, 4)
    cells = rows.column("x").to_numpy()
    assert sorted(cells) == list(range(533))
    assert rows.column("label").to_pylist() == ["odd" if x % 2 else "even" for x in cells]
    assert not list(tmp_path.iterdir())  # nothing is left in clear


def test_no_rows_at_all(tmp_path):
    assert len(shuffled(tmp_path, [0], 5, 1)) == 0


def test_every_order_is_equally_likely(tmp_path):
    found = Counter(tuple(shuffled(tmp_path, [1, 2], 2, seed).column("x").to_pylist()) for seed in range(1200))
    counts = [found[order] for order in permutations(range(3))]
    assert chisquare(counts).pvalue > 1e-6
