# SPDX-License-Identifier: Apache-2.0
"""What was measured, as tables: printed from the file of results, nothing is measured."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from benchmarks.reproduction.source import code_hash
from benchmarks.sketches import studies, timing
from benchmarks.sketches.protocol import CLASSIFIERS
from benchmarks.sketches.studies import head, row

Lines = list[dict[str, Any]]
STUDIES = {
    of.__name__: of
    for of in (
        studies.classes,
        studies.clusters,
        studies.dimensions,
        studies.growth,
        timing.sketching,
        timing.neighbours,
    )
}
_ORDER = {"delta": 0, "k": 1, "promise": 0, "printed variance": 1, "as printed": 2, "paper": 0, "default": 1}


def show(found: Lines) -> None:
    """All tables, study by study."""
    for study, draw in (
        ("classes", _classes),
        ("clusters", _clusters),
        ("dimensions", _dimensions),
        ("growth", _growth),
        ("sketching", _sketching),
        ("neighbours", _neighbours),
    ):
        draw([line for line in found if line["study"] == study])
    current = sum(line.get("code") == code_hash(STUDIES[line["study"]]) for line in found)
    print(f"\n{current} of {len(found)} lines were measured with the code as it is, the others with an earlier one.")


def _groups(cells: Lines, *names: str) -> Iterable[tuple[tuple[Any, ...], Lines]]:
    def key(cell: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(cell[name] for name in names)

    for value, mine in groupby(sorted(cells, key=key), key):
        yield value, list(mine)


def _levels(cells: Lines) -> Lines:
    return sorted(cells, key=lambda c: (_ORDER[c["promise"]], _ORDER[c["reading"]], _ORDER[c["setting"]], c["level"]))


def _classes(cells: Lines) -> None:
    for (name, rows, votes), mine in _groups(cells, "set", "rows", "votes"):
        first = mine[0]
        size = f"{rows:,} records; {first['splits']} splits, {first['tested']:,} test records each, {votes} vote"
        print(f"\n### Accuracy, {name} ({size})\n")
        head("promise", "setting", "reading", "median components", "neighbours", "lost", "linear", "lost")
        row("none", "records", "", "", f"{first['base']['neighbours']:.3f}", "", f"{first['base']['linear']:.3f}", "")
        for cell in _levels(mine):
            shown = [_level(cell), cell["setting"], cell["reading"], f"{cell['components']:.0f}"]
            for which in CLASSIFIERS:
                shown += [f"{cell[which]:.3f}", f"{1 - cell[which] / cell['base'][which]:.0%}"]
            row(*shown)


def _clusters(cells: Lines) -> None:
    for (name, rows), mine in _groups(cells, "set", "rows"):
        base, floor = mine[0]["base"], mine[0]["floor"]
        print(f"\n### 10-means, {name} ({rows:,} records; {mine[0]['splits']} starts)\n")
        head("promise", "setting", "reading", "mean cosine", "of the records' own", "of the way from random to it")
        row("none", "records", "", f"{base:.3f}", "100%", "100%")
        row("none", "random clusters", "", f"{floor:.3f}", f"{floor / base:.0%}", "0%")
        for cell in _levels(mine):
            found, way = cell["cosine"], (cell["cosine"] - floor) / (base - floor)
            row(_level(cell), cell["setting"], cell["reading"], f"{found:.3f}", f"{found / base:.0%}", f"{way:.0%}")


def _level(cell: dict[str, Any]) -> str:
    return f"{cell['promise']} = {cell['level']:g}"


def _dimensions(cells: Lines) -> None:
    for (rows, splits), mine in _groups(cells, "rows", "splits"):
        deltas = sorted({cell["delta"] for cell in mine})
        print(f"\n### Items, Q20.I6.G(items) ({rows:,} records; {splits} splits): over what the records give\n")
        head("items", "measure", *(f"delta = {delta:g}" for delta in deltas))
        for (items, measure), line in _groups(mine, "items", "measure"):
            row(str(items), measure, *(f"{c['ratio']:.3f}" for c in sorted(line, key=lambda c: c["delta"])))


def _growth(cells: Lines) -> None:
    for (name,), mine in _groups(cells, "set"):
        print(f"\n### Records, {name}: cosine of the k-th neighbour and components, medians\n")
        readings = list(mine[0]["components"])
        head("records", "k", "cosine", *readings)
        for cell in sorted(mine, key=lambda c: (c["k"], c["rows"])):
            counts = (f"{cell['components'][reading]:.0f}" for reading in readings)
            row(f"{cell['rows']:,}", str(cell["k"]), f"{cell['cosine']:.3f}", *counts)


def _sketching(cells: Lines) -> None:
    for (against,), mine in _groups(cells, "against"):
        print(f"\n### Sketching against {against}, seconds of a processor\n")
        head(against, "cells", "100 components", "ns a cell and component", "delta = 0.4, defaults")
        for cell in sorted(mine, key=lambda c: c["size"]):
            each = cell["seconds"] / cell["cells"] / 100 * 1e9
            amounts = (f"{cell['seconds']:.3f}", f"{each:.3f}", f"{cell['by_delta']:.3f}")
            row(f"{cell['size']:,}", f"{cell['cells']:,}", *amounts)


def _neighbours(cells: Lines) -> None:
    if cells:
        print("\n### Five nearest neighbours, seconds of a processor\n")
        head("records", "exact", "index", "exact / index", "found by the index")
        for cell in sorted(cells, key=lambda c: c["size"]):
            exact, index = cell["exact"], cell["index"]
            row(f"{cell['size']:,}", f"{exact:.2f}", f"{index:.2f}", f"{exact / index:.2f}", f"{cell['found']:.1%}")
