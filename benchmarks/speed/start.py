# SPDX-License-Identifier: Apache-2.0
"""Starting: imports, the command line, and kernels that no cache holds yet."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.speed.measure import Line, Table, against, in_a_process, process_times

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
    "kactus2": lambda: ds.KActus2(k=5).release(sample.data, sample.roles),
}
before = time.process_time()
works[sys.argv[1]]()
print(json.dumps({"cpu": time.process_time() - before}))
"""


def imports(table: Table, runs: int) -> None:
    times = process_times([sys.executable, "-c", "import discreet"], 2 * runs)
    empty = process_times([sys.executable, "-c", "pass"], 2 * runs)
    note = f"Python itself {empty.clock * 1e3:.0f} ms"
    pandas = process_times([sys.executable, "-c", "import pandas"], 2 * runs)
    table.add(against("import discreet, whole process", "import pandas", times, pandas, 1.0, note=note))
    ours, theirs = (process_times([sys.executable, "-m", name, "--help"], 2 * runs) for name in ("discreet", "pip"))
    table.add(against("discreet --help", "pip --help", ours, theirs, 1.0))


_METHODS = "import discreet.methods as methods; [getattr(methods, name) for name in methods.__all__]"
_BARE = "import numpy, pyarrow.compute, pyarrow.parquet, pydantic, cryptography.exceptions"
_ADULT = """
import sys
from discreet.samples import load
import pyarrow.csv
pyarrow.csv.write_csv(load("adult").data.to_arrow(), sys.argv[1])
"""
_BARE_RELEASE = """
import sys
import numba, numpy as np, pyarrow.compute as pc, pyarrow.csv
rows = pyarrow.csv.read_csv(sys.argv[1])
rows.group_by(sys.argv[2].split(",")).aggregate([([], "count_all")])
pyarrow.csv.write_csv(rows, sys.argv[1] + ".copy")
pyarrow.csv.read_csv(sys.argv[1] + ".copy")
"""
_QUASI = "age,workclass,education,marital-status,occupation,race,sex,native-country"


def methods(table: Table, runs: int) -> None:
    """All methods, against the libraries that they cannot do without."""
    bare = process_times([sys.executable, "-c", _BARE], 2 * runs)
    ours = process_times([sys.executable, "-c", _METHODS], 2 * runs)
    cpu = ours.processor / bare.processor
    note = f"the interpreter included; CPU-s {ours.processor:.2f} and {bare.processor:.2f}"
    line = Line(
        "all methods of discreet.methods", "NumPy, Arrow, pydantic", ours.clock, bare.clock, None, cpu, note=note
    )
    table.add(line)
    learners = process_times([sys.executable, "-c", "import pandas, sklearn.ensemble"], 2 * runs)
    table.add(against("  the same", "import pandas, sklearn.ensemble", ours, learners, 1.0))


def release_of_adult(table: Table, runs: int) -> None:
    """`discreet release` of Adult with its report, kernels cached, against reading, grouping and writing by Arrow."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "adult.csv"
        subprocess.run([sys.executable, "-c", _ADULT, str(file)], check=True)
        bare = process_times([sys.executable, "-c", _BARE_RELEASE, str(file), _QUASI], runs)
        command = [sys.executable, "-m", "discreet", "release", str(file), "--target", "income", "--quasi", _QUASI]
        command += ["--method", "mondrian", "--k", "5", "--quiet", "--overwrite", "-o", str(Path(folder) / "out")]
        ours = process_times(command, runs)
    cpu = ours.processor / bare.processor
    note = f"CPU-s {ours.processor:.2f} and {bare.processor:.2f}"
    table.add(
        Line(
            "discreet release of Adult",
            "numba and Arrow: read, group, write",
            ours.clock,
            bare.clock,
            None,
            cpu,
            note=note,
        )
    )


def cold(table: Table, runs: int) -> None:
    """The first call after an installation compiles; the second finds what it compiled in the cache."""
    names = {
        "check": "KAnonymity.check",
        "mondrian": "Mondrian.release",
        "greedy": "GreedySelector.release",
        "kactus2": "KActus2.release",
    }
    for work, name in names.items():
        with tempfile.TemporaryDirectory() as cache:
            compiled, cached = (in_a_process(_FIRST, work, cache=cache)["cpu"] for _ in range(2))
        table.add(Line(f"first {name} ever, CPU", "first of a process", compiled, cached))
