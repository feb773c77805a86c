# SPDX-License-Identifier: Apache-2.0
"""Comparisons in the background: the command `discreet compare`, in a process of its own for each.

A run is named by a digest of its recipe, so the same decisions find the same run again, after a restart too. What is
done is read from the folder of the study, where every result appears as soon as it is known. A run that was cancelled
or killed goes on where it was. If the studio itself is killed its run goes on, and the next studio finds it.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from discreet.errors import DataError
from discreet.foundation import system
from discreet.foundation.system import apart, end_with_children, let_others_first
from discreet.studio.recipe_of import as_toml

_PID = "pid"
_UNSAID = ("weights", "run")  # what a recipe says that no result depends on, besides the seed


@dataclass(frozen=True)
class RunProgress:
    """How far a run is: the releases that are made, the one being made, and whether the run is over."""

    running: bool
    made: dict[str, dict[str, Any]]
    doing: list[str]
    summary: dict[str, Any] | None
    message: str


@dataclass
class Runs:
    """The runs of a project."""

    folder: Path
    _processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @staticmethod
    def name(recipe: Mapping[str, Any], digest: str) -> str:
        """The name of the run of a recipe on a file, of which the hash of its bytes is given."""
        said = {key: value for key, value in recipe.items() if key not in _UNSAID} | {"seed": recipe["run"]["seed"]}
        return sha256(json.dumps([said, digest], sort_keys=True).encode()).hexdigest()[:16]

    def study(self, name: str) -> Path:
        return self.folder / name / "study"

    def start(self, recipe: Mapping[str, Any], data: Path, digest: str) -> str:
        """Start a run, or go on with it; one that is running is left alone."""
        name = self.name(recipe, digest)
        with self._lock:
            running = self._processes.get(name)
            if (running is not None and running.poll() is None) or self._is_left(name):
                return name
            place = self.folder / name
            place.mkdir(mode=0o700, parents=True, exist_ok=True)
            (place / "recipe.toml").write_bytes(as_toml(recipe).encode())
            command = [sys.executable, "-m", "discreet", "compare", str(data), str(place / "recipe.toml")]
            with (place / "said.txt").open("wb") as said:
                self._processes[name] = subprocess.Popen(
                    [*command, "-o", str(self.study(name)), "--quiet"],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=said,
                    **apart(),
                )
            let_others_first(self._processes[name].pid)  # pages come first
            (place / _PID).write_bytes(str(self._processes[name].pid).encode())
        return name

    def cancel(self, name: str) -> None:
        """Stop a run; what is done stays."""
        with self._lock:
            process = self._processes.get(name)
        if process is not None and process.poll() is None:
            process.terminate()  # the study ends its own processes, and leaves nothing half-written
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                end_with_children(process)
        elif process is None and self._is_left(name) and not self._end_left(name):
            raise DataError("This run was begun by a studio that was killed. It goes on; wait until it is done.")

    def _is_left(self, name: str) -> bool:
        """Whether a process that another studio began still works on a run: it locks the folder of its study."""
        lock = self.study(name) / "lock"
        if name in self._processes or not lock.exists():
            return False
        with lock.open("rb") as file:
            try:
                system.lock(file.fileno())
            except BlockingIOError:
                return True
            except OSError:
                return False
        return False

    def _end_left(self, name: str) -> bool:
        """End such a process, if it is certain which one it is."""
        try:
            number = int((self.folder / name / _PID).read_text(encoding="ascii"))
        except (OSError, ValueError):
            return False
        if not system.end_if_given(number, str(self.study(name))):
            return False
        for _ in range(100):
            if not self._is_left(name):
                return True
            time.sleep(0.1)
        return False

    def close(self) -> None:
        """Stop all runs."""
        for name in [*self._processes]:
            self.cancel(name)

    def progress(self, name: str) -> RunProgress:
        """How far a run is."""
        process = self._processes.get(name)
        running = self._is_left(name) if process is None else process.poll() is None
        results = self.study(name) / "results"
        made = {path.stem: _read(path) or {} for path in sorted(results.glob("*.json"))}
        doing = sorted(path.stem for path in results.glob("*.doing")) if running else []
        summary = None if running else _read(self.study(name) / "summary.json")
        message = ""
        if process is not None and not running and process.returncode not in (0, -signal.SIGTERM, 143):
            message = (self.folder / name / "said.txt").read_text(encoding="utf-8", errors="replace")[:2000].strip()
        return RunProgress(running, made, doing, summary, message)


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
