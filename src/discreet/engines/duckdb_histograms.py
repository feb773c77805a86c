# SPDX-License-Identifier: Apache-2.0
"""Rows as codes, read once and kept in a scratch folder, so that they can be counted again and again by the nodes of a
growing tree without reading the source anew.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.counting.coding import Coding, ListedCells, changed
from discreet.counting.router import Histograms, Router
from discreet.engines.code_file import CodeFile
from discreet.errors import DataError, shown
from discreet.foundation.atomic_files import scratch_folder


class CodedScans:
    """Part of the engine: batches of codes, and histograms of them."""

    coding: Callable[[str], Coding]
    _rows: Callable[[Sequence[str], Sequence[str]], Iterator[pa.RecordBatch]]
    _source: Any
    _stored: dict[tuple[str, ...], _StoredCodes] | None = None

    def coded(self, columns: Sequence[str]) -> Iterator[list[np.ndarray]]:
        """All rows in some order, a batch at a time: the codes of each column."""
        codings = [_listed(self.coding(name)) for name in columns]
        names, state = tuple(columns), self._source.state()
        stored = self._stored = {} if self._stored is None else self._stored
        if names in stored and stored[names].state == state:
            yield from stored[names].file.batches()
            return
        store = _StoredCodes(state)
        for batch in self._rows(names, names):
            codes = [coding.compact(batch.column(coding.name)).to_numpy() for coding in codings]
            store.file.append(codes)
            yield codes
        if self._source.state() != state:
            raise changed()
        stored[names] = store

    def histograms(
        self, router: Router, columns: Sequence[str], *, opened: Sequence[int], by: str | None = None
    ) -> Histograms:
        """Rows by rank, and by the classes `by`, in each of the opened ends of the router, for each column."""
        if by is None:
            return Histograms.count(router, ((codes, None) for codes in self.coded(columns)), opened=opened)
        batches = ((codes[:-1], codes[-1]) for codes in self.coded([*columns, by]))
        return Histograms.count(router, batches, opened=opened, n_classes=_listed(self.coding(by)).levels + 1)


class _StoredCodes:
    """A file of codes that only this user can read, removed with this object; `state` is that of the source."""

    def __init__(self, state: object):
        self.state = state
        until_closed = ExitStack()
        self.file = CodeFile(until_closed.enter_context(scratch_folder()) / "codes")
        weakref.finalize(self, until_closed.close)


def _listed(coding: Coding) -> ListedCells:
    if not isinstance(coding, ListedCells):
        raise DataError(
            f"Column {shown(coding.name)} has too many different values to be cut where it is. Round or bin it first."
        )
    return coding
