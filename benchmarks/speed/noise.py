# SPDX-License-Identifier: Apache-2.0
"""Noise: selecting few of many features, and counts of many cells, beside OpenDP's own draws of the same noise."""

from __future__ import annotations

import numpy as np

from benchmarks.speed.measure import Table, against, in_turns
from discreet import ExponentialSelector, LaplaceSelector
from discreet.mechanisms import Geometric
from discreet.mechanisms.mechanism import opendp
from discreet.methods.noise.private_select import pair_scores
from discreet.samples import load

PICKS, CELLS = 20, 1_300_000


def selection(table: Table, runs: int) -> None:
    """20 of the 24,748 features of PU1, scores and picks; beside it OpenDP's noisy top-k, which is given the scores."""
    baskets = load("pu1").data
    labels = baskets.classes[baskets.labels]
    scores = pair_scores(baskets)
    dp, scale = opendp(), 2.0 * PICKS * (len(baskets) - 1)
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    theirs_ = dp.m.make_noisy_top_k(*space, dp.max_divergence(), k=PICKS, scale=scale)
    for selector in (LaplaceSelector, ExponentialSelector):
        ours, theirs = in_turns(
            lambda selector=selector: selector(1.0, PICKS).fit(baskets.matrix, labels),
            lambda: theirs_(scores.tolist()),
            runs=2 * runs,
        )
        what = f"{selector.__name__}, {PICKS} of {baskets.shape[1]:,} features of PU1"
        table.add(against(what, "OpenDP, noisy top-k of given scores", ours, theirs, None))
        mechanism = selector(1.0, PICKS).mechanism(*baskets.shape)
        ours, theirs = in_turns(
            lambda mechanism=mechanism: mechanism.run(scores), lambda: theirs_(scores.tolist()), runs=2 * runs
        )
        table.add(against("  its picks alone, of given scores", "the same", ours, theirs, 1.1))


def counts(table: Table, runs: int) -> None:
    """Exact noise on whole numbers, epsilon 1."""
    cells = np.zeros(CELLS, dtype=np.int64)
    mechanism, dp = Geometric(sensitivity=2, epsilon=1.0), opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    theirs_ = dp.m.make_laplace(*space, scale=mechanism.scale)
    ours, theirs = in_turns(lambda: mechanism.run(cells), lambda: theirs_(cells.tolist()), runs=runs)
    table.add(against(f"Geometric.run, {CELLS / 1e6:.1f} M cells", "OpenDP, discrete Laplace", ours, theirs, 1.0))
