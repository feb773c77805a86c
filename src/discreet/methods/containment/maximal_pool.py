# SPDX-License-Identifier: Apache-2.0
"""The best sets so far, the larger first, then in the order of their columns; and the time to find better ones."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.errors import DataError
from discreet.foundation.compiled_kernels import compiled

_CELLS = 1 << 28  # of sets that are kept: 2 GB


@dataclass(frozen=True)
class MaximalSets:
    """Sets of columns, the larger first, then in the order of their columns; `proven`: no other set belongs here.

    `bound`: no set of the family has more columns; None when that is not known.
    """

    sets: list[tuple[int, ...]]
    proven: bool
    bound: int | None = None


class OutOfTime(Exception):  # noqa: N818  (no error: it ends a search that has an answer)
    """The time limit was reached."""


class Clock:
    """How long to search: seconds, and an amount of work (words looked at), which is the same on every machine."""

    def __init__(self, seconds: float | None = None, work: float | None = None, tick: Callable[[], None] | None = None):
        self.end = None if seconds is None else time.monotonic() + seconds
        self.work = work
        self.tick = tick

    def check(self, work: int = 0) -> None:
        """Say that so much more work was done; raises OutOfTime when that was all."""
        if self.tick is not None:
            self.tick()
        if self.work is not None:
            self.work -= work
        if (self.work is not None and self.work <= 0) or self.over:
            raise OutOfTime

    @property
    def over(self) -> bool:
        """Whether the seconds are over."""
        return self.end is not None and time.monotonic() >= self.end

    def part(self, share: float, work: float) -> Clock:
        """A clock for a share of the time that is left, and for no more than so much work."""
        remaining = None if self.end is None else share * max(self.end - time.monotonic(), 0)
        return Clock(remaining, work, self.tick)


class Pool:
    """The r best sets so far."""

    def __init__(self, r: int, width: int):
        r = min(r, 2 ** min(width, 62))  # there are no more sets
        if r * max(width, 1) > _CELLS:
            raise DataError(
                f"{r} sets of up to {width} columns would take {r * width * 8 / 2**30:.0f} GB of memory. Ask for fewer."
            )
        self.sets = np.zeros((r, max(width, 1)), dtype=np.int64)
        self.sizes = np.zeros(r, dtype=np.int64)
        self.state = np.zeros(2, dtype=np.int64)  # how many there are, the smallest size that is looked for

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.sets, self.sizes, self.state

    @property
    def smallest(self) -> int:
        """The size of the smallest set, 0 when there is room for more."""
        return int(self.sizes[-1]) if self.state[0] == len(self.sizes) else 0

    def offer(self, columns: np.ndarray) -> bool:
        return bool(offer(np.asarray(columns, dtype=np.int64), len(columns), *self.arrays))

    def result(self, proven: bool) -> MaximalSets:
        sets = [tuple(self.sets[i, : self.sizes[i]].tolist()) for i in range(self.state[0])]
        return MaximalSets(sets, proven, (len(sets[0]) if sets else 0) if proven else None)


@compiled
def floor_of(sizes, state):
    """The size a set must have to be of interest."""
    return max(state[1], sizes[-1]) if state[0] == len(sizes) else state[1]


@compiled
def _compare(wanted, size, other, other_size):
    """-1 when `wanted` comes before the other, 0 when they are equal, 1 when it comes after."""
    if size != other_size:
        return -1 if size > other_size else 1
    for i in range(size):
        if wanted[i] != other[i]:
            return -1 if wanted[i] < other[i] else 1
    return 0


@compiled
def precedes(wanted, size, pool, sizes, state):
    """Would the set come into the pool?"""
    if state[0] < len(sizes):
        return True
    return _compare(wanted, size, pool[-1], sizes[-1]) < 0


@compiled
def offer(wanted, size, pool, sizes, state):
    """Put a set into the pool, unless it is there or too late in the order."""
    if not precedes(wanted, size, pool, sizes, state):
        return False
    place = 0
    while place < state[0]:
        order = _compare(wanted, size, pool[place], sizes[place])
        if order == 0:
            return False
        if order < 0:
            break
        place += 1
    state[0] = min(state[0] + 1, len(sizes))
    for i in range(state[0] - 1, place, -1):
        sizes[i] = sizes[i - 1]
        for j in range(sizes[i]):
            pool[i, j] = pool[i - 1, j]
    for j in range(size):
        pool[place, j] = wanted[j]
    sizes[place] = size
    return True
