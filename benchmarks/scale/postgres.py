# SPDX-License-Identifier: Apache-2.0
"""The cost of a row in PostgreSQL: processor seconds of a server of its own and of this process, a million rows each.

    python -m benchmarks.scale.postgres              1M rows
    python -m benchmarks.scale.postgres 200000

`GROUP BY there` counts the distinct rows of eight columns and the label and brings them back; `COPY out` streams all
rows and drops them, which is the least that any release of them costs. `release: all` lists, counts, decides, streams,
recodes, orders and writes them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.scale.spark import Clock
from benchmarks.scale.tables import LABEL, OTHER, QUASI, people

ROOT = Path(__file__).parent.parent.parent


def measure(rows: int, folder: Path) -> dict[str, tuple[float, float]]:
    """A release of the generated table with Mondrian, k = 5: its stages."""
    from conftest import programs_of_postgres
    from discreet import Mondrian, Roles, verify
    from discreet.engines import Postgres
    from discreet.release.table_copy import copy_to_table
    from postgres_server import running_server

    clock, roles = Clock(), Roles(target=LABEL, quasi=list(QUASI), other=list(OTHER))
    columns = [*QUASI, LABEL, *OTHER]
    table = pa.concat_tables(pq.read_table(part) for part in people(rows))
    Mondrian(k=5).release(table.slice(0, 20_000), roles)  # kernels are loaded
    programs = programs_of_postgres()
    assert programs is not None, "this needs the programs of a PostgreSQL server"
    with running_server(programs) as server:
        with clock.stage("COPY in"):
            url = server.store(table, "people")
        with Postgres(url) as engine:
            with clock.stage("distinct cells"):
                for name in columns:
                    engine.coding(name)
            with clock.stage("GROUP BY there"):
                distinct = len(engine.tally(list(QUASI), target=LABEL))
            with clock.stage("COPY out"):
                assert sum(map(len, engine._batches(columns))) == rows
        with Postgres(url) as engine:
            with clock.stage("release: all"):
                release = Mondrian(k=5).release(engine, roles)
            with clock.stage("save, verified"):
                release.save(folder / "out")
        with clock.stage("verify"):
            assert verify(folder / "out/release").holds
        with clock.stage("copy to a table"):
            assert copy_to_table(folder / "out/release", server.url("published")) == rows
    print(f"{rows:,} rows, {distinct:,} distinct")
    return clock.taken


def main(sizes: list[int]) -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    for rows in sizes or [1_000_000]:
        with tempfile.TemporaryDirectory(prefix="discreet-scale-") as name:
            taken = measure(rows, Path(name))
        print(f"{'stage':<16}{'CPU-s':>8}{'s':>8}{'us a row':>10}")
        for stage, (clock, cpu) in taken.items():
            print(f"{stage:<16}{cpu:>8.2f}{clock:>8.2f}{1e6 * cpu / rows:>10.2f}")
    print(f"{os.cpu_count()} cores")


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]])
