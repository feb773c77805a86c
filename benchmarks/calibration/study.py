# SPDX-License-Identifier: Apache-2.0
"""Random labels on wide, small data: every method of discreet, three protocols, the AUC that each of them reports.

The labels are drawn without looking at the rows, 60 of each class, and every fold has its share of both. So nothing can
be learnt about rows that were held out, and the expected AUC on them is exactly one half, whatever the method does. The
data sets are drawn independently of each other; the interval of a mean over them is Student's, widened by Bonferroni so
that all intervals of a run hold together with 95 %.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

from discreet import (
    Baskets,
    BreachAwareSelector,
    DeltaSketch,
    ExponentialSelector,
    GreedySelector,
    ItemGroups,
    KActus,
    KActus2,
    KAdet,
    KmSelector,
    LaplaceSelector,
    MaximalSelector,
    Mondrian,
    OptimalSelector,
    PrivateFwell,
    PrivateTable,
    RandomFlip,
    Roles,
    Table,
    TopDownRefinement,
    TopDownSpecialization,
    TreeLadder,
    VarianceSketch,
)
from discreet.evaluate.cross_evaluation import evaluate_utility
from discreet.evaluate.evaluation import ORIGINAL
from discreet.evaluate.protocols import PROTOCOLS
from discreet.foundation.progress import track
from discreet.methods import Method

ROWS, ITEMS, CATEGORIES, NUMBERS = 120, 400, 14, 6
FOLDS = "3-fold"  # 20 test rows of each class
CLASSIFIER = "naive-bayes"
EPSILON = 20.0  # little noise: a method that draws by lot would be calibrated whatever it does

CELLS, CUTS = ("a", "b", "c"), (25, 50, 75)
QUASI = tuple([f"c{j}" for j in range(CATEGORIES)] + [f"n{j}" for j in range(NUMBERS)])
ROLES = Roles(target="y", quasi=QUASI, sensitive=("s",))
PUBLIC = {name: list(CELLS) if name[0] == "c" else {"cuts": list(CUTS)} for name in QUASI}
DOMAIN = PUBLIC | {"s": list(CELLS), "y": ["no", "yes"]}


@dataclass(frozen=True)
class Subject:
    """A method on one of the two kinds of data, and whether labels guide what it publishes."""

    shape: str
    name: str
    guided: bool
    make: Callable[[], Method]


def _of(shape: str, guided: bool, **methods: Callable[[], Method]) -> list[Subject]:
    return [Subject(shape, name.replace("_", " "), guided, make) for name, make in methods.items()]


SUBJECTS = [
    *_of(
        "table",
        True,
        TreeLadder=lambda: TreeLadder(5),
        Mondrian_information=lambda: Mondrian(5, split="information"),
        KActus2=lambda: KActus2(5),
        KActus=lambda: KActus(5),
        KAdet=lambda: KAdet(5),
        TopDownSpecialization=lambda: TopDownSpecialization(5),
        TopDownRefinement=lambda: TopDownRefinement(5),
        GreedySelector=lambda: GreedySelector(5),
        MaximalSelector=lambda: MaximalSelector(20),
        OptimalSelector=lambda: OptimalSelector(20),
        BreachAwareSelector=lambda: BreachAwareSelector(learner="naive-bayes", attackers=("naive-bayes",), folds=4),
        PrivateTable=lambda: PrivateTable(EPSILON, DOMAIN),
        LaplaceSelector=lambda: LaplaceSelector(EPSILON, 8, domain=PUBLIC),
        ExponentialSelector=lambda: ExponentialSelector(EPSILON, 8, domain=PUBLIC),
    ),
    *_of("table", False, Mondrian_median=lambda: Mondrian(5)),
    *_of(
        "baskets",
        True,
        GreedySelector=lambda: GreedySelector(5),
        GreedySelector_distcnt=lambda: GreedySelector(5, utility="distcnt"),
        GreedySelector_cm=lambda: GreedySelector(5, utility="cm", constraint="k-anonymity"),
        MaximalSelector=lambda: MaximalSelector(5),
        OptimalSelector=lambda: OptimalSelector(5),
        ItemGroups=lambda: ItemGroups(5),
        KmSelector=lambda: KmSelector(5),
        LaplaceSelector=lambda: LaplaceSelector(EPSILON, 10),
        ExponentialSelector=lambda: ExponentialSelector(EPSILON, 10),
        PrivateFwell=lambda: PrivateFwell(EPSILON, n_features=10),
    ),
    *_of(
        "baskets",
        False,
        RandomFlip=lambda: RandomFlip(5),
        DeltaSketch=lambda: DeltaSketch(0.3),
        VarianceSketch=lambda: VarianceSketch(5),
    ),
]


def protocols_of(shape: str) -> tuple[str, ...]:
    """Of baskets nothing is recoded: there `recoded` is `holdout`."""
    return tuple(name for name in PROTOCOLS if shape == "table" or name != "recoded")


def random_labels(random: np.random.Generator, rows: int) -> np.ndarray:
    return random.permutation(np.repeat(["no", "yes"], rows // 2))


def table(seed: int, rows: int = ROWS) -> Table:
    """Categories and numbers, each drawn by itself, and labels that depend on none of them."""
    random = np.random.default_rng([seed, 1])
    cells: dict[str, np.ndarray] = {f"c{j}": random.choice(CELLS, rows) for j in range(CATEGORIES)}
    cells |= {f"n{j}": random.integers(0, 100, rows) for j in range(NUMBERS)}
    return Table.of(cells | {"s": random.choice(CELLS, rows), "y": random_labels(random, rows)})


def baskets(seed: int, rows: int = ROWS, items: int = ITEMS) -> Baskets:
    """Items of every frequency from 2 to 20 in a hundred, and labels that depend on none of them."""
    random = np.random.default_rng([seed, 2])
    X = random.random((rows, items)) < random.uniform(0.02, 0.2, items)
    return Baskets.of(X.astype(np.uint8), random_labels(random, rows))


def run(seed: int, shape: str, chosen: list[Subject], protocol: str, jobs: int, cache: Path | None) -> dict:
    """The AUC of each method on one data set; the original table is among the methods."""
    data, roles = (table(seed), ROLES) if shape == "table" else (baskets(seed), None)
    methods = {subject.name: subject.make() for subject in chosen}
    asked: dict = {"protocol": protocol, "folds": FOLDS, "classifiers": CLASSIFIER, "random_state": seed}
    found = evaluate_utility(methods, data, roles, **asked, n_jobs=jobs, cache=cache)
    return {
        name: np.nan if found.refusal(name) else found.mean(name, CLASSIFIER, "auc").value for name in found.methods
    }


@dataclass(frozen=True)
class Line:
    """The mean AUC over the data sets with its family-wise interval; `sets` are those with a release in every fold."""

    shape: str
    name: str
    guided: bool
    protocol: str
    mean: float
    low: float
    high: float
    sets: int

    @property
    def is_half(self) -> bool:
        return self.low <= 0.5 <= self.high


def lines(subjects: list[Subject], sets: int, jobs: int = 1, cache: Path | None = None) -> list[Line]:
    """All methods under all protocols."""
    shapes = [shape for shape in ("table", "baskets") if any(subject.shape == shape for subject in subjects)]
    work = [(seed, shape, protocol) for seed in range(sets) for shape in shapes for protocol in protocols_of(shape)]
    found: dict[tuple[str, str, str], list[float]] = {}
    for seed, shape, protocol in track(work, "data sets"):
        chosen = [subject for subject in subjects if subject.shape == shape]
        for name, auc in run(seed, shape, chosen, protocol, jobs, cache).items():
            found.setdefault((shape, protocol, name), []).append(auc)
    return [*_judged(found, {(subject.shape, subject.name): subject.guided for subject in subjects})]


def _judged(found: dict, guided: dict) -> Iterator[Line]:
    t = float(stats.t.ppf(1 - 0.05 / (2 * len(found)), max(min(map(len, found.values())) - 1, 1)))
    for (shape, protocol, name), values in found.items():
        known = np.array([value for value in values if np.isfinite(value)])
        mean = float(known.mean())
        half = t * float(known.std(ddof=1)) / len(known) ** 0.5
        is_guided = name != ORIGINAL and guided[shape, name]
        yield Line(shape, name, is_guided, protocol, mean, mean - half, mean + half, len(known))
