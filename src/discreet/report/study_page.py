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
from discreet.choose.study_file import BASELINE, Results
from discreet.evaluate.facts import risk_facts, source_facts
from discreet.report.choice_page import ratios
from discreet.report.plots import front_plot, near_front, ratio_plot
from discreet.report.release_page import columns_kept, columns_suppressed, environment, group_sizes, scripts, spread
from discreet.report.study_plots import attacks_plot, scores_plot, sensitivity_plot
from discreet.report.wording import unsure
from discreet.study import Study
from discreet.study.candidates import candidates_of, chosen, guess, meanings_of, unfound
from discreet.study.folder import StudyFolder

FORMAT = 5
SUMMARY = "summary.json"
_ALIKE = 0.01  # of the scale from 0 to 1: scores by value that are so near tell no release from another
_PROTOCOLS = {
    "recoded": "tested on rows that no release saw, written in the form of the release by its published recoding",
    "holdout": "tested on rows that no release saw, read cell by cell",
    "as-published": "tested on released rows themselves",
}


def summarise_study(study: Study, *, name: str) -> dict[str, Any]:
    """What a study of the data `name` found."""
    dataset = study.dataset
    before = risk_facts(dataset)
    columns = len(dataset.table.names) - 1
    worth = guess(dataset.labels, study.recipe.evaluation.measure)
    original = {"risk": before["average"], "columns": columns, "guess": worth}
    candidates = candidates_of(study.results, study.recipe, original)
    scale = candidates[0].meanings["utility"].scale if candidates else None
    ranked, valued = (chosen(candidates, study.recipe, by) for by in ("rank", "value"))
    choice, other = (valued, ranked) if study.recipe.choice == "value" else (ranked, valued)
    best = None if choice is None else choice.best.name
    failed = {task: found for task, found in study.results.items() if "failed" in found}
    refused = {task: found["refused"] for task, found in study.results.items() if found["refused"]}
    sensitivity = _sensitivity(candidates, study)
    return {
        "format": FORMAT,
        "discreet": __version__,
        "name": name,
        "source": source_facts(dataset),
        "risk_before": before,
        "protocol": study.recipe.evaluation.protocols[0],
        "folds": study.recipe.evaluation.folds,
        "measure": study.recipe.evaluation.measure,
        "classifiers": len(study.recipe.evaluation.classifiers),
        "measure_title": meanings_of(study.recipe)["utility"].title,
        "weights": dict(study.recipe.weights),
        "guess": worth,
        "utility_scale": None if scale is None else [*scale],  # the values that are 0 and 1
        "candidates": _lines(candidates, choice, study, {"score": ranked, "value": valued}),
        "best": best,
        "by": study.recipe.choice,
        "otherwise": None if other is None or not _apart(choice, other, valued) else other.best.name,
        "made": sum(found["refused"] is None and found["folder"] is not None for found in study.results.values()),
        "best_folder": None if best is None else study.results[best]["folder"],
        "second": None if choice is None or choice.second is None else choice.second.name,
        "knee": None if choice is None or choice.knee is None else choice.knee.name,
        "front": [] if choice is None else [candidate.name for candidate in choice.front],
        "chosen": None if best is None else study.results[best],
        "difference": None if best is None else _difference(study.results[best], study),
        "with_rows": _with_rows(choice, study),
        "skipped": study.skipped | {task: why for task, why in refused.items() if task not in failed},
        "failed": {task: {"error": found["failed"], "why": found["refused"]} for task, found in failed.items()},
        "sensitivity": sensitivity,
        "pictures": [] if choice is None else _pictures(choice, candidates, study, sensitivity),
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
    has_rows = _has_rows(taken)
    shown = taken if has_rows or summary["with_rows"] is None else summary["with_rows"]
    drawn = [shown["facts"]] if _has_rows(shown) else []
    return (
        environment()
        .get_template("study.html")
        .render(
            study=summary,
            taken=taken,
            facts=facts,
            has_rows=has_rows,
            shown=shown,
            group_sizes=group_sizes({"risk_before": summary["risk_before"], "releases": drawn}) if drawn else [],
            columns=columns_kept(drawn) if drawn else [],
            suppressed=columns_suppressed(drawn) if drawn else [],
            spread=spread([] if shown is None else shown["distributions"], summary["source"]["shape"]),
            protocols=_PROTOCOLS,
            specs=[picture["spec"] for picture in summary["pictures"]],
            scripts=scripts() if summary["pictures"] else (),
        )
    )


def _has_rows(found: dict[str, Any] | None) -> bool:
    return found is not None and found["facts"] is not None and "risk_after" in found["facts"]


def _with_rows(choice: Choice | None, study: Study) -> dict[str, Any] | None:
    """The best release that publishes rows of persons, where the one that is chosen publishes none."""
    ranked = [] if choice is None else [study.results[candidate.name] for candidate in choice.ranking]
    return next((found for found in ranked if _has_rows(found)), None) if ranked and not _has_rows(ranked[0]) else None


def _apart(choice: Choice | None, other: Choice, valued: Choice | None) -> bool:
    """Whether two ways to choose lead to releases that are not worth about the same by value."""
    if choice is None or valued is None:
        return False
    return abs(valued.scores[choice.best.name] - valued.scores[other.best.name]) > _ALIKE


def _lines(
    candidates: tuple[Candidate, ...], choice: Choice | None, study: Study, choices: dict[str, Choice | None]
) -> list[dict[str, Any]]:
    """One line for each candidate: the original first, then the best. It has the scores of all `choices`."""
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
                **{name: None if way is None else way.scores.get(candidate.name) for name, way in choices.items()},
                "seconds": None if found is None else found["seconds"],
                **{name: candidate.measures.get(name) for name in ("utility", "privacy", "inference", "size")},
            }
        )
    return lines


def _of_original(study: Study) -> dict[str, Any]:
    """What `unfound` says of a release: of the original it is counted, on all rows."""
    counted = {"by": "mean chance in a group", "n": len(study.dataset), "units": "rows"}
    return {"low": None, "high": None, **counted}


def _interval(found: dict[str, Any] | None, study: Study) -> tuple[float | None, float | None]:
    """Of the mean score of a release, or of the original: the mean ends of the intervals of the classifiers.

    However their errors hang together, the spread of a mean is no larger than the mean of the spreads.
    """
    side, found = ("before", next(iter(study.released.values()))) if found is None else ("after", found)
    cells = [cell[study.recipe.evaluation.measure] for cell in found["evaluations"][0][side].values()]
    lows, highs = ([cell[end] for cell in cells] for end in ("low", "high"))
    return (None, None) if None in lows + highs else (sum(lows) / len(lows), sum(highs) / len(highs))


def _spans(found: dict[str, Any], study: Study) -> dict[str, float]:
    """The ends of the intervals of utility and privacy, where they have one."""
    utility, privacy = _interval(found, study), unfound(found) or {"low": None, "high": None}
    ends = dict(zip(("utility_low", "utility_high"), utility, strict=True))
    ends |= {"privacy_low": privacy["low"], "privacy_high": privacy["high"]}
    return {name: end for name, end in ends.items() if end is not None}


def _difference(found: dict[str, Any], study: Study) -> dict[str, Any] | None:
    """How far the mean score of a release is from that of the original; the ends as in `_interval`.

    `unsure` says that no classifier tells the two apart.
    """
    name = f"{study.recipe.evaluation.measure}_difference"
    cells = [cell[name] for cell in found["evaluations"][0]["after"].values()]
    means = {end: [cell[end] for cell in cells] for end in ("mean", "low", "high")}
    if any(None in values for values in means.values()):
        return None
    return {end: sum(values) / len(values) for end, values in means.items()} | {"unsure": all(map(unsure, cells))}


def _sensitivity(candidates: tuple[Candidate, ...], study: Study) -> list[dict[str, Any]]:
    """What k costs: the candidates of methods that were run with several."""
    lines: dict[str, list[dict[str, Any]]] = {}
    for candidate in candidates:
        k = candidate.parameters.get("k")
        if isinstance(k, int) and {"utility", "privacy"} <= candidate.measures.keys():
            rest = [f"{value}" for name, value in candidate.parameters.items() if name != "k"]
            method = " ".join([candidate.method, *rest])
            figures = {name: float(candidate.measures[name]) for name in ("utility", "privacy")}
            spans = _spans(study.results[candidate.name], study)
            lines.setdefault(method, []).append({"method": method, "k": k, **figures, **spans})
    return [line for method in lines.values() if len(method) > 1 for line in sorted(method, key=lambda one: one["k"])]


def _pictures(
    choice: Choice, candidates: tuple[Candidate, ...], study: Study, lines: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The pictures, each with its place in the page, a title and what it shows; `lines` are of what k costs."""
    meaning = meanings_of(study.recipe)["utility"]
    title, way = meaning.title, f"{'more' if meaning.higher_is_better else 'less'} is better"
    taken = study.results[choice.best.name]
    weighed = [criterion.name for criterion in choice.evaluation.weighed]
    found: list[dict[str, Any]] = []

    def add(place: str, title: str, text: str, spec: dict[str, Any]) -> None:
        found.append({"place": place, "title": title, "text": text, "spec": spec})

    base = next((one.measures.get("utility") for one in candidates if one.name == BASELINE), None)
    original = None if base is None else float(base)
    if {"utility", "privacy"} <= set(weighed):
        text = "Each sign is a release. One is beaten if another is as good by every criterion and better by one; the"
        text += " others are the front. Dashed: what the original is worth."
        if "sketches" in {(found["facts"] or {}).get("shape") for found in study.released.values()}:
            text += " Sketches are attacked with their key, which stays with the owner; rows as they are published."
        words = "What they are worth, and how many persons stay unfound"
        text += " Lines are 95 % intervals of those on the front."
        spans = {one.name: _spans(study.results[one.name], study) for one in choice.candidates}
        add("first", words, text, front_plot(choice, "utility", "privacy", original=original, spans=spans))
        if near_front(choice, "utility", "privacy"):
            closer = front_plot(choice, "utility", "privacy", closer=True, spans=spans)
            add(
                "choice",
                "The front, closer",
                "Releases far from the front are left out. Lines are 95 % intervals.",
                closer,
            )
    text = "Mostly: 0.6 of the weight. A ring is around the best."
    more = f" The first 20 of {len(choice.candidates)}, as asked." if len(choice.candidates) > 20 else ""
    add("choice", "Scores under several weights", text + more, ratio_plot(ratios(choice)))
    scores = _scores(taken, study)
    if scores:
        first = taken["evaluations"][0]
        text = f"Protocol {first['protocol']}, {first['folds']}, {first['rows']:,} rows; lines are 95 % intervals."
        add("utility", f"{title}, before and after", text, scores_plot(scores, f"{title}, {way}"))
    attacked = _with_rows(choice, study) or taken
    if attacked["attacks"]:
        text = "Lines are 95 % intervals. Persons not in it: the same attack on persons who were left out. A promise"
        text += " speaks of some attacks only."
        add("attacks", f"What attackers get from {attacked['name']}", text, attacks_plot(attacked["attacks"]))
    if lines:
        add(
            "k",
            f"{title} against k",
            "Dashed: the original. Upright lines are 95 % intervals.",
            sensitivity_plot(lines, "utility", f"{title}, {way}", original),
        )
        words = "Persons not found (of 100)"
        limits = meanings_of(study.recipe)["privacy"].scale
        text = "More is better. Upright lines are 95 % intervals."
        add("k", f"{words}, against k", text, sensitivity_plot(lines, "privacy", words, None, limits))
    return found


def _scores(taken: dict[str, Any], study: Study) -> list[dict[str, Any]]:
    first, measure = taken["evaluations"][0], study.recipe.evaluation.measure
    lines = []
    for classifier, after in first["after"].items():
        for state, cell in (("original", first["before"][classifier]), ("release", after)):
            if cell[measure]["value"] is not None and cell[measure]["low"] is not None:
                lines.append({"who": classifier, "state": state, **cell[measure]})
    return lines


def _recipe_text(study: Study) -> str:
    try:
        return (study.folder / "recipe.toml").read_text(encoding="utf-8")
    except OSError:
        return ""
