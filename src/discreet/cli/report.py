# SPDX-License-Identifier: Apache-2.0
"""discreet report: the editions of the report of a study or a release, for people and for programs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, emit, refuse_published, say, step, watch
from discreet.cli.policy_options import PolicyOptions, say_policy
from discreet.errors import DataError, did_you_mean, listing, shown


class Pictures(StrEnum):
    png = "png"
    svg = "svg"


class Edition(StrEnum):
    owner = "owner"
    public = "public"
    signoff = "signoff"
    dictionary = "dictionary"
    json = "json"
    croissant = "croissant"
    dcat = "dcat"


_FILES = {  # of each edition, without PDF
    Edition.owner: "report.html",
    Edition.public: "public-report.html",
    Edition.signoff: "signoff.html",
    Edition.dictionary: "dictionary.md",
    Edition.json: "public-report.json",
    Edition.croissant: "croissant.json",
    Edition.dcat: "dcat.json",
}
_PRIVATE = (Edition.owner, Edition.signoff)
_PAGES = (Edition.owner, Edition.public, Edition.signoff)
_METADATA = (Edition.croissant, Edition.dcat)


def _on_paper(help: str, *names: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="Sign-off edition")


def _described(help: str) -> Any:
    return typer.Option(help=help, rich_help_panel="Editions croissant and dcat")


@dataclass(frozen=True)
class SignOffOptions:
    """What stands on the sign-off edition; lines to write on where nothing is given."""

    prepared_by: Annotated[str | None, _on_paper("Who prepared the release.")] = None
    approver: Annotated[str | None, _on_paper("Who is to approve it.")] = None
    recipient: Annotated[str | None, _on_paper("Who is to receive it.")] = None
    purpose: Annotated[str | None, _on_paper("What the recipient needs it for.")] = None
    date: Annotated[str | None, _on_paper("The day, such as 2026-03-31; today if not given.")] = None

    @property
    def given(self) -> dict[str, str]:
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class MetadataOptions:
    """What only the holder knows about a data set: it goes into its metadata."""

    title: Annotated[str | None, _described("What the data set is called.")] = None
    license: Annotated[str | None, _described("Its licence: a name such as CC-BY-4.0, or an address.")] = None
    publisher: Annotated[str | None, _described("Who publishes it.")] = None
    url: Annotated[str | None, _described("Where it can be found.")] = None

    @property
    def given(self) -> dict[str, str]:
        return {name: value for name, value in vars(self).items() if value is not None}


@with_groups
def report(
    folder: Annotated[Path, typer.Argument(help="A study, or the folder of a release.")],
    signing: SignOffOptions,
    metadata: MetadataOptions,
    limits: PolicyOptions,
    edition: Annotated[
        Edition | None,
        typer.Option(
            help="owner (the default): private figures, not for publication; public: from the published files alone;"
            " signoff: to be approved and kept; dictionary: every mark in words (.md, .csv or .html); json, croissant,"
            " dcat: the public edition for programs."
        ),
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="The same as --edition public.")] = False,
    release: Annotated[
        str | None, typer.Option(help="Of a study: which release, for every edition but the owner's.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The file or folder to write.")] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="Write a PDF, printed by an installed browser.")] = False,
    plots: Annotated[
        Pictures | None, typer.Option(help="Write each plot of a study as a file of this format, into --out.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write an edition of a report: the owner's, which is not for publication, the public one, or another.

    With --policy the exit status is 1 if the release breaks a line of the policy. The edition is written, and says so.
    """
    watch(quiet=quiet, as_json=as_json)
    if plots is not None:
        if public or pdf or edition or signing.given or metadata.given or limits.policy or release:
            raise DataError("--plots writes only the plots of a study; leave the other options out.")
        written, private = _write_plots(folder, plots, out, overwrite), True
        result = None
    else:
        chosen = _edition(edition, public)
        _check(chosen, folder, signing, metadata, limits, release, pdf=pdf)
        content, result = _content(chosen, folder, release, signing, metadata, limits, out)
        if pdf:
            from discreet.report.files import to_pdf

            with step("Printing"):
                content = to_pdf(content.decode())
        written, private = _place(chosen, folder, out, pdf=pdf), chosen in _PRIVATE
        overwrite |= _is_study(folder) and out is None  # it only replaces the study's own report
        _write({written: content}, overwrite, 0o600 if private else 0o644)
    if as_json:
        emit({"written": str(written), "private": private, "policy": result})
    else:
        if not quiet:
            say(f"{written}   ({'yours: do not publish it' if private else 'may be published'})")
        say_policy(result, quiet=quiet)
    if result is not None and not result["passed"]:
        raise typer.Exit(1)


def _edition(edition: Edition | None, public: bool) -> Edition:
    if public and edition not in (None, Edition.public):
        raise DataError(f"--public is --edition public; it contradicts --edition {edition}. Leave out one of them.")
    return Edition.public if public else edition or Edition.owner


def _check(
    edition: Edition,
    folder: Path,
    signing: SignOffOptions,
    metadata: MetadataOptions,
    limits: PolicyOptions,
    release: str | None,
    *,
    pdf: bool,
) -> None:
    """Refuse options that this edition would ignore."""
    unused = [
        (edition is not Edition.signoff, signing.given, "the sign-off edition: add --edition signoff"),
        (edition not in _METADATA, metadata.given, "the metadata: add --edition croissant or --edition dcat"),
    ]
    for ignored, given, meant in unused:
        if ignored and given:
            named = listing(f"--{name.replace('_', '-')}" for name in given).replace("'", "")
            raise DataError(f"{named} stands on {meant}, or leave it out.")
    if pdf and edition not in _PAGES:
        raise DataError(f"--pdf prints the editions owner, public and signoff; {edition} is a file for programs.")
    if limits.policy is not None and edition in (*_METADATA, Edition.dictionary):
        raise DataError(f"--policy is shown by the editions owner, public, signoff and json, not by {edition}.")
    if release is not None and (edition is Edition.owner or not _is_study(folder)):
        raise DataError("--release names a release of a study, for every edition but the owner's; leave it out.")
    if limits.policy is not None and edition is Edition.owner and _is_study(folder):
        raise DataError("A policy is checked on one release of a study: add --edition signoff or --edition public.")


def _content(
    edition: Edition,
    folder: Path,
    release: str | None,
    signing: SignOffOptions,
    metadata: MetadataOptions,
    limits: PolicyOptions,
    out: Path | None,
) -> tuple[bytes, dict[str, Any] | None]:
    """The edition, and the lines of the policy, if there is one."""
    policy = limits.read()
    if edition is Edition.owner:
        return _owner_page(folder, policy)
    place = _released(folder, release)
    if edition is Edition.signoff:
        from discreet.report.signoff_page import SignOff, summarise_signoff, to_signoff_page

        with step("Verifying"):
            signed = summarise_signoff(place, SignOff(**signing.given), policy)
        return to_signoff_page(signed).encode(), signed["policy"]
    from discreet.report.public_page import summarise_public, to_public_page

    with step("Verifying"):
        summary = summarise_public(_published(place), policy)
    if edition is Edition.public:
        return to_public_page(summary).encode(), summary["policy"]
    if edition is Edition.dictionary:
        return _dictionary(summary, out).encode(), None
    from discreet.report.metadata import to_croissant, to_dcat, to_json

    if edition is Edition.json:
        return to_json(summary), summary["policy"]
    return (to_croissant if edition is Edition.croissant else to_dcat)(summary, **metadata.given), None


def _dictionary(summary: dict[str, Any], out: Path | None) -> str:
    """The dictionary in the form that the file's name asks for."""
    from discreet.report.dictionary import to_csv, to_markdown
    from discreet.report.public_page import to_dictionary_page

    entries, ending = summary["dictionary"], "" if out is None else out.suffix.lower()
    if ending == ".csv":
        return to_csv(entries)
    if ending in (".html", ".htm"):
        return to_dictionary_page(summary)
    if ending not in ("", ".md", ".txt"):
        raise DataError(f"A dictionary is written as .md, .csv or .html; {shown(ending)} is none of them.")
    note = f"Release {summary['id']}, {summary['promise']}. It explains every mark that occurs in the published files."
    return to_markdown(entries, title="Data dictionary", note=note)


def _is_study(folder: Path) -> bool:
    from discreet.report.study_page import SUMMARY

    return (folder / SUMMARY).is_file()


def _place(edition: Edition, folder: Path, out: Path | None, *, pdf: bool) -> Path:
    """Where to write: a release folder must hold nothing else, so its reports go to the working folder."""
    name = Path(_FILES[edition])
    name = name.with_suffix(".pdf") if pdf else name
    return out or (folder / name if _is_study(folder) else name)


def _write_plots(folder: Path, plots: Pictures, out: Path | None, overwrite: bool) -> Path:
    from discreet.report.files import to_pictures

    target = out or folder / "plots"
    pictures = to_pictures(_summary(folder)["pictures"], plots.value)
    _write({target / name: content for name, content in pictures.items()}, overwrite)
    return target


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


def _owner_page(folder: Path, policy: Any) -> tuple[bytes, dict[str, Any] | None]:
    from discreet.release.certificate import CERTIFICATE, Certificate
    from discreet.report.owner_summary import page_of, read_summary
    from discreet.report.policy import checked
    from discreet.report.study_page import to_page
    from discreet.report.summary import with_policy

    if _is_study(folder):
        return to_page(_summary(folder)).encode(), None
    published = folder / "release"
    has_both = (published / CERTIFICATE).is_file() and (folder / "owner").is_dir()
    summary = read_summary(folder / "owner", Certificate.read(published)) if has_both else None
    if summary is not None:
        if policy is None:
            return page_of(summary).encode(), None
        with step("Verifying"):
            result = checked(policy, published).to_dict()
        return page_of(with_policy(summary, result)).encode(), result
    if policy is not None:
        raise DataError(
            f"The owner's report of {_name(folder)} cannot be made again with a policy: its owner's folder holds no"
            " summary. --edition signoff checks one."
        )
    try:
        return (folder / "owner" / "report.html").read_bytes(), None
    except OSError:
        raise DataError(
            f"{_name(folder)} holds neither a study nor a release with its owner's report. With --public a report is"
            " made from the published files."
        ) from None


def _released(folder: Path, release: str | None) -> Path:
    """The folder of the release to report on: of a study, the one that is named or chosen."""
    return folder / "releases" / _named(_summary(folder), release) if _is_study(folder) else folder


def _published(folder: Path) -> Path:
    from discreet.release.certificate import CERTIFICATE

    return folder / "release" if (folder / "release" / CERTIFICATE).is_file() else folder


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
        refuse_published(path)
        if path.exists() and not (overwrite and path.is_file()):
            raise DataError(f"{path.name!r} exists already. Choose another place, or add --overwrite.")
    for path, content in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, content, mode=mode)
        except OSError as error:
            raise DataError(f"{path.name!r} cannot be written ({error.strerror}). Choose another place.") from None
