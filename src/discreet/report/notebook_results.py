# SPDX-License-Identifier: Apache-2.0
"""Findings of attacks, evaluations, utilities and studies in a notebook. Their figures are the owner's."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.choose.reference_lines import GUESSING, ORIGINAL
from discreet.report.notebook import Display, Grid
from discreet.report.wording import count, interval, number, percent, plural, points, score, score_interval

_OWNERS = "These figures come from private rows: they are yours, not for publication."


def of_findings(findings: Any) -> Display:
    head = ("attack", "success", "95 %", "guessing", "not in the release", "promised at most", "targets")
    rows = [
        (
            one.attack,
            percent(one.success.value),
            "all counted" if one.success.is_counted else interval(vars(one.success)),
            percent(one.baseline),
            "" if one.control is None else percent(one.control.value),
            "" if one.bound is None else percent(one.bound),
            f"{count(one.targets)} {one.units}",
        )
        for one in findings
    ]
    broken = [one.attack for one in findings if one.breaks_promise]
    lines = [f"More than the promise allows: {', '.join(broken)}."] if broken else []
    notes = [*dict.fromkeys(f"{one.attack}: {one.note}" for one in findings if one.note and not one.beyond), _OWNERS]
    return Display(plural(len(findings), "finding"), lines=lines, grids=[Grid(head, rows, right=head[1:])], notes=notes)


def of_finding(finding: Any) -> Display:
    described = of_findings([finding])
    return Display(f"Attack: {finding.attack}", lines=[finding.question], grids=described.grids, notes=described.notes)


def of_evaluation(evaluation: Any) -> Display:
    first, others = evaluation.measures[0], evaluation.measures[1:]
    head = ("method", "classifier", first, "95 %", "points apart from the original", "95 % of it", *others)
    rows = []
    for method in (ORIGINAL, *evaluation.lines, *evaluation.methods[1:]):
        if evaluation.refusal(method) is not None:
            continue
        for classifier in evaluation.classifiers[:1] if method == GUESSING else evaluation.classifiers:
            share = evaluation.mean(method, classifier, first)
            apart = None if method == ORIGINAL else evaluation.difference(method, classifier, first)
            line = [method, "" if method == GUESSING else classifier]
            line += [
                _score(share.value, first, evaluation),
                score_interval(_known(share.low), _known(share.high), first),
            ]
            line += ["", ""] if apart is None else [points(apart.mean), f"{points(apart.low)} to {points(apart.high)}"]
            means = ((other, evaluation.mean(method, classifier, other).value) for other in others)
            rows.append([*line, *(_score(value, other, evaluation) for other, value in means)])
    notes = [*(line for line in evaluation.remarks() if line), _OWNERS]
    grid = Grid(head, rows, right=head[2:])
    return Display("What a classifier learns", lines=[evaluation.heading()], grids=[grid], notes=notes)


def _score(value: float, measure: str, evaluation: Any) -> str:
    """A share in per cent; of a scorer of the user's own nobody knows whether it is a share."""
    own = "brier" if measure in evaluation.scorers else measure
    return score(_known(value), own)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def of_utility(utility: Any) -> Display:
    shares = {
        "original columns": utility.accuracy_before,
        "release": utility.accuracy_after,
        "no quasi-identifiers": utility.accuracy_without_quasi,
        "commonest class": utility.majority,
    }
    rows = [(name, percent(share.value), interval(vars(share))) for name, share in shares.items()]
    apart = utility.difference
    ends = f"{points(apart.low)} to {points(apart.high)}"
    line = f"With the release, accuracy differs by {points(apart.value)} points (95 % interval: {ends})."
    sizes = f"Learnt from {plural(utility.n_train, 'row')}, tested on {count(utility.n_test)}: {utility.classifier}."
    grid = Grid(("learnt from", "accuracy", "95 %"), rows, right=("accuracy", "95 %"))
    return Display("Utility on held-out rows", lines=[line, sizes], grids=[grid], notes=[_OWNERS])


def of_study(study: Any) -> Display:
    summary = study.summary()
    measure = summary["measure"]
    head = ("release", summary["measure_title"], "not found of 100", "detail", "columns", "score")
    rows = []
    for line in (*summary["lines"], *summary["candidates"]):
        best = " (chosen)" if line.get("best") else ""
        figures = (_number(line.get(name)) for name in ("privacy", "detail", "size", "score"))
        rows.append((f"{line['name']}{best}", score(line["utility"], measure), *figures))
    chosen = f"Chosen: {summary['best']}." if summary["best"] else "No release is recommended."
    why = f"Why: {summary['why']}." if summary["why"] else ""
    notes = [f"Skipped: {name}: {reason}" for name, reason in summary["skipped"].items()]
    notes += [f"Never recommended: {name}: {reason}" for name, reason in summary["passed_over"].items()]
    title = f"Study of {plural(len(summary['candidates']), 'release')}"
    return Display(title, lines=[chosen, why], grids=[Grid(head, rows, right=head[1:])], notes=[*notes, _OWNERS])


def _number(value: float | None) -> str:
    return "" if value is None else number(round(value, 3))
