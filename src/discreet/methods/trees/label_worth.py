# SPDX-License-Identifier: Apache-2.0
"""What a release is worth: how well the class of held-out rows is predicted from its labels, and the detail it holds.

The class is predicted in two ways by those who learn from the release: by logistic regression on the labels, and by the
classes of the row's group, which the former's answer is added to as if it were `_PRIOR` rows. The first stands for
learners that look at columns one by one, the second for those that see what columns say together. Each is measured by
the shares of the log-loss and of the errors of guessing that it saves, and the mean of both ways counts.

Detail is the share of its information that a quasi-identifier keeps, I(cell; label) / H(value), on average over the
quasi-identifiers, or by their weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from discreet.counting.entropy import n_log_n
from discreet.counting.tally import distinct_codes, pair_counts
from discreet.foundation.compiled_kernels import compiled

_PRIOR = 8.0  # rows
_RIGHT = 0.33  # weight of the errors that are saved, beside the log-loss
_RAW = 0.05  # share of the difference that counts, where somebody who does not recode knows less
_RIDGE = 1.0  # as strong as the logistic regressions of most packages: half the sum of the squared weights
_TURNS = 25
_MUCH = 0.3  # share that can be known of the class, below which detail is worth less
_FEW = 2500  # rows at which detail is worth twice as much as in a very large table
_LEAST = 1e-3  # probability that is given to any class


@dataclass(frozen=True, eq=False)
class LabelWorth:
    """What all detail is worth, if knowing the class is worth 1, and the weights of the columns."""

    detail: float
    weights: np.ndarray

    @classmethod
    def of_rows(cls, detail: float, weights: np.ndarray, n_rows: int, knowable: float = 1.0) -> LabelWorth:
        """Where less can be known of the class at all, detail is worth less; of few rows less can be trusted what is
        known, so detail is worth more.

        The share that is known has a standard error of about 0.5 / sqrt(n); with 0.06, this adds 0.3 / sqrt(n) for
        every tenth of detail.
        """
        return cls(detail * (min(knowable / _MUCH, 1.0) + math.sqrt(_FEW / max(n_rows, 1))), weights)

    def of(self, known: float, detail: float) -> float:
        """Where guessing is better than learning nothing is known, and detail alone decides."""
        return max(known, 0.0) + self.detail * detail


class Known(NamedTuple):
    """What is known of the class of held-out rows, as shares of what guessing lacks; negative if guessing is better.

    told       of the log-loss
    right      of the errors
    unrecoded  of the log-loss, by somebody who does not recode; as `told` if nobody was asked
    """

    told: float
    right: float
    unrecoded: float

    @property
    def share(self) -> float:
        """All of it as one number."""
        lost = min(max(self.told - self.unrecoded, 0.0), 2 * max(self.told, 0.0))
        return (1 - _RIGHT) * (self.told - _RAW * lost) + _RIGHT * self.right


NOTHING_KNOWN = Known(0.0, 0.0, 0.0)


def class_known(
    labels: np.ndarray, learnt: np.ndarray, asked: np.ndarray, unrecoded: np.ndarray | None = None
) -> Known:
    """What can be known of the class of the rows asked about.

    `labels[i]` are the labels of distinct row i; `learnt` are its rows by class that are learnt from, and `asked` those
    that are asked about. `unrecoded` are the labels that somebody reads who does not recode.
    """
    distinct, of = distinct_codes(list(labels.T), len(labels), ordered=False)
    counts, held_out = _sums(learnt, of, len(distinct)), _sums(asked, of, len(distinct))
    shares, classes = counts.sum(axis=0) + 1.0, held_out.sum(axis=0)
    guess = _log_loss(shares / shares.sum(), classes)
    wrong = float(classes.sum() - classes[shares.argmax()])
    if guess <= 0:
        return NOTHING_KNOWN
    model = LabelRegression.of(distinct, counts)
    linear = model.said(distinct)
    grouped = (counts + _PRIOR * linear) / (counts.sum(axis=1, keepdims=True) + _PRIOR)
    told = 1.0 - (_log_loss(linear, held_out) + _log_loss(grouped, held_out)) / (2 * guess)
    right = 1.0 - (_errors(linear, held_out) + _errors(grouped, held_out)) / (2 * wrong) if wrong > 0 else 0.0
    if unrecoded is None:
        return Known(told, right, told)
    some = asked.sum(axis=1) > 0
    return Known(told, right, 1.0 - _log_loss(model.said(unrecoded[some]), asked[some]) / guess)


def _sums(counts: np.ndarray, of: np.ndarray, n: int) -> np.ndarray:
    return np.column_stack([np.bincount(of, counts[:, label], n) for label in range(counts.shape[1])])


def _log_loss(probabilities: np.ndarray, held_out: np.ndarray) -> float:
    return float(-(held_out * np.log(np.maximum(probabilities, _LEAST))).sum())


def _errors(probabilities: np.ndarray, held_out: np.ndarray) -> float:
    likeliest = probabilities.argmax(axis=1)
    return float(held_out.sum() - held_out[np.arange(len(held_out)), likeliest].sum())


@dataclass(frozen=True, eq=False)
class LabelRegression:
    """A logistic regression on labels: the number of each label of each column, and the weights of all by class."""

    places: list[np.ndarray]
    weights: np.ndarray
    prior: np.ndarray

    @classmethod
    def of(cls, labels: np.ndarray, counts: np.ndarray) -> LabelRegression:
        """Learnt from rows of labels with their counts by class.

        Böhning's bound of the curvature is the same in every turn (Böhning 1992), so one factorisation serves all
        turns; each turn starts from beyond the last one (Nesterov 1983).
        """
        tables, n_places = [], 0
        for column in labels.T:
            occurs = np.bincount(column) > 0
            tables.append(np.cumsum(occurs) - 1 + n_places)
            n_places += int(occurs.sum())
        places = _places(tables, labels)
        taught = counts.astype(np.float64)
        bound = _curvature(places, taught.sum(axis=1), n_places)
        bound[np.diag_indices_from(bound)] += _RIDGE
        prior = np.log((taught.sum(axis=0) + 1) / (taught.sum() + taught.shape[1]))
        return cls(tables, _learn(places, taught, np.linalg.cholesky(bound), prior, _TURNS, _RIDGE), prior)

    def said(self, labels: np.ndarray) -> np.ndarray:
        """The probabilities of the classes of rows with labels that were learnt."""
        return _said(_places(self.places, labels), self.weights, self.prior)


def _places(tables: list[np.ndarray], labels: np.ndarray) -> np.ndarray:
    """The number of each label among those of all columns."""
    places = np.empty(labels.shape, dtype=np.int64)
    for c, table in enumerate(tables):
        places[:, c] = table[labels[:, c]]
    return places


@compiled
def _curvature(places, rows, n_places):
    """Half the rows that two labels share."""
    bound = np.zeros((n_places, n_places))
    for i in range(len(places)):
        for a in places[i]:
            for b in places[i]:
                bound[a, b] += 0.5 * rows[i]
    return bound


@compiled
def _learn(places, taught, factor, prior, n_turns, ridge):
    """The weights of labels and classes after so many turns."""
    (n, n_classes), n_places = taught.shape, len(factor)
    weights, ahead = np.zeros((n_places, n_classes)), np.zeros((n_places, n_classes))
    step, score = np.empty((n_places, n_classes)), np.empty(n_classes)
    for turn in range(n_turns):
        step[:] = -ridge * ahead
        for i in range(n):
            rows, most = 0.0, -np.inf
            for label in range(n_classes):
                rows += taught[i, label]
                score[label] = prior[label]
                for place in places[i]:
                    score[label] += ahead[place, label]
                most = max(most, score[label])
            if rows == 0:
                continue
            total = 0.0
            for label in range(n_classes):
                score[label] = np.exp(score[label] - most)
                total += score[label]
            for label in range(n_classes):
                missed = taught[i, label] - rows * score[label] / total
                for place in places[i]:
                    step[place, label] += missed
        _solve(factor, step)
        beyond = turn / (turn + 3)
        for place in range(n_places):
            for label in range(n_classes):
                new = ahead[place, label] + step[place, label]
                ahead[place, label] = new + beyond * (new - weights[place, label])
                weights[place, label] = new
    return weights


@compiled
def _solve(factor, right):
    """Solve for the matrix whose lower Cholesky factor is given; the solution replaces the right side."""
    n, n_right = right.shape
    for i in range(n):
        for j in range(i):
            for c in range(n_right):
                right[i, c] -= factor[i, j] * right[j, c]
        for c in range(n_right):
            right[i, c] /= factor[i, i]
    for i in range(n - 1, -1, -1):
        for c in range(n_right):
            right[i, c] /= factor[i, i]
        for j in range(i):
            for c in range(n_right):
                right[j, c] -= factor[i, j] * right[i, c]


@compiled
def _said(places, weights, prior):
    """The probabilities of the classes of each row: the softmax of the sums of its labels' weights."""
    (n, n_columns), n_classes = places.shape, weights.shape[1]
    said = np.empty((n, n_classes))
    for i in range(n):
        most, total = -np.inf, 0.0
        for label in range(n_classes):
            score = prior[label]
            for c in range(n_columns):
                score += weights[places[i, c], label]
            said[i, label] = score
            most = max(most, score)
        for label in range(n_classes):
            said[i, label] = np.exp(said[i, label] - most)
            total += said[i, label]
        for label in range(n_classes):
            said[i, label] /= total
    return said


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
