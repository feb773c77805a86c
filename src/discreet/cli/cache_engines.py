# SPDX-License-Identifier: Apache-2.0
"""Compile beforehand what releases of rows in engines use beyond those of rows in memory (see cache_kernels.py)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines import DuckDB, StoredBaskets
from discreet.errors import DiscreetError, quietly
from discreet.methods import METHODS
from discreet.methods.engine_release import publish_groups
from discreet.methods.trees.mondrian_outgrown import decided_in_parts
from discreet.recoding.readable import readable_axis
from discreet.release.release import Release
from discreet.release.verify import verify

_SETTINGS = {"kactus2": {"swap": 0.6}}


def engine_works(table: Table, roles: Roles, person: str, folder: Path) -> Iterator[Callable[[], object]]:
    """Releases of a table in a Parquet file of this folder, by every method that decides on counts."""
    file = folder / "people.parquet"
    pq.write_table(table.to_arrow(), file)
    for name in ("mondrian", "tree-ladder", "tds", "tdr", "kactus", "kactus2", "kadet", "greedy", "km"):
        method = METHODS[name](k=5, **_SETTINGS.get(name, {}))
        yield lambda method=method, name=name: _saved(method.release(DuckDB(file), roles), folder / name)
    by_person = Roles(target=roles.target, quasi=roles.quasi, other=roles.other, person=person)
    yield lambda: _saved(METHODS["mondrian"](k=5).release(DuckDB(file), by_person), folder / "persons")
    for by_information in (False, True):
        yield lambda by_information=by_information: _in_parts(file, roles, by_information=by_information)
    yield lambda: _saved(METHODS["greedy"](k=5).release(_baskets(folder / "baskets.parquet")), folder / "items")


def _saved(release: Release, folder: Path) -> None:
    release.save(folder)
    quietly(verify, folder / "release", errors=(DiscreetError, OSError))


def _in_parts(file: Path, roles: Roles, *, by_information: bool) -> None:
    """Mondrian as for a table whose distinct rows outgrow memory."""
    with DuckDB(file) as engine:
        decided = decided_in_parts(
            engine,
            roles,
            lambda rows, name: readable_axis(rows, name, rarest=5, by_class=by_information, n_columns=len(roles.quasi)),
            least=5,
            by_information=by_information,
            in_turn=False,
            most=400,
        )
        publish_groups(engine, roles, decided, state=engine.state())


def _baskets(file: Path) -> StoredBaskets:
    rows = np.arange(600)
    lists = pa.array([[f"i{item}" for item in range(12) if row % (item + 2) == 0] for row in rows.tolist()])
    pq.write_table(pa.table({"items": lists, "label": np.where(rows % 3 == 0, "yes", "no")}), file)
    return StoredBaskets(file, item="items", label="label")
