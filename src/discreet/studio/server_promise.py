# SPDX-License-Identifier: Apache-2.0
"""The page Promise: what is promised, to whom, and what it means for this table."""

from __future__ import annotations

from math import exp
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from discreet.errors import DataError
from discreet.privacy.km_anonymity import MOST_ITEMS
from discreet.studio.server import PATIENCE, Studio, studio_of

router = APIRouter(prefix="/promise")
DEFAULT_K = 5
MOST_K = 1000
_MOST_EPSILON = 10
DIVERSITY = {
    "distinct": "different ones",
    "entropy": "equally common ones: exp(entropy)",
    "recursive": "the commonest at most twice as common as the rest",
}
_C = 2  # of the recursive measure
DISTANCE = {"equal": "any value for any other", "ordered": "by how far values are apart: numbers and dates"}


@router.get("")
def promise(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.source is None:
        return RedirectResponse("/data", status_code=303)
    stated = (len(studio.project.domain), len(studio.project.published))
    shown = {"promise": promise_of(studio), "has_sensitive": bool(studio.project.with_role("sensitive"))}
    shown |= {"diversity": DIVERSITY, "distance": DISTANCE, "fraction": _fraction(studio)}
    return studio.page(request, "promise", "promise.html", stated=stated, **shown)


@router.get("/effect")
def effect(request: Request) -> Response:
    """What the promise means for the raw table."""
    studio = studio_of(request)
    said, sensitive = promise_of(studio), studio.project.with_role("sensitive")
    answer = _short(studio, said["k"][0])
    told = studio.ask("sensitive", columns=sensitive) if sensitive and studio.project.shape == "table" else None
    if any(one is not None and not one.within(PATIENCE) for one in (answer, told)):
        return studio.page(request, "promise", "coming.html", answer=answer, address="/promise/effect")
    sure = None if "epsilon" not in said else 1 / (1 + exp(-said["epsilon"]))
    values = [] if told is None or told.value is None else told.value
    return studio.page(
        request, "promise", "promise_effect.html", answer=answer, promise=said, sensitive=values, sure=sure
    )


def _short(studio: Studio, k: int) -> Any:
    """The rows that are like fewer than k persons; None if it is not said yet what outsiders know."""
    if studio.project.shape != "table":
        how = studio.how()
        if how["shape"] == "text" and how["text"] is None:
            return None
        return studio.ask("short_of_alike", topic="short", how=how, k=k)
    quasi, person = studio.project.with_role("quasi"), next(iter(studio.project.with_role("person")), None)
    return studio.ask("short_of", topic="short", quasi=quasi, person=person, k=k) if quasi else None


@router.post("/k")
def set_k(request: Request, k: Annotated[int, Form()]) -> Response:
    if not 2 <= k <= MOST_K:
        raise DataError(f"k is a whole number from 2 to {MOST_K:,}.")
    return _decided(request, "k", [k], f"At least {k} persons are alike.")


@router.post("/l")
def set_l(request: Request, l: Annotated[int, Form()]) -> Response:  # noqa: E741
    if not 1 <= l <= 20:
        raise DataError("l is a whole number from 1, for nothing more, to 20.")
    words = f"Every group has at least {l} sensitive values." if l > 1 else "Groups may have one sensitive value."
    return _decided(request, "l", l if l > 1 else None, words)


@router.post("/t")
def set_t(request: Request, t: Annotated[float, Form()]) -> Response:
    """1 asks for nothing."""
    if not 0.01 <= t <= 1:
        raise DataError("t is a number from 0.01 to 1, for nothing more.")
    words = f"Sensitive values of a group are within {t:g} of those of all." if t < 1 else "No limit t."
    return _decided(request, "t", round(t, 2) if t < 1 else None, words)


@router.post("/m")
def set_m(request: Request, m: Annotated[int, Form()]) -> Response:
    if not 1 <= m <= MOST_ITEMS:
        raise DataError(f"m is a whole number from 1 to {MOST_ITEMS}.")
    return _decided(request, "m", m, f"By the method km, outsiders know at most {m} items of a person.")


@router.post("/diversity")
def set_diversity(request: Request, diversity: Annotated[str, Form()]) -> Response:
    if diversity not in DIVERSITY:
        raise DataError("l values are counted in one of these ways: " + ", ".join(DIVERSITY) + ".")
    studio_of(request).project.journal.decide(("promise", "c"), _C if diversity == "recursive" else None, "c")
    words = f"l values are {DIVERSITY[diversity]}."
    return _decided(request, "diversity", diversity if diversity != "distinct" else None, words)


@router.post("/distance")
def set_distance(request: Request, distance: Annotated[str, Form()]) -> Response:
    if distance not in DISTANCE:
        raise DataError("t is measured in one of these ways: " + ", ".join(DISTANCE) + ".")
    words = f"t compares {DISTANCE[distance]}."
    return _decided(request, "distance", distance if distance != "equal" else None, words)


@router.post("/mapped")
def set_mapped(request: Request, mapped: Annotated[str, Form()] = "") -> Response:
    """Whether k persons of the population, of whom a known share is in the table, are enough (k-map)."""
    studio = studio_of(request)
    if mapped and _fraction(studio) is None:
        raise DataError("Say first, on the page Risk, which share of the population is in the table.")
    if mapped and promise_of(studio).get("label_known"):
        raise DataError("Persons of the population are not left to somebody who knows the label. Ask for one of both.")
    words = "k persons of the population are alike." if mapped else "k persons of the table are alike."
    return _decided(request, "mapped", True if mapped else None, words)


@router.post("/epsilon")
def set_epsilon(request: Request, epsilon: Annotated[float, Form()]) -> Response:
    if not 0 <= epsilon <= _MOST_EPSILON:
        raise DataError(f"Epsilon is a number from 0, for no such release, to {_MOST_EPSILON}.")
    words = f"Releases with noise may cost epsilon {epsilon:g}." if epsilon else "No releases with noise."
    return _decided(request, "epsilon", epsilon or None, words)


@router.post("/label")
def set_label(request: Request, known: Annotated[str, Form()] = "") -> Response:
    if known and promise_of(studio_of(request)).get("mapped"):
        raise DataError("Persons of the population are not left to somebody who knows the label. Ask for one of both.")
    words = "k persons are left to somebody who knows the label, too." if known else "The label is taken to be unknown."
    return _decided(request, "label_known", True if known else None, words)


def _decided(request: Request, what: str, to: Any, words: str) -> Response:
    studio_of(request).project.journal.decide(("promise", what), to, words)
    return effect(request)


def _fraction(studio: Studio) -> float | None:
    return studio.project.journal.state().get("fraction")


def promise_of(studio: Studio) -> dict[str, Any]:
    return {"k": [DEFAULT_K]} | studio.project.journal.state().get("promise", {})
