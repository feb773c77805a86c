# SPDX-License-Identifier: Apache-2.0
"""The import graph between folders as a picture: the flow from the top, an arc for every import of another folder."""

from __future__ import annotations

from benchmarks.architecture.graph import Graph

_STEP, _LEFT, _WIDTH = 26, 170, 760


def picture(graph: Graph, order: list[str]) -> str:
    """An SVG: the parts one below the other in the given order; arcs lead from a part to those it imports from.

    Imports from above are drawn at the right, imports from below, which break the order, at the left and in red.
    """
    order = [*order, *(part for part in graph.parts if part not in order)]
    place = {part: index for index, part in enumerate(order)}
    height = _STEP * (len(order) + 1)
    most = max(graph.edges.values(), default=1)
    arcs = []
    for (a, b), times in sorted(graph.edges.items()):
        if a not in place or b not in place:
            continue
        y1, y2 = (_STEP * (place[part] + 1) for part in (a, b))
        bulge = 12 + abs(y1 - y2) * 0.55
        breaks = place[b] > place[a]
        x = _LEFT - 8 if breaks else _LEFT + 8
        to = x - bulge if breaks else x + bulge
        width = 0.6 + 2.4 * times / most
        colour = "#c0392b" if breaks else "currentColor"
        arcs.append(
            f'<path d="M{x} {y1} C{to:.0f} {y1} {to:.0f} {y2} {x} {y2}" stroke="{colour}" stroke-width="{width:.1f}"'
            f' stroke-opacity="0.45"><title>{a} imports from {b}: {times}</title></path>'
        )
    names = "".join(
        f'<text x="{_LEFT - 14}" y="{_STEP * (place[part] + 1) + 4}">{part}</text>'
        f'<circle cx="{_LEFT}" cy="{_STEP * (place[part] + 1)}" r="4"/>'
        for part in order
    )
    edges, modules = len(graph.edges), len(graph.modules)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" fill="none"'
        f' font-family="sans-serif" font-size="13">\n<title>{modules} modules in {len(order)} parts, {edges} edges'
        f' between parts</title>\n{"".join(arcs)}\n<g fill="currentColor" text-anchor="end">{names}</g>\n</svg>\n'
    )
