# SPDX-License-Identifier: Apache-2.0
"""Times side by side: ours and theirs in turns, so that what else the machine does falls on both."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.rivals import AbsentError

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Times:
    """Seconds of the clock and of the processor, one of each for every run."""

    seconds: list[float]
    cpu: list[float]

    @property
    def clock(self) -> float:
        return median(self.seconds)

    @property
    def processor(self) -> float:
        return median(self.cpu)

    def times(self, factor: float) -> Times:
        """As many times over, for a bound that is measured on a part."""
        return Times([factor * one for one in self.seconds], [factor * one for one in self.cpu])


@dataclass(frozen=True)
class Line:
    """One line of the table.

    what     what was timed
    against  the rival, or the bound
    ours     seconds, or megabytes where `unit` says so; theirs likewise, or none when the rival is absent
    limit    the ratio ours / theirs that must not be exceeded, of processor time where that is measured; none where it
             is only reported
    cpu      the ratio of processor time, which tells more where others use the machine
    note     what else was found
    """

    what: str
    against: str
    ours: float
    theirs: float | None
    limit: float | None = None
    cpu: float | None = None
    unit: str = "s"
    note: str = ""
    fine: bool = True  # whether what was found is as it must be, apart from time

    @property
    def ratio(self) -> float | None:
        return None if not self.theirs else self.ours / self.theirs

    @property
    def met(self) -> bool | None:
        if not self.fine:
            return False
        judged = self.ratio if self.cpu is None else self.cpu
        return None if self.limit is None or judged is None else judged <= self.limit

    def record(self) -> dict:
        return {**asdict(self), "ratio": self.ratio, "met": self.met}


@dataclass
class Table:
    """The lines so far, printed as they come."""

    lines: list[Line] = field(default_factory=list)

    def head(self) -> None:
        _print_row("what", "against", "ours", "theirs", "ratio", "CPU", "limit", "met")
        print(f"|{'-' * 74}|{'-' * 40}|{'-' * 10}:|{'-' * 10}:|{'-' * 7}:|{'-' * 7}:|{'-' * 6}:|-----|")

    def add(self, line: Line) -> None:
        self.lines.append(line)
        _print_row(
            f"{line.what} ({line.note})" if line.note else line.what,
            line.against,
            _amount(line.ours, line.unit),
            "-" if line.theirs is None else _amount(line.theirs, line.unit),
            "-" if line.ratio is None else f"{line.ratio:.2g}",
            "-" if line.cpu is None else f"{line.cpu:.2g}",
            "-" if line.limit is None else f"{line.limit:g}",
            {True: "yes", False: "NO", None: "-"}[line.met],
        )

    def save(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([line.record() for line in self.lines], indent=1, default=bool), encoding="utf-8")


def _print_row(what: str, rival: str, ours: str, theirs: str, ratio: str, cpu: str, limit: str, met: str) -> None:
    row = f"| {what:72} | {rival:38} | {ours:>9} | {theirs:>9} | {ratio:>6} | {cpu:>6} | {limit:>5} | {met:3} |"
    print(row, flush=True)


def _amount(value: float, unit: str) -> str:
    if unit == "MB":
        return f"{value:.0f} MB"
    return f"{value * 1e3:.3g} ms" if value < 1 else f"{value:.3g} s"


def in_turns(*works: Callable[[], object], runs: int) -> list[Times]:
    """Each once unmeasured, then all of them in turns, `runs` times."""
    for work in works:
        work()
    taken = [Times([], []) for _ in works]
    for _ in range(runs):
        for work, times in zip(works, taken, strict=True):
            clock, processor = time.perf_counter(), time.process_time()
            work()
            times.seconds.append(time.perf_counter() - clock)
            times.cpu.append(time.process_time() - processor)
    return taken


def against(what: str, rival: str, ours: Times, theirs: Times, limit: float | None, **more) -> Line:
    return Line(what, rival, ours.clock, theirs.clock, limit, ours.processor / theirs.processor, **more)


def beside(what: str, rival: str, ours: Times, run: Callable[[], Times], limit: float | None = 1.0, **more) -> Line:
    """Against a rival that may be absent; the line then says why."""
    try:
        return against(what, rival, ours, run(), limit, **more)
    except AbsentError as absent:
        return Line(what, f"{rival}: {absent}", ours.clock, None, **more)


def in_a_process(code: str, *arguments: object, cache: str | None = None) -> dict:
    """What a fresh interpreter prints as JSON. `cache` is where numba keeps compiled kernels."""
    environment = dict(os.environ) if cache is None else {**os.environ, "NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def process_times(command: list[str], runs: int) -> Times:
    """Seconds of the clock and of the processor that a command takes, from its start to its end."""
    times = Times([], [])
    for number in range(runs + 1):
        clock, before = time.perf_counter(), os.times()
        subprocess.run(command, check=True, capture_output=True, cwd=ROOT)
        after = os.times()
        if number:  # the first run fills the caches
            times.seconds.append(time.perf_counter() - clock)
            times.cpu.append(
                after.children_user + after.children_system - before.children_user - before.children_system
            )
    return times
