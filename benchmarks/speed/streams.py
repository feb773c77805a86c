# SPDX-License-Identifier: Apache-2.0
"""Sketching a stream: lines in, checked sketches in the columns of published files out; and the command on few and many
lines, with its peak of memory."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.random_projection import SparseRandomProjection

from benchmarks.speed.measure import Line, Table, Times, against, in_turns
from discreet import DeltaSketch
from discreet.methods.sketches.streaming import as_batch, line_batches, sketch_stream
from discreet.samples import quest
from discreet.sketching.signs import Signs

_RECORDS = 50_000
_TIMES = 20  # as many more for the command
_ITEMS = 1000
_RIVAL = "CountVectorizer, SparseRandomProjection"
_WATCHED = """
import atexit, re
from pathlib import Path
from discreet.cli.app import main
def peak():  # getrusage counts the parent's too
    Path("peak").write_text(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
atexit.register(peak)
main()
"""


def stream(table: Table, runs: int) -> None:
    """C20.I4 as lines of 20 items, by delta 0.4 and the defaults; beside it scikit-learn, from the same lines."""
    lines, names = _lines()
    signs, method = Signs(bytes(32), _ITEMS), DeltaSketch(0.4)

    def work() -> None:
        for made in sketch_stream(line_batches(io.BytesIO(lines)), method, signs, names):
            as_batch(made)

    words = CountVectorizer(tokenizer=str.split, token_pattern=None, lowercase=False, vocabulary=names)
    projection = SparseRandomProjection(100, random_state=0).fit(sp.csr_array((1, _ITEMS)))
    ours, theirs = in_turns(work, lambda: projection.transform(words.transform(lines.decode().splitlines())), runs=runs)
    note = f"{_RECORDS / ours.clock:,.0f} records a second, {_RECORDS / ours.processor:,.0f} of a processor's"
    table.add(against(f"sketch_stream, {_RECORDS:,} lines of 20 items", _RIVAL, ours, theirs, 1.0, note=note))
    _command(table, lines, names, theirs)


def _command(table: Table, lines: bytes, names: list[str], theirs: Times) -> None:
    """`discreet sketch --stream` on the lines once and many times over; the difference leaves its start out."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "items.txt").write_text("\n".join(names), encoding="utf-8")
        few, few_megabytes = _run(place, lines, 1)
        many, megabytes = _run(place, lines, _TIMES)
    more = _RECORDS * (_TIMES - 1)
    taken = Times([many.clock - few.clock], [many.processor - few.processor])
    note = f"{more / taken.clock:,.0f} records a second, {more / taken.processor:,.0f} of a processor's"
    what = f"discreet sketch --stream to Parquet, {more:,} lines more"
    table.add(against(what, f"{_RIVAL}, {_TIMES - 1} times", taken, theirs.times(_TIMES - 1), 1.0, note=note))
    what = f"discreet sketch --stream, {_TIMES * _RECORDS:,} lines: peak of memory"
    table.add(Line(what, f"{_RECORDS:,} lines", megabytes, few_megabytes, 1.1, unit="MB"))


def _run(folder: Path, lines: bytes, times: int) -> tuple[Times, float]:
    """Seconds of the clock and of the processor, and megabytes at the most, of the command."""
    with (folder / "lines.txt").open("wb") as file:
        for _ in range(times):
            file.write(lines)
    options = ["--stream", "lines.txt", "--items", "items.txt", "--owner", "owner", "--delta", "0.4", "--overwrite"]
    command = [sys.executable, "-c", _WATCHED, "sketch", *options, "--quiet", "-o", "sketches.parquet"]
    clock = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"discreet sketch failed ({status}).")
    peak = int((folder / "peak").read_text()) / 2**10
    return Times([time.perf_counter() - clock], [used.ru_utime + used.ru_stime]), peak


def _lines() -> tuple[bytes, list[str]]:
    matrix = quest(_RECORDS, _ITEMS, mean_length=20, classes=2).data.matrix
    names = [f"item{i}" for i in range(_ITEMS)]
    ends, cells = matrix.indptr.tolist(), [names[i] for i in matrix.indices.tolist()]
    return "".join(" ".join(cells[ends[i] : ends[i + 1]]) + "\n" for i in range(_RECORDS)).encode(), names
