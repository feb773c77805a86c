# SPDX-License-Identifier: Apache-2.0
"""The page Data: bring a file in, or take a sample; its columns, and its first rows."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from discreet.foundation.system import set_mode
from discreet.studio.server import PATIENCE, Studio, studio_of

router = APIRouter(prefix="/data")
SAMPLES = {"clinic": "2,000 made-up patients of a clinic: will they come back?"}


@router.get("")
def data(request: Request) -> Response:
    return studio_of(request).page(request, "data", "data.html", samples=SAMPLES)


@router.get("/columns")
def columns(request: Request) -> Response:
    studio = studio_of(request)
    answer = studio.ask("columns")
    if answer is None:
        return Response(status_code=204)
    first = studio.ask("rows", start=0, count=8) if answer.within(PATIENCE) and answer.value else None
    rows = first.value if first is not None and first.within(PATIENCE) else None
    return studio.page(request, "data", "data_columns.html", answer=answer, rows=rows)


@router.put("/file")
async def file(request: Request, name: str) -> Response:
    studio = studio_of(request)
    await studio.project.bring_in(name, request.stream())
    studio.desk.forget()
    return Response(status_code=204)


@router.post("/sample/{name}")
async def sample(request: Request, name: str) -> Response:
    if name not in SAMPLES:
        return Response("There is no such sample.\n", status_code=404)
    studio = studio_of(request)
    await run_in_threadpool(_take_sample, studio, name)
    return Response(status_code=204, headers={"HX-Redirect": "/data"})


def _take_sample(studio: Studio, name: str) -> None:
    from discreet.samples import load

    place = studio.project.folder / "data" / f"{name}.csv"
    data = load(name, rows=2000, random_state=0).data
    data.write(place, "csv", input_again=True)  # type: ignore[call-arg]
    set_mode(place, 0o600)
    studio.project.take(f"{name}.csv", place)
    studio.desk.forget()
