# SPDX-License-Identifier: Apache-2.0
"""Accuracy of classifiers that learn from PrivateTable's rows, on adult_arx: 30,162 rows, eight quasi-identifiers.

Five folds. The method sees the training rows alone, and all nine columns go through the noise, the label too. Logistic
regression, random forest and decision tree learn from the synthetic rows and are tested on the original held-out rows,
in the public bins. Noise is simulated with seeds, so the figures are repeatable and no budget is spent.

The domain is public: the values of ARX's hierarchy files, and for age cuts at 20, 25, ..., 70. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
import tomllib
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import t as student

from discreet import PrivacyLeakWarning, PrivateTable, Roles, Table
from discreet.foundation.progress import show, track
from discreet.learning.classifiers import CLASSIFIERS, examples_for
from discreet.learning.cross_validation import kfold, score_on
from discreet.samples import data_file, load

LEARNERS = ("logistic", "forest", "tree")
ASKED = [(neighbours, epsilon, delta) for neighbours in ("replace-one", "add-remove") for delta in (0.0, 1e-5)
         for epsilon in (1.0, 2.0)]  # fmt: skip


def public_domain(roles: Roles) -> dict[str, dict]:
    """Values and cuts that are known without the rows. Every cell is known to have one of them."""
    domain = {}
    for name in roles.published:
        lines = data_file(f"adult_arx/adult_hierarchy_{name}.csv").read_text(encoding="utf-8").splitlines()
        domain[name] = {"values": [line.split(";")[0] for line in lines], "missing": False}
    domain["age"] = {"cuts": list(range(20, 71, 5)), "missing": False}
    return domain


def learn(train: Table, test: Table, roles: Roles) -> list[float]:
    """The accuracy of each learner."""
    found = []
    for name in LEARNERS:
        model = CLASSIFIERS[name]()
        model.fit(examples_for(model, train, list(roles.quasi), str(roles.target)))
        found.append(score_on(model, test, str(roles.target)).accuracy)
    return found


def interval(scores: np.ndarray) -> float:
    """Half of the 95 % interval of a mean, by Student's t over folds and seeds."""
    return float(student.ppf(0.975, len(scores) - 1) * scores.std(ddof=1) / np.sqrt(len(scores)))


def line(*cells: object) -> str:
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.private_table", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--seeds", type=int, default=2, help="draws of the noise for each fold (default 2)")
    parser.add_argument("--folds", type=int, default=5)
    asked = parser.parse_args()
    show()
    sample = load("adult_arx")
    table, roles = sample.data, sample.roles
    assert isinstance(table, Table)
    assert roles is not None
    domain = public_domain(roles)
    folds = kfold(len(table), 5, 0, labels=table.column(str(roles.target)).codes)[: asked.folds]
    rivals = tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))["accuracy"]
    print(line("neighbours", "epsilon", "delta", "best", "±", "by", *LEARNERS, "ARX, label not covered"))
    print(line(*["---"] * (7 + len(LEARNERS))))

    def score(method: PrivateTable | None) -> np.ndarray:
        found = []
        for fold in folds:
            train, test = table.take(fold.train), table.take(fold.test)
            coder = (method or PrivateTable(1.0, domain, random_state=0)).simulate(train, roles)
            found.append(learn(coder.recode(train) if method is None else coder.table, coder.recode(test), roles))
        return np.array(found)

    def show_line(head: tuple, scores: np.ndarray, rival: object) -> None:
        means = scores.mean(axis=0)
        best = int(means.argmax())
        each = [f"{mean:.4f}" for mean in means]
        print(line(*head, each[best], f"{interval(scores[:, best]):.4f}", LEARNERS[best], *each, rival), flush=True)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        show_line(("original rows, in the bins", "", ""), score(None), "")
        for neighbours, epsilon, delta in track(ASKED, "budgets"):
            seeds = [
                PrivateTable(epsilon, domain, delta=delta, neighbours=neighbours, random_state=seed)
                for seed in range(asked.seeds)
            ]
            theirs = next((r["accuracy"] for r in rivals if r["epsilon"] == epsilon), "")
            show_line((neighbours, epsilon, delta), np.concatenate([score(method) for method in seeds]), theirs)


if __name__ == "__main__":
    main()
