# SPDX-License-Identifier: Apache-2.0
"""Estimates of unique persons, divided by the truth: each table is the population, samples of it are drawn.

Prints, for every table, set of quasi-identifiers and sampling fraction, the share of the population that is unique, the
mean estimate of each model divided by the truth, and that of the model which the rule chooses. 1 is right, 2 says twice
as many. Ends with the mean size of the error, |log2 estimate / truth|, by model. Needs DISCREET_DATA for all but the
made-up people.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict

import numpy as np

from discreet.data.table import Table
from discreet.risk import SampledGroups, estimate_uniqueness
from discreet.samples import load

TABLES = ("clinic", "adult", "adult_arx", "diabetes130")
FRACTIONS = (0.01, 0.05, 0.1, 0.2, 0.5)
MODELS = ("zayatz", "pitman", "snb", "chosen")


def populations() -> list[tuple[str, Table, tuple[str, ...]]]:
    """Tables of at least 10,000 rows with two sets of columns each: all quasi-identifiers, and every other one."""
    found = []
    for name in TABLES if os.environ.get("DISCREET_DATA") else TABLES[:1]:
        sample = load(name, rows=50_000, random_state=1) if name == "clinic" else load(name)
        assert sample.roles is not None
        quasi = sample.roles.quasi
        found += [(name, sample.data, quasi), (name, sample.data, quasi[::2])]
    return found


def sampled(of_row: np.ndarray, fraction: float, rng: np.random.Generator) -> np.ndarray:
    rows = rng.choice(len(of_row), round(fraction * len(of_row)), replace=False)
    sizes = np.bincount(of_row[rows])
    return sizes[sizes > 0]


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.uniqueness", description=__doc__)
    options.add_argument("--draws", type=int, default=5, help="samples of each kind (default 5)")
    draws = options.parse_args().draws
    rng = np.random.default_rng(0)
    errors: dict[tuple[bool, str], list[float]] = defaultdict(list)
    print(f"{'table':<14}{'columns':>8}{'fraction':>10}{'unique':>9}" + "".join(f"{model:>9}" for model in MODELS))
    for name, table, quasi in populations():
        groups = SampledGroups.of(table, quasi)
        truth = int((groups.sizes == 1).sum())
        for fraction in FRACTIONS:
            ratios = defaultdict(list)
            for _ in range(draws):
                found = estimate_uniqueness(sampled(groups.of_row, fraction, rng), fraction=fraction)
                for model, estimate in (*found.estimates.items(), ("chosen", found.unique)):
                    if estimate is not None:
                        ratios[model].append(estimate / truth)
            for model, values in ratios.items():
                errors[fraction <= 0.1, model].append(float(np.abs(np.log2(np.maximum(values, 1e-6))).mean()))
            means = [f"{np.mean(ratios[model]):>9.2f}" if ratios[model] else f"{'-':>9}" for model in MODELS]
            share = f"{100 * truth / groups.n_rows:.1f} %"
            print(f"{name:<14}{len(quasi):>8}{fraction:>10}{share:>9}" + "".join(means), flush=True)
    for small, words in ((True, "at most 0.1"), (False, "above 0.1")):
        told = ", ".join(f"{model} {np.mean(errors[small, model]):.2f}" for model in MODELS)
        print(f"Mean |log2 estimate / truth|, fractions {words}: {told}.")


if __name__ == "__main__":
    main()
