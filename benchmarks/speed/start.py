# SPDX-License-Identifier: Apache-2.0
"""Starting: imports, the command line, and kernels that no cache holds yet."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.speed.measure import Line, Table, in_a_process, process_times, within

_FIRST = """
import json, sys, time
import numpy as np
import discreet as ds
from discreet.samples import clinic
sample = clinic(rows=500)
X = (np.random.default_rng(0).random((60, 40)) < 0.3).astype(int)
y = np.arange(60) % 2
works = {
    "check": lambda: ds.KAnonymity(2).check(sample.data, sample.roles),
    "mondrian": lambda: ds.Mondrian(k=5).release(sample.data, sample.roles),
    "greedy": lambda: ds.GreedySelector(k=2, utility="distcnt").release(X, y),
}
before = time.process_time()
works[sys.argv[1]]()
print(json.dumps({"cpu": time.process_time() - before}))
"""


def imports(table: Table, runs: int) -> None:
    times = process_times([sys.executable, "-c", "import discreet"], 2 * runs)
    empty = process_times([sys.executable, "-c", "pass"], 2 * runs)
    note = f"Python itself {empty.clock * 1e3:.0f} ms"
    table.add(within("import discreet, whole process", 0.5, times, note=note))
    command = Path(sys.executable).with_name("discreet")
    table.add(within("discreet --help", 1.0, process_times([str(command), "--help"], 2 * runs)))


def cold(table: Table, runs: int) -> None:
    """The first call after an installation compiles; the second finds what it compiled in the cache."""
    names = {"check": "KAnonymity.check", "mondrian": "Mondrian.release", "greedy": "GreedySelector.release"}
    for work, name in names.items():
        with tempfile.TemporaryDirectory() as cache:
            compiled, cached = (in_a_process(_FIRST, work, cache=cache)["cpu"] for _ in range(2))
        table.add(Line(f"first {name} ever, CPU", "first of a process", compiled, cached))
