# SPDX-License-Identifier: Apache-2.0
"""Tasks on the workers of Spark for tables whose distinct rows outgrow memory: a sample, histograms, rows as codes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.counting.coding import ListedCells
from discreet.counting.router import Histograms, Router
from discreet.engines.spark_counting import codes_of
from discreet.engines.spark_pieces import Piece

Codings = Mapping[str, ListedCells]


@dataclass(frozen=True)
class CodeRows:
    """A task: the codes of each column, of every row or of one in `step` of them."""

    columns: tuple[str, ...]
    step: int = 1

    def __call__(self, piece: Piece, codings: Codings) -> list[np.ndarray]:
        batches = [
            [codes[:: self.step] for codes in codes_of(batch, self.columns, codings)]
            for _, batch in piece.batches(self.columns)
        ]
        return [np.concatenate(parts) for parts in zip(*batches, strict=True)]


@dataclass(frozen=True)
class CountRanks:
    """Tasks: rows by node, column and rank, counted in some pieces at a time and added up in slices."""

    columns: tuple[str, ...]
    opened: tuple[int, ...]
    by: str | None
    n_classes: int
    n_slices: int

    def scatter(self, pieces: Sequence[Piece], shared: tuple[Router, Codings]) -> Iterator[tuple[int, bytes]]:
        router, codings = shared
        counted = Histograms.count(router, self._batches(pieces, codings), opened=self.opened, n_classes=self.n_classes)
        every = np.concatenate([counts.ravel() for counts in counted.of])
        for place, part in enumerate(np.array_split(every, self.n_slices)):
            yield place, part.tobytes()

    def _batches(
        self, pieces: Sequence[Piece], codings: Codings
    ) -> Iterator[tuple[Sequence[np.ndarray], np.ndarray | None]]:
        names = self.columns if self.by is None else (*self.columns, self.by)
        for piece in pieces:
            for _, batch in piece.batches(names):
                codes = codes_of(batch, names, codings)
                yield (codes, None) if self.by is None else (codes[:-1], codes[-1])

    def gather(self, _: int, parts: Iterable[bytes], __: object) -> np.ndarray:
        return np.sum([np.frombuffer(part, dtype=np.int64) for part in parts], axis=0)

    def histograms(self, router: Router, slices: Sequence[np.ndarray]) -> Histograms:
        every = np.concatenate(slices)
        levels = [int(of.max(initial=0)) + 1 for of in router.rank_of_code]
        ends = np.cumsum([len(self.opened) * n * self.n_classes for n in levels])
        parts = np.split(every, ends[:-1])
        return Histograms(
            [part.reshape(len(self.opened), n, self.n_classes) for part, n in zip(parts, levels, strict=True)]
        )
