# SPDX-License-Identifier: Apache-2.0
"""Rivals under the protocol of this study: IBM's ai-privacy-toolkit runs in an environment of its own.

It publishes each cell as the representative of its leaf, so its releases hold original values; they are learnt from,
and read unrecoded, like any table. ARX runs where DISCREET_ARX names its source, by two of its metrics. Figures of ARX
and sdcMicro, which cannot be installed from package registries, are quoted in published.toml with their protocols.
"""

from __future__ import annotations

import os
import tempfile
import tomllib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.csv as pacsv

from benchmarks import rivals
from benchmarks.frontier.protocol import LEARNERS, Split, information_kept, scores
from benchmarks.rivals import arx
from discreet import Table

Measured = dict[str, Any]


def published() -> list[dict[str, Any]]:
    """Quoted figures: rival, table, k, protocol, and what was measured."""
    return tomllib.loads((Path(__file__).parent / "published.toml").read_text(encoding="utf-8"))["figures"]


def ai_privacy_toolkit(rows: Split, k: int, learners: tuple[str, ...] = LEARNERS) -> Measured:
    """What is measured of ours, of ai-privacy-toolkit's release; `refused` with the reason where it makes none."""
    names = [*rows.roles.quasi, rows.target]
    numbers = [name for name in rows.roles.quasi if rows.train.column(name).kind == "number"]
    if any(rows.train.column(name).has_missing or rows.test.column(name).has_missing for name in names):
        return {"refused": "it takes no missing cells"}
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{name}.csv" for name in ("train", "test", "train-out", "test-out")]
        for table, path in zip((rows.train, rows.test), files, strict=False):
            pacsv.write_csv(table.select(names).to_arrow(), path)
        worker = (files[0], files[1], k, files[2], files[3], ",".join(numbers))
        try:
            said = rivals.run("ai_privacy_toolkit", "anonymize.py", *worker, limit=600)
        except rivals.AbsentError as error:
            return {"refused": str(error)}
        kinds = {name: rows.train.column(name).kind for name in names}
        learnt, tested = (Table.of(path, kinds=kinds) for path in files[2:])
    return _figures(rows, learnt, tested, learners) | {"suppressed": 0.0, "cpu": said["cpu"]}


def by_arx(rows: Split, k: int, learners: tuple[str, ...] = LEARNERS, *, metric: str) -> Measured:
    """What is measured of ours, of ARX's release; `refused` with the reason where it makes none."""
    try:
        found = arx.anonymise(rows.train, rows.roles, k, metric)
    except rivals.AbsentError as error:
        return {"refused": str(error)}
    tested = found.recode(rows.test)
    return _figures(rows, found.table, tested, learners) | {"suppressed": found.suppressed, "cpu": found.cpu[-1]}


def _figures(rows: Split, learnt: Table, tested: Table, learners: tuple[str, ...]) -> Measured:
    """How well learners answer about rows in the form of the release, and about rows as they are."""
    found = {name: scores(name, learnt, tested, rows) for name in learners}
    raw = {name: scores(name, learnt, rows.test, rows) for name in learners}
    return {
        "learners": found,
        "raw": max(one["accuracy"] for one in raw.values()),
        "raw_auc": max(one["auc"] for one in raw.values()),
        "counted": information_kept(rows.test, tested, rows.roles.quasi),
    }


RIVALS: dict[str, Callable[[Split, int], Measured]] = {"ai-privacy-toolkit": ai_privacy_toolkit}
if os.environ.get(arx.VARIABLE):
    RIVALS |= {f"ARX, {metric}": partial(by_arx, metric=metric) for metric in arx.METRICS}
