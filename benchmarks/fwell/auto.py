# SPDX-License-Identifier: Apache-2.0
"""When "auto" of PrivateFwell takes splits: the number of rows times epsilon for each pick, chosen on other tables.

python -m benchmarks.fwell.auto [--draws N]

Ranks and splits pick columns of every table, at several budgets and numbers of picks, from four fifths of the rows;
logistic regression learns from the picked columns and is tested on the other rows (area under the ROC curve). What a
threshold loses is by how much the strategy that it takes lies below the better one. For each table the threshold is
taken that loses least on all *other* tables, and its loss is printed. Last come two made-up tables that no rule by
public numbers tells apart. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.fwell.protocol import table
from discreet import PrivacyLeakWarning, PrivateFwell
from discreet.foundation.progress import show, track
from discreet.methods.noise.private_fwell import ENOUGH
from discreet.samples import load

TABLES = ("german", "ilpd", "pima", "sonar", "soybean", "tic_tac_toe", "waveform", "wdbc")
MADE_UP = tuple(f"made-{seed}" for seed in range(8))
EPSILONS = (0.3, 1.0, 3.0, 10.0)
THRESHOLDS = (0, 150, 300, 450, 600, 800, 1000, 1500, 3000, np.inf)


def rows_of(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Cells from 0 to 1, and which rows are of the most common class."""
    if name.startswith("made-"):
        return made_up(int(name.removeprefix("made-")))
    target = load(name).data.column(load(name).roles.target)
    most = target.texts[int(np.bincount(target.codes).argmax())]
    return table(name, lambda label: label == most)


def made_up(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Columns that tell something, their copies with noise, and columns that tell nothing."""
    rng = np.random.default_rng(seed)
    n, d, told = (int(rng.choice(numbers)) for numbers in ([300, 1000, 4000], [8, 20, 40], [2, 4, 8]))
    told = min(told, d // 2)
    y, X = rng.integers(0, 2, n), rng.normal(size=(n, d))
    if rng.random() < 0.5:
        X += rng.normal(size=(n, 1)) * rng.uniform(0, 1, size=d)
    X[:, :told] += y[:, None] * rng.uniform(0.2, 1.2, size=told)
    if rng.random() < 0.5:
        X[:, told : 2 * told] = X[:, :told] + 0.3 * rng.normal(size=(n, told))
    if rng.random() < 0.3:
        X = np.exp(X)
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), y


def alike(copies: bool) -> tuple[np.ndarray, np.ndarray]:
    """Two tables with as many rows and columns. In one, eight columns tell the same and four others tell more; in the
    other, eight columns tell a little, each for itself."""
    rng = np.random.default_rng(0)
    y, X = rng.integers(0, 2, 1000), rng.normal(size=(1000, 20))
    if copies:
        X[:, :8] = X[:, :1] + 1.5 * y[:, None] + 0.3 * rng.normal(size=(1000, 8))
        X[:, 8:12] += y[:, None]
    else:
        X[:, :8] += 0.4 * y[:, None]
    return (X - X.min(axis=0)) / np.ptp(X, axis=0), y


def auc(X: np.ndarray, y: np.ndarray, strategy: str, epsilon: float, picks: int, seed: int) -> float:
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
    method = PrivateFwell(epsilon, bounds=(0, 1), strategy=strategy, n_features=picks, random_state=seed)
    kept = np.flatnonzero(method.fit(X[train], y[train]).weights_ > 0)
    model = LogisticRegression(max_iter=200).fit(X[train][:, kept], y[train])
    return float(roc_auc_score(y[test], model.decision_function(X[test][:, kept])))


def losses(name: str, draws: int) -> np.ndarray:
    """Budget and number of picks x threshold."""
    X, y = rows_of(name)
    found = []
    for epsilon in EPSILONS:
        for picks in sorted({max(1, X.shape[1] // share) for share in (10, 4)}):
            ranks, splits = (
                np.mean([auc(X, y, strategy, epsilon, picks, seed) for seed in range(draws)])
                for strategy in ("ranks", "splits")
            )
            each = len(y) * 4 // 5 * epsilon / picks
            best = max(ranks, splits)
            found.append([best - (splits if each >= threshold else ranks) for threshold in THRESHOLDS])
    return np.array(found)


def _of_both(copies: bool, draws: int) -> tuple[np.ndarray, np.ndarray]:
    X, y = alike(copies)
    ranks, splits = (
        np.array([auc(X, y, strategy, 3.0, 5, seed) for seed in range(draws)]) for strategy in ("ranks", "splits")
    )
    return ranks, splits


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fwell.auto", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--tables", nargs="+", default=TABLES + MADE_UP)
    asked = parser.parse_args()
    show()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        found = {name: losses(name, asked.draws) for name in track(asked.tables, "tables")}
        apart = {copies: _of_both(copies, asked.draws) for copies in (True, False)}
    print("threshold: mean loss over tables, largest mean loss of a table")
    means = np.array([loss.mean(axis=0) for loss in found.values()])
    for threshold, mean, most in zip(THRESHOLDS, means.mean(axis=0), means.max(axis=0), strict=True):
        print(f"{threshold:g}{' (present)' if threshold == ENOUGH else ''}: {mean:.4f}, {most:.4f}")
    print("\n| table | threshold chosen on the others | mean loss | largest loss | of ranks | of splits |")
    print("|---|---:|---:|---:|---:|---:|")
    for place, (name, loss) in enumerate(found.items()):
        others = np.delete(means, place, axis=0) if len(means) > 1 else means
        best = int(others.mean(axis=0).argmin())
        cells = [loss[:, best].mean(), loss[:, best].max(), loss[:, -1].mean(), loss[:, 0].mean()]
        print(f"| {name} | {THRESHOLDS[best]:g} | {' | '.join(f'{cell:.4f}' for cell in cells)} |")
    print("\n1,000 rows, 20 columns, 5 picks, epsilon 3; AUC by ranks and by splits, standard error of the difference")
    for copies, (ranks, splits) in apart.items():
        error = np.std(ranks - splits, ddof=1) / len(ranks) ** 0.5
        print(f"{'with' if copies else 'without'} copies: {ranks.mean():.3f}, {splits.mean():.3f}, {error:.3f}")


if __name__ == "__main__":
    main()
