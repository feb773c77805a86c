# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and the two ways of answering: text for a person, JSON for a machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.errors import DataError, did_you_mean, listing, plain

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from discreet.data.table import Table

Json = Annotated[bool, typer.Option("--json", help="Answer in JSON on standard output, and print nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no remarks.")]

_READING = "Reading the file"
Delimiter = Annotated[
    str | None,
    typer.Option(help="What parts the cells, such as ';' or 'tab'; found if not given.", rich_help_panel=_READING),
]
Quote = Annotated[str | None, typer.Option(help="The quote character; found if not given.", rich_help_panel=_READING)]
Encoding = Annotated[
    str | None, typer.Option(help="Such as utf-8 or cp1252; found if not given.", rich_help_panel=_READING)
]
Names = Annotated[
    list[str] | None,
    typer.Option(help="Names of the columns, a,b,c: the file has no header line.", rich_help_panel=_READING),
]
Header = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line holds names.", rich_help_panel=_READING),
]
Missing = Annotated[
    list[str] | None,
    typer.Option(help="A mark of a missing cell, in place of the usual ones; repeatable.", rich_help_panel=_READING),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option("--kind", help="column=number, column=category or column=date; repeatable.", rich_help_panel=_READING),
]

_ROLES = "Roles of the columns"


def _role(*names: str, help: str) -> Any:
    return typer.Option(*names, help=help, rich_help_panel=_ROLES)


Target = Annotated[str | None, _role(help="The column a classifier is to predict; published as it is.")]
Quasi = Annotated[list[str] | None, _role(help="What an attacker may know, a,b,c: the promise is about these.")]
Sensitive = Annotated[list[str] | None, _role(help="What an attacker wants to learn; published as it is.")]
Identifiers = Annotated[
    list[str] | None, _role("--identifiers", "--identifier", help="Names and numbers; never published.")
]
Other = Annotated[list[str] | None, _role(help="Published as it is, assumed unknown to an attacker.")]
Person = Annotated[str | None, _role(help="Tells whose row it is: persons are counted, not rows.")]
Unique = Annotated[list[str] | None, _role(help="Columns published as they are although they differ in every row.")]

_BASKETS = "Baskets (0/1 data)"


class BasketSource(StrEnum):
    transactions = "transactions"
    columns = "columns"


FromBaskets = Annotated[
    BasketSource | None,
    typer.Option(help="The file holds transactions, or 0/1 columns (with --target).", rich_help_panel=_BASKETS),
]
Labels = Annotated[
    Path | None, typer.Option(help="Labels of the transactions, one per line.", rich_help_panel=_BASKETS)
]
Separator = Annotated[
    str | None, typer.Option(help="What parts items; white space if not given.", rich_help_panel=_BASKETS)
]


def say(*lines: object, err: bool = False) -> None:
    """Print lines. All that a command prints goes through here, a `cell` of a table or `emit`: names of columns, files
    and data sets come from outside, and must not steer the terminal, nor begin a line of their own.
    """
    typer.echo("\n".join(map(plain, lines)), err=err)


def emit(answer: Any) -> None:
    """The one JSON document of a command, in which signs that are not printable are written as JSON escapes them."""
    text = json.dumps(answer, indent=2, ensure_ascii=False)
    typer.echo("".join(sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1] for sign in text))


def cell(text: object, most: int = 60, style: str = "") -> Text:
    """A cell of a rich table, in which a text from outside is neither markup nor an escape."""
    from rich.text import Text

    from discreet.report.wording import short

    return Text(short(plain(text), most), style=style)


def console() -> Console:
    """Where text for a person goes."""
    from rich.console import Console

    return Console(highlight=False)


def watch(*, quiet: bool, as_json: bool) -> None:
    """Progress bars, unless nobody looks."""
    from discreet.foundation import progress

    progress.show(not quiet and not as_json)
    global _watched
    _watched = not quiet and not as_json


_watched = False


@contextmanager
def step(what: str) -> Iterator[None]:
    """Say what is being done once it has lasted longer than people wait; bars, where there are any, follow below."""
    from discreet.foundation.progress import PATIENCE

    timer = threading.Timer(PATIENCE, lambda: say(f"{what} ...", err=True))
    timer.daemon = True
    if _watched:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def split(values: list[str] | None, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Names from a repeatable option: parted by commas, unless the whole text is a known name.

    >>> split(["age,sex", "zip, code"], known=("age", "sex", "zip, code"))
    ('age', 'sex', 'zip, code')
    """
    names: list[str] = []
    for value in values or ():
        names += [value] if value in known else [part.strip() for part in value.split(",") if part.strip()]
    return tuple(names)


def pairs(values: list[str] | None, option: str) -> dict[str, str]:
    """name=value options as a mapping.

    >>> pairs(["zip=category"], "--kind")
    {'zip': 'category'}
    """
    found = {}
    for value in values or ():
        name, equals, text = value.rpartition("=") if option == "--kind" else value.partition("=")
        if not equals or not name.strip():
            raise DataError(f"{option} takes name=value; one was given without a name or without '='.")
        found[name.strip()] = text.strip()
    return found


def shares(text: str, option: str) -> float | dict[str, float]:
    """A share, or shares by name.

    >>> shares("0.2", "--max-suppressed"), shares("rows=0.05,cells=0.3", "--max-suppressed")
    (0.2, {'rows': 0.05, 'cells': 0.3})
    """
    try:
        if "=" not in text:
            return float(text)
        return {name: float(share) for name, share in pairs(text.split(","), option).items()}
    except ValueError:
        raise DataError(f"{option} takes a share such as 0.2, or rows=0.05,cells=0.3.") from None


def values(settings: list[str] | None) -> dict[str, Any]:
    """name=value options with their values: JSON where it is JSON, lists without brackets too, else text.

    >>> values(["k=5", "split=median", 'cuts={"age": [40]}', "weights=0.5,0.5", "attackers=c45,naive-bayes"])
    {'k': 5, 'split': 'median', 'cuts': {'age': [40]}, 'weights': [0.5, 0.5], 'attackers': ['c45', 'naive-bayes']}
    """
    return {name: _value(text) for name, text in pairs(settings, "--set").items()}


def _value(text: str) -> Any:
    for tried in (text, f"[{text}]" if "," in text else text):
        with suppress(ValueError):
            return json.loads(tried)
    words = [word.strip() for word in text.split(",")]
    return words if len(words) > 1 and all(word.replace("-", "").isalnum() for word in words) else text


def shape_of(path: Path, baskets: BasketSource | None = None, labels: Path | None = None) -> str:
    """What a file holds, "table", "columns" of 0 and 1, or "transactions": as the options say, else as it looks."""
    from discreet.data.transactions import looks_like_transactions

    if baskets is not None:
        return baskets.value
    return "transactions" if labels is not None or looks_like_transactions(path) else "table"


def read_table(
    path: Path,
    *,
    delimiter: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    names: list[str] | None = None,
    header: bool | None = None,
    missing: list[str] | None = None,
    kinds: list[str] | None = None,
    by_cells: bool = False,
) -> Table:
    """The table in a file, read as the options say; for a method that reads cell by cell no row tells how.

    Transactions are refused: their first row is no line of names.
    """
    from discreet.data.column import KINDS, MISSING_MARKS
    from discreet.data.table import Table

    if not by_cells and delimiter is None and names is None and header is None and shape_of(path) == "transactions":
        raise DataError(
            f"{path.name!r} looks like transactions, items parted by white space, not like a table. Say --baskets"
            " transactions, or how a table is to be read: --header or --no-header, --delimiter."
        )

    csv_options: dict[str, Any] = {
        "delimiter": "\t" if delimiter in ("tab", "\\t") else delimiter,
        "quote": quote,
        "encoding": encoding,
        "names": list(split(names)) or None,
        "header": header,
    }
    by_name: dict[str, Any] = dict(pairs(kinds, "--kind"))
    for kind in by_name.values():
        if kind not in KINDS:
            raise DataError(f"{kind!r} is not a kind of column.{did_you_mean(kind, KINDS)} They are {listing(KINDS)}.")
    given = {name: value for name, value in csv_options.items() if value is not None}
    with step(f"Reading {path.name}"):
        marks = tuple(missing) if missing else MISSING_MARKS
        if by_cells:
            return Table.by_cells(path, dialect=given, kinds=by_name, missing=marks)
        return Table.of(path, kinds=by_name, missing=marks, **given)
