# SPDX-License-Identifier: Apache-2.0
"""The pages Roles and Risk: what each column is for, and how identifiable people are by what outsiders may know."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from discreet.errors import DataError
from discreet.studio.project import ROLES
from discreet.studio.server import PATIENCE, Studio, studio_of

router = APIRouter()
_LONG = 5.0  # seconds that a decision waits for the table


@router.get("/roles")
def roles(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.source is None:
        return RedirectResponse("/data", status_code=303)
    return studio.page(request, "roles", "roles.html")


@router.get("/roles/table")
def table(request: Request) -> Response:
    studio = studio_of(request)
    answer = studio.ask("suggestions", target=_with_role(studio, "target"))
    if answer is not None and answer.within(PATIENCE) and answer.value is not None:
        return studio.page(
            request, "roles", "roles_table.html", suggestions=answer.value, answer=answer, **_said(studio)
        )
    return studio.page(request, "roles", "coming.html", answer=answer, address="/roles/table")


@router.post("/roles/of")
def role_of(request: Request, column: Annotated[str, Form()], role: Annotated[str, Form()]) -> Response:
    """Give a column a role. The page stays as it is, unless another column lost the role by it."""
    studio = studio_of(request)
    answer = studio.ask("columns")
    if answer is None or not answer.within(_LONG) or answer.value is None:
        raise DataError("The table is being read. Try again in a moment.")
    if column not in [one["name"] for one in answer.value["columns"]]:
        raise DataError("There is no such column in the table.")
    before = studio.project.roles
    studio.project.set_role(column, role)
    after = studio.project.roles
    lost = any(name not in after for name in before)
    return Response(status_code=204, headers={"HX-Refresh": "true"} if lost else {"HX-Trigger": "decided"})


@router.post("/roles/suggested")
def suggested(request: Request) -> Response:
    """Take every suggestion for columns without a role."""
    studio = studio_of(request)
    answer = studio.ask("suggestions", target=_with_role(studio, "target"))
    if answer is not None and answer.within(_LONG) and answer.value is not None:
        for one in answer.value:
            role = {"identifiers": "identifier", "none": "left out"}.get(one["role"], one["role"])  # not "decide"
            if one["column"] not in studio.project.roles and role in ROLES:
                studio.project.set_role(one["column"], role)
    return table(request)


@router.get("/roles/risk")
def live_risk(request: Request) -> Response:
    studio = studio_of(request)
    quasi = studio.project.with_role("quasi")
    if not quasi:
        return studio.page(request, "roles", "roles_risk.html", answer=None, quasi=quasi)
    answer = studio.ask("identifiable", topic="risk", quasi=quasi, person=_with_role(studio, "person"))
    if answer is not None and answer.within(PATIENCE):
        return studio.page(request, "roles", "roles_risk.html", answer=answer, quasi=quasi)
    return studio.page(request, "roles", "coming.html", answer=answer, address="/roles/risk")


@router.get("/risk")
def risk(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.source is None:
        return RedirectResponse("/data", status_code=303)
    return studio.page(request, "risk", "risk.html", fraction=studio.project.journal.state().get("fraction"))


@router.get("/risk/found")
def risk_found(request: Request) -> Response:
    studio = studio_of(request)
    quasi = studio.project.with_role("quasi")
    fraction = studio.project.journal.state().get("fraction")
    answer = studio.ask("assessed", topic="assessed", quasi=quasi, fraction=fraction) if quasi else None
    if answer is not None and not answer.within(PATIENCE):
        return studio.page(request, "risk", "coming.html", answer=answer, address="/risk/found")
    return studio.page(request, "risk", "risk_found.html", answer=answer)


@router.post("/risk/fraction")
def fraction(request: Request, percent: Annotated[str, Form()] = "") -> Response:
    """Which share of the population is in the table; nothing if that is not known."""
    studio = studio_of(request)
    share = None
    if percent.strip():
        try:
            share = float(percent.replace(",", ".")) / 100
        except ValueError:
            raise DataError("The share is a number of percent, above 0 and at most 100.") from None
        if not 0 < share <= 1:
            raise DataError("The share is a number of percent, above 0 and at most 100.")
    words = f"The table holds {percent} % of the population." if share else "The population is not known."
    studio.project.journal.decide(("fraction",), share, words)
    return risk_found(request)


def _said(studio: Studio) -> dict[str, Any]:
    return {"said": studio.project.roles, "meanings": ROLES}


def _with_role(studio: Studio, role: str) -> str | None:
    return next(iter(studio.project.with_role(role)), None)
