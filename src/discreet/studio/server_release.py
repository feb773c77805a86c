# SPDX-License-Identifier: Apache-2.0
"""The page Release: what is checked, signed and handed over, and how it is made again."""

from __future__ import annotations

import io
import json
import shlex
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from discreet.errors import DataError
from discreet.release.verify import verify
from discreet.report.policy import Policy, checked
from discreet.report.signoff_page import SignOff, summarise_signoff, to_signoff_page
from discreet.studio.recipe_of import as_toml
from discreet.studio.server import PATIENCE, Studio, sent, studio_of
from discreet.studio.server_ledger import budget_of, is_paid, paid_folder, task_to_pay
from discreet.study.replay import FILE, ProjectFile

router = APIRouter()
SIGN_OFF = {
    "prepared_by": "Prepared by",
    "approver": "Approved by",
    "recipient": "Handed to",
    "purpose": "For what purpose",
}
_LONGEST = 200  # letters of a field
_PYTHON = """\
from pathlib import Path
from discreet.study.replay import ProjectFile

release, _ = ProjectFile.read(Path("project.toml")).release(Path({data}))
release.save("out")
"""
_MOST_POLICY = 1 << 16  # bytes


@router.get("/release")
def release(request: Request) -> Response:
    studio = studio_of(request)
    folder = _chosen(studio)
    if folder is None:
        if (task := task_to_pay(studio)) is not None:
            return studio.page(request, "release", "release_pay.html", task=task, **budget_of(studio))
        return studio.page(request, "release", "release_none.html")
    state, source = studio.project.journal.state(), studio.project.source
    shown: dict[str, Any] = {
        "name": state["chosen"],
        "noise": is_paid(folder),
        "python": _PYTHON.format(data=json.dumps("" if source is None else source.name)),
        "files": sorted(
            path.relative_to(folder / "release").as_posix()
            for path in (folder / "release").rglob("*")
            if path.is_file()
        ),
        "fields": SIGN_OFF,
        "signoff": state.get("signoff", {}),
        "recipe": as_toml(studio.project.recipe(to_give=True)),
        "command": _command(studio),
    }
    return studio.page(request, "release", "release.html", **shown)


@router.get("/release/checked")
def checked_files(request: Request) -> Response:
    """The check of the files, what it leaves open, the certificate, and the policy."""
    studio = studio_of(request)
    folder = _chosen(studio)
    if folder is None:
        raise DataError("There is nothing to check yet.")
    policy = studio.project.journal.state().get("policy")
    answer = studio.desk.ask("verified", folder=str(folder / "release"), stamp=_stamp(folder), policy=policy)
    if not answer.within(PATIENCE):
        return studio.page(request, "release", "coming.html", answer=answer, address="/release/checked")
    certificate = json.loads((folder / "release" / "certificate.json").read_bytes())
    return studio.page(request, "release", "release_checked.html", answer=answer, certificate=certificate)


def _stamp(folder: Path) -> str:
    """Changes whenever a published file does."""
    files = [(path.name, path.stat()) for path in sorted((folder / "release").rglob("*")) if path.is_file()]
    return " ".join(f"{name}:{stat.st_size}:{stat.st_mtime_ns}" for name, stat in files)


@router.post("/release/signoff")
def sign_off(request: Request, field: Annotated[str, Form()], value: Annotated[str, Form()] = "") -> Response:
    if field not in SIGN_OFF:
        raise DataError("There is no such field.")
    text = " ".join(value.split())[:_LONGEST]
    words = f"{SIGN_OFF[field]}: {text}." if text else f"{SIGN_OFF[field]}: nothing yet."
    studio_of(request).project.journal.decide(("signoff", field), text or None, words)
    return Response(status_code=204, headers={"HX-Trigger": "decided"})


@router.put("/release/policy")
async def policy(request: Request, name: str = "") -> Response:
    """The holder's policy, a TOML file; what it forbids cannot be handed over from here."""
    content = await sent(request, most=_MOST_POLICY, too_large="The file is too long to be a policy.")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError("A policy is a TOML file in UTF-8.") from None
    Policy.of(text)
    studio_of(request).project.journal.decide(
        ("policy",), text, "The policy is checked before anything is handed over."
    )
    return Response(status_code=204)


@router.get("/release/signoff.html")
def signoff_edition(request: Request) -> Response:
    """The page that is signed, as a file: it has a style of its own, which pages of the studio may not have."""
    studio = studio_of(request)
    folder = _chosen(studio)
    if folder is None:
        raise DataError("There is nothing to sign yet.")
    state = studio.project.journal.state()
    fields = SignOff(**{name: state.get("signoff", {}).get(name, "") for name in SIGN_OFF})
    page = to_signoff_page(summarise_signoff(folder, fields, _policy(studio)))
    return Response(
        page, media_type="text/html", headers={"Content-Disposition": 'attachment; filename="signoff.html"'}
    )


@router.post("/release/give/{what}")
def give(request: Request, what: str) -> Response:
    """Allow one download. What is published leaves only if it is verified, as the policy allows, and written down."""
    studio = studio_of(request)
    folder = _chosen(studio)
    if folder is None or what not in _GIVEN:
        raise DataError("There is nothing to hand over yet.")
    if what == "published":
        found = verify(folder / "release")
        if not found.holds:
            raise DataError(f"It is not handed over: its files do not keep the promise. {' '.join(found.problems)}")
        rules = _policy(studio)
        if rules is not None and not (result := checked(rules, found)).passed:
            failed = [line.sentence for line in result.lines if not line.passed]
            raise DataError(f"The policy forbids it. {' '.join(failed)}")
        said = studio.project.journal.state().get("signoff", {})
        if not is_paid(folder):  # what was paid for is in the ledger already
            studio.project.handed_over(folder.name, said.get("recipient", ""))
    permit = studio.permit(what, str(folder))
    return Response(status_code=204, headers={"HX-Redirect": f"/release/given/{what}?permit={permit}"})


@router.get("/release/given/{what}")
def given(request: Request, what: str, permit: str = "") -> Response:
    """A download that was allowed, once."""
    studio = studio_of(request)
    folder = studio.permitted(what, permit)
    if folder is None or what not in _GIVEN:
        raise DataError("This download was used already. Go back to the page Release, and ask for it there.")
    return _GIVEN[what](studio, Path(folder))


def _zipped(folder: Path, part: str, name: str) -> Response:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted((folder / part).rglob("*")):
            if path.is_file() and not path.is_symlink():
                entry = zipfile.ZipInfo(f"{part}/{path.relative_to(folder / part).as_posix()}", (1980, 1, 1, 0, 0, 0))
                archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    said = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return Response(content.getvalue(), media_type="application/zip", headers=said)


def _project_file(studio: Studio, folder: Path) -> Response:
    """The decisions as a file that `discreet replay` takes."""
    source = studio.project.source
    assert source is not None
    kept = ProjectFile(
        format=1,
        data=source.name,
        sha256=source.digest,
        chosen=folder.name,
        recipe=as_toml(studio.project.recipe(to_give=True)),
        labels_sha256="" if studio.project.labels is None else studio.project.labels.digest,
        hierarchies=studio.project.hierarchies(),
        policy=studio.project.journal.state().get("policy", ""),
    )
    said = {"Content-Disposition": f'attachment; filename="{FILE}"'}
    return Response(kept.text(), media_type="application/toml", headers=said)


_GIVEN: dict[str, Callable[[Studio, Path], Response]] = {
    "published": lambda studio, folder: _zipped(folder, "release", "published"),
    "owner": lambda studio, folder: _zipped(folder, "owner", "owner-keep-private"),
    "project": _project_file,
}


def _chosen(studio: Studio) -> Path | None:
    """The folder of the release that was chosen, if it was made with today's decisions."""
    name, chosen = studio.project.run_name(), studio.project.journal.state().get("chosen")
    if name is None or chosen is None:
        return None
    made = studio.project.runs.study(name) / "releases" / Path(chosen).name
    return next(
        (one for one in (made, paid_folder(studio)) if one and (one / "release" / "certificate.json").is_file()), None
    )


def _policy(studio: Studio) -> Policy | None:
    text = studio.project.journal.state().get("policy")
    return None if text is None else Policy.of(text)


def _command(studio: Studio) -> str:
    source = studio.project.source
    assert source is not None
    return shlex.join(["discreet", "replay", FILE, source.name, "-o", "out"])
