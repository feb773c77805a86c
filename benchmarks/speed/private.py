# SPDX-License-Identifier: Apache-2.0
"""Private tables: whole releases, from data frame to checked release."""

from __future__ import annotations

import discreet as ds
from benchmarks.speed import data
from benchmarks.speed.measure import Table, in_turns, within
from discreet.recoding.public_domain import Domain

_CUTS = {"age": [30, 50]}
_COMMON = {"native-country": ["United-States"]}  # every other country is an empty cell


def private_table(table: Table, runs: int) -> None:
    """Adult with all cells counted, and by the model of marginals."""
    frame, roles = data.adult()
    domain = {name: {"values": sorted(set(frame[name])), "missing": False} for name in roles.published}
    domain |= {name: {"cuts": cuts, "missing": False} for name, cuts in _CUTS.items()}
    domain |= {name: {"values": values, "missing": True} for name, values in _COMMON.items()}
    cells = Domain.of(domain, roles).cells
    for model, seconds in (("cells", 2.0), ("marginals", 1.0)):
        method = ds.PrivateTable(1.0, domain, model=model)
        (ours,) = in_turns(lambda method=method: method.release(frame, roles), runs=runs)
        what = f'PrivateTable(model="{model}").release, Adult 45,222 x 8'
        table.add(within(what, seconds, ours, note=f"{cells:,} cells"))
