# SPDX-License-Identifier: Apache-2.0
"""The cost of a row on a Spark cluster of loopback, a master and two workers of one core: processor seconds of all
processes of the cluster and of the driver, at two sizes. Their difference leaves out what starting costs.

    python -m benchmarks.scale.spark                    1M and 4M rows
    python -m benchmarks.scale.spark 100000 400000
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.scale.tables import LABEL, OTHER, QUASI, folder_of, people

ROOT = Path(__file__).parent.parent.parent
_TICK = os.sysconf("SC_CLK_TCK")
STAGES = ("list", "tally", "decide", "publish", "verify")


class Clock:
    """Seconds of the clock and of all processors, stage by stage."""

    def __init__(self) -> None:
        self.taken: dict[str, tuple[float, float]] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        clock, cpu = time.perf_counter(), _cpu()
        yield
        self.taken[name] = (time.perf_counter() - clock, _cpu() - cpu)


def _cpu() -> float:
    """Processor seconds of this process and of all below it, those that ended included."""
    ticks: dict[int, tuple[int, int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks[int(stat.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])))
    tree, size = {os.getpid()}, 0
    while len(tree) > size:
        size = len(tree)
        tree |= {pid for pid, (parent, _) in ticks.items() if parent in tree}
    return sum(ticks[pid][1] for pid in tree if pid in ticks) / _TICK


def measure(rows: int, folder: Path) -> dict[str, tuple[float, float]]:
    """A release of the generated table with Mondrian, k = 5: its stages on the cluster."""
    from discreet import KAnonymity, Mondrian, Roles
    from discreet.counting.coded_rows import CodedRows
    from discreet.engines import Spark
    from discreet.engines.parts_sink import PartsSink
    from discreet.foundation.randomness import Randomness
    from discreet.methods.apply_groups import ApplyGroups

    clock, roles = Clock(), Roles(target=LABEL, quasi=list(QUASI), other=list(OTHER))
    with Spark(folder_of("people", rows, people(rows))) as engine:
        with clock.stage("list"):
            engine.prepare([*QUASI, LABEL, *OTHER])
        with clock.stage("tally"):
            counted = CodedRows.of(engine, roles.quasi, target=roles.target)
        with clock.stage("decide"):
            grouping = Mondrian(k=5)._decide(counted, roles, Randomness(0))
        kept = [engine.coding(name) for name in (LABEL, *OTHER)]
        apply = ApplyGroups.of(grouping, counted, [engine.coding(name) for name in QUASI], kept=kept)
        with clock.stage("publish"), PartsSink(folder / f"{rows}") as sink:
            assert engine.publish(apply.columns, apply, os.urandom(32), sink) == rows
    with Spark(folder / f"{rows}") as written, clock.stage("verify"):
        assert KAnonymity(5).check(written, roles).holds
    print(f"{rows:,} rows, {len(counted):,} distinct, {len(sink.files)} parts", flush=True)
    return clock.taken


def main() -> None:
    sys.path.insert(0, str(ROOT / "tests"))
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from spark_cluster import Cluster

    sizes = [int(float(size)) for size in sys.argv[1:]] or [1_000_000, 4_000_000]
    for rows in sizes:
        people(rows)
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        with clock.stage("start"):
            cluster = Cluster(Path(folder) / "cluster").__enter__()
            cluster.connect()
        try:
            measure(50_000, Path(folder))  # kernels are loaded, workers run
            taken = [measure(rows, Path(folder)) for rows in sizes]
        finally:
            cluster.__exit__()
    print(f"start: {clock.taken['start'][0]:.1f} s, {clock.taken['start'][1]:.1f} CPU-s\n")
    heads = [f"{rows / 1e6:g}M, CPU-s" for rows in sizes]
    print(f"| stage | {' | '.join(heads)} | us a row more | clock, s |\n|---|{'---:|' * (len(sizes) + 2)}")
    for stage in STAGES:
        cpu = [one[stage][1] for one in taken]
        slope = 1e6 * (cpu[-1] - cpu[0]) / max(sizes[-1] - sizes[0], 1)
        print(f"| {stage} | {' | '.join(f'{c:.1f}' for c in cpu)} | {slope:.2f} | {taken[-1][stage][0]:.1f} |")


if __name__ == "__main__":
    main()
