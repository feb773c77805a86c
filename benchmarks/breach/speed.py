# SPDX-License-Identifier: Apache-2.0
"""Seconds of the generation of candidates on Adult, beside the same procedure with scikit-learn's `cross_val_score`.

python -m benchmarks.breach.speed --every 6      scikit-learn measures every sixth of the subsets that ours measured

Both rankings, C and SA, ten folds. scikit-learn: categories one-hot and numbers as they are, a DecisionTreeClassifier
with leaves of two rows or GaussianNB, in one process. "dense" codes the columns once, as a dense matrix; "pipeline" is
the pipeline of its manual, a ColumnTransformer with OneHotEncoder, which is sparse. Seconds are those by the clock,
where ours uses all cores, and those of the processor, all threads together. With --every 1 the whole procedure is run.
"""

from __future__ import annotations

import argparse
import time
from typing import NamedTuple

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.breach import study
from discreet.data.column import Column
from discreet.data.table import Table
from discreet.learning.encoding import one_hot
from discreet.methods.breach.breach_aware_measures import Measures
from discreet.methods.breach.breach_aware_rankings import MeasuredSubset

RIVALS = {"c45": lambda: DecisionTreeClassifier(min_samples_leaf=2), "naive-bayes": GaussianNB}


class Recorded:
    """Measures that remember which subsets were asked for."""

    def __init__(self, measures: Measures):
        self._measures, self.asked = measures, dict[tuple[str, ...], None]()
        self.attributes, self.baseline, self.dist_pbi = measures.attributes, measures.baseline, measures.dist_pbi

    def learn(self, subsets) -> None:
        self._measures.learn(subsets)

    def of(self, subset: tuple[str, ...]) -> MeasuredSubset:
        self.asked[subset] = None
        return self._measures.of(subset)


def encoded(column: Column) -> np.ndarray:
    if column.kind == "category":
        return one_hot(column.codes, column.levels).toarray()
    return np.append(column.numbers, 0.0)[column.codes][:, None]


def dense(table: Table, target: str, subset: tuple[str, ...], learner: str) -> None:
    matrix = np.hstack([encoded(column) for column in table.columns(subset)])
    cross_val_score(RIVALS[learner](), matrix, table.column(target).codes, cv=10)


def pipeline(table: Table, target: str, subset: tuple[str, ...], learner: str) -> None:
    frame = table.select(subset).to_arrow().to_pandas()
    texts = [column.name for column in table.columns(subset) if column.kind == "category"]
    coding = ColumnTransformer(
        [("texts", OneHotEncoder(handle_unknown="ignore", sparse_output=learner != "naive-bayes"), texts)],
        remainder="passthrough",
        sparse_threshold=1.0 if learner != "naive-bayes" else 0.0,
    )
    cross_val_score(make_pipeline(coding, RIVALS[learner]()), frame, table.column(target).codes, cv=10)


WAYS = {"dense": dense, "pipeline": pipeline}


class Spent(NamedTuple):
    """Seconds by the clock, and of the processor, all threads together."""

    clock: float = 0.0
    processor: float = 0.0

    @classmethod
    def now(cls) -> Spent:
        return cls(time.perf_counter(), time.process_time())

    def __add__(self, other: Spent) -> Spent:  # type: ignore[override]
        return Spent(self.clock + other.clock, self.processor + other.processor)

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.clock - other.clock, self.processor - other.processor)

    def __mul__(self, times: float) -> Spent:  # type: ignore[override]
        return Spent(self.clock * times, self.processor * times)


def compared(ours: Spent, theirs: Spent) -> str:
    by_clock, by_processor = theirs.clock / ours.clock, theirs.processor / ours.processor
    return (
        f"clock {ours.clock:.1f} s, scikit-learn {theirs.clock:.1f} s, ratio {by_clock:.1f};"
        f" processor {ours.processor:.1f} s, scikit-learn {theirs.processor:.1f} s, ratio {by_processor:.1f}"
    )


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.breach.speed", description=__doc__)
    options.add_argument("--every", type=int, default=1)
    options.add_argument("--way", choices=[*WAYS], default="dense")
    options.add_argument("--learners", nargs="*", default=["naive-bayes", "c45"])
    asked = options.parse_args()
    table, roles = study.load("adult")
    (sensitive,) = roles.sensitive
    all_ours, all_theirs = Spent(), Spent()
    for learner in asked.learners:
        method = study.selector("adult", learner, study.WEIGHTS[0], same=False)
        method.search_with(method.measures(table.take(np.arange(500)), roles))  # compiled
        start = Spent.now()
        measures = Recorded(method.measures(table, roles))
        found = method.search_with(measures)  # type: ignore[arg-type]
        ours = Spent.now() - start
        subsets = list(measures.asked)
        start, some = Spent.now(), subsets[:: asked.every]
        for subset in some:
            for target in (roles.target, sensitive):
                WAYS[asked.way](table, target, subset, learner)  # type: ignore[arg-type]
        theirs = (Spent.now() - start) * (len(subsets) / len(some))
        all_ours, all_theirs = all_ours + ours, all_theirs + theirs
        what = f"{learner}: {len(subsets)} subsets, {len(found.candidates)} candidates, {asked.way} from {len(some)}"
        print(f"{what}; {compared(ours, theirs)}", flush=True)
    print(f"together; {compared(all_ours, all_theirs)}")


if __name__ == "__main__":
    main()
