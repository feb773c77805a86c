# SPDX-License-Identifier: Apache-2.0
"""Plots of a choice as Vega-Lite specifications: plain dictionaries that any page can draw.

Row names are above their rows, so that they fit on a phone. Every specification has a description for screen readers,
and all numbers are also in a table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from discreet.choose.choice import Candidate, Choice
from discreet.choose.criteria import Criterion
from discreet.choose.quadrants import REGIONS, regions
from discreet.report.colours import COLOURS, INK, LINE, SHAPES, SOFT
from discreet.report.placing import EDGE, ROOM, SIDES, sides_of
from discreet.report.wording import precise, short

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # an identifier; nothing is fetched
PERCENT = "format(100 * datum.value, '.3~r') + ' %'"  # a share as axis labels write it
_SPOKEN = 20  # candidates named in a description; the table has all
_ROWS = 20  # candidates with a row in a plot
_MORE_NAMES = 4  # further names on the front, besides the best and the knee, where they fit
_NARROW = 0.35  # a front that spans less of an axis gets a plot of its own
_LIMITS = {"of 100": (0.0, 100.0), "share": (0.0, 1.0)}  # no axis label lies beyond
_STATES = {
    "best": "chosen by the weights",
    "knee": "where the front bends",
    "front": "on the front, no other outdoes it",
    "beaten": "another is better",
}
_MARKS = [*zip(COLOURS[:3], SHAPES[:3], strict=True), (COLOURS[5], SHAPES[3])]
_AREAS = {"best": 190, "knee": 130, "front": 90, "beaten": 50}

CONFIG: Spec = {
    "font": "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif",
    "background": "transparent",
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": 12,
        "titleFontSize": 13,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelColor": INK,
        "titleColor": INK,
        "gridColor": LINE,
        "domainColor": SOFT,
        "tickColor": SOFT,
        "labelLimit": 170,
        "labelOverlap": True,
        "labelSeparation": 8,
        "labelFlush": False,
    },
    "legend": {
        "orient": "bottom",
        "direction": "vertical",
        "labelFontSize": 12,
        "labelColor": INK,
        "labelLimit": 320,
        "symbolSize": 110,
        "title": None,
    },
    "text": {"fontSize": 12, "color": INK},
}


def region_plot(choice: Choice, utility: str, privacy: str, compared: Candidate | str) -> Spec:
    """Utility and privacy of the candidates in the four regions around the original, or around the one of that name."""
    baseline = compared if isinstance(compared, Candidate) else next(c for c in choice.candidates if c.name == compared)
    judged = {criterion.name: criterion for criterion in choice.evaluation.criteria}
    drawn = list(choice.candidates)
    if all(candidate.name != baseline.name for candidate in drawn):
        drawn.append(baseline)
    place = next(place for place, candidate in enumerate(drawn) if candidate.name == baseline.name)
    useful, private = (
        Criterion(name, [candidate.measures[name] for candidate in drawn], judged[name].higher_is_better)
        for name in (utility, privacy)
    )
    areas = regions(useful, private, place)
    label = {name: f"{name}: {words.replace(' and ', ', and ')}" for name, words in REGIONS.items()}
    values = [
        {
            "name": candidate.name,
            **{name: float(candidate.measures[name]) for name in judged if name in candidate.measures},
        }
        | {"region": label[region], "_area": 90, "label": _label(candidate, choice, baseline.name)}
        for candidate, region in zip(drawn, areas, strict=True)
    ]
    members = "; ".join(
        f"{label[name]}: {_names([c for c, region in zip(drawn, areas, strict=True) if region == name])}"
        for name in REGIONS
    )
    rule = {"mark": {"type": "rule", "color": SOFT, "strokeDash": [5, 4]}, "data": {"values": [values[place]]}}
    layers = [
        rule | {"encoding": {"x": _across(utility, choice)}},
        rule | {"encoding": {"y": _axis(privacy, choice)}},
        *_corners(judged[utility].higher_is_better, judged[privacy].higher_is_better),
        _points(
            choice,
            utility,
            privacy,
            "region",
            dict(zip(label.values(), zip(COLOURS, SHAPES, strict=True), strict=False)),
        ),
        *_labels(choice, utility, privacy, values),
    ]
    at = f"{_value_in_words(baseline, utility)} and {_value_in_words(baseline, privacy)}"
    spoken = f"{_title(utility, choice)} against {_title(privacy, choice)} of {len(choice.candidates)} candidates."
    described = f"{spoken} The baseline, {baseline.name}, has {at}. {members}."
    return spec(described, values, layer=layers, height=320)


def front_plot(
    choice: Choice,
    first: str,
    second: str,
    *,
    original: float | None = None,
    closer: bool = False,
    spans: Mapping[str, Mapping[str, float]] | None = None,
) -> Spec:
    """Two measures of the candidates, with the front, the best, the knee and the beaten ones.

    `original` is the first measure of the original data; `closer` leaves out candidates far from the front; `spans` has
    the ends of intervals by candidate, such as {"utility_low": 0.7, "utility_high": 0.8}, drawn for the front, or for
    all candidates if `closer`.
    """
    front, knee = set(choice.evaluation.front), choice.evaluation.knee
    near = near_front(choice, first, second) if closer else frozenset(range(len(choice.candidates)))
    rank = {candidate.name: place for place, candidate in enumerate(choice.ranking)}
    more = {c.name for c in sorted(choice.front, key=lambda one: rank[one.name])[: _MORE_NAMES + 2]}
    values = []
    for place, candidate in enumerate(choice.candidates):
        state = "best" if candidate is choice.best else "knee" if place == knee else "beaten"
        state = "front" if state == "beaten" and place in front else state
        if place in near:
            label = short(candidate.name, 26) if state in ("best", "knee") or candidate.name in more else ""
            room = {} if state == "best" else {"_if_room": True}
            span = spans.get(candidate.name, {}) if spans and (closer or state != "beaten") else {}
            drawn = _values(candidate, choice) | dict(span)
            values.append(drawn | {"state": _STATES[state], "_area": _AREAS[state], "label": label} | room)
    order = list(_STATES.values())
    values.sort(key=lambda value: -order.index(value["state"]))  # the most important are drawn last
    present = {value["state"] for value in values}
    marks = {state: mark for state, mark in zip(order, _MARKS, strict=True) if state in present}
    across, up = _across(first, choice), _axis(second, choice)
    layers = [_points(choice, first, second, "state", marks), *_labels(choice, first, second, values)]
    layers[:0] = [*interval(first, across, up, values), *interval(second, up, across, values, upright=True)]
    if {criterion.name for criterion in choice.evaluation.weighed} == {first, second}:  # the front is a line here
        line = {"type": "line", "color": SOFT, "strokeDash": [4, 3]}
        encoding = {"x": across, "y": up, "order": {"field": first}}
        members = [_values(candidate, choice) for i, candidate in enumerate(choice.candidates) if i in front]
        layers.insert(0, {"mark": line, "data": {"values": members}, "encoding": encoding})
    if original is not None and len({value[first] for value in values}) > 1:
        rule = {"mark": {"type": "rule", "color": SOFT, "strokeDash": [5, 4]}, "data": {"values": [{first: original}]}}
        layers.insert(0, rule | {"encoding": {"x": across}})
    by = " and ".join(criterion.name for criterion in choice.evaluation.weighed)
    spoken = f"{_title(first, choice)} against {_title(second, choice)} of {len(values)} candidates."
    bend = "It has no knee." if choice.knee is None else f"Its knee is {choice.knee.name}."
    described = f"{spoken} On the front by {by}: {_names(choice.front)}. {bend} {_best_in_words(choice)}"
    return spec(described, values, layer=layers, height=320)


def near_front(choice: Choice, first: str, second: str) -> frozenset[int]:
    """Positions of the candidates on or near the front; none if the whole plot already shows the front well."""
    front = choice.evaluation.front
    near, narrow = set(range(len(choice.candidates))), False
    for measure in (first, second):
        values = [float(candidate.measures[measure]) for candidate in choice.candidates]
        inside = [values[place] for place in front]
        whole, span = max(values) - min(values), max(inside) - min(inside)
        narrow |= whole > 0 and span < _NARROW * whole
        margin = max(span / 2, whole / 50)
        near &= {i for i, value in enumerate(values) if min(inside) - margin <= value <= max(inside) + margin}
    apart = all(len({float(choice.candidates[i].measures[name]) for i in near}) > 1 for name in (first, second))
    return frozenset(near) if narrow and apart and 2 < len(near) < len(choice.candidates) else frozenset()


def ratio_plot(choices: Mapping[str, Choice]) -> Spec:
    """Scores of the first candidates under several weights, which the keys name; the first choice gives the order."""
    first = next(iter(choices.values()))
    line = {c.name: f"{place}. {c.name}" for place, c in enumerate(first.ranking, start=1)}
    bests = {choice.best.name for choice in choices.values() if choice.best is not None}
    drawn = [c.name for place, c in enumerate(first.ranking) if place < _ROWS or c.name in bests]
    values = [
        {
            "candidate": line[candidate.name],
            "name": candidate.name,
            "weights": label,
            "score": choice.scores[candidate.name],
            "best": candidate is choice.best,
        }
        for label, choice in choices.items()
        for candidate in choice.candidates
        if candidate.name in drawn
    ]
    title = "score by ranks, E(S)" if first.evaluation.by == "rank" else "score"
    x = {"field": "score", "type": "quantitative", "title": f"{title}, more is better", "scale": {"zero": False}}
    x["axis"] = {"tickCount": 8}
    y, names = rows("candidate", [line[name] for name in drawn])
    scale = {"domain": list(choices)}
    encoding: Spec = {
        "x": x,
        "y": y,
        "color": {"field": "weights", "type": "nominal", "scale": scale | {"range": COLOURS}},
        "shape": {"field": "weights", "type": "nominal", "scale": scale | {"range": SHAPES}},
        "tooltip": [{"field": name} for name in ("name", "weights", "score")],
    }
    ring = {"type": "point", "shape": "circle", "size": 330, "color": INK, "strokeWidth": 1.5}
    layers = [
        {"mark": {"type": "point", "filled": True, "size": 75, "opacity": 0.9}, "encoding": encoding},
        {"mark": ring, "transform": [{"filter": {"field": "best", "equal": True}}], "encoding": {"x": x, "y": y}},
        names,
    ]
    bests_in_words = "; ".join(
        f"with {label} none is recommended"
        if choice.best is None
        else f"with {label} the best is {choice.best.name}, score {precise(choice.scores[choice.best.name])}"
        for label, choice in choices.items()
    )
    spoken = (
        f"Scores of {len(drawn)} of {len(line)} candidates under {len(choices)} kinds of weights: {bests_in_words}."
    )
    return spec(spoken, values, layer=layers, height=38 * len(drawn) + 8)


# -- parts of specifications -----------------------------------------------------------------------------------------


def spec(description: str, values: list[Spec], **parts: Any) -> Spec:
    """A whole specification: `description` for screen readers, `values` the data, `parts` what to draw."""
    return {
        "$schema": SCHEMA,
        "description": description,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 2, "right": EDGE, "top": 6, "bottom": 4},
        "data": {"values": values},
        "config": CONFIG,
        **parts,
    }


def rows(field: str, names: Sequence[str], above: int = 8) -> tuple[Spec, Spec]:
    """The y axis with one row per value of a field, and a layer with their names `above` pixels above each row."""
    axis = {"grid": True, "labels": False, "ticks": False, "domain": False}
    y = {"field": field, "type": "nominal", "sort": list(names), "title": None, "axis": axis}
    mark = {"type": "text", "align": "left", "baseline": "bottom", "dx": 1, "dy": -above, "limit": {"expr": "width"}}
    encoding = {"y": y, "x": {"value": 0}, "text": {"field": field}}
    return y, {"mark": mark, "data": {"values": [{field: name} for name in names]}, "encoding": encoding}


def interval(
    measure: str,
    along: Spec,
    beside: Spec,
    values: Sequence[Spec],
    *,
    upright: bool = False,
    colour: Spec | None = None,
) -> list[Spec]:
    """A layer with interval lines for the values that have both ends; empty if none has."""
    low, high = f"{measure}_low", f"{measure}_high"
    drawn = [value for value in values if value.get(low) is not None]
    x, y = ("y", "x") if upright else ("x", "y")
    encoding = {x: along | {"field": low}, f"{x}2": {"field": high}, y: beside, "color": colour or {"value": SOFT}}
    mark = {"type": "rule", "strokeWidth": 1, "opacity": 1 if colour else 0.6}  # a legend would be as pale
    return [{"mark": mark, "data": {"values": drawn}, "encoding": encoding}] if drawn else []


def signs(n: int) -> tuple[list[str], list[str]]:
    """Colours and shapes for n series; the pairs are distinct up to 36 series."""
    places = range(n)
    return [COLOURS[i % 6] for i in places], [SHAPES[(i + i // 6) % 6] for i in places]


def _values(candidate: Candidate, choice: Choice) -> Spec:
    numbers = {criterion.name: float(candidate.measures[criterion.name]) for criterion in choice.evaluation.criteria}
    return {"name": candidate.name, **numbers}


def _points(choice: Choice, first: str, second: str, kind: str, marks: Mapping[str, tuple[str, str]]) -> Spec:
    """A point for each candidate; `marks` has the colour and shape of each kind."""
    colours, shapes = zip(*marks.values(), strict=True)
    scale, legend = {"domain": list(marks)}, {"labelExpr": "split(datum.label, ', ')"}  # two lines if long
    tooltip = [{"field": "name"}, *({"field": c.name, "title": c.name} for c in choice.evaluation.criteria)]
    return {
        "mark": {"type": "point", "filled": True, "opacity": 0.9},
        "encoding": {
            "x": _across(first, choice),
            "y": _axis(second, choice),
            "color": {"field": kind, "type": "nominal", "scale": scale | {"range": list(colours)}, "legend": legend},
            "shape": {"field": kind, "type": "nominal", "scale": scale | {"range": list(shapes)}, "legend": legend},
            "size": {"field": "_area", "type": "quantitative", "scale": None, "legend": None},
            "tooltip": tooltip,
        },
    }


def _labels(choice: Choice, first: str, second: str, values: Sequence[Spec]) -> list[Spec]:
    """Names of some points, each on the side where it overlaps least."""
    places: dict[str, list[str]] = {}
    for name, side in sides_of(values, first, second).items():
        places.setdefault(side, []).append(name)
    encoding = {"x": _across(first, choice), "y": _axis(second, choice), "text": {"field": "label"}}
    return [
        {
            "mark": {"type": "text", "dx": dx, "dy": dy, "align": align, "baseline": "alphabetic", "limit": 170},
            "transform": [{"filter": {"field": "name", "oneOf": places[side]}}],
            "encoding": encoding,
        }
        for side, (dx, dy, align) in SIDES.items()
        if side in places
    ]


def _label(candidate: Candidate, choice: Choice, baseline: str) -> str:
    """The label of a point: only the baseline and the best have one, since more would overlap."""
    return short(candidate.name, 26) if candidate.name == baseline or candidate is choice.best else ""


def _axis(name: str, choice: Choice) -> Spec:
    meaning = choice.meanings[name]
    way = "more" if meaning.higher_is_better else "less"
    title = f"{_title(name, choice)}, {way} is better"
    values = [float(candidate.measures[name]) for candidate in choice.candidates]
    low, high = min(values), max(values)
    is_share = meaning.unit == "share" and meaning.higher_is_better  # in per cent, as everywhere
    drawn = within(_LIMITS.get(meaning.unit), ROOM, percent=is_share)
    if low == high:  # no range to take ticks from
        drawn["scale"] = {"domain": [low - (abs(low) or 1) / 10, high + (abs(high) or 1) / 10], "nice": False}
    return {"field": name, "type": "quantitative", "title": title, **drawn}


def _across(name: str, choice: Choice) -> Spec:
    """The x axis; a title too long for a phone takes two lines."""
    axis = _axis(name, choice)
    axis["axis"] = {**axis.get("axis", {}), "tickCount": 8}
    measure, way = axis["title"].rsplit(", ", 1)
    return axis if len(axis["title"]) < 29 else axis | {"title": [f"{measure},", way]}


def within(limits: tuple[float, float] | None, padding: int, *, percent: bool = False) -> Spec:
    """The scale of an axis with padding around the points; no label lies beyond the limits of a measure."""
    if limits is None:
        return {"scale": {"zero": False, "padding": padding}}
    beyond = f"datum.value < {limits[0]} || datum.value > {limits[1]} ? '' : {PERCENT if percent else 'datum.label'}"
    return {"scale": {"zero": False, "nice": False, "padding": padding}, "axis": {"labelExpr": beyond}}


def _title(name: str, choice: Choice) -> str:
    meaning = choice.meanings[name]
    unit = "" if meaning.unit == "share" else meaning.unit
    return f"{meaning.title or name}{f' ({unit})' if unit else ''}"


def _corners(utility_up: bool, privacy_up: bool) -> list[Spec]:
    """The names of the regions, each in its corner."""
    layers = []
    for name, useful, private in (("I", 0, 0), ("II", 1, 0), ("III", 0, 1), ("IV", 1, 1)):
        right, top = bool(useful) == utility_up, bool(private) == privacy_up
        mark = {"type": "text", "fontSize": 20, "color": SOFT, "align": "right" if right else "left"}
        mark |= {"baseline": "top" if top else "bottom", "dx": -8 if right else 8, "dy": 6 if top else -6}
        x, y = {"value": "width"} if right else {"value": 0}, {"value": 0} if top else {"value": "height"}
        layers.append(
            {"mark": mark, "data": {"values": [{"of": name}]}, "encoding": {"x": x, "y": y, "text": {"field": "of"}}}
        )
    return layers


def _names(candidates: Sequence[Candidate]) -> str:
    shown = ", ".join(candidate.name for candidate in candidates[:_SPOKEN])
    more = len(candidates) - _SPOKEN
    return f"{shown} and {more} more" if more > 0 else shown or "none"


def _best_in_words(choice: Choice) -> str:
    return "None is recommended." if choice.best is None else f"The best is {choice.best.name}."


def _value_in_words(candidate: Candidate, name: str) -> str:
    return f"{name} {precise(float(candidate.measures[name]))}"
