# SPDX-License-Identifier: Apache-2.0
"""Data, score and protocols of the entity disambiguation of Zhang et al., Sections 5.1 and 5.3, on public data.

The paper's matrix (148 name references x 552 keywords, half of the references being several persons) is not public.
What is public: 308 publications under the one name "Lei Wang", with the real person behind each (112 of them). Name
references are drawn from them: a pure one is publications of one person, an impure one publications of two to four
persons. Both kinds have the same numbers of publications, so that size tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.decomposition import LatentDirichletAllocation
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from discreet import Baskets, CannotRelease, GreedySelector, MaximalSelector, RandomFlip, samples
from discreet.methods import Method

PURE = IMPURE = 74  # references of each kind, as in the paper
PUBLICATIONS = (5, 12)  # of a reference
PERSONS = (2, 4)  # behind an impure reference
TOPICS = 10  # |T|; the paper does not say how many

METHODS: dict[str, Callable[[int], Method]] = {
    "Maximal": lambda k: MaximalSelector(k, random_state=0, family="frequent", time_limit=20),
    "Maximal, exact family": lambda k: MaximalSelector(k, random_state=0, time_limit=20),
    "HamDist": lambda k: GreedySelector(k, random_state=0),
    "DistCnt": lambda k: GreedySelector(k, random_state=0, utility="distcnt"),
    "CM Greedy": lambda k: GreedySelector(k, random_state=0, utility="cm"),
    "HamDist, 1 absence": lambda k: GreedySelector(k, random_state=0, absences=1),
    "RF": lambda k: RandomFlip(k, random_state=0),
    "k-anonymity HamDist": lambda k: GreedySelector(k, random_state=0, constraint="k-anonymity"),
    "k-anonymity DistCnt": lambda k: GreedySelector(k, random_state=0, utility="distcnt", constraint="k-anonymity"),
}


def publications() -> Baskets:
    """Title words of three letters or more that are no stop words; the label is the real person."""
    found = samples.load("arnetminer").data
    words = [j for j, word in enumerate(found.names) if len(word) > 2 and word not in ENGLISH_STOP_WORDS]
    return found.keep(words)


def references(found: Baskets, seed: int) -> Baskets:
    """Name references with the keywords of their publications; label 1 where several persons share the name."""
    rng = np.random.default_rng(seed)
    by_person = [np.flatnonzero(found.labels == person) for person in range(found.n_classes)]
    often = [mine for mine in by_person if len(mine) >= PUBLICATIONS[0]]
    rows = []
    for _ in range(PURE):
        mine = often[rng.integers(len(often))]
        size = min(len(mine), int(rng.integers(PUBLICATIONS[0], PUBLICATIONS[1] + 1)))
        rows += [rng.choice(mine, size, replace=False), _of_several(rng, by_person, size)]
    labels = np.tile([0, 1], PURE)
    matrix = np.array([found.matrix[row].toarray().max(axis=0) for row in rows])
    used = matrix.sum(axis=0) >= 2  # a keyword of one reference says nothing about others
    return Baskets.of(matrix[:, used], labels, names=np.array(found.names)[used])


def _of_several(rng: np.random.Generator, by_person: list[np.ndarray], size: int) -> np.ndarray:
    """So many publications of two to four persons, at least one of each."""
    while True:
        persons = rng.choice(len(by_person), rng.integers(PERSONS[0], PERSONS[1] + 1), replace=False)
        theirs = [by_person[person] for person in persons]
        if sum(map(len, theirs)) >= size:
            break
    first = np.array([rng.choice(mine) for mine in theirs])
    others = np.setdiff1d(np.concatenate(theirs), first)
    return np.concatenate([first, rng.choice(others, size - len(first), replace=False)])


# -- the paper's score ------------------------------------------------------------------------------------------------


def entropy(learnt: np.ndarray, scored: np.ndarray, seed: int) -> np.ndarray:
    """Equation (5): the entropy of each reference's distribution over the topics; high for several persons."""
    topics = LatentDirichletAllocation(TOPICS, random_state=seed, max_iter=20).fit(learnt)
    share = topics.transform(scored)
    return -(share * np.log(share)).sum(axis=1)


@dataclass(frozen=True)
class Result:
    """AUC of every run; features kept; share of cells flipped (0 for selectors)."""

    auc: list[float]
    features: float
    flipped: float = 0.0

    @property
    def text(self) -> str:
        size = f"{self.flipped:.1%}" if self.flipped else f"{self.features:.0f}"
        return f"{np.mean(self.auc):.2f} ± {np.std(self.auc):.2f} ({size})"


def full(found: list[Baskets], seeds: int) -> Result:
    """All keywords: no privacy."""
    auc = [_auc(b.matrix.toarray(), b.labels, seed) for b in found for seed in range(seeds)]
    return Result(auc, float(np.mean([b.shape[1] for b in found])))


def as_published(make: Callable[[], Method], found: list[Baskets], seeds: int) -> Result | None:
    """The paper's protocol: the method sees all references, and all are scored."""
    auc, features, flipped = [], [], []
    for b in found:
        try:
            release = make().release(b)
        except CannotRelease:
            return None
        features.append(len(release.columns))
        flipped.append(release.changes.changed_cells / release.changes.quasi_cells)
        auc += [_auc(release.data.toarray(), release.labels, seed) for seed in range(seeds)]
    return Result(auc, float(np.mean(features)), float(np.mean(flipped)))


def nested(make: Callable[[], Method] | None, found: list[Baskets], folds: int = 5) -> Result | None:
    """The method sees the references of the training folds only; topics are learnt there, held-out ones are scored."""
    auc, features = [], []
    for b in found:
        scores = np.empty(len(b))
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(b.labels, b.labels):
            try:
                release = None if make is None else make().release(b.take(train))
            except CannotRelease:
                return None
            learnt = b.matrix[train] if release is None else release.data
            kept = np.arange(b.shape[1]) if release is None else np.array(release.features)
            scores[test] = entropy(learnt.toarray(), b.matrix[test][:, kept].toarray(), seed=0)
            features.append(len(kept))
        auc.append(float(roc_auc_score(b.labels, scores)))
    return Result(auc, float(np.mean(features)))


def _auc(matrix: np.ndarray, labels: np.ndarray, seed: int) -> float:
    return float(roc_auc_score(labels, entropy(matrix, matrix, seed)))


# -- whose publication is it? -----------------------------------------------------------------------------------------


def authorship(found: Baskets, person: int, make: Callable[[], Method] | None, folds: int = 5) -> Result | None:
    """Is a publication by this person? A linear SVM on the kept words, selected inside the training folds."""
    b = found.labelled(np.asarray(found.labels == person).astype(int))
    scores, features = np.empty(len(b)), []
    for train, test in StratifiedKFold(folds, shuffle=True, random_state=0).split(b.labels, b.labels):
        try:
            release = None if make is None else make().release(b.take(train))
        except CannotRelease:
            return None
        learnt = b.matrix[train] if release is None else release.data
        labels = b.labels[train] if release is None else release.labels
        kept = np.arange(b.shape[1]) if release is None else np.array(release.features)
        model = LinearSVC(C=0.1, random_state=0).fit(learnt.toarray(), labels)
        scores[test] = model.decision_function(b.matrix[test][:, kept].toarray())
        features.append(len(kept))
    return Result([float(roc_auc_score(b.labels, scores))], float(np.mean(features)))
