# SPDX-License-Identifier: Apache-2.0
"""Rows as codes, read once and kept in a scratch folder, so that they can be counted again and again by the nodes of a
growing tree without reading the source anew.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from discreet.counting.coding import ListedCells, changed
from discreet.counting.distinct_estimate import SAMPLE, distinct_rows
from discreet.counting.router import Histograms, Router
from discreet.counting.tally import distinct_codes
from discreet.data.cells import Cells
from discreet.data.notation import Formats
from discreet.data.reading import Marks
from discreet.engines.code_file import CodeFile
from discreet.foundation.atomic_files import ScratchFolder
from discreet.foundation.randomness import Randomness


class CodedScans(ABC):
    """Part of an engine of raw cells: batches of codes, and histograms of them."""

    _missing: tuple[str, ...]
    _formats: Formats
    _together: tuple[str, ...] = ()
    _stored: tuple[object, tuple[str, ...], CodeFile, ScratchFolder] | None = None  # until rows are published

    @abstractmethod
    def _listed(self, name: str) -> ListedCells: ...

    @abstractmethod
    def _batches(self, names: Sequence[str]) -> Iterator[pa.RecordBatch]: ...

    @abstractmethod
    def _state(self) -> object: ...

    @abstractmethod
    def __len__(self) -> int: ...

    def read_together(self, columns: Sequence[str]) -> None:
        """Several scans will ask for some of these columns: the first of them reads and keeps them all."""
        self._together = tuple(columns)

    def coded(self, columns: Sequence[str]) -> Iterator[list[np.ndarray]]:
        """All rows in some order, a batch at a time: the codes of each column."""
        state = self._state()
        if self._stored is not None and self._stored[0] == state and set(columns) <= set(self._stored[1]):
            yield from self._stored[2].batches([self._stored[1].index(name) for name in columns])
            return
        together = tuple(dict.fromkeys([*columns, *self._together]))
        codings = [self._listed(name) for name in together]
        scratch = ScratchFolder(getattr(self, "scratch", None))
        file = CodeFile(scratch.folder / "codes")
        for batch in self._batches(list(together)):
            codes = [coding.compact(batch.column(coding.name)).to_numpy() for coding in codings]
            file.append(codes)
            yield codes[: len(columns)]
        if self._state() != state:
            raise changed()
        self._stored = state, together, file, scratch

    def cells(self, columns: Sequence[str]) -> Iterator[dict[str, Cells]]:
        """All rows, a batch at a time: the cells of each column, each read by itself."""
        marks, state = Marks.of(self._missing), self._state()
        for batch in self._batches(list(columns)):
            yield {name: self._read_cells(batch.column(name), name, marks) for name in columns}
        if self._state() != state:
            raise changed()

    def _read_cells(self, cells: pa.Array, name: str, marks: Marks) -> Cells:
        return Cells.of(cells, marks=marks, notations=self._formats.given(name).of_cells)

    def histograms(
        self, router: Router, columns: Sequence[str], *, opened: Sequence[int], by: str | None = None
    ) -> Histograms:
        """Rows by rank, and by the classes `by`, in each of the opened ends of the router, for each column."""
        if by is None:
            return Histograms.count(router, ((codes, None) for codes in self.coded(columns)), opened=opened)
        batches = ((codes[:-1], codes[-1]) for codes in self.coded([*columns, by]))
        return Histograms.count(router, batches, opened=opened, n_classes=len(self._listed(by).values) + 1)

    def likely_distinct(self, columns: Sequence[str]) -> int:
        """The likely number of distinct rows, estimated from rows of every batch."""
        randomness, some = Randomness(0), []  # has no bearing on what is published
        most = 2.0**64 * SAMPLE / max(len(self), 1)
        for codes in self.coded(columns):
            chosen = np.flatnonzero(randomness.uint64(len(codes[0])) < most)
            some.append([column[chosen] for column in codes])
        sample = [np.concatenate(parts) for parts in zip(*some, strict=True)]
        rows = distinct_codes(sample, len(sample[0]), ordered=False)[1]
        return distinct_rows(np.bincount(rows), len(self)).likely
