# SPDX-License-Identifier: Apache-2.0
"""A choice among candidates as a plain dictionary, and as an HTML page with plots.

The page is one file. It contains the scripts that draw the plots (vendor/), makes no network requests, and carries a
policy that forbids them. FORMAT changes when the meaning of a key does.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from discreet._version import __version__
from discreet.choose.choice import Candidate, Choice, choose
from discreet.choose.criteria import Number
from discreet.choose.reference_lines import ORIGINAL
from discreet.choose.study_file import BASELINE
from discreet.privacy.promise import PROMISES
from discreet.report.plots import Spec, front_plot, ratio_plot, region_plot
from discreet.report.release_page import environment, scripts

FORMAT = 2
_USEFUL = frozenset({"utility", "performance", "accuracy", "information_loss", "certainty_penalty"})
_PRIVATE = frozenset({"privacy", "pbi", "risk", *PROMISES})
_MOSTLY = Fraction(3, 5)  # the weight of the one criterion that counts most


def summarise_choice(
    choice: Choice, *, name: str, left_out: tuple[str, ...] = (), lines: Mapping[str, Candidate] | None = None
) -> dict[str, Any]:
    """What was chosen from the study `name`, and why; `left_out` names candidates that lack a measure.

    `lines` are what the candidates are compared with, the original among them; they are not ranked.
    """
    judged = choice.evaluation
    front = set(judged.front)
    by_rank, by_value = judged.scores_by_rank, judged.scores_by_value
    return {
        "format": FORMAT,
        "discreet": __version__,
        "name": name,
        "by": judged.by,
        "criteria": [
            {
                "name": criterion.name,
                "title": choice.meanings[criterion.name].title or criterion.name,
                "unit": choice.meanings[criterion.name].unit,
                "higher_is_better": criterion.higher_is_better,
                "weight": float(criterion.weight),
            }
            for criterion in judged.criteria
        ],
        "best": None if choice.best is None else choice.best.name,
        "passed_over": dict(choice.passed_over),
        "noise": float(next((c.noise for c in judged.criteria if c.name == "utility"), 0)),
        "lines": [
            {
                "name": line.name,
                "measures": {c.name: float(line.measures[c.name]) for c in judged.criteria if c.name in line.measures},
            }
            for line in (lines or {}).values()
        ],
        "second": None if choice.second is None else choice.second.name,
        "front": [candidate.name for candidate in choice.front],
        "knee": None if choice.knee is None else choice.knee.name,
        "left_out": list(left_out),
        "ranking": [
            {
                "name": choice.candidates[place].name,
                "method": choice.candidates[place].method,
                "parameters": dict(choice.candidates[place].parameters),
                "score": judged.scores[place],
                "score_by_rank": by_rank[place],
                "score_by_value": by_value[place],
                "on_front": place in front,
                "measures": {c.name: float(choice.candidates[place].measures[c.name]) for c in judged.criteria},
                "ranks": {c.name: c.ranks[place] for c in judged.criteria},
            }
            for place in judged.order
        ],
    }


def ratios(choice: Choice) -> dict[str, Choice]:
    """The choice under its own weights, under equal weights, and with each weighted criterion dominating."""
    weighed = [criterion.name for criterion in choice.evaluation.weighed]
    choices = {"as asked": choice}
    if len(weighed) < 2:
        return choices
    kinds: list[tuple[str, dict[str, Number]]] = [("equal", dict.fromkeys(weighed, Fraction(1, len(weighed))))]
    for most in weighed:
        rest = (1 - _MOSTLY) / (len(weighed) - 1)
        kinds.append((f"mostly {most}", {name: _MOSTLY if name == most else rest for name in weighed}))
    for label, weights in kinds:
        choices[label] = choose(choice.candidates, weights, choice.evaluation.by, measures=choice.meanings)
    return choices


def pictures(choice: Choice, compared: Candidate | str | None = None) -> list[dict[str, Any]]:
    """The plots of a choice with titles and captions; regions need a baseline, a utility and a privacy measure."""
    weighed = [criterion.name for criterion in choice.evaluation.weighed]
    shown: list[dict[str, Any]] = [
        {
            "title": "Scores under several weights",
            "text": "One symbol for each set of weights, with a ring around the best. Mostly: 0.6 of the weight.",
            "spec": ratio_plot(ratios(choice)),
        }
    ]
    useful, private = (next((name for name in weighed if name in names), None) for names in (_USEFUL, _PRIVATE))
    named = (candidate for candidate in choice.candidates if candidate.name == compared)
    baseline = compared if isinstance(compared, Candidate) else next(named, None)
    if useful and private and baseline is not None and {useful, private} <= baseline.measures.keys():
        called = "the baseline" if baseline.name == BASELINE else "the original" if baseline.name == ORIGINAL else None
        text = "The dashed lines go through {}. In region IV neither measure is worse than there."
        shown.append(
            {
                "title": f"Beside {called or baseline.name}",
                "text": text.format(called or baseline.name),
                "spec": region_plot(choice, useful, private, baseline),
            }
        )
    pairs = [(first, second) for i, first in enumerate(weighed) for second in weighed[i + 1 :]]
    for first, second in pairs[:3]:
        text = "Another is better where one is at least as good on every criterion and better on one."
        shown.append({"title": f"Front: {first} and {second}", "text": text, "spec": front_plot(choice, first, second)})
    return shown


def to_page(summary: dict[str, Any], shown: list[dict[str, Any]]) -> str:
    """The HTML page of a summary, with plots."""
    specs: list[Spec] = [picture["spec"] for picture in shown]
    return (
        environment().get_template("choice.html").render(choice=summary, pictures=shown, specs=specs, scripts=scripts())
    )
