# SPDX-License-Identifier: Apache-2.0
"""Two pictures of the frontier as SVG: differences to TreeLadder by table, and AUC against detail."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from benchmarks.frontier.protocol import best_of
from benchmarks.frontier.tables import TABLES

Found = dict[str, dict[str, dict[str, Any]]]
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#444444", "#e69f00", "#56b4e9")  # told apart by all eyes
_OURS = "TreeLadder"
_FONT = 'font-size="13" font-family="sans-serif"'


def methods_of(found: Found) -> list[str]:
    """The methods that were measured, each once."""
    return list(dict.fromkeys(name.split(" ", 1)[1] for figures in found.values() for name in figures))


def _mark(x: float, y: float, shape: int, colour: str) -> str:
    """A sign for each method, so that colour is not all that tells them apart."""
    if shape % 3 == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'
    if shape % 3 == 1:
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8" fill="{colour}"/>'
    return f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z" fill="{colour}"/>'


def _legend(methods: list[str], y: float) -> list[str]:
    parts, x = [], 20.0
    for place, method in enumerate(methods):
        parts.append(_mark(x, y, place, _COLOURS[place % len(_COLOURS)]))
        parts.append(f'<text x="{x + 9:.0f}" y="{y + 4:.0f}">{escape(method)}</text>')
        x += 26 + 7.2 * len(method)
    return parts


def differences_picture(found: Found) -> str:
    """For each table, the mean over k of TreeLadder's AUC less each other method's; right of the line ours is ahead."""
    methods = [name for name in methods_of(found) if name != _OURS]
    left, right, step, top = 130, 860, 24, 70
    height = top + step * len(found) + 40
    shown = 0.1

    def across(value: float) -> float:
        return left + (right - left) * (min(max(value, -shown), shown) + shown) / (2 * shown)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 {height}" role="img" {_FONT}>',
        "<title>AUC of TreeLadder less that of other methods, by table</title>",
        f'<rect width="900" height="{height}" fill="white"/>',
        '<text x="20" y="20">AUC of TreeLadder less that of others, mean over k (right: ours is ahead)</text>',
        *_legend(methods, 42),
    ]
    for tick in np.linspace(-shown, shown, 9):
        x = across(float(tick))
        parts.append(f'<path d="M{x:.1f} {top - 12}V{height - 34}" stroke="{"#444" if abs(tick) < 1e-9 else "#ddd"}"/>')
        parts.append(f'<text x="{x:.1f}" y="{height - 16}" text-anchor="middle">{tick:+.3f}</text>')
    for line, (table, figures) in enumerate(found.items()):
        y = top + step * line + 4
        parts.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{escape(table)}</text>')
        for place, method in enumerate(methods):
            both = [(figures.get(f"{k} {_OURS}", {}), figures.get(f"{k} {method}", {})) for k in TABLES[table][1]]
            gaps = [best_of(a, "auc") - best_of(b, "auc") for a, b in both if "learners" in a and "learners" in b]
            if gaps:
                parts.append(_mark(across(float(np.mean(gaps))), y, place, _COLOURS[place % len(_COLOURS)]))
    return "\n".join([*parts, "</svg>"]) + "\n"


def trade_picture(found: Found) -> str:
    """Mean AUC against mean counted detail over the tables where every method has every release, a point for each."""
    methods = methods_of(found)
    found = {
        table: figures
        for table, figures in found.items()
        if all("learners" in figures.get(f"{k} {method}", {}) for k in TABLES[table][1] for method in methods)
    }
    points: dict[tuple[str, int], tuple[float, float]] = {}
    for method in methods:
        for place in range(3):
            ones = [
                one
                for table, figures in found.items()
                if "learners" in (one := figures.get(f"{TABLES[table][1][place]} {method}", {}))
            ]
            if ones:
                auc = float(np.mean([best_of(one, "auc") for one in ones]))
                points[method, place] = float(np.mean([one["counted"] for one in ones])), auc
    heights = [y for _, y in points.values()]
    low, high = 0.02 * np.floor(min(heights) / 0.02), 0.02 * np.ceil(max(heights) / 0.02)
    left, right, top, bottom = 70, 860, 60, 420

    def at(detail: float, auc: float) -> tuple[float, float]:
        return left + (right - left) * detail, bottom - (bottom - top) * (auc - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 900 470" role="img" {_FONT}>',
        "<title>AUC against detail, mean over tables, for each method and k</title>",
        '<rect width="900" height="470" fill="white"/>',
        '<text x="20" y="20">AUC against counted detail, mean of tables; lines lead from small k to large</text>',
        *_legend(methods, 42),
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#444"/>',
        f'<text x="{(left + right) / 2}" y="460" text-anchor="middle">counted detail</text>',
    ]
    for tick in np.linspace(0, 1, 6):
        x, _ = at(float(tick), low)
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tick:.1f}</text>')
    for tick in np.arange(low, high + 0.01, 0.02):
        _, y = at(0, float(tick))
        parts.append(f'<path d="M{left} {y:.1f}H{right}" stroke="#eee"/>')
        parts.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:.2f}</text>')
    for shape, method in enumerate(methods):
        colour = _COLOURS[shape % len(_COLOURS)]
        own = [at(*points[method, place]) for place in range(3) if (method, place) in points]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in own)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}"/>')
        parts += [_mark(x, y, shape, colour) for x, y in own]
    return "\n".join([*parts, "</svg>"]) + "\n"
