# SPDX-License-Identifier: Apache-2.0
"""discreet inspect: columns, suggested roles and re-identification risk of a raw table, or counts of baskets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.file_options import BasketOptions, ReadingOptions
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, cell, console, emit, say, split, step, watch
from discreet.errors import RolesError, did_you_mean, listing, plain

if TYPE_CHECKING:
    from discreet.data.baskets import Baskets


@with_groups
def inspect(
    *,
    file: Annotated[Path, typer.Argument(help="A CSV or Parquet file, or transactions, one row of items per line.")],
    target: Annotated[str | None, typer.Option(help="The column to be predicted; guessed if not given.")] = None,
    quasi: Annotated[
        list[str] | None, typer.Option(help="Columns an attacker may know, a,b,c; suggested if not given.")
    ] = None,
    person: Annotated[str | None, typer.Option(help="The column with the person each row belongs to.")] = None,
    baskets: BasketOptions,
    reading: ReadingOptions,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Look at a table: its columns, a role for each with the reason, and how identifiable its rows are.

    Prints names and counts, never cells; for transactions counts only, since an item is what somebody has.
    """
    from discreet.data.roles import suggest
    from discreet.evaluate.risk import risk

    watch(quiet=quiet, as_json=as_json)

    shape = "table" if reading.says_table and not baskets.is_given else baskets.shape(file)
    if shape != "table":
        if quasi or person:
            raise RolesError("Baskets have a label and items; they take no --quasi and no --person. Leave them out.")
        _inspect_baskets(file, _BASKETS[shape](file, target, baskets, reading), shape, as_json)
        return
    table = reading.read(file)
    with step("Looking at the columns"):
        suggestions = suggest(table, target=target)
    named = split(quasi, table.names)
    unknown = [name for name in (*named, *([person] if person else [])) if name not in table]
    if unknown:
        hint = did_you_mean(unknown[0], table.names)
        raise RolesError(f"These columns are not in the table: {listing(unknown)}.{hint}")
    chosen = named or tuple(s.column for s in suggestions if s.role == "quasi")
    counted = person or next((s.column for s in suggestions if s.role == "person" and not named), None)
    persons = None if counted is None else table.column(counted).codes
    risks = risk(table, chosen, persons=persons) if chosen else None
    columns = [_column(table.column(suggestion.column), suggestion) for suggestion in suggestions]
    if as_json:
        answer = {"format": 1, "file": _name(file), "dialect": _dialect(file), "rows": len(table), "columns": columns}
        emit(answer | {"quasi": list(chosen), "person": counted, "risk": None if risks is None else _plain(risks)})
        return
    _print_columns(file, len(table), columns, "" if reading.delimiter else _dialect_in_words(_dialect(file)))
    if risks is None:
        say("No column looks like a quasi-identifier. Name them with --quasi to see how identifiable the rows are.")
        return
    _print_risk(risks, chosen, counted, suggested=not named)


def _of_columns(file: Path, target: str | None, baskets: BasketOptions, reading: ReadingOptions) -> Baskets:
    from discreet.data.baskets import Baskets

    return Baskets.from_columns(reading.read(file), target=target)


def _of_transactions(file: Path, target: str | None, baskets: BasketOptions, reading: ReadingOptions) -> Baskets:
    if target is not None:
        raise RolesError("Transactions have no columns, so there is no --target; --labels names a file of labels.")
    return baskets.transactions(file)


_BASKETS = {"columns": _of_columns, "transactions": _of_transactions}


def _inspect_baskets(file: Path, data: Baskets, shape: str, as_json: bool) -> None:
    """Count rows and items, but name none: an item is what somebody has."""
    import numpy as np

    from discreet.evaluate.risk import risk

    risks, per_row = risk(data), np.diff(data.matrix.indptr)
    answer = {
        "format": 1,
        "file": _name(file),
        "shape": shape,
        "rows": len(data),
        "items": len(data.names),
        "classes": data.n_classes,
        "ones": int(data.matrix.nnz),
        "density": data.matrix.nnz / (len(data) * len(data.names)),
        "items_per_row": {"least": int(per_row.min()), "median": float(np.median(per_row)), "most": int(per_row.max())},
        "items_of_one_row": int((data.support == 1).sum()),
        "items_of_few_rows": int((data.support < 5).sum()),
        "risk": _plain(risks),
    }
    if as_json:
        emit(answer)
    else:
        _print_baskets(answer, risks)


def _print_baskets(answer: dict[str, Any], risks: Any) -> None:
    from discreet.report.wording import approximately, count, number, plural

    per_row, classes = answer["items_per_row"], answer["classes"]
    kind = "transactions" if answer["shape"] == "transactions" else "baskets of 0/1 columns"
    labelled = f", {plural(classes, 'class', 'classes')}" if classes else ", no labels"
    size = f"{plural(answer['rows'], 'row')}, {plural(answer['items'], 'item')}"
    say(f"{plain(answer['file'])}: {kind}, {size}{labelled}")
    say(f"  filled                {approximately(answer['density'])} of the cells")
    middle = f"median {number(per_row['median'])}"
    say(f"  items of a row        {count(per_row['least'])} to {count(per_row['most'])}, {middle}")
    few, one = count(answer["items_of_few_rows"]), count(answer["items_of_one_row"])
    say(f"  rare items            {few} in fewer than 5 rows, {one} in one row only")
    say("For an attacker who knows all items of a person:")
    _print_groups(risks)


def _name(file: Path) -> str:
    from discreet.data.read import source_name

    return source_name(file)


def _dialect(file: Path) -> dict[str, str] | None:
    """Delimiter and quote character of a text file; None for any other."""
    from discreet.data.csv import find_delimiter, find_quote
    from discreet.data.file_kinds import text_behind
    from discreet.data.held_file import head_of

    source = text_behind(file)
    head = b"\x00" if source is None else head_of(source, 1 << 16)
    if b"\x00" in head:
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


def _plain(risks: Any) -> dict[str, Any]:
    return asdict(risks) | {"below": {str(size): rows for size, rows in risks.below.items()}}


def _dialect_in_words(dialect: dict[str, str] | None) -> str:
    return "" if dialect is None else f", cells separated by {dialect['delimiter']!r}"


def _print_columns(file: Path, n_rows: int, columns: list[dict[str, Any]], dialect: str) -> None:
    from rich import box
    from rich.table import Table

    from discreet.report.wording import count

    say(f"{plain(_name(file))}: {count(n_rows)} rows, {count(len(columns))} columns{dialect}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    for title in ("column", "kind", "values", "missing", "role", "why"):
        table.add_column(title, justify="right" if title in ("values", "missing") else "left")
    for column in columns:
        numbers = (count(column["values"]), count(column["missing"]) if column["missing"] else "")
        table.add_row(cell(column["name"], 40), column["kind"], *numbers, column["role"], column["reason"])
    console().print(table)


def _print_risk(risks: Any, quasi: tuple[str, ...], person: str | None, *, suggested: bool) -> None:
    from discreet.report.wording import count

    whose = "" if person is None else f", counted in persons ({count(risks.persons)} of them)"
    say(f"On the {'suggested ' if suggested else ''}quasi-identifiers {listing(quasi)}{whose}:")
    _print_groups(risks)
    if suggested:
        say("The roles are suggestions: only you know what an outsider can know.")


def _print_groups(risks: Any) -> None:
    from discreet.report.wording import approximately, count

    say(f"  smallest group        k = {count(risks.k)}")
    say(f"  unique rows           {count(risks.unique)} ({approximately(risks.unique / risks.rows)})")
    say(f"  rows in groups < 5    {count(risks.below[5])} ({approximately(risks.below[5] / risks.rows)})")
    say(f"  average risk          {approximately(risks.average)} chance to pick the right person in a row's group")
