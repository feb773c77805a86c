# SPDX-License-Identifier: Apache-2.0
"""Pictures of a study as Vega-Lite specifications: scores of classifiers, attacks, and what k costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.report.plots import COLOURS, INK, SHAPES, SOFT, Spec, spec, within
from discreet.report.words import percent


def scores_plot(lines: Sequence[dict[str, Any]], title: str) -> Spec:
    """Scores with intervals: lines of {who, state, value, low, high}, states in the order of their first line."""
    states = list(dict.fromkeys(line["state"] for line in lines))
    names = list(dict.fromkeys(line["who"] for line in lines))
    scale = {"domain": states}
    y = {"field": "who", "type": "nominal", "sort": names, "title": None, "axis": {"grid": True}}
    offset = {"field": "state", "sort": states}
    x = {"field": "value", "type": "quantitative", "title": title, "scale": {"zero": False}, "axis": {"tickCount": 6}}
    colour = {"field": "state", "type": "nominal", "scale": scale | {"range": COLOURS[: len(states)]}}
    layers = [
        {
            "mark": {"type": "rule", "strokeWidth": 2.5},
            "encoding": {
                "y": y,
                "yOffset": offset,
                "x": x | {"field": "low"},
                "x2": {"field": "high"},
                "color": colour,
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {
                "y": y,
                "yOffset": offset,
                "x": x,
                "color": colour,
                "shape": {"field": "state", "type": "nominal", "scale": scale | {"range": SHAPES[: len(states)]}},
                "tooltip": [{"field": name} for name in ("who", "state", "value", "low", "high")],
            },
        },
    ]
    said = "; ".join(
        f"{line['who']}, {line['state']}: {line['value']:.3f}, from {line['low']:.3f} to {line['high']:.3f}"
        for line in lines
    )
    return spec(f"{title}, with 95 percent intervals. {said}.", list(lines), layer=layers, height=44 * len(names) + 10)


def attacks_plot(findings: Sequence[dict[str, Any]]) -> Spec:
    """How often each attack succeeded, beside guessing, persons who are not in the release, and what is promised."""
    values = []
    for found in findings:
        name = found["attack"]
        values.append({"attack": name, "what": "success", **found["success"]})
        values.append({"attack": name, "what": "guessing", "value": found["baseline"]})
        if found["control"] is not None:
            values.append({"attack": name, "what": "persons not in it", **found["control"]})
        if found["bound"] is not None:
            values.append({"attack": name, "what": "promised at most", "value": found["bound"]})
    kinds = ["success", "persons not in it", "guessing", "promised at most"]
    names = list(dict.fromkeys(value["attack"] for value in values))
    y = {"field": "attack", "type": "nominal", "sort": names, "title": None, "axis": {"grid": True}}
    x = {
        "field": "value",
        "type": "quantitative",
        "title": "share of targets, less is better",
        "axis": {"format": "~%", "tickCount": 8},
    }
    scale = {"domain": kinds}
    layers = [
        {
            "mark": {"type": "rule", "strokeWidth": 2.5, "color": COLOURS[0]},
            "transform": [{"filter": {"field": "what", "equal": "success"}}],
            "encoding": {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 80, "opacity": 0.95},
            "encoding": {
                "y": y,
                "x": x,
                "color": {"field": "what", "type": "nominal", "scale": scale | {"range": COLOURS[:4]}},
                "shape": {"field": "what", "type": "nominal", "scale": scale | {"range": SHAPES[:4]}},
                "tooltip": [{"field": "attack"}, {"field": "what"}, {"field": "value", "format": ".3f"}],
            },
        },
    ]
    said = "; ".join(
        f"{f['attack']}: {percent(f['success']['value'])}, guessing {percent(f['baseline'])}" for f in findings
    )
    return spec(f"Success of {len(names)} attacks. {said}.", values, layer=layers, height=34 * len(names) + 10)


def sensitivity_plot(
    lines: Sequence[dict[str, Any]],
    measure: str,
    title: str,
    original: float | None,
    limits: tuple[float, float] | None = None,
) -> Spec:
    """A measure against k, one line for each method: lines of {method, k, ...measures}."""
    methods = list(dict.fromkeys(line["method"] for line in lines))
    ks = sorted({line["k"] for line in lines})
    scale = {"domain": methods}
    x = {
        "field": "k",
        "type": "quantitative",
        "title": "k, persons who are alike",
        "scale": {"type": "log", "nice": False, "padding": 18},
        "axis": {"values": ks, "format": "d"},
    }
    y = {"field": measure, "type": "quantitative", "title": title, **within(limits, 10)}
    colour = {"field": "method", "type": "nominal", "scale": scale | {"range": (COLOURS * 3)[: len(methods)]}}
    shape = {"field": "method", "type": "nominal", "scale": scale | {"range": (SHAPES * 3)[: len(methods)]}}
    tooltip = [{"field": "method"}, {"field": "k"}, {"field": measure, "format": ".4f"}]
    layers: list[Spec] = [
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"x": x, "y": y, "color": colour}},
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": tooltip},
        },
    ]
    if original is not None:
        rule = {"mark": {"type": "rule", "color": SOFT, "strokeDash": [5, 4]}, "data": {"values": [{"at": original}]}}
        layers.insert(0, rule | {"encoding": {"y": {"field": "at", "type": "quantitative"}}})
        words = {"mark": {"type": "text", "align": "left", "dy": -6, "color": INK, "text": "original"}}
        place = {"x": {"value": 4}, "y": {"field": "at", "type": "quantitative"}}
        layers.insert(1, words | {"data": {"values": [{"at": original}]}, "encoding": place})
    said = "; ".join(f"{line['method']} at k = {line['k']}: {line[measure]:.3f}" for line in lines)
    return spec(f"{title} against k. {said}.", list(lines), layer=layers, height=300)
