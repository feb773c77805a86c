# SPDX-License-Identifier: Apache-2.0
"""Products of one-hot codes are those of the sparse matrix that they stand for, to the last bit."""

import numpy as np
import pytest
import scipy.sparse as sp

from discreet.data.table import Table
from discreet.learning.encoding import encoded, learnt_and_tested
from discreet.learning.hot_codes import HotCodes


@pytest.mark.parametrize("seed", range(20))
def test_products_are_those_of_the_sparse_matrix(seed):
    random = np.random.default_rng(seed)
    n, widths = int(random.integers(1, 60)), random.integers(1, 7, random.integers(1, 5)).tolist()
    codes = [random.integers(0, width + 1, n).astype(np.int32) for width in widths]  # the last one was never met
    hot = HotCodes.of(codes, widths)
    blocks = [np.equal.outer(one, np.arange(width)).astype(float) for one, width in zip(codes, widths, strict=True)]
    matrix = sp.csr_array(np.hstack(blocks))
    weights, lines = random.normal(size=(sum(widths), 2)), random.normal(size=(n, 2))
    assert hot.shape == matrix.shape
    for column in range(2):  # the sums are taken in the same order
        assert ((hot @ weights)[:, column] == matrix @ weights[:, column]).all()
        assert ((hot.T.tocsr() @ lines)[:, column] == matrix.T.tocsr() @ lines[:, column]).all()
    assert ((hot.T.power(2) @ lines) == (hot.T @ lines)).all()


def test_only_tables_of_categories_are_codes():
    learnt = Table.of({"s": ["a", "b", None, "a"], "x": [1, 2, 3, 4], "y": [0, 1, 0, 1]})
    tested = Table.of({"s": ["b", "c", None], "x": [2, 2, 9], "y": [0, 1, 0]})
    rows = np.array([2, 0])
    weights = np.array([[1.0], [10.0], [100.0]])
    for names in (["s"], ["s", "x"]):
        left, right = learnt_and_tested(learnt, tested, names, rows)
        assert isinstance(left, HotCodes) == (names == ["s"]) == isinstance(right, HotCodes)
    matrix, asked = encoded(learnt, tested, ["s"])
    left, right = learnt_and_tested(learnt, tested, ["s"], rows)
    assert (left @ weights).tolist() == (matrix[rows] @ weights).tolist()
    assert (right @ weights).tolist() == (asked @ weights).tolist()
