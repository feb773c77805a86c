# SPDX-License-Identifier: Apache-2.0
"""discreet risk: how identifiable the rows of a table or release are, as statistics offices measure it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.completion import complete_columns
from discreet.cli.file_options import ReadingOptions, RoleOptions
from discreet.cli.given_recipe import GivenRecipe, Options, RecipePath
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, emit, say, split, step, watch
from discreet.cli.running import names_of, refuse_unused
from discreet.errors import DataError, RolesError

if TYPE_CHECKING:
    from discreet.attacks.published import Published
    from discreet.data.roles import Roles
    from discreet.data.table import Table

_POPULATION, _ROLES = "What is known about the population", "Roles of the columns"


def _known(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_POPULATION)


def _role(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_ROLES, autocompletion=complete_columns)


@with_groups
def risk(
    *,
    file: Annotated[
        Path, typer.Argument(help="A table: CSV, Excel, Parquet, SPSS and others; or the folder of a release.")
    ],
    quasi: Annotated[
        list[str] | None, _role(help="Columns an attacker may know, a,b,c; a release has its own.")
    ] = None,
    person: Annotated[str | None, _role(help="The column with the person each row belongs to.")] = None,
    identifiers: Annotated[
        list[str] | None, _role("--identifiers", "--identifier", help="Columns that are never published, a,b.")
    ] = None,
    household: Annotated[str | None, _role(help="The column with the household: its risk is measured.")] = None,
    fraction: Annotated[
        float | None, _known(help="The share of the population that is in the table, such as 0.01.")
    ] = None,
    weights: Annotated[
        str | None, _known(help="The column with the sampling weights: how many persons a row stands for.")
    ] = None,
    population: Annotated[
        Path | None, _known(help="A file of all persons of the population, with the quasi-identifiers.")
    ] = None,
    threshold: Annotated[float, typer.Option(help="A row is at risk if an attacker is right more often.")] = 0.2,
    max_size: Annotated[
        int | None, typer.Option(help="Special uniques: the most columns looked at together.", min=1)
    ] = None,
    owner: Annotated[
        Path | None, typer.Option(help="A release that counts persons: the owner's folder, which tells them.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="File to write: .html or .json.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    reading: ReadingOptions,
    recipe: RecipePath = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Measure the risk of a table or release: uniqueness in the population, individual risk, special uniques, HIPAA.

    Prints names of columns and counts, never cells. The figures come from private rows and are for the owner only.
    """
    from discreet.data.read import source_name
    from discreet.risk import risk_of

    watch(quiet=quiet, as_json=as_json)
    kind = "" if out is None else out.suffix.lower()
    if kind not in ("", ".html", ".json"):
        raise DataError("The result is written as .html or .json. Choose a name with one of these endings.")
    if out is None:
        refuse_unused("overwrite", because="no file is written without --out")
    if population is None and _release_in(file) is not None:
        refuse_unused(*names_of(ReadingOptions), because="a release states how it is written")
    asked = Options(RoleOptions(quasi=quasi, person=person, identifiers=identifiers), reading)
    options = GivenRecipe(recipe, quiet=quiet or as_json).options(file, asked)
    reading, named = options.reading, options.roles
    data, roles = _data(file, named.quasi, named.person, named.identifiers, owner, reading)
    persons = None if population is None else reading.read(population)
    with step("Measuring"):
        found = risk_of(
            data,
            roles,
            population=persons,
            sampling_fraction=fraction,
            weights=weights,
            household=household,
            threshold=threshold,
            max_size=max_size,
        )
    summary = {"file": source_name(file)} | found.to_dict()
    if out is not None:
        _write(out, overwrite, _content(summary, kind))
    if as_json:
        emit(summary)
        return
    if out is None or not quiet:
        say(*repr(found).split("\n"))
    if out is not None and not quiet:
        say("", f"{out}   (yours: do not publish it)")


def _data(
    file: Path,
    quasi: list[str] | None,
    person: str | None,
    identifiers: list[str] | None,
    owner: Path | None,
    reading: ReadingOptions,
) -> tuple[Table | Published, Roles | None]:
    """The table with its roles, or the release."""
    from discreet.attacks.published import Published
    from discreet.data.roles import Roles

    folder = _release_in(file)
    if folder is not None:
        if quasi or person or identifiers:
            raise RolesError("A release has its own roles; leave --quasi, --person, --identifiers and --recipe out.")
        with step("Reading the release"):
            return Published.of(folder, owner=owner), None
    if owner is not None:
        raise DataError("--owner belongs to the folder of a release; leave it out.")
    table = reading.read(file)
    named = split(quasi, table.names)
    if not named:
        raise RolesError("Name the columns that an attacker may know with --quasi; `discreet inspect` suggests some.")
    return table, Roles(quasi=named, person=person, identifiers=split(identifiers, table.names))


def _release_in(file: Path) -> Path | None:
    """The folder with a certificate, if a release was named."""
    from discreet.release.certificate import CERTIFICATE

    return next((path for path in (file, file / "release") if (path / CERTIFICATE).is_file()), None)


def _content(summary: dict[str, Any], kind: str) -> bytes:
    if kind == ".html":
        from discreet.report.risk_page import to_risk_page

        return to_risk_page(summary, name=summary["file"]).encode()
    return (json.dumps(summary, indent=2, ensure_ascii=False) + "\n").encode()


def _write(out: Path, overwrite: bool, content: bytes) -> None:
    from discreet.foundation.atomic_files import write_whole

    if out.exists() and not (overwrite and out.is_file()):
        raise DataError(f"{out.name!r} exists already. Choose another name, or add --overwrite.")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_whole(out, content)
    except OSError as error:
        raise DataError(f"{out.name!r} cannot be written ({error.strerror}). Choose another folder.") from None
