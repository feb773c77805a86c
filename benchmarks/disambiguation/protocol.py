# SPDX-License-Identifier: Apache-2.0
"""Data, score and protocols of the entity disambiguation of Zhang et al., Sections 5.1 and 5.3, on public data.

The paper's matrix (148 name references x 552 keywords, half of the references being several persons) is not public.
What is public: 308 publications under the one name "Lei Wang", with the real person behind each (112 of them). Name
references are drawn from them: a pure one is publications of one person, an impure one those of two to four persons.
As drawn in life, several persons have more publications than one; "matched" references have equally many of both kinds,
so that size tells nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
PUBLICATIONS = (3, 12)  # of a person
MATCHED = (5, 12)  # of a reference, where both kinds have equally many
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


def references(found: Baskets, seed: int, *, matched: bool = False) -> Baskets:
    """Name references with the keywords of their publications; label 1 where several persons share the name."""
    rows = [row for pair in (_matched if matched else _as_in_life)(found, np.random.default_rng(seed)) for row in pair]
    labels = np.tile([0, 1], PURE)
    matrix = np.array([found.matrix[row].toarray().max(axis=0) for row in rows])
    used = matrix.sum(axis=0) >= 2  # a keyword of one reference says nothing about others
    return Baskets.of(matrix[:, used], labels, names=np.array(found.names)[used])


def _as_in_life(found: Baskets, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Publications of one person; and of two to four, each with as many as a person alone has."""
    often = [mine for mine in _by_person(found) if len(mine) >= PUBLICATIONS[0]]
    for _ in range(PURE):
        one = _some(rng, often[rng.integers(len(often))], PUBLICATIONS)
        persons = rng.choice(len(often), rng.integers(PERSONS[0], PERSONS[1] + 1), replace=False)
        yield one, np.concatenate([_some(rng, often[person], PUBLICATIONS) for person in persons])


def _matched(found: Baskets, rng: np.random.Generator) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Publications of one person; and as many of two to four."""
    by_person = _by_person(found)
    often = [mine for mine in by_person if len(mine) >= MATCHED[0]]
    for _ in range(PURE):
        one = _some(rng, often[rng.integers(len(often))], MATCHED)
        yield one, _of_several(rng, by_person, len(one))


def _by_person(found: Baskets) -> list[np.ndarray]:
    return [np.flatnonzero(found.labels == person) for person in range(found.n_classes)]


def _some(rng: np.random.Generator, mine: np.ndarray, between: tuple[int, int]) -> np.ndarray:
    return rng.choice(mine, min(len(mine), int(rng.integers(between[0], between[1] + 1))), replace=False)


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


def entropy(learnt: np.ndarray, scored: np.ndarray, seed: int, *, of_topics: bool = False) -> np.ndarray:
    """Equation (5), read as it is printed: -sum of P(u | T) log P(u | T) over the topics T; high for several persons.

    P(u | T) is the part that the reference u has in topic T: its share of T in u's keywords, times their number, over
    the same of all references. `of_topics` is another reading: the entropy of P(T | u), u's distribution over the
    topics. It is highest where u has no keyword left.
    """
    topics = LatentDirichletAllocation(TOPICS, random_state=seed, max_iter=20).fit(learnt)
    share = topics.transform(scored)
    if not of_topics:
        share = share * scored.sum(axis=1, keepdims=True)
        share /= (topics.transform(learnt) * learnt.sum(axis=1, keepdims=True)).sum(axis=0)
    return -(share * np.log(np.maximum(share, 1e-300))).sum(axis=1)


def size(learnt: np.ndarray, scored: np.ndarray, seed: int) -> np.ndarray:
    """No topics: how many keywords a reference has."""
    return scored.sum(axis=1)


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


def as_published(
    make: Callable[[], Method] | None, found: list[Baskets], seeds: int, score: Callable = entropy
) -> Result | None:
    """The paper's protocol: the method sees all references, and all are scored. Without a method: all keywords."""
    auc, features, flipped = [], [], []
    for b in found:
        cells, labels = b.matrix.toarray(), b.labels
        if make is not None:
            try:
                release = make().release(b)
            except CannotRelease:
                return None
            cells, labels = release.data.toarray(), release.labels
            flipped.append(release.changes.changed_cells / release.changes.quasi_cells)
        features.append(cells.shape[1])
        auc += [float(roc_auc_score(labels, score(cells, cells, seed))) for seed in range(seeds)]
    return Result(auc, float(np.mean(features)), float(np.mean(flipped or [0.0])))


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
