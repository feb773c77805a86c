# SPDX-License-Identifier: Apache-2.0
"""The weights that a choice goes by unless others are given: the same in `compare`, `choose`, recipes and Python.

Half of the weight is on what a recipient can learn, a quarter on who is not found, a quarter on what is left to read.
E_WEIGHTS are those of E(S) as it was published, by the number of attributes in place of the detail; it is shown beside
the choice and decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

THREE = ("utility", "privacy", "detail")
WEIGHTS: Mapping[str, Fraction] = MappingProxyType(
    {"utility": Fraction(1, 2), "privacy": Fraction(1, 4), "detail": Fraction(1, 4)}
)
E_WEIGHTS: Mapping[str, Fraction] = MappingProxyType(
    {"utility": Fraction(1, 2), "privacy": Fraction(1, 4), "size": Fraction(1, 4)}
)


def in_words(weights: Mapping[str, Fraction] = WEIGHTS) -> str:
    """Weights as options and recipes write them.

    >>> in_words()
    'utility=0.5,privacy=0.25,detail=0.25'
    """
    return ",".join(f"{name}={float(weight):g}" for name, weight in weights.items())
