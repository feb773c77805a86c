# SPDX-License-Identifier: Apache-2.0
"""`weights`: how much each quasi-identifier counts. Declare the parameter with `"weights": [ColumnWeights(), None]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from discreet.errors import RolesError, did_you_mean, listing
from discreet.foundation.parameters import Interval

_WEIGHT = Interval(Real, 0, None, closed="left")


class ColumnWeights:
    """A mapping of names to numbers that are not negative."""

    def allows(self, value: Any) -> bool:
        return isinstance(value, Mapping) and all(
            isinstance(name, str) and _WEIGHT.allows(weight) for name, weight in value.items()
        )

    def __str__(self) -> str:
        return "a dict of columns with floats in the range [0, inf)"

    @property
    def in_words(self) -> str:
        return f"a JSON object of columns, each with {_WEIGHT.in_words}"


def column_weights(weights: Mapping[str, float] | None, quasi: Sequence[str]) -> np.ndarray:
    """The weights of the quasi-identifiers, 1 for those without.

    >>> column_weights({"age": 3}, ["age", "zip"]).tolist()
    [3.0, 1.0]
    """
    weights = weights or {}
    strange = sorted(name for name in weights if name not in quasi)
    if strange:
        raise RolesError(
            f"There are weights for {listing(strange)}, which the roles do not call quasi-identifiers."
            f"{did_you_mean(strange[0], quasi)}"
        )
    return np.array([float(weights.get(name, 1.0)) for name in quasi])
