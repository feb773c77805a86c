# SPDX-License-Identifier: Apache-2.0
"""The constants of PrivateTable's model of marginals, each chosen on other tables than those it is reported on.

python -m benchmarks.private_table.study [--seeds N] [--rows N] [--epsilons ...] [--tables ...] [--vary ...]

Every setting of the constants makes synthetic rows of every table at every epsilon; logistic regression learns from
them and is tested on held-out original rows (area under the ROC curve, for more classes the mean of one against the
rest). For each table the setting is taken that is best on the mean of all *other* tables, and its figure is printed.
Domains are read from the rows, which is for studies alone. Tables that are made up have latent causes of the columns,
as many rows, columns and levels as chance says. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any
from unittest import mock

import numpy as np
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from discreet.foundation.progress import show, track
from discreet.foundation.randomness import Randomness
from discreet.methods.noise import private_table_budget as budget
from discreet.methods.noise import private_table_shrinkage as shrinkage
from discreet.methods.noise.private_table_model import fit, rows
from discreet.recoding.public_domain import Domain
from discreet.samples import load

TABLES = ("adult", "adult_arx", "diabetes130", "german", "ilpd", "pima", "tic_tac_toe", "waveform", "wdbc")
MADE_UP = (*(f"made-{seed}" for seed in range(1, 11)), *(f"skew-{seed}" for seed in range(1, 9)))
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
CONSTANTS = {  # where each is, and what is tried
    "pair": (budget, "GAIN_OF_A_PAIR", (0.1, 0.2, 0.4)),
    "triple": (budget, "GAIN_OF_A_TRIPLE", (0.05, 0.1, 0.2)),
    "growth": (budget, "GROWTH", (0.0, 1 / 3, 2 / 3)),
    "least": (shrinkage, "LEAST", (0.0, 0.25, 0.5)),
    "lift": (shrinkage, "LIFTS", ((3.0,), (1.0,), (0.3,), (0.1, 0.3, 1.0), (0.03, 0.1, 0.3, 1.0, 3.0))),
    "floor": (shrinkage, "FLOOR", (0.0, 3.0, 6.0, 10.0)),
    "rare": (shrinkage, "RARE", ((1.0,), (0.5,), (1.0, 0.5, 0.0))),
    "drowned": (budget, "DROWNED", (0.35, 0.5, 0.7, 1.0, 1.5, np.inf)),
    "alone": (budget, "ALONE", (0.05, 0.2)),
}
TOGETHER = (("growth", "least"), ("drowned", "alone"))  # the others are varied one by one
Setting = tuple[Any, ...]
PRESENT: Setting = tuple(getattr(module, name) for module, name, _ in CONSTANTS.values())


def settings(varied: Sequence[str]) -> list[Setting]:
    """The present setting, and those with other values of the constants that are varied."""
    found = [PRESENT]
    for some in (*TOGETHER, *((one,) for one in CONSTANTS if not any(one in both for both in TOGETHER))):
        if set(some) & set(varied):
            tried = [CONSTANTS[one][2] if one in some else (now,) for one, now in zip(CONSTANTS, PRESENT, strict=True)]
            found += product(*tried)
    return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Coded:
    """A table as levels, the label first."""

    codes: np.ndarray
    sizes: tuple[int, ...]
    ordered: tuple[int, ...]


def coded(name: str) -> Coded:
    if name.startswith("made-"):
        return made_up(int(name.removeprefix("made-")))
    if name.startswith("skew-"):
        return skewed(int(name.removeprefix("skew-")))
    sample = load(name)
    domain = Domain.from_data(sample.data, sample.roles)
    levels = zip(domain.columns, domain.codes(sample.data), strict=True)
    codes = np.stack([np.argsort(column.in_order)[line] for column, line in levels])
    return Coded(codes, domain.sizes, tuple(len(column.order) for column in domain.columns))


def made_up(seed: int) -> Coded:
    rng = np.random.default_rng(seed)
    n, columns = int(rng.choice([800, 3000, 10_000, 40_000])), int(rng.choice([6, 10, 16, 24]))
    label = (rng.random(n) < rng.choice([0.2, 0.35, 0.5])).astype(int)
    causes = rng.normal(size=(n, 3)) + label[:, None] * rng.uniform(0, 0.8, size=3)
    codes, sizes, ordered = [label], [2], [0]
    for _ in range(columns):
        size = int(rng.choice([2, 3, 5, 8, 12, 30]))
        weights = rng.normal(size=3) * (rng.random(3) < 0.5)
        line = causes @ weights + rng.normal(size=n) * rng.uniform(0.3, 1.5) + label * rng.choice([0, 0, 0.3, 0.8])
        levels = np.searchsorted(np.unique(np.quantile(line, np.sort(rng.random(size - 1)))), line)
        in_order = rng.random() < 0.5
        codes.append(levels if in_order else rng.permutation(size)[levels])
        sizes.append(size)
        ordered.append(size if in_order else 0)
    return Coded(np.stack(codes), tuple(sizes), tuple(ordered))


def skewed(seed: int) -> Coded:
    """Some columns tell nothing, some are copies of others with noise, and levels may be rare."""
    rng = np.random.default_rng(1000 + seed)
    n, columns = int(rng.choice([1000, 5000, 20_000, 40_000])), int(rng.choice([8, 14, 20, 40]))
    label = (rng.random(n) < rng.choice([0.1, 0.25, 0.4])).astype(int)
    causes = rng.normal(size=(n, 4)) + label[:, None] * rng.uniform(0, 1.2, 4)
    codes, sizes, ordered = [label], [2], [0]
    for _ in range(columns):
        kind = rng.random()
        if kind < 0.3:
            line = rng.normal(size=n)
        elif kind < 0.45 and len(codes) > 1:
            line = codes[rng.integers(1, len(codes))] + 0.5 * rng.normal(size=n)
        else:
            line = causes @ (rng.normal(size=4) * (rng.random(4) < 0.4)) + rng.normal(size=n) * rng.uniform(0.3, 1.5)
        size = int(rng.choice([2, 3, 5, 8, 10, 16, 41]))
        shares = 1 / np.arange(1, size + 1) ** rng.choice([0, 0, 1, 1.5])
        levels = np.searchsorted(np.unique(np.quantile(line, np.cumsum(shares / shares.sum())[:-1])), line)
        in_order = rng.random() < 0.5
        codes.append(levels if in_order else rng.permutation(size)[levels])
        sizes.append(size)
        ordered.append(size if in_order else 0)
    return Coded(np.stack(codes), tuple(sizes), tuple(ordered))


@contextmanager
def constants(setting: Setting) -> Iterator[None]:
    with ExitStack() as stack:
        for (module, name, _), value in zip(CONSTANTS.values(), setting, strict=True):
            stack.enter_context(mock.patch.object(module, name, value))
        yield


def named(setting: Setting) -> str:
    """The constants that differ from the present ones."""
    off = [
        f"{name} {'/'.join(f'{part:.2g}' for part in (value if isinstance(value, tuple) else (value,)))}"
        for name, value, now in zip(CONSTANTS, setting, PRESENT, strict=True)
        if value != now
    ]
    return ", ".join(off) or "present"


def one_hot(codes: np.ndarray, sizes: tuple[int, ...]) -> sp.csr_array:
    places = (codes[1:] + np.cumsum([0, *sizes[1:-1]])[:, None]).T
    start = np.arange(0, places.size + 1, places.shape[1])
    return sp.csr_array((np.ones(places.size), places.ravel(), start), shape=(len(places), sum(sizes[1:])))


def auc(train: np.ndarray, test: np.ndarray, sizes: tuple[int, ...]) -> float:
    """Of logistic regression that learns from `train`."""
    if len(np.unique(train[0])) < 2:
        return 0.5
    model = LogisticRegression(max_iter=100, tol=1e-3).fit(one_hot(train, sizes), train[0])
    odds = np.zeros((test.shape[1], sizes[0]))
    odds[:, model.classes_] = model.predict_proba(one_hot(test, sizes))
    return float(np.mean([roc_auc_score(test[0] == place, odds[:, place]) for place in np.unique(test[0])]))


def scores(table: Coded, epsilon: float, tried: Sequence[Setting], seeds: int, most: int) -> list[float]:
    """The figure of each setting; settings that lead to the same plan and counts are fitted once."""
    found, known = [], {}
    accountant = budget.Accountant(epsilon, 0.0, "replace-one", 1)
    for setting in tried:
        with constants(setting):
            plan = budget.planned(table.sizes, int(0.8 * table.codes.shape[1]), accountant)
            key = (plan, setting[2:7], setting[-1] if plan.alone else None)
            if key not in known:
                known[key] = np.mean([_once(table, accountant, seed, most) for seed in range(seeds)])
        found.append(float(known[key]))
    return found


def _once(table: Coded, accountant: budget.Accountant, seed: int, most: int) -> float:
    order = np.random.default_rng(seed).permutation(table.codes.shape[1])
    split = int(0.8 * len(order))
    train, test = table.codes[:, order[:split]], table.codes[:, order[split:]]
    model = fit(list(train), table.sizes, split, accountant, Randomness(seed), table.ordered)
    made = rows(model, model.total, Randomness(seed))
    chosen = np.random.default_rng(seed).permutation(made.shape[1])[:most]
    return auc(made[:, chosen], test[:, :most], table.sizes)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.private_table.study", description=__doc__.splitlines()[0]
    )  # type: ignore[union-attr]
    parser.add_argument("--seeds", type=int, default=3, help="splits of each table, each with noise of its own")
    parser.add_argument("--rows", type=int, default=10_000, help="most synthetic rows that a classifier learns from")
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--tables", nargs="+", default=TABLES + MADE_UP)
    parser.add_argument("--vary", nargs="+", choices=list(CONSTANTS), default=list(CONSTANTS))
    asked = parser.parse_args()
    show()
    tried = settings(asked.vary)
    found = {}
    for name in track(asked.tables, "tables"):
        table = coded(name)
        found[name] = np.array([scores(table, e, tried, asked.seeds, asked.rows) for e in asked.epsilons])
    print(
        "settings: what differs from the present constants (pair, triple: rows that one puts right; growth of shares "
        "with levels; least part of an even share; lift: standard deviations of lifts; floor: the least of them, times "
        "the root of levels over rows; rare: powers of a level's rows that they go with; drowned: noise that drowns "
        "the label; alone: share of a column counted alone); mean over all tables, for each epsilon and for all"
    )
    for setting, means in zip(tried, np.mean(list(found.values()), axis=0).T, strict=True):
        each = " ".join(f"{mean:.4f}" for mean in (*means, means.mean()))
        print(f"{named(setting)}: {each}")
    print(
        "\n| table | chosen on the others | "
        + " | ".join(f"epsilon {e:g}" for e in asked.epsilons)
        + " | present constants |"
    )
    print("|---|---|" + "---:|" * (len(asked.epsilons) + 1))
    for name, table_scores in found.items():
        others = np.mean([each for other, each in found.items() if other != name], axis=(0, 1))
        best = int(others.argmax())
        cells = [f"{score:.3f}" for score in table_scores[:, best]]
        means = f"{table_scores[:, 0].mean() - table_scores[:, best].mean():+.4f}"
        print(f"| {name} | {named(tried[best])} | {' | '.join(cells)} | {means} |", flush=True)


if __name__ == "__main__":
    main()
