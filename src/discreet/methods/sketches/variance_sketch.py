# SPDX-License-Identifier: Apache-2.0
"""Publish sketches of sparse records, short enough that similarities to nearest neighbours stay uncertain.

Paper: C. C. Aggarwal, P. S. Yu, "On Privacy-Preservation of Text and Sparse Binary Data with Sketches", Figure 2.

Departures from the paper:

1. Figure 2 asks for the minimum number of components; it must be the largest that keeps the promise.
2. Figure 2 begins with infinitely many components and repeats until little changes. A number that may rise again breaks
   pairs that relied on it. Here it begins with a cap, and one pass that only lowers numbers is enough: a pair that is
   kept once stays kept. A second pass raises each number as far as all its pairs, in both directions, allow.
3. K-variance suppresses no record that is not negative: one component is always allowed (component_limits.py).
   Records are suppressed for delta, for the cap on information, or because they are empty.
4. Records of equal content have equally many components.
5. The cap on information and the public classes are those of `DeltaSketch`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from discreet.data.records import Records
from discreet.errors import CannotRelease
from discreet.foundation.parameters import Interval, StrOptions
from discreet.foundation.randomness import RandomState
from discreet.methods.sketches.sketch_method import SketchMethod
from discreet.methods.sketches.variance_sketch_components import k_variance_counts
from discreet.privacy.promise import Promise
from discreet.privacy.sketch_promises import DeltaAnonymity, KVariance
from discreet.sketching.signs import Signs
from discreet.sketching.similar_records import approximate, nearest, recall

_SAMPLED = 200  # records whose neighbours are also found exactly, to see how many the index missed


class VarianceSketch(SketchMethod):
    """Sketches that do not distinguish a record from its k nearest neighbours by similarity: records far from others
    get fewer components.

    Parameters
    ----------
    k : how many neighbours.
    delta : asks for delta-anonymity too.
    neighbour_search : "exact", or "approximate" through an index that misses some (extra `neighbours`).
    raise_counts : whether the second pass raises what the first one lowered more than needed.

    Promise
    -------
    `KVariance(k)`, with delta also `DeltaAnonymity(delta)`. Neighbours are those among the published records.

    >>> X = np.array([[(i * j) % 53 < 9 for j in range(100)] for i in range(1, 41)])
    >>> VarianceSketch(3).release(X, np.arange(40) % 2).verdict.sentence()
    '3-variance of sketches holds: 3 required, 3 measured.'
    """

    name = "variance-sketch"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "k": [Interval(Integral, 1, None, closed="left")],
        "delta": [None, Interval(Real, 0, None, closed="neither")],
        "neighbour_search": [StrOptions({"exact", "approximate"})],
        "raise_counts": [bool],
        **SketchMethod._parameter_constraints,
    }

    def __init__(
        self,
        k: int = 5,
        *,
        delta: float | None = None,
        neighbour_search: str = "exact",
        raise_counts: bool = True,
        max_components: int = 256,
        information: float | None = 0.5,
        count_classes: str | Sequence[int] | None = "quarters",
        allow_determined: bool = False,
        key: Signs | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.k = k
        self.delta = delta
        self.neighbour_search = neighbour_search
        self.raise_counts = raise_counts
        self.max_components = max_components
        self.information = information
        self.count_classes = count_classes
        self.allow_determined = allow_determined
        self.key = key
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        promise = KVariance(self.k, self.neighbour_search)
        return promise if self.delta is None else promise & DeltaAnonymity(self.delta)

    def _counted(self, records: Records) -> tuple[np.ndarray, Records, list[str]]:
        counts, notes = self._capped(records, self.delta), list[str]()
        published = np.flatnonzero(counts)
        if len(published) <= self.k:
            raise CannotRelease(
                f"k = {self.k} was asked, but only {len(published)} of {len(records)} records may have a component:"
                f" none has {self.k} neighbours. Lower k or delta."
            )
        remaining = records.take(published)
        if self.neighbour_search == "exact":
            near = nearest(remaining, self.k)
        else:
            near = approximate(remaining, self.k, self.random_state)
            sample = np.arange(0, len(remaining), -(-len(remaining) // _SAMPLED))
            share = recall(remaining, near, sample)
            notes.append(f"The index found {share:.1%} of the nearest neighbours of {len(sample)} sampled records.")
            every = np.zeros((len(records), self.k), dtype=np.int64)
            every[published] = published[near.of]
            records = replace(records, neighbours=every)
        counts[published] = k_variance_counts(
            remaining, near, counts[published], self._classes, raise_counts=self.raise_counts
        )
        return counts, records, notes
