# SPDX-License-Identifier: Apache-2.0
"""What is learnt from PrivateTable's rows at every budget, table by table, with the defaults.

python -m benchmarks.private_table.budgets [--seeds N] [--rows N] [--tables ...] [--epsilons ...] [--width N]
                                                [--original] [--learners NAME ...] [--empty]

Area under the ROC curve of logistic regression and of a random forest, learnt from synthetic rows of four fifths of the
table and tested on the other original rows (for more classes the mean of one against the rest). Domains are read from
the rows, which is for studies alone; adult_arx-public has the public one of this benchmark. diabetes130-visit asks
whether a patient comes back at all, by 17 columns about the visit. Rows of a person count as rows. `--original` adds
what is learnt from as many original rows in the same form. "columns" and "pairs" among the learners are how far the
synthetic rows are from those that they are made of, in total variation: of each column, and of each pair (the target
is a column; of more than 60 pairs as many by lot). With `--empty` every column has an empty cell, as domains have that
do not say otherwise. Needs DISCREET_DATA, but for `--tables unseen`: twelve
tables of public collections, the half of benchmarks/frontier/unseen.py that may be looked at; no part of the method was
set by them.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from itertools import combinations

import numpy as np
import pyarrow as pa
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import OneHotEncoder

from benchmarks.frontier.unseen import STUDY
from benchmarks.private_table.__main__ import public_domain
from discreet import PrivacyLeakWarning, PrivateTable, Roles, Table
from discreet.data.column import encode
from discreet.foundation.progress import show, track
from discreet.recoding.public_domain import Domain
from discreet.samples import load

TABLES = ("adult", "adult-14", "adult_arx", "diabetes130", "diabetes130-quasi", "diabetes130-visit", "german", "ilpd",
          "pima", "tic_tac_toe", "waveform", "wdbc")  # fmt: skip
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0)
PAIRS = 60  # of columns whose variation is looked at
MANY = 20  # distinct numbers above which `--width` cuts a column
LEARNERS = {
    "logistic": lambda: LogisticRegression(max_iter=200, tol=1e-3),
    "forest": lambda: RandomForestClassifier(100, random_state=0, min_samples_leaf=3),
}


VISIT = (
    "race", "gender", "age", "admission_type_id", "time_in_hospital", "num_lab_procedures", "num_procedures",
    "num_medications", "number_outpatient", "number_emergency", "number_inpatient", "number_diagnoses", "max_glu_serum",
    "A1Cresult", "insulin", "change", "diabetesMed",
)  # fmt: skip


def table_and_roles(name: str) -> tuple[Table, Roles]:
    if name in STUDY:
        return STUDY[name][0]()
    if name == "diabetes130-visit":
        table = load("diabetes130").data
        label = table.column("readmitted")  # type: ignore[union-attr]
        again = pa.array(["no" if text == "NO" else "yes" for text in np.array(label.texts)[label.codes]])
        columns = [*table.columns(VISIT), encode("readmitted", again, kind="category")]  # type: ignore[union-attr]
        return Table(columns), Roles(target="readmitted", quasi=VISIT)
    sample = (
        load("adult", quasi=14) if name == "adult-14" else load(name.removesuffix("-quasi").removesuffix("-public"))
    )
    roles = sample.roles
    others = () if name.endswith("-quasi") else (*roles.sensitive, *roles.other)
    quasi = tuple(one for one in (*roles.quasi, *others) if one != roles.target)  # a target may be sensitive, too
    return sample.data, Roles(target=roles.target, quasi=quasi)  # type: ignore[return-value]


def domain_of(name: str, table: Table, roles: Roles, width: int) -> dict[str, dict[str, list]] | None:
    """The domain to use; None for the one that the method reads from the rows."""
    if name.endswith("-public"):
        return public_domain(roles)
    if not width:
        return None
    domain: dict[str, dict] = {}
    for column in map(table.column, roles.published):
        if column.kind == "number" and len(column.texts) > MANY:
            ends = np.asarray(column.numbers, dtype=float)
            domain[column.name] = {"cuts": np.linspace(np.nanmin(ends), np.nanmax(ends), width + 1)[1:-1].tolist()}
        else:
            domain[column.name] = {"values": [text for text in column.texts if text]}
    return domain


def with_empty_cells(table: Table, roles: Roles) -> dict[str, dict[str, list]]:
    """The domain that the method would read from the rows, but that each column has an empty cell."""
    read = Domain.from_data(table, roles).plain
    return {name: one | {"missing": name != roles.target} for name, one in read.items()}


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


def variation(drawn: Table, true: Table, roles: Roles, learner: str) -> float:
    """The mean total variation of the columns, or of pairs of them."""
    names = roles.published if learner == "columns" else ()
    pairs = list(combinations(roles.published, 2)) if learner == "pairs" else [(name,) for name in names]
    some = np.random.default_rng(0).permutation(len(pairs))[:PAIRS] if learner == "pairs" else range(len(pairs))

    def shares(table: Table, group: tuple[str, ...]) -> Counter[tuple[str | None, ...]]:
        cells = [np.array([*table.column(n).texts, ""], dtype=object)[table.column(n).codes] for n in group]
        return Counter({key: count / len(table) for key, count in Counter(zip(*cells, strict=True)).items()})

    def apart(group: tuple[str, ...]) -> float:
        one, other = shares(drawn, group), shares(true, group)
        return sum(abs(one[key] - other[key]) for key in one.keys() | other.keys()) / 2

    return float(np.mean([apart(pairs[place]) for place in some]))


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
    parser.add_argument("--learners", nargs="+", choices=[*LEARNERS, "columns", "pairs"], default=["logistic"])
    parser.add_argument(
        "--width", type=int, default=0, help="intervals of equal width for numbers; 0: of equal frequency"
    )
    parser.add_argument("--empty", action="store_true", help="an empty cell for every column")
    parser.add_argument("--original", action="store_true", help="learn from original rows, too")
    asked = parser.parse_args()
    show()
    for kind in (PrivacyLeakWarning, ConvergenceWarning):
        warnings.simplefilter("ignore", kind)
    heads = [f"epsilon {epsilon:g}" for epsilon in asked.epsilons] + ["original rows"] * asked.original
    print("| table | learner | " + " | ".join(heads) + " |")
    print("|---|---|" + "---:|" * len(heads))
    for name in track([*STUDY] if asked.tables == ["unseen"] else asked.tables, "tables"):
        table, roles = table_and_roles(name)
        domain = domain_of(name, table, roles, asked.width)
        if asked.empty:
            domain = with_empty_cells(table, roles)
        found: dict[str, list[str]] = {learner: [] for learner in asked.learners}
        for epsilon in (*asked.epsilons, *[None] * asked.original):
            scores = []
            for seed in range(asked.seeds * (3 if len(table) <= 5000 else 1)):
                order = np.random.default_rng(seed).permutation(len(table))
                train, test = (
                    table.take(order[: len(order) * 4 // 5]),
                    table.take(order[len(order) * 4 // 5 :][: asked.rows]),
                )
                drawn = PrivateTable(epsilon or 1.0, domain, random_state=seed).simulate(train, roles)
                learnt = drawn.recode(train) if epsilon is None else drawn.table
                some = learnt.take(np.arange(min(asked.rows, len(learnt))))  # they are in random order
                true, tested = drawn.recode(train), drawn.recode(test)
                scores.append(
                    [
                        aucs(some, tested, roles, one) if one in LEARNERS else variation(drawn.table, true, roles, one)
                        for one in asked.learners
                    ]
                )
            for learner, mean in zip(asked.learners, np.mean(scores, axis=0), strict=True):
                found[learner].append(f"{mean:.3f}")
        for learner, cells in found.items():
            print(f"| {name} | {learner} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
