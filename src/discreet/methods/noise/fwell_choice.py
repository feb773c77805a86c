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
_SEVERAL = (10, 100)  # neighbours, where their number is not given
_FALLBACK = 0.1  # regularization for fewer rows


class Variant(NamedTuple):
    """A way to weigh features."""

    regularization: float
    n_neighbors: int
    metric: str


def variants(n_neighbors: int | None, metric: str | None, *, sparse: bool) -> list[Variant]:
    """What is compared: every regularization, and what is not given: numbers of neighbours, metrics of sparse rows."""
    metrics = [metric] if metric is not None else ["manhattan", "cosine"] if sparse else ["manhattan"]
    numbers = _SEVERAL if n_neighbors is None else (n_neighbors,)
    return [Variant(factor, number, one) for one in metrics for number in numbers for factor in GRID]


def best_variant(
    X: Any, classes: np.ndarray, tried: Sequence[Variant], n_features: int | None
) -> tuple[Variant, dict[Variant, float]]:
    """The variant by which held-out rows are classified best by their neighbours, and the share of each.

    Of those whose difference from the best is no more than one standard error, the one with the most neighbours and
    then the largest regularization: it varies least from sample to sample.
    """
    if len(tried) == 1 or len(classes) < _FEW:
        return tried[0]._replace(regularization=_FALLBACK) if len(tried) > 1 else tried[0], {}
    chosen = Randomness(5).permutation(len(classes))[:_ROWS]
    X, classes = X[chosen], classes[chosen]
    fold = np.arange(len(classes)) % _FOLDS
    right = {variant: np.zeros(len(classes), dtype=bool) for variant in tried}
    for f in range(_FOLDS):
        learnt, tested = np.flatnonzero(fold != f), np.flatnonzero(fold == f)
        for near in dict.fromkeys(variant[1:] for variant in tried):
            z = margins_to(X[learnt], classes[learnt], *near)
            for variant in tried:
                if variant[1:] == near:
                    weights, _ = minimiser(z, variant.regularization, _NEAR_ENOUGH)
                    kept = np.sort(heaviest(weights, n_features))
                    right[variant][tested] = _is_right(X[:, kept], classes, learnt, tested)
    shares = {variant: float(found.mean()) for variant, found in right.items()}
    best = right[max(tried, key=shares.__getitem__)]
    level = [v for v in tried if best.sum() - right[v].sum() <= np.sqrt((best != right[v]).sum())]
    return max(level, key=lambda variant: (variant.n_neighbors, variant.regularization, shares[variant])), shares


def _is_right(X: Any, classes: np.ndarray, learnt: np.ndarray, tested: np.ndarray) -> np.ndarray:
    """Whether each tested row is of the class of most of its nearest rows; sparse rows by cosine."""
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
    return votes.argmax(axis=1) == classes[tested]
