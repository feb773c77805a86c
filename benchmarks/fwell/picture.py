# SPDX-License-Identifier: Apache-2.0
"""Draws the tables of README.md: accuracy of 3-NN against epsilon, a panel for each data set.

python -m benchmarks.fwell.picture      # writes accuracy.svg beside this file
"""

from __future__ import annotations

import math
import re
from pathlib import Path

HERE = Path(__file__).parent
LINES = {  # row of the tables: colour
    "Fwell": "#444444",
    "any features": "#999999",
    "as-published (not private)": "#d55e00",
    "reference": "#e69f00",
    "blocks": "#cc79a7",
    "class statistics": "#009e73",
    "auto, ours": "#0072b2",
}
DASHED = ("Fwell", "any features")  # they have no epsilon
INSTEAD = {"auto, ours": "ranks"}  # where the one row was left out, it is the other
_WIDE, _HIGH, _ACROSS = 230, 200, 4

Panel = dict[str, list[float]]


def tables(text: str) -> dict[str, tuple[list[float], Panel]]:
    """Of the first study: for each data set the epsilons, and the accuracies of each row."""
    found = {}
    for name, table in re.findall(r"^### (\w+): .*\n\n((?:\|.*\n)+)", text.split("## Second study")[0], re.MULTILINE):
        head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        epsilons = [float(cell.split()[1].rstrip(",")) for cell in head[1:]]
        found[name] = epsilons, {row[0]: [float(cell.split()[0]) for cell in row[1:]] for row in rows}
    return found


def picture(panels: dict[str, tuple[list[float], Panel]]) -> str:
    rows = -(-(len(panels) + 1) // _ACROSS)
    width, height, parts = _WIDE * _ACROSS, _HIGH * rows, []
    for place, (name, (epsilons, panel)) in enumerate(panels.items()):
        left, top = _WIDE * (place % _ACROSS) + 40, _HIGH * (place // _ACROSS) + 30
        parts.append(_panel(name, epsilons, panel, left, top))
    left, top = _WIDE * (len(panels) % _ACROSS) + 40, _HIGH * (len(panels) // _ACROSS) + 40
    for row, (name, colour) in enumerate(LINES.items()):
        parts.append(f'<text x="{left}" y="{top + 20 * row}" fill="{colour}">{name}</text>')
    style = ".axis{stroke:#444;fill:none}.grid{stroke:#ddd}.end{text-anchor:end}.mid{text-anchor:middle}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        f' font-size="11" role="img"><title>Accuracy of 3-NN against epsilon</title><style>{style}</style>'
        f'<rect width="{width}" height="{height}" fill="white"/>{"".join(parts)}</svg>\n'
    )


def _panel(name: str, epsilons: list[float], panel: Panel, left: int, top: int) -> str:
    shown = {row: panel.get(row, panel.get(INSTEAD.get(row, ""))) for row in LINES}
    numbers = [number for line in shown.values() if line for number in line]
    low, high = math.floor(min(numbers) * 20) / 20, math.ceil(max(numbers) * 20) / 20
    wide, tall = _WIDE - 60, _HIGH - 65

    def y(number: float) -> float:
        return round(top + tall - tall * (number - low) / (high - low), 1)

    places = [left + wide * (0.95 - 0.9 * place / (len(epsilons) - 1)) for place in range(len(epsilons))]
    parts = [f'<text x="{left}" y="{top - 10}">{name}</text>']
    for level in (low, (low + high) / 2, high):
        parts.append(f'<path d="M{left} {y(level)}h{wide}" class="grid"/>')
        parts.append(f'<text x="{left - 4}" y="{y(level) + 4}" class="end">{round(level, 3):g}</text>')
    parts += [
        f'<text x="{x:.0f}" y="{top + tall + 15}" class="mid">{epsilon:g}</text>'
        for x, epsilon in zip(places, epsilons, strict=True)
    ]
    for row, line in shown.items():
        if line:
            points = " ".join(f"{x:.1f},{y(number)}" for x, number in zip(places, line, strict=True))
            dash = ' stroke-dasharray="5 4"' if row in DASHED else ""
            parts.append(f'<polyline points="{points}" fill="none" stroke="{LINES[row]}" stroke-width="1.8"{dash}/>')
    return "".join([*parts, f'<path d="M{left} {top}V{top + tall}H{left + wide}" class="axis"/>'])


if __name__ == "__main__":
    found = picture(tables((HERE / "README.md").read_text(encoding="utf-8")))
    (HERE / "accuracy.svg").write_text(found, encoding="utf-8")
