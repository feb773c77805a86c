# SPDX-License-Identifier: Apache-2.0
"""discreet ledger: what was released from which data set, what it cost, what is left."""

from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.commands.options import Json, emit

app = typer.Typer(help="What releases cost together: show it, limit it, ask it.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="The ledger, one SQLite file of the data holder.")]
DataSet = Annotated[str, typer.Argument(help="The holder's name of the data set; budgets belong to names.")]
Delta = Annotated[float, typer.Option(help="The probability that epsilon may fail.")]


class Accounting(StrEnum):
    basic = "basic"
    zcdp = "zcdp"


class Neighbours(StrEnum):
    replace_one = "replace-one"
    add_remove = "add-remove"


@app.command("show")
def show(
    ledger: File,
    data_set: Annotated[str | None, typer.Argument(help="Of this data set only.")] = None,
    as_json: Json = False,
) -> None:
    """The limits, what is left of them, and every release in the order it was made."""
    from discreet.entries import not_composing
    from discreet.ledger import Ledger

    book = Ledger(ledger)
    limits = {name: limit for name, limit in book.limits().items() if data_set in (None, name)}
    left = {name: book.left(name) for name in ([*limits] if data_set is None else [data_set])}
    entries = book.entries(data_set)
    alone = not_composing(entries)
    if as_json:
        sets = [{"data_set": name, **asdict(limit), "left": asdict(left[name])} for name, limit in limits.items()]
        emit({"format": 1, "data_sets": sets, "releases": [_plain(entry, alone) for entry in entries]})
        return
    for name, limit in limits.items():
        typer.echo(f"{name}: limit {limit.budget}, left {left[name]} ({limit.accounting}, {limit.neighbours})")
    if not entries:
        typer.echo("Nothing was released.")
        return
    for entry in entries:
        when, state = entry.time[:16].replace("T", " "), "" if entry.state == "done" else f" ({entry.state})"
        n = len(entry.columns)
        columns = f", {n} column{'s' * (n > 1)}" if n else ""
        typer.echo(f"{entry.number:>3}  {when}  {entry.data_set}: {_cost(entry.budget)}, {entry.what}{columns}{state}")
        if entry.number in alone:
            typer.echo(f"     !  does not compose with {', '.join(map(str, alone[entry.number]))}: see discreet attack")


@app.command("set-limit")
def set_limit(
    ledger: File,
    data_set: DataSet,
    epsilon: Annotated[float, typer.Option(help="What all releases of the data set may cost together.")],
    delta: Delta = 0.0,
    accounting: Annotated[Accounting, typer.Option(help="How costs add up.")] = Accounting.basic,
    neighbours: Annotated[Neighbours, typer.Option(help="What tables the promise compares.")] = Neighbours.replace_one,
    as_json: Json = False,
) -> None:
    """Fix what all releases of a data set may cost together; what was spent stays spent. Makes the ledger."""
    from discreet.ledger import Ledger

    book = Ledger(ledger)
    book.set_limit(data_set, epsilon=epsilon, delta=delta, accounting=accounting.value, neighbours=neighbours.value)
    _say_left(book, data_set, as_json)


@app.command("check")
def check(
    ledger: File,
    data_set: DataSet,
    epsilon: Annotated[float, typer.Option(help="What a release would cost.")],
    delta: Delta = 0.0,
    as_json: Json = False,
) -> None:
    """Whether a release could be paid now: exit status 0, or 2 and why not. Spends nothing."""
    from discreet.ledger import Ledger

    book = Ledger(ledger)
    book.check(data_set, epsilon=epsilon, delta=delta)
    _say_left(book, data_set, as_json)


def _say_left(book: Any, data_set: str, as_json: bool) -> None:
    limit, left = book.limits()[data_set], book.left(data_set)
    if as_json:
        emit({"format": 1, "data_set": data_set, **asdict(limit), "left": asdict(left)})
        return
    typer.echo(f"{data_set}: limit {limit.budget}, left {left} ({limit.accounting}, {limit.neighbours})")


def _plain(entry: Any, alone: dict[int, tuple[int, ...]]) -> dict[str, Any]:
    return asdict(entry) | {"does_not_compose_with": alone.get(entry.number, ())}


def _cost(budget: Any) -> str:
    return "no epsilon" if budget is None else str(budget)
