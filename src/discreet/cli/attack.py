# SPDX-License-Identifier: Apache-2.0
"""discreet attack: what does an attacker get out of a release?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.file_options import BasketOptions, ReadingOptions, RoleOptions
from discreet.cli.given_recipe import GivenRecipe, Options, RecipePath
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, cell, console, emit, say, split, step, watch
from discreet.errors import DataError, RolesError, did_you_mean

if TYPE_CHECKING:
    from discreet.attacks import Case, Finding, Published
    from discreet.data.baskets import Baskets
    from discreet.data.table import Table

_KNOWN, _TRIED = "What an attacker knows", "What is tried"


def _knows(help: str) -> Any:
    return typer.Option(help=help, rich_help_panel=_KNOWN)


def _tries(help: str) -> Any:
    return typer.Option(help=help, rich_help_panel=_TRIED)


@with_groups
def attack(
    *,
    folders: Annotated[
        list[Path],
        typer.Argument(
            help="The release folder, the one that holds certificate.json; then other releases of the same persons."
        ),
    ],
    known: Annotated[
        Path | None, _knows("The persons in the release: the table before it was released, or baskets (.dat, .txt).")
    ] = None,
    control: Annotated[
        Path | None, _knows("Persons who are not in the release, in a file of the same columns.")
    ] = None,
    population: Annotated[Path | None, _knows("All persons who could be in the release.")] = None,
    other: Annotated[list[Path] | None, _knows("Another release of the same persons; repeatable.")] = None,
    gone: Annotated[
        Path | None, _knows("Persons in this release but not in the other one: what do both reveal about them?")
    ] = None,
    owner: Annotated[
        Path | None, _knows("The owner's folder: which rows belong to which person, and the key of sketches.")
    ] = None,
    knows: Annotated[
        list[str] | None,
        _knows(
            "Published columns whose values an attacker knows: a,b, or all. Default: first the columns that the promise"
            " covers, then all of them."
        ),
    ] = None,
    hierarchies: Annotated[
        Path | None, _knows("A folder of value hierarchies that the attacker has, in the format of release.")
    ] = None,
    sensitive: Annotated[list[str] | None, _knows("Published columns that an attacker wants to learn, a,b.")] = None,
    person: Annotated[str | None, _knows("The column with the person each row belongs to.")] = None,
    aux_items: Annotated[int, _knows("Baskets and sketches: how many items of a person are known.")] = 8,
    share: Annotated[float, _knows("Without --population: the share of the population that is in the release.")] = 0.1,
    attacks: Annotated[list[str] | None, _tries("Names of attacks, a,b; an unknown name lists all.")] = None,
    targets: Annotated[int, _tries("At most this many persons or guesses, for attacks that sample them.")] = 2000,
    seed: Annotated[int, _tries("Which persons and guesses are tried.")] = 0,
    reading: ReadingOptions,
    recipe: RecipePath = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Attack a release: exit status 1 if an attack succeeds more often than the promise allows, else 0.

    A promise says nothing about attackers who know more than it assumes; what they learn is reported as well.
    Files that differ from the certified ones are not attacked: exit status 1, as for verify.
    The output contains counts and column names, no cells. It is for the owner, who has the original table.
    """
    from discreet.attacks import Published
    from discreet.attacks.case import case_of
    from discreet.attacks.registry import tried
    from discreet.data.roles import Roles

    watch(quiet=quiet, as_json=as_json)
    _must_be_positive(aux_items=aux_items, targets=targets)
    asked = Options(RoleOptions(sensitive=sensitive, person=person), reading)
    options = GivenRecipe(recipe, quiet=quiet or as_json).options(known, asked)
    sensitive, person, reading = options.roles.sensitive, options.roles.person, options.reading
    folder, *others = [*folders, *(other or [])]
    for path in (folder, *others):
        _must_be_release(path)
    with step("Reading the release"):
        published, *further = [Published.of(folder, owner=owner), *map(Published.of, others)]

    def table(path: Path | None) -> Table | None:
        return None if path is None else reading.read(path)

    persons = _persons([published, *further], reading, known)
    roles = Roles(sensitive=split(sensitive), person=_checked(person, persons))
    case = case_of(
        published,
        persons,
        roles,
        _persons([published, *further], reading, control),
        table(population),
        others=further,
        gone=table(gone),
        share=share,
        aux_items=aux_items,
        targets=targets,
        random_state=seed,
        knows=split(knows) or None,
        hierarchies=hierarchies,
    )
    with step("Attacking"):
        findings, left_out = tried(case, split(attacks) or None)
    broken = [finding for finding in findings if finding.breaks_promise]
    if as_json:
        emit(_answer(case, findings, left_out, bool(broken)))
    else:
        _print(case, findings, left_out, quiet)
    raise typer.Exit(1 if broken else 0)


def _must_be_release(folder: Path) -> None:
    if not (folder / "certificate.json").is_file():
        hint = f" Did you mean {folder / 'release'}?" if (folder / "release" / "certificate.json").is_file() else ""
        raise DataError(f"{folder.name!r} is not a release folder: it has no certificate.json.{hint}")


def _must_be_positive(**options: int) -> None:
    for name, value in options.items():
        if value < 1:
            raise DataError(f"--{name.replace('_', '-')} must be at least 1. Got {value}.")


def _persons(releases: list[Published], reading: ReadingOptions, path: Path | None) -> Any:
    """The persons in a file, in the shape of the releases."""
    if path is None:
        return None
    return _READERS.get(releases[0].shape, _table)(releases, reading, path)


def _table(releases: list[Published], reading: ReadingOptions, path: Path) -> Table:
    return reading.read(path)


def _baskets(releases: list[Published], reading: ReadingOptions, path: Path) -> Baskets:
    """Transactions, or the columns of a table that are published items."""
    from discreet.data.baskets import Baskets

    if BasketOptions().shape(path) == "transactions":
        return BasketOptions().transactions(path)
    read = reading.read(path)
    published = [release.baskets.names for release in releases if release.shape == "baskets"]
    published += [members for release in releases if release.groups for members in release.groups.members]
    items = dict.fromkeys(name for names in published for name in names if name in read)
    return Baskets.from_columns(read, columns=list(items))


_READERS = {"baskets": _baskets}


def _checked(person: str | None, table: Any) -> str | None:
    if person is not None and table is not None and person not in table.names:
        raise RolesError(f"The known table has no column {person!r}.{did_you_mean(person, table.names)}")
    return person


# -- answers -------------------------------------------------------------------------------------------------------


def _answer(case: Case, findings: list[Finding], left_out: dict[str, str], broken: bool) -> dict[str, Any]:
    from discreet.attacks.conclusions import about_promise, beyond

    lines = [
        {
            **asdict(finding),
            "risk": None if finding.risk is None else asdict(finding.risk),
            "breaks_promise": finding.breaks_promise,
        }
        for finding in findings
    ]
    return {
        "format": 1,
        "promise": str(case.published.promise),
        "sample": case.published.sample or None,
        "knows": list(dict.fromkeys(map(case.published.source, case.columns))),
        "broken": broken,
        "conclusions": [*beyond(case, findings), about_promise(case, findings)],
        "findings": lines,
        "not_made": left_out,
    }


def _print(case: Case, findings: list[Finding], left_out: dict[str, str], quiet: bool) -> None:
    from discreet.attacks.conclusions import about_promise, beyond, knowing

    conclusions = [about_promise(case, findings), *beyond(case, findings)]
    if quiet:
        say(" ".join(conclusions))
        return
    if case.published.sample:
        say(case.published.sample)
    if heading := knowing(case):
        say(f"{heading}:")
    _print_table(findings)
    if any(not one.success.is_counted for one in findings):
        say("In brackets: 95 % intervals, where only a sample of persons was attacked.")
    for note, titles in _notes(findings).items():
        say(f"{titles[0]}: {note}" if len(titles) == 1 else note)
    if left_out:
        reasons = (f"{name} ({why[0].lower()}{why[1:].rstrip('.')})" for name, why in left_out.items())
        say(f"Not tried: {'; '.join(reasons)}.")
    say("", *conclusions)


def _notes(findings: list[Finding]) -> dict[str, list[str]]:
    """Notes needed to read the table correctly, each once, with the attacks it applies to."""
    notes: dict[str, list[str]] = {}
    for finding in findings:
        if finding.note and not finding.beyond:
            notes.setdefault(finding.note, []).append(finding.attack)
    return notes


def _success(finding: Finding) -> str:
    """The share, with its 95 % interval where persons were sampled."""
    from discreet.report.wording import approximately

    success = finding.success
    spread = "" if success.is_counted else f" ({100 * success.low:.0f}–{100 * success.high:.0f})"
    return approximately(success.value) + spread


def _print_table(findings: list[Finding]) -> None:
    """One line per finding, with the success of an attacker who knows all columns beside it."""
    from rich import box
    from rich.table import Table

    from discreet.attacks.registry import BEYOND
    from discreet.report.wording import approximately

    second = {(one.by, one.attack): one for one in findings if one.beyond}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    table.add_column("attack")
    for title in ("success", "guessing", "not in it", "promised"):
        table.add_column(title, justify="right")
    if second:
        table.add_column("all known", justify="right")
    for finding in findings:
        if finding.beyond:
            continue
        control = "" if finding.control is None else approximately(finding.control.value)
        bound = "" if finding.bound is None else f"≤ {approximately(finding.bound)}"
        if finding.breaks_promise:
            bound += " BROKEN"
        beyond = second.get((finding.by, f"{finding.attack}{BEYOND}"))
        cells = [_success(finding), approximately(finding.baseline), control, bound]
        if second:
            cells.append("" if beyond is None else approximately(beyond.success.value))
        table.add_row(cell(finding.attack), *cells)
    console().print(table)
