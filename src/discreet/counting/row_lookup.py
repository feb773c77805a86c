# SPDX-License-Identifier: Apache-2.0
"""Find the distinct row of coded rows, or its group, by a hash table of packed keys.

Codes of a row are packed into one integer. Where they do not fit, the first columns are replaced by the number of
their combination among the distinct rows, and packing goes on from there. A lookup takes some 15 ns a row, whatever
the number of distinct rows; descending a tree of a million nodes takes forty times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from discreet.counting.tally import group
from discreet.foundation.compiled_kernels import compiled

_MOST = 2**62  # keys stay below


@dataclass(frozen=True, eq=False)
class _Stage:
    """Columns that are packed into one key, and the number of each key among those that occur."""

    columns: range
    widths: tuple[int, ...]  # of the number so far, if there is one, and of the columns
    slots: np.ndarray  # keys and their numbers; -1 for an empty slot

    def numbers(self, so_far: np.ndarray | None, codes: Sequence[np.ndarray]) -> np.ndarray:
        found = np.empty(len(codes[0]), dtype=np.int64)
        _find(_packed(so_far, [codes[c] for c in self.columns], self.widths), self.slots, found)
        return found


class RowLookup:
    """The number of coded rows that equal one of the distinct rows, by default its place; -1 for all others.

    >>> index = RowLookup(np.array([[0, 1], [0, 2], [3, 0]]))
    >>> index.find([np.array([3, 0, 1]), np.array([0, 2, 1])]).tolist()
    [2, 1, -1]
    """

    def __init__(self, distinct: np.ndarray, numbers: np.ndarray | None = None):
        self._stages: list[_Stage] = []
        self._widths = [int(column.max(initial=0)) + 1 for column in distinct.T]
        so_far, stop = None, 0
        while stop < len(self._widths):
            start = stop
            stop, widths = self._reach(start, so_far)
            key = _packed(so_far, [distinct[:, c] for c in range(start, stop)], widths)
            if stop == len(self._widths):
                number = np.arange(len(key)) if numbers is None else numbers
            else:
                so_far, first = group([key], len(key), ordered=False)
                key, number = key[first], np.arange(len(first))
            self._stages.append(_Stage(range(start, stop), widths, _table(key, number)))

    @property
    def arrays(self) -> list[np.ndarray]:
        """What rows are looked up in."""
        return [stage.slots for stage in self._stages]

    def _reach(self, start: int, so_far: np.ndarray | None) -> tuple[int, tuple[int, ...]]:
        """The columns that fit into one key, at least one, and the widths of its parts.

        One always fits: numbers of rows and codes are below 2^31.
        """
        widths = [] if so_far is None else [int(so_far.max(initial=0)) + 1]
        span = reduce(lambda a, b: a * b, widths, 1)
        stop = start
        while stop < len(self._widths) and (stop == start or span * self._widths[stop] < _MOST):
            widths.append(self._widths[stop])
            span *= self._widths[stop]
            stop += 1
        return stop, tuple(widths)

    def find(self, codes: Sequence[np.ndarray]) -> np.ndarray:
        """The number of each row, given as one array of codes for each column."""
        so_far: np.ndarray | None = None
        for stage in self._stages:
            so_far = stage.numbers(so_far, codes)
        assert so_far is not None
        return so_far


def _packed(so_far: np.ndarray | None, columns: Sequence[np.ndarray], widths: tuple[int, ...]) -> np.ndarray:
    """One integer per row, -1 where a code is not below its width."""
    key = np.zeros(len(columns[0]), dtype=np.int64) if so_far is None else so_far.astype(np.int64)
    for column, width in zip(columns, widths[-len(columns) :], strict=True):
        _extend(key, np.ascontiguousarray(column, dtype=np.int32), width)
    return key


def _table(key: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Open addressing, two thirds full."""
    slots = np.full((max(3 * len(key) // 2, 16), 2), -1, dtype=np.int64)
    _fill(key, number.astype(np.int64), slots)
    return slots


@compiled
def add_up(found, rows):
    """Count how often each number is found."""
    for i in range(len(found)):
        rows[found[i]] += 1


@compiled
def _extend(key, codes, width):
    for i in range(len(key)):
        if key[i] >= 0:
            key[i] = key[i] * width + codes[i] if 0 <= codes[i] < width else -1


@compiled
def _fill(key, number, slots):
    n_slots = np.uint64(len(slots))
    for i in range(len(key)):
        slot = _slot(key[i], n_slots)
        while slots[slot, 1] >= 0 and slots[slot, 0] != key[i]:
            slot += np.uint64(1)
            if slot == n_slots:
                slot = np.uint64(0)
        slots[slot, 0] = key[i]
        slots[slot, 1] = number[i]


@compiled
def _find(key, slots, found):
    n_slots = np.uint64(len(slots))
    for i in range(len(key)):
        slot = _slot(key[i], n_slots)
        while slots[slot, 1] >= 0 and slots[slot, 0] != key[i]:
            slot += np.uint64(1)
            if slot == n_slots:
                slot = np.uint64(0)
        found[i] = slots[slot, 1] if key[i] >= 0 else -1


@compiled
def _slot(key, n_slots):
    """A place among less than 2^32 slots: the upper half of a product of 32 random bits."""
    return ((np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)) * n_slots >> np.uint64(32)
