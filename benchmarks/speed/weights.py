# SPDX-License-Identifier: Apache-2.0
"""Weighing features by nearest hits and misses: dense rows, and sparse ones that stay sparse."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_selection import mutual_info_classif

from benchmarks import rivals
from benchmarks.speed.measure import Line, Table, Times, against, in_turns
from discreet import Fwell, PrivateFwell, samples

FASTER = 50  # times, at least


def waveform() -> tuple[np.ndarray, np.ndarray]:
    sample = samples.load("waveform40")
    columns = sample.data.columns(sample.roles.quasi)
    X = np.column_stack([column.numbers[column.codes] for column in columns])
    return X, sample.data.column(sample.roles.target).codes.astype(np.int64)


def basehock() -> tuple[sp.csr_array, np.ndarray]:
    sample = samples.load("basehock", counts=True)
    return sp.csr_array(sample.counts, dtype=np.float64), np.asarray(sample.data.labels, dtype=np.int64)


def weights(table: Table, runs: int) -> None:
    """Fwell against skrebate's ReliefF, which takes dense rows only, and against mutual information, which looks for
    no neighbours among rows; PrivateFwell without a limit."""
    for name, load in (("Waveform 5,000 x 40", waveform), ("BASEHOCK 1,993 x 4,862, sparse", basehock)):
        X, y = load()
        ours, private, mutual = in_turns(
            lambda X=X, y=y: Fwell().fit(X, y),
            lambda X=X, y=y: PrivateFwell(n_features=20).fit(X, y),
            lambda X=X, y=y: mutual_info_classif(X, y, discrete_features=sp.issparse(X), random_state=0),
            runs=runs,
        )
        what = f"Fwell.fit, {name}"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "rows.npz"
            np.savez(file, X=X.toarray() if sp.issparse(X) else X, y=y)
            try:
                rival = rivals.run("skrebate", "relieff.py", file, 1, limit=1800)
            except rivals.AbsentError as absent:
                table.add(Line(what, "skrebate 0.8.4, ReliefF", ours.clock, None, note=str(absent)))
            else:
                theirs = Times(rival["seconds"], rival["cpu"])
                table.add(against(what, "skrebate 0.8.4, ReliefF", ours, theirs, 1 / FASTER))
        table.add(against("  the same", "scikit-learn, mutual information", ours, mutual, None))
        table.add(
            against(f"PrivateFwell.fit, 20 picks, {name}", "scikit-learn, mutual information", private, mutual, None)
        )
