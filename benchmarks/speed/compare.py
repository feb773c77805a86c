# SPDX-License-Identifier: Apache-2.0
"""`discreet compare` without a recipe on 50,000 rows, of a table and of baskets, whole, and the size of its report."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed.measure import Line, Table, Times, within

_ROWS = 50_000
_SECONDS = 120.0
_MEGABYTES = 3.0


def compare(table: Table, runs: int) -> None:
    """All that a person waits for: reading, nine or ten releases, attacks, five folds each, the report."""
    rows = ["--rows", str(_ROWS), "--seed", "1"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _run(["data", "write", "clinic", *rows, "-o", "clinic.csv"], place)
        _measure(table, "a table", ["clinic.csv", "--target", "readmitted"], place)
        _run(["data", "write", "quest", *rows, "--set", "classes=2", "-o", "quest.dat"], place)
        _measure(table, "baskets", ["quest.dat", "--labels", "quest.labels"], place)


def _measure(table: Table, what: str, arguments: list[str], place: Path) -> None:
    taken = _run(["compare", *arguments, "-o", what], place)
    megabytes = (place / what / "report.html").stat().st_size / 1e6
    table.add(within(f"discreet compare, no recipe, {what} of {_ROWS:,} rows, 2 processes", _SECONDS, taken))
    table.add(Line("  its report.html", "3 MB", megabytes, _MEGABYTES, 1.0, unit="MB"))


def _run(arguments: list[str], place: Path) -> Times:
    command = [sys.executable, "-m", "discreet", *arguments, "--quiet"]
    clock = time.perf_counter()
    process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"discreet {arguments[0]} failed ({status}).")
    return Times([time.perf_counter() - clock], [used.ru_utime + used.ru_stime])
