# SPDX-License-Identifier: Apache-2.0
"""The benchmark of population risk measures what it says: estimates divided by a truth that is known."""

import numpy as np
import pytest
from benchmarks.uniqueness.__main__ import estimates


def test_a_sample_of_everybody_is_the_truth():
    of_row = np.repeat(np.arange(60), [1] * 30 + [2] * 20 + [7] * 10)
    found = estimates(of_row, np.bincount(of_row), 1.0, np.random.default_rng(0))
    assert found["truth"] == pytest.approx(60 / 140)
    assert all(found[name] == pytest.approx(1) for name in ("zayatz", "pitman", "snb", "chosen", "b-f"))


def test_a_sample_is_compared_with_the_population():
    of_row = np.random.default_rng(1).zipf(1.8, 4000).clip(max=3000)
    of_row = np.unique(of_row, return_inverse=True)[1]
    found = estimates(of_row, np.bincount(of_row), 0.3, np.random.default_rng(0))
    assert 0.3 < found["chosen"] < 3
    assert found["b-f"] < found["by pitman"] < 2
