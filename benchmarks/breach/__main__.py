# SPDX-License-Identifier: Apache-2.0
"""Prints the tables of this folder's README: the worked example on Pima, published beside ours; --study the others.

Needs the folder of the papers' data sets in DISCREET_DATA.
"""

from __future__ import annotations

import argparse

from benchmarks.breach import protocol, study
from benchmarks.breach.wrapper import Wrapper, best_first
from benchmarks.choice.protocol import published as published_choice
from discreet import BreachAwareSelector
from discreet.foundation.progress import show
from discreet.methods.breach.breach_aware_rankings import MeasuredSubset, categories, region

_CASES = {"sensitive": (False,), "same": (True,), "both": (False, True)}
_LAST = 0.01  # one in the last digit printed: the paper cuts off some figures and rounds others


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.breach", description=__doc__)
    options.add_argument("--study", choices=[*study.SETS], nargs="*", help="these data sets instead of the example")
    options.add_argument("--learners", nargs="*", default=["c45", "naive-bayes"])
    options.add_argument("--outer", type=int, default=5, help="folds of the nested evaluation; 0 leaves it out")
    options.add_argument("--case", choices=[*_CASES], default="both", help="the sensitive attribute, C = SA, or both")
    options.add_argument("--rows", type=int, help="so many rows at random, for a quicker look")
    asked = options.parse_args()
    if asked.study is not None:
        show()
        study.report(
            asked.study or [*study.SETS], asked.learners, outer=asked.outer, cases=_CASES[asked.case], rows=asked.rows
        )
        return
    _worked()
    _same_class()


def _worked() -> None:
    printed, pima = protocol.published(), protocol.pima()
    found = BreachAwareSelector("majority", enforce="filter").search_with(pima.measures)
    assert found.rankings is not None
    print("Pima, C4.5, sensitive attribute preg (7 or more), Weka's ten folds\n")
    for name, ours in (("PerfR", found.rankings.performance), ("PrivR", found.rankings.privacy)):
        print(f"{name}: {', '.join(ours)}{_same(list(ours) == printed['worked'][name])}")
    base = found.baseline
    print(f"baseline: {100 * base.performance:.2f} %{_agrees(100 * base.performance, printed['worked']['baseline'])}")
    print(f"breach increase of the bare guess (DistP_PBI): {100 * pima.measures.dist_pbi:.2f} %\n")
    print(_line("subset", "Perf", "ours", "p", "ours", "PBI", "ours", "region", "category", "agree"))
    print(_line(*["---"] * 10))
    of = {candidate.attributes: letter for candidate, letter in _lettered(found.candidates)}
    total = agree = 0
    for name, row in printed["worked"]["subsets"].items():
        subset = tuple(attribute for attribute in pima.attributes if attribute in row["attributes"])
        ours = pima.measures.of(subset)
        pairs = [(row["perf"], 100 * ours.performance), (row["p"], ours.p_value), (row.get("pbi"), 100 * ours.pbi)]
        fine = [abs(a - b) < (_LAST if a != row["p"] else 0.001) for a, b in pairs if a is not None]
        total, agree = total + len(fine), agree + sum(fine)
        cells = [f"{row['perf']:.2f}", f"{100 * ours.performance:.2f}", f"{row['p']}", f"{ours.p_value:.4f}"]
        cells += ["" if pairs[2][0] is None else f"{row['pbi']:.2f}", f"{100 * ours.pbi:.2f}"]
        put_back = subset not in of
        cells += ["put back" if put_back else region(ours, base), "" if put_back else of[subset]]
        print(_line(f"{name} {'_'.join(row['attributes'])}", *cells, f"{sum(fine)} of {len(fine)}"))
    print(f"\n{agree} of {total} figures agree. Candidates: {len(found.candidates)}, the baseline among them;"
          f" {len(found.chosen)} keep the breach increase of the bare guess.")  # fmt: skip
    _wrapper(pima, printed["wrapper"])


def _wrapper(pima: protocol.Pima, printed: dict) -> None:
    kept = best_first(Wrapper(pima.table, pima.attributes, pima.target), pima.attributes)
    subset = tuple(name for name in pima.attributes if name in kept)
    ours, breach = pima.measures.of(subset), pima.attack.of(subset)
    same = set(subset) == set(printed["attributes"])
    print(f"\nBest-first wrapper, privacy not looked at: {', '.join(subset)}{_same(same)}")
    print(f"performance {100 * ours.performance:.2f} %{_agrees(100 * ours.performance, printed['perf'])}")
    low, high = (100 * end for end in breach.pbi_interval)
    print(f"PBI {100 * ours.pbi:.2f} %{_agrees(100 * ours.pbi, printed['pbi'])}; 95 % from {low:.1f} to {high:.1f} %")


def _same_class() -> None:
    _, features, scores = protocol.same_class()
    rows = published_choice()["pima_c45"]["candidates"]
    base = protocol.mean_of_folds(scores, features)
    print("\nPima, C4.5, C = SA (Table 4): accuracy is the mean of the folds, PBI is accuracy on another scale\n")
    print(_line("subset", "Perf", "ours", "PBI", "ours", "category", "ours", "agree"))
    print(_line(*["---"] * 8))
    candidates = []
    for row in rows:
        names = features if row["name"] == "baseline" else tuple(row["name"].split("_"))
        perf = protocol.mean_of_folds(scores, names)
        candidates.append(MeasuredSubset(names, round(perf, 3), round(100 * (perf / base - 1), 3), 0.0))
    agree = 0
    for row, ours, letter in zip(rows, candidates, categories(candidates), strict=True):
        fine = abs(row["perf"] - ours.performance) < _LAST and abs(row["pbi"] - ours.pbi) < _LAST
        fine, agree = fine and letter == row["category"], agree + (fine and letter == row["category"])
        figures = [f"{row['perf']:.3f}", f"{ours.performance:.3f}", f"{row['pbi']:.3f}", f"{ours.pbi:.3f}"]
        print(_line(row["name"], *figures, row["category"], letter, "yes" if fine else "NO"))
    print(f"\n{agree} of {len(rows)} rows agree.")


def _lettered(candidates: list[MeasuredSubset]) -> list[tuple[MeasuredSubset, str]]:
    return list(zip(candidates, categories(candidates), strict=True))


def _agrees(ours: float, printed: float) -> str:
    return _same(abs(ours - printed) < _LAST, f"{printed:.2f}")


def _same(same: bool, printed: str = "") -> str:
    return f" ({'as published' if same else 'PUBLISHED OTHERWISE'}{f', {printed}' if printed else ''})"


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
