# SPDX-License-Identifier: Apache-2.0
"""Measures of disclosure risk."""

from __future__ import annotations

from itertools import combinations

import discreet as ds
from benchmarks.speed.measure import Table, against, in_turns
from discreet.risk.special_uniques import special_uniques


def risk(table: Table, runs: int) -> None:
    """All minimal sample uniques of adult_arx, and everything that `risk_of` measures, on all its nine columns.

    Beside it unique rows by pandas, one set of columns after the other, without asking which of them are minimal.
    """
    rows = ds.samples.load("adult_arx").data
    rows.columns()  # coded beforehand
    sizes = []
    frame = rows.to_frame("pandas")
    subsets = [list(s) for size in range(1, len(rows.names) + 1) for s in combinations(rows.names, size)]
    ours, whole, theirs = in_turns(
        lambda: sizes.append(len(special_uniques(rows, rows.names).sets)),
        lambda: ds.risk_of(rows, rows.names, sampling_fraction=0.01),
        lambda: [frame.duplicated(subset, keep=False).sum() for subset in subsets],
        runs=runs,
    )
    rival = f"pandas, duplicated on {len(subsets)} sets"
    what = "special uniques, adult_arx x 9, all sizes"
    table.add(against(what, rival, ours, theirs, 1.0, note=f"{sizes[0]:,} sets"))
    table.add(against("risk_of, adult_arx x 9", rival, whole, theirs, 1.0))
