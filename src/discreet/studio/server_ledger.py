# SPDX-License-Identifier: Apache-2.0
"""The page Ledger: what left the table so far, and the budget of releases with noise, which are made when paid for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from discreet.errors import DataError
from discreet.studio.recipe_of import as_toml
from discreet.studio.server import Studio, studio_of

router = APIRouter()
_PAID = "paid"  # the folder of releases that cost budget, in that of their run
_MOST = 100.0  # epsilon


@router.get("/ledger")
def ledger(request: Request) -> Response:
    """What left this table so far, and what is left of a budget."""
    studio = studio_of(request)
    kept = studio.project.ledger()
    entries = [] if kept is None else kept.entries()
    problems = [] if kept is None else kept.problems()
    return studio.page(request, "ledger", "ledger.html", entries=entries, problems=problems, **budget_of(studio))


@router.post("/ledger/budget")
def budget(request: Request, epsilon: Annotated[float, Form()]) -> Response:
    """Set what all releases with noise may cost together."""
    studio = studio_of(request)
    if studio.project.source is None:
        raise DataError("Bring a table first.")
    if not 0 <= epsilon <= _MOST:
        raise DataError(f"A budget is a number from 0 to {_MOST:g}.")
    studio.project.set_budget(epsilon)
    return Response(status_code=204, headers={"HX-Refresh": "true"})


def budget_of(studio: Studio) -> dict[str, Any]:
    """The limit of the table and what is left of it; None where nobody set one."""
    kept, source = studio.project.ledger(), studio.project.source
    if kept is None or source is None or source.name not in kept.limits():
        return {"limit": None, "left": None}
    return {"limit": kept.limits()[source.name].budget.epsilon, "left": kept.left(source.name).epsilon}


@router.post("/release/pay")
def pay(request: Request) -> Response:
    """Make the chosen release with noise, once, and pay for it: the command `discreet release` with the ledger."""
    studio = studio_of(request)
    with studio.paying:  # of two tabs that pay for the same release, the second finds it made
        _pay_once(studio)
    return Response(status_code=204, headers={"HX-Redirect": "/release"})


def _pay_once(studio: Studio) -> None:
    """Make and pay for the chosen release, unless that was done."""
    task, folder, source = task_to_pay(studio), paid_folder(studio), studio.project.source
    if task is None or folder is None or source is None:
        raise DataError("There is nothing to pay for.")
    if (folder / "release" / "certificate.json").is_file():
        return
    if not budget_of(studio)["limit"]:
        raise DataError("Set a budget first, on the page Ledger.")
    place = folder.parent.parent / "release.toml"
    place.write_bytes(as_toml(studio.project.recipe()).encode())
    ledger = ["--ledger", str(studio.project.folder / "ledger.sqlite"), "--data-set", source.name]
    command = [sys.executable, "-m", "discreet", "release", str(source.path), "--recipe", str(place)]
    command += ["--method", task["method"], *ledger, "-o", str(folder), "--quiet"]
    made = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if made.returncode:
        raise DataError(made.stderr.decode("utf-8", errors="replace").strip()[:2000] or "It could not be made.")


def task_to_pay(studio: Studio) -> dict[str, Any] | None:
    """The result of the chosen release, if it was measured only: it costs budget."""
    name, chosen = studio.project.run_name(), studio.project.journal.state().get("chosen")
    if name is None or chosen is None:
        return None
    result = studio.project.runs.progress(name).made.get(chosen)
    return result if result is not None and result.get("why_not_made") else None


def paid_folder(studio: Studio) -> Path | None:
    """Where the chosen release is, once it is paid for."""
    name, chosen = studio.project.run_name(), studio.project.journal.state().get("chosen")
    return None if name is None or chosen is None else studio.project.runs.folder / name / _PAID / Path(chosen).name


def is_paid(folder: Path) -> bool:
    """Whether a release was paid for from the budget when it was made."""
    return folder.parent.name == _PAID
