# SPDX-License-Identifier: Apache-2.0
"""The two studies of the paper: features are weighed on nine tenths of the rows, the heaviest ones are kept, 3-NN and a
linear SVM (C = 1) are trained on them and scored on the last tenth; ten folds.

Besides the accuracy: the share of the features that `Fwell` keeps on the same rows, since on easy data any features do.
Bounds are those of the whole table, taken to be public. The private draws are simulations with seeds.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from discreet import Fwell, PrivacyLeakWarning, PrivateFwell
from discreet.methods.noise.weighting import heaviest, scaled, spread
from discreet.samples import load

PUBLIC = 5  # one of so many training rows is the public sample of "reference"
LEAF_SPOTS = ("brown-spot", "alternarialeaf-spot", "frog-eye-leaf-spot", "phyllosticta-leaf-spot")

Weigh = Callable[["Fold", float, int, int], np.ndarray]  # of a fold, epsilon, features to keep, and a seed

# -- data --------------------------------------------------------------------------------------------------------------


def table(name: str, is_one: Callable[[str], bool], classes: tuple[str, ...] = ()) -> tuple[np.ndarray, np.ndarray]:
    """Numbers scaled to 0..1, categories by their codes, missing cells in the middle; and which rows are of class 1."""
    sample = load(name)
    target = sample.data.column(sample.roles.target)
    labels = np.array(target.texts)[target.codes]
    columns = sample.data.columns(sample.roles.quasi)
    numbers = [np.arange(len(c.values)) if c.kind == "category" else c.numbers for c in columns]
    X = np.column_stack([np.append(n, np.nan)[c.codes] for n, c in zip(numbers, columns, strict=True)]).astype(float)
    low, high = np.nanmin(X, axis=0), np.nanmax(X, axis=0)
    X = scaled(np.where(np.isnan(X), (low + high) / 2, X) - low, np.zeros_like(low), high - low)
    kept = np.isin(labels, classes) if classes else np.ones(len(labels), dtype=bool)
    return X[kept], np.array([int(is_one(label)) for label in labels[kept]])


def basehock() -> tuple[sp.csr_array, np.ndarray]:
    sample = load("basehock", counts=True)
    counts = sp.csr_array(sample.counts, dtype=float)
    return scaled(counts, *spread(counts)), np.asarray(sample.data.labels)


def made_up() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.random((600, 20))
    return X, (X[:, 3] + X[:, 8] > 1).astype(int)


DATA: dict[str, Callable] = {
    "wdbc": lambda: table("wdbc", lambda label: label == "M"),
    "waveform": lambda: table("waveform21", lambda label: label == "1", ("1", "2")),
    "sonar": lambda: table("sonar", lambda label: label == "M"),
    "soybean": lambda: table("soybean", lambda label: label in LEAF_SPOTS),
    "lung_small": lambda: table("lung_small", lambda label: label == "7"),
    "tox171": lambda: table("tox171", lambda label: label in ("1", "2")),
    "basehock": basehock,
}

# -- methods -----------------------------------------------------------------------------------------------------------


@dataclass
class Fold:
    """Training rows, and test rows. The last fifth of the training rows is the public sample, where one is used."""

    X: np.ndarray | sp.csr_array
    y: np.ndarray
    test: tuple

    @property
    def split(self) -> int:
        return self.X.shape[0] - -(-self.X.shape[0] // PUBLIC)

    @property
    def sample(self) -> tuple:
        return self.X[self.split :], self.y[self.split :]

    @cached_property
    def weights(self) -> np.ndarray:
        return Fwell(0.01, bounds=(0, 1)).fit(self.X, self.y).weights_


def folds_of(X, y: np.ndarray, folds: int) -> list[Fold]:
    made = []
    for number, (train, test) in enumerate(StratifiedKFold(folds, shuffle=True, random_state=0).split(y, y)):
        order = np.concatenate(train_test_split(train, test_size=1 / PUBLIC, stratify=y[train], random_state=number))
        made.append(Fold(X[order], y[order], (X[test], y[test])))
    return made


def private(strategy: str) -> Weigh:
    def weigh(fold: Fold, epsilon: float, kept: int, seed: int) -> np.ndarray:
        with_sample = strategy == "reference"
        X, y = (fold.X[: fold.split], fold.y[: fold.split]) if with_sample else (fold.X, fold.y)
        method = PrivateFwell(epsilon, bounds=(0, 1), strategy=strategy, n_features=kept, random_state=seed)
        return method.set_params(reference=fold.sample if with_sample else None).fit(X, y).weights_

    return weigh


def class_statistics(fold: Fold, epsilon: float, kept: int, seed: int) -> np.ndarray:
    """Noisy statistics: both class sums and the count of class 1 with Laplace noise of scale
    (2d + 1)/epsilon; the weight is the difference of the noisy class means."""
    n, d = fold.X.shape
    noise = np.random.default_rng(seed).laplace(0, (2 * d + 1) / epsilon, 2 * d + 1)
    sums = [np.asarray(fold.X[fold.y == label].sum(axis=0)).ravel() for label in (0, 1)]
    ones = np.clip((fold.y == 1).sum() + noise[-1], 1, n - 1)
    return np.abs((sums[1] + noise[:d]) / ones - (sums[0] + noise[d:-1]) / (n - ones))


ANY = "any features"
PLAIN: dict[str, Weigh] = {
    "Fwell": lambda fold, epsilon, kept, seed: fold.weights,
    "Fwell, one pass": lambda fold, epsilon, kept, seed: (
        Fwell(0.01, bounds=(0, 1), solver="one-pass").fit(fold.X, fold.y).weights_
    ),
    "Fwell on the public sample": lambda fold, epsilon, kept, seed: (
        Fwell(0.01, bounds=(0, 1)).fit(*fold.sample).weights_
    ),
    ANY: lambda fold, epsilon, kept, seed: np.random.default_rng(seed).random(fold.X.shape[1]),
}
PRIVATE: dict[str, Weigh] = {
    "as-published (not private)": private("as-published"),
    "reference": private("reference"),
    "blocks": private("blocks"),
    "class statistics": class_statistics,
    "ranks": private("ranks"),
    "splits": private("splits"),
    "auto, ours": private("auto"),
}

# -- the protocol ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """Means over the folds."""

    knn: float
    svm: float
    agreement: float

    @property
    def text(self) -> str:
        return f"{self.knn:.3f} {self.svm:.3f} {self.agreement:.2f}"


def evaluate(weigh: Weigh, folds: list[Fold], epsilon: float, kept: int, draws: int = 1) -> Result:
    """Accuracy of 3-NN and of the SVM on the kept features, and their agreement with those that Fwell keeps."""
    scores = []
    for number, fold in enumerate(folds):
        own = set(heaviest(fold.weights, kept).tolist())
        for draw in range(draws):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PrivacyLeakWarning)
                top = heaviest(weigh(fold, epsilon, kept, 1000 * number + draw), kept)
            scores.append([*_accuracies(fold, top), len(own & set(top.tolist())) / kept])
    return Result(*np.mean(scores, axis=0))


def _accuracies(fold: Fold, top: np.ndarray) -> list[float]:
    X, y = fold.test
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        models = (KNeighborsClassifier(3), LinearSVC(C=1.0, random_state=0))
        return [model.fit(fold.X[:, top], fold.y).score(X[:, top], y) for model in models]
