# SPDX-License-Identifier: Apache-2.0
"""The page Promise: what is promised, to whom, and what it means for this table."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from discreet.errors import DataError
from discreet.studio.server import PATIENCE, Studio, studio_of

router = APIRouter(prefix="/promise")
DEFAULT_K = 5
MOST_K = 1000


@router.get("")
def promise(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.source is None:
        return RedirectResponse("/data", status_code=303)
    return studio.page(request, "promise", "promise.html", promise=promise_of(studio), has_sensitive=_sensitive(studio))


@router.get("/effect")
def effect(request: Request) -> Response:
    """What k means for the raw table."""
    studio = studio_of(request)
    quasi = studio.project.with_role("quasi")
    person = next(iter(studio.project.with_role("person")), None)
    answer = (
        studio.ask("short_of", topic="short", quasi=quasi, person=person, k=promise_of(studio)["k"][0])
        if quasi
        else None
    )
    if answer is not None and not answer.within(PATIENCE):
        return studio.page(request, "promise", "coming.html", answer=answer, address="/promise/effect")
    return studio.page(request, "promise", "promise_effect.html", answer=answer, promise=promise_of(studio))


@router.post("/k")
def set_k(request: Request, k: Annotated[int, Form()]) -> Response:
    if not 2 <= k <= MOST_K:
        raise DataError(f"k is a whole number from 2 to {MOST_K:,}.")
    studio_of(request).project.journal.decide(("promise", "k"), [k], f"At least {k} persons are alike.")
    return effect(request)


@router.post("/l")
def set_l(request: Request, l: Annotated[int, Form()]) -> Response:  # noqa: E741
    if not 1 <= l <= 20:
        raise DataError("l is a whole number from 1, for nothing more, to 20.")
    words = f"Every group has at least {l} sensitive values." if l > 1 else "Groups may have one sensitive value."
    studio_of(request).project.journal.decide(("promise", "l"), l if l > 1 else None, words)
    return effect(request)


@router.post("/label")
def set_label(request: Request, known: Annotated[str, Form()] = "") -> Response:
    words = "k persons are left to somebody who knows the label, too." if known else "The label is taken to be unknown."
    studio_of(request).project.journal.decide(("promise", "label_known"), True if known else None, words)
    return effect(request)


def promise_of(studio: Studio) -> dict:  # type: ignore[type-arg]
    return {"k": [DEFAULT_K]} | studio.project.journal.state().get("promise", {})


def _sensitive(studio: Studio) -> bool:
    return "sensitive" in studio.project.roles.values()
