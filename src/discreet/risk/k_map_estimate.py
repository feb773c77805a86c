# SPDX-License-Identifier: Apache-2.0
"""k-map: how many persons of the population share the quasi-identifiers of a row.

L. Sweeney, "k-anonymity: a model for protecting privacy", International Journal of Uncertainty, Fuzziness and
Knowledge-Based Systems 10(5), 557-570 (2002); K. El Emam and F. Dankar, "Protecting privacy using k-anonymity",
Journal of the American Medical Informatics Association 15(5), 627-637 (2008). Where a table of the population is given,
persons are counted. Otherwise a group of f persons stands for F of them, negative binomial given f as in
`individual_risk.py`, and the k below is one that all groups reach with the stated confidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.evaluate.risk import BELOW
from discreet.risk.individual_risk import seen
from discreet.risk.population_uniqueness import PitmanParameters
from discreet.risk.sampled_groups import SampledGroups

CONFIDENCE = 0.95


@dataclass(frozen=True)
class KMapEstimate:
    """Persons of the population who share the quasi-identifiers of a row.

    k           the fewest for any row: counted, or reached by all rows with `confidence`
    below       for each size, the rows for which they are fewer: counted, or expected
    confidence  1 if the population was counted
    """

    k: int
    below: dict[int, float]
    confidence: float

    def to_dict(self) -> dict[str, Any]:
        below = {str(size): rows for size, rows in self.below.items()}
        return {"k": self.k, "confidence": self.confidence, "below": below}


def k_map(groups: SampledGroups, *, pitman: PitmanParameters | None = None) -> KMapEstimate | None:
    """The k-map of the groups; None if nothing is known about the population.

    Where it is estimated, F - f is negative binomial as in `individual_risk.py`, with or without Pitman's model.
    """
    found = groups.population
    if found is None:
        return None
    if groups.counted is not None:
        below = {size: float(groups.rows[found < size].sum()) for size in BELOW}
        return KMapEstimate(int(found.min()), below, 1.0)
    chance, alpha = seen(groups, pitman), 0.0 if pitman is None else pitman.alpha
    below = {size: float((groups.rows * chance_below(size, groups.sizes, chance, alpha)).sum()) for size in BELOW}
    return KMapEstimate(_reached(groups.sizes, chance, alpha), below, CONFIDENCE)


def chance_below(k: int, sizes: np.ndarray, chance: np.ndarray, alpha: float = 0.0) -> np.ndarray:
    """P(F < k | f) of groups of f = `sizes` persons, where F - f is negative binomial with f - alpha and `chance`.

    >>> chance_below(3, np.array([1, 2]), np.array([0.5, 0.5])).tolist()  # 1/2 + 1/4, and 1/4
    [0.75, 0.25]
    """
    from scipy.special import betainc

    below = np.zeros(len(sizes))
    possible = k > sizes  # F >= f; the distribution function is an incomplete beta function
    below[possible] = betainc(np.maximum(sizes[possible] - alpha, 1e-12), k - sizes[possible], chance[possible])
    return below


def _reached(sizes: np.ndarray, chance: np.ndarray, alpha: float) -> int:
    """The largest k that all groups reach with the confidence: the chances of those that do not add up to the rest."""
    pairs, counts = np.unique(np.column_stack([sizes, chance]), axis=0, return_counts=True)

    def is_reached(k: int) -> bool:
        return float((counts * chance_below(k, pairs[:, 0], pairs[:, 1], alpha)).sum()) <= 1 - CONFIDENCE

    low = int(sizes.min())  # F >= f
    high = 2 * low
    while is_reached(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if is_reached(middle) else (low, middle)
    return low
