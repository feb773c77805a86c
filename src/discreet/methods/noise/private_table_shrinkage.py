# SPDX-License-Identifier: Apache-2.0
"""Noisy counts drawn towards what they would be without noise: each as far as it may be noise.

Every function sees noisy counts and what is public, never the rows.

The *lift* of a level in a class is by how much more of the class has the level than of all rows. Before a count is
seen, a lift is taken to be normal with mean 0 and standard deviation 3, so that little is assumed. The expected lift,
given the noisy count, is near the observed one where many rows have the level, and near 0 where noise drowns it. A
level that looks as if a class had no rows of it keeps some, as far as that may be noise: a classifier would take it for
a proof.

Literature: B. Efron and C. Morris, "Data Analysis Using Stein's Estimator and its Generalizations", 1975; C. Rasmussen
and C. Williams, "Gaussian Processes for Machine Learning", 2006, chapter 2 (lifts of ordered levels).
"""

from __future__ import annotations

import numpy as np

from discreet.methods.noise.private_table_cells import simplex

LIFT = 3.0  # the standard deviation of lifts, before counts are seen; benchmarks/private_table
LEAST = 0.25  # of an even share of a level, that a class keeps where noise drowns it; benchmarks/private_table
_LIKE = (0.0, 0.5, 0.8, 0.95)  # correlations of the lifts of adjacent levels that are tried
_MANY = 256  # ordered levels, above which each stands for itself
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
    even = share * of_levels(levels, variance * len(table), total)
    off = table - share * levels
    noise = np.maximum(variance * (1 - 2 * share + len(table) * share**2), _TINY)  # a single class has none
    few = ordered if 2 < ordered <= _MANY else 0
    lifted = np.concatenate([_in_order(off[:, :few], noise, even[:, :few]), _each(off, noise, even)[:, few:]], axis=1)
    return _not_none(simplex(np.maximum(even + lifted, 0.0), classes), np.sqrt(noise), classes, share)


def _not_none(counts: np.ndarray, noise: np.ndarray, classes: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Every class keeps a part of an even share of each level: LEAST, or less where there is little noise."""
    even = share * counts.sum(axis=0)
    kept = np.maximum(counts, LEAST * even * noise / (noise + even))
    return np.asarray(kept * (classes / np.maximum(kept.sum(axis=1), _TINY))[:, None])


def _each(off: np.ndarray, noise: np.ndarray, even: np.ndarray) -> np.ndarray:
    prior = (LIFT * even) ** 2
    return prior / (prior + noise) * off


def _in_order(off: np.ndarray, noise: np.ndarray, even: np.ndarray) -> np.ndarray:
    """Lifts of adjacent levels are alike: a Gaussian process, averaged over how much alike by likelihood."""
    if not off.size:
        return off
    places = np.arange(off.shape[1])
    apart = np.abs(places[:, None] - places)
    scores, means = [], []
    for like in _LIKE:
        prior = LIFT**2 * like**apart * even[:, :, None] * even[:, None, :]  # 0**0 is 1
        whole = prior + noise[:, :, None] * np.eye(len(places))
        solved = np.linalg.solve(whole, off[:, :, None])[:, :, 0]
        scores.append(-0.5 * float((off * solved).sum() + np.linalg.slogdet(whole)[1].sum()))
        means.append((prior @ solved[:, :, None])[:, :, 0])
    weights = np.exp(np.array(scores) - max(scores))
    return np.tensordot(weights / weights.sum(), np.array(means), axes=1)


def towards(table: np.ndarray, guess: np.ndarray, variance: float) -> np.ndarray:
    """Noisy counts, class by class drawn towards a guess as far as they may be noise (James and Stein); positive where
    the guess is."""
    off = table - guess
    axes = tuple(range(1, table.ndim))
    keep = np.maximum(0.0, 1 - variance * off[0].size / np.maximum((off**2).sum(axis=axes, keepdims=True), _TINY))
    return np.maximum(guess + keep * off, guess / 1000)
