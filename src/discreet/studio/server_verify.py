# SPDX-License-Identifier: Apache-2.0
"""The page Verify: whether a folder that was handed over, or its zip, keeps its promise."""

from __future__ import annotations

import lzma
import shutil
import zipfile
import zlib
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import Response

from discreet.errors import DataError
from discreet.foundation.atomic_files import scratch_folder
from discreet.release.verify import Verification, verify
from discreet.studio.project import in_parts
from discreet.studio.server import studio_of

router = APIRouter()
_MOST_ZIPPED = 1 << 30  # bytes of a zip or folder that is verified
_MOST_FILES = 10_000
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, EOFError)


@router.get("/verify")
def verify_page(request: Request) -> Response:
    return studio_of(request).page(request, "verify", "verify.html")


@router.post("/verify/folder")
async def verify_folder(request: Request) -> Response:
    """Verify a folder whose files are sent one by one, each under its path in the folder."""
    size = request.headers.get("content-length", "")
    if not size.isdigit() or int(size) > _MOST_ZIPPED:
        raise DataError("The folder is larger than a gigabyte. Use `discreet verify` for it.")
    async with request.form(max_files=_MOST_FILES, max_fields=_MOST_FILES) as form:
        files = [(name, part) for name, part in form.multi_items() if isinstance(part, UploadFile)]
        found = await run_in_threadpool(_verified_files, files)
    return studio_of(request).page(request, "verify", "verify_found.html", found=found)


def _verified_files(files: list[tuple[str, UploadFile]]) -> Verification:
    with scratch_folder() as place:
        for name, part in files:
            _store(place, name, part)
        return _found_in(place, "folder")


def _store(place: Path, name: str, part: UploadFile) -> None:
    try:
        target = _inside(place, name)
        if target.exists():
            raise DataError("The folder holds a name twice. It is not a published folder.")
        with target.open("xb") as file:
            shutil.copyfileobj(part.file, file)
    except DataError:
        raise
    except (OSError, ValueError):  # a name that is a file and a folder, or that no file can have; or a full disk
        raise DataError("Its files cannot be stored under their names. It is not a published folder.") from None


@router.put("/verify/file")
async def verify_file(request: Request, name: str = "") -> Response:
    """Verify a folder that was sent as a zip; nothing of it is kept."""
    with scratch_folder() as place:
        await _receive(request, place / "sent.zip")
        found = await run_in_threadpool(_verified, place / "sent.zip")
    return studio_of(request).page(request, "verify", "verify_found.html", found=found)


async def _receive(request: Request, target: Path) -> None:
    """Write what is sent to a file, piece by piece, so that no zip is held in memory."""
    size = 0
    try:
        with target.open("xb") as file:
            async for piece in in_parts(request.stream()):
                size += len(piece)
                if size > _MOST_ZIPPED:
                    raise DataError("The file is larger than a gigabyte. Use `discreet verify` for it.")
                await run_in_threadpool(file.write, piece)
    except OSError:
        raise DataError("The file cannot be stored. Is the disk full?") from None


def _verified(zipped: Path) -> Verification:
    with scratch_folder() as place:
        _unzip(zipped, place)
        return _found_in(place, "zip")


def _found_in(place: Path, kind: str) -> Verification:
    certificates = [*place.rglob("certificate.json")]
    if len(certificates) != 1:
        raise DataError(f"The {kind} holds {len(certificates)} certificates. Send one published folder, or its zip.")
    return verify(certificates[0].parent)


def _inside(place: Path, name: str) -> Path:
    """Where a file of this name is put, below a folder; names that lead elsewhere are refused."""
    parts = name.replace("\\", "/").split("/")
    if any(part in ("", ".", "..") or ":" in part or "\x00" in part for part in parts):
        raise DataError("It holds names that lead out of its folder. It is not a published folder.")
    target = place.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    return target


def _unzip(zipped: Path, place: Path) -> None:
    """Unpack plain files below a folder; names that lead elsewhere, links and bombs are refused."""
    try:
        with zipfile.ZipFile(zipped) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            if len(entries) > _MOST_FILES or sum(entry.file_size for entry in entries) > 4 * _MOST_ZIPPED:
                raise DataError("The zip holds more than a release would. Unpack it and use `discreet verify`.")
            for entry in entries:
                if entry.external_attr >> 28 == 0xA:
                    raise DataError("The zip holds links, which lead out of its folder. It is not a published folder.")
                target = _inside(place, entry.filename)
                left = entry.file_size
                with archive.open(entry) as source, target.open("xb") as file:
                    while piece := source.read(1 << 20):
                        left -= len(piece)
                        if left < 0:
                            raise DataError("A file of the zip is larger than it says.")
                        file.write(piece)
    except DataError:
        raise
    except (*_DAMAGED, OSError, ValueError):
        raise DataError("This is not a zip of a published folder, or it is damaged.") from None
