# SPDX-License-Identifier: Apache-2.0
"""Baskets in long Parquet files: processor time and memory of counting, of bringing ones, of greedy and of a release.

    python -m benchmarks.speed.stored_baskets [--rows N ...] [--folder DIR]

Beside it, in the same process, the bound: the same files read once with pyarrow and nothing done with the cells.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_PER_FILE = 500_000


def make(rows: int, folder: Path) -> None:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from discreet.samples import quest

    options = {"items": 10_000, "mean_length": 20, "mean_pattern": 20, "patterns": 1000, "skew": 0}
    baskets = quest(rows=rows, classes=2, random_state=1, **options).data
    indptr, indices = baskets.matrix.indptr, baskets.matrix.indices
    for number, first in enumerate(range(0, rows, _PER_FILE)):
        last = min(rows, first + _PER_FILE)
        row = np.repeat(np.arange(first, last), np.diff(indptr[first : last + 1]))
        label = pa.DictionaryArray.from_arrays(baskets.labels[row], pa.array(baskets.classes.tolist()))
        lines = {"row": row, "item": indices[indptr[first] : indptr[last]], "label": label}
        pq.write_table(pa.table(lines), folder / f"lines-{number:03}.parquet")


def measure(folder: Path) -> dict:
    """Processor seconds of each step, in this process."""
    import numpy as np
    import pyarrow.parquet as pq

    from discreet import GreedySelector
    from discreet.engines import StoredBaskets

    def opened() -> StoredBaskets:
        return StoredBaskets(folder / "*.parquet", row="row", item="item", label="label")

    found: dict = {}

    def timed(what: str, work) -> object:
        start = time.process_time()
        result = work()
        found[what] = time.process_time() - start
        found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return result

    timed("read", lambda: [sum(map(len, pq.ParquetFile(f).iter_batches(1 << 17))) for f in folder.glob("*.parquet")])
    stored = opened()
    found["rows"], found["ones"] = timed("count", lambda: (len(stored), int(stored.support.sum())))
    timed("bring", lambda: stored.columns_of(np.array([int(stored.support.argmax())])))
    found["kept"] = len(timed("greedy", lambda: GreedySelector(5, max_features=200)._keep(stored, None))[0])
    found["selection_peak"] = found["peak"]
    stored.forget()
    release = timed("release", lambda: GreedySelector(5, max_features=200).release(opened()))
    with tempfile.TemporaryDirectory() as out:
        timed("save", lambda: release.save(f"{out}/out"))
    return found


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.speed.stored_baskets", description=__doc__)
    options.add_argument("--rows", type=int, nargs="*", default=[1_000_000, 4_200_000])
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)  # made already, for the child process
    asked = options.parse_args()
    if asked.folder:
        print(json.dumps(measure(asked.folder)))
        return
    print("| rows | ones | reading alone | counting | ones | greedy | together | memory | kept | release | saved |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for rows in asked.rows:
        with tempfile.TemporaryDirectory() as folder:
            make(rows, Path(folder))
            command = [sys.executable, "-m", "benchmarks.speed.stored_baskets", "--folder", folder]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            f = json.loads(done.stdout)
        steps = [f[name] for name in ("count", "bring", "greedy")]
        print(
            f"| {f['rows']:,} | {f['ones']:,} | {f['read']:.1f} | "
            + " | ".join(f"{seconds:.1f}" for seconds in [*steps, sum(steps)])
            + f" | {f['selection_peak'] / 1e9:.2f} GB | {f['kept']} | {f['release']:.1f} | {f['save']:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
