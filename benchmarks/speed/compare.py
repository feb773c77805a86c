# SPDX-License-Identifier: Apache-2.0
"""`discreet compare` without a recipe on 50,000 rows, of a table and of baskets, whole, and the size of its report."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.speed.measure import Line, Table, Times, against

_ROWS = 50_000
_LEARNT = """
import sys
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import cross_val_score
from discreet.samples import load
sample = load(sys.argv[1], rows=int(sys.argv[2]), random_state=1, **({"classes": 2} if sys.argv[1] == "quest" else {}))
if sys.argv[1] == "quest":
    X, y = sample.data.matrix, sample.data.labels
else:
    frame = sample.data.to_frame("pandas")
    X, y = frame[list(sample.roles.quasi)].apply(lambda column: pd.factorize(column)[0]), frame[sample.roles.target]
cross_val_score(RandomForestClassifier(random_state=0), X, y, cv=5)
"""


def compare(table: Table, runs: int) -> None:
    """All that a person waits for: reading, nine or ten releases, attacks, five folds each, the report."""
    rows = ["--rows", str(_ROWS), "--seed", "1"]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _run(["data", "write", "clinic", *rows, "-o", "clinic.csv"], place)
        _measure(table, "a table", ["clinic.csv", "--target", "readmitted"], "clinic", place)
        _run(["data", "write", "quest", *rows, "--set", "classes=2", "-o", "quest.dat"], place)
        _measure(table, "baskets", ["quest.dat", "--labels", "quest.labels"], "quest", place)


def _measure(table: Table, what: str, arguments: list[str], sample: str, place: Path) -> None:
    """Beside it what a person would do without a release: five folds of a random forest on the rows as they are."""
    taken = _run(["compare", *arguments, "-o", what], place)
    theirs = _process([sys.executable, "-c", _LEARNT, sample, str(_ROWS)], place)
    megabytes, data = ((place / file).stat().st_size / 1e6 for file in (f"{what}/report.html", arguments[0]))
    what = f"discreet compare, no recipe, {what} of {_ROWS:,} rows, 2 processes"
    table.add(against(what, "random forest alone, 5 folds", taken, theirs, None))
    table.add(Line("  its report.html", "the file of the rows", megabytes, data, 1.0, unit="MB"))


def _run(arguments: list[str], place: Path) -> Times:
    return _process([sys.executable, "-m", "discreet", *arguments, "--quiet"], place)


def _process(command: list[str], place: Path) -> Times:
    clock = time.perf_counter()
    process = subprocess.Popen(command, cwd=place, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{' '.join(command[1:4])} failed ({status}).")
    return Times([time.perf_counter() - clock], [used.ru_utime + used.ru_stime])
