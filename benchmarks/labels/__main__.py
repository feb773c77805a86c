# SPDX-License-Identifier: Apache-2.0
"""Readable labels beside those that tell most, and given hierarchies beside none: `python -m benchmarks.labels`.

Each table is parted at random, seven rows in ten for the release, the others recoded; logistic regression on one-hot
labels. Readability: members that a set spells out, the longest label, and the share of borders that are round.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from discreet import Mondrian, Roles, Table, TreeLadder
from discreet.errors import DiscreetError
from discreet.methods.trees.tree_ladder_rungs import Ladder
from discreet.prepare.hierarchy import read_hierarchies
from discreet.samples import data_file, load

TABLES = (
    "clinic", "adult", "adult_arx", "german", "german_numeric", "pima", "ilpd", "wdbc", "waveform21", "diabetes130",
    "glass", "tic_tac_toe",
)  # fmt: skip
MOST_ROWS, MOST_COLUMNS, TRAIN = 5000, 10, 0.7
METHODS: dict[str, Callable[..., Any]] = {
    "tree-ladder": lambda k, labels: TreeLadder(k, labels=labels),
    "mondrian": lambda k, labels: Mondrian(k, labels=labels, split="information"),
    "mondrian-median": lambda k, labels: Mondrian(k, labels=labels),
}


def main() -> None:
    warnings.filterwarnings("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", default=",".join(TABLES))
    parser.add_argument("--k", default="5,50")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--methods", default=",".join(METHODS))
    chosen = parser.parse_args()
    ks = [int(k) for k in chosen.k.split(",")]
    for name in chosen.methods.split(","):
        _study(name, METHODS[name], chosen.tables.split(","), ks, chosen.repeats)
    if "adult_arx" in chosen.tables.split(",") and "tree-ladder" in chosen.methods.split(","):
        _hierarchies(ks, chosen.repeats)


def _study(name: str, method: Callable[..., Any], tables: list[str], ks: list[int], repeats: int) -> None:
    print(f"\n{name}: readable - local, and readability (local -> readable)")
    print(f"{'table':16}{'k':>4}{'accuracy':>10}{'AUC':>9}{'members':>18}{'longest':>18}{'round':>16}")
    differences = []
    for table in tables:
        for k in ks:
            lines = [
                [_scores(method(k, labels), train, test, roles) for labels in ("local", "readable")]
                for train, test, roles in _parted(table, repeats)
            ]
            lines = [line for line in lines if None not in line]
            if not lines:
                continue
            local, readable = np.nanmean(np.array(lines, dtype=float), axis=0)
            differences.append(readable[:2] - local[:2])
            reading = [f"{a:.2f} -> {b:.2f}" for a, b in zip(local[2:], readable[2:], strict=True)]
            scores = "".join(
                f"{difference:+{width}.3f}" for difference, width in zip(differences[-1], (10, 9), strict=True)
            )
            print(f"{table:16}{k:4}{scores}{reading[0]:>18}{reading[1]:>18}{reading[2]:>16}", flush=True)
    mean, error = np.nanmean(differences, axis=0), np.nanstd(differences, axis=0) / np.sqrt(len(differences))
    print(
        f"mean of {len(differences)}: accuracy {mean[0]:+.4f} +- {error[0]:.4f}, AUC {mean[1]:+.4f} +- {error[1]:.4f}"
    )


def _hierarchies(ks: list[int], repeats: int) -> None:
    """The hierarchies of the files of adult_arx, beside none."""
    given = read_hierarchies(data_file("adult_arx/adult_hierarchy_age.csv").parent)
    print("\ntree-ladder on adult_arx: given hierarchies - none")
    of = Ladder.of
    for k in ks:
        lines = []
        for train, test, roles in _parted("adult_arx", repeats):
            none = _scores(TreeLadder(k), train, test, roles)
            with _patched(lambda axis, most, _=None: of(axis, most, given.get(axis.name))):
                lines.append([none, _scores(TreeLadder(k), train, test, roles)])
        none, with_trees = np.mean(np.array(lines, dtype=float), axis=0)
        gains = [
            f"{what} {b - a:+.4f} ({a:.3f})" for what, a, b in zip(("accuracy", "AUC"), none, with_trees, strict=False)
        ]
        print(f"k = {k}: {', '.join(gains)}")


@contextmanager
def _patched(of: Callable[..., Ladder]) -> Iterator[None]:
    """Every ladder made by this function."""
    kept = Ladder.of
    setattr(Ladder, "of", staticmethod(of))  # noqa: B010
    try:
        yield
    finally:
        setattr(Ladder, "of", kept)  # noqa: B010


def _parted(name: str, repeats: int) -> Iterator[tuple[Table, Table, Roles]]:
    sample = load(name)
    assert isinstance(sample.data, Table)
    assert sample.roles is not None
    roles = Roles(target=sample.roles.target, quasi=sample.roles.quasi[:MOST_COLUMNS])
    table = sample.data.select(roles.named)
    for repeat in range(repeats):
        order = np.random.default_rng(repeat).permutation(len(table))[:MOST_ROWS]
        parts = np.split(order, [int(TRAIN * len(order))])
        yield table.take(np.sort(parts[0])), table.take(np.sort(parts[1])), roles


def _scores(method: Any, train: Table, test: Table, roles: Roles) -> tuple[float, ...] | None:
    """Accuracy, AUC, members of a set, length of the longest label, share of round borders."""
    try:
        release = method.release(train, roles)
    except DiscreetError:
        return None
    published, recoded = Table.of(release.data), release.recode(test)
    model = make_pipeline(OneHotEncoder(handle_unknown="ignore"), LogisticRegression(max_iter=300))
    model.fit(_cells(published, roles.quasi), _cells(published, [roles.target])[:, 0])
    chances, truth = model.predict_proba(_cells(recoded, roles.quasi)), _cells(recoded, [roles.target])[:, 0]
    accuracy = float((model.classes_[chances.argmax(axis=1)] == truth).mean())
    labels = [label for name in roles.quasi for label in published.column(name).texts]
    sets = [label.count(", ") + 1 for label in labels if "{" in label or label.endswith(" more")]
    rounds = [
        _is_round(border, train.column(name).kind)
        for name in roles.quasi
        for label in published.column(name).texts
        if label[0] in "[<>"
        for border in re.findall(r"-?\d[\d.:-]*", label)
    ]
    return (
        accuracy,
        _auc(truth, chances, model.classes_),
        float(np.mean(sets or [1])),
        float(max(map(len, labels), default=0)),
        float(np.mean(rounds)) if rounds else np.nan,
    )


def _auc(truth: np.ndarray, chances: np.ndarray, classes: np.ndarray) -> float:
    try:
        if len(classes) == 2:
            return float(roc_auc_score(truth == classes[1], chances[:, 1]))
        return float(roc_auc_score(truth, chances, multi_class="ovr", labels=classes))
    except ValueError:  # a class without test rows
        return np.nan


def _cells(table: Table, names: Any) -> np.ndarray:
    return np.column_stack(
        [np.array([*column.texts, ""], dtype=object)[column.codes] for column in table.columns(names)]
    )


def _is_round(border: str, kind: str) -> bool:
    """A year or month; or a number of one digit, or of two that end in 5 or are followed by a zero, but for zeros."""
    if kind == "date":
        return len(border) <= len("2019-03")
    digits = border.replace("-", "").replace(".", "").strip("0")
    return len(digits) <= 1 or digits[1:] == "5" or (len(digits) == 2 and border.endswith("0") and "." not in border)


if __name__ == "__main__":
    main()
