# SPDX-License-Identifier: Apache-2.0
"""Private tables: whole releases, from data frame to checked release."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

import discreet as ds
from benchmarks import rivals
from benchmarks.speed import data
from benchmarks.speed.measure import Table, Times, against, beside, in_turns
from discreet.mechanisms.mechanism import opendp
from discreet.recoding.public_domain import Domain

_CUTS = {"age": [30, 50]}
_COMMON = {"native-country": ["United-States"]}  # every other country is an empty cell


def private_table(table: Table, runs: int) -> None:
    """Adult with all cells counted, beside OpenDP's noise on as many; by the model of marginals, beside MST."""
    frame, roles = data.adult()
    domain = {name: {"values": sorted(set(frame[name])), "missing": False} for name in roles.published}
    domain |= {name: {"cuts": cuts, "missing": False} for name, cuts in _CUTS.items()}
    domain |= {name: {"values": values, "missing": True} for name, values in _COMMON.items()}
    public = Domain.of(domain, roles)
    note, dp = f"{public.cells:,} cells", opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    noise, zeros = dp.m.make_laplace(*space, scale=2.0), [0] * public.cells
    cells, marginals = (ds.PrivateTable(1.0, domain, model=model) for model in ("cells", "marginals"))
    by_cells, by_marginals, theirs = in_turns(
        lambda: cells.release(frame, roles), lambda: marginals.release(frame, roles), lambda: noise(zeros), runs=runs
    )
    what = 'PrivateTable(model="{}").release, Adult 45,222 x 8'
    rival = "OpenDP, discrete Laplace on the cells"
    table.add(against(what.format("cells"), rival, by_cells, theirs, 1.0, note=note))
    codes = public.codes(ds.Table.of(frame))
    table.add(beside(what.format("marginals"), "MST (dpmm 0.1.9)", by_marginals, lambda: _mst(codes, public.sizes)))


def _mst(codes: np.ndarray, sizes: Sequence[int]) -> Times:
    """One run of MST on the same levels, epsilon 1; it needs a delta."""
    with tempfile.TemporaryDirectory() as folder:
        given, back = Path(folder) / "rows.npz", Path(folder) / "made.npz"
        np.savez(given, codes=codes, sizes=sizes)
        took = rivals.run("mst", "synthesize.py", given, 1.0, 1e-9, 0, back, limit=600)
    return Times([took["seconds"]], [took["cpu"]])
