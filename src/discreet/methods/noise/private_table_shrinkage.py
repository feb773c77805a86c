# SPDX-License-Identifier: Apache-2.0
"""Noisy counts drawn towards what they would be without noise: each as far as it may be noise.

Every function sees noisy counts and what is public, never the rows.

The *lift* of a level in a class is by how many rows the class has more of it than its share. Before a count is seen,
the lifts of a column are taken to be normal and to add up to none. How large they are, whether those of rare levels
are large for their size, and how much alike those of adjacent levels are, is not known: each possibility counts as
much as the noisy counts make it likely. So the lifts of a column that tells nothing about the label come to nearly
nothing, and those of one that tells much stay. A level that looks as if a class had no rows of it keeps some, as far
as that may be noise: a classifier would take it for a proof.

Literature: B. Efron and C. Morris, "Data Analysis Using Stein's Estimator and its Generalizations", 1975; C. Rasmussen
and C. Williams, "Gaussian Processes for Machine Learning", 2006, chapters 2 and 5 (lifts of ordered levels; how large
they are).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from discreet.methods.noise.private_table_cells import simplex

LIFTS = (0.03, 0.1, 0.2, 0.4, 0.8, 1.6)  # standard deviations of lifts that are tried; benchmarks/private_table
FLOOR = 6.0  # times the root of levels over rows: a lower deviation is not tried; benchmarks/private_table
RARE = (1.0, 0.5)  # powers of a level's rows that its lift may go with
LEAST = 0.25  # of an even share of a level, that a class keeps where noise drowns it; benchmarks/private_table
_LIKE = (0.0, 0.5, 0.8, 0.95)  # correlations of the lifts of adjacent levels that are tried
_MANY = 256  # levels, above which each stands for itself
_TINY = 1e-9


def of_levels(counts: np.ndarray, variance: float, total: float) -> np.ndarray:
    """Rows of each level: drawn towards equal numbers (James and Stein), not negative, with this sum.

    >>> of_levels(np.array([90.0, 14.0, -2.0]), 1.0, 102.0).round(1).tolist()
    [89.0, 13.0, 0.0]
    """
    off = counts - counts.mean()
    keep = max(0.0, 1 - variance * (len(counts) - 1) / max(float((off**2).sum()), _TINY))
    return np.asarray(simplex((total / len(counts) + keep * off)[None], total)[0])


def of_column(table: np.ndarray, variance: float, classes: np.ndarray, ordered: int = 0) -> np.ndarray:
    """Counts of a column with the label, class x level, that are possible; `ordered` levels come first, in order."""
    total = max(float(classes.sum()), _TINY)
    share = np.maximum(classes / total, _TINY)[:, None]
    levels = table.sum(axis=0)
    rows = of_levels(levels, variance * len(table), total)
    noise = np.maximum(variance * (1 - 2 * share + len(table) * share**2), _TINY)  # a single class has none
    lifts = _lifts(table - share * levels, noise, np.sqrt(share * (1 - share)), np.maximum(rows, _TINY), ordered)
    return _not_none(simplex(np.maximum(share * rows + lifts, 0.0), classes), np.sqrt(noise), classes, share)


def _not_none(counts: np.ndarray, noise: np.ndarray, classes: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Every class keeps a part of an even share of each level: LEAST, or less where there is little noise."""
    even = share * counts.sum(axis=0)
    kept = np.maximum(counts, LEAST * even * noise / (noise + even))
    return np.asarray(kept * (classes / np.maximum(kept.sum(axis=1), _TINY))[:, None])


def _lifts(off: np.ndarray, noise: np.ndarray, spread: np.ndarray, rows: np.ndarray, ordered: int) -> np.ndarray:
    """The expected lifts, class x level, given what was observed: an average over all that may be, by likelihood.

    Deviations near what chance makes of so many rows are left out: rows that are drawn would not show such lifts.
    """
    likes = _LIKE if 2 < ordered <= len(rows) <= _MANY else _LIKE[:1]
    floor = FLOOR * math.sqrt(len(rows) / float(rows.sum()))
    deviations = sorted({max(deviation, floor) for deviation in LIFTS})
    sizes = [rows**power * rows.mean() ** (1 - power) for power in RARE]
    found = [
        of_prior
        for some in sizes
        for like in likes
        for of_prior in _under(off, noise, some, like, ordered, [spread * deviation for deviation in deviations])
    ]
    scores = np.array([score for score, _ in found])
    weights = np.exp(scores - scores.max())
    return np.tensordot(weights / weights.sum(), np.array([lifts for _, lifts in found]), axes=1)


def _under(
    off: np.ndarray,
    noise: np.ndarray,
    sizes: np.ndarray,
    like: float,
    ordered: int,
    deviations: Sequence[np.ndarray],
) -> Iterator[tuple[float, np.ndarray]]:
    """For each standard deviation: the logarithm of the likelihood, and the expected lifts, which add up to none.

    The covariance of the lifts of a class is deviation^2 B, and B = V diag(widths) V'; in the coordinates of V all is
    diagonal. That lifts add up to none is an observation, too: of their sum, without noise.
    """
    if like:
        places = np.arange(len(sizes))
        alike = np.where(np.maximum(places, places[:, None]) < ordered, like ** np.abs(places - places[:, None]), 0.0)
        np.fill_diagonal(alike, 1.0)
        widths, vectors = np.linalg.eigh(alike * sizes * sizes[:, None])
        widths, seen, ones = np.maximum(widths, 0.0), off @ vectors, vectors.sum(axis=0)
    else:
        widths, seen, ones = sizes**2, off, np.ones(len(sizes))
    free = (len(off) - 1) / len(off)  # the lifts of the last class follow from those of the others
    for deviation in deviations:
        prior = deviation**2 * widths
        whole = prior + noise
        mean, left = prior / whole * seen, prior * noise / whole  # of each coordinate, before the sum is known
        total, doubt = mean @ ones, np.maximum(left @ ones**2, _TINY)
        score = -0.5 * ((seen**2 / whole + np.log(whole)).sum(axis=1) + total**2 / doubt + np.log(doubt))
        score += 0.5 * np.log(np.maximum(prior @ ones**2, _TINY))
        mean = mean - left * ones * (total / doubt)[:, None]
        yield free * float(score.sum()), mean @ vectors.T if like else mean


def towards(table: np.ndarray, guess: np.ndarray, variance: float) -> np.ndarray:
    """Noisy counts, class by class drawn towards a guess as far as they may be noise (James and Stein); positive where
    the guess is."""
    off = table - guess
    axes = tuple(range(1, table.ndim))
    keep = np.maximum(0.0, 1 - variance * off[0].size / np.maximum((off**2).sum(axis=axes, keepdims=True), _TINY))
    return np.maximum(guess + keep * off, guess / 1000)
