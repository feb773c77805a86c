# SPDX-License-Identifier: Apache-2.0
"""Finding distinct rows, beside a dictionary of tuples."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counting import row_lookup
from discreet.counting.row_lookup import RowLookup


def twin(distinct, rows):
    places = {tuple(row): place for place, row in enumerate(distinct.tolist())}
    return [places.get(tuple(row), -1) for row in rows.tolist()]


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_rows_are_found_as_by_a_dictionary(data):
    width, most = data.draw(st.integers(1, 5)), data.draw(st.sampled_from([3, 40, 2**31 - 2]))
    cells = st.lists(st.integers(0, most), min_size=width, max_size=width)
    distinct = np.unique(np.array(data.draw(st.lists(cells, min_size=1, max_size=30)), dtype=np.int32), axis=0)
    asked = np.array(data.draw(st.lists(cells, min_size=1, max_size=30)), dtype=np.int32)
    asked = np.concatenate([asked, distinct[::-1]])
    assert RowLookup(distinct).find(list(asked.T)).tolist() == twin(distinct, asked)


@pytest.mark.parametrize("most", [2**62, 3000, 40])
def test_keys_in_several_stages(monkeypatch, most):
    monkeypatch.setattr(row_lookup, "_MOST", most)
    rng = np.random.default_rng(1)
    distinct = np.unique(rng.integers(0, 6, (500, 6)).astype(np.int32), axis=0)
    asked = rng.integers(0, 6, (4000, 6)).astype(np.int32)
    found = RowLookup(distinct).find(list(asked.T))
    assert found.tolist() == twin(distinct, asked)
    assert (found >= 0).any()
    assert (found < 0).any()


def test_codes_that_no_distinct_row_has_are_strange():
    index = RowLookup(np.array([[0, 1], [1, 0]]))
    assert index.find([np.array([0, 0, 2, -1]), np.array([1, 2, 0, 1])]).tolist() == [0, -1, -1, -1]
