# SPDX-License-Identifier: Apache-2.0
"""Figure 1: Laplace-DP and Exponential-DP, as printed and as they can be proved, on e-mail and Adult.

As many features as GreedyHamDist keeps at k = 5; epsilon .5, 1, 1.5 and 2, half for the features, half for a table of
counts of all combinations of their values and the label; ten runs. The paper does not say what its sensitivities are.
As printed: that of HamDist is taken as one over the smaller class of the table at hand, no factor 2 for the noisy
largest ones, noise of scale 1/epsilon on the counts. That does not keep the claimed epsilon: docs/methods/
private_select.md says why. Proved: `LaplaceSelector` and `ExponentialSelector`, and noise of scale 2/epsilon, since one
row that is another one changes two counts.

    python -m benchmarks.containment.figure1            # table, and figure1.svg beside this file
    python -m benchmarks.containment.figure1 --scores   # at the same epsilon, whose picks have the larger scores
    python -m benchmarks.containment.figure1 --quick    # made-up rows, one run
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import roc_auc_score
from sklearn.svm import LinearSVC

from benchmarks.containment import adult, protocol
from discreet import Baskets, ExponentialSelector, GreedySelector, LaplaceSelector, PrivacyLeakWarning
from discreet.foundation.randomness import Randomness
from discreet.mechanisms import Exponential, LaplaceTop, PermuteAndFlip
from discreet.methods.noise.private_select import pair_scores

EPSILONS = (0.5, 1.0, 1.5, 2.0)
RUNS, FOLDS = 10, 5
COSTS = (0.001, 0.03, 1.0)
WORDS = {
    "true": "AUC on true rows",
    "released": "AUC on released rows",
    "names": "AUC, names alone",
    "share": "share of the best scores",
}
PICTURE = Path(__file__).with_name("figure1.svg")

# -- the two halves ---------------------------------------------------------------------------------------------------


def _hamdist(baskets: Baskets) -> np.ndarray:
    positive = int(baskets.labels.sum())
    return pair_scores(baskets) / (positive * (len(baskets) - positive))


def _sensitivity_at_hand(baskets: Baskets) -> float:
    positive = int(baskets.labels.sum())
    return 1 / min(positive, len(baskets) - positive)


def laplace_as_printed(baskets: Baskets, epsilon: float, picks: int, seed: int) -> np.ndarray:
    noise = np.random.default_rng(seed).laplace(0, _sensitivity_at_hand(baskets) * picks / epsilon, baskets.shape[1])
    return np.argsort(-(_hamdist(baskets) + noise))[:picks]


def exponential_as_printed(baskets: Baskets, epsilon: float, picks: int, seed: int) -> np.ndarray:
    scale = (
        2 * _sensitivity_at_hand(baskets) * picks / epsilon
    )  # picks without replacement are one draw of Gumbel noise
    noise = np.random.default_rng(seed).gumbel(0, scale, baskets.shape[1])
    return np.argsort(-(_hamdist(baskets) + noise))[:picks]


def _ours(selector: type) -> Callable:
    def select(baskets: Baskets, epsilon: float, picks: int, seed: int) -> np.ndarray:
        return selector(epsilon, picks, random_state=seed).fit(baskets.matrix, baskets.labels).order_

    return select


METHODS: dict[str, tuple[Callable, float]] = {  # how features are selected, and what a row changes of the counts
    "Laplace-DP, as printed": (laplace_as_printed, 1.0),
    "Exponential-DP, as printed": (exponential_as_printed, 1.0),
    "LaplaceSelector": (_ours(LaplaceSelector), 2.0),
    "ExponentialSelector": (_ours(ExponentialSelector), 2.0),
}


def cells_of(baskets: Baskets, features: np.ndarray) -> np.ndarray:
    """The cell of each row: the values of the features and the label, as one number."""
    X = baskets.keep(list(features)).matrix.toarray().astype(np.int64)
    return X @ (1 << np.arange(1, len(features) + 1)) + baskets.labels


def private_counts(baskets: Baskets, features: np.ndarray, scale: float, seed: int) -> np.ndarray:
    """The rows in every cell after noise: none below zero, rounded."""
    counts = np.bincount(cells_of(baskets, features), minlength=2 << len(features))
    noisy = counts + np.random.default_rng([seed, 1]).laplace(0, scale, len(counts))
    return np.maximum(np.round(noisy), 0).astype(np.int64)


# -- what it is worth -------------------------------------------------------------------------------------------------


def _rows(cells: np.ndarray, features: int) -> tuple[np.ndarray, np.ndarray]:
    return (cells[:, None] >> np.arange(1, features + 1)) & 1, cells & 1


def auc(train: np.ndarray, test: np.ndarray, features: int, seed: int) -> float:
    """A linear SVM on counts of cells, its C tuned on a fifth of them, scored on other counts."""
    part = np.random.default_rng([seed, 2]).binomial(train, 0.2)
    best = max(COSTS, key=lambda C: _area(C, train - part, part, features))
    return _area(best, train, test, features)


def _area(C: float, train: np.ndarray, test: np.ndarray, features: int) -> float:
    (X, y), (X_test, y_test) = _rows(np.flatnonzero(train), features), _rows(np.flatnonzero(test), features)
    if len(np.unique(y)) < 2 or len(np.unique(y_test)) < 2:
        return 0.5
    model = LinearSVC(C=C, max_iter=2000, random_state=0).fit(X, y, sample_weight=train[train > 0])
    return float(roc_auc_score(y_test, model.decision_function(X_test), sample_weight=test[test > 0]))


@dataclass
class Cell:
    """Ten runs of a method at one epsilon."""

    true: list[float]  # learnt from the release of the training rows, tested on true rows that it has not seen
    released: list[float]  # tested on a fifth of the released rows themselves
    names: list[float]  # learnt and tested on true rows of the selected features: what the selection alone costs
    share: list[float]  # HamDist of the selected features, of the sum that the best ones have


def measure(baskets: Baskets, picks: int, runs: int) -> dict[tuple[str, float], Cell]:
    folds = list(protocol.splits(baskets, FOLDS))
    found = {(name, epsilon): Cell([], [], [], []) for name in METHODS for epsilon in EPSILONS}
    for run in range(runs):
        train, test = (baskets.take(rows) for rows in folds[run % FOLDS])
        best = np.sort(pair_scores(train))[-picks:].sum()
        for (name, epsilon), cell in found.items():
            select, changed = METHODS[name]
            features = select(train, epsilon / 2, picks, run)
            released = private_counts(train, features, changed / (epsilon / 2), run)
            kept = np.random.default_rng([run, 3]).binomial(released, 0.2)
            size = 2 << picks
            truth, learnt = (np.bincount(cells_of(rows, features), minlength=size) for rows in (test, train))
            cell.true.append(auc(released, truth, picks, run))
            cell.released.append(auc(released - kept, kept, picks, run))
            cell.names.append(auc(learnt, truth, picks, run))
            cell.share.append(pair_scores(train)[features].sum() / best)
    return found


# -- table and picture ------------------------------------------------------------------------------------------------


def _print(name: str, baskets: Baskets, picks: int, found: dict) -> None:
    n, d = baskets.shape
    print(f"\n{name}: {n} x {d}, {picks} features; mean ± standard deviation over runs\n")
    _line("method", "measured", *(f"epsilon {epsilon:g}" for epsilon in EPSILONS))
    _line(*["---"] * (2 + len(EPSILONS)))
    for method in METHODS:
        for part, words in WORDS.items():
            runs = [getattr(found[method, epsilon], part) for epsilon in EPSILONS]
            _line(method, words, *(f"{np.mean(values):.3f} ± {np.std(values):.3f}" for values in runs))


def compare_scores(name: str, baskets: Baskets, picks: int, runs: int) -> None:
    """At one and the same epsilon, all of it for the selection: whose picks have the larger scores?"""
    scores, least = pair_scores(baskets), len(baskets) - 1
    best = np.sort(scores)[-picks:].sum()
    print(f"\n{name}: {picks} picks, share of the best scores, mean ± standard error over {runs} runs\n")
    _line("mechanism", *(f"epsilon {epsilon:g}" for epsilon in (0.25, *EPSILONS)))
    _line(*["---"] * (2 + len(EPSILONS)))
    for mechanism in (LaplaceTop, Exponential, PermuteAndFlip):
        cells = []
        for epsilon in (0.25, *EPSILONS):
            made = mechanism(sensitivity=least, epsilon=epsilon, picks=picks)
            share = [scores[made.simulate(scores, Randomness(run))].sum() / best for run in range(runs)]
            cells.append(f"{np.mean(share):.3f} ± {np.std(share) / runs**0.5:.3f}")
        _line(mechanism.__name__, *cells)


def _line(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)


_COLOURS = ("#d55e00", "#e69f00", "#0072b2", "#009e73")


def picture(panels: dict[str, dict]) -> str:
    """AUC on true rows over epsilon, a panel for each data set."""
    width, parts = 330 * len(panels) + 210, []
    for place, (name, found) in enumerate(panels.items()):
        left = 50 + 330 * place
        parts.append(f'<text x="{left}" y="22">{name}</text><path d="M{left} 35V275H{left + 270}" class="axis"/>')
        for level in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
            y = _up(level)
            parts.append(f'<path d="M{left} {y}h270" class="grid"/><text x="{left - 6}" y="{y + 4}" class="end">')
            parts.append(f"{level:.1f}</text>")
        for epsilon in EPSILONS:
            parts.append(f'<text x="{left + 120 * epsilon:.0f}" y="292" class="mid">{epsilon:g}</text>')
        for colour, method in zip(_COLOURS, METHODS, strict=True):
            points = [(left + 120 * e, _up(float(np.mean(found[method, e].true)))) for e in EPSILONS]
            line = " ".join(f"{x:.0f},{y:.1f}" for x, y in points)
            parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
    for row, (colour, method) in enumerate(zip(_COLOURS, METHODS, strict=True)):
        parts.append(f'<text x="{width - 205}" y="{60 + 22 * row}" fill="{colour}">{method}</text>')
    style = ".axis{stroke:#444;fill:none}.grid{stroke:#ddd}.end{text-anchor:end}.mid{text-anchor:middle}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 320" font-family="sans-serif" font-size="13"'
        f' role="img"><title>AUC of tables under differential privacy</title><style>{style}</style>'
        f'<rect width="{width}" height="320" fill="white"/>{"".join(parts)}'
        f'<text x="{width / 2 - 100:.0f}" y="312" class="mid">epsilon</text></svg>\n'
    )


def _up(level: float) -> float:
    return round(275 - 240 * (max(level, 0.4) - 0.4) / 0.6, 1)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.containment.figure1")
    options.add_argument("--quick", action="store_true", help="made-up rows, one run")
    options.add_argument("--scores", action="store_true", help="only: whose picks have the larger scores")
    asked = options.parse_args()
    warnings.simplefilter("ignore", PrivacyLeakWarning)
    warnings.simplefilter("ignore", ConvergenceWarning)
    sets = {"made up": protocol.made_up} if asked.quick else {"e-mail": protocol.email, "Adult": adult.adult}
    panels = {}
    for name, load in sets.items():
        baskets = load()
        greedy = GreedySelector(5, on_infeasible="stop").fit(baskets.matrix, baskets.labels)
        picks = len(greedy.order_)
        if asked.scores:
            compare_scores(name, baskets, picks, 10 if asked.quick else 100)
            continue
        panels[name] = measure(baskets, picks, 1 if asked.quick else RUNS)
        _print(name, baskets, picks, panels[name])
    if panels and not asked.quick:
        PICTURE.write_text(picture(panels), encoding="utf-8")


if __name__ == "__main__":
    main()
