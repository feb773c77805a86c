# SPDX-License-Identifier: Apache-2.0
"""discreet attack: what does an attacker get out of a release?"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.completion import complete_attacks
from discreet.cli.engine_options import CountingOptions
from discreet.cli.file_options import BasketOptions, ReadingOptions, RoleOptions
from discreet.cli.given_recipe import GivenRecipe, Options, RecipePath
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, cell, console, emit, say, split, step, watch
from discreet.cli.running import in_a_row, names_of, refuse_unused
from discreet.errors import DataError, RolesError, did_you_mean, listing

if TYPE_CHECKING:
    from discreet.attacks import Case, Finding, Published
    from discreet.data.baskets import Baskets
    from discreet.data.table import Table

_KNOWN, _TRIED = "What an attacker knows", "What is tried"


def _knows(help: str) -> Any:
    return typer.Option(help=help, rich_help_panel=_KNOWN)


def _tries(help: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_TRIED, **more)


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
            "Published columns whose values an attacker knows: a,b, or all; if not given, first the columns that the"
            " promise covers, then all of them."
        ),
    ] = None,
    hierarchies: Annotated[
        Path | None, _knows("A folder of value hierarchies that the attacker has, in the format of release.")
    ] = None,
    sensitive: Annotated[list[str] | None, _knows("Published columns that an attacker wants to learn, a,b.")] = None,
    person: Annotated[str | None, _knows("The column with the person each row belongs to.")] = None,
    aux_items: Annotated[int, _knows("Baskets and sketches: how many items of a person are known.")] = 8,
    share: Annotated[float, _knows("Without --population: the share of the population that is in the release.")] = 0.1,
    attacks: Annotated[
        list[str] | None,
        _tries("Names of attacks, a,b; all that apply if not given.", autocompletion=complete_attacks),
    ] = None,
    targets: Annotated[int, _tries("At most this many persons or guesses, for attacks that sample them.")] = 2000,
    seed: Annotated[int, _tries("Which persons and guesses are tried.")] = 0,
    explain: Annotated[
        bool, _tries("Explain every attack: what was asked, what was found, what to mind.", "--explain")
    ] = False,
    reading: ReadingOptions,
    rows: CountingOptions,
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
    if as_json or quiet:
        refuse_unused("explain", because="with --json the answer holds all of it, with --quiet nothing is explained")
    if known is None:
        refuse_unused("person", because="it names a column of the table of --known")
        refuse_unused(*names_of(CountingOptions), because="the engine reads the table of --known")
    if not any((known, control, population, gone)):
        refuse_unused(*names_of(ReadingOptions), because="no table is read: --known names one")
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

    if known is not None and rows.is_used:
        persons, drawn = _drawn(published, reading, known, rows, seed)
        published = published if not drawn else replace(published, sample=f"{published.sample} {drawn}".strip())
    else:
        persons = _persons([published, *further], reading, known)
    roles = Roles(sensitive=_published(split(sensitive), published), person=_checked(person, persons))
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
    _refuse_unused(case, split(attacks) or None)
    with step("Attacking"):
        findings, left_out = tried(case, split(attacks) or None)
    broken = [finding for finding in findings if finding.breaks_promise]
    if as_json:
        emit(_answer(case, findings, left_out, bool(broken)))
    else:
        _print(case, findings, left_out, quiet=quiet, explain=explain)
    raise typer.Exit(1 if broken else 0)


def _must_be_release(folder: Path) -> None:
    if not (folder / "certificate.json").is_file():
        hint = f" Did you mean {folder / 'release'}?" if (folder / "release" / "certificate.json").is_file() else ""
        raise DataError(f"{folder.name!r} is not a release folder: it has no certificate.json.{hint}")


def _refuse_unused(case: Case, names: tuple[str, ...] | None) -> None:
    """Refuse options that none of the attacks that will be made looks at."""
    from discreet.attacks.registry import ATTACKS, chosen

    used = {setting for attack in chosen(case, names) for setting in (*attack.needs, *attack.uses)}
    if case.population is not None:
        refuse_unused("share", because="the population is given by --population")
    for option in ("known", "control", "population", "other", "gone", "hierarchies", "sensitive", *_NUMBERS):
        setting = {"other": "others", "seed": "random_state"}.get(option, option)
        if setting not in used:
            takers = [attack.name for attack in ATTACKS.values() if setting in (*attack.needs, *attack.uses)]
            refuse_unused(option, because=f"only {in_a_row(takers)} would use it, and no such attack is made")
    if case.others and "others" not in used:
        raise DataError(
            "The further releases have no effect: only intersection and differencing combine releases, and no such"
            " attack is made. Leave them out."
        )


_NUMBERS = ("share", "aux_items", "targets", "seed")


def _published(names: tuple[str, ...], release: Published) -> tuple[str, ...]:
    """The names, if they are columns of the release."""
    columns = release.columns
    absent = [name for name in names if name not in columns]
    if absent:
        raise RolesError(
            f"--sensitive names columns that the release does not hold: {listing(absent)}."
            f"{did_you_mean(absent[0], columns)} It holds {listing(columns, most=12)}."
        )
    return names


def _persons(releases: list[Published], reading: ReadingOptions, path: Path | None) -> Any:
    """The persons in a file, in the shape of the releases."""
    if path is None:
        return None
    return _READERS.get(releases[0].shape, _table)(releases, reading, path)


def _drawn(
    release: Published, reading: ReadingOptions, path: Path, rows: CountingOptions, seed: int
) -> tuple[Table, str]:
    """The known persons whom an engine reads, or a random sample of them, and a sentence that says so."""
    from discreet.attacks.attacked_rows import MOST_ROWS

    if release.shape == "baskets":
        refuse_unused("engine", because="engines read the rows of tables, and these are baskets")
    table, drawn = rows.sample(path, reading, names=None, rows=MOST_ROWS, seed=seed)
    return table, f"Of the known persons, {drawn} was looked at." if drawn else ""


def _table(releases: list[Published], reading: ReadingOptions, path: Path) -> Table:
    return reading.read(path)


def _baskets(releases: list[Published], reading: ReadingOptions, path: Path) -> Baskets:
    """Transactions, or the columns of a table that are published items."""
    from discreet.data.baskets import Baskets

    if BasketOptions().shape(path) == "transactions":
        return BasketOptions().transactions(path)
    read = reading.read(path)
    published = [release.baskets.names for release in releases if release.shape == "baskets"]
    published += [tuple(sorted(release.groups.mentioned)) for release in releases if release.groups]
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


def _print(case: Case, findings: list[Finding], left_out: dict[str, str], *, quiet: bool, explain: bool) -> None:
    """The table once, then what follows from it; the long text only if it is asked for."""
    from discreet.attacks.conclusions import about_promise, beyond, knowing

    conclusions = [about_promise(case, findings), *beyond(case, findings)]
    if quiet:
        say(" ".join(conclusions))
        return
    if case.published.sample:
        say(case.published.sample)
    if heading := knowing(case):
        say(f"An attacker {heading[0].lower()}{heading[1:]}:")
    _print_table(findings)
    say(*_legend(findings))
    say("", *conclusions)
    if explain:
        _explain(findings, left_out)
        return
    tried = f"Not tried: {', '.join(left_out)}. " if left_out else ""
    say("", f"{tried}`--explain` says what each attack asks, and why others were not tried.")


def _legend(findings: list[Finding]) -> list[str]:
    """How to read the table, in the words of its headings."""
    lines = [
        "succeeds: for so many of 100 persons. guessing: without the release.",
        "limit: the most that the promise allows; none where it says nothing.",
    ]
    if any(one.control is not None for one in findings):
        lines.append("outsiders: the same, tried on persons who are not in the release.")
    if any(one.beyond for one in findings):
        lines.append("knows all: if the attacker knows every published column of a person.")
    if any(not one.success.is_counted for one in findings):
        lines.append("In brackets: 95 % intervals, where only a sample of persons was attacked.")
    return lines


def _explain(findings: list[Finding], left_out: dict[str, str]) -> None:
    """Every attack in sentences."""
    from discreet.report.wording import approximately

    for finding in findings:
        found = f"{approximately(finding.success.value)} of {finding.targets:,} {finding.units}"
        beside = f"{approximately(finding.baseline)} by guessing"
        if finding.control is not None:
            beside += f", {approximately(finding.control.value)} for those who are not in it"
        if finding.bound is not None:
            beside += f"; the promise allows {approximately(finding.bound)}"
        say("", f"{finding.attack}. {finding.question} {found} ({beside}).")
        for note in filter(None, (finding.detail, finding.note)):
            say(f"  {note}")
    if left_out:
        say("", "Not tried:", *(f"  {name}: {why}" for name, why in left_out.items()))


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

    from discreet.attacks.conclusions import in_plain_words
    from discreet.attacks.registry import ATTACKS, BEYOND
    from discreet.report.wording import approximately

    before = ""
    second = {(one.by, one.attack): one for one in findings if one.beyond}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    controlled = any(one.control is not None for one in findings)
    table.add_column("the attacker ...", ratio=1)
    for title in ("succeeds", "guessing", *(["outsiders"] if controlled else []), "limit"):
        table.add_column(title, justify="right", no_wrap=True)
    if second:
        table.add_column("knows all", justify="right", no_wrap=True)
    for finding in findings:
        if finding.beyond:
            continue
        control = "" if finding.control is None else approximately(finding.control.value)
        bound = "" if finding.bound is None else f"≤ {approximately(finding.bound)}"
        if finding.breaks_promise:
            bound += " BROKEN"
        beyond = second.get((finding.by, f"{finding.attack}{BEYOND}"))
        cells = [_success(finding), approximately(finding.baseline), *([control] if controlled else []), bound]
        if second:
            cells.append("" if beyond is None else approximately(beyond.success.value))
        plain = ATTACKS[finding.by].plain if finding.by in ATTACKS else ""
        words, (_, _, rest) = in_plain_words(finding, plain), finding.attack.partition(", ")
        again = rest and words.partition(" (")[0] == before  # the same attack on others, or in another way
        before = words.partition(" (")[0]
        table.add_row(cell(f"  ... {rest}" if again else words, 120), *cells)
    console().print(table)
