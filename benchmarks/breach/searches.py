# SPDX-License-Identifier: Apache-2.0
"""E(S) at each step (the paper's future work) beside the elimination down the rankings, with equal weights.

python -m benchmarks.breach.searches                     Pima and ILPD, C4.5 and naive Bayes
python -m benchmarks.breach.searches adult --learners naive-bayes --outer 0

Every search chooses by the same score among what it found. "place" is that of its choice by E(S) among all subsets that
any search of the table has found. Nested as in the study. Needs the folder of the papers' data sets in DISCREET_DATA.
"""

from __future__ import annotations

import argparse

from benchmarks.breach.study import SETS, WEIGHTS, line, load, measured, names_of, nested, selector
from discreet.choose.e_score import evaluation
from discreet.foundation.progress import show
from discreet.methods.breach.breach_aware_rankings import merged

WAYS = tuple((search, score) for search in ("ranked", "forward", "backward", "floating") for score in ("rank", "value"))
TITLES = ("search", "score", "subset", "Perf", "PBI", "measured", "place", "nested Perf", "nested PBI")


def report(name: str, learner: str, outer: int) -> None:
    """Print the table of one data set and learner, C != SA."""
    table, roles = load(name)
    methods = [
        selector(name, learner, WEIGHTS[0], same=False).set_params(search=search, score=score) for search, score in WAYS
    ]
    found, counts = [], []
    for method in methods:  # measures of its own, so that each is counted what it asked for
        measures = measured(method, table, roles)
        found.append(method.search_with(measures))
        counts.append(measures.measured)
    among = found[0].candidates
    for other in found[1:]:
        among = merged(among, other.candidates)
    values = ([c.performance for c in among], [c.pbi for c in among], [c.size for c in among])
    places = [among[number].attributes for number in evaluation(*values, WEIGHTS[0]).order]
    apart = [tested.cells for tested in nested(methods, table, roles, outer)[1]] if outer else [["", ""]] * len(methods)
    print(f"\n{name}, {learner}, {len(table):,} rows, sensitive: {SETS[name].sensitive}; {len(among)} subsets found\n")
    print(line(*TITLES))
    print(line(*["---"] * len(TITLES)))
    for way, result, count, cells in zip(WAYS, found, counts, apart, strict=True):
        best = result.chosen[0]
        place = places.index(best.attributes) + 1
        shown = [names_of(best.attributes), f"{100 * best.performance:.2f}", f"{100 * best.pbi:.2f}"]
        print(line(*way, *shown, str(count), str(place), *cells), flush=True)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.breach.searches", description=__doc__)
    options.add_argument("sets", nargs="*", default=["pima", "ilpd"], help=f"of {', '.join(SETS)}")
    options.add_argument("--learners", nargs="*", default=["c45", "naive-bayes"])
    options.add_argument("--outer", type=int, default=5, help="folds of the nested evaluation; 0 leaves it out")
    asked = options.parse_args()
    show()
    for name in asked.sets:
        for learner in asked.learners:
            report(name, learner, asked.outer)


if __name__ == "__main__":
    main()
