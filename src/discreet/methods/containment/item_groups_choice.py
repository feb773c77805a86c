# SPDX-License-Identifier: Apache-2.0
"""Choose what ItemGroups publishes: groups or scores, by how well held-out rows are predicted.

A way to learn is tried on parts of the rows: what fits together is selected on one part, and a linear model on it
predicts the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from discreet.data.baskets import Baskets
from discreet.foundation.lazy_modules import sparse as sp
from discreet.foundation.progress import progress
from discreet.foundation.randomness import Randomness
from discreet.methods.containment.item_groups_learn import common_classes, fitting, learnt_groups
from discreet.methods.containment.item_groups_scores import Members, members_of, points_of, steps_of
from discreet.recoding.item_scores import columns_of, has_one

GROUPS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.5)  # coverages of groups that are compared
SCORES = (0.02, 0.1)  # and of the steps of scores
_FOLDS = 3
_FEW, _TIMES = 1000, 4  # rows up to which they are divided into folds so many times
_PENALTIES = (1.0, 30.0)
_MOST_CELLS = 20_000_000  # of a dense matrix that a linear model is fitted on


class LearntForm(NamedTuple):
    """A way to learn what is published."""

    form: str  # "groups" or "scores"
    coverage: float
    weights: str = ""  # of scores: "odds" or "ridge"
    beginnings: bool = False


def variants(form: str, coverage: float | None, *, beginnings: bool) -> list[LearntForm]:
    """What is compared; forms and coverages that are given are not varied."""
    found = []
    if form != "scores":
        found += [LearntForm("groups", c) for c in (GROUPS if coverage is None else (coverage,))]
    if form != "groups":
        found += [
            LearntForm("scores", c, weights, begun)
            for begun in ((False, True) if beginnings else (False,))
            for weights in ("odds", "ridge")
            for c in (SCORES if coverage is None else (coverage,))
        ]
    return found


def best_variant(baskets: Baskets, k: int, tried: Sequence[LearntForm]) -> tuple[LearntForm, dict[LearntForm, float]]:
    """The variant with the highest mean AUC on held-out rows, and the AUC of each.

    Groups are taken only if their lead over the best scores is more than chance gives in one case of twenty, by a
    t-test over folds: scores publish less.
    """
    if len(tried) == 1:
        return tried[0], {}
    members = members_of(baskets, k, beginnings=any(variant.beginnings for variant in tried))
    times = 1 if len(baskets) > _FEW else _TIMES
    areas: dict[LearntForm, list[float]] = {variant: [] for variant in tried}
    with progress("Choosing what is published", times * _FOLDS) as bar:
        for time in range(times):
            fold = _folds(baskets, time)
            for f in np.unique(fold).tolist() if len(np.unique(fold)) > 1 else []:
                for variant, area in _areas(baskets, members, k, tried, fold != f):
                    areas[variant].append(area)
                bar.advance()
    means = {variant: float(np.mean(found)) if found else 0.5 for variant, found in areas.items()}
    best = max(tried, key=means.__getitem__)
    scores = [variant for variant in tried if variant.form == "scores"]
    if best.form == "groups" and scores:
        second = max(scores, key=means.__getitem__)
        lead = np.array(areas[best]) - np.array(areas[second])
        if len(lead) > 1 and lead.mean() <= _chance(len(lead)) * lead.std(ddof=1) / np.sqrt(len(lead)):
            best = second
    return best, means


def _chance(n: int) -> float:
    """Standard errors that the mean of n values exceeds by chance in one case of twenty.

    >>> round(_chance(3), 2), round(_chance(12), 2)
    (2.92, 1.8)
    """
    from scipy.stats import t

    return float(t.ppf(0.95, n - 1))


def _areas(
    baskets: Baskets, members: Members, k: int, tried: Sequence[LearntForm], is_learnt: np.ndarray
) -> Iterator[tuple[LearntForm, float]]:
    """The AUC of each variant on rows that were not learnt from.

    There are fewer rows to learn from, so fewer persons are asked for, in proportion: else less would fit together than
    on all rows.
    """
    rows, others = np.flatnonzero(is_learnt), np.flatnonzero(~is_learnt)
    learnt, tested = baskets.take(rows), baskets.take(others)
    fewer = max(2, round(k * (1 - 1 / _FOLDS)))
    scored: dict[tuple[str, bool], tuple[np.ndarray, np.ndarray, np.ndarray]] = {}
    for variant in tried:
        if variant.form == "groups":
            items = np.flatnonzero((learnt.support >= fewer) & (learnt.support < len(learnt)))
            groups = learnt_groups(learnt, items, variant.coverage)
            before, after = has_one(learnt, groups), has_one(tested, groups)
            kept = fitting(before, learnt, fewer, len(groups), by="telling")
        else:
            way = variant.weights, variant.beginnings
            if way not in scored:
                scored[way] = _scored(learnt, members, fewer, variant, rows, others)
            told, mine, theirs = scored[way]
            steps = all_steps(told, mine, learnt, fewer, variant.coverage)
            before, after = (
                columns_of([np.flatnonzero(scores[:, c] >= points) for c, points in steps], len(scores))
                for scores in (mine, theirs)
            )
            kept = fitting(before, learnt, fewer, len(steps), by="common")
        assert learnt.labels is not None
        assert tested.labels is not None
        yield variant, _auc(before[:, kept], learnt.labels, after[:, kept], tested.labels)


def _scored(
    learnt: Baskets, members: Members, k: int, variant: LearntForm, rows: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The scores of the rows that are learnt from, by what is told and by all; and of the others; for each class."""
    assert learnt.labels is not None
    common, places = members.of_rows(rows).held_by(k, learnt.persons, beginnings=variant.beginnings)
    points = points_of(common, learnt.labels, learnt.n_classes, variant.weights)
    return common.told @ points, common.matrix @ points, members.matrix[others][:, places] @ points


def all_steps(
    told: np.ndarray, reached: np.ndarray, baskets: Baskets, k: int, coverage: float
) -> list[tuple[int, int]]:
    """Class and points of each step, of the classes that k persons have; each is what a row reaches by what is told."""
    found = []
    for c in common_classes(baskets, k).tolist():
        points = np.unique(told[:, c])
        least = points[np.searchsorted(points, reached[:, c], side="right") - 1]
        found += [(c, step) for step in steps_of(least, k, coverage, baskets.persons)]
    return found


def _folds(baskets: Baskets, time: int) -> np.ndarray:
    """The fold of each row by lot, each class spread evenly, the rows of a person together."""
    assert baskets.labels is not None
    whose = np.arange(len(baskets)) if baskets.persons is None else baskets.persons
    by_class = np.lexsort((Randomness(3 + time).permutation(len(baskets)), baskets.labels))
    place = np.empty(len(baskets), dtype=np.int64)
    place[by_class] = np.arange(len(baskets))
    first = np.full(int(whose.max()) + 1, len(baskets))
    np.minimum.at(first, whose, place)
    return first[whose] % _FOLDS


def _auc(X: sp.csr_array, labels: np.ndarray, tested: sp.csr_array, truth: np.ndarray) -> float:
    """The better of two ridge regressions on the classes' indicators; the mean over classes that are in both parts."""
    if not X.shape[1]:
        return 0.5
    from scipy.stats import rankdata

    most = max(_MOST_CELLS // X.shape[1], 2000)
    rows = Randomness(4).permutation(X.shape[0])[:most]
    dense, targets = X[rows].toarray().astype(float), np.eye(int(max(labels.max(), truth.max())) + 1)[labels[rows]]
    middle, share = dense.mean(axis=0), targets.mean(axis=0)
    dense -= middle
    products, sums = dense.T @ dense, dense.T @ (targets - share)
    scores = []
    for penalty in _PENALTIES:
        weights = np.linalg.solve(products + penalty * np.eye(len(products)), sums)
        predicted = (tested.astype(float) @ weights) - middle @ weights
        inside = np.eye(len(share))[truth]
        size = inside.sum(axis=0)
        ranks = (rankdata(np.round(predicted, 9), axis=0) * inside).sum(axis=0)
        told = (size > 0) & (size < len(truth))
        areas = ((ranks - size * (size + 1) / 2)[told]) / (size * (len(truth) - size))[told]
        scores.append(float(areas.mean()) if len(areas) else 0.5)
    return max(scores)
