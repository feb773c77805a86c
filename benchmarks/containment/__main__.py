# SPDX-License-Identifier: Apache-2.0
"""Prints Tables 5 and 6: published, ours under the paper's protocol, ours under the honest one.

Needs the folder of the papers' data sets in DISCREET_DATA; --quick runs on rows that are made up.
"""

from __future__ import annotations

import argparse
import time
from functools import partial

from benchmarks.containment import adult, protocol
from benchmarks.containment.reproduce import blocks
from benchmarks.reproduction.page import chapter, paper_of
from benchmarks.reproduction.published import read

DATA = {"email": protocol.email, "adult": adult.adult}
TABLES = {"email": "Table 6", "adult": "Table 5"}


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.containment", description=__doc__)
    options.add_argument("--quick", action="store_true", help="made-up rows, k = 5, two folds")
    options.add_argument("--data", choices=[*DATA], nargs="*", default=[*DATA])
    options.add_argument("--methods", nargs="*", help="rows to print; all of them if none are named")
    options.add_argument("--k", type=int, nargs="*", default=[5, 8, 11])
    options.add_argument("--seed", type=int, default=0, help="of the folds")
    options.add_argument("--codings", action="store_true", help="only: what depends on how Adult is coded")
    options.add_argument("--measured", action="store_true", help="only print what `discreet reproduce` has measured")
    asked = options.parse_args()
    if asked.measured:
        found = chapter(paper_of("containment")).found
        for name in asked.data:
            print(f"\n{name}\n{blocks(found)[TABLES[name]]()}")
        return
    if asked.quick:
        _table("made up", protocol.made_up(), {}, ["HamDist", "DistCnt, skip", "Optimal, auc"], [5], 2, 0)
        return
    if asked.codings:
        _codings(asked.k)
        return
    printed = read("containment")
    for name in asked.data:
        figures = printed.of(TABLES[name])
        _table(name, DATA[name](), figures, asked.methods or [*protocol.methods()], asked.k, 5, asked.seed)


def _table(name: str, baskets, figures: dict, rows: list[str], ks: list[int], folds: int, seed: int) -> None:
    n, d = baskets.shape
    print(f"\n{name}: {n} x {d}, {baskets.matrix.nnz / n / d:.1%} ones; {folds} folds, seed {seed}")
    print("AUC (features kept, or share of cells flipped)\n")
    print(_line("method", "k", "published", "the paper's protocol", "honest protocol", "seconds"))
    print(_line(*["---"] * 6))
    whole = protocol.as_published(None, baskets, folds, seed)
    print(_line("all features", "", _figure(figures, "Full-Feature-Set", ""), whole.text, whole.text, ""))
    makers = protocol.methods()
    for row in rows:
        for k in ks:
            start, make = time.perf_counter(), partial(makers[row], k)
            results = (run(make, baskets, folds, seed) for run in (protocol.as_published, protocol.honest))
            texts = ["none fits" if result is None else result.text for result in results]
            seconds = f"{time.perf_counter() - start:.0f}"
            print(_line(row, str(k), _figure(figures, row, f"k={k} "), *texts, seconds), flush=True)


def _codings(ks: list[int]) -> None:
    print("Adult, logistic regression: share of the AUC with all 19 columns that the selected set keeps\n")
    print(_line("coding", "ones", "all 19", "k", "AC-maximal sets", "the paper's protocol", "honest", "ceiling"))
    print(_line(*["---"] * 8))
    for name, coding in adult.CODINGS.items():
        baskets = adult.adult(coding)
        ones = baskets.matrix.nnz / baskets.shape[0] / baskets.shape[1]
        for k in ks:
            found = adult.sensitivity(baskets, k)
            shares = (f"{share:.2%}" for share in (found.published, found.honest, found.ceiling))
            print(_line(name, f"{ones:.1%}", f"{found.full:.4f}", str(k), str(found.sets), *shares), flush=True)


def _figure(figures: dict, row: str, column: str) -> str:
    found = figures.get(row)
    if found is None:
        return ""
    size = f"{found[f'{column}flipped %']}%" if f"{column}flipped %" in found else found[f"{column}features"]
    return f"{found[f'{column}AUC']} ({size})"


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
