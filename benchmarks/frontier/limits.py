# SPDX-License-Identifier: Apache-2.0
"""What groups of k rows can tell of the class, or nearly: `python -m benchmarks.frontier.limits [--table NAME]`.

A decision tree with k rows in each leaf, which publishes nothing and so may cut anywhere, learns from the rows that
releases are made of and is asked about the others: once about all values, and once about those that k rows have, all
others of a column being one, since no label of a release may name what fewer than k persons have. Means over the splits
of `benchmarks.frontier.splits`. Needs DISCREET_DATA.
"""

from __future__ import annotations

import argparse
from collections import Counter

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from benchmarks.frontier.protocol import Split
from benchmarks.frontier.splits import SEEDS
from benchmarks.frontier.tables import TABLES
from discreet import Table
from discreet.foundation.progress import show, track


def told(rows: Split, k: int, rarest: int) -> tuple[float, float]:
    """Accuracy and AUC of the tree about the first class, where what fewer than `rarest` rows have is one value."""
    label, truth = (_cells(table, rows.target) for table in (rows.train, rows.test))
    first = min(label)
    columns = [_numbers(rows, name, label == first, rarest) for name in rows.roles.quasi]
    learnt, asked = (np.column_stack(part) for part in zip(*columns, strict=True))
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=k).fit(learnt, label == first)
    said = tree.predict_proba(asked)[:, 1]
    return float(((said > 0.5) == (truth == first)).mean()), float(roc_auc_score(truth == first, said))


def _numbers(rows: Split, name: str, first: np.ndarray, rarest: int) -> tuple[np.ndarray, np.ndarray]:
    """A column of both parts as numbers: categories by their share of the first class, missing above all."""
    learnt, asked = _cells(rows.train, name), _cells(rows.test, name)
    if rows.train.column(name).kind != "category":
        return tuple(np.array([np.inf if cell == "" else float(cell) for cell in part]) for part in (learnt, asked))  # type: ignore[return-value]
    often = Counter(learnt)
    learnt, asked = (np.array([cell if often[cell] >= rarest else "" for cell in part]) for part in (learnt, asked))
    values, place = np.unique(learnt, return_inverse=True)
    share = (np.bincount(place, first) + 1) / (np.bincount(place) + 2)
    share_of = dict(zip(values.tolist(), share.tolist(), strict=True))
    return share[place], np.array([share_of.get(cell, share_of.get("", 0.5)) for cell in asked.tolist()])


def _cells(table: Table, name: str) -> np.ndarray:
    """The cells as texts, missing ones empty."""
    column = table.column(name)
    return np.array([*column.texts, ""])[column.codes]


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.frontier.limits", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    options.add_argument("--table", default="adult_arx", choices=[*TABLES])
    asked = options.parse_args()
    show()
    load, ks = TABLES[asked.table]
    data = load()
    splits = [Split.of(*data, seed) for seed in SEEDS]
    print("| k | values that the tree may ask about | accuracy | AUC |\n|---|---|---|---|")
    for k in track(ks, asked.table):
        for name, rarest in (("all", 1), ("those of k rows", k)):
            accuracy, auc = np.mean([told(rows, k, rarest) for rows in splits], axis=0)
            print(f"| {k} | {name} | {accuracy:.3f} | {auc:.3f} |", flush=True)


if __name__ == "__main__":
    main()
