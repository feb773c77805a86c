# SPDX-License-Identifier: Apache-2.0
"""Rows ordered by their content: what is decided by place, such as folds, then does not depend on how they came."""

from __future__ import annotations

import numpy as np

from discreet.data.baskets import Baskets


def in_a_fixed_order(baskets: Baskets) -> Baskets:
    """The same rows, ordered by their items, their label and their person.

    >>> [in_a_fixed_order(Baskets.of(X)).items(0) for X in ([[1, 0], [0, 1]], [[0, 1], [1, 0]])]
    [('x0',), ('x0',)]
    """
    indptr, indices = baskets.matrix.indptr, baskets.matrix.indices
    nothing = np.zeros(len(baskets), dtype=np.int64)
    labels = nothing if baskets.labels is None else baskets.labels
    persons = nothing if baskets.persons is None else baskets.persons
    keys = [
        (indices[indptr[row] : indptr[row + 1]].tobytes(), int(labels[row]), int(persons[row]))
        for row in range(len(baskets))
    ]
    return baskets.take(np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64))
