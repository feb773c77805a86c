# SPDX-License-Identifier: Apache-2.0
"""discreet report: the report of a study or of a release, in the owner's or the public edition, also on paper."""

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
        bool, typer.Option("--public", help="The edition to publish: made from the published files alone.")
    ] = False,
    release: Annotated[str | None, typer.Option(help="Of a study, with --public: which release.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file or folder to write.")] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="As a PDF, printed by a browser that is installed.")] = False,
    plots: Annotated[
        Pictures | None, typer.Option(help="Write each picture of a study as such a file, into the folder --out.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is there.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a report: the owner's edition, which tells everything and is not for publication, or the public one."""
    from discreet.report.files import to_pdf, to_pictures
    from discreet.report.study_page import SUMMARY

    watch(quiet=quiet, as_json=False)
    if plots is not None:
        if public or pdf:
            raise DataError("--plots writes the pictures of a study by themselves; leave --public and --pdf out.")
        target = out or folder / "plots"
        made = to_pictures(_summary(folder)["pictures"], plots.value)
        _write({target / name: content for name, content in made.items()}, overwrite)
        written = target
    else:
        page = _public_page(folder, release) if public else _owner_page(folder)
        name = f"{'public-report' if public else 'report'}.{'pdf' if pdf else 'html'}"
        is_study = (folder / SUMMARY).is_file()
        written = out or (folder / name if is_study else Path(name))  # in the folder of a release nothing else may lie
        overwrite |= is_study and out is None  # the same page again
        content = page.encode()
        if pdf:
            with step("Printing"):
                content = to_pdf(page)
        _write({written: content}, overwrite, 0o644 if public else 0o600)
    if not quiet:
        say(f"{written}   ({'may be published' if public else 'yours: do not publish it'})")


def _summary(folder: Path) -> dict[str, Any]:
    """What `compare` kept of a study."""
    from discreet.report.study_page import FORMAT, SUMMARY

    try:
        summary = json.loads((folder / SUMMARY).read_bytes())
    except (OSError, ValueError):
        raise DataError(
            f"{_name(folder)} is no study that has ended: it has no {SUMMARY}. `discreet compare` makes one."
        ) from None
    if not isinstance(summary, dict) or summary.get("format") != FORMAT:
        raise DataError(
            f"The study {_name(folder)} was summed up by another version of discreet. The same `discreet compare` as"
            " before sums it up again, from the results that are there."
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
    """The release of a study to report on: the one that is asked for, or the chosen one; it must have been made."""
    made = [row["name"] for row in summary["candidates"] if row["made"]]
    name, others = release or summary["best"], f"Name one with --release: {listing(made, 20)}."
    if name in made:
        return str(name)
    if not made:
        raise DataError("No release of the study was made, so there is nothing to publish. Its report says why.")
    if name is None:
        raise DataError(f"The study has chosen no release. {others}")
    if name in (row["name"] for row in summary["candidates"]):
        raise DataError(f"{name!r} was measured and not made: `discreet release` makes it. {others}")
    raise DataError(f"The study has no release {name!r}.{did_you_mean(name, made)} {others}")


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
