# SPDX-License-Identifier: Apache-2.0
"""Makes the release of a number, saves it, has it checked; and many of them, in several processes."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import tempfile
import warnings
from collections import Counter, deque
from collections.abc import Callable, Generator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from benchmarks.random_releases.cases import Case, random_case
from benchmarks.random_releases.checker import check
from benchmarks.random_releases.leaks import refusal_leaks
from benchmarks.random_releases.order import Orders

SECONDS = 120  # after which a release counts as failed
_BATCH = 50
_FOLDER = "discreet-random-"


@dataclass
class Finding:
    """Something wrong: what, where, and the number that replays it."""

    seed: int
    method: str
    kind: str
    what: str


@dataclass
class Tally:
    """What became of many cases."""

    released: Counter = field(default_factory=Counter)
    refused: Counter = field(default_factory=Counter)  # by method and class of the refusal
    broken: list[Finding] = field(default_factory=list)
    leaks: list[Finding] = field(default_factory=list)
    failed: list[Finding] = field(default_factory=list)
    borders: int = 0
    orders: Orders = field(default_factory=Orders)

    @property
    def cases(self) -> int:
        return self.released.total() + self.refused.total() + len(self.failed)

    @property
    def fine(self) -> bool:
        return not (self.broken or self.leaks or self.failed or self.orders.leaks())

    def join(self, other: Tally) -> None:
        self.released += other.released
        self.refused += other.refused
        self.broken += other.broken
        self.leaks += other.leaks
        self.failed += other.failed
        self.borders += other.borders
        self.orders.join(other.orders)


def made(case: Case) -> Any:
    """The release of a case, in memory."""
    import discreet as ds
    from discreet.methods import METHODS
    from discreet.prepare.hierarchy import from_paths

    parameters = dict(case.parameters)
    if case.trees is not None:
        parameters["hierarchies"] = {name: from_paths(name, paths) for name, paths in case.trees.items()}
    method = METHODS[case.method](**parameters)
    if case.roles is not None:
        return method.release(case.data, ds.Roles(**case.roles))
    matrix = np.array(case.data)
    if case.source.gives == "sketches":
        from discreet.data.records import Records

        return method.release(Records.of(matrix, case.labels, names=case.names))
    return method.release(ds.Baskets.of(matrix, case.labels, names=case.names, persons=case.persons))


def one(seed: int, folder: Path, tally: Tally) -> None:
    """The case of a number: released into `folder` and checked, refused, or failed."""
    from discreet.errors import DiscreetError, PromiseBroken

    case = random_case(seed)

    def findings(found: Any) -> list[Finding]:
        return [Finding(seed, case.method, kind, what) for kind, what in found]

    case.source.hidden[folder.name] = "the name of the folder"
    case.source.hidden[str(folder.parent)] = "the path of the folder"
    try:
        with _within(SECONDS), warnings.catch_warnings():
            warnings.simplefilter("error")
            made(case).save(folder, format=case.format)
    except PromiseBroken as error:  # the last net held; the method should have known
        tally.failed += findings([("PromiseBroken", str(error))])
        return
    except DiscreetError as error:
        tally.refused[case.method, type(error).__name__] += 1
        tally.leaks += findings(refusal_leaks(str(error), case.source))
        return
    except Exception as error:
        tally.failed += findings([(type(error).__name__, str(error))])
        return
    tally.released[case.method] += 1
    found = check(folder, case.source)
    tally.broken += findings(found.broken)
    tally.leaks += findings(found.leaks)
    tally.borders += found.borders
    if found.order is not None:
        tally.orders.add(found.order)


class _within:  # noqa: N801  (reads as a word)
    """A block that may take so many seconds, where the system has alarms."""

    def __init__(self, seconds: int):
        self.seconds = seconds

    def __enter__(self) -> None:
        signal.signal(signal.SIGALRM, _late)
        signal.alarm(self.seconds)

    def __exit__(self, *error: object) -> None:
        signal.alarm(0)


def _late(number: int, frame: FrameType | None) -> None:
    raise TimeoutError("the release took too long")


def batch(seeds: range, keep: Path | None = None) -> Tally:
    """Many cases, in a folder that is removed; those with findings are kept under their number where asked."""
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix=_FOLDER, dir=_quick()) as folder:
        for seed in seeds:
            before = len(tally.broken) + len(tally.leaks)
            place = Path(folder) / f"Zq{seed:08x}"
            one(seed, place, tally)
            if keep is not None and len(tally.broken) + len(tally.leaks) > before and place.is_dir():
                shutil.copytree(place, keep / str(seed), dirs_exist_ok=True)
            shutil.rmtree(place, ignore_errors=True)
    return tally


def _quick() -> str | None:
    """A folder in memory where there is one: each save waits for the disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def many(
    count: int, *, seed: int, jobs: int, keep: Path | None = None, say: Callable[[Tally], None] | None = None
) -> Tally:
    """Cases from the number `seed` on until `count` releases were made; `say` hears of each batch."""
    whole = Tally()
    with contextlib.closing(_results(seed, jobs, keep)) as parts:
        while whole.released.total() < count:
            whole.join(next(parts))
            if say is not None:
                say(whole)
    return whole


def _results(seed: int, jobs: int, keep: Path | None) -> Generator[Tally, None, None]:
    """Batch after batch, in the order of their numbers, some of them ahead."""
    batches = (range(start, start + _BATCH) for start in itertools.count(seed, _BATCH))
    if jobs == 1:
        yield from (batch(seeds, keep) for seeds in batches)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_alone) as pool:
        ahead = deque(pool.submit(batch, next(batches), keep) for _ in range(2 * jobs))
        try:
            while True:
                yield ahead.popleft().result()
                ahead.append(pool.submit(batch, next(batches), keep))
        finally:
            pool.shutdown(cancel_futures=True)


def _alone() -> None:
    """One thread in each process: the tables are small."""
    import pyarrow as pa

    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
