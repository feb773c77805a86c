# SPDX-License-Identifier: Apache-2.0
"""Records: what comes in, what is refused without its values, and the sums that promises rest on."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer

from discreet.data.baskets import Baskets
from discreet.data.records import Records, counts_csr
from discreet.errors import DataError


def test_every_kind_of_matrix_gives_the_same_records():
    X = np.array([[0, 2, 1], [3, 0, 0], [0, 0, 0]])
    for data in (X, X.tolist(), sp.csr_array(X), sp.csc_matrix(X), sp.coo_array(X.astype(float))):
        records = Records.of(data, ["a", "b", "a"])
        assert records.matrix.toarray().tolist() == X.tolist()
        assert (records.matrix.dtype, records.names) == (np.int32, ("x0", "x1", "x2"))
        assert records.classes[records.labels].tolist() == ["a", "b", "a"]


def test_sums_are_those_of_the_cells():
    rng = np.random.default_rng(0)
    for X in (rng.poisson(0.5, (50, 7)), rng.poisson(0.5, (50, 7)) / 4):
        records = Records.of(X)
        assert records.lengths.tolist() == (X**2).sum(axis=1).tolist()
        assert records.spread.tolist() == ((X**2).sum(axis=1) - X.max(axis=1) ** 2).tolist()
        assert records.ones.tolist() == (X > 0).sum(axis=1).tolist()


def test_baskets_and_texts_become_records():
    baskets = Baskets.of([[1, 0], [1, 1]], ["a", "b"], names=["tea", "rye"], persons=[7, 9])
    records = Records.of(baskets)
    assert (records.names, records.persons.tolist()) == (("tea", "rye"), [0, 1])
    texts = ["tea and tea", "rye and bread"]
    assert Records.from_text(texts, [0, 1]).matrix.toarray().max() == 2
    weighted = Records.from_text(texts, vectorizer=TfidfVectorizer())
    assert not weighted.whole
    assert np.allclose(weighted.lengths, 1)


@pytest.mark.parametrize(
    "wrong",
    [[[1, -8842]], [[1, np.nan]], [[1, np.inf]], [[1, "8842 x"]], [1, 2], [[]], [[8842.0**3]], [[1, 2], [3]]],
)
def test_what_is_no_count_is_refused_without_its_value(wrong):
    with pytest.raises(DataError) as raised:
        Records.of(wrong)
    assert "8842" not in str(raised.value)


def test_names_must_fit():
    with pytest.raises(DataError, match="2 item names are needed"):
        Records.of([[1, 2]], names=["a", "a"])
    with pytest.raises(DataError, match="none of them missing"):
        Records.from_text(["tea", None])
    with pytest.raises(DataError, match="cannot use the texts"):
        Records.from_text(["", ""])


def test_the_owners_file_gives_the_records_back(tmp_path):
    for X in (np.random.default_rng(1).poisson(0.5, (9, 5)), np.random.default_rng(1).random((9, 5))):
        records = Records.of(X)
        records.write(tmp_path / "records.parquet")
        again = Records.read(tmp_path / "records.parquet", records.names)
        assert (again.matrix != records.matrix).nnz == 0
        assert again.matrix.dtype == records.matrix.dtype
    with pytest.raises(DataError, match="cannot be read"):
        Records.read(tmp_path / "nowhere.parquet", records.names)


def test_cells_of_one_are_not_converted_twice_and_not_shared():
    """Only ones in order are taken as they are; anything else is put in order first."""
    ones = sp.csr_array((np.ones(3), np.array([0, 2, 1]), np.array([0, 2, 3])), shape=(2, 3))
    found = counts_csr(ones)
    assert found.dtype == np.int32
    assert found.toarray().tolist() == [[1, 0, 1], [0, 1, 0]]
    assert not any(np.shares_memory(getattr(found, part), getattr(ones, part)) for part in ("indices", "indptr"))
    twice = sp.csr_array((np.ones(3), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    assert counts_csr(twice).toarray().tolist() == [[1, 0, 2]]
    assert Records.unnamed(ones).shape == (2, 3)
    assert Records.unnamed(Records.of(ones)).names == ("x0", "x1", "x2")
