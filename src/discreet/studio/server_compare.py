# SPDX-License-Identifier: Apache-2.0
"""The pages Compare and Choose: releases made and measured in the background, and the choice among them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from discreet.choose.study_file import Results
from discreet.choose.weights import WEIGHTS
from discreet.errors import DataError, listing
from discreet.studio.pictures import choice_picture
from discreet.studio.recipe_of import release_names
from discreet.studio.runs import RunProgress
from discreet.studio.server import PATIENCE, Studio, studio_of
from discreet.study.candidates import chosen

router = APIRouter()
_READING = "The table is being read."


@router.get("/compare")
def compare(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.source is None:
        return RedirectResponse("/data", status_code=303)
    asked = studio.project.journal.state().get("methods")
    return studio.page(request, "compare", "compare.html", methods=studio.project.methods(), asked=asked)


@router.get("/compare/progress")
def progress(request: Request) -> Response:
    studio = studio_of(request)
    name = studio.project.run_name()
    why_not = _why_not(studio)
    if name is None or why_not:
        waits = why_not == _READING
        return studio.page(request, "compare", "compare_progress.html", progress=None, why_not=why_not, waits=waits)
    made = studio.project.runs.progress(name)
    names, skipped = release_names(studio.project.recipe(), sys.maxsize)
    names += [one for one in made.made if one not in names]
    waiting = [one for one in names if one not in made.made and one not in made.doing]
    if made.running and not made.doing:  # with several processes none says which it is at
        made.doing.extend(waiting[: studio.project.recipe()["run"]["jobs"]])
    return studio.page(
        request, "compare", "compare_progress.html", progress=made, why_not="", names=names, skipped=skipped
    )


@router.post("/compare/methods")
async def methods(request: Request) -> Response:
    return await run_in_threadpool(_compare_these, request, [*(await request.form())])


def _compare_these(request: Request, named: Sequence[str]) -> Response:
    studio = studio_of(request)
    known = studio.project.methods()
    asked = [one.key for one in known if one.key in named]
    if not asked:
        raise DataError("Choose one method at least.")
    usual = asked == [one.key for one in known if one.usual]
    words = "The usual methods are compared." if usual else f"Compared: {', '.join(asked)}."
    studio.project.journal.decide(("methods",), None if usual else asked, words)
    return progress(request)


@router.post("/compare/start")
def start(request: Request) -> Response:
    studio = studio_of(request)
    why_not = _why_not(studio)
    if why_not:
        raise DataError(why_not)
    studio.project.start_run()
    return progress(request)


@router.post("/compare/cancel")
def cancel(request: Request) -> Response:
    studio = studio_of(request)
    name = studio.project.run_name()
    if name is not None:
        studio.project.runs.cancel(name)
    return progress(request)


def _why_not(studio: Studio) -> str:
    """Why nothing can be compared yet; an empty text if something can."""
    roles = studio.project.roles
    if studio.project.shape == "transactions":
        return "" if studio.project.labels else "Bring the labels first, under Roles: a file with one label per line."
    if "target" not in roles.values():
        return "Say first, under Roles, which column a classifier is to predict."
    if studio.project.shape == "text" and studio.how()["text"] is None:
        return "Say first, under Roles, which column holds the texts."
    if studio.project.shape != "table":
        return ""
    if "quasi" not in roles.values():
        return "Say first, under Roles, which columns an outsider may know."
    answer = studio.ask("columns")
    if answer is None or not answer.within(PATIENCE):
        return _READING
    if answer.refused:
        return answer.refused
    undecided = studio.project.undecided([column["name"] for column in answer.value["columns"]])
    if undecided:
        return f"To decide under Roles: {listing(undecided)}. 'Left out' is a decision, too."
    return ""


# -- the choice -------------------------------------------------------------------------------------------------------


@router.get("/choose")
def choose(request: Request, release: str = "") -> Response:
    studio = studio_of(request)
    found = _finished(studio)
    if found is None:
        return RedirectResponse("/compare", status_code=303)
    return studio.page(request, "choose", "choose.html", weights=_weights(studio), **_ranked(studio, found, release))


@router.post("/choose/weights")
async def weigh(request: Request) -> Response:
    """Rank anew, by other weights; nothing is run."""
    return await run_in_threadpool(_weighed, request, await request.form())


def _weighed(request: Request, form: Mapping[str, Any]) -> Response:
    studio = studio_of(request)
    found = _finished(studio)
    if found is None:
        raise DataError("Nothing was compared yet.")
    given = {name: _slider(form.get(name)) for name in WEIGHTS}
    total = sum(given.values())
    if total <= 0:
        raise DataError("One of the weights must be above 0.")
    weights = {name: round(value / total, 4) for name, value in given.items()}
    weights["utility"] = round(1 - sum(value for name, value in weights.items() if name != "utility"), 4)
    said = ", ".join(f"{name} {100 * value:.0f} %" for name, value in weights.items())
    studio.project.journal.decide(("weights",), weights, f"Weights: {said}.")
    release = form.get("release")
    ranked = _ranked(studio, found, release if isinstance(release, str) else "")
    return studio.page(request, "choose", "choose_ranking.html", weights=weights, **ranked)


@router.get("/choose/rows")
def rows(request: Request, release: str) -> Response:
    """First rows, original beside what they are published as."""
    studio = studio_of(request)
    found = _finished(studio)
    name = studio.project.run_name()
    if found is None or name is None or release not in found.made:
        raise DataError("There is no such release.")
    folder = studio.project.runs.study(name) / "releases" / release / "release"
    if not (folder / "certificate.json").is_file():
        return studio.page(request, "choose", "choose_rows.html", answer=None)
    if studio.project.shape == "table":
        answer = studio.ask("beside", topic="beside", folder=str(folder), count=8)
    else:
        answer = studio.ask("beside_items", topic="beside", how=studio.how(), folder=str(folder), count=8)
    if answer is not None and not answer.within(PATIENCE):
        from urllib.parse import quote

        return studio.page(
            request, "choose", "coming.html", answer=answer, address=f"/choose/rows?release={quote(release)}"
        )
    return studio.page(request, "choose", "choose_rows.html", answer=answer)


@router.post("/choose/take")
def take(request: Request, release: Annotated[str, Form()]) -> Response:
    studio = studio_of(request)
    found = _finished(studio)
    if found is None or release not in found.made:
        raise DataError("There is no such release.")
    studio.project.journal.decide(("chosen",), release, f"Chosen: {release}.")
    return Response(status_code=204, headers={"HX-Redirect": "/release"})


def _finished(studio: Studio) -> RunProgress | None:
    """The run of the decisions, if it has ended with results."""
    name = studio.project.run_name()
    if name is None:
        return None
    found = studio.project.runs.progress(name)
    return found if found.summary is not None and found.summary["candidates"] else None


def _slider(value: Any) -> float:
    try:
        return min(max(float(value), 0.0), 100.0)
    except (TypeError, ValueError):
        raise DataError("A weight is a number from 0 to 100.") from None


def _weights(studio: Studio) -> dict[str, float]:
    return studio.project.journal.state().get("weights") or {name: float(weight) for name, weight in WEIGHTS.items()}


def _ranked(studio: Studio, found: RunProgress, release: str) -> dict[str, Any]:
    """The candidates, best first by the weights; and one of them, looked at closely."""
    summary = found.summary
    assert summary is not None
    candidates = Results.model_validate(summary["results"]).to_candidates()
    made = {row["name"]: row for row in summary["candidates"]}
    choice = chosen(tuple(one for one in candidates if one.name in made), summary["by"], _weights(studio))
    order = [one.name for one in choice.ranking] if choice is not None else []
    ranking = [made[name] for name in order] + [row for name, row in made.items() if name not in order]
    best = None if choice is None or choice.best is None else choice.best.name
    name = release if release in made else best or (ranking[0]["name"] if ranking else "")
    return {
        "summary": summary,
        "ranking": ranking,
        "best": best,
        "passed_over": {} if choice is None else dict(choice.passed_over),
        "picture": choice_picture(ranking, summary["lines"], summary["measure_title"], best=best, shown=name),
        "taken": studio.project.journal.state().get("chosen"),
        "name": name,
        "line": made.get(name),
        "result": found.made.get(name),
    }
