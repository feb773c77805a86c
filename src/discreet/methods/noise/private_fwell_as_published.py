# SPDX-License-Identifier: Apache-2.0
"""Private FWELL as published, for studies: it is not differentially private.

Paper: J. Yang, Y. Li, "Differentially Private Feature Selection", Algorithm 2: step 2 is FWELL, steps 3 and 4 add noise
of the sensitivity 2 / (regularization n) (Corollary 1), which leaves out that one row may be the neighbour of all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.methods.noise.margins import margins
from discreet.methods.noise.private_fwell_reference import ReferenceStrategy
from discreet.methods.noise.private_rows import classes_of
from discreet.methods.noise.weighting import scaled


class PublishedStrategy(ReferenceStrategy):
    """Seek nearest hits and misses among all rows."""

    key = "as-published"
    factor = 2.0  # Corollary 1
    leak = (
        "As published, Private FWELL is not differentially private: one row may be the neighbour of all others. Its"
        " weights are for studies, not for release; the other values of `strategy` keep the promise."
    )

    def _margins(self, labels: Any, X: Any, low: np.ndarray, high: np.ndarray) -> Any:
        return margins(scaled(X, low, high), classes_of(labels))
