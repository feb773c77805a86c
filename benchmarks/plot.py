# SPDX-License-Identifier: Apache-2.0
"""Plots of cost against size, as SVG: both scales are logarithmic, so that a line of slope one is linear growth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#444444", "#e69f00")  # told apart by all eyes
_HALO = 'stroke="white" stroke-width="4" paint-order="stroke"'
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 560, 30, 300


def log_log(title: str, of: Mapping[str, Sequence[tuple[float, float]]], sizes: Mapping[float, str], unit: str) -> str:
    """The points (size, amount) of several lines; `sizes` are the marks below, `unit` is said at the top."""
    points = [point for line in of.values() for point in line]
    x_low, x_high = log10(min(x for x, _ in points)) - 0.1, log10(max(x for x, _ in points)) + 0.1
    y_low, y_high = log10(min(y for _, y in points)) - 0.2, log10(max(y for _, y in points)) + 0.2

    def place(x: float, y: float) -> tuple[float, float]:
        across, up = (log10(x) - x_low) / (x_high - x_low), (log10(y) - y_low) / (y_high - y_low)
        return round(_LEFT + (_RIGHT - _LEFT) * across, 1), round(_BOTTOM - (_BOTTOM - _TOP) * up, 1)

    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 340" role="img" font-size="13"'
        ' font-family="sans-serif">',
        f"<title>{title}</title>",
        f'<rect width="720" height="340" fill="white"/><path d="M{_LEFT} {_TOP}V{_BOTTOM}H{_RIGHT + 10}" fill="none"'
        ' stroke="#444"/>',
        f'<text x="14" y="18">{unit}, logarithmic</text>',
    ]
    for power in range(-4, 9):
        if y_low <= power <= y_high:
            _, y = place(points[0][0], 10.0**power)
            parts.append(f'<path d="M{_LEFT} {y}H{_RIGHT + 10}" stroke="#ddd"/>')
            parts.append(f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{10.0**power:g}</text>')
    for size, said in sizes.items():
        x, _ = place(size, points[0][1])
        parts.append(f'<text x="{x}" y="{_BOTTOM + 20}" text-anchor="middle">{said}</text>')
    ends = sorted(((place(*line[-1])[1], name) for name, line in of.items()), reverse=True)
    height, texts = float(_BOTTOM), []
    for y, name in ends:  # names stand beside the last points, none on another
        height = min(y, height - 15)
        line, colour = of[name], _COLOURS[list(of).index(name) % len(_COLOURS)]
        path = " ".join(f"{x},{y}" for x, y in (place(*point) for point in line))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}"/>')
        parts += [f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>' for x, y in (place(*point) for point in line)]
        x, _ = place(*line[-1])
        said = f"{name}, {line[-1][1]:,.3g}"
        texts.append(f'<text x="{x + 9}" y="{height + 4}" fill="{colour}" {_HALO}>{said}</text>')
    return "\n".join([*parts, *texts, "</svg>"]) + "\n"
