# SPDX-License-Identifier: Apache-2.0
"""Measures of disclosure risk."""

from __future__ import annotations

import discreet as ds
from benchmarks.speed.measure import Table, in_turns, within
from discreet.risk.special_uniques import special_uniques


def risk(table: Table, runs: int) -> None:
    """All minimal sample uniques of adult_arx, and everything that `risk_of` measures, on all its nine columns."""
    rows = ds.samples.load("adult_arx").data
    rows.columns()  # coded beforehand
    sizes = []
    ours, whole = in_turns(
        lambda: sizes.append(len(special_uniques(rows, rows.names).sets)),
        lambda: ds.risk_of(rows, rows.names, sampling_fraction=0.01),
        runs=runs,
    )
    table.add(within("special uniques, adult_arx x 9, all sizes", 2.0, ours, note=f"{sizes[0]:,} sets"))
    table.add(within("risk_of, adult_arx x 9", 3.0, whole))
