# SPDX-License-Identifier: Apache-2.0
"""PrivateTable beside AIM and MST on adult_arx, in the public domain of this benchmark, or on another table.

python -m benchmarks.private_table.rivals [--table NAME] [--epsilons .1 1 10] [--seeds N] [--limit SECONDS]
                                          [--by ours aim mst]

AUC of logistic regression and accuracy of gradient boosting, learnt from synthetic rows of four fifths of the table and
tested on the other original rows; processor seconds of one run. Lines without an epsilon are what no noise would leave:
the original rows; the original columns with labels drawn from what gradient boosting says of them, as those of even the
best synthetic rows are drawn; and our model with next to no noise. AIM and MST (dpmm) run in environments of their own
(benchmarks/rivals). They compare tables of which one has a row more, with a delta; ours is shown with the default,
one row replaced and no delta, with their definition, and with a row more and no delta, which is more than theirs asks
for. Tables are those of benchmarks.private_table.budgets, the unseen ones among them; their domains are read from the
rows, for all alike. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks import rivals
from benchmarks.private_table.__main__ import public_domain
from benchmarks.private_table.budgets import table_and_roles
from benchmarks.private_table.study import Coded, auc
from discreet.foundation.randomness import Randomness
from discreet.methods.noise.private_table_budget import Accountant
from discreet.methods.noise.private_table_model import fit, rows
from discreet.recoding.public_domain import Domain

PUBLIC = "adult_arx"  # which has a public domain here
DELTA = 1e-9
NO_NOISE = 3000.0  # an epsilon
Made = tuple[np.ndarray, float]  # rows, processor seconds


def ours(neighbours: str, delta: float) -> Callable[[Coded, float, int, float], Made]:
    def made(train: Coded, epsilon: float, seed: int, limit: float) -> Made:
        started = time.process_time()
        public = train.codes.shape[1] if neighbours == "replace-one" else None
        accountant = Accountant(epsilon, delta, neighbours, 1)
        model = fit(list(train.codes), train.sizes, public, accountant, Randomness(seed), train.ordered)
        return rows(model, model.total, Randomness(seed)), time.process_time() - started

    return made


def theirs(name: str) -> Callable[[Coded, float, int, float], Made]:
    def made(train: Coded, epsilon: float, seed: int, limit: float) -> Made:
        with tempfile.TemporaryDirectory() as folder:
            given, back = Path(folder) / "rows.npz", Path(folder) / "made.npz"
            np.savez(given, codes=train.codes, sizes=train.sizes)
            took = rivals.run(name, "synthesize.py", given, epsilon, DELTA, seed, back, limit=limit)
            with np.load(back) as arrays:
                return arrays["codes"], took["cpu"]

    return made


def redrawn(train: Coded, epsilon: float, seed: int, limit: float) -> Made:
    """The original columns, each row with a label drawn from what gradient boosting says of it."""
    model = _booster(train.codes).fit(train.codes[1:].T, train.codes[0])
    upto = np.cumsum(model.predict_proba(train.codes[1:].T), axis=1)
    drawn = (np.random.default_rng(seed).random(len(upto))[:, None] > upto[:, :-1]).sum(axis=1)
    return np.vstack([model.classes_[drawn], train.codes[1:]]), 0.0


WITHOUT_NOISE = {
    "original": lambda train, *_: (train.codes, 0.0),
    "original columns, labels drawn from gradient boosting": redrawn,
    "PrivateTable with next to no noise": lambda train, _, seed, limit: ours("replace-one", 0.0)(
        train, NO_NOISE, seed, limit
    ),
}
SIDES = {
    "ours": [
        ("PrivateTable, replace-one, delta 0", ours("replace-one", 0.0)),
        (f"PrivateTable, add-remove, delta {DELTA:g}", ours("add-remove", DELTA)),
        ("PrivateTable, add-remove, delta 0", ours("add-remove", 0.0)),
    ],
    "aim": [(f"AIM, add-remove, delta {DELTA:g}", theirs("aim"))],
    "mst": [(f"MST, add-remove, delta {DELTA:g}", theirs("mst"))],
}


def _booster(codes: np.ndarray) -> HistGradientBoostingClassifier:
    """Gradient boosting, every column a category."""
    return HistGradientBoostingClassifier(categorical_features=list(range(len(codes) - 1)), random_state=0)


def boosted(train: np.ndarray, test: np.ndarray) -> float:
    """The accuracy of gradient boosting."""
    return float(np.mean(_booster(train).fit(train[1:].T, train[0]).predict(test[1:].T) == test[0]))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.private_table.rivals", description=__doc__.splitlines()[0]
    )  # type: ignore[union-attr]
    parser.add_argument("--table", default=PUBLIC)
    parser.add_argument("--epsilons", type=float, nargs="+", default=[0.1, 1.0, 10.0])
    parser.add_argument("--seeds", type=int, default=1, help="splits, each with noise of its own")
    parser.add_argument("--limit", type=float, default=600, help="seconds that a rival may take")
    parser.add_argument("--by", nargs="+", choices=list(SIDES), default=list(SIDES))
    asked = parser.parse_args()
    table, roles = table_and_roles(asked.table)
    domain = Domain.of(public_domain(roles), roles) if asked.table == PUBLIC else Domain.from_data(table, roles)
    ordered = tuple(len(levels.order) for levels in domain.columns)
    places = [np.argsort(levels.in_order) for levels in domain.columns]
    codes = np.stack([place[of_rows] for place, of_rows in zip(places, domain.codes(table), strict=True)])

    def split(seed: int) -> tuple[np.ndarray, np.ndarray]:
        order = np.random.default_rng(seed).permutation(codes.shape[1])
        return codes[:, order[: len(order) * 4 // 5]], codes[:, order[len(order) * 4 // 5 :]]

    def judged(make: Callable[[Coded, float, int, float], Made], epsilon: float) -> str:
        found = []
        for seed in range(asked.seeds):
            train, test = split(seed)
            learnt, cpu = make(Coded(train, domain.sizes, ordered), epsilon, seed, asked.limit)
            found.append((auc(learnt, test, domain.sizes), boosted(learnt, test), cpu))
        first, second, third = np.mean(found, axis=0)
        return f"{first:.4f} | {second:.4f} | {third:.2f}"

    print(
        "| rows | epsilon | logistic regression, AUC | gradient boosting, accuracy | CPU-s |\n|---|---:|---:|---:|---:|"
    )
    for name, make in WITHOUT_NOISE.items():
        print(f"| {name} | | {judged(make, np.inf)} |", flush=True)
    for epsilon in asked.epsilons:
        for name, make in (side for by in asked.by for side in SIDES[by]):
            try:
                line = judged(make, epsilon)
            except rivals.AbsentError as error:
                line = f"{error} | | "
            print(f"| {name} | {epsilon:g} | {line} |", flush=True)


if __name__ == "__main__":
    main()
