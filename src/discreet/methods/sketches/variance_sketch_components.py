# SPDX-License-Identifier: Apache-2.0
"""The number of components of each record, such that all pairs of neighbours respect their limits: one pass lowers the
numbers, a second one raises them.

A pair (q, l) of a record and one of its neighbours is kept when min(m(q), m(l)) <= limit(q, l). The first pass goes
through the records, those farthest from their neighbours first, and lowers m(q) to the largest value for which all
pairs (q, l) are kept. Numbers only fall, so a pair that is kept stays kept, and one pass keeps them all. The second
pass raises each m(q), up to its cap, as far as all its pairs allow in which it is the record or the neighbour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from discreet.data.records import Records
from discreet.foundation.compiled_kernels import compiled
from discreet.sketching.component_limits import UNLIMITED, pair_limits, rounded
from discreet.sketching.similar_records import Neighbours, content_hash


def k_variance_counts(
    records: Records,
    near: Neighbours,
    caps: np.ndarray,
    classes: Sequence[int] | None,
    *,
    raise_counts: bool = True,
    limits_of: Callable[[Records, np.ndarray, np.ndarray], np.ndarray] = pair_limits,
) -> np.ndarray:
    """The number of components of each record, at most its cap, in classes; caps are in classes already."""
    n, k = near.of.shape
    rows, others = np.repeat(np.arange(n), k), near.of.ravel()
    limits = limits_of(records, rows, others)
    content = content_hash(records)
    order = np.lexsort((content, near.farthest))  # Figure 2: the sort index, largest distance first
    floors = rounded(np.arange(int(caps.max(initial=0)) + 1), classes)
    counts = caps.astype(np.int64)
    _pass(order, np.arange(n + 1) * k, others, limits, counts, caps.astype(np.int64), floors)
    if raise_counts:
        mine, theirs = np.concatenate([rows, others]), np.concatenate([others, rows])
        place = np.argsort(mine, kind="stable")
        ends = np.searchsorted(mine[place], np.arange(n + 1))
        both = np.concatenate([limits, limits])[place]
        _pass(order, ends, theirs[place], both, counts, caps.astype(np.int64), floors)
    _, same = np.unique(content, return_inverse=True)
    least = np.full(n, UNLIMITED, dtype=np.int64)
    np.minimum.at(least, same, counts)
    return least[same]


@compiled
def _pass(order, ends, others, limits, counts, caps, floors):
    """Set each number to the largest class, up to its cap, for which all its pairs are kept."""
    for place in range(len(order)):
        q = order[place]
        most = caps[q]
        for p in range(ends[q], ends[q + 1]):
            if counts[others[p]] > limits[p] and limits[p] < most:
                most = limits[p]
        counts[q] = floors[most]  # Figure 2: m(q), so that min{m(q), m(l)} satisfies Definition 3
