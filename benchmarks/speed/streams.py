# SPDX-License-Identifier: Apache-2.0
"""Sketching a stream: lines in, checked sketches in the columns of published files out."""

from __future__ import annotations

import io

from benchmarks.speed.measure import Table, in_turns, within
from discreet import DeltaSketch
from discreet.samples import quest
from discreet.signs import Signs
from discreet.streaming import as_batch, line_batches, sketch_stream

_RECORDS = 50_000  # to be done in a second
_ITEMS = 1000


def stream(table: Table, runs: int) -> None:
    """C20.I4 as lines of 20 items, by delta 0.4 and the defaults."""
    matrix = quest(_RECORDS, _ITEMS, mean_length=20, classes=2).data.matrix
    names = [f"item{i}" for i in range(_ITEMS)]
    ends, cells = matrix.indptr.tolist(), [names[i] for i in matrix.indices.tolist()]
    lines = "".join(" ".join(cells[ends[i] : ends[i + 1]]) + "\n" for i in range(_RECORDS)).encode()
    signs, method = Signs(bytes(32), _ITEMS), DeltaSketch(0.4)

    def work() -> None:
        for made in sketch_stream(line_batches(io.BytesIO(lines)), method, signs, names):
            as_batch(made)

    (ours,) = in_turns(work, runs=runs)
    note = f"{_RECORDS / ours.clock:,.0f} records a second"
    table.add(within(f"sketch_stream, {_RECORDS:,} lines of 20 items", 1.0, ours, note=note))
