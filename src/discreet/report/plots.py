# SPDX-License-Identifier: Apache-2.0
"""Pictures of a choice as Vega-Lite specifications: plain dictionaries that any page can draw.

Colours are those of Okabe and Ito, which people tell apart who see colours differently; a shape says the same as each
colour. Every specification has a description in words, which a screen reader speaks. All numbers stand in the table
beside the pictures too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from typing import Any

from discreet.choose.candidates import Candidate, Choice
from discreet.choose.regions import REGIONS, regions
from discreet.report.words import precise, short

Spec = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"  # a name; nothing is fetched
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#4d5a66"]
SHAPES = ["circle", "diamond", "square", "triangle-up", "triangle-down", "cross"]
INK, SOFT, LINE = "#1c2530", "#4d5a66", "#d7dde2"
_SPOKEN = 20  # candidates that a description names; the table has all
_ROOM = 24  # around the points
_FRAME = (260, 300)  # a narrow picture, on which names are placed
_EDGE = 16  # to the right of it
_SIDES = {  # dx, dy and alignment of a name; the first that is as good as another is taken
    "above": (0, -11, "center"),
    "above, right": (8, -8, "left"),
    "above, left": (-8, -8, "right"),
    "right": (9, 4, "left"),
    "left": (-9, 4, "right"),
    "below": (0, 18, "center"),
}

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


def region_plot(choice: Choice, utility: str, privacy: str, baseline: str) -> Spec:
    """Utility and privacy of the candidates in the four regions around the baseline."""
    judged = {criterion.name: criterion for criterion in choice.evaluation.criteria}
    place = next(place for place, candidate in enumerate(choice.candidates) if candidate.name == baseline)
    found = regions(judged[utility], judged[privacy], place)
    label = {name: f"{name}: {words}" for name, words in REGIONS.items()}
    values = [
        _values(candidate, choice) | {"region": label[region], "label": _label(candidate, choice, baseline)}
        for candidate, region in zip(choice.candidates, found, strict=True)
    ]
    members = "; ".join(
        f"{label[name]}: {_names([c for c, region in zip(choice.candidates, found, strict=True) if region == name])}"
        for name in REGIONS
    )
    base = choice.candidates[place]
    rule = {"mark": {"type": "rule", "color": SOFT, "strokeDash": [5, 4]}, "data": {"values": [values[place]]}}
    layers = [
        rule | {"encoding": {"x": _axis(utility, choice)}},
        rule | {"encoding": {"y": _axis(privacy, choice)}},
        *_corners(judged[utility].higher_is_better, judged[privacy].higher_is_better),
        _points(choice, utility, privacy, "region", list(label.values())),
        *_labels(choice, utility, privacy, values),
    ]
    at = f"{_said(base, utility)} and {_said(base, privacy)}"
    spoken = f"{_title(utility, choice)} against {_title(privacy, choice)} of {len(values)} candidates."
    return spec(f"{spoken} The baseline, {baseline}, has {at}. {members}.", values, layer=layers, height=320)


def front_plot(choice: Choice, first: str, second: str) -> Spec:
    """Two measures of the candidates: those that no other beats, those that are beaten, the best and the knee."""
    front, knee = set(choice.evaluation.front), choice.evaluation.knee
    states = {"best": "best by the weights", "knee": "knee of the front", "front": "on the front", "beaten": "beaten"}
    values = []
    for place, candidate in enumerate(choice.candidates):
        state = "best" if candidate is choice.best else "knee" if place == knee else "beaten"
        state = "front" if state == "beaten" and place in front else state
        label = _label(candidate, choice, knee=state == "knee")
        values.append(_values(candidate, choice) | {"state": states[state], "label": label})
    layers = [_points(choice, first, second, "state", list(states.values())), *_labels(choice, first, second, values)]
    if {criterion.name for criterion in choice.evaluation.weighed} == {first, second}:  # then the front is a line here
        line = {"type": "line", "color": SOFT, "strokeDash": [4, 3]}
        encoding = {"x": _axis(first, choice), "y": _axis(second, choice), "order": {"field": first}}
        members = [value for value, place in zip(values, range(len(values)), strict=True) if place in front]
        layers.insert(0, {"mark": line, "data": {"values": members}, "encoding": encoding})
    by = " and ".join(criterion.name for criterion in choice.evaluation.weighed)
    spoken = f"{_title(first, choice)} against {_title(second, choice)} of {len(values)} candidates."
    bend = "It has no knee." if choice.knee is None else f"Its knee is {choice.knee.name}."
    described = f"{spoken} On the front by {by}: {_names(choice.front)}. {bend} The best is {choice.best.name}."
    return spec(described, values, layer=layers, height=320)


def ratio_plot(choices: Mapping[str, Choice]) -> Spec:
    """The score of every candidate under several weights; the keys say which weights, the first gives the order."""
    first = next(iter(choices.values()))
    line = {c.name: f"{place}. {c.name}" for place, c in enumerate(first.ranking, start=1)}
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
    ]
    title = "E(S)" if first.evaluation.by == "rank" else "score by values"
    x = {"field": "score", "type": "quantitative", "title": f"{title}, more is better", "scale": {"zero": False}}
    y = {"field": "candidate", "type": "nominal", "sort": list(line.values()), "title": None, "axis": {"grid": True}}
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
    ]
    bests = "; ".join(
        f"with {label} the best is {choice.best.name}, score {precise(choice.scores[choice.best.name])}"
        for label, choice in choices.items()
    )
    spoken = f"Scores of {len(line)} candidates under {len(choices)} kinds of weights: {bests}."
    return spec(spoken, values, layer=layers, height=24 * len(line) + 8)


# -- parts of specifications -----------------------------------------------------------------------------------------


def spec(description: str, values: list[Spec], **parts: Any) -> Spec:
    """A whole specification: `description` is what a screen reader speaks, `values` the data, `parts` what to draw."""
    return {
        "$schema": SCHEMA,
        "description": description,
        "width": "container",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": {"left": 2, "right": _EDGE, "top": 6, "bottom": 4},
        "data": {"values": values},
        "config": CONFIG,
        **parts,
    }


def _values(candidate: Candidate, choice: Choice) -> Spec:
    numbers = {criterion.name: float(candidate.measures[criterion.name]) for criterion in choice.evaluation.criteria}
    return {"name": candidate.name, **numbers}


def _points(choice: Choice, first: str, second: str, kind: str, domain: list[str]) -> Spec:
    scale = {"domain": domain}
    tooltip = [{"field": "name"}, *({"field": c.name, "title": c.name} for c in choice.evaluation.criteria)]
    return {
        "mark": {"type": "point", "filled": True, "size": 90, "opacity": 0.9},
        "encoding": {
            "x": _axis(first, choice),
            "y": _axis(second, choice),
            "color": {"field": kind, "type": "nominal", "scale": scale | {"range": _by_kind(COLOURS, domain)}},
            "shape": {"field": kind, "type": "nominal", "scale": scale | {"range": SHAPES[: len(domain)]}},
            "tooltip": tooltip,
        },
    }


def _by_kind(colours: Sequence[str], domain: list[str]) -> list[str]:
    """The last kind of the front plot, those that are beaten, steps back."""
    return [*colours[: len(domain) - 1], colours[-1] if domain[-1] == "beaten" else colours[len(domain) - 1]]


def _labels(choice: Choice, first: str, second: str, values: Sequence[Spec]) -> list[Spec]:
    """Names of some points, each on the side of its point where it covers least."""
    places: dict[str, list[str]] = {}
    for name, side in _sides(values, first, second).items():
        places.setdefault(side, []).append(name)
    encoding = {"x": _axis(first, choice), "y": _axis(second, choice), "text": {"field": "label"}}
    return [
        {
            "mark": {"type": "text", "dx": dx, "dy": dy, "align": align, "limit": 170},
            "transform": [{"filter": {"field": "name", "oneOf": places[side]}}],
            "encoding": encoding,
        }
        for side, (dx, dy, align) in _SIDES.items()
        if side in places
    ]


def _sides(values: Sequence[Spec], first: str, second: str) -> dict[str, str]:
    """The side of each name, on a picture as wide as a phone's: all together cover as little as can be."""

    def spread(measure: str, length: int) -> list[float]:
        low, high = (end(value[measure] for value in values) for end in (min, max))
        return [_ROOM + (value[measure] - low) / ((high - low) or 1) * (length - 2 * _ROOM) for value in values]

    centres = [*zip(spread(first, _FRAME[0]), (_FRAME[1] - y for y in spread(second, _FRAME[1])), strict=True)]
    points = [(x - 5, y - 5, x + 5, y + 5) for x, y in centres]
    named = [(value, centre) for value, centre in zip(values, centres, strict=True) if value["label"]]

    def box(text: str, centre: tuple[float, float], side: str) -> tuple[float, ...]:
        dx, dy, align = _SIDES[side]
        left = centre[0] + dx - 6.2 * len(text) * {"left": 0, "center": 0.5, "right": 1}[align]
        return left, centre[1] + dy - 9, left + 6.2 * len(text), centre[1] + dy + 1

    def cost(sides: tuple[str, ...]) -> float:
        boxes = [box(value["label"], centre, side) for (value, centre), side in zip(named, sides, strict=True)]
        beyond = sum(max(-left, 0) + max(right - _FRAME[0] - _EDGE, 0) for left, _, right, _ in boxes)
        pairs = [*product(boxes, points), *combinations(boxes, 2)]
        return sum(_common(one, other) for one, other in pairs) + 100 * beyond

    best = min(product(_SIDES, repeat=len(named)), key=cost)
    return {value["name"]: side for (value, _), side in zip(named, best, strict=True)}


def _common(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """The area that two boxes have in common."""
    across, down = (min(one[i + 2], other[i + 2]) - max(one[i], other[i]) for i in (0, 1))
    return max(across, 0.0) * max(down, 0.0)


def _label(candidate: Candidate, choice: Choice, baseline: str | None = None, *, knee: bool = False) -> str:
    """What stands beside a point: only few are named, or names would cover each other."""
    return short(candidate.name, 26) if knee or candidate.name == baseline or candidate is choice.best else ""


def _axis(name: str, choice: Choice) -> Spec:
    meaning = choice.meanings[name]
    way = "more" if meaning.higher_is_better else "less"
    title = f"{_title(name, choice)}, {way} is better"
    values = [float(candidate.measures[name]) for candidate in choice.candidates]
    low, high = min(values), max(values)
    limits = None if meaning.scale is None else (min(low, *meaning.scale), max(high, *meaning.scale))
    drawn = within(limits, _ROOM)
    if low == high:  # then there is no span to take numbers from
        drawn["scale"] = {"domain": [low - (abs(low) or 1) / 10, high + (abs(high) or 1) / 10], "nice": False}
    return {"field": name, "type": "quantitative", "title": title, **drawn}


def within(limits: tuple[float, float] | None, padding: int) -> Spec:
    """The scale of an axis, with room around the points; where a measure has limits, none is named beyond them."""
    if limits is None:
        return {"scale": {"zero": False, "padding": padding}}
    beyond = f"datum.value < {limits[0]} || datum.value > {limits[1]} ? '' : datum.label"
    return {"scale": {"zero": False, "nice": False, "padding": padding}, "axis": {"labelExpr": beyond}}


def _title(name: str, choice: Choice) -> str:
    meaning = choice.meanings[name]
    return f"{meaning.title or name}{f' ({meaning.unit})' if meaning.unit else ''}"


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


def _said(candidate: Candidate, name: str) -> str:
    return f"{name} {precise(float(candidate.measures[name]))}"
