# SPDX-License-Identifier: Apache-2.0
"""Pictures of the studio as Vega-Lite specifications, drawn by the same scripts as those of reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from discreet.report.colours import COLOURS, INK, SOFT
from discreet.report.plots import PERCENT, Spec, spec
from discreet.report.wording import percent

_LEVELS = {"original": "original table", "guessing": "guessing"}
_STATES = ["best by your weights", "looked at", "other"]
_SMALLEST, _LARGEST = 160, 900  # areas of points, in square pixels
_HEIGHT = 330
_ABOVE = 17  # pixels between a circle's middle and what is written above it
_NEAR = 0.06  # of an axis: circles that are nearer to each other overlap


def choice_picture(
    ranking: Sequence[Mapping[str, Any]],
    levels: Sequence[Mapping[str, Any]],
    measure: str,
    *,
    best: str | None,
    shown: str,
) -> Spec:
    """Utility against persons who are not found, detail as area; a point leads to the page of its release."""
    values = [
        {
            "release": row["name"],
            "rank": place,
            "utility": row["utility"],
            "privacy": row["privacy"],
            "detail": row["detail"] or 0.0,
            "state": _STATES[0] if row["name"] == best else _STATES[1] if row["name"] == shown else _STATES[2],
            "address": f"/choose?release={quote(row['name'])}",
        }
        for place, row in enumerate(ranking, 1)
        if row["utility"] is not None and row["privacy"] is not None
    ]
    least = min((value["privacy"] for value in values), default=0.0)
    left = max(0.0, least - max(0.2 * (100 - least), 0.5))  # so that one release alone has an axis, too
    _write_places(values, 100 - left, [one["utility"] for one in levels if one["utility"] is not None])
    values.reverse()  # the best are drawn last
    x = {
        "field": "privacy",
        "type": "quantitative",
        "title": "persons not found, of 100",
        "scale": {"domain": [left, 100], "nice": False, "padding": 24},
        "axis": {"tickCount": 5, "labelExpr": "datum.value > 100 ? '' : datum.label"},
    }
    y = {
        "field": "utility",
        "type": "quantitative",
        "title": measure,
        "scale": {"zero": False, "padding": 24},
        "axis": {"tickCount": 5, "labelExpr": PERCENT},
    }
    area = {"type": "quantitative", "scale": {"domain": [0, 1], "range": [_SMALLEST, _LARGEST]}, "legend": None}
    fill = {"field": "state", "scale": {"domain": _STATES, "range": [COLOURS[0], COLOURS[1], SOFT]}, "legend": None}
    tooltip = [
        {"field": "release", "title": "release"},
        *({"field": name, "format": ".3~r"} for name in ("utility", "privacy", "detail")),
    ]
    drawn = [
        {"at": one["utility"], "name": f"{_LEVELS.get(one['name'], one['name'])} {percent(one['utility'])}"}
        for one in levels
        if one["utility"] is not None
    ]
    at = {"field": "at", "type": "quantitative"}
    layers: list[Spec] = [
        {
            "data": {"values": drawn},
            "mark": {"type": "rule", "color": SOFT, "strokeDash": [4, 4]},
            "encoding": {"y": at},
        },
        {
            "data": {"values": drawn},
            "mark": {"type": "text", "align": "left", "baseline": "bottom", "dx": 4, "dy": -3, "color": SOFT},
            "encoding": {"y": at, "x": {"value": 0}, "text": {"field": "name"}},
        },
        {
            "mark": {"type": "point", "strokeWidth": 2.5, "fillOpacity": 0.12, "filled": False, "cursor": "pointer"},
            "encoding": {
                "x": x,
                "y": y,
                "size": area | {"field": "detail"},
                "stroke": fill,
                "fill": fill,
                "tooltip": tooltip,
            },
        },
        *(
            {
                "transform": [{"filter": f"datum.{field} != ''"}],
                "mark": {"type": "text", "fontWeight": 600, "color": INK, "cursor": "pointer", "dy": dy},
                "encoding": {"x": x, "y": y, "text": {"field": field}, "tooltip": tooltip},
            }
            for field, dy in (("inside", 0), ("above", -_ABOVE))
        ),
    ]
    in_words = "; ".join(f"{row['name']}: {_in_words(row)}" for row in ranking)
    return spec(f"{measure} against persons not found. {in_words}.", values, layer=layers, height=_HEIGHT)


def _write_places(values: Sequence[dict[str, Any]], width: float, levels: Sequence[float]) -> None:
    """Say where each place in the ranking is written: in its circle; of circles that overlap, above the highest."""
    utilities = [*(value["utility"] for value in values), *levels]
    height = max(utilities, default=1.0) - min(utilities, default=0.0)
    heaps: list[list[dict[str, Any]]] = []
    for value in values:
        heap = next((heap for heap in heaps if any(_overlap(value, other, width, height) for other in heap)), None)
        if heap is None:
            heaps.append([value])
        else:
            heap.append(value)
    for heap in heaps:
        places, highest = ", ".join(str(one["rank"]) for one in heap), max(heap, key=lambda one: one["utility"])
        for one in heap:
            one |= {"above": places if one is highest and len(heap) > 1 else "", "inside": ""}
        if len(heap) == 1:
            highest["inside"] = places


def _overlap(one: Mapping[str, Any], other: Mapping[str, Any], width: float, height: float) -> bool:
    return all(
        abs(one[axis] - other[axis]) <= _NEAR * length for axis, length in (("privacy", width), ("utility", height))
    )


def _in_words(row: Mapping[str, Any]) -> str:
    utility, found = row["utility"], row["privacy"]
    said = "not measured" if utility is None else percent(utility)
    return said if found is None else f"{said}, {found:.1f} of 100 not found"
