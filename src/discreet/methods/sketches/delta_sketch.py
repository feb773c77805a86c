# SPDX-License-Identifier: Apache-2.0
"""Publish sketches of sparse records, short enough that every cell stays uncertain.

Paper: C. C. Aggarwal, P. S. Yu, "On Privacy-Preservation of Text and Sparse Binary Data with Sketches", Figure 1.

Departures from the paper:

1. Figure 1 asks for the smallest number of components; it must be the largest that keeps the promise. The smallest is
   always 1.
2. No sketch may carry more than a share of its record's bits (`information`), and none is published that can carry all
   of them unless that is asked for. The paper has no such cap, and its sketches determine many records.
3. Numbers of components are rounded down to public classes: a number of its own would tell a record's length.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from discreet.data.records import Records
from discreet.foundation.parameters import Interval
from discreet.foundation.randomness import RandomState
from discreet.methods.sketches.sketch_method import SketchMethod
from discreet.privacy.promise import Promise
from discreet.privacy.sketch_promises import DeltaAnonymity
from discreet.sketching.signs import Signs


class DeltaSketch(SketchMethod):
    """Sketches in which every estimate of a cell has a variance of at least delta. Each record is sketched on its own,
    so the method works at collection time and on streams.

    Promise
    -------
    `DeltaAnonymity(delta)`. It is about the variance of one estimator, not about all that the components tell.

    >>> X = np.array([[(i * j) % 53 < 9 for j in range(100)] for i in range(1, 41)])
    >>> release = DeltaSketch(0.5).release(X, np.arange(40) % 2)
    >>> release.verdict.sentence()
    '0.5-anonymity of sketches holds: 0.5 required, 0.5 measured.'
    """

    name = "delta-sketch"
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "delta": [Interval(Real, 0, None, closed="neither")],
        **SketchMethod._parameter_constraints,
    }

    def __init__(
        self,
        delta: float = 0.5,
        *,
        max_components: int = 256,
        information: float | None = 0.5,
        count_classes: str | Sequence[int] | None = "quarters",
        allow_determined: bool = False,
        key: Signs | None = None,
        random_state: RandomState = None,
    ) -> None:
        self.delta = delta
        self.max_components = max_components
        self.information = information
        self.count_classes = count_classes
        self.allow_determined = allow_determined
        self.key = key
        self.random_state = random_state

    @property
    def promise(self) -> Promise:
        return DeltaAnonymity(self.delta)

    def _counted(self, records: Records) -> tuple[np.ndarray, Records, list[str]]:
        return self._capped(records, self.delta), records, []
