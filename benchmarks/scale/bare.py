# SPDX-License-Identifier: Apache-2.0
"""DuckDB without discreet, on the same files: read and group, read and write, then check k of what was written by SQL.

    python -m benchmarks.scale.bare FOLDER OUT MEMORY COLUMN ...

It coarsens nothing, so that its file is no release; it is what any program on DuckDB has to pay.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import duckdb

from benchmarks.scale.watching import stage


def run(folder: str, out: str, memory: str, columns: list[str], label: str) -> dict:
    connection = duckdb.connect(config={"memory_limit": memory, "preserve_insertion_order": "false"})
    connection.execute(f"SET temp_directory = '{out}/spill'")
    quasi, source = ", ".join(columns), f"read_parquet('{folder}/*.parquet')"
    stage("group")
    groups = connection.sql(f"SELECT {quasi}, {label}, count(*) AS n FROM {source} GROUP BY {quasi}, {label}")
    distinct = len(groups.to_arrow_table())
    stage("write")
    connection.execute(f"COPY (SELECT * FROM {source}) TO '{out}/copy' (FORMAT parquet, PER_THREAD_OUTPUT)")
    stage("verify")
    counted = f"SELECT count(*) AS n FROM read_parquet('{out}/copy/*.parquet') GROUP BY {quasi}"
    least, rows = connection.sql(f"SELECT min(n), sum(n) FROM ({counted})").fetchall()[0]
    return {"distinct with label": distinct, "smallest group": least, "rows": int(rows)}


if __name__ == "__main__":
    folder, out, memory, label, *columns = sys.argv[1:]
    Path(out).mkdir(parents=True, exist_ok=True)
    print(json.dumps(run(folder, out, memory, columns, label)))
