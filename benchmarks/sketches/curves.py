# SPDX-License-Identifier: Apache-2.0
"""The curves of the paper's figures, from the file of what was measured: a page of pictures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from benchmarks.curves import Curve, page
from benchmarks.plot import log_log
from benchmarks.sketches.protocol import CLASSIFIERS, NEIGHBOURS
from discreet.report.wording import plural

MEASURED = Path(__file__).parent / "measured.jsonl"
SETS = {"c20_i4": "C20.I4", "c20_i6": "C20.I6", "text_fbis": "text_fbis", "basehock": "basehock"}
KINDS = (("paper", "promise"), ("default", "promise"), ("paper", "as printed"))  # settings and readings
READINGS = ("promise", "as printed", "printed variance")
Lines = list[dict[str, Any]]


def write(found: Lines, path: Path) -> int:
    """Draw what was measured; says how many pictures there are."""
    sections = [(title, curves) for title, curves in _sections(found) if curves]
    path.parent.mkdir(parents=True, exist_ok=True)
    lead = "C. C. Aggarwal and P. S. Yu's studies, measured anew. Dashed lines are what the records themselves give."
    path.write_text(page("Sketches: the studies of the paper", lead, sections), encoding="utf-8")
    return sum(len(curves) for _, curves in sections)


def plots(found: Lines, folder: Path) -> None:
    """Two pictures of time for the documentation."""
    search = sorted(_of(found, study="neighbours"), key=lambda cell: cell["size"])
    lines = {line: [(c["size"], c[key]) for c in search] for line, key in (("exact", "exact"), ("index", "index"))}
    sizes = {float(cell["size"]): f"{cell['size'] // 1000}k" for cell in search}
    drawn = log_log("Five nearest neighbours, CPU-seconds against records", lines, sizes, "CPU-seconds")
    (folder / "neighbours.svg").write_text(drawn, encoding="utf-8")
    made = sorted(_of(found, study="sketching", against="records"), key=lambda cell: cell["size"])
    kinds = (("100 components", "seconds"), ("delta = 0.4", "by_delta"))
    lines = {line: [(c["size"], c[key]) for c in made] for line, key in kinds}
    sizes = {float(cell["size"]): f"{cell['size'] // 1000}k" for cell in made}
    drawn = log_log("Sketching, CPU-seconds against records", lines, sizes, "CPU-seconds")
    (folder / "sketching.svg").write_text(drawn, encoding="utf-8")


def read(path: Path) -> Lines:
    """What was measured. Of a cell that was measured twice the later one counts."""
    cells: dict[str, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        said = {"votes": NEIGHBOURS, **said} if said["study"] == "classes" else said
        names = (
            "study",
            "set",
            "rows",
            "votes",
            "promise",
            "level",
            "setting",
            "reading",
            "items",
            "measure",
            "delta",
            "k",
        )
        cells[json.dumps([said.get(name) for name in (*names, "against", "size")])] = said
    return list(cells.values())


def _sections(found: Lines) -> Iterable[tuple[str, list[Curve]]]:
    for promise, word in (("delta", "delta"), ("k", "k")):
        usual = [line for line in found if line.get("votes", NEIGHBOURS) == NEIGHBOURS]
        yield f"Accuracy against {word}", list(_each(usual, "classes", promise, _accuracy))
        yield f"10-means against {word}", list(_each(found, "clusters", promise, _quality))
    yield "The number of items", list(_items(_of(found, study="dimensions")))
    yield "The number of records", list(_growth(_of(found, study="growth")))
    yield "Time", [*_sketching(_of(found, study="sketching")), *_search(_of(found, study="neighbours"))]


def _of(found: Lines, **wanted: object) -> Lines:
    return [line for line in found if all(line.get(name) == value for name, value in wanted.items())]


def _each(found: Lines, study: str, promise: str, draw: Callable[[str, str, int, Lines], Curve]) -> Iterable[Curve]:
    for name, title in SETS.items():
        mine = _of(found, study=study, set=name, promise=promise)
        for rows in sorted({line["rows"] for line in mine}):
            cells = sorted(_of(mine, rows=rows), key=lambda line: line["level"])
            yield draw(f"{title}, {rows:,} records", promise, rows, cells)


def _accuracy(title: str, promise: str, _: int, cells: Lines) -> Curve:
    points = []
    for setting, reading in _kinds(cells):
        for which in CLASSIFIERS:
            mine = [cell for cell in cells if (cell["setting"], cell["reading"]) == (setting, reading)]
            name = f"{which}, {_name(setting, reading)}"
            points += [{"line": name, "x": cell["level"], "y": cell[which]} for cell in mine]
    base, names = cells[0]["base"], [f"{which}, {_name(*kind)}" for kind in KINDS for which in CLASSIFIERS]
    levels = [(f"records, {which}", base[which]) for which in CLASSIFIERS]
    tested = f"{plural(cells[0]['splits'], 'split')}, {cells[0]['tested']:,} test records each."
    return Curve(title, tested, promise, "accuracy", points, levels, names=names)


def _quality(title: str, promise: str, _: int, cells: Lines) -> Curve:
    points = [
        {"line": _name(*kind), "x": cell["level"], "y": cell["cosine"]}
        for kind in _kinds(cells)
        for cell in cells
        if (cell["setting"], cell["reading"]) == kind
    ]
    levels = [("records", cells[0]["base"]), ("clusters at random", cells[0]["floor"])]
    text, names = f"{plural(cells[0]['splits'], 'start')}.", [_name(*kind) for kind in KINDS]
    return Curve(title, text, promise, "mean cosine to the centre", points, levels, names=names)


def _kinds(cells: Lines) -> list[tuple[str, str]]:
    """Settings and readings that are drawn; the printed variance tells the same as the promise."""
    kinds = {(cell["setting"], cell["reading"]) for cell in cells}
    return [kind for kind in KINDS if kind in kinds]


def _name(setting: str, reading: str) -> str:
    return "defaults" if setting == "default" else "up to the promise" if reading == "promise" else reading


def _items(cells: Lines) -> Iterable[Curve]:
    for measure in dict.fromkeys(cell["measure"] for cell in cells):
        mine = _of(cells, measure=measure)
        points = [{"line": f"delta = {cell['delta']:g}", "x": cell["items"], "y": cell["ratio"]} for cell in mine]
        text = f"Over what the records give. {mine[0]['rows']:,} records, {plural(mine[0]['splits'], 'split')}."
        what = "10-means, mean cosine" if measure == "10-means" else f"Accuracy, {measure}"
        yield Curve(what, text, "items", "ratio to the records", points, log="")


def _growth(cells: Lines) -> Iterable[Curve]:
    for name, title in SETS.items():
        mine = [cell for cell in _of(cells, set=name) if cell["k"] == 5]
        if len(mine) > 1:
            points = [
                {"line": reading, "x": cell["rows"], "y": cell["components"][reading]}
                for reading in READINGS
                for cell in mine
            ]
            text = "Components that 5-variance allows, by the reading of Definition 3."
            yield Curve(title, text, "records", "median components", points, log="xy")


def _sketching(cells: Lines) -> Iterable[Curve]:
    for against in dict.fromkeys(cell["against"] for cell in cells):
        mine = _of(cells, against=against)
        points = [{"line": "100 components", "x": cell["size"], "y": cell["seconds"]} for cell in mine]
        points += [{"line": "delta = 0.4, defaults", "x": cell["size"], "y": cell["by_delta"]} for cell in mine]
        rest = "200,000 records." if against == "ones" else "20 ones a record."
        yield Curve(f"Sketching against {against}", rest, against, "seconds of a processor", points, log="", zero=True)


def _search(cells: Lines) -> Iterable[Curve]:
    if cells:
        points = [
            {"line": line, "x": cell["size"], "y": cell[key]}
            for line, key in (("exact", "exact"), ("index (PyNNDescent)", "index"))
            for cell in cells
        ]
        text = f"The index found {min(c['found'] for c in cells):.0%} to {max(c['found'] for c in cells):.0%} of them."
        yield Curve("Five nearest neighbours", text, "records", "seconds of a processor", points, log="xy")
