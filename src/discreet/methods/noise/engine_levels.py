# SPDX-License-Identifier: Apache-2.0
"""Rows of an engine as differentially private methods take them: every cell is read by itself, a batch at a time, and
only the different combinations of levels are kept, with how many rows have each.

Counts are whole numbers, so nothing depends on how the rows were divided into batches. Of each person so many rows are
drawn at most, by priorities that are drawn before anyone looks (`some_rows`): kept are the best of each person so far.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.counting.coding import changed
from discreet.counting.tally import distinct_codes, is_engine
from discreet.data.cells import Cells
from discreet.data.roles import Roles
from discreet.errors import CannotRelease, DataError, PrivacyLeakWarning
from discreet.foundation.parameters import check_parameters
from discreet.foundation.randomness import Randomness
from discreet.methods.noise.private_rows import SEEDED, best_rows
from discreet.recoding.public_domain import NOT_PUBLIC, check_roles

_GATHERED = 2**20  # rows or combinations that wait to be merged

Levels = Callable[[Cells], np.ndarray]  # of the cells of a column


@dataclass(frozen=True, eq=False)
class CountedLevels:
    """Combinations of levels, a line for each column, and how many rows each stands for; None: one."""

    codes: np.ndarray
    rows: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        return self.codes.shape[1] if self.rows is None else int(self.rows.sum())


def counted(codes: Sequence[np.ndarray], sizes: Sequence[int], rows: np.ndarray | None = None) -> np.ndarray:
    """Rows per cell, with the last column varying fastest; `rows` says how many rows each combination stands for.

    >>> counted([np.array([0, 1, 1]), np.array([2, 0, 0])], (2, 3)).tolist()
    [0, 0, 1, 2, 0, 0]
    """
    cells = np.ravel_multi_index(tuple(codes), tuple(sizes))
    n_cells = int(np.prod(sizes, dtype=np.int64))
    if rows is None:
        return np.bincount(cells, minlength=n_cells)
    counts = np.zeros(n_cells, dtype=np.int64)  # not bincount, whose weights are doubles
    np.add.at(counts, cells, rows)
    return counts


def check_engine(engine: Any, roles: Roles, method: object) -> None:
    """Check what does not depend on cells: the names of columns, and that the engine hands out its cells."""
    if not hasattr(type(engine), "cells"):
        raise DataError(
            f"{type(method).__name__} reads every cell by itself, which {type(engine).__name__} cannot hand out. Pass"
            " Parquet or CSV files through the DuckDB engine, or a table."
        )
    check_roles(_Names(engine.names), roles)  # type: ignore[arg-type]


def engine_simulation(method: Any, engine: Any, roles: Roles) -> Randomness:
    """The randomness of a simulation on an engine's rows, as `simulation` for a table; the domain must be public."""
    if method.domain is None:
        raise CannotRelease(*NOT_PUBLIC)
    check_parameters(method, method._parameter_constraints)
    check_engine(engine, roles, method)
    randomness = Randomness(method.random_state)
    if randomness.seeded:
        warnings.warn(SEEDED, PrivacyLeakWarning, stacklevel=3)
    return randomness


@dataclass(frozen=True)
class _Names:
    """What roles are checked by."""

    names: Sequence[str]

    def __contains__(self, name: object) -> bool:
        return name in self.names


def counted_levels(
    engine: Any,
    levels: Sequence[tuple[str, Levels]],
    *,
    person: str | None,
    most: int,
    randomness: Randomness,
    n_rows: int | None = None,
) -> CountedLevels:
    """The rows of an engine by the levels of some columns; with a person, at most so many rows of each.

    `n_rows` is the number of rows that the noise is for, if it depends on it: other numbers of rows are refused.
    """
    assert is_engine(engine)
    names = list(dict.fromkeys([*(name for name, _ in levels), *([] if person is None else [person])]))
    priority = None
    if person is not None:
        n_rows = len(engine) if n_rows is None else n_rows
        priority = randomness.uint64(n_rows)
    persons, gathered, start = PersonNumbers(), _Gathered(len(levels), most), 0
    for batch in engine.cells(names):
        codes = np.stack([np.asarray(read(batch[name]), dtype=np.int32) for name, read in levels])
        if n_rows is not None and start + codes.shape[1] > n_rows:
            raise changed()
        if priority is None or person is None:
            gathered.count(codes)
        else:
            gathered.keep(codes, persons(batch[person]), priority[start : start + codes.shape[1]])
        start += codes.shape[1]
    if n_rows is not None and start != n_rows:
        raise changed()
    return gathered.counted()


class TextNumbers:
    """Numbers the different texts of a column as they are met in batches; missing is one of them."""

    def __init__(self) -> None:
        self._number_of: dict[str | None, int] = {}

    def __call__(self, cells: Cells) -> np.ndarray:
        return self._numbered(cells.texts, cells.codes)

    def _numbered(self, texts: Sequence[str], codes: np.ndarray) -> np.ndarray:
        numbers = [self._number_of.setdefault(text, len(self._number_of)) for text in (*texts, None)]
        return np.array(numbers, dtype=np.int64)[codes]

    def __len__(self) -> int:
        return len(self._number_of)


class PersonNumbers(TextNumbers):
    """Numbers persons; a row without an id is a person of its own."""

    def __init__(self) -> None:
        super().__init__()
        self._nobodies = 0

    def __call__(self, cells: Cells) -> np.ndarray:
        texts, codes = cells.identities
        numbers = self._numbered(texts, codes)
        nobody = np.flatnonzero(codes == len(texts))
        numbers[nobody] = -1 - self._nobodies - np.arange(len(nobody))
        self._nobodies += len(nobody)
        return numbers


class _Gathered:
    """Combinations with their rows, or rows of persons, merged whenever many wait."""

    def __init__(self, n_columns: int, most: int):
        self._most = most
        self._codes: list[np.ndarray] = [np.empty((n_columns, 0), dtype=np.int32)]
        self._rows: list[np.ndarray] = [np.empty(0, dtype=np.int64)]
        self._persons: list[np.ndarray] = []
        self._priorities: list[np.ndarray] = []
        self._n_merged = 0

    def count(self, codes: np.ndarray) -> None:
        self._add(codes, np.ones(codes.shape[1], dtype=np.int64))

    def keep(self, codes: np.ndarray, persons: np.ndarray, priority: np.ndarray) -> None:
        self._persons.append(persons)
        self._priorities.append(priority)
        self._add(codes, np.ones(codes.shape[1], dtype=np.int64))

    def _add(self, codes: np.ndarray, rows: np.ndarray) -> None:
        self._codes.append(codes)
        self._rows.append(rows)
        if sum(map(len, self._rows)) > 2 * self._n_merged + _GATHERED:
            self._merge()

    def _merge(self) -> None:
        codes, rows = np.concatenate(self._codes, axis=1), np.concatenate(self._rows)
        if self._persons:
            persons, priority = np.concatenate(self._persons), np.concatenate(self._priorities)
            best = best_rows(persons, priority, self._most)
            codes, rows = codes[:, best], rows[best]
            self._persons, self._priorities = [persons[best]], [priority[best]]
        else:
            codes, rows = _merged(codes, rows)
        self._codes, self._rows, self._n_merged = [codes], [rows], len(rows)

    def counted(self) -> CountedLevels:
        self._merge()
        codes, rows = _merged(self._codes[0], self._rows[0])
        return CountedLevels(codes, rows)


def _merged(codes: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    if not len(rows):
        return codes, rows
    distinct, of_row = distinct_codes(list(codes), len(rows))
    summed = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(summed, of_row, rows)
    return np.ascontiguousarray(distinct.T), summed
