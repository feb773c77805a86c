# SPDX-License-Identifier: Apache-2.0
"""The studies as tables: accuracy and 10-means against delta and k, the number of items, and the number of records."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reproduction.source import code_hash
from benchmarks.sketches import protocol, readings
from benchmarks.sketches.protocol import Accuracy
from discreet.data.records import Records

DELTAS = (0.2, 0.3, 0.4)  # of the study of items
SIZES = (2_000, 6_000, 20_000, 60_000, 200_000)  # of the study of growth


@dataclass(frozen=True)
class Asked:
    """What is measured: so many records, splits and test records (None: all), cells of (promise, level, setting,
    reading), a file for what was found, and how many neighbours vote."""

    rows: int | None
    splits: int
    test: int | None
    grid: tuple[tuple[str, float, str, str], ...]
    results: Path | None
    votes: int = protocol.NEIGHBOURS

    @property
    def most(self) -> int:
        """The largest k."""
        return max((int(level) for promise, level, *_ in self.grid if promise == "k"), default=0)

    def keep(self, study: Callable, **found: Any) -> None:
        """Add a line, with a hash of the code of the study that it is from."""
        if self.results is not None:
            line = {"study": study.__name__, **found, "code": code_hash(study)}
            with self.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


def classes(name: str, asked: Asked) -> None:
    """Accuracy by neighbours and by a linear model, and what is lost of the accuracy on the records."""
    data = protocol.records(name, asked.rows)
    tested = min(asked.test or len(data), len(data) - 2 * len(data) // 3)
    size = f"{_size(data)}; {asked.splits} splits, {tested:,} test records each, {asked.votes} neighbours vote"
    print(f"\n## Accuracy, {name} ({size})\n")
    base = _over(asked.splits, lambda seed: protocol.baseline_accuracy(data, seed, asked.test, asked.votes))
    names = ("neighbours", "lost", "linear", "lost", "CPU-s")
    head("promise", "setting", "reading", "median components", "suppressed", *names)
    row("none", "records", "", "", "", f"{base.neighbours:.3f}", "", f"{base.linear:.3f}", "", "")
    common: dict[str, Any] = {"set": name, "rows": len(data), "splits": asked.splits, "tested": tested}
    common["votes"] = asked.votes
    for promise, level, setting, reading in asked.grid:
        begun = time.process_time()
        counting = protocol.counting(promise, level, setting, reading, asked.most)
        found = _over(
            asked.splits, lambda seed, c=counting: protocol.sketched_accuracy(data, c, seed, asked.test, asked.votes)
        )
        cells = [f"{promise} = {level:g}", setting, reading, f"{found.components:.0f}", f"{found.suppressed:.1%}"]
        for which in protocol.CLASSIFIERS:
            cells += [f"{getattr(found, which):.3f}", f"{1 - getattr(found, which) / getattr(base, which):.0%}"]
        row(*cells, f"{time.process_time() - begun:.0f}")
        cell = {"promise": promise, "level": level, "setting": setting, "reading": reading}
        asked.keep(classes, **common, **cell, **asdict(found), base=asdict(base))


def clusters(name: str, asked: Asked) -> None:
    """The mean cosine of the records to the mean of their cluster."""
    data = protocol.records(name, asked.rows)
    print(f"\n## 10-means, {name} ({_size(data)}; {asked.splits} starts)\n")
    starts = range(asked.splits)
    base = float(np.mean([protocol.baseline_quality(data, seed) for seed in starts]))
    floor = float(np.mean([protocol.random_quality(data, seed) for seed in starts]))
    head("promise", "setting", "reading", "mean cosine", "of the records' own", "of the way from random to it")
    row("none", "records", "", f"{base:.3f}", "100%", "100%")
    row("none", "random clusters", "", f"{floor:.3f}", f"{floor / base:.0%}", "0%")
    common = {"set": name, "rows": len(data), "splits": asked.splits}
    for promise, level, setting, reading in asked.grid:
        counting = protocol.counting(promise, level, setting, reading, asked.most)
        found = float(np.mean([protocol.sketched_quality(data, counting, seed) for seed in starts]))
        way = (found - floor) / (base - floor)
        row(f"{promise} = {level:g}", setting, reading, f"{found:.3f}", f"{found / base:.0%}", f"{way:.0%}")
        cell = {"promise": promise, "level": level, "setting": setting, "reading": reading}
        asked.keep(clusters, **common, **cell, cosine=found, base=base, floor=floor)


def dimensions(items: tuple[int, ...], asked: Asked) -> None:
    """Accuracy and quality over the baseline's against the number of items."""
    shown = f"{asked.rows or 200_000:,} records; {asked.splits} splits"
    print(
        f"\n## Items, Q20.I6.G(items) ({shown}): accuracy and mean cosine over the baseline's, as the paper sets it\n"
    )
    head("items", "measure", *(f"delta = {delta:g}" for delta in DELTAS))
    for number in items:
        data = protocol.records(f"q20_i6_g{number}", asked.rows)
        base = _over(asked.splits, lambda seed, d=data: protocol.baseline_accuracy(d, seed, asked.test))
        near = float(np.mean([protocol.baseline_quality(data, seed) for seed in range(asked.splits)]))
        ratios: dict[str, list[float]] = {"neighbours": [], "linear": [], "10-means": []}
        for delta in DELTAS:
            counting = protocol.counting("delta", delta, "paper")
            found = _over(
                asked.splits, lambda seed, c=counting, d=data: protocol.sketched_accuracy(d, c, seed, asked.test)
            )
            for which in protocol.CLASSIFIERS:
                ratios[which].append(getattr(found, which) / getattr(base, which))
            cosines = [protocol.sketched_quality(data, counting, seed) for seed in range(asked.splits)]
            ratios["10-means"].append(float(np.mean(cosines)) / near)
        for which, line in ratios.items():
            row(str(number), which, *(f"{ratio:.3f}" for ratio in line))
            for delta, ratio in zip(DELTAS, line, strict=True):
                size = {"rows": len(data), "splits": asked.splits}
                asked.keep(dimensions, items=number, **size, measure=which, delta=delta, ratio=ratio)


def growth(name: str, asked: Asked) -> None:
    """How near neighbours are, and how many components k-variance allows, against the number of records."""
    known = sorted({level for promise, level, *_ in asked.grid if promise == "k"})
    print(f"\n## Records, {name}: cosine of the k-th neighbour and components as the paper sets it, medians\n")
    head("records", "k", "cosine", *readings.READINGS)
    whole = protocol.records(name, asked.rows)
    for size in sorted({min(size, len(whole)) for size in SIZES}):
        data = whole.take(np.sort(np.random.default_rng(0).permutation(len(whole))[:size]))
        data = data.take(np.flatnonzero(data.ones))
        for k in known:
            found = readings.neighbours(data, asked.most).cosine[:, int(k) - 1]
            by = protocol.method("k", k, "paper")
            counts = {r: readings.counts(data, by, int(k), r, asked.most) for r in readings.READINGS}
            medians = {r: float(np.median(c)) for r, c in counts.items()}
            row(f"{len(data):,}", f"{k:g}", f"{np.median(found):.3f}", *(f"{m:.0f}" for m in medians.values()))
            common = {"set": name, "rows": len(data), "k": int(k)}
            asked.keep(growth, **common, cosine=float(np.median(found)), components=medians)


def _over(splits: int, measure: Any) -> Accuracy:
    return protocol.mean_of([measure(seed) for seed in range(splits)])


def _size(data: Records) -> str:
    return f"{len(data):,} records, {data.shape[1]:,} items, {data.ones.mean():.0f} of them in a record"


def head(*cells: str) -> None:
    row(*cells)
    row(*["---"] * len(cells))


def row(*cells: str) -> None:
    print("| " + " | ".join(cells) + " |", flush=True)
