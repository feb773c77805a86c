# SPDX-License-Identifier: Apache-2.0
"""The studies of the sketch paper (its Section 4): classification and 10-means against k and delta.

Classification: records are parted 2:1 at random, training and test records are sketched apart with one key, and a
suppressed test record gets a class at random by the shares of the classes. The classifier is not named in the paper;
here it is the nearest neighbours it suggests, and logistic regression beside it. The baseline is the same classifier on
the records themselves.

Of many test records a sample is asked; the training records stay whole, and so do the neighbours under k-variance. With
2000 asked, an accuracy has a standard error of 0.011 at most.

Clustering: 10-means on sketches; the quality is the mean cosine of the original records to the mean of the original
records of their cluster; suppressed records join clusters at random, in proportion to their sizes.

Two settings. "paper": as many components as the promise allows, up to a cap, each number published as it is. "default":
the defaults of the methods, that is, no sketch carries more than half of its record's bits, and numbers are rounded to
public classes.
"""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import mean

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import normalize

from benchmarks.sketches import readings
from discreet import DeltaSketch, SketchKMeans, SketchKNeighborsClassifier, SketchLinearClassifier, VarianceSketch
from discreet.data.records import Records
from discreet.methods.sketches.sketch_method import SketchMethod
from discreet.samples import load, quest
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import sketch

CLUSTERS = 10
NEIGHBOURS = 5
CAP = 256  # components
SETTINGS = {
    "paper": {"information": None, "count_classes": None, "allow_determined": True, "max_components": CAP},
    "default": {"max_components": CAP},
}
CLASSIFIERS = ("neighbours", "linear")
Counting = Callable[[Records], np.ndarray]  # how many components each record gets


def published() -> dict:
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))


def records(name: str, rows: int | None, seed: int = 0) -> Records:
    """A data set of 0/1 records. `c20_i4`, `c20_i6` and `q20_i6_g1200` (1200 items) are made; others need
    DISCREET_DATA. `rows` at random, all when None (200,000 of the made ones)."""
    if name[0] in "cq":
        parts = {part[0]: int(part[1:]) for part in name.split("_")[1:]}
        made = quest(
            rows or 200_000, parts.get("g", 1000), mean_length=20, mean_pattern=parts["i"], classes=2, random_state=seed
        )
        return Records.of(made.data)
    whole = Records.of(load(name).data)
    order = np.random.default_rng(seed).permutation(len(whole))
    return whole.take(order[: rows or len(whole)])


def method(promise: str, level: float, setting: str) -> SketchMethod:
    options = SETTINGS[setting]
    return DeltaSketch(level, **options) if promise == "delta" else VarianceSketch(int(level), **options)


def counting(promise: str, level: float, setting: str, reading: str = "promise", most: int = 0) -> Counting:
    """How many components records get at a level; for k-variance as it is read, with neighbours sought once for all
    levels up to `most`."""
    by = method(promise, level, setting)
    if promise == "delta":
        return by.components
    return lambda records: readings.counts(records, by, int(level), reading, most)


def split(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Two thirds to learn from, one third to test."""
    order = np.random.default_rng(seed).permutation(n)
    return np.sort(order[: 2 * n // 3]), np.sort(order[2 * n // 3 :])


def unit(data: Records) -> sp.csr_array:
    return sp.csr_array(normalize(data.matrix.astype(np.float64)))


@dataclass(frozen=True)
class Accuracy:
    """Shares of the test records whose class was found, by classifier; the share of suppressed ones; the median of
    their numbers of components."""

    neighbours: float
    linear: float
    suppressed: float = 0.0
    components: float = 0.0


def mean_of(found: list[Accuracy]) -> Accuracy:
    return Accuracy(*(mean(getattr(a, name) for a in found) for name in Accuracy.__dataclass_fields__))


@lru_cache(maxsize=4)
def sides(data: Records, seed: int) -> tuple[Records, Records]:
    """Training and test records; the same ones again, so that what is found about them can be kept."""
    train, test = split(len(data), seed)
    return data.take(train), data.take(test)


def sample(test: Records, asked: int | None, seed: int) -> np.ndarray:
    """The test records that are asked: all, or so many at random."""
    if asked is None or asked >= len(test):
        return np.arange(len(test))
    return np.sort(np.random.default_rng([seed, 3]).choice(len(test), asked, replace=False))


@lru_cache(maxsize=8)
def baseline_accuracy(data: Records, seed: int, asked: int | None = None, votes: int = NEIGHBOURS) -> Accuracy:
    train, test = sides(data, seed)
    test = test.take(sample(test, asked, seed))
    learn, ask = unit(train), unit(test)
    near = KNeighborsClassifier(votes, metric="cosine", algorithm="brute").fit(learn, train.labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line = LogisticRegression(max_iter=200).fit(learn, train.labels)
    return Accuracy(near.score(ask, test.labels), line.score(ask, test.labels))


def sketched_accuracy(
    data: Records, components: Counting, seed: int, asked: int | None = None, votes: int = NEIGHBOURS
) -> Accuracy:
    train, test = sides(data, seed)
    rng = np.random.default_rng([seed, 1])
    signs = Signs(rng.bytes(32), data.shape[1])
    learn = sketch(train, signs, components(train))
    counts = components(test)
    chosen = sample(test, asked, seed)
    ask = sketch(test.take(chosen), signs, counts[chosen])
    y, gone = test.labels[chosen], ask.counts == 0
    found = []
    for model in (SketchKNeighborsClassifier(votes), SketchLinearClassifier()):
        fitted = model.fit(learn, train.labels)
        guessed = fitted.predict(ask)
        guessed[gone] = rng.choice(fitted.classes_, size=int(gone.sum()), p=fitted.prior_)
        found.append(float((guessed == y).mean()))
    return Accuracy(*found, float((counts == 0).mean()), float(np.median(counts)))


def cosine_to_centres(data: Records, labels: np.ndarray) -> float:
    """The mean cosine of each record to the mean of the records of its cluster."""
    matrix = data.matrix.astype(np.float64)
    member = sp.csr_array((np.ones(len(data)), (labels, np.arange(len(data)))))
    centres = normalize((member @ matrix).toarray())
    rows = np.repeat(np.arange(len(data)), np.diff(data.matrix.indptr))
    scaled = unit(data)  # the sum over all cells: no dense matrix of the records
    return float((scaled.data * centres[labels[rows], scaled.indices]).sum() / len(data))


@lru_cache(maxsize=8)
def baseline_quality(data: Records, seed: int) -> float:
    found = KMeans(CLUSTERS, n_init=4, random_state=seed).fit(unit(data)).labels_
    return cosine_to_centres(data, found)


def random_quality(data: Records, seed: int) -> float:
    """What clusters at random give: the floor."""
    return cosine_to_centres(data, np.random.default_rng(seed).integers(0, CLUSTERS, len(data)))


def sketched_quality(data: Records, components: Counting, seed: int) -> float:
    rng = np.random.default_rng([seed, 2])
    made = sketch(data, Signs(rng.bytes(32), data.shape[1]), components(data))
    return cosine_to_centres(data, placed(SketchKMeans(CLUSTERS, random_state=seed).fit(made).labels_, rng))


def placed(labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Suppressed records, whose label is -1, in clusters at random, in proportion to their sizes."""
    gone = labels < 0
    shares = np.bincount(labels[~gone], minlength=CLUSTERS) / (~gone).sum()
    labels = labels.copy()
    labels[gone] = rng.choice(len(shares), size=int(gone.sum()), p=shares)
    return labels
