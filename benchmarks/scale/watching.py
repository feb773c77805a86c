# SPDX-License-Identifier: Apache-2.0
"""Processor time and memory of a program and all its children, seen from outside.

The program says when a stage begins (`stage("tally")` writes a line); this process samples the resident memory of the
whole tree of processes meanwhile, from /proc, so that what DuckDB, NumPy, Arrow and workers hold is all counted.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
PAUSE = 0.02  # seconds between two looks at the memory
_MARK = "\x1estage "
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Stage:
    """What a stage took: seconds of the clock, of all processors (children included), and peak memory in bytes."""

    name: str
    seconds: float = 0.0
    cpu: float = 0.0
    peak: int = 0


@dataclass
class Watched:
    """A finished program: its stages, their sum, and what it printed as JSON in its last line."""

    stages: list[Stage]
    cpu: float
    seconds: float
    peak: int
    answer: dict = field(default_factory=dict)
    failed: str = ""

    def record(self) -> dict:
        return asdict(self)


def stage(name: str) -> None:
    """Called by the program that is watched: what follows belongs to this stage."""
    taken = os.times()
    cpu = taken.user + taken.system + taken.children_user + taken.children_system
    sys.stdout.write(_MARK + json.dumps({"name": name, "cpu": cpu}) + "\n")
    sys.stdout.flush()


def watch(command: list[str], *, environment: dict[str, str] | None = None, first: str = "all") -> Watched:
    """Run a program to its end."""
    before, started = os.times(), time.perf_counter()
    program = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
    )
    stages, begun = [Stage(first)], [(started, 0.0)]
    answer: list[str] = []
    errors: list[str] = []

    def listen() -> None:
        assert program.stdout is not None
        with program.stdout as lines:
            for line in lines:
                if line.startswith(_MARK):
                    said = json.loads(line.removeprefix(_MARK))
                    begun.append((time.perf_counter(), said["cpu"]))
                    stages.append(Stage(said["name"]))
                elif line.strip():
                    answer.append(line)

    def complain() -> None:
        assert program.stderr is not None
        with program.stderr as lines:
            errors.extend(lines)

    threads = [threading.Thread(target=listen), threading.Thread(target=complain)]
    for thread in threads:
        thread.start()
    while program.poll() is None:
        stages[-1].peak = max(stages[-1].peak, tree_memory(program.pid))
        time.sleep(PAUSE)
    for thread in threads:
        thread.join()
    ended, after = time.perf_counter(), os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    ends = [*begun[1:], (ended, cpu)]
    for one, (clock, spent), (clock_after, spent_after) in zip(stages, begun, ends, strict=True):
        one.seconds, one.cpu = clock_after - clock, spent_after - spent
    return Watched(
        [one for one in stages if one.cpu > 0.005 or one.peak],
        cpu=cpu,
        seconds=ended - started,
        peak=max(one.peak for one in stages),
        answer=_json(answer),
        failed="".join(errors)[-2000:] if program.returncode else "",
    )


def watch_python(code: str, *arguments: object, **more) -> Watched:
    """Run Python code in a fresh interpreter."""
    return watch([sys.executable, "-c", code, *map(str, arguments)], **more)


def tree_memory(process: int) -> int:
    """Resident bytes of a process and everything below it; 0 when it is gone."""
    total, waiting = 0, [process]
    while waiting:
        one = waiting.pop()
        try:
            total += int(Path(f"/proc/{one}/statm").read_text().split()[1]) * _PAGE
            for task in os.listdir(f"/proc/{one}/task"):
                waiting += map(int, Path(f"/proc/{one}/task/{task}/children").read_text().split())
        except (OSError, ValueError, IndexError):
            continue
    return total


def _json(lines: list[str]) -> dict:
    try:
        found = json.loads(lines[-1]) if lines else {}
    except ValueError:
        return {"printed": "".join(lines)[-500:]}
    return found if isinstance(found, dict) else {}
