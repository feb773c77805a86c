# SPDX-License-Identifier: Apache-2.0
"""Plots of a study as Vega-Lite specifications: scores of classifiers, attacks, and what k costs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from discreet.report.colours import COLOURS, SHAPES, SOFT
from discreet.report.placing import EDGE
from discreet.report.plots import PERCENT, Spec, interval, rows, signs, spec, within
from discreet.report.wording import number, percent, score, short


def scores_plot(lines: Sequence[dict[str, Any]], title: str, measure: str = "accuracy") -> Spec:
    """Scores with intervals, from lines of {who, state, value, low, high}; states in order of appearance."""
    states = list(dict.fromkeys(line["state"] for line in lines))
    names = list(dict.fromkeys(line["who"] for line in lines))
    scale = {"domain": states}
    y, words = rows("who", names, above=15)
    axis = {"tickCount": 6} | ({} if measure == "brier" else {"labelExpr": PERCENT})
    x = {"field": "value", "type": "quantitative", "title": title, "scale": {"zero": False}, "axis": axis}
    colour = {"field": "state", "type": "nominal", "scale": scale | {"range": COLOURS[: len(states)]}}
    shape = {"field": "state", "type": "nominal", "scale": scale | {"range": SHAPES[: len(states)]}}
    tooltip = [{"field": name} for name in ("who", "state", "value", "low", "high")]
    layers: list[Spec] = [words]
    for place, state in enumerate(states):
        only = [{"filter": {"field": "state", "equal": state}}]
        below = 14 * place - 7 * (len(states) - 1)
        rule = {"type": "rule", "strokeWidth": 2.5, "yOffset": below, "y2Offset": below}
        point = {"type": "point", "filled": True, "size": 70, "opacity": 1, "yOffset": below}
        ends = {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}, "color": colour}
        middle = {"y": y, "x": x, "color": colour, "shape": shape, "tooltip": tooltip}
        layers += [{"mark": rule, "transform": only, "encoding": ends}]
        layers += [{"mark": point, "transform": only, "encoding": middle}]
    in_words = "; ".join(
        f"{line['who']}, {line['state']}: {score(line['value'], measure)}, from {score(line['low'], measure)} to"
        f" {score(line['high'], measure)}"
        for line in lines
    )
    return spec(
        f"{title}, with 95 percent intervals. {in_words}.", list(lines), layer=layers, height=60 * len(names) + 6
    )


def detail_plot(lines: Sequence[dict[str, Any]]) -> Spec:
    """Bars of the detail of each column, a group for each column, from lines of {release, column, detail}."""
    releases = list(dict.fromkeys(line["release"] for line in lines))
    columns = list(dict.fromkeys(line["column"] for line in lines))
    values = [line | {"shown": short(line["column"], 30)} for line in lines]
    x = {
        "field": "detail",
        "type": "quantitative",
        "title": "detail, more is better",
        "scale": {"domain": [0, 1]},
        "axis": {"tickCount": 6, "labelExpr": PERCENT},
    }
    y, words = rows("shown", [short(name, 30) for name in columns], above=4 + 5 * len(releases))
    colours, _ = signs(len(releases))
    colour = {"field": "release", "type": "nominal", "scale": {"domain": releases, "range": colours}}
    tooltip = [{"field": "column"}, {"field": "release"}, {"field": "detail", "format": ".3f"}]
    layers: list[Spec] = [words]
    for place, name in enumerate(releases):
        below = 10 * place - 5 * (len(releases) - 1)
        mark = {"type": "bar", "height": 8, "yOffset": below, "opacity": 0.95}
        only = [{"filter": {"field": "release", "equal": name}}]
        encoding = {"x": x, "y": y, "color": colour, "tooltip": tooltip}
        layers.append({"mark": mark, "transform": only, "encoding": encoding})
    in_words = "; ".join(f"{line['column']} in {line['release']}: {percent(line['detail'])}" for line in lines)
    height = (24 + 10 * len(releases)) * len(columns) + 6
    room = {"left": 2, "right": EDGE, "top": 16, "bottom": 4}  # for the name above the first bars
    return spec(f"Detail of {len(columns)} columns. {in_words}.", values, layer=layers, height=height, padding=room)


def attacks_plot(findings: Sequence[dict[str, Any]]) -> Spec:
    """Success of each attack, beside guessing, success on persons outside the release, and the promised bound."""
    values = []
    for finding in findings:
        name = finding["attack"]
        values.append({"attack": name, "what": "success", **finding["success"]})
        values.append({"attack": name, "what": "guessing", "value": finding["baseline"]})
        if finding["control"] is not None:
            values.append({"attack": name, "what": "persons not in it", **finding["control"]})
        if finding["bound"] is not None:
            values.append({"attack": name, "what": "promised at most", "value": finding["bound"]})
    kinds = ["success", "persons not in it", "guessing", "promised at most"]
    names = list(dict.fromkeys(value["attack"] for value in values))
    y, words = rows("attack", names)
    x = {
        "field": "value",
        "type": "quantitative",
        "title": "share of targets, less is better",
        "axis": {"labelExpr": PERCENT, "tickCount": 6},
    }
    scale = {"domain": kinds}
    layers = [
        words,
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
    in_words = "; ".join(
        f"{f['attack']}: {percent(f['success']['value'])}, guessing {percent(f['baseline'])}" for f in findings
    )
    return spec(f"Success of {len(names)} attacks. {in_words}.", values, layer=layers, height=38 * len(names) + 8)


def sensitivity_plot(
    lines: Sequence[dict[str, Any]],
    measure: str,
    title: str,
    original: float | None,
    limits: tuple[float, float] | None = None,
    *,
    of_scores: bool = False,
) -> Spec:
    """A measure against k, one line per method, from {method, k, measures and ends of their intervals}."""
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
    if of_scores:  # shares, in per cent
        y["axis"] = {"labelExpr": PERCENT}
    colours, shapes = signs(len(methods))
    colour = {"field": "method", "type": "nominal", "scale": scale | {"range": colours}}
    shape = {"field": "method", "type": "nominal", "scale": scale | {"range": shapes}}
    tooltip = [{"field": "method"}, {"field": "k"}, {"field": measure, "format": ".4f"}]
    layers: list[Spec] = [
        *interval(measure, y, x, lines, upright=True, colour=colour),
        {"mark": {"type": "line", "strokeWidth": 1.5}, "encoding": {"x": x, "y": y, "color": colour}},
        {
            "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": colour, "shape": shape, "tooltip": tooltip},
        },
    ]
    if original is not None:
        rule = {"mark": {"type": "rule", "color": SOFT, "strokeDash": [5, 4]}, "data": {"values": [{"at": original}]}}
        layers.insert(0, rule | {"encoding": {"y": {"field": "at", "type": "quantitative"}}})
    in_words = "; ".join(
        f"{line['method']} at k = {line['k']}: {percent(line[measure]) if of_scores else number(line[measure])}"
        for line in lines
    )
    return spec(f"{title} against k. {in_words}.", list(lines), layer=layers, height=300)
