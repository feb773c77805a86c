# SPDX-License-Identifier: Apache-2.0
"""The import graph between folders as a picture: boxes along the flow, and in each row what a folder imports from.

The parts stand on the diagonal in the order of the flow. A number left of a box is how many imports lead from it to the
part above which the number stands. What lies right of the diagonal, in red, breaks the order.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.architecture.graph import FACE

_INK, _PALE, _BOX, _RED = "#1f2d3d", "#8a97a5", "#dce8f3", "#c0392b"
_TOP, _GAP = 46, 40


@dataclass(frozen=True)
class Panel:
    """One tree of the picture: its title, its parts, the imports between them, the size of a cell, room for names."""

    title: str
    order: list[str]
    imports: dict[tuple[str, str], int]
    cell: int
    named: bool

    @property
    def left(self) -> int:
        return 84 if self.named else 6

    @property
    def width(self) -> int:
        return self.left + self.cell * len(self.order) + 6

    @property
    def height(self) -> int:
        return _TOP + self.cell * len(self.order) + 10

    def svg(self, x: int) -> str:
        place = {part: index for index, part in enumerate(self.order)}
        edges = {pair: n for pair, n in self.imports.items() if pair[0] in place and pair[1] in place}
        marks = [self._mark(place[a], place[b], n, f"{a} imports from {b}: {n}") for (a, b), n in sorted(edges.items())]
        names = [self._box(place[part], part) for part in self.order]
        breaking = sum(place[b] > place[a] for a, b in edges)
        note = f"{len(self.order)} parts, {len(edges)} edges" + (f", {breaking} against the order" if breaking else "")
        return (
            f'<g transform="translate({x} 0)"><text x="{self.left}" y="18" font-size="14" font-weight="bold">'
            f'{self.title}</text><text x="{self.left}" y="35" fill="{_PALE}">{note}</text>\n'
            + "\n".join([*names, *marks])
            + "</g>"
        )

    def _corner(self, row: int, column: int) -> tuple[int, int]:
        return self.left + self.cell * column, _TOP + self.cell * row

    def _box(self, row: int, part: str) -> str:
        x, y = self._corner(row, row)
        size = self.cell - 1
        box = f'<rect x="{x}" y="{y}" width="{size}" height="{size}" rx="2" fill="{_INK}"><title>{part}</title></rect>'
        if not self.named:
            return box
        line = f'<line x1="{self.left}" y1="{y + size + 0.5}" x2="{x}" y2="{y + size + 0.5}" stroke="#eef2f6"/>'
        middle = y + self.cell * 0.66
        return f'{line}{box}<text x="{self.left - 6}" y="{middle:.0f}" text-anchor="end">{part}</text>'

    def _mark(self, row: int, column: int, n: int, title: str) -> str:
        x, y = self._corner(row, column)
        size, breaks = self.cell - 1, column > row
        colour = _RED if breaks else _BOX
        opacity = 1.0 if breaks or self.named else min(1.0, 0.35 + n / 12)
        fill = colour if self.named or breaks else _INK
        mark = f'<rect x="{x}" y="{y}" width="{size}" height="{size}" fill="{fill}" fill-opacity="{opacity:.2f}">'
        mark += f"<title>{title}</title></rect>"
        if self.named:
            ink = "#fff" if breaks else _INK
            middle = (x + size / 2, y + self.cell * 0.66)
            mark += f'<text x="{middle[0]:.1f}" y="{middle[1]:.0f}" text-anchor="middle" fill="{ink}">{n}</text>'
        return mark


def panel(title: str, order: list[str], imports: dict[tuple[str, str], int]) -> Panel:
    """Numbers and names where there is room for them; small squares where the parts are many."""
    placed = [part for part in order if part not in FACE]
    few = len(placed) <= 30
    return Panel(title, placed, imports, 22 if few else 7, few)


def picture(panels: list[Panel]) -> str:
    """The panels side by side, as SVG."""
    width, height = sum(one.width for one in panels) + _GAP * (len(panels) - 1), max(one.height for one in panels)
    drawn, x = [], 0
    for one in panels:
        drawn.append(one.svg(x))
        x += one.width + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' font-family="sans-serif" font-size="11" fill="{_INK}">\n<title>Imports between parts</title>\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )
