# SPDX-License-Identifier: Apache-2.0
"""The paper's protocol and the honest one.

Both: linear SVM (L2 loss), C tuned on a fifth of the training rows, stratified 5-fold cross-validation, mean AUC.
The paper's: features are selected on all rows, test rows and their labels included; then the projection is
cross-validated. Honest: features are selected on the training rows of each fold; the promise covers their projection,
and the test rows are only scored.
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

import discreet
from discreet import Baskets, CannotRelease, GreedySelector, OptimalSelector
from discreet.samples import load

COSTS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)

# -- Adult in 19 columns: the cuts that the paper does not give are ours ----------------------------------------------

AGE = (25, 35, 45, 55)  # the paper's: [0,25], (25,35], (35,45], (45,55], above
EDUCATION = (8, 9, 12)  # education-num: less than a high-school degree; that; some college; bachelor and above
HOURS = (20, 35, 40, 50)  # a week
OFFICE = ("Exec-managerial", "Prof-specialty", "Sales", "Adm-clerical", "Tech-support")
PROFESSIONS = ("Exec-managerial", "Prof-specialty")
PRIVATE = ("Private",)
OWN_OR_STATE = ("Federal-gov", "State-gov", "Local-gov", "Self-emp-inc", "Self-emp-not-inc")


def adult(work_classes: tuple[str, ...] = PRIVATE, occupations: tuple[str, ...] = OFFICE) -> Baskets:
    """The 32,561 rows of adult_train as 19 binary columns; 1 is one of these work classes, of these occupations."""
    table = load("adult_train").data
    cells = {}
    for name, cuts in (("age", AGE), ("education-num", EDUCATION), ("hours-per-week", HOURS)):
        part = np.searchsorted(cuts, _texts(table, name).astype(float))  # an interval includes its upper end
        cells |= {f"{name} {i}": part == i for i in range(len(cuts) + 1)}
    cells["work class"] = np.isin(_texts(table, "workclass"), work_classes)
    cells["never married"] = _texts(table, "marital-status") == "Never-married"
    cells["occupation"] = np.isin(_texts(table, "occupation"), occupations)
    cells["white"] = _texts(table, "race") == "White"
    cells["male"] = _texts(table, "sex") == "Male"
    return Baskets.of(np.column_stack(list(cells.values())).astype(np.uint8), _texts(table, "income"), names=cells)


def adult_professions() -> Baskets:
    """Another coding, nearer to the paper's density, in which less fits together."""
    return adult(OWN_OR_STATE, PROFESSIONS)


def email() -> Baskets:
    """PU1: 1,099 messages. Our reading of the files finds 24,748 tokens, the paper's 24,604."""
    return load("pu1").data


def made_up(n: int = 400, d: int = 14) -> Baskets:
    """Rows that need no download, for a quick run."""
    rng = np.random.default_rng(0)
    X = (rng.random((n, d)) < np.linspace(0.6, 0.02, d)).astype(np.uint8)
    return Baskets.of(X, (X[:, 0] + X[:, 3] + X[:, 8] + rng.random(n) > 1.7).astype(int))


def _texts(table, name: str) -> np.ndarray:
    return np.array([str(value) for value in table.column(name).to_arrow().to_pylist()])


# -- the rows of the tables -------------------------------------------------------------------------------------------


def methods() -> dict[str, Callable]:
    """Rows of the tables by the paper's names; ours after them. Each makes a method for a k."""
    stop = partial(GreedySelector, on_infeasible="stop")
    rows: dict[str, Callable] = {}
    if hasattr(discreet, "MaximalSelector"):
        rows["Maximal"] = partial(discreet.MaximalSelector, family="frequent", time_limit=60)
    rows["HamDist"] = stop
    rows["DistCnt"] = partial(stop, utility="distcnt")
    rows["CM Greedy"] = partial(stop, utility="cm")
    if hasattr(discreet, "RandomFlip"):
        rows["RF"] = partial(discreet.RandomFlip, random_state=0)
    rows["k-anonymity HamDist"] = partial(stop, constraint="k-anonymity")
    rows["k-anonymity DistCnt"] = partial(stop, utility="distcnt", constraint="k-anonymity")
    rows["HamDist, skip"] = GreedySelector
    rows["DistCnt, skip"] = partial(GreedySelector, utility="distcnt")
    rows["CM Greedy, skip"] = partial(GreedySelector, utility="cm")
    rows["k-anonymity HamDist, skip"] = partial(GreedySelector, constraint="k-anonymity")
    rows["k-anonymity DistCnt, skip"] = partial(GreedySelector, utility="distcnt", constraint="k-anonymity")
    if hasattr(discreet, "MaximalSelector"):
        rows["Maximal, containment"] = partial(discreet.MaximalSelector, time_limit=60)
    rows["Optimal, hamdist"] = partial(OptimalSelector, utility="hamdist", time_limit=120)
    rows["Optimal, auc"] = partial(OptimalSelector, time_limit=120)
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


def as_published(make: Callable | None, baskets: Baskets, folds: int = 5, seed: int = 0) -> Result | None:
    """Selection on all rows, then cross-validation of what would be released."""
    released, flipped = baskets, None
    if make is not None:
        try:
            release = make().release(baskets)
        except CannotRelease:
            return None
        released, flipped = release.baskets, _flipped(release)
    scores = [_auc(released.take(train), released.take(test)) for train, test in _splits(released, folds, seed)]
    return Result(float(np.mean(scores)), released.shape[1], flipped)


def honest(make: Callable | None, baskets: Baskets, folds: int = 5, seed: int = 0) -> Result | None:
    """Selection inside the training rows of each fold."""
    place = {name: column for column, name in enumerate(baskets.names)}
    scores, sizes, flips = [], [], []
    for train, test in _splits(baskets, folds, seed):
        learnt, scored = baskets.take(train), baskets.take(test)
        if make is not None:
            try:
                release = make().release(learnt)
            except CannotRelease:
                return None
            learnt = release.baskets
            scored = scored.keep([place[name] for name in learnt.names])
            flips.append(_flipped(release))
        scores.append(_auc(learnt, scored))
        sizes.append(learnt.shape[1])
    flipped = float(np.mean(flips)) if flips and flips[0] is not None else None
    return Result(float(np.mean(scores)), float(np.mean(sizes)), flipped)


def _splits(baskets: Baskets, folds: int, seed: int):
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
