# SPDX-License-Identifier: Apache-2.0
"""The page of the public domain: which values columns may have, as everybody knows, for releases with noise.

What is stated here is published with the release. So nothing of it is ever filled in from the rows.
"""

from __future__ import annotations

import re
from tomllib import TOMLDecodeError
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from discreet.errors import DataError, did_you_mean, shown
from discreet.foundation.toml_text import read_toml
from discreet.recoding.public_domain import ColumnDomain
from discreet.studio.server import PATIENCE, Studio, sent, studio_of

router = APIRouter(prefix="/domain")
_MOST_BYTES = 1 << 18  # of a file that is brought in
_MOST_LEVELS = 10_000  # of a column
_SHOWN = 12  # levels
_BETWEEN = re.compile(r"[;\n]")


@router.get("")
def page(request: Request) -> Response:
    studio = studio_of(request)
    if studio.project.source is None:
        return RedirectResponse("/data", status_code=303)
    columns = studio.project.published if studio.project.shape == "table" else []
    cards = [_card(studio, name) for name in columns]
    return studio.page(request, "domain", "domain.html", cards=cards)


@router.post("/column")
def state_column(
    request: Request,
    column: Annotated[str, Form()],
    kind: Annotated[str, Form()] = "values",
    listed: Annotated[str, Form()] = "",
    missing: Annotated[str, Form()] = "",
) -> Response:
    """State the values of a column, or where its numbers or dates are cut; nothing takes it back."""
    studio = studio_of(request)
    _check(studio, column)
    if kind not in ("values", "cuts"):
        raise DataError("A column has values, or cuts between which its numbers or dates lie.")
    entries = [text.strip() for text in _BETWEEN.split(listed) if text.strip()]
    if not entries and column not in studio.project.domain:
        return Response(status_code=204)  # the form stays as it is: somebody may be writing into it already
    if not entries:
        studio.project.set_domain({column: None}, f"Public values of {column}: not stated.")
    else:
        stated = {kind: entries, "missing": bool(missing)}
        studio.project.set_domain({column: _plain(column, stated)}, f"Public values of {column} were stated.")
    card = _card(studio, column)
    if not entries:  # what was chosen stays, until something is listed
        card |= {"kind": kind, "missing": bool(missing)}
    return studio.page(request, "domain", "domain_column.html", card=card)


@router.get("/outside")
def outside(request: Request, column: str) -> Response:
    """How many rows have a cell that is none of the stated ones: of use to find a misspelt value."""
    studio = studio_of(request)
    domain = studio.project.domain.get(column)
    if domain is None:
        return Response(status_code=204)
    answer = studio.ask("outside", column=column, domain=domain)
    known = answer if answer is not None and answer.within(PATIENCE) else None
    return studio.page(request, "domain", "domain_outside.html", answer=known, column=column, missing=domain["missing"])


@router.put("/file")
async def bring_in(request: Request, name: str = "") -> Response:
    """The domain of all columns, as a TOML file."""
    content = await sent(request, most=_MOST_BYTES, too_large="The file is too long for a domain.")
    await run_in_threadpool(_brought, studio_of(request), content)
    return Response(status_code=204)


@router.get("/file")
def take_out(request: Request) -> Response:
    said = {"Content-Disposition": 'attachment; filename="domain.toml"'}
    return Response(studio_of(request).project.domain_text, media_type="application/toml", headers=said)


def _brought(studio: Studio, content: bytes) -> None:
    try:
        stated = read_toml(content.decode("utf-8"))
    except (UnicodeDecodeError, TOMLDecodeError):
        raise DataError('A domain is a TOML file in UTF-8, a line for each column: sex = ["f", "m"].') from None
    if not stated:
        raise DataError("The file states nothing.")
    for column in stated:
        _check(studio, column)
    plain = {column: _plain(column, domain) for column, domain in stated.items()}
    studio.project.set_domain(plain, "The public domain of the columns was given.")


def _check(studio: Studio, column: str) -> None:
    columns = studio.project.published
    if column not in columns:
        raise DataError(
            f"{shown(column)} is no column that is published.{did_you_mean(column, columns)} Give it a role first, or"
            " leave it out."
        )


def _plain(column: str, stated: Any) -> dict[str, Any]:
    """A domain as it is written down, once it is known to be one."""
    levels = ColumnDomain.of(column, stated)
    if len(levels) > _MOST_LEVELS:
        raise DataError(f"{column!r} has {len(levels):,} public values; at most {_MOST_LEVELS:,} can be stated.")
    return levels.plain


def _card(studio: Studio, column: str) -> dict[str, Any]:
    """What is stated of a column, and the levels that follow from it."""
    project = studio.project
    stated = project.domain.get(column)
    kind = "values" if stated is None or "values" in stated else "cuts"
    labels = [] if stated is None else [one for one in ColumnDomain.of(column, stated).labels if one is not None]
    return {
        "column": column,
        "role": project.roles[column],
        "stated": stated is not None,
        "kind": kind,
        "listed": "" if stated is None else "\n".join(map(str, stated[kind])),
        "missing": project.roles[column] != "target" if stated is None else stated["missing"],
        "levels": labels[:_SHOWN],
        "more": max(0, len(labels) - _SHOWN),
    }
