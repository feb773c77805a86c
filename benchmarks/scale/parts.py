# SPDX-License-Identifier: Apache-2.0
"""The parts of the measurement, each a function that runs programs and returns its figures."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.scale import tables
from benchmarks.scale.kept import Line, Part
from benchmarks.scale.watching import Watched, watch, watch_python

GB = 10**9
GROWTH = (1_000_000, 3_000_000, 10_000_000, 30_000_000, 100_000_000)
ONES = 4_200_000  # rows of baskets, with 24 ones each
MEMORY = "1500MB"  # what DuckDB may use; distinct rows come on top
_PYTHON = sys.executable
_ADULT = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")


def fifty_million() -> Part:
    """50 million rows, 8 quasi-identifiers: Mondrian through DuckDB beside bare DuckDB."""
    bare, ours = _beside_bare(50_000_000)
    return Part(
        [
            Line("release of 50M rows, checked on its files", ours.cpu, "CPU-s", 65),
            Line("memory of that release", ours.peak / GB, "GB", 3),
            Line("bare DuckDB: read, group, write, verify", bare.cpu, "CPU-s"),
            Line("release / bare DuckDB, CPU-s", ours.cpu / bare.cpu, "times", 1.6),
        ],
        {"bare": bare.record(), "release": ours.record()},
    )


def hundred_million() -> Part:
    """100 million rows, 8 quasi-identifiers, within 4 GB."""
    ours = _engine("people", 100_000_000, tables.QUASI)
    return Part(
        [
            Line("release of 100M rows, checked on its files", ours.cpu, "CPU-s"),
            Line("memory of that release", ours.peak / GB, "GB", 4),
        ],
        {"release": ours.record()},
    )


def growth() -> Part:
    """From 1 million to 100 million rows: does the cost of a row stay the same?"""
    runs = {rows: _engine("people", rows, tables.QUASI) for rows in GROWTH}
    lines = [Line(f"release of {rows / 1e6:g}M rows", run.cpu, "CPU-s") for rows, run in runs.items()]
    lines += [Line(f"memory at {rows / 1e6:g}M rows", run.peak / GB, "GB") for rows, run in runs.items()]
    first, last = (runs[rows].cpu / rows for rows in (GROWTH[2], GROWTH[-1]))
    lines.append(Line("cost of a row at 100M / at 10M", last / first, "times", 1.15))
    return Part(lines, {str(rows): run.record() for rows, run in runs.items()})


def near_unique() -> Part:
    """20 million rows that are nearly all distinct."""
    ours = _engine("near-unique", 20_000_000, tables.BROAD)
    return Part(
        [
            Line("release of 20M near-unique rows", ours.cpu, "CPU-s", 45),
            Line("memory of that release", ours.peak / GB, "GB", 2),
        ],
        {"release": ours.record()},
    )


def in_memory() -> Part:
    """10 million rows as a table in memory: Parquet in, report, Parquet out, checked."""
    limits = {"mondrian": (40, 3), "tree-ladder": (None, None), "greedy": (50, 4)}
    file = _one_file(10_000_000)
    lines, runs = [], {}
    for method, (cpu, memory) in limits.items():
        with _out() as out:
            runs[method] = run = _release(str(file), out, method, tables.QUASI)
        lines.append(Line(f"{method}, 10M rows in memory", run.cpu, "CPU-s", cpu))
        lines.append(Line(f"memory of {method}", run.peak / GB, "GB", memory))
    saved = sum(one.cpu for one in runs["tree-ladder"].stages if one.name == "writing")
    lines.append(Line("saving and verifying tree-ladder's release", saved, "CPU-s", 8))
    return Part(lines, {method: run.record() for method, run in runs.items()})


def ones() -> Part:
    """100 million ones in long Parquet files through greedy: up to 200 of 10,000 items at k = 5."""
    folder = tables.cache() / f"ones-{ONES}"
    if not folder.exists():
        partial = folder.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir()
        _checked(watch_python(_ONES, ONES, partial))
        partial.rename(folder)
    run = _checked(watch([_PYTHON, "-m", "benchmarks.speed.stored_baskets", "--folder", str(folder)]))
    found = run.answer
    selected = found["count"] + found["bring"] + found["greedy"]
    return Part(
        [
            Line(f"{found['ones'] / 1e6:.0f}M ones through greedy", selected, "CPU-s", 8),
            Line("memory of that selection", found["selection_peak"] / GB, "GB", 1.5),
            Line("the whole release of it", found["release"] + found["save"], "CPU-s"),
            Line("reading the same files and nothing else", found["read"], "CPU-s"),
        ],
        {"greedy": run.record()},
    )


def adult() -> Part:
    """The command on Adult (from DISCREET_DATA), 45,222 rows in CSV, when modules, kernels and pages are compiled."""
    with _out() as out:
        file = out / "adult.csv"
        _checked(watch([_PYTHON, "-m", "discreet", "data", "write", "adult", "-o", str(file)]))
        roles = ["--target", "income", "--quasi", ",".join(_ADULT)]
        runs = []
        for place in range(6):  # the first one compiles what is not compiled yet
            made = ["--method", "mondrian", "--k", "5", "-o", str(out / f"made-{place}")]
            command = [_PYTHON, "-m", "discreet", "release", str(file), *roles, *made]
            runs.append(_checked(watch(command, environment={"PYTHONDONTWRITEBYTECODE": ""})))
    fastest, leanest = min(runs[1:], key=lambda run: run.seconds), min(runs[1:], key=lambda run: run.cpu)
    return Part(
        [
            Line("`discreet release` of Adult, warm, by the clock", fastest.seconds, "s", 1.2),
            Line("its processor seconds", leanest.cpu, "CPU-s"),
        ],
        {"release": fastest.record()},
    )


def plan() -> Part:
    """A plan of four million nodes, applied to rows whose distinct rows are known."""
    run = _checked(watch([_PYTHON, "-m", "benchmarks.scale.lookup"]))
    return Part(
        [Line("applying a plan of 4M nodes to a row", run.answer["nanoseconds"], "ns", 40)], {"lookup": run.record()}
    )


def start() -> Part:
    """Imports, and the first KActus2 after an installation."""
    bare = min(_checked(watch_python("pass")).seconds for _ in range(3))
    one, every = "from discreet.methods import Mondrian", "import discreet.methods as methods"
    all_of_them = f"{every}; [getattr(methods, name) for name in methods.__all__]"
    codes = (every, one, all_of_them)
    taken = {code: min(_checked(watch_python(code)).seconds for _ in range(3)) - bare for code in codes}
    lines = [
        Line("`import discreet.methods`, the interpreter not counted", taken[every], "s", 0.8),
        Line(f"`{one}`", taken[one], "s", 0.8),
        Line("`import discreet.methods` and all methods in it", taken[all_of_them], "s", 0.8),
    ]
    runs = {}
    with tempfile.TemporaryDirectory() as compiled:
        for name in ("first", "second"):
            runs[name] = run = _checked(watch_python(_KACTUS2, environment={"NUMBA_CACHE_DIR": compiled}))
            lines.append(Line(f"{name} KActus2 on 500 rows: CPU-s of the release", run.answer["cpu"], "CPU-s"))
    compiling = runs["first"].answer["cpu"] - runs["second"].answer["cpu"]
    lines.append(Line("of which the first KActus2 ever compiles", compiling, "CPU-s", 8))
    with tempfile.TemporaryDirectory() as compiled:
        environment = {"NUMBA_CACHE_DIR": compiled}
        _checked(watch([_PYTHON, "-m", "discreet", "cache"], environment=environment))
        after = _checked(watch_python(_KACTUS2, environment=environment))
    lines.append(Line("kernels that KActus2 compiles after `discreet cache`", after.answer["compiled"], "", 0))
    return Part(lines, {name: run.record() for name, run in runs.items()})


PARTS: dict[str, Callable[[], Part]] = {
    "start": start,
    "adult": adult,
    "plan": plan,
    "memory": in_memory,
    "ones": ones,
    "50m": fifty_million,
    "unique": near_unique,
    "100m": hundred_million,
    "growth": growth,
}

_ONES = """
import sys
from pathlib import Path
from benchmarks.speed.stored_baskets import make
make(int(sys.argv[1]), Path(sys.argv[2]))
"""

_KACTUS2 = """
import json, time
import discreet as ds
from discreet.samples import clinic
sample = clinic(rows=500)
method = ds.KActus2(k=5)
before = time.process_time()
method.release(sample.data, sample.roles)
taken = time.process_time() - before
from discreet.foundation.compiled_kernels import cache_of_kernels
print(json.dumps({"cpu": taken, "compiled": cache_of_kernels()[0]}))
"""


def _beside_bare(rows: int) -> tuple[Watched, Watched]:
    folder = tables.folder_of("people", rows, tables.people(rows))
    with _out() as out:
        command = [_PYTHON, "-m", "benchmarks.scale.bare", str(folder), str(out), "4GB", tables.LABEL, *tables.QUASI]
        bare = _checked(watch(command, first="start"))
    return bare, _engine("people", rows, tables.QUASI)


def _engine(name: str, rows: int, quasi: tuple[str, ...]) -> Watched:
    parts = tables.people(rows) if name == "people" else tables.near_unique(rows)
    folder = tables.folder_of(name, rows, parts)
    with _out() as out:
        return _release(f"{folder}/*.parquet", out, "mondrian", quasi, "--engine", "duckdb", "--memory", MEMORY)


def _release(source: str, out: Path, method: str, quasi: tuple[str, ...], *more: str) -> Watched:
    columns = ["--target", tables.LABEL, "--quasi", ",".join(quasi), "--other", ",".join(tables.OTHER)]
    options = ["--method", method, "--k", "5", "--format", "parquet", "-o", str(out / "made"), *more]
    command = [_PYTHON, "-m", "benchmarks.scale.command", "release", source, *columns, *options]
    return _checked(watch(command, first="start"))


def _one_file(rows: int) -> Path:
    """The table in one file, for the command that reads it into memory."""
    file = tables.cache() / f"people-{rows}.parquet"
    if not file.exists():
        parts = tables.people(rows)
        with pq.ParquetWriter(file.with_suffix(".partial"), pq.read_schema(parts[0]), compression="zstd") as writer:
            for part in parts:
                writer.write_table(pa.Table.from_batches(pq.ParquetFile(part).iter_batches()))
        file.with_suffix(".partial").rename(file)
    return file


@contextmanager
def _out() -> Iterator[Path]:
    """A folder on the same disk as the tables, removed afterwards."""
    folder = Path(tempfile.mkdtemp(dir=tables.cache()))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _checked(run: Watched) -> Watched:
    if run.failed:
        raise SystemExit(f"A measured program failed:\n{run.failed}")
    return run
