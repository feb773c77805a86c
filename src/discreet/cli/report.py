# SPDX-License-Identifier: Apache-2.0
"""discreet report: the owner's or public report of a study or release, as HTML or PDF."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.options import Quiet, say, step, watch
from discreet.errors import DataError, did_you_mean, listing, shown


class Pictures(StrEnum):
    png = "png"
    svg = "svg"


def report(
    folder: Annotated[Path, typer.Argument(help="A study, or the folder of a release.")],
    public: Annotated[
        bool, typer.Option("--public", help="The public report, made from the published files alone.")
    ] = False,
    release: Annotated[str | None, typer.Option(help="With --public and a study: which release.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file or folder to write.")] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Write a PDF, printed by an installed browser.")] = False,
    plots: Annotated[
        Pictures | None, typer.Option(help="Write each plot of a study as a file of this format, into --out.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a report: the owner's, which holds private figures and is not for publication, or the public one."""
    from discreet.report.files import to_pdf, to_pictures
    from discreet.report.study_page import SUMMARY

    watch(quiet=quiet, as_json=False)
    if plots is not None:
        if public or pdf:
            raise DataError("--plots writes only the plots of a study; leave --public and --pdf out.")
        target = out or folder / "plots"
        pictures = to_pictures(_summary(folder)["pictures"], plots.value)
        _write({target / name: content for name, content in pictures.items()}, overwrite)
        written = target
    else:
        page = _public_page(folder, release) if public else _owner_page(folder)
        name = f"{'public-report' if public else 'report'}.{'pdf' if pdf else 'html'}"
        is_study = (folder / SUMMARY).is_file()
        written = out or (folder / name if is_study else Path(name))  # a release folder must hold nothing else
        overwrite |= is_study and out is None  # it only replaces the study's own report
        content = page.encode()
        if pdf:
            with step("Printing"):
                content = to_pdf(page)
        _write({written: content}, overwrite, 0o644 if public else 0o600)
    if not quiet:
        say(f"{written}   ({'may be published' if public else 'yours: do not publish it'})")


def _summary(folder: Path) -> dict[str, Any]:
    """The summary that `compare` wrote."""
    from discreet.report.study_page import FORMAT, SUMMARY

    try:
        summary = json.loads((folder / SUMMARY).read_bytes())
    except (OSError, ValueError):
        raise DataError(
            f"{_name(folder)} is not a finished study: it has no {SUMMARY}. `discreet compare` makes one."
        ) from None
    if not isinstance(summary, dict) or summary.get("format") != FORMAT:
        raise DataError(
            f"The summary of the study {_name(folder)} is from another version of discreet. Repeat the same"
            " `discreet compare` to summarise it again from its results."
        )
    return summary


def _name(folder: Path) -> str:
    return shown(folder.name or folder)  # "." has none


def _owner_page(folder: Path) -> str:
    from discreet.report.study_page import SUMMARY, to_page

    if (folder / SUMMARY).is_file():
        return to_page(_summary(folder))
    try:
        return (folder / "owner" / "report.html").read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise DataError(
            f"{_name(folder)} holds neither a study nor a release with its owner's report. With --public a report is"
            " made from the published files."
        ) from None


def _public_page(folder: Path, release: str | None) -> str:
    from discreet.release.certificate import CERTIFICATE
    from discreet.report.public_page import summarise_public, to_public_page
    from discreet.report.study_page import SUMMARY

    if (folder / SUMMARY).is_file():
        published = folder / "releases" / _named(_summary(folder), release) / "release"
    else:
        if release is not None:
            raise DataError("--release names a release of a study; leave it out.")
        published = folder / "release" if (folder / "release" / CERTIFICATE).is_file() else folder
    with step("Verifying"):
        return to_public_page(summarise_public(published))


def _named(summary: dict[str, Any], release: str | None) -> str:
    """The release of a study to report on: the one named, or the chosen one; it must have been written."""
    written = [row["name"] for row in summary["candidates"] if row["made"]]
    name, others = release or summary["best"], f"Name one with --release: {listing(written, 20)}."
    if name in written:
        return str(name)
    if not written:
        raise DataError("The study made no release, so there is nothing to publish. Its report says why.")
    if name is None:
        raise DataError(f"The study has chosen no release. {others}")
    if name in (row["name"] for row in summary["candidates"]):
        raise DataError(f"{name!r} was measured but not written: `discreet release` makes it. {others}")
    raise DataError(f"The study has no release {name!r}.{did_you_mean(name, written)} {others}")


def _write(files: dict[Path, bytes], overwrite: bool, mode: int = 0o600) -> None:
    from discreet.foundation.atomic_files import write_whole

    for path in files:
        if path.exists() and not (overwrite and path.is_file()):
            raise DataError(f"{path.name!r} exists already. Choose another place, or add --overwrite.")
    for path, content in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content, mode=mode)
        except OSError as error:
            raise DataError(f"{path.name!r} cannot be written ({error.strerror}). Choose another place.") from None
