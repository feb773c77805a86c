# SPDX-License-Identifier: Apache-2.0
"""Random rows of a piece, drawn where the rows are, so that the others need not come to the driver."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from discreet.engines.spark_counting import as_bytes
from discreet.engines.spark_pieces import RowPiece
from discreet.engines.spark_publish import row_numbers


@dataclass(frozen=True)
class DrawRows:
    """A task: the raw cells of rows of a piece, each drawn with the same probability by its number under the key."""

    columns: tuple[str, ...]
    share: float
    key: bytes

    def __call__(self, piece: RowPiece, _: object) -> bytes:
        some = []
        for first, batch in piece.batches(self.columns):
            chance = (row_numbers(self.key, piece.file, first, len(batch)) >> np.uint64(11)) / 2.0**53
            some.append(batch.filter(pa.array(chance < self.share)))
        return as_bytes(pa.Table.from_batches(some).unify_dictionaries())
