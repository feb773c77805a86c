# SPDX-License-Identifier: Apache-2.0
"""discreet ledger: what was released from which data set, what it cost, what budget remains."""

from __future__ import annotations

import itertools
import json
import operator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.options import Json, emit, say
from discreet.cli.running import refuse_unused
from discreet.errors import DataError, plain, shown

app = typer.Typer(help="What releases cost together: show it, limit it, check it.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The ledger, one SQLite file of the data holder.")]
DataSet = Annotated[str, typer.Argument(help="The holder's name for the data set; each name has a budget.")]
Key = Annotated[
    Path | None,
    typer.Option(envvar="DISCREET_LEDGER_KEY", help="The ledger's key file, if it is not beside the ledger."),
]
Delta = Annotated[float, typer.Option(help="The probability that epsilon may fail.")]


class Accounting(StrEnum):
    basic = "basic"
    zcdp = "zcdp"


class NeighbourKind(StrEnum):
    replace_one = "replace-one"
    add_remove = "add-remove"


@app.command("show")
def show(
    ledger: File,
    data_set: Annotated[str | None, typer.Argument(help="Only this data set.")] = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Show the limits and their changes, what remains of them, and every release in order.

    A ledger that was tampered with is shown as far as it can be read, with its problems: exit status 1.
    """
    from discreet.release.ledger import Ledger

    opened = Ledger(ledger, key=key)
    problems, book = opened.problems(), opened.book()
    sets = book.limited if data_set is None else [book.data_set(data_set)]
    entries = [entry for entry in book.entries if entry.data_set in {one.name for one in sets}]
    alone = book.not_composing
    if as_json:
        releases = [_plain(entry, alone) for entry in entries]
        about = {"problems": problems, "remarks": book.remarks, "unreadable": book.unreadable}
        emit({"format": 1, "data_sets": [_data_set(one) for one in sets], "releases": releases, **about})
    else:
        _print(sets, entries, alone, book.remarks)
    if problems:
        raise typer.Exit(1)


def _print(sets: Any, entries: Any, alone: dict[int, tuple[int, ...]], remarks: list[str]) -> None:
    from discreet.release.ledger import SAME_PEOPLE

    for one in sets:
        say(_remaining(one))
        for before, change in itertools.pairwise(one.changes):
            say(f"     {_when(change.time)}  limit {_moved(before.limit, change.limit)}{_why(change)}")
    for remark in remarks:
        say(f"     {plain(remark)}")
    if not entries:
        say("Nothing was released.")
    for entry in entries:
        state = "" if entry.state == "done" else f" ({entry.state})"
        n = len(entry.columns)
        columns = f", {n} column{'s' * (n > 1)}" if n else ""
        what = f"{plain(entry.data_set)}: {_cost(entry.budget)}, {plain(entry.what)}{columns}{state}"
        say(f"{entry.number:>3}  {_when(entry.time)}  {what}")
        if entry.number in alone:
            say(f"     !  does not compose with {', '.join(map(str, alone[entry.number]))}: see discreet attack")
        for text in entry.warned:
            if SAME_PEOPLE in text:
                say(f"     !  {plain(text.split('. ')[0])}.")


@app.command("set-limit")
def set_limit(
    ledger: File,
    data_set: DataSet,
    epsilon: Annotated[float, typer.Option(help="What all releases of the data set may cost together.")],
    delta: Delta = 0.0,
    accounting: Annotated[Accounting, typer.Option(help="How costs add up.")] = Accounting.basic,
    neighbours: Annotated[
        NeighbourKind, typer.Option(help="What tables the promise compares.")
    ] = NeighbourKind.replace_one,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Limit what all releases of a data set may cost together; what was spent stays spent. Creates the ledger.

    Every change of a limit is recorded with its time; show lists it.
    """
    from discreet.release.ledger import Ledger

    book = Ledger(ledger, key=key)
    book.set_limit(data_set, epsilon=epsilon, delta=delta, accounting=accounting.value, neighbours=neighbours.value)
    _say_remaining(book, data_set, as_json)


@app.command("check")
def check(
    ledger: File,
    data_set: Annotated[str | None, typer.Argument(help="Whether this data set could pay.")] = None,
    epsilon: Annotated[float | None, typer.Option(help="What a release would cost.")] = None,
    delta: Delta = 0.0,
    receipt: Annotated[
        list[Path] | None,
        typer.Option(help="A receipt (owner/ledger.json of a release) that the ledger must contain; repeatable."),
    ] = None,
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Check that the ledger is as discreet wrote it, and whether a release could be paid now. Spends nothing.

    Exit status 0; 1 if it was tampered with or lacks the entry of a receipt; 2 if the release cannot be paid.
    """
    from discreet.release.ledger import Ledger

    book = Ledger(ledger, key=key)
    if (data_set is None) != (epsilon is None):
        raise DataError("A data set and --epsilon go together, to check whether a release could be paid.")
    if epsilon is None:
        refuse_unused("delta", because="it is part of what a release would cost, together with --epsilon")
    problems = book.problems() + [problem for path in receipt or () for problem in _lost(book, path)]
    if problems:
        _say_problems(problems, as_json)
        raise typer.Exit(1)
    if data_set is not None:
        book.check(data_set, epsilon=epsilon, delta=delta)
        _say_remaining(book, data_set, as_json)
    elif as_json:
        emit({"format": 1, "problems": []})
    else:
        number = len(book.entries())
        say(f"{plain(ledger.name)} is as discreet wrote it: {number} release{'s' * (number != 1)}.")


@app.command("accept")
def accept(
    ledger: File,
    because: Annotated[str, typer.Option(help="Why; recorded in the ledger.")],
    key: Key = None,
    as_json: Json = False,
) -> None:
    """Go on using a ledger that was tampered with. Its problems and your reason are recorded in it."""
    from discreet.release.ledger import Ledger

    problems = Ledger(ledger, key=key).accept(because)
    if as_json:
        emit({"format": 1, "accepted": problems})
    elif problems:
        say(f"Accepted, and recorded as a remark: {'; '.join(problems)}.")
    else:
        say("The ledger has no problems: there was nothing to accept.")


def _lost(book: Any, path: Path) -> list[str]:
    """Problems with receipts whose entries the ledger lacks."""
    from discreet.errors import quietly

    receipts, _ = quietly(lambda: json.loads(path.read_bytes())["receipts"])
    if not isinstance(receipts, list) or not receipts or not all(isinstance(one, dict) for one in receipts):
        raise DataError(f"{shown(path.name)} is not a receipt of a ledger. Receipts are ledger.json in owner folders.")
    lost = [one for one in receipts if not book.holds(one)]
    return [f"it does not hold entry {plain(one.get('entry'))} of the receipt {shown(path.name)}" for one in lost]


def _say_problems(problems: list[str], as_json: bool) -> None:
    if as_json:
        emit({"format": 1, "problems": problems})
    else:
        say(f"The ledger was changed by something else than discreet: {'; '.join(problems)}.", err=True)


def _say_remaining(book: Any, data_set: str, as_json: bool) -> None:
    one = book.book().data_set(data_set)
    if as_json:
        emit({"format": 1, **_data_set(one)})
        return
    say(_remaining(one))


def _remaining(one: Any) -> str:
    limit = one.limit
    return f"{plain(one.name)}: limit {limit.budget}, left {one.left} ({limit.accounting}, {limit.neighbours})"


def _data_set(one: Any) -> dict[str, Any]:
    changes = [asdict(change) for change in one.changes]
    return {"data_set": one.name, **asdict(one.limit), "left": asdict(one.left), "changes": changes}


def _plain(entry: Any, alone: dict[int, tuple[int, ...]]) -> dict[str, Any]:
    fields = asdict(entry) | {"does_not_compose_with": alone.get(entry.number, ())}
    return fields | {"people": [{name: one.get(name) for name in ("kind", "units")} for one in entry.people]}


def _cost(budget: Any) -> str:
    return "no epsilon" if budget is None else str(budget)


def _when(time: str) -> str:
    return plain(time[:16].replace("T", " ")) or "before".ljust(16)


def _why(change: Any) -> str:
    return f" ({plain(change.why)})" if change.why else ""


def _moved(before: Any, now: Any) -> str:
    """The change of a limit in words."""
    old, new = ((limit.budget.epsilon, limit.budget.delta) for limit in (before, now))
    if old == new:
        return f"kept at {now.budget}"
    raised, lowered = (any(f(a, b) for a, b in zip(new, old, strict=True)) for f in (operator.gt, operator.lt))
    word = "changed" if raised and lowered else "raised" if raised else "lowered"
    return f"{word} from {before.budget} to {now.budget}"
