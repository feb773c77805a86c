# SPDX-License-Identifier: Apache-2.0
"""discreet inspect: what the columns are, what they might be for, how identifiable the raw table is."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.commands.options import (
    Delimiter,
    Encoding,
    Header,
    Json,
    Kinds,
    Missing,
    Names,
    Quiet,
    Quote,
    console,
    emit,
    read_table,
    split,
    step,
    watch,
)
from discreet.errors import RolesError, did_you_mean, listing


def inspect(
    file: Annotated[Path, typer.Argument(help="A CSV or Parquet file.")],
    target: Annotated[str | None, typer.Option(help="The column to be predicted; guessed if not given.")] = None,
    quasi: Annotated[
        list[str] | None, typer.Option(help="Columns an attacker may know, a,b,c; suggested if not given.")
    ] = None,
    person: Annotated[str | None, typer.Option(help="The column that tells whose row it is.")] = None,
    delimiter: Delimiter = None,
    quote: Quote = None,
    encoding: Encoding = None,
    names: Names = None,
    header: Header = None,
    missing: Missing = None,
    kinds: Kinds = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Look at a table: its columns, a role for each with the reason, and how identifiable its rows are.

    Prints names and counts, never what is in a cell.
    """
    from discreet.data.roles import suggest
    from discreet.evaluate.risk import risk

    watch(quiet=quiet, as_json=as_json)
    table = read_table(
        file,
        delimiter=delimiter,
        quote=quote,
        encoding=encoding,
        names=names,
        header=header,
        missing=missing,
        kinds=kinds,
    )
    with step("Looking at the columns"):
        suggestions = suggest(table, target=target)
    given = split(quasi, table.names)
    unknown = [name for name in (*given, *([person] if person else [])) if name not in table]
    if unknown:
        hint = did_you_mean(unknown[0], table.names)
        raise RolesError(f"These columns are not in the table: {listing(unknown)}.{hint}")
    chosen = given or tuple(s.column for s in suggestions if s.role == "quasi")
    counted = person or next((s.column for s in suggestions if s.role == "person" and not given), None)
    persons = None if counted is None else table.column(counted).codes
    found = risk(table, chosen, persons=persons) if chosen else None
    columns = [_column(table.column(suggestion.column), suggestion) for suggestion in suggestions]
    if as_json:
        answer = {"format": 1, "file": file.name, "dialect": _dialect(file), "rows": len(table), "columns": columns}
        emit(answer | {"quasi": list(chosen), "person": counted, "risk": None if found is None else _plain(found)})
        return
    _print_columns(file, len(table), columns, "" if delimiter else _dialect_in_words(_dialect(file)))
    if found is None:
        typer.echo(
            "No column looks like a quasi-identifier. Name them with --quasi to see how identifiable the rows are."
        )
        return
    _print_risk(found, chosen, counted, suggested=not given)


def _dialect(file: Path) -> dict[str, str] | None:
    """How the cells of a plain text file are parted and quoted; nothing for Parquet and packed files."""
    from discreet.data.csv import find_delimiter, find_quote

    if file.is_dir():
        return None
    with file.open("rb") as opened:
        head = opened.read(1 << 16)
    if head.startswith((b"PAR1", b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd")) or b"\x00" in head:
        return None
    text = head.decode("utf-8", errors="replace")
    quote = find_quote(text)
    return {"delimiter": find_delimiter(text[: text.rfind("\n") + 1] or text, quote), "quote": quote}


def _column(column: Any, suggestion: Any) -> dict[str, Any]:
    missing = int((column.codes == len(column.values)).sum())
    return {
        "name": column.name,
        "kind": column.kind,
        "values": len(column.values),
        "missing": missing,
        "role": suggestion.role,
        "reason": suggestion.reason,
    }


def _plain(found: Any) -> dict[str, Any]:
    return asdict(found) | {"below": {str(size): rows for size, rows in found.below.items()}}


def _dialect_in_words(dialect: dict[str, str] | None) -> str:
    return "" if dialect is None else f", cells parted by {dialect['delimiter']!r}"


def _print_columns(file: Path, n_rows: int, columns: list[dict[str, Any]], dialect: str) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from discreet.report.words import count, short

    typer.echo(f"{file.name}: {count(n_rows)} rows, {count(len(columns))} columns{dialect}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    for title in ("column", "kind", "values", "missing", "role", "why"):
        table.add_column(title, justify="right" if title in ("values", "missing") else "left")
    for column in columns:
        numbers = (count(column["values"]), count(column["missing"]) if column["missing"] else "")
        table.add_row(Text(short(column["name"], 40)), column["kind"], *numbers, column["role"], column["reason"])
    console().print(table)


def _print_risk(found: Any, quasi: tuple[str, ...], person: str | None, *, suggested: bool) -> None:
    from discreet.report.words import approximately, count

    whose = "" if person is None else f", counted in persons ({count(found.persons)} of them)"
    typer.echo(f"On the {'suggested ' if suggested else ''}quasi-identifiers {listing(quasi)}{whose}:")
    typer.echo(f"  smallest group        k = {count(found.k)}")
    typer.echo(f"  unique rows           {count(found.unique)} ({approximately(found.unique / found.rows)})")
    typer.echo(f"  rows in groups < 5    {count(found.below[5])} ({approximately(found.below[5] / found.rows)})")
    typer.echo(f"  average risk          {approximately(found.average)} to pick the right person in a row's group")
    if suggested:
        typer.echo("The roles are a first guess; you know better what an outsider can know.")
