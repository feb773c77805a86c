# SPDX-License-Identifier: Apache-2.0
"""A study as a plain dictionary, and as files: the owner's report, and results for other programs.

FORMAT changes when the report needs a new key, or the meaning of one changes. The report computes nothing: it shows
what is in the dictionary.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from discreet._version import __version__
from discreet.choose import E_WEIGHTS, Candidate, Choice
from discreet.choose.reference_lines import ORIGINAL
from discreet.choose.study_file import Results
from discreet.evaluate.confidence import effective_rows
from discreet.evaluate.detail import means_of_targets, warnings_of
from discreet.evaluate.facts import risk_facts, source_facts
from discreet.report.cautions import cautions_of_facts
from discreet.report.choice_page import ratios
from discreet.report.plots import front_plot, near_front, ratio_plot
from discreet.report.release_page import columns_kept, columns_suppressed, environment, group_sizes, scripts, spread
from discreet.report.study_plots import attacks_plot, detail_plot, scores_plot, sensitivity_plot
from discreet.report.wording import percent, score, unsure
from discreet.study import Study
from discreet.study.candidates import (
    adds_nothing,
    candidates_of,
    chosen,
    guess,
    line_score,
    lines_of,
    meanings_of,
    release_score,
    unfound,
)
from discreet.study.folder import StudyFolder

FORMAT = 8
SUMMARY = "summary.json"
_MEASURES = ("utility", "privacy", "detail", "inference", "size", "raw", "utility_error", "above_guessing")
_DRAWN = 4  # releases whose columns are drawn
_SHOWN = (("detail", percent), ("privacy", lambda of_100: percent(of_100 / 100)))
_ALIKE = 0.01  # scores by value (0 to 1) closer than this count as equal
_PROTOCOLS = {
    "recoded": "tested on held-out rows, recoded to the labels of the release",
    "holdout": "tested on held-out rows, read cell by cell",
    "as-published": "tested on the released rows themselves",
}


def summarise_study(study: Study, *, name: str, guessed: Sequence[str] = ()) -> dict[str, Any]:
    """The results of a study of the data `name`; `guessed` are the columns whose roles nobody gave."""
    dataset = study.dataset
    before = risk_facts(dataset)
    columns = len(dataset.table.names) - 1
    worth = guess(dataset.labels, study.recipe.evaluation.measure)
    original = {"risk": before["average"], "columns": columns, "guess": worth, "not_quasi": len(dataset.not_quasi)}
    original["tested"] = effective_rows(dataset.persons, len(dataset))
    candidates = candidates_of(study.results, study.recipe, original)
    lines = lines_of(study.results, study.recipe, original)
    scale = candidates[0].meanings["utility"].scale if candidates else None
    weights: Mapping[str, float] = {str(name): weight for name, weight in study.recipe.weights.items()}
    ranked, valued = chosen(candidates, "rank", weights), chosen(candidates, "value", weights)
    choice, other = (valued, ranked) if study.recipe.choice == "value" else (ranked, valued)
    published = chosen(candidates, "rank", E_WEIGHTS)
    best = None if choice is None or choice.best is None else choice.best.name
    failed = {task: result for task, result in study.results.items() if "failed" in result}
    refused = {task: result["refused"] for task, result in study.results.items() if result["refused"]}
    sensitivity = _sensitivity(candidates, study)
    return {
        "format": FORMAT,
        "discreet": __version__,
        "name": name,
        "source": source_facts(dataset),
        "guessed": list(guessed),
        "risk_before": before,
        "protocol": study.recipe.evaluation.protocols[0],
        "folds": study.recipe.evaluation.folds,
        "measure": study.recipe.evaluation.measure,
        "why_measure": study.why_measure,
        "classifiers": len(study.recipe.evaluation.classifiers),
        "measure_title": meanings_of(study.recipe)["utility"].title,
        "weights": dict(weights),
        "e_weights": {name: float(weight) for name, weight in E_WEIGHTS.items()},
        "guess": worth,
        "utility_scale": None if scale is None else [*scale],  # the values mapped to 0 and 1
        "lines": [_line(line, study) for line in lines.values()],
        "candidates": _lines(candidates, choice, study, {"score": choice, "value": valued, "e": published}),
        "best": best,
        "why": None if choice is None else _why(choice),
        "passed_over": {} if choice is None else dict(choice.passed_over),
        "by": study.recipe.choice,
        "otherwise": _otherwise(choice, other, valued),
        "made": sum(result["refused"] is None and result["folder"] is not None for result in study.results.values()),
        "best_folder": None if best is None else study.results[best]["folder"],
        "second": None if choice is None or choice.second is None else choice.second.name,
        "knee": None if choice is None or choice.knee is None else choice.knee.name,
        "front": [] if choice is None else [candidate.name for candidate in choice.front],
        "chosen": None if best is None else study.results[best],
        "difference": None if best is None else _difference(study.results[best], study),
        "with_rows": _with_rows(choice, study),
        "skipped": study.skipped | {task: why for task, why in refused.items() if task not in failed},
        "failed": {task: {"error": result["failed"], "why": result["refused"]} for task, result in failed.items()},
        "sensitivity": sensitivity,
        "pictures": [] if choice is None else _pictures(choice, lines, study, sensitivity),
        "recipe": _recipe_text(study),
        "results": Results.of((*lines.values(), *candidates)).model_dump(mode="json"),
    }


def write_study(study: Study, summary: dict[str, Any]) -> dict[str, Path]:
    """Write the report and the results into the folder of the study."""
    folder = StudyFolder(study.folder)
    folder.write(SUMMARY, (json.dumps(summary, indent=1, allow_nan=False) + "\n").encode())
    report = folder.write("report.html", to_page(summary).encode())
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=study.folder) as partial:  # mode 0700
        table = Path(partial) / "results.parquet"
        Results.model_validate(summary["results"]).write(table)
        results = folder.write("results.parquet", table.read_bytes())
    return {"study": study.folder, "report": report, "results": results}


def to_page(summary: dict[str, Any]) -> str:
    """The owner's report as one HTML file that loads nothing."""
    taken = summary["chosen"]
    facts = None if taken is None else taken["facts"]
    has_rows = _has_rows(taken)
    shown = taken if has_rows or summary["with_rows"] is None else summary["with_rows"]
    drawn = [shown["facts"]] if _has_rows(shown) else []
    warned = [text for line in summary["candidates"] if line["best"] for text in line["warnings"]]
    return (
        environment()
        .get_template("study.html")
        .render(
            study=summary,
            taken=taken,
            facts=facts,
            has_rows=has_rows,
            cautions=[]
            if taken is None or facts is None
            else cautions_of_facts(facts | {"warnings": warned}, taken["kept"], guessed=summary["guessed"]),
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


def _has_rows(result: dict[str, Any] | None) -> bool:
    return result is not None and result["facts"] is not None and "risk_after" in result["facts"]


def _with_rows(choice: Choice | None, study: Study) -> dict[str, Any] | None:
    """The best release that publishes rows of persons, if the chosen one does not."""
    ranked = [] if choice is None else [study.results[candidate.name] for candidate in choice.ranking]
    return (
        next((result for result in ranked if _has_rows(result)), None) if ranked and not _has_rows(ranked[0]) else None
    )


def _why(choice: Choice) -> str | None:
    """Why a release is chosen that is not the most useful one, if its utility is within noise of that."""
    best = choice.best
    if best is None or choice.evaluation.by != "value" or "utility" not in choice.meanings:
        return None
    sign = 1 if choice.meanings["utility"].higher_is_better else -1
    useful = max(choice.recommendable, key=lambda one: sign * float(one.measures["utility"]))
    mine, its = ({name: float(value) for name, value in one.measures.items()} for one in (best, useful))
    if not 0 < sign * (its["utility"] - mine["utility"]) <= its.get("utility_error", 0):
        return None
    texts = [(name, way(mine[name]), way(its[name])) for name, way in _SHOWN if name in {*mine} & {*its}]
    shown = [f"{name} {here} instead of {there}" for name, here, there in texts if here != there]
    measure = "accuracy" if sign > 0 else "brier"
    figures = f"{score(mine['utility'], measure)} and {score(its['utility'], measure)}"
    figures += f" ± {score(its['utility_error'], measure)}"
    return f"within noise of the most useful, {useful.name} ({figures}){', with ' * bool(shown)}{', '.join(shown)}"


def _otherwise(choice: Choice | None, other: Choice | None, valued: Choice | None) -> str | None:
    """What the other way to choose would choose, if its score by value differs."""
    if choice is None or other is None or valued is None or choice.best is None or other.best is None:
        return None
    apart = abs(valued.scores[choice.best.name] - valued.scores[other.best.name])
    return other.best.name if apart > _ALIKE else None


def _lines(
    candidates: tuple[Candidate, ...], choice: Choice | None, study: Study, choices: dict[str, Choice | None]
) -> list[dict[str, Any]]:
    """One line per candidate with its scores in all `choices`, the best first."""
    ranked = [] if choice is None else [candidate.name for candidate in choice.ranking]
    order = {name: place for place, name in enumerate(ranked)}
    lines = []
    for candidate in sorted(candidates, key=lambda one: order.get(one.name, len(order))):
        result = study.results[candidate.name]
        score, kept = release_score(result, study.recipe), result["kept"]
        lines.append(
            {
                "name": candidate.name,
                "method": candidate.method,
                "promise": result["promise"],
                "shape": None if result["facts"] is None else result["facts"]["shape"],
                "made": result["folder"] is not None,
                "best": choice is not None and candidate is choice.best,
                "on_front": choice is not None and candidate in choice.front,
                "low": score["low"],
                "high": score["high"],
                "difference": _difference(result, study),
                "unfound": unfound(result),
                "columns": kept["columns"],
                "blank": kept["blank"],
                "suppressed": kept["suppressed"],
                "tables": kept["tables"],
                "targets": means_of_targets(kept["targets"]),
                "warnings": _warnings(result, study),
                **{name: None if way is None else way.scores.get(candidate.name) for name, way in choices.items()},
                "seconds": result["seconds"],
                **{name: candidate.measures.get(name) for name in _MEASURES},
            }
        )
    return lines


def _warnings(result: dict[str, Any], study: Study) -> list[str]:
    said = warnings_of(result["kept"]) if result["facts"] is not None else []
    nothing = adds_nothing(result, study.recipe)
    return said if nothing is None else [*said, nothing]


def _line(line: Candidate, study: Study) -> dict[str, Any]:
    """The original, or another line that releases are compared with."""
    score = line_score(next(iter(study.released.values())), line.name, study.recipe)
    counted = {"low": None, "high": None, "by": "mean chance in a group", "n": len(study.dataset), "units": "rows"}
    return {
        "name": line.name,
        "low": score["low"],
        "high": score["high"],
        "unfound": counted if line.name == ORIGINAL else None,
        **{name: line.measures.get(name) for name in _MEASURES},
    }


def _interval(result: dict[str, Any], study: Study) -> tuple[float | None, float | None]:
    """The interval of the score of a release by its best classifier."""
    score = release_score(result, study.recipe)
    return (None, None) if None in (score["low"], score["high"]) else (score["low"], score["high"])


def _spans(result: dict[str, Any], study: Study) -> dict[str, float]:
    """The ends of the intervals of utility and privacy, where they exist."""
    utility, privacy = _interval(result, study), unfound(result) or {"low": None, "high": None}
    ends = dict(zip(("utility_low", "utility_high"), utility, strict=True))
    ends |= {"privacy_low": privacy["low"], "privacy_high": privacy["high"]}
    return {name: end for name, end in ends.items() if end is not None}


def _difference(result: dict[str, Any], study: Study) -> dict[str, Any] | None:
    """Difference from the original over the folds, by the best classifier of each, with its interval.

    `unsure`: the interval contains 0, so the difference is within noise.
    """
    apart = result["evaluations"][0]["best"][study.recipe.evaluation.measure]["differences"][ORIGINAL]
    if None in (apart["mean"], apart["low"], apart["high"]):
        return None
    return {end: apart[end] for end in ("mean", "low", "high")} | {"unsure": unsure(apart)}


def _sensitivity(candidates: tuple[Candidate, ...], study: Study) -> list[dict[str, Any]]:
    """What k costs: the candidates of methods that were run with several values of k."""
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
    choice: Choice, compared: dict[str, Candidate], study: Study, lines: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The plots, each with its place in the page, title and caption; `lines` come from `_sensitivity`."""
    meaning = meanings_of(study.recipe)["utility"]
    title, way = meaning.title, f"{'more' if meaning.higher_is_better else 'less'} is better"
    taken = study.results[(choice.best or choice.ranking[0]).name]
    weighed = [criterion.name for criterion in choice.evaluation.weighed]
    pictures: list[dict[str, Any]] = []

    def add(place: str, title: str, text: str, spec: dict[str, Any]) -> None:
        pictures.append({"place": place, "title": title, "text": text, "spec": spec})

    base = compared[ORIGINAL].measures.get("utility")
    original = None if base is None else float(base)
    if {"utility", "privacy"} <= set(weighed):
        text = (
            "Each symbol is a release. Another is better where one is at least as good in every respect and better in"
        )
        text += " one; those that no other outdoes form the front. Dashed: the score of the original."
        if "sketches" in {(pictures["facts"] or {}).get("shape") for pictures in study.released.values()}:
            text += " Sketches are attacked with their key, which stays with the owner; rows as they are published."
        words = "Utility, and how many persons are not found"
        if choice.knee is not None and choice.knee is not choice.best:
            text += " Where the front bends, a little more of one costs much of the other."
        text += " Lines are 95 % intervals of releases on the front."
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
    if details := _details(choice, study):
        text = (
            "Information kept of each quasi-identifier: 100 % if every value can be read, 0 % if a column says the same"
        )
        text += " in every row. The first releases by the given weights."
        add("choice", "Detail of each column", text, detail_plot(details))
    text = "Mostly: 0.6 of the weight. A ring marks the best."
    more = f" The first 20 of {len(choice.candidates)} by the given weights." if len(choice.candidates) > 20 else ""
    add("choice", "Scores under several weights", text + more, ratio_plot(ratios(choice)))
    scores = _scores(taken, study)
    if scores:
        first = taken["evaluations"][0]
        text = f"Protocol {first['protocol']}, {first['folds']}, {first['rows']:,} rows; lines are 95 % intervals."
        add(
            "utility",
            f"{title}, before and after",
            text,
            scores_plot(scores, f"{title}, {way}", study.recipe.evaluation.measure),
        )
    attacked = _with_rows(choice, study) or taken
    if attacked["attacks"]:
        text = "Lines are 95 % intervals. Persons not in it: the same attack on persons who were left out. A promise"
        text += " limits some attacks only."
        add("attacks", f"What attackers learn from {attacked['name']}", text, attacks_plot(attacked["attacks"]))
    if lines:
        add(
            "k",
            f"{title} against k",
            "Dashed: the original. Vertical lines are 95 % intervals.",
            sensitivity_plot(
                lines,
                "utility",
                f"{title}, {way}",
                original,
                of_scores=study.recipe.evaluation.measure != "brier",
            ),
        )
        words = "Persons not found (of 100)"
        limits = meanings_of(study.recipe)["privacy"].scale
        text = "More is better. Vertical lines are 95 % intervals."
        add("k", f"{words}, against k", text, sensitivity_plot(lines, "privacy", words, None, limits))
    return pictures


def _details(choice: Choice, study: Study) -> list[dict[str, Any]]:
    """The detail of each column in the first releases."""
    lines = []
    for candidate in choice.ranking[:_DRAWN]:
        columns = study.results[candidate.name]["kept"]["detail"]["columns"]
        lines += [{"release": candidate.name, "column": name, "detail": value} for name, value in columns.items()]
    return lines


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
