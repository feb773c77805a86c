# SPDX-License-Identifier: Apache-2.0
"""Cells coded a batch at a time, beside the column of all of them in memory."""

import datetime as dt
import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.counting.coding import ListedCells, ReadCells
from discreet.data.column import encode
from discreet.errors import DataError

TEXTS = st.sampled_from(["1", "1.0", " 2", "x", "?", "", "-", "2020-01-31", "true", "FALSE", "9007199254740993", None])
NUMBERS = st.one_of(st.none(), st.integers(-5, 5), st.sampled_from([2**40, -(2**40)]))
DOUBLES = st.one_of(st.none(), st.sampled_from([0.0, -0.0, 1.5, 2.0, float("nan"), 1e300]))
DAYS = st.one_of(st.none(), st.dates(dt.date(2020, 1, 1), dt.date(2020, 1, 9)))
COLUMNS = [(TEXTS, pa.string()), (NUMBERS, pa.int64()), (DOUBLES, pa.float64()), (DAYS, pa.date32())]


def drawn(data):
    cells, arrow_type = data.draw(st.sampled_from(COLUMNS))
    parts = [
        data.draw(st.lists(cells, min_size=1, max_size=6)),
        *data.draw(st.lists(st.lists(cells, max_size=6), max_size=3)),
    ]
    arrays = [pa.array(part, arrow_type) for part in parts]
    if data.draw(st.booleans()):
        arrays = [array.dictionary_encode() for array in arrays]
    return arrays


def in_memory(arrays):
    return encode("x", pa.chunked_array(arrays))


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_batches_are_coded_as_the_whole_column(data):
    arrays = drawn(data)
    column = in_memory(arrays)
    coding = pickle.loads(pickle.dumps(ListedCells.of("x", pa.chunked_array(arrays))))
    assert (coding.kind, coding.values.type) == (column.kind, column.values.type)
    assert coding.values.equals(column.values)
    codes = [coding.codes(array) for array in arrays]
    assert np.concatenate(codes).tolist() == column.codes.tolist()
    published = [coding.published(coding.compact(array)).cast(coding.type) for array in arrays]
    assert pa.chunked_array(published).to_pylist() == column.to_arrow().to_pylist()


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_cells_that_are_not_listed_are_read_as_in_the_whole_column(data):
    arrays = drawn(data)
    column = in_memory(arrays)
    coding = pickle.loads(pickle.dumps(ReadCells.of("x", arrays)))
    assert (coding.kind, coding.type) == (column.kind, column.values.type)
    read = pa.chunked_array([coding.compact(array) for array in arrays], coding.type)
    assert read.to_pylist() == column.to_arrow().to_pylist()


@pytest.mark.parametrize("cells", [["a", "b"], [3, 700_000], [3, 2**40], [1.5, 2.5], [True, True]])
def test_a_cell_that_the_column_did_not_have_is_no_value(cells):
    coding = ListedCells.of("x", pa.array(cells[:1]))
    assert coding.codes(pa.array([*cells, None])).tolist()[0] == 0
    if cells[1] != cells[0]:
        assert coding.codes(pa.array([*cells, None])).tolist() == [0, -1, 1]
        with pytest.raises(DataError, match="changed while they were counted"):
            coding.compact(pa.array(cells))


def test_lists_are_refused():
    with pytest.raises(DataError, match="Arrow type list"):
        ListedCells.of("x", pa.array([[1], [2]]))
