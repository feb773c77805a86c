# SPDX-License-Identifier: Apache-2.0
"""Fwell beside ReliefF and mutual information: python -m benchmarks.fwell.relief [--seeds N] [--rows N] [--text NAME]

Rows are made in the manner of Madelon: 500 columns, of which 5 place the classes on the corners of a cube and 15 are
sums of these. Each method keeps 20 columns of two thirds of the rows; a random forest learns on them and classifies the
others. Of text sets, each keeps 20, 50 and 200 words.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import mutual_info_classif

from benchmarks.sparse.data import madelon, text
from discreet import Fwell

NEIGHBOURS = (10, 100)  # of ReliefF: Kononenko's, and skrebate's default
SEPARATIONS = (0.5, 1.0, 2.0)
TREES = 300


def relieff(X: np.ndarray, y: np.ndarray, n_neighbours: int) -> np.ndarray:
    """The weights of ReliefF for two classes: the mean difference to nearest misses less that to nearest hits.

    >>> relieff(np.array([[0.0, 0.3], [0.1, 0.9], [0.9, 0.4], [1.0, 1.0]]), np.array([0, 0, 1, 1]), 1).argmax()
    np.int64(0)
    """
    width = np.ptp(X, axis=0)
    X = (X - X.min(axis=0)) / np.where(width > 0, width, 1)
    weights = np.zeros(X.shape[1])
    for row in range(len(X)):
        apart = np.abs(X - X[row])
        distance = apart.sum(axis=1)
        distance[row] = np.inf
        for other in np.unique(y):
            there = np.flatnonzero(y == other)
            near = there[np.argsort(distance[there], kind="stable")][:n_neighbours]
            near = near[np.isfinite(distance[near])]
            if len(near):
                weights += (-1 if other == y[row] else 1) * apart[near].mean(axis=0)
    return weights / len(X)


def by_information(X, y) -> np.ndarray:
    return mutual_info_classif(X, y, discrete_features=sp.issparse(X), random_state=0)


def accuracy(X, y, train: np.ndarray, test: np.ndarray, weights: np.ndarray, n: int) -> float:
    """Of a random forest on the n columns with the largest weights, in their own order."""
    chosen = np.sort(np.argsort(-weights, kind="stable")[:n])
    X = X[:, chosen].toarray() if sp.issparse(X) else X[:, chosen]
    models = [RandomForestClassifier(TREES, random_state=seed).fit(X[train], y[train]) for seed in range(2)]
    return float(np.mean([model.score(X[test], y[test]) for model in models]))


def made_up(seeds: int, rows: int) -> None:
    print("| seed, separation | mutual information | ReliefF, 10 | ReliefF, 100 | Fwell | what it took | seconds |")
    print("|---|---|---|---|---|---|---|")
    found = []
    for seed in range(seeds):
        for separation in SEPARATIONS:
            X, y = madelon(seed, rows=rows, separation=separation)
            train, test = np.arange(2 * rows // 3), np.arange(2 * rows // 3, rows)
            weights = [by_information(X[train], y[train])]
            weights += [relieff(X[train], y[train], n) for n in NEIGHBOURS]
            started, ours = time.process_time(), Fwell(n_features=20, tolerance=1e-6).fit(X[train], y[train])
            taken = time.process_time() - started
            found.append([accuracy(X, y, train, test, w, 20) for w in (*weights, ours.weights_)])
            what = f"{ours.regularization_:g}, {ours.n_neighbors_}"
            cells = " | ".join(f"{score:.3f}" for score in found[-1])
            print(f"| {seed}, {separation:g} | {cells} | {what} | {taken:.1f} |", flush=True)
    means = np.mean(found, axis=0)
    print(f"| mean | {' | '.join(f'{mean:.3f}' for mean in means)} | | |")
    table = np.array(found)
    for name, column in (("mutual information", 0), ("ReliefF, 10", 1), ("ReliefF, 100", 2)):
        lead = table[:, 3] - table[:, column]
        print(f"Fwell beside {name}: ahead {(lead > 0).sum()}, level {(lead == 0).sum()}, behind {(lead < 0).sum()}")


def texts(names: list[str]) -> None:
    print("| set, words | mutual information | Fwell | what it took |")
    print("|---|---|---|---|")
    for name in names:
        baskets = text(name)
        X, y = sp.csr_array(baskets.matrix.astype(float)), baskets.labels
        order = np.random.default_rng(0).permutation(len(y))
        train, test = order[: 2 * len(y) // 3], order[2 * len(y) // 3 :]
        told = by_information(X[train], y[train])
        for n in (20, 50, 200):
            ours = Fwell(n_features=n, tolerance=1e-6).fit(X[train], y[train])
            scores = [accuracy(X, y, train, test, w, n) for w in (told, ours.weights_)]
            what = f"{ours.regularization_:g}, {ours.n_neighbors_}, {ours.metric_}"
            print(f"| {name}, {n} | {scores[0]:.3f} | {scores[1]:.3f} | {what} |", flush=True)


if __name__ == "__main__":
    options = argparse.ArgumentParser(prog="python -m benchmarks.fwell.relief", description=__doc__)
    options.add_argument("--seeds", type=int, default=3)
    options.add_argument("--rows", type=int, default=2000)
    options.add_argument("--text", nargs="*", default=[], help="text sets instead, such as basehock")
    asked = options.parse_args()
    texts(asked.text) if asked.text else made_up(asked.seeds, asked.rows)
