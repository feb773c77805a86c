# SPDX-License-Identifier: Apache-2.0
"""A progress bar on what takes more than two seconds; nothing at all otherwise.

The library itself is silent. The command line calls `show(True)`; a notebook user may too.
"""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

PATIENCE = 2.0  # seconds a person waits before wondering

_shown = False
T = TypeVar("T")


def show(on: bool = True) -> None:
    """Turn progress bars on or off for this process."""
    global _shown
    _shown = on


class Progress:
    """Counts work done; draws itself once the work has lasted longer than PATIENCE."""

    def __init__(self, what: str, total: float | None):
        self.what, self.total = what, total
        self._started, self._drawn_at, self._bar, self._task = time.monotonic(), 0.0, None, None
        self.done = 0.0

    def advance(self, by: float = 1) -> None:
        self.done += by
        now = time.monotonic()
        if not _shown or now - self._started < PATIENCE or now - self._drawn_at < 0.1:
            return
        if self._bar is None:
            self._open()
        self._drawn_at = now
        self._bar.update(self._task, completed=self.done)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress as Bar, SpinnerColumn, TextColumn, TimeRemainingColumn

        columns = [SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()]
        self._bar = Bar(*columns, console=Console(file=sys.stderr), transient=True)
        self._bar.start()
        self._task = self._bar.add_task(self.what, total=self.total)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def progress(what: str, total: float | None = None) -> Iterator[Progress]:
    bar = Progress(what, total)
    try:
        yield bar
    finally:
        bar.close()


def track(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Iterate with a progress bar."""
    with progress(what, total if total is not None else len(items)) as bar:  # type: ignore[arg-type]
        for item in items:
            yield item
            bar.advance()
