# SPDX-License-Identifier: Apache-2.0
"""python -m benchmarks.sparse items|pairs|groups|made|weights [NAME ...]: for OptimalSelector, ItemGroups and Fwell."""

from __future__ import annotations

import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import chi2, mutual_info_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.svm import LinearSVC

from benchmarks.sparse.data import TEXTS, folds, madelon, text
from benchmarks.sparse.made import MADE, made
from discreet import Baskets, Fwell, GreedySelector, ItemGroups, OptimalSelector
from discreet.counting.class_separation import separated_pairs
from discreet.methods.containment.optimal_measures import worth_of
from discreet.methods.containment.optimal_search import fill
from discreet.samples import load

KS = (5, 8, 11)
COSTS = (0.03, 0.3, 3.0)


# -- what a recipient learns -------------------------------------------------------------------------------------------


def cells(baskets: Baskets) -> sp.csr_matrix:
    m = baskets.matrix
    return sp.csr_matrix((np.ones(m.nnz), m.indices, m.indptr.astype(np.int32)), shape=m.shape)


def auc(learnt: Baskets, tested: Baskets, least: int = 2) -> float:
    """Of a logistic regression; its cost is chosen on a quarter of the rows it learns from. Of more than two classes
    each that so many rows have against the others, in the mean."""
    X, Z, y, z = cells(learnt), cells(tested), learnt.labels, tested.labels
    if learnt.n_classes == 2:
        return float(roc_auc_score(z, scores(X, y, Z)))
    told = [c for c in range(learnt.n_classes) if (y == c).sum() >= least and (z == c).any()]
    return float(np.mean([roc_auc_score(z == c, scores(X, y == c, Z)) for c in told]))


def scores(X: sp.csr_matrix, y: np.ndarray, tested: sp.csr_matrix) -> np.ndarray:
    """What the regression says of the tested rows."""
    ((part, rest),) = StratifiedShuffleSplit(1, test_size=0.25, random_state=0).split(X, y)

    def fitted(cost: float, rows: np.ndarray) -> LogisticRegression:
        return LogisticRegression(C=cost, max_iter=500, solver="liblinear").fit(X[rows], y[rows])

    def area(cost: float) -> float:
        return roc_auc_score(y[rest], fitted(cost, part).decision_function(X[rest])) if y[rest].any() else 0.5

    return fitted(max(COSTS, key=area), np.arange(len(y))).decision_function(tested)


def lead(learnt: Baskets, tested: Baskets, ours: list[int], other: list[int], draws: int = 200) -> tuple[float, float]:
    """How much higher the AUC of our items is than that of others; and its variance over draws of test rows."""
    z, rng, leads = tested.labels, np.random.default_rng(0), []
    said = [scores(cells(learnt.keep(s)), learnt.labels, cells(tested.keep(s))) for s in (ours, other)]
    for draw in range(draws + 1):
        rows = np.arange(len(z)) if draw == 0 else rng.integers(0, len(z), len(z))
        if 0 < z[rows].sum() < len(rows):
            leads.append(roc_auc_score(z[rows], said[0][rows]) - roc_auc_score(z[rows], said[1][rows]))
    return leads[0], float(np.var(leads[1:]))


def by_chi_squared(baskets: Baskets, k: int) -> list[int]:
    """Items in the order of scikit-learn's chi-squared, each that leaves every row contained in k."""
    return in_order(baskets, k, chi2(cells(baskets), baskets.labels)[0])


def in_order(baskets: Baskets, k: int, scores: np.ndarray) -> list[int]:
    order = np.argsort(-np.nan_to_num(scores), kind="stable")
    return fill(baskets, k, [], [j for j in order.tolist() if k <= baskets.support[j] < len(baskets)])


def simple_sets(baskets: Baskets, k: int) -> dict[str, list[int]]:
    """What the simple orders lead to, by other packages' figures where there are any."""
    X, y = cells(baskets), baskets.labels
    linear = LogisticRegression(C=1.0, solver="liblinear") if baskets.n_classes == 2 else LinearSVC(C=0.1)
    scores = {
        "chi-squared": chi2(X, y)[0],
        "weights": np.abs(linear.fit(X, y).coef_).max(axis=0),
        "mutual information": mutual_info_classif(X, y, discrete_features=True, random_state=0),
        "hamdist": separated_pairs(baskets).astype(float),
    }
    greedy = GreedySelector(k, utility="distcnt", random_state=0).release(baskets)
    return {name: in_order(baskets, k, one) for name, one in scores.items()} | {"distcnt": list(greedy.features)}


# -- the tables --------------------------------------------------------------------------------------------------------


def items(names: list[str]) -> None:
    """OptimalSelector beside the order of chi-squared: by its own measure on training rows, and on held-out rows."""
    print("set, k: full; chi-squared worth, AUC; optimal worth, AUC, seconds (means of 3 folds)")
    for name in names:
        baskets = text(name)
        full = np.mean([auc(train, test) for train, test in folds(baskets)])
        for k in KS:
            found = []
            for train, test in folds(baskets):
                plain, worth = by_chi_squared(train, k), worth_of("auc", train)
                started, method = time.process_time(), OptimalSelector(k, random_state=0)
                ours = list(method.release(train).features)
                taken = time.process_time() - started
                scores = [(worth.value(s), auc(train.keep(s), test.keep(s))) for s in (plain, ours)]
                found.append([*scores[0], *scores[1], taken])
            print(f"{name}, {k}: {full:.3f};", "; ".join(f"{v:.3f}" for v in np.mean(found, axis=0)), flush=True)


def pairs(names: list[str]) -> None:
    """As `items`, on other tasks of text_fbis: pairs of classes, and single classes against all others."""
    print("task, k: chi-squared worth, AUC; optimal worth, AUC; lead in AUC +- its standard error (means of 2 folds)")
    everything, leads = load("text_fbis").data, []
    tasks = {}
    for one, other in ((3, 10), (7, 3), (4, 9), (11, 12), (6, 1)):
        both = everything.take(np.flatnonzero(np.isin(everything.labels, (one, other))))
        tasks[f"classes {one} and {other}"] = both.labelled(both.labels == one)
    for one in (4, 9, 11):
        tasks[f"class {one}"] = everything.labelled(everything.labels == one)
    for task, baskets in tasks.items():
        for k in (5, 11):
            found, noise = [], []
            for train, test in folds(baskets)[:2]:
                plain, worth = by_chi_squared(train, k), worth_of("auc", train)
                ours = list(OptimalSelector(k, random_state=0).release(train).features)
                found.append([f(s) for s in (plain, ours) for f in (worth.value, _held_out(train, test))])
                noise.append(lead(train, test, ours, plain)[1])
            means, error = np.mean(found, axis=0), np.sqrt(np.mean(noise) / 2)
            leads.append((means[3] - means[1], error))
            shown = " ".join(f"{v:.4f}" for v in means)
            print(f"{task}, {k}: {shown}; {leads[-1][0]:+.4f} +- {error:.4f}", flush=True)
    behind = [(x, error) for x, error in leads if x < -0.002]
    print(
        f"lead on held-out rows: {np.mean([x for x, _ in leads]):.4f} in the mean, below -.002 in {len(behind)}, and by"
        f" more than two standard errors in {sum(-x > 2 * error for x, error in behind)}"
    )


def _held_out(train: Baskets, test: Baskets):
    return lambda features: auc(train.keep(features), test.keep(features))


def groups(names: list[str]) -> None:
    """ItemGroups beside OptimalSelector: AUC on held-out rows, recoded, and how much of the loss is gone."""
    print(
        "set, k: full; optimal; groups, distance from full +- standard error, published, seconds; share of the loss"
        " gone; groups alone, scores alone (means of 3 folds)"
    )
    for name in names:
        parts = folds(text(name))
        full = np.array([auc(train, test) for train, test in parts])
        for k in KS:
            found = []
            for train, test in parts:
                kept = list(OptimalSelector(k, random_state=0).release(train).features)
                started, release = time.process_time(), ItemGroups(k, random_state=0).release(train)
                taken = time.process_time() - started
                fixed = [ItemGroups(k, form=form, random_state=0).release(train) for form in ("groups", "scores")]
                ours, *each = [auc(one.baskets, one.recode(test)) for one in (release, *fixed)]
                found.append([auc(train.keep(kept), test.keep(kept)), ours, release.baskets.shape[1], taken, *each])
            single, grouped, n, seconds, *each = np.mean(found, axis=0)
            far = np.array(found)[:, 1] - full
            gone = (grouped - single) / (full.mean() - single) if full.mean() > single else 1.0
            print(
                f"{name}, {k}: {full.mean():.3f}; {single:.3f}; {grouped:.3f},"
                f" {far.mean():+.4f} +- {far.std(ddof=1) / np.sqrt(len(far)):.4f}, {n:.0f}, {seconds:.1f}; {gone:.0%};",
                " ".join(f"{v:.3f}" for v in each),
                flush=True,
            )


def made_up(names: list[str]) -> None:
    """Both methods on made-up texts: OptimalSelector beside all simple orders by its own measure, and ItemGroups."""
    print(
        "set, k: full; chi-squared; optimal, seconds, its least lead by its measure over the best simple order; groups,"
        " distance from full +- standard error, published, seconds; share of the loss gone (means of folds; AUC of the"
        " classes that k persons have)"
    )
    for name in names:
        kind, _, seed = name.partition(":")
        parts = folds(made(kind, int(seed or 0)))[: 1 if kind == "large" else 3]
        for k in KS:
            full = np.array([auc(train, test, k) for train, test in parts])
            found = np.array([_both(train, test, k) for train, test in parts])
            plain, best, ours, ahead, *_ = found.T
            _, _, _, _, seconds, n, taken = found.mean(axis=0)
            far, error = ours - full, np.std(ours - full, ddof=1) / np.sqrt(len(full)) if len(full) > 1 else np.nan
            gone = (ours - best).mean() / max((full - best).mean(), 1e-9)
            print(
                f"{name}, {k}: {full.mean():.3f}; {plain.mean():.3f};"
                f" {best.mean():.3f}, {seconds:.1f}, {ahead.min():+.4f};"
                f" {ours.mean():.3f}, {far.mean():+.3f} +- {error:.3f}, {n:.0f}, {taken:.1f}; {gone:.0%}",
                flush=True,
            )


def _both(train: Baskets, test: Baskets, k: int) -> list[float]:
    """AUC of chi-squared, of OptimalSelector, of ItemGroups; the second's lead by its measure; seconds, published,
    seconds."""
    started, method = time.process_time(), OptimalSelector(k, random_state=0)
    kept, seconds = list(method.release(train).features), time.process_time() - started
    started, release = time.process_time(), ItemGroups(k, random_state=0).release(train)
    taken, worth = time.process_time() - started, worth_of("auc", train)
    assert abs(worth.value(kept) - method.value_) < 1e-9 <= method.bound_ - method.value_ + 2e-9
    areas = [auc(train.keep(s), test.keep(s), k) for s in (by_chi_squared(train, k), kept)]
    ahead = worth.value(kept) - max(worth.value(s) for s in simple_sets(train, k).values())
    return [*areas, auc(release.baskets, release.recode(test), k), ahead, seconds, release.baskets.shape[1], taken]


def weights(names: list[str]) -> None:
    """Fwell's choice beside fixed regularizations and mutual information: a random forest on held-out rows."""
    print("rows, features: mutual information; one neighbour, 0.01, 0.1, 1, 10; the default (what it chose, seconds)")
    tasks = [("madelon", (seed, separation)) for seed in range(3) for separation in (0.5, 1.0)]
    for name, which in tasks if not names else [(name, ()) for name in names]:
        if which:
            X, y = madelon(which[0], separation=which[1])
            train, test, numbers = np.arange(1400), np.arange(1400, 2000), (20,)
        else:
            baskets = text(name)
            X, y, numbers = sp.csr_array(cells(baskets)), baskets.labels, (20, 50, 200)
            order = np.random.default_rng(0).permutation(len(y))
            train, test = order[: 2 * len(y) // 3], order[2 * len(y) // 3 :]
        for n in numbers:
            scores = [_forest(X, y, train, test, _by_information(X[train], y[train], n))]
            for factor in (0.01, 0.1, 1.0, 10.0):
                chosen = Fwell(factor, n_features=n, tolerance=1e-6).fit(X[train], y[train]).order_
                scores.append(_forest(X, y, train, test, chosen))
            started, ours = time.process_time(), Fwell(n_features=n, tolerance=1e-6).fit(X[train], y[train])
            taken = time.process_time() - started
            scores.append(_forest(X, y, train, test, ours.order_))
            what = f"{ours.regularization_:g}, {ours.n_neighbors_}, {ours.metric_}"
            print(
                f"{name} {which or ''}, {n}:",
                " ".join(f"{s:.3f}" for s in scores),
                f"({what}; {taken:.1f} s)",
                flush=True,
            )


def _by_information(X, y, n: int) -> np.ndarray:
    scores = mutual_info_classif(X, y, discrete_features=sp.issparse(X), random_state=0)
    return np.argsort(-scores, kind="stable")[:n]


def _forest(X, y, train, test, chosen) -> float:
    X = X[:, chosen].toarray() if sp.issparse(X) else X[:, chosen]
    models = [RandomForestClassifier(100, random_state=seed).fit(X[train], y[train]) for seed in range(2)]
    return float(np.mean([model.score(X[test], y[test]) for model in models]))


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    what, *asked = sys.argv[1:] or ["groups"]
    {"items": items, "pairs": pairs, "groups": groups, "made": made_up, "weights": weights}[what](
        asked or {"weights": [], "made": list(MADE)}.get(what, list(TEXTS))
    )
