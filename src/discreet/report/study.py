# SPDX-License-Identifier: Apache-2.0
"""A study as one plain dictionary, and the dictionary as files: the owner's report, and results for other programs.

FORMAT changes when a key that the report needs is new, or its meaning is. The report computes nothing: what is not in
the dictionary is not in it.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from discreet._version import __version__
from discreet.choose import Candidate, Choice
from discreet.choose.results import BASELINE, Results
from discreet.evaluate.facts import risk_facts, source_facts
from discreet.report.choice import ratios
from discreet.report.html import columns_kept, environment, group_sizes, scripts
from discreet.report.plots import front_plot, ratio_plot
from discreet.report.study_plots import attacks_plot, scores_plot, sensitivity_plot
from discreet.report.words import approximately
from discreet.study import Study
from discreet.study.candidates import candidates_of, chosen, meanings_of, unfound
from discreet.study.folder import StudyFolder

FORMAT = 2
SUMMARY = "summary.json"


def summarise_study(study: Study, *, name: str) -> dict[str, Any]:
    """What a study of the data `name` found."""
    source = study.source
    before = risk_facts(source.data, source.roles)
    columns = len(source.table.names) - 1
    candidates = candidates_of(study.results, study.recipe, {"risk": before["average"], "columns": columns})
    choice = chosen(candidates, study.recipe)
    best = None if choice is None else choice.best.name
    failed = {task: found for task, found in study.results.items() if "failed" in found}
    refused = {task: found["refused"] for task, found in study.results.items() if found["refused"]}
    return {
        "format": FORMAT,
        "discreet": __version__,
        "name": name,
        "source": source_facts(source.data, source.roles),
        "risk_before": before,
        "protocol": study.recipe.evaluation.protocols[0],
        "folds": study.recipe.evaluation.folds,
        "measure": study.recipe.evaluation.measure,
        "classifiers": len(study.recipe.evaluation.classifiers),
        "measure_title": meanings_of(study.recipe)["utility"].title,
        "weights": dict(study.recipe.weights),
        "candidates": _lines(candidates, choice, study),
        "best": best,
        "made": sum(found["refused"] is None and found["folder"] is not None for found in study.results.values()),
        "best_folder": None if best is None else study.results[best]["folder"],
        "second": None if choice is None or choice.second is None else choice.second.name,
        "knee": None if choice is None or choice.knee is None else choice.knee.name,
        "front": [] if choice is None else [candidate.name for candidate in choice.front],
        "chosen": None if best is None else study.results[best],
        "skipped": study.skipped | {task: why for task, why in refused.items() if task not in failed},
        "failed": {task: {"error": found["failed"], "why": found["refused"]} for task, found in failed.items()},
        "sensitivity": _sensitivity(candidates, study),
        "pictures": [] if choice is None else _pictures(choice, candidates, study),
        "recipe": _recipe_text(study),
        "results": Results.of(candidates, BASELINE if candidates else None).model_dump(mode="json"),
    }


def write_study(study: Study, summary: dict[str, Any]) -> dict[str, Path]:
    """The report and the results, in the folder of the study."""
    folder = StudyFolder(study.folder)
    folder.write(SUMMARY, (json.dumps(summary, indent=1, allow_nan=False) + "\n").encode())
    report = folder.write("report.html", to_page(summary).encode())
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=study.folder) as partial:  # mode 0700
        made = Path(partial) / "results.parquet"
        Results.model_validate(summary["results"]).write(made)
        results = folder.write("results.parquet", made.read_bytes())
    return {"study": study.folder, "report": report, "results": results}


def to_page(summary: dict[str, Any]) -> str:
    """The owner's report as one HTML file that loads nothing."""
    taken = summary["chosen"]
    facts = None if taken is None else taken["facts"]
    has_rows = facts is not None and "risk_after" in facts
    sizes = group_sizes({"risk_before": summary["risk_before"], "releases": [facts]}) if has_rows else []
    return (
        environment()
        .get_template("study.html")
        .render(
            study=summary,
            taken=taken,
            facts=facts,
            group_sizes=sizes,
            columns=columns_kept([facts]) if has_rows and facts is not None else [],
            distributions=[] if taken is None else [_distribution(one) for one in taken["distributions"]],
            specs=[picture["spec"] for picture in summary["pictures"]],
            scripts=scripts() if summary["pictures"] else (),
        )
    )


def _lines(candidates: tuple[Candidate, ...], choice: Choice | None, study: Study) -> list[dict[str, Any]]:
    """One line for each candidate: the original first, then the best."""
    ranked = [] if choice is None else [candidate.name for candidate in choice.ranking]
    order = {name: place for place, name in enumerate(ranked)}
    lines = []
    for candidate in sorted(candidates, key=lambda one: (one.name != BASELINE, order.get(one.name, len(order)))):
        found = study.results.get(candidate.name)
        low, high = _interval(found, study)
        lines.append(
            {
                "name": "original" if found is None else candidate.name,
                "method": candidate.method,
                "promise": "none" if found is None else found["promise"],
                "shape": None if found is None or found["facts"] is None else found["facts"]["shape"],
                "made": found is not None and found["folder"] is not None,
                "best": choice is not None and candidate is choice.best,
                "on_front": choice is not None and candidate in choice.front,
                "low": low,
                "high": high,
                "unfound": _of_original(study) if found is None else unfound(found),
                "score": None if choice is None or candidate.name not in order else choice.scores[candidate.name],
                "seconds": None if found is None else found["seconds"],
                **{name: candidate.measures.get(name) for name in ("utility", "privacy", "inference", "size")},
            }
        )
    return lines


def _of_original(study: Study) -> dict[str, Any]:
    """What `unfound` says of a release: of the original it is counted, on all rows."""
    counted = {"by": "mean chance in a group", "n": len(study.source), "units": "rows"}
    return {"low": None, "high": None, **counted}


def _interval(found: dict[str, Any] | None, study: Study) -> tuple[float | None, float | None]:
    """Of the mean score of a release, or of the original: the mean ends of the intervals of the classifiers.

    However their errors hang together, the spread of a mean is no larger than the mean of the spreads.
    """
    side, found = ("before", next(iter(study.released.values()))) if found is None else ("after", found)
    cells = [cell[study.recipe.evaluation.measure] for cell in found["evaluations"][0][side].values()]
    lows, highs = ([cell[end] for cell in cells] for end in ("low", "high"))
    return (None, None) if None in lows + highs else (sum(lows) / len(lows), sum(highs) / len(highs))


def _sensitivity(candidates: tuple[Candidate, ...], study: Study) -> list[dict[str, Any]]:
    """What k costs: the candidates of methods that were run with several."""
    lines: dict[str, list[dict[str, Any]]] = {}
    for candidate in candidates:
        k = candidate.parameters.get("k")
        if isinstance(k, int) and {"utility", "privacy"} <= candidate.measures.keys():
            rest = [f"{value}" for name, value in candidate.parameters.items() if name != "k"]
            method = " ".join([candidate.method, *rest])
            figures = {name: float(candidate.measures[name]) for name in ("utility", "privacy")}
            lines.setdefault(method, []).append({"method": method, "k": k, **figures})
    return [line for method in lines.values() if len(method) > 1 for line in sorted(method, key=lambda one: one["k"])]


def _pictures(choice: Choice, candidates: tuple[Candidate, ...], study: Study) -> list[dict[str, Any]]:
    """The pictures, each with its place in the page, a title and what it shows."""
    title = meanings_of(study.recipe)["utility"].title
    taken = study.results[choice.best.name]
    weighed = [criterion.name for criterion in choice.evaluation.weighed]
    found: list[dict[str, Any]] = []

    def add(place: str, title: str, text: str, spec: dict[str, Any]) -> None:
        found.append({"place": place, "title": title, "text": text, "spec": spec})

    if {"utility", "privacy"} <= set(weighed):
        text = "Each sign is a release. One is beaten if another is as good by every criterion and better by one."
        if "sketches" in {(found["facts"] or {}).get("shape") for found in study.released.values()}:
            text += " Sketches are attacked with their key, which stays with the owner; rows as they are published."
        add(
            "first",
            "What they are worth, and how many persons stay unfound",
            text,
            front_plot(choice, "utility", "privacy"),
        )
    add("choice", "Scores under several weights", "Mostly: 0.6 of the weight.", ratio_plot(ratios(choice)))
    scores = _scores(taken, study)
    if scores:
        text = f"Protocol {taken['evaluations'][0]['protocol']}, {taken['evaluations'][0]['folds']}; 95 % intervals."
        add("utility", f"{title}, before and after", text, scores_plot(scores, title))
    if taken["attacks"]:
        text = "Persons not in it: the same attack on persons who were left out. A promise speaks of some attacks only."
        add("attacks", "What attackers get", text, attacks_plot(taken["attacks"]))
    lines = _sensitivity(candidates, study)
    if lines:
        base = next((one.measures.get("utility") for one in candidates if one.name == BASELINE), None)
        original = None if base is None else float(base)
        add("k", f"{title} against k", "Dashed: the original.", sensitivity_plot(lines, "utility", title, original))
        words = "Persons not found, of 100"
        limits = meanings_of(study.recipe)["privacy"].scale
        add("k", f"{words}, against k", "More is better.", sensitivity_plot(lines, "privacy", words, None, limits))
    return found


def _scores(taken: dict[str, Any], study: Study) -> list[dict[str, Any]]:
    first, measure = taken["evaluations"][0], study.recipe.evaluation.measure
    lines = []
    for classifier, after in first["after"].items():
        for state, cell in (("original", first["before"][classifier]), ("release", after)):
            if cell[measure]["value"] is not None and cell[measure]["low"] is not None:
                lines.append({"who": classifier, "state": state, **cell[measure]})
    return lines


def _distribution(one: dict[str, Any]) -> dict[str, Any]:
    """A column's shares as the charts of the page take them."""
    lines = [
        {
            "label": line["label"],
            "zeros": False,
            "bars": [{"share": line[side], "text": approximately(line[side])} for side in ("before", "after")],
        }
        for line in one["labels"]
    ]
    return {"name": one["name"], "lines": lines}


def _recipe_text(study: Study) -> str:
    try:
        return (study.folder / "recipe.toml").read_text(encoding="utf-8")
    except OSError:
        return ""
