# SPDX-License-Identifier: Apache-2.0
"""`discreet compare` without a recipe on 50,000 rows, whole, and the size of its report."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed.measure import Line, Table, Times, within
from discreet.data.write import write_table
from discreet.samples import load

_ROWS = 50_000
_SECONDS = 120.0
_MEGABYTES = 3.0


def compare(table: Table, runs: int) -> None:
    """All that a person waits for: reading, ten releases, attacks, five folds each, the report."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write_table(load("clinic", rows=_ROWS, seed=1).data, place / "clinic.csv", "csv")
        command = [sys.executable, "-m", "discreet", "compare", "clinic.csv", "--target", "readmitted", "--quiet"]
        clock = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise RuntimeError(f"discreet compare failed ({status}).")
        taken = Times([time.perf_counter() - clock], [used.ru_utime + used.ru_stime])
        megabytes = (place / "study" / "report.html").stat().st_size / 1e6
    table.add(within(f"discreet compare, no recipe, {_ROWS:,} rows, 2 processes", _SECONDS, taken))
    table.add(Line("  its report.html", "3 MB", megabytes, _MEGABYTES, 1.0, unit="MB"))
