# SPDX-License-Identifier: Apache-2.0
"""Runs units one after the other, says how long the rest will take, and keeps each result as soon as it is there."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import discreet
from benchmarks.reproduction import papers
from benchmarks.reproduction.kept import Store
from benchmarks.reproduction.papers import HERE
from benchmarks.reproduction.units import Row, Unit
from discreet.errors import DataError


class Job(NamedTuple):
    """A unit, and the folder whose `measured.json` it goes to."""

    folder: str
    unit: Unit


def jobs(names: Sequence[str], table: str | None = None, *, quick: bool = False) -> list[Job]:
    """The units behind the names of papers or folders; of one table, where one is named."""
    found = []
    for folder in dict.fromkeys(folder for name in names for folder in papers.folders_of(name)):
        made = papers.module(folder)
        found += [Job(folder, unit) for unit in (made.quick() if quick else made.units())]
    return [job for job in found if table is None or is_table(job.unit.table, table)]


def is_table(table: str, asked: str) -> bool:
    """Whether "5" or "table 5" asks for Table 5.

    >>> is_table("Table 5", "5"), is_table("Table 5", "table 5"), is_table("Figure 1", "1")
    (True, True, False)
    """
    asked = asked.strip().lower()
    return table.lower() in (asked, f"table {asked}")


def run(
    asked: Sequence[Job], *, again: bool = False, here: Path = HERE, say: Callable[[str], None] | None = None
) -> int:
    """Measure what is not kept yet; returns how many units could not be measured. A unit that fails stops no other."""
    say = say or _say
    left = [job for job in asked if again or job.unit.key not in Store(job.folder, here).read()]
    if len(left) < len(asked):
        say(f"{len(asked) - len(left)} of {len(asked)} units are kept from earlier; --again measures them anew.")
    pace, failed = Pace(sum(job.unit.seconds for job in left)), 0
    for number, (folder, unit) in enumerate(left, 1):
        start = time.perf_counter()
        try:
            rows = measured(unit)
        except DataError as error:
            failed += 1
            pace.skip(unit.seconds)
            say(f"[{number} of {len(left)}] {folder}: {unit.name}: {error}")
            continue
        seconds = time.perf_counter() - start
        Store(folder, here).keep(unit, rows, discreet.__version__, seconds)
        pace.done(unit.seconds, seconds)
        say(f"[{number} of {len(left)}] {folder}: {unit.name}: {seconds:.0f} s; {pace.text}")
    return failed


def measured(unit: Unit) -> list[Row]:
    """Warnings of learners that do not converge and of simulated noise are part of the studies: not shown."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(unit.measure())


def show(asked: Sequence[Job]) -> list[Row]:
    """Measure and keep nothing."""
    return [row for job in asked for row in measured(job.unit)]


def tidy(names: Sequence[str], here: Path = HERE) -> None:
    """Leave out what no unit asks for any more."""
    for folder in dict.fromkeys(folder for name in names for folder in papers.folders_of(name)):
        store = Store(folder, here)
        store.forget(store.read().keys() - {unit.key for unit in papers.module(folder).units()})


class Pace:
    """The time left: what the units still to come were thought to take, at the pace of those that are done.

    >>> pace = Pace(30.0)
    >>> pace.done(10.0, 60.0)
    >>> pace.text
    'about 2 min left'
    """

    def __init__(self, expected: float):
        self.left, self._expected, self._spent = expected, 0.0, 0.0

    def done(self, expected: float, spent: float) -> None:
        self.left -= expected
        self._expected += expected
        self._spent += spent

    def skip(self, expected: float) -> None:
        self.left -= expected

    @property
    def text(self) -> str:
        seconds = max(self.left, 0.0) * (self._spent / self._expected if self._expected else 1.0)
        if seconds < 1:
            return "done"
        for size, unit in ((3600, "h"), (60, "min"), (1, "s")):
            if seconds >= 1.5 * size or size == 1:
                return f"about {seconds / size:.0f} {unit} left"
        raise AssertionError


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
