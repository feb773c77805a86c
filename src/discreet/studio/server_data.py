# SPDX-License-Identifier: Apache-2.0
"""The page Data: bring a file in, or take a sample; its columns or items, and its first rows."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from discreet.errors import DataError
from discreet.studio.recipe_of import SHAPES
from discreet.studio.server import PATIENCE, sent, studio_of
from discreet.studio.server_samples import SAMPLES, take_sample

router = APIRouter(prefix="/data")
_MOST_LABELS = 1 << 28  # bytes
_SHOWN = 60  # columns


@router.get("")
def data(request: Request) -> Response:
    samples = {name: one.about for name, one in SAMPLES.items()}
    studio = studio_of(request)
    most = studio.project.most_bytes
    return studio.page(request, "data", "data.html", samples=samples, shapes=SHAPES, most_bytes=most)


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
