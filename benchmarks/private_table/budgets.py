# SPDX-License-Identifier: Apache-2.0
"""What is learnt from PrivateTable's rows at every budget, table by table, with the defaults.

python -m benchmarks.private_table.budgets [--seeds N] [--rows N] [--tables ...] [--epsilons ...]

Area under the ROC curve of logistic regression and of a random forest, learnt from synthetic rows of four fifths of the
table and tested on the other original rows (for more classes the mean of one against the rest). Only the public
interface is used, so that an earlier version can be measured with the same script (PYTHONPATH). Domains are read from
the rows, which is for studies alone. Rows of a person count as rows. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import OneHotEncoder

from discreet import PrivacyLeakWarning, PrivateTable, Roles, Table
from discreet.foundation.progress import show, track
from discreet.samples import load

TABLES = ("adult", "adult-14", "adult_arx", "diabetes130", "diabetes130-quasi", "german", "ilpd", "pima", "tic_tac_toe",
          "waveform", "wdbc")  # fmt: skip
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
LEARNERS = {
    "logistic": lambda: LogisticRegression(max_iter=200, tol=1e-3),
    "forest": lambda: RandomForestClassifier(100, random_state=0, min_samples_leaf=3),
}


def table_and_roles(name: str) -> tuple[Table, Roles]:
    sample = load("adult", quasi=14) if name == "adult-14" else load(name.removesuffix("-quasi"))
    roles = sample.roles
    others = () if name.endswith("-quasi") else (*roles.sensitive, *roles.other)
    return sample.data, Roles(target=roles.target, quasi=(*roles.quasi, *others))  # type: ignore[return-value]


def aucs(train: Table, test: Table, roles: Roles, learner: str) -> float:
    def cells(table: Table, name: str) -> np.ndarray:
        column = table.column(name)
        return np.array([*column.texts, ""], dtype=object)[column.codes]

    seen = {part: np.column_stack([cells(table, name) for name in roles.quasi]) for part, table in
            (("train", train), ("test", test))}  # fmt: skip
    labels = cells(train, str(roles.target))
    if len(set(labels)) < 2:
        return 0.5
    coder = OneHotEncoder(handle_unknown="ignore").fit(seen["train"])
    model = LEARNERS[learner]().fit(coder.transform(seen["train"]), labels)
    odds, true = model.predict_proba(coder.transform(seen["test"])), cells(test, str(roles.target))
    known = [(true == label, odds[:, place]) for place, label in enumerate(model.classes_) if (true == label).any()]
    return float(np.mean([roc_auc_score(truth, line) for truth, line in known]))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.private_table.budgets", description=__doc__.splitlines()[0]
    )  # type: ignore[union-attr]
    parser.add_argument(
        "--seeds",
        type=int,
        default=3,
        help="splits, each with noise of its own; three times as many for up to 5,000 rows",
    )
    parser.add_argument(
        "--rows", type=int, default=10_000, help="most rows that a classifier learns from, or is tested on"
    )
    parser.add_argument("--tables", nargs="+", default=TABLES)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--learners", nargs="+", choices=list(LEARNERS), default=["logistic"])
    asked = parser.parse_args()
    show()
    for kind in (PrivacyLeakWarning, ConvergenceWarning):
        warnings.simplefilter("ignore", kind)
    print("| table | learner | " + " | ".join(f"epsilon {epsilon:g}" for epsilon in asked.epsilons) + " |")
    print("|---|---|" + "---:|" * len(asked.epsilons))
    for name in track(asked.tables, "tables"):
        table, roles = table_and_roles(name)
        found: dict[str, list[str]] = {learner: [] for learner in asked.learners}
        for epsilon in asked.epsilons:
            scores = []
            for seed in range(asked.seeds * (3 if len(table) <= 5000 else 1)):
                order = np.random.default_rng(seed).permutation(len(table))
                train, test = (
                    table.take(order[: len(order) * 4 // 5]),
                    table.take(order[len(order) * 4 // 5 :][: asked.rows]),
                )
                drawn = PrivateTable(epsilon, random_state=seed).simulate(train, roles)
                some = drawn.table.take(np.arange(min(asked.rows, len(drawn.table))))  # they are in random order
                scores.append([aucs(some, drawn.recode(test), roles, learner) for learner in asked.learners])
            for learner, mean in zip(asked.learners, np.mean(scores, axis=0), strict=True):
                found[learner].append(f"{mean:.3f}")
        for learner, cells in found.items():
            print(f"| {name} | {learner} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
