# SPDX-License-Identifier: Apache-2.0
"""The text sets, and rows with known structure in the manner of Madelon."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import StratifiedKFold

from discreet import Baskets
from discreet.samples import load

TEXTS = ("pu1", "basehock", "text_fbis", "arnetminer")


def text(name: str) -> Baskets:
    """A text set. Of many classes the largest is told apart from the others: of most of the rest there are few rows."""
    baskets = load(name).data
    if baskets.n_classes > 2:
        baskets = baskets.labelled(baskets.labels == np.bincount(baskets.labels).argmax())
    return baskets


def folds(baskets: Baskets, n: int = 3) -> list[tuple[Baskets, Baskets]]:
    """Training and test rows."""
    splitter = StratifiedKFold(n, shuffle=True, random_state=0)
    split = splitter.split(np.zeros(len(baskets)), baskets.labels)
    return [(baskets.take(train), baskets.take(test)) for train, test in split]


def madelon(seed: int, *, rows: int = 2000, separation: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """500 columns: 5 that place the classes on the corners of a cube, 15 sums of these, and noise."""
    return make_classification(
        rows,
        500,
        n_informative=5,
        n_redundant=15,
        n_clusters_per_class=16,
        class_sep=separation,
        flip_y=0.01,
        random_state=seed,
    )
