# SPDX-License-Identifier: Apache-2.0
"""The owner's report as one HTML file: no scripts, no requests, readable on a phone and on paper.

It goes into the owner's folder. This module arranges the summary for the charts; it computes nothing new.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined

from discreet._version import __version__
from discreet.errors import DataError
from discreet.foundation.compiled_kernels import folder_for_code
from discreet.report.again import chosen, command
from discreet.report.colours import LIGHTER
from discreet.report.wording import (
    brief,
    count,
    here,
    interval,
    number,
    percent,
    plural,
    points,
    precise,
    score,
    score_difference,
    score_interval,
    short,
    unsure,
)

_TEMPLATES = Path(__file__).parent / "templates"
_VENDOR = Path(__file__).parent / "vendor"
_SCRIPTS = ("vega.min.js", "vega-lite.min.js", "vega-interpreter.min.js")
_MOST_BINS = 10  # larger group sizes share the last bin
_MOST_ITEMS = 40  # yes/no columns in one chart
_SERIES = 6  # distinct colours and patterns


def to_html(summary: dict[str, Any]) -> str:
    """The HTML page of a summary."""
    releases = summary["releases"]
    if any("rows" not in release for release in releases):
        if len(releases) > 1:
            raise DataError("A page covers one document, or releases that have rows. Report on each one separately.")
        return _document_page(summary)
    series = ["original", *(f"{release['method']}" for release in releases)]
    return (
        environment()
        .get_template("report.html")
        .render(
            report=summary,
            series=series,
            group_sizes=group_sizes(summary),
            accuracies=_accuracies(summary),
            columns=columns_kept(releases),
            suppressed=columns_suppressed(releases),
            spread_of=[(release, spread(release["distributions"], summary["source"]["shape"])) for release in releases],
            commands=[command(summary, release) for release in releases],
            scale=_scale(_accuracies(summary)),
        )
    )


def _document_page(summary: dict[str, Any]) -> str:
    """The page of a release that publishes a document instead of rows."""
    lines = _accuracies(summary)
    page = environment().get_template("document.html")
    release = summary["releases"][0]
    commands = [command(summary, release)]
    return page.render(report=summary, release=release, commands=commands, accuracies=lines, scale=_scale(lines))


@cache
def environment() -> Environment:
    folder = folder_for_code(_TEMPLATES)  # compiling the templates takes longer than all else about a page
    kept_as = f"discreet-{__version__}-%s.jinja"
    environment = Environment(
        bytecode_cache=None if folder is None else FileSystemBytecodeCache(str(folder), kept_as),
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    words = (brief, count, here, interval, number, percent, plural, points, precise, short, unsure)
    environment.filters.update({word.__name__: word for word in (*words, score, score_difference)})
    environment.filters["chosen"] = chosen
    environment.filters["percent"] = lambda share: percent(share).replace(" ", "\u00a0")  # the sign stays at its number
    environment.globals |= {"score_interval": score_interval, "lighter": LIGHTER}
    environment.filters["series"] = lambda place: place if place <= _SERIES else (place - 1) % _SERIES + 1
    environment.filters["combine"] = lambda one, more: {**one, **more}
    return environment


@cache
def scripts() -> tuple[str, ...]:
    """The scripts that draw Vega-Lite specifications."""
    return tuple((_VENDOR / name).read_text(encoding="utf-8") for name in _SCRIPTS)


def group_sizes(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Share of rows by group size, with one bar for the original and one per release."""
    risks = [summary["risk_before"], *(release["risk_after"] for release in summary["releases"])]
    n_bins = max(len(risk["sizes"]) for risk in risks)
    lines = []
    for place in range(min(n_bins, _MOST_BINS)):
        last = place == _MOST_BINS - 1 and n_bins > _MOST_BINS
        low, high = 2**place, 2 ** (place + 1) - 1
        label = f"{low} or more" if last else "1 (unique)" if low == 1 else f"{low} to {high}"
        shares = [
            sum(size["rows"] for size in risk["sizes"][place : None if last else place + 1]) / max(risk["rows"], 1)
            for risk in risks
        ]
        bars = [{"share": share, "text": percent(share)} for share in shares]
        lines.append({"label": label, "zeros": place == 0, "bars": bars})
    return lines


def _accuracies(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Accuracies of the original, of each measured release, and of the two baselines."""
    measured = [(place, r) for place, r in enumerate(summary["releases"], start=1) if r["utility"] is not None]
    if not measured:
        return []
    first = measured[0][1]["utility"]
    lines = [{"label": "original columns", "series": 0, **first["accuracy_before"]}]
    lines += [{"label": r["method"], "series": place, **r["utility"]["accuracy_after"]} for place, r in measured]
    lines.append({"label": "no quasi-identifiers", "series": None, **first["accuracy_without_quasi"]})
    lines.append({"label": "commonest class", "series": None, **first["majority"]})
    return lines


def _scale(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Range and ticks of the accuracy axis: full tenths around all intervals."""
    if not lines:
        return {"low": 0.0, "high": 1.0, "ticks": []}
    low = int(min(line["low"] for line in lines) * 10)
    high = min(int(max(line["high"] for line in lines) * 10) + 1, 10)
    return {"low": low / 10, "high": high / 10, "ticks": [tenth / 10 for tenth in range(low, high + 1)]}


def columns_kept(releases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Share of information kept in each quasi-identifier, one bar per release, and its published form."""
    if not all(release["column_changes"] for release in releases):
        return []
    lines = []
    for changes in zip(*(release["column_changes"] for release in releases), strict=True):
        bars = [{"share": change["detail"], "text": _kept_in_words(change)} for change in changes]
        fates = [_fate(change) for change in changes]
        lines.append({"label": changes[0]["name"], "zeros": True, "bars": bars, "fates": fates})
    return lines


def columns_suppressed(releases: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Share of suppressed cells in each quasi-identifier; empty if none is suppressed."""
    lines = []
    if all(release["column_changes"] and release["rows"] for release in releases):
        for changes in zip(*(release["column_changes"] for release in releases), strict=True):
            shares = [change["suppressed_cells"] / r["rows"] for change, r in zip(changes, releases, strict=True)]
            bars = [{"share": min(share, 1.0), "text": percent(min(share, 1.0))} for share in shares]
            lines.append({"label": changes[0]["name"], "zeros": True, "bars": bars})
    return lines if any(bar["share"] for line in lines for bar in line["bars"]) else []


def spread(distributions: list[dict[str, Any]], shape: str) -> dict[str, Any]:
    """Distributions of the columns before and after for the charts, and the columns with a single label.

    Yes/no columns share one chart with their shares of yes. For baskets, the share of rows that have each item: these
    shares do not add up to 1.
    """
    if shape == "baskets":
        items = [{"name": one["name"], "lines": _drawn(_shares(one))} for one in distributions if one["labels"]]
        return {"drawn": items, "silent": []}
    silent = [one["name"] for one in distributions if _one_label(one)]
    drawn = [one for one in distributions if one["labels"] and one["name"] not in silent]
    yes = [(one["name"], line) for one in drawn if _yes_no(one) for line in one["labels"] if line["label"] == "1"]
    charts = [{"name": one["name"], "lines": _drawn(_whole(_shares(one)))} for one in drawn if not _yes_no(one)]
    if yes:
        lines = _drawn([(name, (line["before"], line["after"])) for name, line in yes[:_MOST_ITEMS]])
        more = f", the first {_MOST_ITEMS} of {len(yes)}" if len(yes) > _MOST_ITEMS else ""
        charts.append({"name": f"yes/no columns, share of yes{more}", "lines": lines})
    return {"drawn": charts, "silent": silent}


def _drawn(shares: list[tuple[str, tuple[float, float]]]) -> list[dict[str, Any]]:
    return [
        {"label": label, "zeros": True, "bars": [{"share": s, "text": percent(s)} for s in both]}
        for label, both in shares
    ]


def _yes_no(one: dict[str, Any]) -> bool:
    return {line["label"] for line in one["labels"]} == {"0", "1"}


def _one_label(one: dict[str, Any]) -> bool:
    return len(one["labels"]) == 1 and one["labels"][0]["after"] == 1


def _shares(one: dict[str, Any]) -> list[tuple[str, tuple[float, float]]]:
    return [(line["label"], (line["before"], line["after"])) for line in one["labels"]]


def _whole(shares: list[tuple[str, tuple[float, float]]]) -> list[tuple[str, tuple[float, float]]]:
    """Shares of a column's labels, with the rest as "missing"."""
    before, after = (max(1 - sum(both[side] for _, both in shares), 0.0) for side in (0, 1))
    return shares if max(before, after) < 1e-9 else [*shares, ("missing", (before, after))]


def _kept_in_words(change: dict[str, Any]) -> str:
    """The share that is kept; `blank` of a column that is published and says the same in every row."""
    is_blank = change["published"] == [change["name"]] and change["values_after"] < 2
    return "blank" if is_blank else percent(round(change["detail"], 9))


def _fate(change: dict[str, Any]) -> str:
    published = change["published"]
    if not published:
        return "dropped"
    if published != [change["name"]]:
        return f"{len(published)} yes/no"
    return "blank: 1, for all rows" if change["values_after"] == 1 else count(change["values_after"])
