# SPDX-License-Identifier: Apache-2.0
"""The studio's server: pages and their parts, behind the guard of access.py."""

from __future__ import annotations

import gc
import secrets
from html import escape
from importlib.resources import files
from threading import Lock
from typing import Any

from fastapi import FastAPI, Request
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp

from discreet.errors import DataError, DiscreetError
from discreet.report import wording
from discreet.report.colours import LIGHTER
from discreet.studio.access import HEADER, Access, Guard
from discreet.studio.desk import Answer, Desk
from discreet.studio.project import Project
from discreet.studio.recipe_of import SHAPES, offered_methods

STEPS = {  # address: name
    "data": "Data",
    "roles": "Roles",
    "risk": "Risk",
    "promise": "Promise",
    "hierarchies": "Hierarchies",
    "compare": "Compare",
    "choose": "Choose",
    "release": "Release",
    "verify": "Verify",
    "ledger": "Ledger",
}
_BESIDES = {"domain": "Public domain", "decisions": "Decisions"}  # pages that are no step
_WAYS = {  # address: the page before, and the next with its words
    "data": (None, "roles", "what each column is for"),
    "roles": ("data", "risk", "the risk of the raw data"),
    "risk": ("roles", "promise", "what you promise"),
    "promise": ("risk", "compare", "compare methods"),
    "hierarchies": ("promise", "compare", "compare methods"),
    "compare": ("promise", None, ""),
    "choose": ("compare", None, ""),
    "release": ("choose", "verify", "verify what you downloaded"),
    "verify": ("release", "ledger", "what left this table so far"),
    "ledger": ("release", None, ""),
    "domain": ("promise", "compare", "compare methods"),
    "decisions": (None, None, ""),
}
_MINUTES = ("assessed",)  # questions that take minutes on a large table, so that others do not wait for them
_PERMITS = 20  # downloads that are allowed and not used
PATIENCE = 0.08  # seconds that a page waits for an answer before it shows that it is coming
DRAWING = ("vega", "vega-lite", "vega-interpreter")  # scripts of the pages with pictures
_SCRIPTS = {
    "studio.css": ("discreet.studio.static", "text/css"),
    "studio.js": ("discreet.studio.static", "text/javascript"),
    "htmx.min.js": ("discreet.studio.static", "text/javascript"),
    **{f"{name}.min.js": ("discreet.report.vendor", "text/javascript") for name in DRAWING},
}


class Studio:
    """What all pages share: the project, the desks that count, and how a page is written."""

    def __init__(self, project: Project):
        self.project, self.desk, self._slow = project, Desk(), Desk()
        self._permits: list[tuple[str, str, str]] = []
        self._lock = Lock()
        self.paying = Lock()  # held while a release is made and paid for
        self._pages = Environment(
            loader=PackageLoader("discreet.studio"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
        )
        self._pages.globals |= {"drawing": DRAWING, "lighter": LIGHTER}
        for name in ("count", "plural", "number", "percent", "approximately"):
            self._pages.filters[name] = getattr(wording, name)

    def prepare(self) -> None:
        """Load what the first visitor of a page would wait for: templates, and what is known of the methods."""
        for name in self._pages.list_templates(["html"]):
            self._pages.get_template(name)
        for shape in SHAPES:
            offered_methods({"shape": shape})
        self.project.methods()
        gc.collect()
        gc.freeze()  # what stays for good is not looked through again and again

    def permit(self, what: str, folder: str) -> str:
        """Allow one download of a folder."""
        with self._lock:
            self._permits = [*self._permits[-_PERMITS:], (secrets.token_urlsafe(24), what, folder)]
            return self._permits[-1][0]

    def permitted(self, what: str, permit: str) -> str | None:
        """The folder of a download that was allowed and not used yet."""
        with self._lock:
            found = next((one for one in self._permits if one[:2] == (permit, what)), None)
            if found is not None:
                self._permits.remove(found)
            return None if found is None else found[2]

    def page(self, request: Request, step: str, template: str, **shown: Any) -> HTMLResponse:
        """A whole page, or a part of one."""
        journal = self.project.journal
        text = self._pages.get_template(template).render(
            **shown,
            steps=STEPS,
            step=step,
            title=(STEPS | _BESIDES)[step],
            way=_WAYS[step],
            shape=self.project.shape,
            number_of_session=request.scope["session"].number,
            header=HEADER,
            source=self.project.source,
            done=journal.done,
            undone=journal.undone,
        )
        return HTMLResponse(
            self.named(text, markup=True), headers={} if request.method == "GET" else {"HX-Trigger": "decided"}
        )

    def named(self, text: str, *, markup: bool) -> str:
        """A text in which files have the names that the person knows, not those under which they are stored."""
        brought = (self.project.source, self.project.labels)
        for one in (one for one in brought if one is not None):
            text = text.replace(one.path.name, escape(one.name) if markup else one.name)
        return text

    def how(self) -> dict[str, Any]:
        """How the file is read as baskets."""
        labels = self.project.labels
        said = {"shape": self.project.shape, "text": self.project.journal.state().get("text")}
        said["target"] = next(iter(self.project.with_role("target")), None)
        return said | {"labels": None if labels is None else labels.path.name}

    def ask(self, question: str, *, topic: str | None = None, **arguments: Any) -> Answer | None:
        """Ask about the project's table; None if there is none."""
        source = self.project.source
        if source is None:
            return None
        about = {"path": str(source.path), "reading": dict(source.reading)}
        desk = self._slow if question in _MINUTES else self.desk
        return desk.ask(question, topic=topic, **about, **arguments)

    def forget(self) -> None:
        """Drop all answers: they were about another table."""
        self.desk.forget()
        self._slow.forget()

    def close(self) -> None:
        """End the processes that count."""
        self.desk.close()
        self._slow.close()
        gc.unfreeze()  # or libraries complain at the end of what is left


def studio_of(request: Request) -> Studio:
    """The studio that a request is for."""
    return request.app.state.studio


async def sent(request: Request, *, most: int, too_large: str) -> bytes:
    """What a request sends, refused as soon as it is more bytes than that."""
    content = bytearray()
    async for piece in request.stream():
        content += piece
        if len(content) > most:
            raise DataError(too_large)
    return bytes(content)


def studio_app(studio: Studio, access: Access) -> ASGIApp:
    """The studio as a web application."""
    from discreet.studio import (
        server_compare,
        server_data,
        server_domain,
        server_hierarchies,
        server_ledger,
        server_promise,
        server_release,
        server_roles,
        server_verify,
    )

    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    app.state.studio = studio
    app.add_exception_handler(DiscreetError, _refused)
    app.add_exception_handler(404, _nothing)
    app.add_exception_handler(500, _failed)
    pages = (server_data, server_roles, server_promise, server_hierarchies, server_compare, server_release)
    for part in (*pages, server_domain, server_verify, server_ledger):
        app.include_router(part.router)

    @app.get("/")
    async def start() -> Response:
        return RedirectResponse("/data", status_code=303)

    @app.get("/static/{name}")
    async def static(name: str) -> Response:
        if name not in _SCRIPTS:
            return PlainTextResponse("There is no such file.\n", status_code=404)
        package, kind = _SCRIPTS[name]
        return Response(files(package).joinpath(name).read_bytes(), media_type=kind)

    @app.get("/decisions")
    def decisions(request: Request) -> Response:
        return studio.page(request, "decisions", "decisions.html")

    @app.get("/history")
    def history(request: Request) -> Response:
        return studio.page(request, "data", "history.html")

    @app.post("/undo")
    def undo(request: Request) -> Response:
        studio.project.journal.undo()
        return _again(request)

    @app.post("/redo")
    def redo(request: Request) -> Response:
        studio.project.journal.redo()
        return _again(request)

    return Guard(app, access)


def _again(request: Request) -> Response:
    """Load the page anew: a decision may change any part of it."""
    return Response(status_code=204, headers={"HX-Refresh": "true"})


async def _refused(request: Request, error: Exception) -> Response:
    return PlainTextResponse(f"{studio_of(request).named(str(error), markup=False)}\n", status_code=422)


async def _failed(request: Request, error: Exception) -> Response:
    """Only the kind of the error is told: its text may hold cells."""
    what = f"An error in discreet itself ({type(error).__name__}). Load the page again, or take back the last decision."
    return PlainTextResponse(f"{what}\n", status_code=500)


async def _nothing(request: Request, error: Exception) -> Response:
    return PlainTextResponse("There is no such page in the studio.\n", status_code=404)
