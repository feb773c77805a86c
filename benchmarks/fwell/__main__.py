# SPDX-License-Identifier: Apache-2.0
"""Prints the studies of the FWELL paper: accuracy against epsilon, and against the number of features.

Each cell: accuracy of 3-NN, of the linear SVM, and the share of Fwell's features that were kept. Needs the folder of
the papers' data sets in DISCREET_DATA; --quick runs on rows that are made up.
"""

from __future__ import annotations

import argparse

from benchmarks.fwell import protocol
from benchmarks.reproduction.published import read

EPSILONS = (10.0, 1.0, 0.1, 0.01, 1e-8)
SHARES = (0.05, 0.2, 0.5)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.fwell", description=__doc__)
    options.add_argument("--quick", action="store_true", help="made-up rows, two folds")
    options.add_argument("--data", choices=[*protocol.DATA], nargs="*", default=[*protocol.DATA])
    options.add_argument("--study", choices=["epsilon", "features"], nargs="*", default=["epsilon", "features"])
    rows = [*protocol.PLAIN, *protocol.PRIVATE]
    options.add_argument("--weights", choices=rows, nargs="*", default=rows, help="rows of the tables (default all)")
    options.add_argument("--draws", type=int, default=1, help="of noise for each fold (default 1)")
    options.add_argument("--epsilon", type=float, default=0.01, help="of the second study (the paper's: 0.01)")
    asked = options.parse_args()
    if asked.quick:
        _study("made up", *protocol.made_up(), "", [(1.0, 2), (0.01, 2)], asked.weights, folds=2)
        return
    printed = read("fwell")
    sizes = {name: f"{row['samples']} x {row['features']}" for name, row in printed.of("Table I").items()}
    for statement in printed.statements:
        print(f'{statement.name}: "{statement.says}"')
    for name in asked.data:
        X, y = protocol.DATA[name]()
        d, size = X.shape[1], sizes.get(name, f"{sizes['lung']}, of which this is a stand-in")
        if "epsilon" in asked.study:
            cells = [(epsilon, max(1, d // 10)) for epsilon in EPSILONS]
            _study(name, X, y, size, cells, asked.weights, draws=asked.draws)
        if "features" in asked.study:
            counts = sorted({max(1, round(d * share)) for share in SHARES})
            cells = [(asked.epsilon, kept) for kept in counts]
            _study(name, X, y, size, cells, asked.weights, draws=asked.draws)


def _study(
    name: str, X, y, published: str, cells: list[tuple[float, int]], rows: list[str], folds: int = 10, draws: int = 1
) -> None:
    n, d = X.shape
    beside = f" (published: {published})" if published else ""
    print(f"\n{name}: {n} x {d}{beside}, {(y == 1).mean():.0%} of class 1; {folds} folds, {draws} draws")
    print("3-NN, SVM, share of Fwell's features\n")
    print(_line("weights", *(f"epsilon {epsilon:g}, {kept} features" for epsilon, kept in cells)))
    print(_line(*["---"] * (len(cells) + 1)))
    parts = protocol.folds_of(X, y, folds)
    for row, weigh in _asked(protocol.PLAIN, rows):
        times = draws if row == protocol.ANY else 1
        found = {kept: protocol.evaluate(weigh, parts, 1.0, kept, times).text for kept in {kept for _, kept in cells}}
        print(_line(row, *(found[kept] for _, kept in cells)), flush=True)
    for row, weigh in _asked(protocol.PRIVATE, rows):
        texts = (protocol.evaluate(weigh, parts, epsilon, kept, draws).text for epsilon, kept in cells)
        print(_line(row, *texts), flush=True)


def _asked(methods: dict[str, protocol.Weigh], rows: list[str]) -> list[tuple[str, protocol.Weigh]]:
    return [(row, weigh) for row, weigh in methods.items() if row in rows]


def _line(*cells: str) -> str:
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
