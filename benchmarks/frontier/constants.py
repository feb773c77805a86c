# SPDX-License-Identifier: Apache-2.0
"""The constants of TreeLadder, with tables left out in turn: `python -m benchmarks.frontier.constants [tables]`.

Each setting changes one constant. It is measured on every table, at two k (5 and 100, or 2 and 25 for small tables), by
a split that no other figure is made from; tables of more than 2,000 rows are thinned. For each table left out, the
setting that is best on the others is picked; its loss is what the best setting of that table is ahead of it there.

A setting's score on a table is the mean, over both k, of the mean of five shares, 1 being all and 0 nothing:

  accuracy, raw   (accuracy - guessing) / (1 - guessing), of the best learner
  AUC             2 AUC - 1
  log-loss        1 - log-loss / log-loss of guessing
  detail          as it is

Needs DISCREET_DATA; takes some minutes.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from benchmarks.frontier.protocol import Split, best_of, figures_of
from benchmarks.frontier.tables import TABLES, Data
from discreet import Table, TreeLadder
from discreet.foundation.progress import show, track
from discreet.methods.trees import label_worth, tree_ladder_choice
from discreet.release.release import Release

SEED = 1  # of the splits; the frontier's own is 0
ROWS = 2000
LARGE = 100  # the larger k, at most
LEARNERS = ("logistic", "tree")
MEASURES = ("accuracy", "AUC", "log-loss", "raw", "detail")

Setting = tuple[dict[str, Any], list[AbstractContextManager[Any]]]


def _with(module: Any = tree_ladder_choice, **constants: Any) -> Callable[[], Setting]:
    return lambda: ({}, [patch.multiple(module, **constants)])


def _asked(**parameters: Any) -> Callable[[], Setting]:
    return lambda: (parameters, [])


SETTINGS: dict[str, Callable[[], Setting]] = {
    "detail .1": _asked(detail=0.1),
    "detail .05": _asked(detail=0.05),
    "detail .2": _asked(detail=0.2),
    "detail .3": _asked(detail=0.3),
    "no tree": _with(TREES=()),
    "16 bins": _with(COARSE=()),
    "16 or 8 bins": _with(COARSE=(8,)),
    "few 0": _with(label_worth, _FEW=0),
    "few sizes": _with(SIZES=(10, 20, 30, 50), SMALL_TABLE=0),
    "full at decades": _with(SMALL_TABLE=0),
    "all folds": _with(BEHIND=1.0),
    "unrecoded 0": _with(label_worth, _RAW=0.0),
    "unrecoded .3": _with(label_worth, _RAW=0.3),
    "even and halved at once": _with(CHANCE=0.0),
    "neither even nor halved": _with(CHANCE=1e9),
}


def thinned(table: Table, roles: Any) -> Data:
    """At most ROWS rows; of persons whole ones."""
    if len(table) <= ROWS:
        return table, roles
    random = np.random.default_rng(SEED)
    if roles.person is None:
        return table.take(np.sort(random.permutation(len(table))[:ROWS])), roles
    person_of = table.column(roles.person)
    place = random.permutation(person_of.levels)[person_of.codes]
    return table.take(np.flatnonzero(place < np.sort(place)[ROWS])), roles


def shares(found: dict[str, Any], rows: Split) -> list[float]:
    """The five measures, as above."""
    label, learnt = rows.test.column(rows.target), rows.train.column(rows.target)
    times = np.bincount(learnt.codes, minlength=learnt.levels)
    of_text = dict(zip(learnt.texts, (times / times.sum()).tolist(), strict=False))
    truth = [label.texts[code] for code in label.codes]
    common = max(of_text, key=of_text.__getitem__)
    guess = float(np.mean([text == common for text in truth]))
    guess_loss = float(-np.mean([np.log(max(of_text.get(text, 0.0), 1e-3)) for text in truth]))
    return [
        (best_of(found, "accuracy") - guess) / (1 - guess),
        2 * best_of(found, "auc") - 1,
        1 - best_of(found, "log_loss") / guess_loss,
        (found["raw"] - guess) / (1 - guess),
        found["detail"],
    ]


def _digest(release: Release, rows: Split) -> bytes:
    """Of the rows in any order: settings often make the same release."""
    table = release.table.to_arrow().select([*rows.roles.quasi, rows.target])
    table = table.sort_by([(name, "ascending") for name in table.column_names]).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return hashlib.sha256(sink.getvalue()).digest()


def measured_settings(name: str, settings: list[str]) -> np.ndarray:
    """The five measures of each setting on a table: settings x k x measures."""
    load, ks = TABLES[name]
    rows = Split.of(*thinned(*load()), SEED)
    known: dict[bytes, list[float]] = {}
    out = []
    for setting in track(settings, name):
        parameters, patches = SETTINGS[setting]()
        line = []
        for k in (ks[0], min(ks[-1], LARGE)):
            with ExitStack() as stack:
                for one in patches:
                    stack.enter_context(one)
                release = TreeLadder(k, random_state=0, **parameters).release(rows.train, rows.roles)
            digest = _digest(release, rows)
            if digest not in known:
                known[digest] = shares(figures_of(release, rows, LEARNERS), rows)
            line.append(known[digest])
        out.append(line)
    return np.array(out)


def report(found: np.ndarray, tables: list[str], settings: list[str]) -> Iterator[str]:
    """What each setting is worth on average, and what is picked for each table by the others; the first is the default.

    `found` is by table, setting, k and measure.
    """
    score, means = found.mean(axis=(2, 3)), found.mean(axis=(0, 2))
    yield "| setting | score | beside the first | " + " | ".join(MEASURES) + " |"
    yield "|" + "---|" * (3 + len(MEASURES))
    for i in np.argsort(-score.mean(axis=0), kind="stable"):
        off = score[:, i] - score[:, 0]
        noise = 2 * off.std(ddof=1) / np.sqrt(len(off)) if len(off) > 1 else float("nan")
        cells = (f"{score[:, i].mean():.4f}", f"{off.mean():+.4f} ± {noise:.4f}", *(f"{mean:.3f}" for mean in means[i]))
        yield f"| {settings[i]} | " + " | ".join(cells) + " |"
    yield "\n| left out | picked by the others | loses there | best there | the first loses |"
    yield "|" + "---|" * 5
    lost = []
    for t, name in enumerate(tables):
        picked, best = int(np.argmax(np.delete(score, t, axis=0).mean(axis=0))), int(np.argmax(score[t]))
        lost.append((score[t, best] - score[t, picked], score[t, best] - score[t, 0]))
        yield f"| {name} | {settings[picked]} | {lost[-1][0]:.4f} | {settings[best]} | {lost[-1][1]:.4f} |"
    ours, first = np.mean(lost, axis=0)
    yield f"| mean | | {ours:.4f} | | {first:.4f} |"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.frontier.constants", description=__doc__)
    options.add_argument("tables", nargs="*", choices=[*TABLES, "all"], default="all")
    options.add_argument("--settings", nargs="*", choices=[*SETTINGS], default=[*SETTINGS])
    asked = options.parse_args()
    show()
    tables = [*TABLES] if "all" in asked.tables else asked.tables
    found = np.array([measured_settings(name, asked.settings) for name in tables])
    print("\n".join(report(found, tables, asked.settings)))


if __name__ == "__main__":
    main()
