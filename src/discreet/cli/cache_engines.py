# SPDX-License-Identifier: Apache-2.0
"""Compile beforehand what releases of rows in engines use beyond those of rows in memory (see cache_kernels.py).

What Mondrian uses where distinct rows outgrow memory is not among it: two small kernels, for millions of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.data.roles import Roles
from discreet.data.table import Table
from discreet.engines import DuckDB, StoredBaskets
from discreet.errors import DiscreetError, quietly
from discreet.methods import METHODS, Method
from discreet.release.verify import verify

_SETTINGS = {"kactus2": {"swap": 0.6}}


def engine_works(table: Table, roles: Roles, person: str, folder: Path) -> Iterator[Callable[[], object]]:
    """Releases of a table in a Parquet file of this folder, by every method that decides on counts."""
    file = folder / "people.parquet"
    pq.write_table(table.to_arrow(), file)
    for name in ("mondrian", "tree-ladder", "tds", "tdr", "kactus", "kactus2", "kadet", "greedy", "km"):
        method = METHODS[name](k=5, **_SETTINGS.get(name, {}))
        yield partial(_made, method, DuckDB(file), roles, folder / name)
    by_person = Roles(target=roles.target, quasi=roles.quasi, other=roles.other, person=person)
    yield partial(_made, METHODS["mondrian"](k=5), DuckDB(file), by_person, folder / "persons")
    yield partial(_made, METHODS["greedy"](k=5), _baskets(folder / "baskets.parquet"), None, folder / "items")


def _made(method: Method, rows: DuckDB | StoredBaskets, roles: Roles | None, folder: Path) -> None:
    method.release(rows, roles).save(folder)
    quietly(verify, folder / "release", errors=(DiscreetError, OSError))


def _baskets(file: Path) -> StoredBaskets:
    rows = np.arange(600)
    lists = pa.array([[f"i{item}" for item in range(12) if row % (item + 2) == 0] for row in rows.tolist()])
    pq.write_table(pa.table({"items": lists, "label": np.where(rows % 3 == 0, "yes", "no")}), file)
    return StoredBaskets(file, item="items", label="label")
