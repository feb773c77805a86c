# SPDX-License-Identifier: Apache-2.0
"""Does one method beat the others? The paper's tests on areas: Friedman as adjusted, then Bonferroni and Dunn.

Cases are the data sets, by each classifier alone; or data sets and classifiers together, which are more cases, but not
independent ones. kADET is a tree and no table: it is compared where the classifier is C4.5, as in the paper. A method
beats all others when Friedman's test rejects at 5 % that all are equal, and all mean ranks are worse by the critical
difference or more. Beside them Wilcoxon's signed ranks, pair by pair, with Holm's correction, at 5 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.reproduction.published import read
from benchmarks.trees.losses import NAMES
from discreet.evaluate.statistics import friedman, signed_ranks

Areas = dict[tuple[str, str, str], float]  # by data set, classifier and method
SAID = {"c45": "C4.5", "part": "PART", "naive-bayes": "Naïve Bayes", "logistic": "Logistics R."}
CLAIMS = (
    ("kACTUS-2", ("TDS", "TDR", "kADET", "kACTUS")),
    ("TreeLadder", ("TDS", "TDR", "kADET", "kACTUS", "kACTUS-2", "Mondrian, information")),
)
HEADINGS = (
    "method", "classifier", "cases", "mean ranks", "p", "critical difference", "beaten", "beats all",
    "beaten by signed ranks",
)  # fmt: skip


def of_the_paper(ranges: dict[str, int]) -> Areas:
    """Table 1 of the paper as mean accuracies: areas divided by the range of k."""
    found = {}
    for row, values in read("trees").of("Table 1").items():
        name, _, said = row.partition(", ")
        learner = next(learner for learner, words in SAID.items() if words == said)
        for method, value in values.items():
            if value != "":
                found[NAMES[name], learner, method] = float(value) / ranges[NAMES[name]] / 100
    return found


def verdicts(areas: Areas) -> Iterator[tuple]:
    """A line of the table for each claim whose methods were all measured, by classifier and over all of them."""
    for control, others in CLAIMS:
        met = {method for *_, method in areas}
        if control not in met or len(others := tuple(method for method in others if method in met)) < 2:
            continue
        learners = [learner for learner in SAID if any(key[1] == learner for key in areas)]
        for learner in [*learners, None]:
            methods = (control, *(m for m in others if m != "kADET" or learner == "c45"))
            cases = [key for key in _cases(areas) if learner in (None, key[1])]
            table = [[areas[*case, method] for method in methods] for case in cases]
            if len(table) > 1:
                yield (control, learner or "all", len(cases), *_verdict(table, methods))


def _cases(areas: Areas) -> list[tuple[str, str]]:
    return list(dict.fromkeys((data, learner) for data, learner, _ in areas))


def _verdict(table: Sequence[Sequence[float]], methods: Sequence[str]) -> tuple:
    test = friedman(np.round(table, 6))
    critical = test.critical_difference(control=True)
    beaten = [m for m, rank in zip(methods, test.ranks, strict=True) if rank - test.ranks[0] >= critical]
    order = sorted(zip(test.ranks, methods, strict=True))
    ranks = ", ".join(f"{method} {rank:.2f}" for rank, method in order)
    yes = test.p < 0.05 and len(beaten) == len(methods) - 1
    ahead = np.median(np.subtract(np.array(table)[:, :1], table), axis=0)[1:] > 0
    by_pairs = [
        f"{method} {p:.2g}"
        for method, better, p in zip(methods[1:], ahead, signed_ranks(np.round(table, 6)), strict=True)
        if better and p < 0.05
    ]
    found = (", ".join(beaten) or "none", "yes" if yes else "no", ", ".join(by_pairs) or "none")
    return ranks, f"{test.p:.2g}", f"{critical:.2f}", *found
