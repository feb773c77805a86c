# SPDX-License-Identifier: Apache-2.0
"""Choose the regularization and the neighbours of FWELL: by how well held-out rows are classified by their neighbours.

The features that a choice keeps are found on some of the rows; each of the others then takes the majority class of its
nearest rows on these features. That asks of a choice what FWELL is for, that rows of a class are near each other, and
needs no model of the classes. No more than some rows are looked at, drawn by a fixed lot.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from discreet.foundation.lazy_modules import is_sparse
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.randomness import Randomness
from discreet.methods.noise.fwell_neighbours import margins_to
from discreet.methods.noise.margin_loss import minimiser
from discreet.methods.noise.weighting import heaviest

GRID = (0.01, 0.1, 1.0, 10.0)
_FEW = 12  # rows with fewer than these are not divided
_ROWS = 1200  # that are looked at
_FOLDS = 3
_VOTERS = 15
_NEAR_ENOUGH = 1e-4  # norm of the gradient of a trial
_SEVERAL = 10  # neighbours, where their number is not given
_FALLBACK = 0.1  # regularization for fewer rows


class Variant(NamedTuple):
    """A way to weigh features."""

    regularization: float
    n_neighbors: int
    metric: str


def variants(n_neighbors: int | None, metric: str | None, *, sparse: bool) -> list[Variant]:
    """What is compared: every regularization, and for sparse rows both metrics, unless one is given."""
    metrics = [metric] if metric is not None else ["manhattan", "cosine"] if sparse else ["manhattan"]
    return [Variant(factor, n_neighbors or _SEVERAL, one) for one in metrics for factor in GRID]


def best_variant(
    X: Any, classes: np.ndarray, tried: Sequence[Variant], n_features: int | None
) -> tuple[Variant, dict[Variant, float]]:
    """The variant with the highest share of held-out rows that their neighbours classify rightly, and all shares.

    Of equals the one with the larger regularization, then the first.
    """
    if len(tried) == 1 or len(classes) < _FEW:
        return tried[0]._replace(regularization=_FALLBACK) if len(tried) > 1 else tried[0], {}
    chosen = Randomness(5).permutation(len(classes))[:_ROWS]
    X, classes = X[chosen], classes[chosen]
    fold = np.arange(len(classes)) % _FOLDS
    right = dict.fromkeys(tried, 0.0)
    for f in range(_FOLDS):
        learnt, tested = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        for near in dict.fromkeys(variant[1:] for variant in tried):
            z = margins_to(X[learnt], classes[learnt], *near)
            for variant in tried:
                if variant[1:] == near:
                    weights, _ = minimiser(z, variant.regularization, _NEAR_ENOUGH)
                    kept = np.sort(heaviest(weights, n_features))
                    right[variant] += _right(X[:, kept], classes, learnt, tested)
    shares = {variant: count / len(classes) for variant, count in right.items()}
    return max(tried, key=lambda variant: (shares[variant], variant.regularization)), shares


def _right(X: Any, classes: np.ndarray, learnt: np.ndarray, tested: np.ndarray) -> int:
    """How many of the tested rows are of the class of most of their nearest rows; sparse rows by cosine."""
    if is_sparse(X):
        length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        X = sp.csr_array(sp.diags_array(1 / np.maximum(length, 1e-300)) @ X)
        distance = -(X[tested] @ X[learnt].T).toarray()
    else:
        squares = (X**2).sum(axis=1)
        distance = squares[tested][:, None] + squares[learnt] - 2 * X[tested] @ X[learnt].T
    voters = min(_VOTERS, len(learnt))
    nearest = np.argsort(np.round(distance, 9), axis=1, kind="stable")[:, :voters]
    votes = np.eye(int(classes.max()) + 1)[classes[learnt]][nearest].sum(axis=1)
    return int((votes.argmax(axis=1) == classes[tested]).sum())
