# SPDX-License-Identifier: Apache-2.0
"""A progress bar for work that takes more than two seconds; nothing otherwise.

The library itself is silent. The command line calls `show(True)`, and so may a notebook user. Bars go to standard
error, so that output for machines stays clean. All open bars share one display, which is redrawn only when work
advances: no thread runs in the background.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Any, TypeVar

PATIENCE = 2.0  # seconds a person waits before wondering
PAUSE = 0.1  # seconds between two drawings

_clock = time.monotonic
_shown = False
T = TypeVar("T")


def show(on: bool = True) -> None:
    """Turn progress bars on or off for this process."""
    global _shown
    _shown = on


class _Display:
    """The only display of the process: opened by the first bar that is drawn, closed with the last."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._rich: Any = None
        self._tasks: set[Any] = set()

    def open(self, what: str, total: float | None) -> Any:
        with self.lock:
            if self._rich is None:
                from rich.console import Console
                from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

                console = Console(file=sys.stderr)
                columns = [SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn()]
                self._rich = Progress(
                    *(*columns, TextColumn("{task.fields[left]}", style="progress.remaining")),
                    console=console,
                    transient=True,
                    auto_refresh=False,
                    redirect_stdout=False,  # otherwise rich would redirect prints to our stream
                    redirect_stderr=False,
                    disable=not (console.is_terminal or console.is_jupyter),  # a file gets not even an empty line
                )
                self._rich.start()
            task = self._rich.add_task(what, total=total, left="")
            self._tasks.add(task)
            return task

    def update(self, task: Any, done: float, left: str) -> None:
        with self.lock:
            self._rich.update(task, completed=done, left=left)
            self._rich.refresh()

    def close(self, task: Any) -> None:
        with self.lock:
            self._rich.remove_task(task)
            self._tasks.discard(task)
            if not self._tasks:
                self._rich.stop()
                self._rich = None


_display = _Display()


class Progress:
    """Counts work done; draws itself once the work has lasted longer than PATIENCE."""

    def __init__(self, what: str, total: float | None):
        self.what, self.total = what, total
        self.done = 0.0
        self._started, self._drawn_at, self._task = _clock(), -PAUSE, None
        self._done_at = self._started  # when work was last done

    def advance(self, by: float = 1) -> None:
        """Record that `by` more units of work are done."""
        self.done += by
        if not _shown:
            return
        now = _clock()
        if by:
            self._done_at = now
        if now - self._started < PATIENCE or now - self._drawn_at < PAUSE:
            return
        with _display.lock:
            if self._task is None:
                self._task = _display.open(self.what, self.total)
            self._drawn_at = now
            _display.update(self._task, self.done, self._left(now))

    def _left(self, now: float) -> str:
        """The time left at the mean pace so far; it counts down while no progress is reported."""
        if not self.total or not self.done:
            return ""
        pace = (self._done_at - self._started) / self.done
        seconds = max(0, round(pace * (self.total - self.done) - (now - self._done_at)))
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02} left"

    def close(self) -> None:
        """Remove the bar from the screen; closing twice is harmless."""
        task, self._task = self._task, None
        if task is not None:
            _display.close(task)


@contextmanager
def progress(what: str, total: float | None = None) -> Iterator[Progress]:
    """A bar for a block of work, closed when the block ends, even with an error.

    >>> with progress("counting", total=3) as bar:
    ...     for _ in range(3):
    ...         bar.advance()
    >>> bar.done
    3.0
    """
    bar = Progress(what, total)
    try:
        yield bar
    finally:
        bar.close()


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Iterate with a progress bar; without a length it only shows that work is going on.

    >>> sum(track([1, 2, 3], "adding"))
    6
    """
    if total is None and isinstance(items, Sized):
        total = len(items)
    with progress(what, total) as bar:
        for item in items:
            yield item
            bar.advance()
