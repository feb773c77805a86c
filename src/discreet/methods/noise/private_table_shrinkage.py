# SPDX-License-Identifier: Apache-2.0
"""Noisy counts drawn towards what they would be without noise: each as far as it may be noise.

Every function sees noisy counts and what is public, never the rows.

Before a count is seen, the rows of levels are taken to be normal around equal numbers. How far they are from these, how
much alike adjacent levels are, and whether empty cells are rare, is not known: each possibility counts as much as the
noisy counts make it likely. So noise makes up no differences between levels, and no empty cells.

The *lift* of a level in a class is by how many rows the class has more of it than its share. Before a count is seen,
the lifts of a column are taken to be normal and to add up to none. How large they are, whether those of rare levels
are large for their size, and how much alike those of adjacent levels are, is not known either. So the lifts of a column
that tells nothing about the label come to nearly nothing, and those of one that tells much stay. A level that looks as
if a class had no rows of it keeps some, as far as that may be noise: a classifier would take it for a proof.

Literature: C. Rasmussen and C. Williams, "Gaussian Processes for Machine Learning", 2006, chapters 2 and 5 (levels in
an order, and how large lifts are); B. Efron and C. Morris, "Data Analysis Using Stein's Estimator and its
Generalizations", 1975 (pairs and triples).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from discreet.methods.noise.private_table_cells import simplex

LIFTS = (0.03, 0.1, 0.2, 0.4, 0.8, 1.6)  # standard deviations of lifts that are tried; benchmarks/private_table
LEVELS = (0.1, 0.3, 1.0, 3.0)  # standard deviations of rows of levels that are tried; benchmarks/private_table
EMPTY = 1 / 30  # rows of the empty cell, over those of another level, where it is rare; benchmarks/private_table
FLOOR = 6.0  # times the root of levels over rows: a lower deviation is not tried; benchmarks/private_table
RARE = (1.0, 0.5)  # powers of a level's rows that its lift may go with
LEAST = 0.25  # of an even share of a level, that a class keeps where noise drowns it; benchmarks/private_table
_LIKE = (0.0, 0.5, 0.8, 0.95)  # correlations of the lifts of adjacent levels that are tried
_MANY = 256  # levels, above which each stands for itself
_TINY = 1e-9


def of_levels(
    counts: np.ndarray, variance: float, total: float, ordered: int = 0, *, empty: bool = False
) -> np.ndarray:
    """Rows of each level, with this sum: drawn towards equal numbers, as far as they may be noise; none is negative.

    Where the last level is the empty cell, the others are taken to be equal and it to be rare, besides: whichever is
    likelier counts more.

    >>> of_levels(np.array([90.0, 14.0, -2.0]), 1.0, 102.0).round(1).tolist()
    [89.0, 13.0, 0.0]
    """
    guesses = [np.full(len(counts), total / len(counts))]
    if empty and len(counts) > 1:
        of_each = np.append(np.ones(len(counts) - 1), EMPTY)
        guesses.append(total * of_each / of_each.sum())
    deviations, noise = [np.full((1, 1), deviation) for deviation in LEVELS], np.full((1, 1), variance)
    found = [
        (score, guess + off[0])
        for guess in guesses
        for score, off in _possible((counts - guess)[None], noise, [guess], ordered, deviations)
    ]
    return np.asarray(simplex(_by_likelihood(found), total))


def of_column(
    table: np.ndarray, variance: float, classes: np.ndarray, ordered: int = 0, *, empty: bool = False
) -> np.ndarray:
    """Counts of a column with the label, class x level, that are possible; `ordered` levels come first, in order."""
    total = max(float(classes.sum()), _TINY)
    share = np.maximum(classes / total, _TINY)[:, None]
    levels = table.sum(axis=0)
    rows = of_levels(levels, variance * len(table), total, ordered, empty=empty)
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
    floor = FLOOR * math.sqrt(len(rows) / float(rows.sum()))
    deviations = [spread * deviation for deviation in sorted({max(deviation, floor) for deviation in LIFTS})]
    sizes = [rows**power * rows.mean() ** (1 - power) for power in RARE]
    return _by_likelihood(_possible(off, noise, sizes, ordered, deviations))


def _by_likelihood(found: Iterable[tuple[float, np.ndarray]]) -> np.ndarray:
    """The mean of what is expected under each possibility, weighted by how likely it makes the counts."""
    scores, expected = zip(*found, strict=True)
    weights = np.exp(np.array(scores) - max(scores))
    return np.tensordot(weights / weights.sum(), np.array(expected), axes=1)


def _possible(
    off: np.ndarray, noise: np.ndarray, sizes: Sequence[np.ndarray], ordered: int, deviations: Sequence[np.ndarray]
) -> Iterator[tuple[float, np.ndarray]]:
    """Of each possibility the logarithm of its likelihood, and what it expects of lines that add up to none."""
    likes = _LIKE if 2 < ordered <= off.shape[1] <= _MANY else _LIKE[:1]
    for some in sizes:
        for like in likes:
            yield from _under(off, noise, some, like, ordered, deviations)


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
    free = max(len(off) - 1, 1) / len(off)  # the lifts of the last class follow from those of the others
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
