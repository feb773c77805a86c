# SPDX-License-Identifier: Apache-2.0
"""Rivals under the protocol of this study: IBM's ai-privacy-toolkit runs in an environment of its own.

It publishes each cell as the representative of its leaf, so its releases hold original values; they are learnt from,
and read unrecoded, like any table. ARX runs where DISCREET_ARX names its source, by two of its metrics. The best
release that writes each column at one level of a hierarchy, which is what ARX looks for, is computed: with the
hierarchies that ARX ships for adult_arx, elsewhere with plain ones. Figures of ARX and sdcMicro, which cannot be
installed from package registries, are quoted in published.toml with their protocols.
"""

from __future__ import annotations

import os
import tempfile
import time
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv

from benchmarks import rivals
from benchmarks.frontier.protocol import LEARNERS, Split, information_kept, scores
from benchmarks.rivals import arx
from benchmarks.rivals.full_domain import (
    MOST_NODES,
    SUPPRESSED,
    FullDomain,
    Levels,
    Row,
    n_nodes,
    plain_hierarchy,
    texts_of,
)
from discreet import Table
from discreet.samples import data_file

Measured = dict[str, Any]
ARX_TABLE = "adult_arx"
_ARX_COLUMNS = {"sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation"}


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


def best_full_domain(rows: Split, k: int, learners: tuple[str, ...] = LEARNERS) -> Measured:
    """What is measured of ours, of the best release that writes each column at one level of a hierarchy."""
    quasi = rows.roles.quasi
    hierarchies = [_levels(rows, name) for name in quasi]
    if rows.roles.person is not None:
        return {"refused": "it counts rows, not persons"}
    if (nodes := n_nodes(hierarchies)) > MOST_NODES:
        return {"refused": f"its lattice has {nodes} nodes"}
    start = time.process_time()
    train, test = ([*zip(*(texts_of(part, name) for name in quasi), strict=True)] for part in (rows.train, rows.test))
    release = FullDomain.best(train, texts_of(rows.train, rows.target), hierarchies, k)
    learnt, tested = ([*map(release.written, part)] for part in (train, test))
    unrecoded = _of_texts([*map(release.read, test)], rows.test, rows)
    cpu = time.process_time() - start
    suppressed = sum(cell == SUPPRESSED for row in learnt for cell in row) / (len(learnt) * len(quasi))
    tables = (_of_texts(learnt, rows.train, rows), _of_texts(tested, rows.test, rows))
    found = _figures(rows, *tables, learners, unrecoded)
    stars = sum({*row} == {SUPPRESSED} for row in learnt)
    return found | {"suppressed": suppressed, "stars": stars, "cpu": cpu}


def _levels(rows: Split, name: str) -> Levels:
    """The hierarchy of a column: ARX's own for its own table."""
    if {*rows.roles.quasi} != _ARX_COLUMNS:
        return plain_hierarchy(rows.train, rows.test, name)
    text = arx_hierarchies([name])[name].read_text(encoding="utf-8")
    return {line.split(";")[0]: line.split(";") for line in text.splitlines()}


def arx_hierarchies(quasi: Sequence[str]) -> dict[str, Path]:
    """The files that ARX ships with adult_arx."""
    return {name: data_file(f"{ARX_TABLE}/adult_hierarchy_{name}.csv") for name in quasi}


def _of_texts(labels: list[Row], source: Table, rows: Split) -> Table:
    """Rows of labels as a table, each with the class of the row it was made from."""
    columns = dict(zip(rows.roles.quasi, zip(*labels, strict=True), strict=True))
    cells = {name: pa.array(column) for name, column in columns.items()} | {
        rows.target: pa.array(texts_of(source, rows.target))
    }
    return Table.of(pa.table(cells), kinds=dict.fromkeys(cells, "category"))


def _figures(
    rows: Split, learnt: Table, tested: Table, learners: tuple[str, ...], unrecoded: Table | None = None
) -> Measured:
    """How well learners answer about rows in the form of the release, and about rows as they are."""
    found = {name: scores(name, learnt, tested, rows) for name in learners}
    raw = {name: scores(name, learnt, rows.test if unrecoded is None else unrecoded, rows) for name in learners}
    return {
        "learners": found,
        "raw": max(one["accuracy"] for one in raw.values()),
        "raw_auc": max(one["auc"] for one in raw.values()),
        "counted": information_kept(rows.test, tested, rows.roles.quasi),
    }


RIVALS: dict[str, Callable[[Split, int], Measured]] = {
    "ai-privacy-toolkit": ai_privacy_toolkit,
    "best full-domain": best_full_domain,
}
if os.environ.get(arx.VARIABLE):
    RIVALS |= {f"ARX, {metric}": partial(by_arx, metric=metric) for metric in arx.METRICS}
