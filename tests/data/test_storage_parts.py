# SPDX-License-Identifier: Apache-2.0
"""Parts of a table have the same bytes however their texts come."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.data.storage import write_part


def written(*columns):
    file = io.BytesIO()
    write_part(pa.table({f"c{place}": column for place, column in enumerate(columns)}), file)
    return file.getvalue()


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(st.none(), st.integers(0, 8)), min_size=1, max_size=60), st.permutations(range(12)))
def test_dictionaries_of_any_order_and_plain_texts(places, order):
    plain = pa.array([None if place is None else f"text {order[place]}" for place in places], pa.string())
    texts = pa.array([f"text {number}" for number in order])
    coded = pa.DictionaryArray.from_arrays(pa.array(places, pa.int16()), texts)
    assert written(coded) == written(plain)
    several = pa.chunked_array([coded.slice(0, 3), plain.dictionary_encode().slice(3).cast(coded.type)])
    assert written(several) == written(plain)
    assert pq.read_table(io.BytesIO(written(coded))).column(0).to_pylist() == plain.to_pylist()


@pytest.mark.parametrize("n_texts", [1, 300, 20_000, 90_000])
def test_small_and_large_dictionaries(n_texts):
    rng = np.random.default_rng(n_texts)
    texts = pa.array([f"text number {number}" for number in range(n_texts)])
    coded = pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, n_texts, 150_000), pa.int32()), texts)
    assert written(coded, coded) == written(*[coded.dictionary_decode()] * 2)


@pytest.mark.parametrize("values", [[3, 1, 2], [0.5, 1.5, 2.5], [True, False, True]])
def test_dictionaries_of_other_values_are_written_as_plain_cells(values):
    coded = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 2], pa.int32()), pa.array(values))
    plain = (
        coded.dictionary_decode()
        if not isinstance(values[0], bool)
        else pa.array([values[2], values[0], None, values[2]])
    )
    assert written(coded) == written(plain)


def test_nothing_but_cells_is_written():
    footer = pq.ParquetFile(io.BytesIO(written(pa.array(["b", "a"]), pa.array([1, 2])))).metadata
    assert footer.metadata is None
    assert not any(footer.row_group(0).column(place).is_stats_set for place in range(2))
