# SPDX-License-Identifier: Apache-2.0
"""Curves of a study on one page that loads nothing: lines in the look of the other pictures, and all numbers in
tables below.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discreet.report.colours import COLOURS, SHAPES, SOFT
from discreet.report.plots import Spec, spec
from discreet.report.release_page import environment, scripts

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';
 script-src 'unsafe-inline'">
<title>{{ title }}</title>
<style>
{% include "report.css" %}
.plot { width: 100%; min-height: 120px; } .plot svg { display: block; max-width: 100%; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(330px, 1fr)); gap: 28px 36px; }
.pair figure { margin: 0; min-width: 0; } details { margin-top: 8px; } summary { cursor: pointer; }
</style>
</head>
<body>
<header><div><h1>{{ title }}</h1><p class="lead">{{ lead }}</p></div></header>
<main>
{% for section, curves in sections %}
<section aria-labelledby="s{{ loop.index }}">
  <h2 id="s{{ loop.index }}">{{ section }}</h2>
  <div class="pair">
  {% for curve in curves %}
  <figure>
    <h3>{{ curve.title }}</h3>
    <div class="plot" id="plot-{{ curve.place }}"></div>
    <figcaption>{{ curve.text }}</figcaption>
    <details><summary>Numbers</summary><div class="wide"><table>
      <thead><tr><th>Line</th><th class="n">{{ curve.x }}</th><th class="n">{{ curve.y }}</th></tr></thead>
      <tbody>{% for point in curve.points %}<tr><td class="name">{{ point.line }}</td>
        <td class="n">{{ point.x | precise }}</td><td class="n">{{ point.y | precise }}</td></tr>{% endfor %}</tbody>
    </table></div></details>
  </figure>
  {% endfor %}
  </div>
</section>
{% endfor %}
</main>
<footer><div><p>This file is complete: it loads nothing and sends nothing. The pictures are drawn by Vega and Vega-Lite
(BSD 3-Clause).</p></div></footer>
{% include "draw.html" %}
</body>
</html>
"""


@dataclass(frozen=True)
class Curve:
    """One picture: points of named lines (line, x, y), and level lines (name, y) that do not depend on x."""

    title: str
    text: str
    x: str
    y: str
    points: Sequence[dict[str, Any]]
    levels: Sequence[tuple[str, float]] = ()
    log: str = "x"  # which axes are logarithmic
    names: Sequence[str] = ()  # of the lines, where several pictures give them the same colours
    zero: bool = False  # whether axes that are not begin at zero
    place: int = 0

    def spec(self) -> Spec:
        there = dict.fromkeys(point["line"] for point in self.points)
        order = list(self.names or there)
        names = [name for name in order if name in there]
        places, scale = [order.index(name) for name in names], {"domain": names}
        axes: Spec = {}
        for axis, title in (("x", self.x), ("y", self.y)):
            kind: Spec = {"type": "log", "nice": False} if axis in self.log else {"zero": self.zero}
            kind |= {} if self.zero else {"padding": 12}
            axes[axis] = {"field": axis, "type": "quantitative", "title": title, "scale": kind}
        marks = sorted({point["x"] for point in self.points})
        if "x" in self.log and len(marks) <= 8:
            axes["x"]["axis"] = {"values": marks, "format": "~s" if max(marks) >= 1000 else "~g"}
        encoding = {
            **axes,
            "color": {"field": "line", "type": "nominal", "scale": scale | {"range": [COLOURS[p] for p in places]}},
            "shape": {"field": "line", "type": "nominal", "scale": scale | {"range": [SHAPES[p] for p in places]}},
            "tooltip": [{"field": "line"}, {"field": "x", "title": self.x}, {"field": "y", "title": self.y}],
        }
        lines = {key: value for key, value in encoding.items() if key not in ("shape", "tooltip")}
        layers: list[Spec] = [
            {"mark": {"type": "line", "strokeWidth": 1.6}, "encoding": lines},
            {"mark": {"type": "point", "filled": True, "size": 70, "opacity": 0.95}, "encoding": encoding},
        ]
        for name, value in self.levels:
            at = {"data": {"values": [{"y": value, "name": f"{name}: {value:.3f}"}]}}
            height = {"field": "y", "type": "quantitative"}
            layers.append(
                at | {"mark": {"type": "rule", "color": SOFT, "strokeDash": [5, 4]}, "encoding": {"y": height}}
            )
            below = value < max(level for _, level in self.levels)  # two that are close do not cover each other
            words = {"type": "text", "align": "right", "dy": 9 if below else -8, "color": SOFT, "fontSize": 11}
            text = {"y": height, "x": {"value": "width"}, "text": {"field": "name"}}
            layers.append(at | {"mark": words, "encoding": text})
        return spec(self._spoken(names), list(self.points), layer=layers, height=240)

    def _spoken(self, names: list[str]) -> str:
        said = []
        for name in names:
            mine = [f"{point['y']:.3g} at {point['x']:g}" for point in self.points if point["line"] == name]
            said.append(f"{name}: {', '.join(mine)}")
        levels = [f"{name} is at {value:.3g}" for name, value in self.levels]
        return f"{self.y} against {self.x}. " + "; ".join([*said, *levels]) + "."


def page(title: str, lead: str, sections: Sequence[tuple[str, Sequence[Curve]]]) -> str:
    """The page with all curves, section by section."""
    numbered, place = [], 0
    for section, curves in sections:
        placed = []
        for curve in curves:
            placed.append(Curve(**{**vars(curve), "place": place}))
            place += 1
        numbered.append((section, placed))
    specs = [curve.spec() for _, curves in numbered for curve in curves]
    template = environment().from_string(_PAGE)
    return template.render(title=title, lead=lead, sections=numbered, specs=specs, scripts=scripts())
