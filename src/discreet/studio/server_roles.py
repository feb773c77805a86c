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
_IN_THE_STUDIO = {"identifiers": "identifier", "none": "left out"}


@router.get("/roles")
def roles(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.source is None:
        return RedirectResponse("/data", status_code=303)
    return studio.page(request, "roles", "roles.html", labels=studio.project.labels)


@router.get("/roles/table")
def table(request: Request) -> Response:
    """A role for each column; of baskets, where the labels are."""
    studio = studio_of(request)
    if studio.project.shape != "table":
        return _basket_columns(request, studio)
    answer = studio.ask("suggestions", target=_with_role(studio, "target"))
    if answer is not None and answer.within(PATIENCE) and answer.value is not None:
        return studio.page(
            request, "roles", "roles_table.html", suggestions=answer.value, answer=answer, **_said(studio)
        )
    return studio.page(request, "roles", "coming.html", answer=answer, address="/roles/table")


def _basket_columns(request: Request, studio: Studio) -> Response:
    answer = studio.ask("columns")
    if answer is None or not answer.within(PATIENCE) or answer.value is None:
        return studio.page(request, "roles", "coming.html", answer=answer, address="/roles/table")
    names = [one["name"] for one in answer.value["columns"]]
    chosen = {"target": _with_role(studio, "target"), "text": studio.how()["text"]}
    return studio.page(request, "roles", "roles_baskets.html", names=names, chosen=chosen)


@router.post("/roles/text")
def text(request: Request, column: Annotated[str, Form()]) -> Response:
    """The column that holds the texts."""
    studio = studio_of(request)
    _check_column(studio, column)
    also = [(("roles", column), None)] if column in studio.project.roles else []
    studio.project.journal.decide(("text",), column, f"The texts are in the column {column}.", also)
    return Response(status_code=204, headers={"HX-Trigger": "decided"})


def _check_column(studio: Studio, column: str) -> None:
    answer = studio.ask("columns")
    if answer is None or not answer.within(_LONG):
        raise DataError("The table is being read. Try again in a moment.")
    if answer.refused:
        raise DataError(answer.refused)
    if column not in [one["name"] for one in answer.value["columns"]]:
        raise DataError("There is no such column in the table.")


@router.post("/roles/of")
def role_of(request: Request, column: Annotated[str, Form()], role: Annotated[str, Form()]) -> Response:
    """Give a column a role. The page stays as it is, unless another column lost the role by it."""
    studio = studio_of(request)
    _check_column(studio, column)
    if studio.project.shape != "table" and role != "target":
        raise DataError("Baskets and texts have a target, and no other role.")
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
        had = studio.project.roles
        taken = {one["column"]: _IN_THE_STUDIO.get(one["role"], one["role"]) for one in answer.value}
        new = {column: role for column, role in taken.items() if column not in had and role in ROLES}  # not "decide"
        studio.project.set_roles(new, f"Suggested roles were taken for {len(new)} columns.")
    return table(request)


@router.get("/roles/risk")
def live_risk(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.shape != "table":
        return _item_risk(request, studio, "roles")
    quasi = studio.project.with_role("quasi")
    if not quasi:
        return studio.page(request, "roles", "roles_risk.html", answer=None, quasi=quasi)
    answer = studio.ask("identifiable", topic="risk", quasi=quasi, person=_with_role(studio, "person"))
    if answer is not None and answer.within(PATIENCE):
        return studio.page(request, "roles", "roles_risk.html", answer=answer, quasi=quasi)
    return studio.page(request, "roles", "coming.html", answer=answer, address="/roles/risk")


def _item_risk(request: Request, studio: Studio, step: str) -> Response:
    """Who stands out by few items."""
    answer = studio.ask("baskets", how=studio.how())
    if answer is not None and not answer.within(PATIENCE):
        address = {"roles": "/roles/risk", "risk": "/risk/found"}[step]
        return studio.page(request, step, "coming.html", answer=answer, address=address)
    return studio.page(request, step, "risk_items.html", answer=answer, whole=step == "risk")


@router.get("/risk")
def risk(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.source is None:
        return RedirectResponse("/data", status_code=303)
    return studio.page(request, "risk", "risk.html", fraction=studio.project.journal.state().get("fraction"))


@router.get("/risk/found")
def risk_found(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.shape != "table":
        return _item_risk(request, studio, "risk")
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
