# SPDX-License-Identifier: Apache-2.0
"""Counting and anonymising tables."""

from __future__ import annotations

import tempfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

import discreet as ds
from benchmarks import rivals
from benchmarks.speed import data
from benchmarks.speed.measure import Line, Table, Times, against, beside, in_a_process, in_turns
from discreet.engines import DuckDB
from discreet.privacy import k_anonymity
from discreet.samples import data_file

_GROUP_BY = f"SELECT {', '.join(data.QUASI)}, count(*)::BIGINT AS n FROM '{{path}}' GROUP BY ALL"
_PEAK = """
import json, re, sys
from pathlib import Path
import duckdb
from discreet.engines import DuckDB
who, path, columns, limit = sys.argv[1], sys.argv[2], sys.argv[3].split(","), sys.argv[4]
options = {} if limit == "none" else {"memory_limit": limit}
if who == "ours":
    groups = len(DuckDB(path, **options).tally(columns))
else:
    rows = duckdb.connect(config=options).sql(f"SELECT {sys.argv[3]}, count(*)::BIGINT n FROM '{path}' GROUP BY ALL")
    groups = len(rows.to_arrow_table())
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())  # getrusage counts the parent's too
print(json.dumps({"groups": groups, "MB": int(peak[1]) / 1024}))
"""


def tally(table: Table, runs: int) -> None:
    """10 million rows x 8 quasi-identifiers in a Parquet file, against DuckDB's own GROUP BY into Arrow."""
    for groups in ("few", "many"):
        path = data.people(groups)
        query, sizes = _GROUP_BY.format(path=path), []
        ours, theirs = in_turns(
            lambda path=path, sizes=sizes: sizes.append(len(DuckDB(path).tally(data.QUASI))),
            lambda query=query: duckdb.connect().sql(query).to_arrow_table(),
            runs=runs,
        )
        note = f"{sizes[0]:,} distinct"
        table.add(against("tally, 10 M rows x 8", "DuckDB GROUP BY", ours, theirs, 1.3, note=note))
        for limit in ("none", "1GB"):
            peak = {
                who: in_a_process(_PEAK, who, path, ",".join(data.QUASI), limit)["MB"] for who in ("ours", "theirs")
            }
            what = f"  peak memory, limit {limit}"
            table.add(Line(what, "DuckDB GROUP BY", peak["ours"], peak["theirs"], unit="MB"))


def k_anonymity_check(table: Table, runs: int) -> None:
    """k of Adult from a data frame, coding included, against pandas and pycanon."""
    frame, roles = data.adult()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "adult.csv"
        frame.to_csv(file, index=False)
        for quasi in (list(roles.quasi), [name for name in frame.columns if name != roles.target]):
            asked, found = ds.Roles(quasi=quasi), []
            ours, theirs = in_turns(
                lambda asked=asked: ds.KAnonymity(5).check(frame, asked),
                lambda quasi=quasi, found=found: found.append(frame.groupby(quasi, dropna=False).size().min()),
                runs=10 * runs,
            )
            k = k_anonymity(frame, quasi)
            what = f"KAnonymity.check, Adult 45,222 x {len(quasi)}"
            table.add(against(what, "pandas groupby, size, min", ours, theirs, 1.0, fine=k == found[0]))
            try:
                rival = rivals.run("pycanon", "k_anonymity.py", file, ",".join(quasi), runs)
            except rivals.AbsentError as absent:
                table.add(Line(what, str(absent), ours.clock, None))
            else:
                note = "same k" if k == rival["k"] else "k differs"
                times = Times(rival["seconds"], rival["cpu"])
                table.add(against(what, "pycanon 1.3.6", ours, times, 1.0, note=note, fine=k == rival["k"]))


def mondrian(table: Table, runs: int) -> None:
    """Whole releases, from data frame to checked release; the bound sorts by the columns and counts equal rows."""
    frame, roles = data.adult()
    quasi = list(roles.quasi)
    ours, informed, bare, tree = in_turns(
        lambda: ds.Mondrian(k=5).release(frame, roles),
        lambda: ds.Mondrian(k=5, split="information").release(frame, roles),
        lambda: _sorted_and_counted(frame, quasi),
        lambda: grown(frame, roles),
        runs=runs,
    )
    what = "Mondrian(k=5).release, Adult 45,222 x 8"
    table.add(against(what, "pandas, sort and groupby", ours, bare, None))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "adult.csv"
        frame.to_csv(file, index=False)
        _anonypy(table, file, roles, ours)
    _anjana(table, runs)
    larger = data.enlarged(frame, 1_000_000)
    ours, bare = in_turns(
        lambda: ds.Mondrian(k=5).release(larger, roles), lambda: _sorted_and_counted(larger, quasi), runs=runs
    )
    table.add(against("Mondrian(k=5).release, 1,000,000 x 8", "pandas, sort and groupby", ours, bare, 1.0))
    what = 'Mondrian(k=5, split="information").release, Adult'
    table.add(against(what, "scikit-learn's tree, pandas groupby", informed, tree, 1.0))


def _sorted_and_counted(frame: pd.DataFrame, quasi: list[str]) -> None:
    """What a release by groups of neighbours cannot do without, on a data frame."""
    frame.sort_values(quasi)
    frame.groupby(quasi, dropna=False).size()


def grown(frame: pd.DataFrame, roles: ds.Roles) -> None:
    """What a release by a tree cannot do without: codes, a tree with leaves of k rows, and the groups counted."""
    quasi = list(roles.quasi)
    codes = np.column_stack([pd.factorize(frame[name])[0] for name in quasi]).astype(np.float32)
    DecisionTreeClassifier(min_samples_leaf=5, random_state=0).fit(codes, pd.factorize(frame[roles.target])[0])
    frame.groupby(quasi, dropna=False).size()


def _anonypy(table: Table, file: Path, roles: ds.Roles, ours: Times) -> None:
    def run() -> Times:
        rival = rivals.run("anonypy", "mondrian.py", file, ",".join(roles.quasi), roles.target, 5, 1)
        return Times(rival["seconds"], rival["cpu"])

    table.add(beside("  the same", "anonypy 0.2.1, Mondrian", ours, run))


def _anjana(table: Table, runs: int) -> None:
    """On the 30,162 rows that its hierarchies belong to."""
    source = data_file("adult_arx/adult.csv.gz")
    frame = pd.read_csv(source, sep=";")
    quasi = [name for name in frame.columns if name != "salary-class"]
    roles = ds.Roles(target="salary-class", quasi=quasi)
    (ours,) = in_turns(lambda: ds.Mondrian(k=5).release(frame, roles), runs=runs)
    what = "Mondrian(k=5).release, adult_arx 30,162 x 8"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "adult.csv"
        frame.to_csv(file, index=False)
        try:
            rival = rivals.run("anjana", "k_anonymity.py", file, source.parent, ",".join(quasi), 5, 50, runs)
        except rivals.AbsentError as absent:
            table.add(Line(what, str(absent), ours.clock, None))
            return
    kept = f"anjana 1.2.3, keeps {rival['rows'] / rival['of']:.0%} of rows"
    table.add(against(what, kept, ours, Times(rival["seconds"], rival["cpu"]), 1.0))
