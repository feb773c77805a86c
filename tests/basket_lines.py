# SPDX-License-Identifier: Apache-2.0
"""Random rows of items as lines, and releases of them beside those of the same rows in memory."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.errors import CannotRelease

METHODS = {
    "hamdist": lambda: ds.GreedySelector(3),
    "stop": lambda: ds.GreedySelector(2, on_infeasible="stop"),
    "few": lambda: ds.GreedySelector(2, max_features=2),
    "distcnt": lambda: ds.GreedySelector(3, utility="distcnt"),
    "cm": lambda: ds.GreedySelector(3, utility="cm"),
    "callable": lambda: ds.GreedySelector(3, utility=lambda baskets: float(baskets.matrix.nnz)),
    "absences": lambda: ds.GreedySelector(2, absences=1),
    "labels": lambda: ds.GreedySelector(2, label_known=True),
    "k-anonymity": lambda: ds.GreedySelector(2, constraint="k-anonymity"),
    "maximal": lambda: ds.MaximalSelector(3),
    "frequent": lambda: ds.MaximalSelector(3, family="frequent", utility="distcnt"),
    "optimal": lambda: ds.OptimalSelector(3, utility="hamdist"),
    "optimal distcnt": lambda: ds.OptimalSelector(3, utility="distcnt"),
    "optimal information": lambda: ds.OptimalSelector(3, utility="information"),
    "optimal cmi": lambda: ds.OptimalSelector(3, utility="cmi"),
    "km": lambda: ds.KmSelector(3),
}


def rows_of(seed, *, n_rows=60, n_items=14, classes="ab"):
    """Random rows of items; some are empty."""
    rng = np.random.default_rng(seed)
    share = rng.uniform(0.05, 0.7, n_items)
    rows = [[f"i{j}" for j in np.flatnonzero(rng.random(n_items) < share)] for _ in range(n_rows)]
    rows[0] = []
    return rows, [classes[int(c)] for c in rng.integers(0, len(classes), n_rows)]


def lines_of(rows, labels, *, seed=0, text=False):
    """Long lines, some of them twice; a row without items has a line without one."""
    rng = np.random.default_rng(seed)
    lines = []
    for number, (row, label) in enumerate(zip(rows, labels, strict=True)):
        again = [item for item in row if rng.random() < 0.1]
        lines += [(number, item, label) for item in (row + again or [None])]
    ids, items, label = zip(*lines, strict=True)
    ids = [f"r{number}" for number in ids] if text else list(ids)
    return pa.table({"row": ids, "item": pa.array(items, pa.string()), "y": list(label)})


def published(release):
    """The published rows with their labels, as a multiset."""
    baskets = release.baskets
    texts = [str(label) for label in baskets.label_values]
    return Counter((frozenset(baskets.items(row)), texts[row]) for row in range(len(baskets)))


def equal_releases(method, in_memory, elsewhere):
    """Whether both give the same release, or the same refusal."""
    try:
        expected = method().release(in_memory)
    except CannotRelease:
        with pytest.raises(CannotRelease):
            method().release(elsewhere)
        return None
    found = method().release(elsewhere)
    assert found.columns == expected.columns
    assert published(found) == published(expected)
    assert found.changes == expected.changes
    assert found.detail.whole == pytest.approx(expected.detail.whole)
    assert found.certificate.model_dump(exclude={"id", "seal", "made"}) == expected.certificate.model_dump(
        exclude={"id", "seal", "made"}
    )
    return found
