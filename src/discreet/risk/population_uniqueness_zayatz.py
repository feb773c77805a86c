# SPDX-License-Identifier: Apache-2.0
"""Zayatz's model: groups of the population have the sizes that groups of the sample have.

L. V. Zayatz, "Estimation of the number of unique population elements using a sample", Proceedings of the Survey
Research Methods Section, American Statistical Association, 369-373 (1991).
"""

from __future__ import annotations

import numpy as np

from discreet.risk.population_uniqueness_sizes import GroupSizes


def zayatz(groups: GroupSizes) -> float:
    """Estimated unique persons of the population.

    If the groups of the population had the sizes of those of the sample, a group of j persons would be seen with one
    person with the hypergeometric probability h(j). By Bayes, a sample unique is unique in the population with
    probability f_1 h(1) / sum_j f_j h(j); the population holds n_1 / fraction times as many.
    """
    total, drawn = round(groups.population), groups.persons
    seen_once = _one_of(groups.sizes, total, drawn)
    conditional = groups.ones * (drawn / total) / float((groups.counts * seen_once).sum())
    return groups.ones * conditional / groups.fraction


def _one_of(sizes: np.ndarray, total: int, drawn: int) -> np.ndarray:
    """The probability that exactly one of `sizes` persons is among `drawn` of `total`, drawn without replacement.

    >>> _one_of(np.array([1, 2]), 4, 2).round(4).tolist()
    [0.5, 0.6667]
    """
    step = np.arange(int(sizes.max()) - 1)  # the others are missed, one after the other
    missed = np.cumprod(np.append(1.0, (total - drawn - step).clip(min=0) / np.maximum(total - 1 - step, 1)))
    return sizes * (drawn / total) * missed[sizes.astype(np.int64) - 1]
