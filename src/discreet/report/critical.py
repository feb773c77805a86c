# SPDX-License-Identifier: Apache-2.0
"""Critical difference diagram: mean ranks of methods over several data sets, and which of them do not differ.

J. Demsar, "Statistical Comparisons of Classifiers over Multiple Data Sets", JMLR 7, 2006, Figure 1. Here each method
has a line of its own, so that names cannot overlap; the bars are below. A bar spans methods that Nemenyi's test does
not distinguish. With a control there is one bar around it, spanning the ranks that do not differ from it by the
Bonferroni-Dunn test.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.errors import DataError, did_you_mean, shown
from discreet.evaluate.statistics import Friedman
from discreet.report.colours import COLOURS, INK, SHAPES, SOFT
from discreet.report.plots import Spec, spec
from discreet.report.wording import short

_LANE = 26  # pixels


def critical_plot(
    found: Friedman, names: Sequence[str], *, confidence: float = 0.95, control: str | None = None
) -> Spec:
    """The mean ranks of the named methods, with bars that join those that do not differ.

    >>> from discreet.evaluate.statistics import friedman
    >>> ranks = friedman([[0.9, 0.8, 0.7], [0.8, 0.7, 0.6], [0.7, 0.8, 0.6], [0.9, 0.7, 0.5]])
    >>> critical_plot(ranks, ["ladder", "mondrian", "kactus"])["description"].split(". ")[1]
    'Mean ranks over 4 data sets, 1 is the best: ladder 1.25, mondrian 1.75, kactus 3.00'
    """
    if len(names) != len(found.ranks) or len(set(names)) < len(names):
        raise DataError(f"{len(found.ranks)} methods were ranked; {len(set(names))} different names were given.")
    if control is not None and control not in names:
        raise DataError(f"There is no method {shown(control)} to compare with.{did_you_mean(control, names)}")
    apart = found.critical_difference(confidence, control=control is not None)
    order = sorted(range(len(names)), key=found.ranks.__getitem__)
    lines = [short(names[place], 24) for place in order]
    values: list[Spec] = [
        {"line": line, "name": names[place], "rank": found.ranks[place]}
        for place, line in zip(order, lines, strict=True)
    ]
    bars, in_words = _bars(found, names, order, apart, confidence, control)
    scale_bar = {"line": f"critical difference {apart:.2f}", "low": 1.0, "high": min(1.0 + apart, len(names))}
    lanes = list(dict.fromkeys(bar["line"] for bar in (scale_bar, *bars)))
    x = {
        "field": "rank",
        "type": "quantitative",
        "title": "mean rank, 1 is the best",
        "scale": {"domain": [1, len(names)], "nice": False},
        "axis": {"values": list(range(1, len(names) + 1)), "format": "d", "orient": "top"},
    }
    y = {"field": "line", "type": "nominal", "sort": [*lines, *lanes], "title": None, "axis": {"domain": False}}
    described = (
        f"Critical differences of {len(names)} methods."
        f" Mean ranks over {found.n} data sets, 1 is the best:"
        f" {', '.join(f'{names[place]} {found.ranks[place]:.2f}' for place in order)}."
        f" Ranks {apart:.2f} or more apart differ, with {100 * confidence:g} percent confidence. {in_words}"
    )
    layers = [
        {
            "mark": {"type": "rule", "color": SOFT, "opacity": 0.5, "strokeDash": [3, 3]},
            "encoding": {"x": x, "y": y, "y2": {"value": "height"}},
        },
        _bar_layer([scale_bar], x, y, COLOURS[1], tooltip="the distance from which ranks differ"),
        _bar_layer(bars, x, y, COLOURS[0], tooltip="not told apart"),
        {
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1, "color": INK, "shape": SHAPES[0]},
            "encoding": {"x": x, "y": y, "tooltip": [{"field": "name"}, {"field": "rank", "format": ".2f"}]},
        },
        *(_figures(x, y, len(names), right) for right in (True, False)),
    ]
    return spec(described, values, layer=layers, height=_LANE * (len(lines) + len(lanes)))


def _bars(
    ranking: Friedman, names: Sequence[str], order: list[int], apart: float, confidence: float, control: str | None
) -> tuple[list[Spec], str]:
    """The bars, and a description of them in words."""
    if control is not None:
        middle = ranking.ranks[names.index(control)]
        near = [names[place] for place in order if abs(ranking.ranks[place] - middle) < apart]
        alike = [name for name in near if name != control]
        ends = {"low": max(middle - apart, 1.0), "high": min(middle + apart, float(len(names)))}
        spoken = f"Not different from {control}: {', '.join(alike) or 'none'}."
        return [{"line": f"as {short(control, 20)}", "names": spoken, **ends}], spoken
    groups = ranking.groups(confidence)
    bars = [
        {
            "line": "not told apart" + "\u200b" * place,  # a line of its own with the same words
            "names": ", ".join(names[one] for one in group),
            "low": ranking.ranks[group[0]],
            "high": ranking.ranks[group[-1]],
        }
        for place, group in enumerate(groups)
    ]
    spoken = "; ".join(str(bar["names"]) for bar in bars)
    return bars, f"Not told apart: {spoken}." if bars else "All differ from each other."


def _figures(x: Spec, y: Spec, n_methods: int, right: bool) -> Spec:
    """The rank beside its point, on the side with more room."""
    side = f"datum.rank {'<=' if right else '>'} {(n_methods + 1) / 2}"
    return {
        "mark": {"type": "text", "dx": 9 if right else -9, "align": "left" if right else "right", "fontSize": 11},
        "transform": [{"filter": side}],
        "encoding": {"x": x, "y": y, "text": {"field": "rank", "format": ".2f"}},
    }


def _bar_layer(bars: list[Spec], x: Spec, y: Spec, colour: str, tooltip: str) -> Spec:
    return {
        "data": {"values": [{"names": tooltip} | bar for bar in bars]},
        "mark": {"type": "rule", "strokeWidth": 6, "strokeCap": "round", "color": colour},
        "encoding": {"x": x | {"field": "low"}, "x2": {"field": "high"}, "y": y, "tooltip": [{"field": "names"}]},
    }
