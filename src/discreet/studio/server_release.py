# SPDX-License-Identifier: Apache-2.0
"""The pages Release and Verify: what is handed over, and whether a folder that was handed over keeps its promise."""

from __future__ import annotations

import io
import lzma
import shlex
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from discreet.errors import DataError
from discreet.foundation.atomic_files import scratch_folder
from discreet.release.verify import Verification, verify
from discreet.report.cautions import Line, cautions_of_content
from discreet.report.policy import Policy, checked
from discreet.report.signoff_page import SignOff, summarise_signoff, to_signoff_page
from discreet.studio.recipe_of import as_toml
from discreet.studio.server import Studio, sent, studio_of
from discreet.study.replay import FILE, ProjectFile

router = APIRouter()
SIGN_OFF = {
    "prepared_by": "Prepared by",
    "approver": "Approved by",
    "recipient": "Handed to",
    "purpose": "For what purpose",
}
_LONGEST = 200  # letters of a field
_MOST_ZIPPED = 1 << 30  # bytes of a zip that is verified
_MOST_FILES = 10_000
_MOST_POLICY = 1 << 16  # bytes


@router.get("/release")
def release(request: Request) -> Response:
    studio = studio_of(request)
    folder = _chosen(studio)
    if folder is None:
        return RedirectResponse("/choose", status_code=303)
    found = verify(folder / "release")
    state = studio.project.journal.state()
    shown: dict[str, Any] = {
        "name": state["chosen"],
        "cautions": _cautions(found),
        "found": found,
        "files": sorted(
            path.relative_to(folder / "release").as_posix()
            for path in (folder / "release").rglob("*")
            if path.is_file()
        ),
        "fields": SIGN_OFF,
        "signoff": state.get("signoff", {}),
        "recipe": as_toml(studio.project.recipe()),
        "command": _command(studio),
        "policy": None if (rules := _policy(studio)) is None else checked(rules, found),
    }
    return studio.page(request, "release", "release.html", **shown)


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


@router.get("/ledger")
def ledger(request: Request) -> Response:
    """What left this table so far, and what is left of a budget."""
    studio = studio_of(request)
    kept = studio.project.ledger()
    entries = [] if kept is None else kept.entries()
    problems = [] if kept is None else kept.problems()
    return studio.page(request, "ledger", "ledger.html", entries=entries, problems=problems)


@router.get("/verify")
def verify_page(request: Request) -> Response:
    return studio_of(request).page(request, "verify", "verify.html")


@router.put("/verify/file")
async def verify_file(request: Request, name: str = "") -> Response:
    """Verify a folder that was sent as a zip; nothing of it is kept."""
    larger = "The file is larger than a gigabyte. Use `discreet verify` for it."
    content = await sent(request, most=_MOST_ZIPPED, too_large=larger)
    found = await run_in_threadpool(_verified, content)
    return studio_of(request).page(request, "verify", "verify_found.html", found=found)


def _verified(content: bytes) -> Any:
    with scratch_folder() as place:
        _unzip(content, place)
        certificates = [*place.rglob("certificate.json")]
        if len(certificates) != 1:
            raise DataError(f"The zip holds {len(certificates)} certificates. Send the zip of one published folder.")
        return verify(certificates[0].parent)


def _unzip(content: bytes, place: Path) -> None:
    """Unpack plain files below a folder; names that lead elsewhere, links and bombs are refused."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > _MOST_FILES or sum(entry.file_size for entry in entries) > 4 * _MOST_ZIPPED:
                raise DataError("The zip holds more than a release would. Unpack it and use `discreet verify`.")
            for entry in entries:
                parts = entry.filename.replace("\\", "/").split("/")
                if (
                    any(part in ("", ".", "..") or ":" in part or "\x00" in part for part in parts)
                    or entry.external_attr >> 28 == 0xA
                ):
                    raise DataError("The zip holds names that lead out of its folder. It is not a published folder.")
                target = place.joinpath(*parts)
                target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                left = entry.file_size
                with archive.open(entry) as source, target.open("xb") as file:
                    while piece := source.read(1 << 20):
                        left -= len(piece)
                        if left < 0:
                            raise DataError("A file of the zip is larger than it says.")
                        file.write(piece)
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, NotImplementedError, RuntimeError, EOFError):
        raise DataError("This is not a zip of a published folder, or it is damaged.") from None


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
        recipe=as_toml(studio.project.recipe()),
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
    folder = studio.project.runs.study(name) / "releases" / Path(chosen).name
    return folder if (folder / "release" / "certificate.json").is_file() else None


def _cautions(found: Verification) -> list[Line]:
    """What the promise leaves open, as the files tell it."""
    if found.certificate is None or found.content is None:
        return []
    return cautions_of_content(found.certificate, found.content)


def _policy(studio: Studio) -> Policy | None:
    text = studio.project.journal.state().get("policy")
    return None if text is None else Policy.of(text)


def _command(studio: Studio) -> str:
    source = studio.project.source
    assert source is not None
    return shlex.join(["discreet", "replay", FILE, source.name, "-o", "out"])
