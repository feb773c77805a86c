# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from discreet.counting.tally import order_of, tally_of_groups
from discreet.data.column import encode
from discreet.engines.duckdb_packing import Numbering, Packing


@given(st.lists(st.one_of(st.integers(0, 5), st.integers(0, 2**62)), max_size=40))
def test_the_order_of_keys_is_stable_however_large_they_are(keys):
    key = np.array(keys, dtype=np.int64)
    assert order_of(key).tolist() == np.argsort(key, kind="stable").tolist()


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "1.0", "2"]), st.integers(1, 9)), min_size=1))
def test_groups_that_mean_the_same_are_joined(groups):
    x, y = (encode(name, pa.array([group[i] for group in groups])) for i, name in enumerate("xy"))
    rows = np.array([group[2] for group in groups])
    counted = tally_of_groups([x, y], rows, target=y, persons=rows)
    expected = {}
    for a, b, n in groups:
        key = (sorted({g[0] for g in groups}).index(a), sorted({float(g[1]) for g in groups}).index(float(b)))
        expected[key] = expected.get(key, 0) + n
    assert list(map(tuple, counted.codes.tolist())) == sorted(expected)
    assert counted.sizes.tolist() == counted.counts.sum(axis=1).tolist() == [expected[key] for key in sorted(expected)]
    assert all((counts > 0).sum() == 1 for counts in counted.counts)  # the target is one of the columns


def test_columns_are_read_out_of_the_key_again():
    """Texts a, b and whole numbers 7, 9: a key is 4 * text + (number - 7), with 2 and 3 for missing."""
    text = encode("text", pa.array(["a", "b", None]))
    packing = Packing(
        {
            "text": Numbering("t", "enum_code({c})", 2, code_of=np.array([0, 1, 2]), values=text.values),
            "whole": Numbering("w", "({c}::BIGINT - 7)", 3, low=7),
        }
    )
    assert packing.key == "coalesce(enum_code(k0)::BIGINT, 2) * 4 + coalesce((k1::BIGINT - 7)::BIGINT, 3) * 1"
    key = np.array([2 * 4 + 3, 0 * 4 + 2, 1 * 4 + 0, 0 * 4 + 0])
    counted = packing.tally(["text"], "whole", key, np.array([1, 2, 3, 4]), None)
    assert counted.codes.tolist() == [[0], [1], [2]]
    assert counted.counts.tolist() == [[4, 2, 0], [3, 0, 0], [0, 0, 1]]  # 7, 9, missing
    coded = packing.coded(key)
    assert coded["whole"].values.to_pylist() == [7, 9]
    assert coded["whole"].codes.tolist() == [2, 1, 0, 0]
    assert coded["text"].codes.tolist() == [2, 0, 1, 0]
