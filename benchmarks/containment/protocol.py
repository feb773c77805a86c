# SPDX-License-Identifier: Apache-2.0
"""The paper's protocol and the honest one.

Both: linear SVM (L2 loss), C tuned on a fifth of the training rows, stratified 5-fold cross-validation, mean AUC.
The paper's: features are selected on all rows, test rows and their labels included; then the projection is
cross-validated. Honest: features are selected on the training rows of each fold; the promise covers their projection,
and the test rows are only scored. The order of released rows has a seed: the folds, and so the figures, depend on it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from discreet import Baskets, CannotRelease, GreedySelector, MaximalSelector, OptimalSelector, RandomFlip
from discreet.samples import load

COSTS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)

# -- data -------------------------------------------------------------------------------------------------------------


def email() -> Baskets:
    """PU1 as the paper has it: 1,099 messages without their subject lines, 24,604 tokens."""
    return load("pu1_bodies").data


def made_up(n: int = 400, d: int = 14) -> Baskets:
    """Rows that need no download, for a quick run."""
    rng = np.random.default_rng(0)
    X = (rng.random((n, d)) < np.linspace(0.6, 0.02, d)).astype(np.uint8)
    return Baskets.of(X, (X[:, 0] + X[:, 3] + X[:, 8] + rng.random(n) > 1.7).astype(int))


# -- the rows of the tables -------------------------------------------------------------------------------------------


def methods() -> dict[str, Callable]:
    """Rows of the tables by the paper's names; ours after them. Each makes a method for a k."""
    stop = partial(GreedySelector, on_infeasible="stop")
    rows: dict[str, Callable] = {}
    rows["Maximal"] = partial(MaximalSelector, family="frequent", time_limit=60)
    rows["HamDist"] = stop
    rows["DistCnt"] = partial(stop, utility="distcnt")
    rows["CM Greedy"] = partial(stop, utility="cm")
    rows["RF"] = RandomFlip
    rows["k-anonymity HamDist"] = partial(stop, constraint="k-anonymity")
    rows["k-anonymity DistCnt"] = partial(stop, utility="distcnt", constraint="k-anonymity")
    rows["HamDist, skip"] = GreedySelector
    rows["DistCnt, skip"] = partial(GreedySelector, utility="distcnt")
    rows["CM Greedy, skip"] = partial(GreedySelector, utility="cm")
    rows["k-anonymity HamDist, skip"] = partial(GreedySelector, constraint="k-anonymity")
    rows["k-anonymity DistCnt, skip"] = partial(GreedySelector, utility="distcnt", constraint="k-anonymity")
    rows["Maximal, containment"] = partial(MaximalSelector, time_limit=60)
    for utility in ("hamdist", "distcnt", "information", "cmi", "linear", "auc"):
        rows[f"Optimal, {utility}"] = partial(OptimalSelector, utility=utility, time_limit=None)
    return rows


# -- the protocols ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """Mean AUC, and the number of features kept (its mean over the folds); None when nothing could be kept."""

    auc: float
    features: float
    flipped: float | None = None

    @property
    def text(self) -> str:
        size = f"{self.features:.0f}" if self.flipped is None else f"{self.flipped:.2%}"
        return f"{self.auc:.4f} ({size})"


def as_published(
    make: Callable | None, baskets: Baskets, folds: int = 5, seed: int = 0, random_state: int = 0
) -> Result | None:
    """Selection on all rows, then cross-validation of what would be released."""
    released, flipped = baskets, None
    if make is not None:
        try:
            release = make().set_params(random_state=random_state).release(baskets)
        except CannotRelease:
            return None
        released, flipped = release.baskets, _flipped(release)
    scores = [_auc(released.take(train), released.take(test)) for train, test in splits(released, folds, seed)]
    return Result(float(np.mean(scores)), released.shape[1], flipped)


def honest(
    make: Callable | None, baskets: Baskets, folds: int = 5, seed: int = 0, random_state: int = 0
) -> Result | None:
    """Selection inside the training rows of each fold."""
    place = {name: column for column, name in enumerate(baskets.names)}
    scores, sizes, flips = [], [], []
    for train, test in splits(baskets, folds, seed):
        learnt, scored = baskets.take(train), baskets.take(test)
        if make is not None:
            try:
                release = make().set_params(random_state=random_state).release(learnt)
            except CannotRelease:
                return None
            learnt = release.baskets
            scored = scored.keep([place[name] for name in learnt.names])
            flips.append(_flipped(release))
        scores.append(_auc(learnt, scored))
        sizes.append(learnt.shape[1])
    flipped = float(np.mean(flips)) if flips and flips[0] is not None else None
    return Result(float(np.mean(scores)), float(np.mean(sizes)), flipped)


def splits(baskets: Baskets, folds: int, seed: int = 0):
    """Pairs of training and test rows."""
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    return splitter.split(np.zeros(len(baskets)), baskets.labels)


def _auc(learnt: Baskets, scored: Baskets) -> float:
    X, y = _cells(learnt), learnt.labels
    ((part, rest),) = StratifiedShuffleSplit(1, test_size=0.2, random_state=0).split(X, y)
    tried = {C: _area(_svm(C).fit(X[part], y[part]), X[rest], y[rest]) for C in COSTS}
    best = max(tried, key=lambda C: (tried[C], -C))
    return _area(_svm(best).fit(X, y), _cells(scored), scored.labels)


def _svm(C: float) -> LinearSVC:
    return LinearSVC(C=C, max_iter=10_000, random_state=0)


def _area(model: LinearSVC, X, y) -> float:
    return float(roc_auc_score(y, model.decision_function(X)))


def _cells(baskets: Baskets):
    m = baskets.matrix
    X = sp.csr_matrix((np.ones(m.nnz), m.indices, m.indptr.astype(np.int32)), shape=m.shape)
    return X.toarray() if m.shape[1] <= 1000 else X


def _flipped(release) -> float | None:
    if release.method != "random-flip":
        return None
    return release.changes.changed_cells / release.changes.quasi_cells
