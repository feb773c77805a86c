# SPDX-License-Identifier: Apache-2.0
"""What a release is worth: how well the class of held-out rows is predicted from its labels, and the detail it holds.

The class is predicted in two ways by those who learn from the release: by logistic regression on the labels, and by the
classes of the row's group, which the former's answer is added to as if it were `_PRIOR` rows. The first stands for
learners that look at columns one by one, the second for those that see what columns say together. Each is measured by
the share of the log-loss of guessing that it saves, and the mean of both counts.

Detail is the share of its information that a quasi-identifier keeps, I(cell; label) / H(value), on average over the
quasi-identifiers, or by their weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.counting.entropy import n_log_n
from discreet.counting.tally import distinct_codes, pair_counts
from discreet.foundation.lazy_modules import linalg
from discreet.foundation.lazy_modules import sparse as sp

_PRIOR = 8.0  # rows
_RIDGE = 1.0  # as strong as the logistic regressions of most packages: half the sum of the squared weights
_TURNS = 25
_FEW = 2500  # rows at which detail is worth twice as much as in a very large table
_LEAST = 1e-3  # probability that is given to any class


@dataclass(frozen=True, eq=False)
class LabelWorth:
    """What all detail is worth, if all that can be known of the class is worth 1, and the weights of the columns."""

    detail: float
    weights: np.ndarray

    @classmethod
    def of_rows(cls, detail: float, weights: np.ndarray, n_rows: int) -> LabelWorth:
        """Of few rows less can be trusted what is known of the class, so detail is worth more.

        The share that is known has a standard error of about 0.5 / sqrt(n); with 0.1, this adds as much for every tenth
        of detail.
        """
        return cls(detail * (1 + math.sqrt(_FEW / max(n_rows, 1))), weights)

    def of(self, known: float, detail: float) -> float:
        """Where guessing is better than learning nothing is known, and detail alone decides."""
        return max(known, 0.0) + self.detail * detail


def class_share(labels: np.ndarray, learnt: np.ndarray, asked: np.ndarray) -> float:
    """The share of the log-loss of guessing that is saved; negative if guessing is better.

    `labels[i]` are the labels of distinct row i; `learnt` are its rows by class that are learnt from, and `asked` those
    that are asked about.
    """
    distinct, of = distinct_codes(list(labels.T), len(labels), ordered=False)
    counts, held_out = _sums(learnt, of, len(distinct)), _sums(asked, of, len(distinct))
    shares = counts.sum(axis=0) + 1.0
    guess = _log_loss(np.tile(shares / shares.sum(), (len(counts), 1)), held_out)
    if guess <= 0:
        return 0.0
    linear = _logistic(distinct, counts)
    grouped = (counts + _PRIOR * linear) / (counts.sum(axis=1, keepdims=True) + _PRIOR)
    return 1.0 - (_log_loss(linear, held_out) + _log_loss(grouped, held_out)) / (2 * guess)


def _sums(counts: np.ndarray, of: np.ndarray, n: int) -> np.ndarray:
    return np.column_stack([np.bincount(of, counts[:, label], n) for label in range(counts.shape[1])])


def _log_loss(probabilities: np.ndarray, held_out: np.ndarray) -> float:
    return float(-(held_out * np.log(np.maximum(probabilities, _LEAST))).sum())


def _logistic(labels: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The probabilities that a logistic regression on the labels gives to the classes of each row.

    Böhning's bound of the curvature is the same in every turn (Böhning 1992), so one factorisation serves all turns;
    each turn starts from beyond the last one (Nesterov 1983).
    """
    known = np.flatnonzero(counts.sum(axis=1) > 0)
    places, starts = [], [0]
    for column in labels.T:
        values, place = np.unique(column, return_inverse=True)
        places.append(place.ravel() + starts[-1])
        starts.append(starts[-1] + len(values))
    n, width = labels.shape
    ones = sp.csr_array(
        (np.ones(n * width), np.column_stack(places).ravel(), np.arange(0, n * width + 1, width)), shape=(n, starts[-1])
    )
    rows, taught = counts[known].sum(axis=1), counts[known]
    seen = ones if len(known) == n else ones[known]
    bound = 0.5 * (seen.T @ (seen * rows[:, None])).toarray()
    bound[np.diag_indices_from(bound)] += _RIDGE
    factor = linalg.cho_factor(bound, lower=True, check_finite=False)
    prior = np.log((taught.sum(axis=0) + 1) / (taught.sum() + taught.shape[1]))
    weights = np.zeros((starts[-1], counts.shape[1]))
    ahead, back = weights, seen.T.tocsr()
    for turn in range(_TURNS):
        missed = taught - rows[:, None] * _softmax(seen @ ahead + prior)
        new = ahead + linalg.cho_solve(factor, back @ missed - _RIDGE * ahead, check_finite=False)
        ahead, weights = new + turn / (turn + 3) * (new - weights), new
    return _softmax(ones @ weights + prior)


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def detail_kept(
    cells: np.ndarray, labels: np.ndarray, rows: np.ndarray, information: Sequence[float], weights: np.ndarray
) -> float:
    """The share of their information that the columns keep; `information` is that of their values, in bits."""
    n, kept = max(float(rows.sum()), 1.0), []
    for c in range(cells.shape[1]):
        label, cell, both = pair_counts(labels[:, c], cells[:, c], rows)
        apart = float(n_log_n(np.bincount(label, both)).sum() + n_log_n(np.bincount(cell, both)).sum())
        known = (float(n_log_n(both).sum()) - apart + float(n_log_n(n))) / n
        kept.append(known / information[c] if information[c] > 0 else 0.0)
    return float(np.average(kept, weights=weights)) if weights.sum() > 0 else 0.0
