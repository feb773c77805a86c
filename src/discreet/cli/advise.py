# SPDX-License-Identifier: Apache-2.0
"""discreet advise: which method for this file, why, what speaks against it, and the command to copy."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.advise_files import AdvisedFile, read_advised
from discreet.cli.failures import WRONG
from discreet.cli.file_options import BasketOptions, ReadingOptions, RoleOptions
from discreet.cli.given_recipe import GivenRecipe, Options, RecipePath
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, emit, say, step, watch
from discreet.cli.running import names_of, refuse_unused
from discreet.errors import RolesError, plain

if TYPE_CHECKING:
    from discreet.study.advice import Advice, AdvisedMethod, Situation
    from discreet.study.tried_advice import Trial


_MOST_ITEMS = 16  # that outsiders may be said to know


class Wanted(StrEnum):
    classifier = "classifier"
    questions = "questions"
    model = "model"
    columns = "columns"
    similar = "similar"


class CellForm(StrEnum):
    coarser = "coarser"
    true = "true"
    hierarchies = "hierarchies"
    wrong = "wrong"


def _answer(help: str, *names: str, **more: Any) -> Any:
    return typer.Option(*names, help=help, rich_help_panel="Answers, asked for at a terminal", **more)


@dataclass(frozen=True)
class AnswerOptions:
    """The questions of the decision guide; None where nothing was answered."""

    wants: Annotated[
        Wanted | None,
        _answer("What recipients want: learn to predict, ask any question, a model, names of columns, comparisons.",
                show_default="classifier"),
    ] = None  # fmt: skip
    cells: Annotated[
        CellForm | None,
        _answer("What cells may be: coarser, true or blank, levels of your hierarchies, or wrong (0/1 data).",
                show_default="coarser"),
    ] = None  # fmt: skip
    label_known: Annotated[
        bool | None,
        _answer(
            "Whether outsiders may know a person's label.", "--label-known/--label-unknown", show_default="unknown"
        ),
    ] = None
    formal: Annotated[
        bool | None,
        _answer("Whether the promise must hold whatever outsiders know.", "--formal/--no-formal", show_default="no"),
    ] = None
    again: Annotated[
        bool | None, _answer("Whether the same people are released again.", "--again/--once", show_default="once")
    ] = None
    texts: Annotated[
        bool | None, _answer("Whether the lines are texts or items.", "--texts/--items", show_default="items")
    ] = None
    known_items: Annotated[
        int | None,
        _answer("How many items of a person outsiders know at most; any number if not given.", "--known-items", min=1,
                max=_MOST_ITEMS),
    ] = None  # fmt: skip
    k: Annotated[int, _answer("How many persons must be alike.", "--k", min=2)] = 5
    epsilon: Annotated[float, _answer("The budget, where the promise must be formal.", "--epsilon", min=1e-6)] = 1.0


@with_groups
def advise(
    *,
    file: Annotated[
        Path, typer.Argument(help="A table: CSV, Excel, Parquet and others; or items or texts, one person on a line.")
    ],
    answers: AnswerOptions,
    trial: Annotated[
        bool, typer.Option("--try/--no-try", help="Run the method on up to 20,000 rows, and write nothing.")
    ] = True,
    roles: RoleOptions,
    recipe: RecipePath = None,
    baskets: BasketOptions,
    reading: ReadingOptions,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Advise on a method: which one suits this file, why, what speaks against it, and the command to copy.

    Asks at a terminal what the file cannot tell; elsewhere what was not answered holds as the help says. Prints names
    of columns, counts and measured figures, never cells.
    """
    from discreet.study.advice import advise as advised
    from discreet.study.tried_advice import trials

    watch(quiet=quiet, as_json=as_json)
    given = GivenRecipe(recipe, quiet=quiet or as_json)
    options = given.options(file, Options(roles, reading, baskets))
    found = read_advised(file, options)
    if found.shape == "table":
        refuse_unused("known_items", "texts", because="the file is a table, and these are about items")
        refuse_unused("separator", because="the file is read as a table; add --baskets transactions")
    elif found.shape == "transactions":
        refuse_unused(*names_of(ReadingOptions), because="transactions are lines of items, not a table")
    now = _situation(found, answers, asks=not (quiet or as_json) and at_terminal())
    advice = advised(now)
    if not advice.candidates:
        raise RolesError("Nothing suits these answers without a label to predict. Name its column with --target.")
    if not now.again and not any(one.is_private for one in advice.candidates):
        refuse_unused("epsilon", because="the methods that suit these answers add no noise; add --formal")
    if not any("k" in one.parameters for one in advice.candidates):
        refuse_unused("k", because="the methods that suit these answers do not count persons who are alike")
    tried: list[Trial] = []
    if trial and found.dataset is not None and not now.large:
        with step("Trying it, without writing anything"):
            tried = trials(advice.candidates, found.dataset)
    chosen = _chosen(advice, tried)
    commands = {one.method: _command(file, found, now, one, options) for one in advice.candidates}
    if as_json:
        emit(_as_json(found, advice, tried, chosen, commands))
    else:
        _print(found, advice, tried, chosen, commands, quiet=quiet)
    if chosen is None:
        raise typer.Exit(WRONG)


def at_terminal() -> bool:
    """Whether somebody can answer."""
    return sys.stdin is not None and sys.stdin.isatty()


def _situation(found: AdvisedFile, given: AnswerOptions, *, asks: bool) -> Situation:
    """The answers: as given, else asked for, else as the help says."""
    from discreet.study.advice import CELLS, WANTS, Situation

    def choice(answer: StrEnum | None, question: str, of: dict[str, str]) -> str:
        if answer is not None:
            return answer.value
        if asks:
            say(question, *(f"  {name:<12}  {text}" for name, text in of.items()), err=True)
        return _asked(question.split(":")[0], next(iter(of)), of) if asks else next(iter(of))

    def whether(answer: bool | None, question: str) -> bool:
        if answer is None and asks:
            return typer.confirm(question, default=False, err=True)
        return bool(answer)

    items = found.shape != "table"
    wants = choice(given.wants, "What do recipients want: to", WANTS)
    formal = whether(given.formal, "Must the promise hold whatever outsiders know (differential privacy)?")
    rows = not formal and wants in ("classifier", "questions")
    offered = {name: text for name, text in CELLS.items() if items or name != "wrong"}
    cells = choice(given.cells, "What may cells be:", offered) if rows else (given.cells or CellForm.coarser).value
    known = given.known_items
    if known is None and asks and items and rows:
        known = _asked_items() or None
    texts = whether(given.texts, "Are the lines texts?") if items else False
    return Situation(
        shape="table" if not items else "texts" if texts else "baskets",
        wants=wants,
        cells=cells,
        label_known=whether(given.label_known, "May outsiders know a person's label?")
        if rows
        else bool(given.label_known),
        formal=formal,
        again=whether(given.again, "Will the same people be released again?"),
        known_items=known,
        rows=found.rows,
        width=found.width,
        has_target=found.has_target,
        has_sensitive=found.roles is not None and bool(found.roles.sensitive),
        has_persons=found.roles is not None and found.roles.person is not None,
        large=found.large,
        free_text=found.free_text,
        k=given.k,
        epsilon=given.epsilon,
    )


def _asked(question: str, default: str, of: dict[str, str]) -> str:
    while (answer := str(typer.prompt(question, default, err=True)).strip()) not in of:
        say(f"One of {', '.join(of)}.", err=True)
    return answer


def _asked_items() -> int:
    question = "How many items of a person may outsiders know, 0 for any number"
    while not 0 <= (answer := int(typer.prompt(question, 0, err=True))) <= _MOST_ITEMS:
        say(f"A number from 0 to {_MOST_ITEMS}.", err=True)
    return answer


def _chosen(advice: Advice, tried: list[Trial]) -> AdvisedMethod | None:
    """The first candidate that was not found to fail; None if there is none."""
    failed = {one.method for one in tried if not one.holds}
    return next((one for one in advice.candidates if one.method not in failed), None)


def _command(file: Path, found: AdvisedFile, now: Situation, one: AdvisedMethod, options: Options) -> str:
    from discreet.study.next_command import advised_command

    extra: dict[str, Any] = {}
    if found.shape != "table":
        labels = found.labels
        extra = {"baskets": found.shape, "labels": None if labels is None else str(labels)}
        extra |= {"target": found.target, "separator": options.baskets.separator}
    if found.roles is not None and found.roles.allow_unique:
        extra |= {"allow-unique": ",".join(found.roles.allow_unique)}
    if now.large:
        extra |= {"engine": "duckdb"}
    if now.again:
        extra |= {"ledger": "ledger.sqlite", "data-set": found.stem}
    reading = options.reading.arguments if found.shape != "transactions" else {}
    return advised_command(str(file), one.method, one.parameters, data=extra, roles=found.roles, reading=reading)


def _first(now: Situation, found: AdvisedFile, one: AdvisedMethod) -> list[str]:
    """What has to be done before the command."""
    from discreet.study.next_command import limit_command

    lines = [*found.first, *one.first]
    if now.again:
        lines.append(f"Open the account, once: {limit_command('ledger.sqlite', found.stem, now.epsilon)}")
    return lines


# -- what is told ----------------------------------------------------------------------------------------------------


def _as_json(
    found: AdvisedFile, advice: Advice, tried: list[Trial], chosen: AdvisedMethod | None, commands: dict[str, str]
) -> dict[str, Any]:
    from dataclasses import asdict

    of = {one.method: one.to_dict() for one in tried}
    return {
        "file": found.name,
        "situation": asdict(advice.situation),
        "roles": found.roles_as_dict(),
        "advice": None if chosen is None else chosen.method,
        "first": [] if chosen is None else _first(advice.situation, found, chosen),
        "mind": list(advice.mind),
        "candidates": [
            one.to_dict() | {"command": commands[one.method], "tried": of.get(one.method)} for one in advice.candidates
        ],
        "next": None if chosen is None else commands[chosen.method],
    }


def _print(
    found: AdvisedFile, advice: Advice, tried: list[Trial], chosen: AdvisedMethod | None, commands: dict[str, str], *,
    quiet: bool,
) -> None:  # fmt: skip
    from discreet.methods import guide_of
    from discreet.report.wording import percent

    say(f"{plain(found.name)}: {found.in_words}")
    if not quiet:
        say(*_answers(advice.situation), *found.remarks)
    of = {one.method: one for one in tried}
    for one in advice.candidates:
        word = "Take" if one is chosen else "Not" if one.method in of else "Or"
        say("", f"{word} {one.method}: {guide_of(one.method).promise}")
        _list("because", one.reasons)
        _list("against", one.against)
        if (trial := of.get(one.method)) is not None:
            kept = "" if trial.detail is None else f" Detail {percent(trial.detail)}."
            blank = "" if trial.suppressed is None else f" {percent(trial.suppressed)} of the cells blank."
            _list("tried", (f"{trial.sentence}{kept}{blank}",))
    if advice.mind:
        say("")
        _list("mind", advice.mind)
    if chosen is None:
        say("", "No method that was tried makes a release. Fewer quasi-identifiers, coarser ones, or a smaller k may.")
        return
    _list("first", _first(advice.situation, found, chosen))
    say("", "Next", commands[chosen.method])


def _list(word: str, sentences: tuple[str, ...] | list[str]) -> None:
    import textwrap

    for place, sentence in enumerate(sentences):
        head = f"  {word if not place else '':<9} "
        if ": discreet " in sentence:  # to be copied in one piece
            say(f"{head}{sentence}")
            continue
        say(*textwrap.wrap(plain(sentence), 110, initial_indent=head, subsequent_indent=" " * 12))


def _answers(now: Situation) -> list[str]:
    """What was answered, or taken for granted, with the option that changes it."""
    from discreet.study.advice import SHAPES, WANTS

    lines = [
        f"  data      {'a table, several rows for some persons' if now.has_persons else SHAPES[now.shape]}",
        f"  wanted    to {WANTS[now.wants]}  (--wants)",
        f"  cells     {_cells(now)}  (--cells)",
        f"  label     {'known to outsiders' if now.label_known else 'unknown to outsiders'}  (--label-known)",
        f"  promise   {'whatever outsiders know' if now.formal else 'on what outsiders may know'}  (--formal)",
        f"  releases  {'several of the same people' if now.again else 'one'}  (--again)",
    ]
    if now.shape != "table":
        known = "any number of items" if now.known_items is None else f"at most {now.known_items} items"
        lines.append(f"  known     {known} of a person  (--known-items)")
    return lines


def _cells(now: Situation) -> str:
    from discreet.study.advice import CELLS

    return "items, or groups of them" if now.shape != "table" and now.cells == "coarser" else CELLS[now.cells]
