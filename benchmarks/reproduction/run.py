# SPDX-License-Identifier: Apache-2.0
"""Runs units one after the other, says how long the rest will take, and keeps each result as soon as it is there."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.reproduction import datasets, papers
from benchmarks.reproduction.kept import Kept, Origin, Store, origin
from benchmarks.reproduction.papers import HERE
from benchmarks.reproduction.source import code_hash
from benchmarks.reproduction.units import Row, Unit
from discreet.errors import DataError

CURRENT, STALE, NOT_MEASURED = "current", "stale", "not measured"


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
    asked: Sequence[Job],
    *,
    again: bool = False,
    under: float | None = None,
    here: Path = HERE,
    say: Callable[[str], None] | None = None,
) -> int:
    """Measure what is not kept or is stale; returns how many units could not be measured.

    A unit that fails stops no other.
    `again` measures all. `under` leaves out what took, or is thought to take, as many seconds or more.
    """
    say = say or _say
    kept = {folder: Store(folder, here).read() for folder in {job.folder for job in asked}}
    left = [job for job in asked if again or state(job.unit, kept[job.folder]) != CURRENT]
    if len(left) < len(asked):
        say(f"{len(asked) - len(left)} of {len(asked)} units are kept and current; --again measures them anew.")
    cheap = [job for job in left if under is None or _seconds(job.unit, kept[job.folder]) < under]
    if len(cheap) < len(left):
        say(f"{len(left) - len(cheap)} units that take {under:g} s or more are left out.")
    pace, failed = Pace(sum(job.unit.seconds for job in cheap)), 0
    for number, (folder, unit) in enumerate(cheap, 1):
        start = time.perf_counter()
        try:
            came = Origin(code_hash(unit.measure), {name: datasets.digest(name) for name in unit.data})
            rows = measured(unit)
        except DataError as error:
            failed += 1
            pace.skip(unit.seconds)
            say(f"[{number} of {len(cheap)}] {folder}: {unit.name}: {error}")
            continue
        seconds = time.perf_counter() - start
        Store(folder, here).keep(unit, rows, seconds, came)
        pace.done(unit.seconds, seconds)
        say(f"[{number} of {len(cheap)}] {folder}: {unit.name}: {seconds:.0f} s; {pace.text}")
    return failed


def state(unit: Unit, kept: dict[str, Kept]) -> str:
    """Whether a unit's figures are current, stale or not there."""
    if unit.key not in kept:
        return NOT_MEASURED
    return STALE if kept[unit.key].stale(origin(unit)) else CURRENT


def states(folder: str, here: Path = HERE) -> dict[str, str]:
    """Of all units of a folder, by key."""
    kept = Store(folder, here).read()
    return {unit.key: state(unit, kept) for unit in papers.module(folder).units()}


def _seconds(unit: Unit, kept: dict[str, Kept]) -> float:
    return kept[unit.key].seconds if unit.key in kept else unit.seconds


def measured(unit: Unit) -> list[Row]:
    """Warnings of learners that do not converge and of simulated noise are part of the studies: not shown."""
    with warnings.catch_warnings(), datasets.only(unit.data):
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
