# SPDX-License-Identifier: Apache-2.0
"""Estimates of population risk, divided by the truth: each table is the population, samples of it are drawn.

Prints, for every table, set of quasi-identifiers and sampling fraction: the share of the population that is unique, and
the mean estimate of each model and of the one which the rule chooses, divided by the truth; then the mean of 1/F over
the rows of the sample, and its estimates by Benedetti and Franconi and under Pitman's model, divided by the truth. 1 is
right, 2 says twice as much. Ends with the mean size of the errors, |log2 estimate / truth|. Needs DISCREET_DATA for all
but the made-up people.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict

import numpy as np

from discreet.data.table import Table
from discreet.risk import SampledGroups, estimate_uniqueness
from discreet.risk.individual_risk import individual_risk
from discreet.samples import load

TABLES = ("clinic", "adult", "adult_arx", "diabetes130")
FRACTIONS = (0.01, 0.05, 0.1, 0.2, 0.5)
UNIQUE = ("zayatz", "pitman", "snb", "chosen")
RISK = ("b-f", "by pitman")


def populations() -> list[tuple[str, Table, tuple[str, ...]]]:
    """Tables of at least 10,000 rows with two sets of columns each: all quasi-identifiers, and every other one."""
    found = []
    for name in TABLES if os.environ.get("DISCREET_DATA") else TABLES[:1]:
        sample = load(name, rows=50_000, random_state=1) if name == "clinic" else load(name)
        assert sample.roles is not None
        quasi = sample.roles.quasi
        found += [(name, sample.data, quasi), (name, sample.data, quasi[::2])]
    return found


def estimates(of_row: np.ndarray, sizes: np.ndarray, fraction: float, rng: np.random.Generator) -> dict[str, float]:
    """Estimates from one sample, divided by the truth; those that could not be made are left out."""
    rows = rng.choice(len(of_row), round(fraction * len(of_row)), replace=False)
    groups = SampledGroups.of(Table.of({"group": of_row[rows]}), ["group"]).sampled(fraction)
    found = estimate_uniqueness(groups.sizes, fraction=fraction)
    truth, unique = float((1 / sizes[of_row[rows]]).mean()), int((sizes == 1).sum())
    ratios = {model: value / unique for model, value in found.estimates.items() if value is not None}
    ratios |= {"chosen": found.unique / unique, "truth": truth, "b-f": individual_risk(groups).rate / truth}
    if found.pitman is not None:
        ratios["by pitman"] = individual_risk(groups, pitman=found.pitman).rate / truth
    return ratios


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.uniqueness", description=__doc__)
    options.add_argument("--draws", type=int, default=5, help="samples of each kind (default 5)")
    draws = options.parse_args().draws
    rng = np.random.default_rng(0)
    errors: dict[tuple[bool, str], list[float]] = defaultdict(list)
    heads = "".join(f"{name:>10}" for name in (*UNIQUE, "1/F", *RISK))
    print(f"{'table':<13}{'columns':>8}{'fraction':>9}{'unique':>8}{heads}")
    for name, table, quasi in populations():
        groups = SampledGroups.of(table, quasi)
        for fraction in FRACTIONS:
            ratios = defaultdict(list)
            for _ in range(draws):
                for what, ratio in estimates(groups.of_row, groups.sizes, fraction, rng).items():
                    ratios[what].append(ratio)
            for what in (*UNIQUE, *RISK):
                if ratios[what]:
                    error = np.abs(np.log2(np.maximum(ratios[what], 1e-6))).mean()
                    errors[fraction <= 0.1, what].append(float(error))
            means = {what: f"{np.mean(values):.2f}" if values else "-" for what, values in ratios.items()}
            share = f"{100 * (groups.sizes == 1).sum() / groups.n_rows:.1f} %"
            told = "".join(f"{means.get(what, '-'):>10}" for what in (*UNIQUE, "truth", *RISK))
            print(f"{name:<13}{len(quasi):>8}{fraction:>9}{share:>8}{told}", flush=True)
    for small, words in ((True, "at most 0.1"), (False, "above 0.1")):
        told = ", ".join(f"{what} {np.mean(errors[small, what]):.2f}" for what in (*UNIQUE, *RISK))
        print(f"Mean |log2 estimate / truth|, fractions {words}: {told}.")


if __name__ == "__main__":
    main()
