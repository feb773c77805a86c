# SPDX-License-Identifier: Apache-2.0
"""Prints what TDS and TDR as published make of adult_arx (30,162 rows, eight quasi-identifiers, label salary-class).

For each k, with ARX's hierarchies and with automatic ones: how many labels of each column are in the cut that is found,
in how many steps, how many of the steps cost nothing by the score (AnonyLoss is zero once a small group exists), the
share of suppressed cells, and the accuracy of the best of logistic regression, random forest and decision tree, held
out: the method sees the training rows of 5 folds alone. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
from itertools import pairwise

from benchmarks.trees.arx import KS, LEARNERS, arx_hierarchies, held_out, line
from discreet import Release, Table, TopDownRefinement, TopDownSpecialization
from discreet.foundation.progress import show, track
from discreet.learning.cross_validation import kfold
from discreet.samples import load

METHODS = {"TDS": TopDownSpecialization, "TDR": TopDownRefinement}


def free_steps(release: Release, rows: int) -> int:
    """Steps that left the smallest group as it was."""
    smallest = [rows, *(step["smallest groups"][0] for step in release.owner.trace)]
    return sum(after == before for before, after in pairwise(smallest))


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.trees.specialise", description=__doc__)
    options.add_argument("--k", type=int, nargs="+", default=list(KS))
    options.add_argument("--folds", type=int, default=5, help="how many of the 5 folds are tested on")
    asked = options.parse_args()
    show()
    sample = load("adult_arx")
    table, roles = sample.data, sample.roles
    assert isinstance(table, Table)
    assert roles is not None
    folds = kfold(len(table), 5, 0, labels=table.column(str(roles.target)).codes)[: asked.folds]
    out = [
        line("method", "trees", "k", *roles.quasi, "steps", "free", "suppressed", "held out", "best by"),
        line(*["---"] * (len(roles.quasi) + 8)),
    ]
    cases = [(name, trees, k) for name in METHODS for trees in ("ARX's", "automatic") for k in asked.k]
    for name, trees, k in track(cases, "releases"):
        given = arx_hierarchies() if trees == "ARX's" else None
        parameters = {"hierarchies": given, "recoding": "global", "random_state": 0}

        def make(name=name, k=k, parameters=parameters):
            return METHODS[name](k, **parameters)

        release = make().release(table, roles)
        labels = [len(column.values) + column.has_missing for column in release.table.columns(roles.quasi)]
        scores = held_out(make, table, roles, folds).mean(axis=0)
        lost = f"{release.losses.information_loss:.2f}"
        found = (lost, f"{scores.max():.4f}", LEARNERS[int(scores.argmax())])
        out.append(line(name, trees, k, *labels, len(release.owner.trace), free_steps(release, len(table)), *found))
    print("\n".join(out))


if __name__ == "__main__":
    main()
