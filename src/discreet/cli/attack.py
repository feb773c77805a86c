# SPDX-License-Identifier: Apache-2.0
"""discreet attack: what does an attacker get out of a release?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.file_options import BasketOptions, ReadingOptions
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, cell, console, emit, say, split, step, watch
from discreet.errors import DataError, RolesError, did_you_mean

if TYPE_CHECKING:
    from discreet.attacks import Case, Finding, Published
    from discreet.data.baskets import Baskets
    from discreet.data.table import Table

_KNOWN, _TRIED = "What an attacker knows", "What is tried"
_TRANSACTIONS = (".dat", ".txt")


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
        Path | None, _knows("Persons who are in the release and not in the other one: what both tell of them.")
    ] = None,
    owner: Annotated[
        Path | None, _knows("The owner's folder: whose rows are whose, to count persons; the key of sketches.")
    ] = None,
    knows: Annotated[
        list[str] | None,
        _knows(
            "Published columns that an attacker knows of a person, a,b, or all. If not given: those that the promise is"
            " about, and then all of them."
        ),
    ] = None,
    hierarchies: Annotated[
        Path | None, _knows("A folder of value trees that an attacker has, as for release: what lies below a label.")
    ] = None,
    sensitive: Annotated[list[str] | None, _knows("Published columns that an attacker wants to learn, a,b.")] = None,
    person: Annotated[str | None, _knows("The column that tells whose row it is.")] = None,
    aux_items: Annotated[int, _knows("Baskets and sketches: how many items of a person are known.")] = 8,
    share: Annotated[
        float, _knows("The share of the population that is in the release, where no file of it is given.")
    ] = 0.1,
    attacks: Annotated[list[str] | None, _tries("Names of attacks, a,b; an unknown name lists all.")] = None,
    targets: Annotated[int, _tries("Persons or guesses at most, for attacks that try some.")] = 2000,
    seed: Annotated[int, _tries("Which persons and guesses are tried.")] = 0,
    reading: ReadingOptions,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Attack a release with what is known: exit status 1 if one gets more than the promise allows, else 0.

    That a promise is kept says nothing of whoever knows more than it is about: what such a one gets is said, too.
    Files that are not those that were certified are not attacked: exit status 1, as verify's.
    What is written is counts and names of columns; no cell of a table. It is for the owner, who has the known table.
    """
    from discreet.attacks import Published
    from discreet.attacks.attack import tried
    from discreet.attacks.case import case_of
    from discreet.data.roles import Roles

    watch(quiet=quiet, as_json=as_json)
    _must_be_positive(aux_items=aux_items, targets=targets)
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
        found, left_out = tried(case, split(attacks) or None)
    broken = [finding for finding in found if finding.breaks_promise]
    if as_json:
        emit(_answer(case, found, left_out, bool(broken)))
    else:
        _print(case, found, left_out, quiet)
    raise typer.Exit(1 if broken else 0)


def _must_be_release(folder: Path) -> None:
    if not (folder / "certificate.json").is_file():
        hint = f" Did you mean {folder / 'release'}?" if (folder / "release" / "certificate.json").is_file() else ""
        raise DataError(f"{folder.name!r} is no release folder: it has no certificate.json.{hint}")


def _must_be_positive(**options: int) -> None:
    for name, value in options.items():
        if value < 1:
            raise DataError(f"--{name.replace('_', '-')} is 1 at least. Got {value}.")


def _persons(releases: list[Published], reading: ReadingOptions, path: Path | None) -> Any:
    """The persons in a file, in the shape of the releases."""
    if path is None:
        return None
    return _READERS.get(releases[0].shape, _table)(releases, reading, path)


def _table(releases: list[Published], reading: ReadingOptions, path: Path) -> Table:
    return reading.read(path)


def _baskets(releases: list[Published], reading: ReadingOptions, path: Path) -> Baskets:
    """Transactions, or of a table the columns that are published items."""
    from discreet.data.baskets import Baskets

    if path.suffix.lower() in _TRANSACTIONS:
        return BasketOptions().transactions(path)
    read = reading.read(path)
    published = [release.baskets.names for release in releases if release.shape == "baskets"]
    items = dict.fromkeys(name for names in published for name in names if name in read)
    return Baskets.from_columns(read, columns=list(items))


_READERS = {"baskets": _baskets}


def _checked(person: str | None, known: Any) -> str | None:
    if person is not None and known is not None and person not in known.names:
        raise RolesError(f"The known table has no column {person!r}.{did_you_mean(person, known.names)}")
    return person


# -- answers -------------------------------------------------------------------------------------------------------


def _answer(case: Case, found: list[Finding], left_out: dict[str, str], broken: bool) -> dict[str, Any]:
    from discreet.attacks.conclusions import about_promise, beyond

    findings = [
        {
            **asdict(finding),
            "risk": None if finding.risk is None else asdict(finding.risk),
            "breaks_promise": finding.breaks_promise,
        }
        for finding in found
    ]
    return {
        "format": 1,
        "promise": str(case.published.promise),
        "knows": list(dict.fromkeys(map(case.published.source, case.columns))),
        "broken": broken,
        "conclusions": [*beyond(case, found), about_promise(case, found)],
        "findings": findings,
        "not_made": left_out,
    }


def _print(case: Case, found: list[Finding], left_out: dict[str, str], quiet: bool) -> None:
    from discreet.attacks.conclusions import about_promise, beyond, knowing

    conclusions = [about_promise(case, found), *beyond(case, found)]
    if quiet:
        say(" ".join(conclusions))
        return
    if heading := knowing(case):
        say(f"{heading}:")
    _print_table(found)
    if any(not one.success.is_counted for one in found):
        say("In brackets 95 % intervals, where not everybody was tried.")
    for note, titles in _notes(found).items():
        say(f"{titles[0]}: {note}" if len(titles) == 1 else note)
    if left_out:
        reasons = (f"{name} ({why[0].lower()}{why[1:].rstrip('.')})" for name, why in left_out.items())
        say(f"Not made: {'; '.join(reasons)}.")
    say("", *conclusions)


def _notes(found: list[Finding]) -> dict[str, list[str]]:
    """What must be known so as not to misread a line, each once, with the attacks that it is about."""
    notes: dict[str, list[str]] = {}
    for finding in found:
        if finding.note and not finding.beyond:
            notes.setdefault(finding.note, []).append(finding.attack)
    return notes


def _success(finding: Finding) -> str:
    """The share, with its 95 % interval where not everybody was tried."""
    from discreet.report.wording import approximately

    success = finding.success
    spread = "" if success.is_counted else f" ({100 * success.low:.0f}–{100 * success.high:.0f})"
    return approximately(success.value) + spread


def _print_table(found: list[Finding]) -> None:
    """A line for each finding; what whoever knows all columns gets stands beside it."""
    from rich import box
    from rich.table import Table

    from discreet.attacks.attack import BEYOND
    from discreet.report.wording import approximately

    second = {(one.by, one.attack): one for one in found if one.beyond}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    table.add_column("attack")
    for title in ("success", "guessing", "not in it", "promised"):
        table.add_column(title, justify="right")
    if second:
        table.add_column("all known", justify="right")
    for finding in found:
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
