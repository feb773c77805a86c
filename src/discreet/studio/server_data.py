# SPDX-License-Identifier: Apache-2.0
"""The page Data: bring a file in, or take a sample; its columns or items, and its first rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from discreet.data.file_kinds import PACKED, TEXT, kind_of
from discreet.errors import DataError, quietly
from discreet.studio.recipe_of import SHAPES
from discreet.studio.server import PATIENCE, sent, studio_of
from discreet.studio.server_samples import SAMPLES, take_sample

router = APIRouter(prefix="/data")
_MOST_LABELS = 1 << 28  # bytes
_SHOWN = 60  # columns
_LONGEST = 200  # letters of the name of a sheet
_SETTINGS: dict[str, tuple[str, dict[str, str], tuple[str, ...]]] = {  # words, choices, kinds of files; () for all
    "table": ("The sheet or table", {}, ("Excel", "SQLite", "DuckDB")),
    "delimiter": (
        "Cells are separated by",
        {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"},
        (TEXT, PACKED),
    ),
    "header": ("The first row holds", {"yes": "names of columns", "no": "a person"}, (TEXT, PACKED, "Excel")),
    "decimal": ("Decimals are written with", {".": "a point", ",": "a comma"}, ()),
    "date_format": (
        "Dates are written with",
        {"day-first": "the day first", "month-first": "the month first", "year-first": "the year first"},
        (),
    ),
}
_HEADER = {"yes": True, "no": False}


@router.get("")
def data(request: Request) -> Response:
    samples = {name: one.about for name, one in SAMPLES.items()}
    studio = studio_of(request)
    most, source = studio.project.most_bytes, studio.project.source
    settings = {} if source is None or studio.project.shape == "transactions" else _settings(source.path)
    chosen = {} if source is None else source.reading
    said = {name: {True: "yes", False: "no"}.get(value, value) for name, value in chosen.items()}
    return studio.page(
        request, "data", "data.html", samples=samples, shapes=SHAPES, most_bytes=most, settings=settings, said=said
    )


def _settings(path: Path) -> dict[str, tuple[str, dict[str, str]]]:
    """What can be said about how such a file is read."""
    kind, _ = quietly(kind_of, path, errors=(DataError, OSError))
    return {name: (words, choices) for name, (words, choices, kinds) in _SETTINGS.items() if not kinds or kind in kinds}


@router.post("/reading")
async def reading(request: Request) -> Response:
    """Say how the file is read where it was not recognised, or not rightly."""
    return await run_in_threadpool(_read_so, request, await request.form())


def _read_so(request: Request, form: Mapping[str, Any]) -> Response:
    project = studio_of(request).project
    if project.source is None:
        raise DataError("Bring a file first.")
    found: dict[str, Any] = {}
    words = []
    for name, (about, choices) in _settings(project.source.path).items():
        value = str(form.get(name, "")) if name == "delimiter" else " ".join(str(form.get(name, "")).split())
        if not value:
            continue
        if (choices and value not in choices) or len(value) > _LONGEST:
            raise DataError("A file cannot be read so. Choose one of the list.")
        found[name] = _HEADER[value] if name == "header" else value
        words.append(f"{about} {choices.get(value, value)}")
    project.set_reading(found, f"How the file is read: {'; '.join(words) if words else 'as recognised'}.")
    return Response(status_code=204, headers={"HX-Refresh": "true"})


@router.get("/columns")
def columns(request: Request) -> Response:
    """What is in the file: columns of a table, or items of lines."""
    studio = studio_of(request)
    if studio.project.shape == "transactions":
        answer = studio.ask("baskets", how=studio.how())
        if answer is not None:
            answer.within(PATIENCE)
        return studio.page(request, "data", "data_items.html", answer=answer)
    answer = studio.ask("columns")
    if answer is None:
        return Response(status_code=204)
    first = studio.ask("rows", start=0, count=8) if answer.within(PATIENCE) and answer.value else None
    rows = first.value if first is not None and first.within(PATIENCE) else None
    return studio.page(request, "data", "data_columns.html", answer=answer, rows=rows, most=_SHOWN)


@router.put("/file")
async def file(request: Request, name: str) -> Response:
    studio = studio_of(request)
    studio.project.refuse_size(request.headers.get("content-length"))
    await studio.project.bring_in(name, request.stream())
    studio.forget()
    return Response(status_code=204)


@router.put("/labels")
async def labels(request: Request, name: str) -> Response:
    """The labels of transactions, one per line."""
    studio = studio_of(request)
    content = await sent(request, most=_MOST_LABELS, too_large="The file is too long for labels.")
    if studio.project.shape != "transactions":
        raise DataError("Only baskets in lines have their labels in a second file.")
    await run_in_threadpool(studio.project.take_labels, name, content)
    return Response(status_code=204)


@router.post("/shape")
def shape(request: Request, shape: Annotated[str, Form()]) -> Response:
    """Say what the file holds."""
    studio_of(request).project.set_shape(shape)
    return Response(status_code=204, headers={"HX-Refresh": "true"})


@router.post("/sample/{name}")
async def sample(request: Request, name: str) -> Response:
    if name not in SAMPLES:
        return Response("There is no such sample.\n", status_code=404)
    studio = studio_of(request)
    await run_in_threadpool(take_sample, studio.project, name)
    studio.forget()
    return Response(status_code=204, headers={"HX-Redirect": "/data"})
