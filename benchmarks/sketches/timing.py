# SPDX-License-Identifier: Apache-2.0
"""Seconds of a processor: sketching against the ones of a record and against records, neighbours exactly and through an
index against records. Data are those of the paper's Figures 13 and 14, made by the built-in generator.

Above 100,000 records the exact search is timed for 20,000 of them, each against all, and multiplied: its time is the
sum over records.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from benchmarks.sketches.studies import Asked, head, row
from discreet import DeltaSketch
from discreet.data.records import Records
from discreet.samples import quest
from discreet.sketching.signs import Signs
from discreet.sketching.similar_records import _nearest, _order, _Ranked, approximate, nearest, recall
from discreet.sketching.sketches import sketch

ONES = (10, 20, 30, 40, 60, 80)
ROWS = (50_000, 100_000, 200_000, 500_000, 1_000_000)
SEARCHED = (5_000, 20_000, 50_000, 100_000, 200_000, 400_000)
COMPONENTS, ITEMS, K = 100, 1000, 5
_WHOLE, _PART, _SAMPLED = 100_000, 20_000, 200


def made(rows: int, ones: int = 20) -> Records:
    found = Records.of(quest(rows, ITEMS, mean_length=ones, mean_pattern=6, classes=2).data)
    return found.take(np.flatnonzero(found.ones))


def seconds(work: Callable[[], object], runs: int = 7) -> float:
    """The least of several runs, after one that is not counted."""
    work()
    taken = []
    for _ in range(runs):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


SKETCHED: tuple[tuple[str, tuple[int, ...], Callable[[int], Records]], ...] = (
    ("ones", ONES, lambda ones: made(200_000, ones)),
    ("records", ROWS, made),
)


def seconds_of_sketching(data: Records) -> float:
    signs = Signs(bytes(32), ITEMS)
    return seconds(lambda: sketch(data, signs, COMPONENTS))


def seconds_of_search(data: Records) -> float:
    """Of the exact search."""
    begun = time.process_time()
    if len(data) <= _WHOLE:
        nearest(data, K)
        return time.process_time() - begun
    _nearest(_Ranked.of(data, _order(data)), K, np.arange(_PART))
    return (time.process_time() - begun) * len(data) / _PART


def sketching(asked: Asked) -> None:
    """Linear in the ones, and in the records."""
    for what, sizes, of in SKETCHED:
        print(f"\n## Sketching to {COMPONENTS} components, and by delta = 0.4 with the defaults, against {what}\n")
        head(what, "cells", f"{COMPONENTS} components, s", "ns a cell and component", "DeltaSketch, s")
        for size in sizes:
            data = of(size)
            signs, cells = Signs(bytes(32), ITEMS), len(data.matrix.data)
            taken = seconds_of_sketching(data)
            by_delta = seconds(lambda d=data, s=signs: DeltaSketch(0.4).sketch(d, s))
            each = taken / cells / COMPONENTS * 1e9
            row(f"{size:,}", f"{cells:,}", f"{taken:.3f}", f"{each:.3f}", f"{by_delta:.3f}")
            asked.keep(sketching, against=what, size=size, cells=cells, seconds=taken, by_delta=by_delta)


def neighbours(asked: Asked) -> None:
    """Where the index takes over from the exact search."""
    print(f"\n## {K} nearest neighbours of C20.I6 records\n")
    head("records", "exact, CPU-s", "index, CPU-s", "exact / index", "found by the index")
    approximate(made(2_000), K, 0)  # compiles
    nearest(made(2_000), K)
    for size in SEARCHED:
        data = made(size)
        exact = seconds_of_search(data)
        begun = time.process_time()
        found = approximate(data, K, 0)
        index = time.process_time() - begun
        share = recall(data, found, np.arange(0, len(data), -(-len(data) // _SAMPLED)))
        row(f"{size:,}", f"{exact:.2f}", f"{index:.2f}", f"{exact / index:.2f}", f"{share:.1%}")
        asked.keep(neighbours, size=size, exact=exact, index=index, found=share)
