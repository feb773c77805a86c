# SPDX-License-Identifier: Apache-2.0
"""The pages Roles and Risk: what each column is for, and how identifiable people are by what outsiders may know."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from discreet.studio.project import ROLES
from discreet.studio.server import PATIENCE, Studio

router = APIRouter()


@router.get("/roles")
def roles(request: Request) -> Response:
    studio = _studio(request)
    if studio.project.source is None:
        return RedirectResponse("/data", status_code=303)
    return studio.page(request, "roles", "roles.html")


@router.get("/roles/table")
def table(request: Request) -> Response:
    studio = _studio(request)
    answer = studio.ask("suggestions", target=_with_role(studio, "target"))
    if answer is not None and answer.within(PATIENCE) and answer.value is not None:
        return studio.page(request, "roles", "roles_table.html", suggestions=answer.value, answer=answer, **_said(studio))
    return studio.page(request, "roles", "coming.html", answer=answer, address="/roles/table")


@router.post("/roles/of")
def role_of(request: Request, column: Annotated[str, Form()], role: Annotated[str, Form()]) -> Response:
    studio = _studio(request)
    answer = studio.ask("suggestions", target=_with_role(studio, "target"))
    if answer is not None and answer.within(5) and answer.value is not None:
        known = [one["column"] for one in answer.value]
        if column in known:
            studio.project.set_role(column, role)
    return table(request)


@router.post("/roles/suggested")
def suggested(request: Request) -> Response:
    """Take every suggestion for columns without a role."""
    studio = _studio(request)
    answer = studio.ask("suggestions", target=_with_role(studio, "target"))
    if answer is not None and answer.within(5) and answer.value is not None:
        for one in answer.value:
            role = {"identifiers": "identifier"}.get(one["role"], one["role"])
            if one["column"] not in studio.project.roles and role in ROLES:
                studio.project.set_role(one["column"], role)
    return table(request)


@router.get("/roles/risk")
def live_risk(request: Request) -> Response:
    studio = _studio(request)
    quasi = [name for name, role in studio.project.roles.items() if role == "quasi"]
    if not quasi:
        return studio.page(request, "roles", "roles_risk.html", answer=None, quasi=quasi)
    answer = studio.ask("identifiable", topic="risk", quasi=quasi, person=_with_role(studio, "person"))
    if answer is not None and answer.within(PATIENCE):
        return studio.page(request, "roles", "roles_risk.html", answer=answer, quasi=quasi)
    return studio.page(request, "roles", "coming.html", answer=answer, address="/roles/risk")


def _said(studio: Studio) -> dict[str, Any]:
    return {"said": studio.project.roles, "meanings": ROLES}


def _with_role(studio: Studio, role: str) -> str | None:
    return next((name for name, its in studio.project.roles.items() if its == role), None)


def _studio(request: Request) -> Studio:
    return request.app.state.studio
