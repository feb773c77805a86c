# SPDX-License-Identifier: Apache-2.0
"""What "auto" of PrivateFwell loses beside the best other variant that picks, and how many picks make its strata.

python -m benchmarks.fwell.auto [--draws N] [--tables NAME ...] [--last] [--multiclass]

"auto", ranks and splits pick columns at several budgets and numbers of picks; logistic regression learns from the
picked columns, and other rows test it (area under the ROC curve; with --multiclass all classes of a table stay, and it
is one class against another, on average). Of tables with names, four fifths of the rows are drawn to learn from; of
made-up ones every draw has new rows, and 4,000 others test. Whether ranks or splits are better at a budget is decided
by every second draw, and the loss is measured on the other draws, and the other way round: so noise is not taken for a
better variant. A loss below zero is a lead.

With --last, strata of the last 1, 2, 3, 5 or all picks: for each table the number is taken that is best on all *other*
tables. "alike-with-copies" and "alike-without" are two tables of the same shape that need different variants. Needs
DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from unittest import mock

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from benchmarks.fwell.protocol import table
from discreet import PrivacyLeakWarning, PrivateFwell
from discreet.foundation.progress import show, track
from discreet.methods.noise import private_fwell_strata
from discreet.samples import load

TABLES = ("german", "ilpd", "pima", "sonar", "soybean", "tic_tac_toe", "waveform", "wdbc")
MADE_UP = tuple(f"made-{seed}" for seed in range(16))
SEVERAL_CLASSES = ("glass", "soybean", "waveform")
EPSILONS = (0.3, 1.0, 3.0, 10.0)
VARIANTS = ("auto", "ranks", "splits")
LAST = (1, 2, 3, 5, 99)  # picks that make the strata; the last number stands for all
PRESENT = private_fwell_strata.LAST
TEST = 4000

Rows = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Source:
    """Where the rows of a draw come from: those to learn from, and those that test."""

    rows: int
    columns: int
    draw: Callable[[int], tuple[Rows, Rows]]

    @property
    def budgets(self) -> list[tuple[float, int]]:
        picks = sorted({max(1, self.columns // share) for share in (10, 4)})
        return [(epsilon, n) for epsilon in EPSILONS for n in picks]


def source(name: str, *, several: bool = False) -> Source:
    if name.startswith("made-"):
        return made_up(int(name.removeprefix("made-")))
    if name.startswith("alike"):
        return alike(name == "alike-with-copies")
    target = load(name).data.column(load(name).roles.target)
    X, y = table(name, lambda label: label == target.texts[int(np.bincount(target.codes).argmax())])
    if several:
        y = target.codes

    def draw(seed: int) -> tuple[Rows, Rows]:
        order = np.random.default_rng(seed).permutation(len(y))
        learnt, tested = order[: len(y) * 4 // 5], order[len(y) * 4 // 5 :]
        return (X[learnt], y[learnt]), (X[tested], y[tested])

    return Source(len(y) * 4 // 5, X.shape[1], draw)


def _drawn(rows: int, columns: int, sample: Callable[[int, np.random.Generator], Rows], wide: float = 1.0) -> Source:
    """Bounds from other rows, taken to be public."""
    seen = sample(20_000, np.random.default_rng(2**32))[0]
    low, width = seen.min(axis=0), wide * np.ptp(seen, axis=0)

    def scaled(n: int, seed: int) -> Rows:
        X, y = sample(n, np.random.default_rng(seed))
        return np.clip((X - low) / width, 0, 1), y

    test = scaled(TEST, 2**33)
    return Source(rows, columns, lambda seed: (scaled(rows, seed), test))


def made_up(seed: int) -> Source:
    """Columns that tell something, copies of them with noise, and columns that tell nothing; some are cut in two,
    skewed, or have bounds that are too wide, and one may matter only together with another."""
    lot = np.random.default_rng(seed)
    rows, columns = int(lot.choice([300, 800, 2000, 5000])), int(lot.choice([8, 16, 32]))
    told = min(int(lot.choice([2, 4, 8])), columns // 2)
    effects, common = lot.uniform(0.2, 1.2, told), lot.uniform(0, 1, columns) * (lot.random() < 0.5)
    copies, noise, ones = int(lot.integers(0, 3)), lot.choice([0.1, 0.3, 0.6]), lot.choice([0.5, 0.3, 0.15])
    skewed, cut, together = (lot.random() < share for share in (0.3, 0.25, 0.25))

    def sample(n: int, rng: np.random.Generator) -> Rows:
        y = (rng.random(n) < ones).astype(int)
        X = rng.normal(size=(n, columns)) + rng.normal(size=(n, 1)) * common
        X[:, :told] += y[:, None] * effects
        if together:
            X[:, told - 1] *= np.where(X[:, 0] > 0, 1, -1)
        for first in range(told, min(columns, (copies + 1) * told), told):
            there = min(told, columns - first)
            X[:, first : first + there] = X[:, :there] + noise * rng.normal(size=(n, there))
        if cut:
            X[:, ::2] = X[:, ::2] > 0.5
        return np.exp(X) if skewed else X, y

    return _drawn(rows, columns, sample, float(lot.choice([1, 1, 1, 4])))


def alike(copies: bool) -> Source:
    """Two tables with as many rows and columns. In one, eight columns tell the same and four others tell more; in the
    other, eight columns tell a little, each for itself."""

    def sample(n: int, rng: np.random.Generator) -> Rows:
        y, X = rng.integers(0, 2, n), rng.normal(size=(n, 20))
        if copies:
            X[:, :8] = X[:, :1] + 1.5 * y[:, None] + 0.3 * rng.normal(size=(n, 8))
            X[:, 8:12] += y[:, None]
        else:
            X[:, :8] += 0.4 * y[:, None]
        return X, y

    return _drawn(1000, 20, sample)


def picked(X: np.ndarray, y: np.ndarray, variant: str | int, epsilon: float, picks: int, seed: int) -> tuple[int, ...]:
    """Columns by a strategy, or by strata of so many picks."""
    strategy, last = (variant, PRESENT) if isinstance(variant, str) else ("strata", variant)
    method = PrivateFwell(epsilon, bounds=(0, 1), strategy=strategy, n_features=picks, random_state=seed)
    with mock.patch.object(private_fwell_strata, "LAST", last), warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        return tuple(np.flatnonzero(method.fit(X, y).weights_ > 0).tolist())


def area(learnt: Rows, tested: Rows, kept: tuple[int, ...]) -> float:
    model = LogisticRegression(max_iter=200).fit(learnt[0][:, kept], learnt[1])
    if len(model.classes_) == 2:
        return float(roc_auc_score(tested[1], model.decision_function(tested[0][:, kept])))
    known = np.isin(model.classes_, tested[1])
    chances = model.predict_proba(tested[0][:, kept])[:, known] + 1e-12
    chances, there = chances / chances.sum(axis=1, keepdims=True), np.isin(tested[1], model.classes_)
    return float(roc_auc_score(tested[1][there], chances[there], multi_class="ovo", labels=model.classes_[known]))


def areas(rows: Source, variants: tuple, draws: int) -> np.ndarray:
    """Budget x draw x variant."""
    found = np.zeros((len(rows.budgets), draws, len(variants)))
    for seed in range(draws):
        learnt, tested = rows.draw(seed)
        known: dict[tuple[int, ...], float] = {}
        for place, (epsilon, picks) in enumerate(rows.budgets):
            for column, variant in enumerate(variants):
                kept = picked(*learnt, variant, epsilon, picks, seed)
                if kept not in known:
                    known[kept] = area(learnt, tested, kept)
                found[place, seed, column] = known[kept]
    return found


def losses(found: np.ndarray) -> np.ndarray:
    """Budget x draw x variant: what a variant loses beside the better of the second and the third one."""
    result = np.zeros_like(found)
    for half in (0, 1):
        judged, measured = found[:, 1 - half :: 2], found[:, half::2]
        better = 1 + judged[:, :, 1:3].mean(axis=1).argmax(axis=1)
        best = np.take_along_axis(measured, better[:, None, None], axis=2)
        result[:, half::2] = best - measured
    return result


def _line(name: str, loss: np.ndarray) -> str:
    draws = loss.shape[1]
    mean, error = loss.mean(axis=(0, 1)), loss.mean(axis=0).std(axis=0, ddof=1) / draws**0.5
    cells, errors = loss[:, :, 0].mean(axis=1), loss[:, :, 0].std(axis=1, ddof=1) / draws**0.5
    most = int(cells.argmax())
    beyond = int((cells - 2 * errors > 0.005).sum())
    of_auto = f"{mean[0]:.4f} ± {error[0]:.4f} | {cells[most]:.4f} ± {errors[most]:.4f} | {beyond} of {len(cells)}"
    return f"| {name} | {of_auto} | {mean[1]:.4f} | {mean[2]:.4f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fwell.auto", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--tables", nargs="+", help="alike-with-copies and alike-without are two more")
    parser.add_argument("--last", action="store_true", help="choose how many picks make the strata")
    parser.add_argument("--multiclass", action="store_true", help="tables of several classes, as they are")
    asked = parser.parse_args()
    names = asked.tables or (SEVERAL_CLASSES if asked.multiclass else TABLES + MADE_UP)
    show()
    variants = (*VARIANTS, *LAST) if asked.last else VARIANTS
    print("| table | mean loss of auto | largest at a budget | above 0.005 by two errors | of ranks | of splits |")
    print("|---|---:|---:|---:|---:|---:|")
    lost = []
    for name in track(names, "tables"):
        lost.append(losses(areas(source(name, several=asked.multiclass), variants, asked.draws)))
        print(_line(name, lost[-1]), flush=True)
    means = np.array([loss.mean(axis=(0, 1)) for loss in lost])
    cells = np.concatenate([loss[:, :, 0].mean(axis=1) for loss in lost])
    whole = means.mean(axis=0)
    print(f"| mean | {whole[0]:.4f} | {cells.max():.4f} | | {whole[1]:.4f} | {whole[2]:.4f} |")
    if asked.last:
        _strata(means[:, len(VARIANTS) :])


def _strata(means: np.ndarray) -> None:
    """Table x number of picks that make the strata."""
    each = ", ".join(f"{n}: {mean:.4f}" for n, mean in zip(LAST, means.mean(axis=0), strict=True))
    print(f"\nmean loss by the picks that make the strata: {each}")
    chosen = [int(np.delete(means, place, axis=0).mean(axis=0).argmin()) for place in range(len(means))]
    taken = np.mean([means[place, best] for place, best in enumerate(chosen)])
    print(f"chosen on the other tables: {sorted({LAST[best] for best in chosen})}, mean loss {taken:.4f}")


if __name__ == "__main__":
    main()
