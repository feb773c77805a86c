# SPDX-License-Identifier: Apache-2.0
"""The hierarchy editor: how the values of a column are coarsened, changed by hand, with the effect beside it."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import Response

from discreet.errors import DataError
from discreet.foundation.atomic_files import scratch_folder
from discreet.prepare.edited_hierarchy import (
    arx_csv,
    joined_label,
    merged,
    moved,
    renamed,
    split,
    with_level,
    without_level,
)
from discreet.prepare.hierarchy import Hierarchy, from_paths, read_hierarchy
from discreet.studio.server import PATIENCE, Studio, sent, studio_of

router = APIRouter(prefix="/hierarchies")
_MOST_BYTES = 1 << 20  # of a file that is brought in


@router.get("")
def page(request: Request, column: str = "") -> Response:
    studio = studio_of(request)
    quasi = studio.project.with_role("quasi") if studio.project.shape == "table" else []
    chosen = column if column in quasi else next(iter(quasi), "")
    given = studio.project.journal.state().get("hierarchies", {})
    return studio.page(request, "hierarchies", "hierarchies.html", quasi=quasi, column=chosen, given=given)


@router.get("/tree")
def tree(request: Request, column: str) -> Response:
    studio = studio_of(request)
    answer = _asked(studio, column)
    if answer is not None and not answer.within(PATIENCE):
        return studio.page(
            request, "hierarchies", "coming.html", answer=answer, address=f"/hierarchies/tree?column={quote(column)}"
        )
    given = column in studio.project.journal.state().get("hierarchies", {})
    return studio.page(request, "hierarchies", "hierarchies_tree.html", answer=answer, column=column, given=given)


@router.post("/edit")
async def edit(request: Request) -> Response:
    """Merge, split, rename, move, or add and remove a level."""
    return await run_in_threadpool(_edited, request, await request.form())


def _edited(request: Request, form: FormData) -> Response:
    studio = studio_of(request)
    column, what = str(form.get("column", "")), str(form.get("what", ""))
    level = _level(form.get("level"))
    labels, name = [str(label) for label in form.getlist("label")], str(form.get("name", ""))
    part, to = str(form.get("part", "")), str(form.get("to", ""))
    edits: dict[str, Any] = {
        "merge": lambda old: merged(old, level, labels, name or joined_label(labels)),
        "split": lambda old: _each(old, labels, lambda one, label: split(one, level, label)),
        "rename": lambda old: _each(old, labels[:1], lambda one, label: renamed(one, level, label, name)),
        "move": lambda old: moved(old, level, part, to),
        "add": lambda old: with_level(old, level),
        "remove": lambda old: without_level(old, level),
    }
    if what not in edits:
        raise DataError("There is no such change of a hierarchy.")
    _decide(studio, column, edits[what](_current(studio, column)), f"Hierarchy of {column}: {what} on level {level}.")
    return tree(request, column)


@router.post("/automatic")
def automatic(request: Request, column: Annotated[str, Form()]) -> Response:
    studio = studio_of(request)
    studio.project.journal.decide(("hierarchies", column), None, f"Hierarchy of {column}: automatic.")
    return tree(request, column)


@router.put("/file")
async def bring_in(request: Request, column: str) -> Response:
    """A file in ARX's form."""
    larger = "The file is larger than a megabyte. Use `--set hierarchies` of `discreet release` for it."
    content = await sent(request, most=_MOST_BYTES, too_large=larger)
    await run_in_threadpool(_brought, studio_of(request), column, content)
    return Response(status_code=204)


def _brought(studio: Studio, column: str, content: bytes) -> None:
    with scratch_folder() as place:
        (place / "hierarchy.csv").write_bytes(content)
        _decide(studio, column, read_hierarchy(place / "hierarchy.csv", column), f"Hierarchy of {column}: from a file.")


@router.get("/file")
def take_out(request: Request, column: str) -> Response:
    found = _current(studio_of(request), column)
    said = {"Content-Disposition": 'attachment; filename="hierarchy.csv"'}
    return Response(arx_csv(found), media_type="text/csv", headers=said)


def _each(old: Hierarchy, labels: list[str], one: Any) -> Hierarchy:
    if not labels:
        raise DataError("Choose a group first.")
    for label in labels:
        old = one(old, label)
    return old


def _level(value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError):
        raise DataError("The level of a hierarchy is a whole number.") from None


def _decide(studio: Studio, column: str, new: Hierarchy, words: str) -> None:
    if studio.project.roles.get(column) != "quasi":
        raise DataError("Hierarchies are for quasi-identifiers. Give the column this role first.")
    answer = _asked(studio, column, new)
    if answer is None or not answer.within(20):
        raise DataError("The table is being read. Try again in a moment.")
    if answer.refused:
        raise DataError(answer.refused)
    studio.project.journal.decide(("hierarchies", column), [list(path) for path in new.paths], words)


def _current(studio: Studio, column: str) -> Hierarchy:
    answer = _asked(studio, column)
    if answer is None or not answer.within(20):
        raise DataError("The table is being read. Try again in a moment.")
    if answer.refused:
        raise DataError(answer.refused)
    return from_paths(column, answer.value["paths"])


def _asked(studio: Studio, column: str, new: Hierarchy | None = None) -> Any:
    """The hierarchy of a column, that of the project or the automatic one, with what it does."""
    quasi = studio.project.with_role("quasi")
    if column not in quasi:
        raise DataError("There is no such quasi-identifier.")
    given = studio.project.journal.state().get("hierarchies", {}).get(column)
    paths = given if new is None else [list(path) for path in new.paths]
    return studio.ask("hierarchy", column=column, quasi=quasi, paths=paths)
