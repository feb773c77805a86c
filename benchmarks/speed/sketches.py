# SPDX-License-Identifier: Apache-2.0
"""Sketching sparse records, beside scikit-learn's sparse random projection; k-variance of 200,000 records."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.random_projection import SparseRandomProjection

from benchmarks.speed.measure import Table, Times, against, in_a_process, in_turns
from discreet.sketching.signs import Signs
from discreet.sketching.sketches import sketch

_ROWS, _ITEMS, _ONES, _COMPONENTS = 200_000, 1000, 20, 100
_ASKED = 1000  # rows whose neighbours the rival looks for


def sketching(table: Table, runs: int) -> None:
    """200,000 x 1,000, 20 ones a row, to 100 components; and with more items than signs are kept for."""
    for items in (_ITEMS, 100 * _ITEMS):
        matrix = _matrix(items)
        signs = Signs.fresh(items)
        projection = SparseRandomProjection(_COMPONENTS, random_state=0).fit(matrix)
        ours, theirs, as_bytes = in_turns(
            lambda matrix=matrix, signs=signs: sketch(matrix, signs, _COMPONENTS),
            lambda projection=projection, matrix=matrix: projection.transform(matrix),
            lambda doubled=matrix * 2, signs=signs: sketch(doubled, signs, _COMPONENTS),
            runs=runs,
        )
        what = f"Sketches, {_ROWS:,} x {items:,}, {_ONES} ones a row, to {_COMPONENTS}"
        note = f"{ours.clock / (_ROWS * _ONES * _COMPONENTS) * 1e9:.2f} ns a sign"
        table.add(against(f"{what} ({note})", "SparseRandomProjection.transform", ours, theirs, 1.0))
        table.add(against("  the same", "cells of 2, whose signs are bytes", ours, as_bytes, None))


def _matrix(items: int) -> sp.csr_array:
    """Ones at random, 20 different items in each row."""
    rng = np.random.default_rng(0)
    start = rng.integers(0, items, (_ROWS, 1))
    steps = np.cumsum(rng.integers(1, items // _ONES, (_ROWS, _ONES)), axis=1)
    indices = np.sort((start + steps) % items, axis=1).astype(np.int32).ravel()
    indptr = np.arange(0, _ROWS * _ONES + 1, _ONES, dtype=np.int32)
    return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(_ROWS, items))


_K_VARIANCE = """
import json, sys, tempfile, time
from pathlib import Path
from discreet import VarianceSketch, verify
from discreet.sketching.similar_records import _all
from discreet.samples import quest

data = quest(int(sys.argv[1]), 1000, mean_length=20, classes=2).data
VarianceSketch(5).release(quest(500, 1000, mean_length=20, classes=2).data)  # compiles
said, clock, cpu = {}, time.perf_counter(), time.process_time()

def done(what):
    global clock, cpu
    said[what] = [time.perf_counter() - clock, time.process_time() - cpu]
    clock, cpu = time.perf_counter(), time.process_time()

with tempfile.TemporaryDirectory() as folder:
    release = VarianceSketch(5).release(data)
    done("made")
    saved = release.save(Path(folder) / "out")
    done("saved")
    _all.cache_clear()  # as another process would
    assert verify(saved / "release", owner=saved / "owner").holds
    done("verified")
from sklearn.neighbors import NearestNeighbors

search = NearestNeighbors(n_neighbors=6, algorithm="brute", metric="cosine").fit(data.matrix.astype("float64"))
done("fitted")
search.kneighbors(data.matrix[: int(sys.argv[2])].astype("float64"))
done("theirs")
print(json.dumps(said))
"""


def k_variance(table: Table, runs: int) -> None:
    """5-variance of C20.I4.D200K with exact neighbours: made and saved, then verified by the owner anew. One run.

    Beside it scikit-learn's exact search for the same neighbours, alone: some rows against all, as many times over.
    """
    found = in_a_process(_K_VARIANCE, _ROWS, _ASKED)
    theirs = Times([found["theirs"][0]], [found["theirs"][1]]).times(_ROWS / _ASKED)
    for what, parts in (("made and saved", ("made", "saved")), ("verified with the owner's folder", ("verified",))):
        times = Times([sum(found[part][0] for part in parts)], [sum(found[part][1] for part in parts)])
        rival = f"NearestNeighbors, brute, {_ASKED:,} rows x {_ROWS // _ASKED}"
        table.add(against(f"VarianceSketch(5), {_ROWS:,} records, {what}", rival, times, theirs, 1.0))
