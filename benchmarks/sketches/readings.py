# SPDX-License-Identifier: Apache-2.0
"""Definition 3 of the sketch paper, read in three ways: how many components a record and a neighbour may share.

With a = |x|^2, b = |y|^2, c = x.y, and V/m the variance of the estimate of c from m components:

promise           sqrt(V/m) >= sqrt(ab) - c with the exact V: what `KVariance` promises, and the defaults do
printed variance  the same with the V that the paper prints, ab - c^2, which is too small: (1 + cos) / (1 - cos)
as printed        sqrt(V/m) >= sqrt(sqrt(ab) - c), the root over the whole difference as Definition 3 prints it, with
                  the printed V: sqrt(ab) + c, which grows with the lengths of the records

The last one promises nothing that has a meaning: multiply all counts by ten and it allows a hundred times as many
components. It is here since the paper may have measured it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from discreet.data.records import Records
from discreet.methods.sketches.sketch_method import SketchMethod
from discreet.methods.sketches.variance_sketch_components import k_variance_counts
from discreet.sketching.component_limits import UNLIMITED, pair_limits, pair_sums
from discreet.sketching.similar_records import Neighbours, cosines, nearest

Limits = Callable[[Records, np.ndarray, np.ndarray], np.ndarray]


def printed_variance(records: Records, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(1 + cos) / (1 - cos), rounded down."""
    cosine = cosines(records, rows, others)
    return _whole((1 + cosine) / np.maximum(1 - cosine, 1e-12))


def as_printed(records: Records, rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """sqrt(ab) + c, rounded down."""
    product, dots, _ = pair_sums(records, rows, others)
    length = np.sqrt(product)
    return np.where(dots >= length * (1 - 1e-12), UNLIMITED, _whole(length + dots))


READINGS: dict[str, Limits] = {
    "promise": pair_limits,
    "printed variance": printed_variance,
    "as printed": as_printed,
}


def _whole(limits: np.ndarray) -> np.ndarray:
    return np.minimum(np.floor(limits * (1 + 1e-9)), UNLIMITED).astype(np.int64)


@lru_cache(maxsize=4)
def neighbours(records: Records, k: int) -> Neighbours:
    """The k nearest, kept for the levels that need fewer of the same records."""
    return nearest(records, k)


def counts(records: Records, by: SketchMethod, k: int, reading: str, most: int) -> np.ndarray:
    """The components of each record under k-variance as it is read, with the caps and classes of a method. `most` is
    the largest k that is asked, so that neighbours are sought once."""
    found = neighbours(records, max(k, most))
    near = Neighbours(found.of[:, :k], found.cosine[:, :k])
    caps = by._capped(records, None)
    return k_variance_counts(records, near, caps, by._classes, limits_of=READINGS[reading])
