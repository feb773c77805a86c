# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.architecture`: figures of the tree of files, and the picture of its import graph.

`--source FOLDER` measures another checkout's package instead, to compare with; `--draw FILE` writes the picture.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from benchmarks.architecture.graph import Graph
from benchmarks.architecture.picture import picture
from benchmarks.architecture.walk import walks

_ROOT = Path(__file__).parents[2]
_PUBLIC = ("engines", "evaluate", "learning", "report", "data", "study", "mechanisms")


def flow() -> list[str]:
    """The folders in the order of docs/flow.md."""
    text = (_ROOT / "docs" / "flow.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)/` \|", text, flags=re.MULTILINE)


def measured(graph: Graph) -> dict[str, object]:
    """The figures by name."""
    checks, nones = graph.shape_checks(), graph.count(r"\.(?:table|baskets|document|sketches) is (?:not )?None")
    grouped, way = graph.count(r"(?<!def )(?<![\w.])group\("), walks(graph.root)
    apart = graph.apart()
    return {
        "modules, lines": f"{len(graph.modules)}, {graph.lines():,}",
        "parts at the root of the package": len(graph.parts),
        "edges between parts": len(graph.edges),
        "modules with one importer, lying apart from it": len(apart),
        "isinstance checks on shapes": f"{checks[0]} in {checks[1]} files",
        "tests whether a shape is None": nones[0],
        "places that call group": f"{grouped[0]} in {grouped[1]} files",
        "definitions of an entropy": graph.count(r"def _?\w*(?:entropy|entropies|_bits)\(")[0],
        "release: files, switches between folders": "{}, {}".format(*way["release"]),
        "verify: files, switches between folders": "{}, {}".format(*way["verify"]),
        "release: calls of encode, of group": "{2}, {3}".format(*way["release"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=_ROOT / "src" / "discreet")
    parser.add_argument("--draw", type=Path)
    options = parser.parse_args()
    graph = Graph(options.source.resolve())
    for name, value in measured(graph).items():
        print(f"{name:52} {value}")
    for module, importer in graph.apart():
        print(f"  apart: {module} is imported by {importer} alone")
    if options.draw is not None:
        options.draw.write_text(picture(graph, flow()), encoding="utf-8")


if __name__ == "__main__":
    main()
