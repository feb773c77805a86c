# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.architecture`: figures of the tree of files, and the picture of its import graph.

figures   print them, of this tree or of the package that --source names: OLD/src/discreet
apart     list the modules that lie apart from their only importer
twice     list what is written twice
unused    list what the source defines and does not use itself
record    keep the figures and the import graph in before.json, to be compared with
page      write docs/_static/imports.svg and the table of docs/flow.md: what was kept beside what is
--draw    with figures: also write the picture of that one tree to a file
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.architecture.graph import FACE, Graph, flow
from benchmarks.architecture.picture import panel, picture
from benchmarks.architecture.twice import twice
from benchmarks.architecture.unused import unused
from benchmarks.architecture.walk import walks

_ROOT = Path(__file__).parents[2]
_KEPT = Path(__file__).with_name("before.json")
_PAGE, _PICTURE = _ROOT / "docs" / "flow.md", _ROOT / "docs" / "_static" / "imports.svg"


def measured(graph: Graph) -> dict[str, str]:
    """The figures by name."""
    checks, apart, way = graph.shape_checks(), graph.apart(), walks(graph.root)
    nones = graph.count(r"\.(?:table|baskets|document|sketches) is (?:not )?None")
    grouped = graph.count(r"(?<!def )(?<![\w.])group\(")
    decided = [name for name in graph.having("Baskets.from_transactions(") if graph.part(name) != "data"]
    evaluated = [name for name in graph.having(".fit(") if "attacks" not in name and graph.part(name) == "evaluate"]
    entropies, paired = (
        graph.count(r"def _?entropy|def _?bits\(counts"),
        graph.count(r"class Difference|class PairedTest"),
    )
    loads = f"{way.modules} modules, {way.learning} of learning, numba {'loaded' if way.numba else 'not loaded'}"
    unreachable = graph.unreachable()
    return {
        "modules, lines": f"{len(graph.modules)}, {graph.lines():,}",
        "parts: folders and loose modules": f"{len(graph.parts)}",
        "edges between parts": f"{len(graph.edges)}",
        "modules with one importer, lying apart from it": f"{len(apart)}, {graph.lines(a for a, _ in apart):,} lines",
        "`isinstance` checks on shapes": f"{sum(checks.values())} in {len(checks)} files",
        "tests whether a shape is None": f"{nones[0]}",
        "classes of methods for rows with weights and persons": f"{len(graph.row_classes())}",
        "places that call `group`": f"{grouped[0]} in {grouped[1]} files",
        "definitions of entropy": f"{entropies[0]}",
        "files that decide whether data are transactions": f"{len(decided)}",
        "evaluations of a classifier on a release": f"{len(evaluated)}",
        "paired tests": f"{paired[0]}",
        "folders that `import discreet` does not reach": f"{len(unreachable)}",
        "public class names used twice": f"{sum(len(of) > 1 for of in graph.public_classes().values())}",
        "`release`: files, switches between folders": f"{way.release.files}, {way.release.switches}",
        "`verify`: files, switches between folders": f"{way.verify.files}, {way.verify.switches}",
        "`release` of 9 columns: calls of `encode`, of `group`": f"{way.release.encode}, {way.release.group}",
        "`verify` loads": loads,
    }


def record(graph: Graph) -> None:
    edges = [[a, b, n] for (a, b), n in sorted(graph.edges.items())]
    kept = {"figures": measured(graph), "order": graph.layers(), "edges": edges}
    _KEPT.write_text(json.dumps(kept, separators=(",", ":")) + "\n", encoding="utf-8")


def write_page(graph: Graph) -> None:
    kept, now = json.loads(_KEPT.read_text(encoding="utf-8")), measured(graph)
    rows = [f"| {name} | {kept['figures'].get(name, '')} | {value} |" for name, value in now.items()]
    table = "\n".join(["| what | before | now |", "|---|---|---|", *rows])
    text = _PAGE.read_text(encoding="utf-8")
    start, end = "<!-- figures -->\n\n", "\n\n<!-- end of figures -->"
    before, after = text.partition(start)[0], text.partition(end)[2]
    _PAGE.write_text(f"{before}{start}{table}{end}{after}", encoding="utf-8")
    old = panel("Before", kept["order"], {(a, b): n for a, b, n in kept["edges"]})
    _PICTURE.write_text(picture([old, panel("Now", flow(), graph.edges)]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = ["figures", "apart", "twice", "unused", "record", "page"]
    parser.add_argument("what", nargs="?", choices=what, default="figures")
    parser.add_argument("--source", type=Path, default=_ROOT / "src" / "discreet")
    parser.add_argument("--draw", type=Path)
    options = parser.parse_args()
    graph = Graph(options.source.resolve())
    if options.what == "record":
        record(graph)
    elif options.what == "page":
        write_page(graph)
    elif options.what == "apart":
        print("\n".join(f"{module} is imported by {importer} alone" for module, importer in graph.apart()))
    elif options.what == "twice":
        print("\n".join(twice(graph)))
    elif options.what == "unused":
        print("\n".join(unused(graph, _ROOT)))
    else:
        print("\n".join(f"{name:54} {value}" for name, value in measured(graph).items()))
        if options.draw is not None:
            order = flow() if {*graph.parts} <= {*flow(), *FACE} else graph.layers()
            options.draw.write_text(picture([panel("Imports between parts", order, graph.edges)]), encoding="utf-8")


if __name__ == "__main__":
    main()
