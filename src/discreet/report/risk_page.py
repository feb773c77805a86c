# SPDX-License-Identifier: Apache-2.0
"""The page of a risk assessment: one HTML file without scripts, for the owner. It computes nothing new."""

from __future__ import annotations

from typing import Any

from discreet.report.release_page import environment, group_sizes
from discreet.report.wording import number, percent

_MODELS = {"zayatz": "Zayatz", "pitman": "Pitman", "snb": "slide negative binomial (SNB)"}
_MOST_COLUMNS = 20  # bars of contributions


def to_risk_page(summary: dict[str, Any], *, name: str) -> str:
    """The HTML page of an assessment (`RiskAssessment.to_dict`) of the table or release `name`."""
    return (
        environment()
        .get_template("risk.html")
        .render(
            risk=summary,
            name=name,
            models=_MODELS,
            group_sizes=group_sizes({"risk_before": summary["sample"], "releases": []}),
            histogram=_histogram(summary),
            contributions=_contributions(summary),
        )
    )


def _histogram(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Share of the rows by their individual risk, a bar for each model; empty if it was not measured."""
    models = [summary[model]["histogram"] for model in ("individual", "by_pitman") if summary[model] is not None]
    rows = summary["sample"]["rows"]
    return [
        _bar(
            f"{number(100 * bins[0]['above'])} to {number(100 * bins[0]['to'])} %",
            *(one["rows"] / rows for one in bins),
        )
        for bins in zip(*models, strict=True)
    ]


def _contributions(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Each column's share of the SUDA scores, the largest first; empty if special uniques were not sought."""
    if summary["special_uniques"] is None:
        return []
    shares = sorted(summary["special_uniques"]["contributions"].items(), key=lambda one: -one[1])
    return [_bar(column, share) for column, share in shares[:_MOST_COLUMNS]]


def _bar(label: str, *shares: float) -> dict[str, Any]:
    return {"label": label, "zeros": True, "bars": [{"share": share, "text": percent(share)} for share in shares]}
