# SPDX-License-Identifier: Apache-2.0
"""discreet inspect: who stands out in a raw table or in baskets, because of which columns, and what to do next."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.file_options import BasketOptions, ReadingOptions, RoleOptions
from discreet.cli.given_recipe import GivenRecipe, Options
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, cell, console, emit, refuse_published, say, split, step, watch
from discreet.cli.running import refuse_unused
from discreet.errors import DataError, RolesError, did_you_mean, listing, plain

if TYPE_CHECKING:
    from discreet.data.baskets import Baskets
    from discreet.data.table import Table
    from discreet.risk.basket_inspection import BasketInspection
    from discreet.risk.inspection import Inspection


@with_groups
def inspect(
    *,
    file: Annotated[
        Path,
        typer.Argument(
            help="A table: CSV, Excel, Parquet, SPSS and others; or transactions, one row of items per line."
        ),
    ],
    target: Annotated[str | None, typer.Option(help="The column to be predicted; guessed if not given.")] = None,
    quasi: Annotated[
        list[str] | None, typer.Option(help="Columns an attacker may know, a,b,c; suggested if not given.")
    ] = None,
    person: Annotated[str | None, typer.Option(help="The column with the person each row belongs to.")] = None,
    recipe: Annotated[
        Path | None,
        typer.Option(
            "--recipe",
            help="Write the suggested roles and how the file is read to this file, for release, evaluate, attack and"
            " compare; if it exists, inspect with its roles.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the recipe.")] = False,
    baskets: BasketOptions,
    reading: ReadingOptions,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Look at a table: who stands out, because of which columns, a role for each with the reason, and what to do next.

    Prints names and counts, never cells; for transactions counts only, since an item is what somebody has.
    """
    watch(quiet=quiet, as_json=as_json)
    if overwrite and recipe is None:
        raise DataError("--overwrite replaces the file that --recipe names. Name one, or leave it out.")
    if recipe is not None and recipe.exists() and not recipe.is_file():
        raise DataError(f"{recipe.name!r} is no file. Choose another name for the recipe.")
    writes = recipe is not None and (overwrite or not recipe.exists())
    given = GivenRecipe(None if writes else recipe, quiet=quiet or as_json, undecided=True)
    asked = Options(RoleOptions(target=target, quasi=quasi, person=person), reading, baskets)
    options = given.options(file, asked)
    to_write = recipe if writes else None
    shape = "table" if options.reading.says_table and not options.baskets.is_given else options.baskets.shape(file)
    if shape != "table":
        if quasi or person:
            raise RolesError("Baskets have a label and items; they take no --quasi and no --person. Leave them out.")
        _inspect_baskets(file, shape, options, to_write, as_json=as_json, quiet=quiet)
        return
    refuse_unused("separator", because="the file is read as a table; add --baskets transactions")
    table = options.reading.read(file)
    with step("Looking at the columns"):
        found = _inspected(table, asked.roles, given)
    if to_write is not None:
        _write_recipe(to_write, file, found, options.reading)
    used = recipe if given.recipe is not None or to_write is not None else None
    following = _following(file, found, options.reading, used)
    if as_json:
        answer = {"format": 1, "file": _name(file), "dialect": _dialect(file)} | found.to_dict()
        emit(answer | {"recipe": None if used is None else str(used), "next": following[-1]})
        return
    _print_table(file, found, "" if options.reading.delimiter else _dialect_in_words(_dialect(file)), quiet=quiet)
    if not quiet:
        say("", *_written(to_write, found), *following)


# -- tables ----------------------------------------------------------------------------------------------------------


def _inspected(table: Table, asked: RoleOptions, given: GivenRecipe) -> Inspection:
    from discreet.risk.inspection import inspect_table

    for name in (asked.target, asked.person):
        if name is not None and name not in table:
            raise RolesError(f"There is no column {name!r}.{did_you_mean(name, table.names)}")
    named = split(asked.quasi, table.names)
    if given.recipe is None:
        return inspect_table(table, target=asked.target, quasi=named or None, person=asked.person)
    roles = given.roles(asked).roles(table.names)
    decided: dict[str, str] = dict.fromkeys(given.recipe.roles.decide, "decide")
    for role in ("quasi", "sensitive", "identifiers", "other"):
        decided |= dict.fromkeys(getattr(roles, role), role)
    decided |= {name: role for role in ("person", "target") if (name := getattr(roles, role)) is not None}
    decided |= dict.fromkeys(roles.without_role(table), "none") | decided
    return inspect_table(table, quasi=roles.quasi or None, person=roles.person, roles=decided)


def _print_table(file: Path, found: Inspection, dialect: str, *, quiet: bool) -> None:
    from rich import box
    from rich.table import Table

    from discreet.report.inspection_text import inspection_lines
    from discreet.report.wording import count

    say(f"{plain(_name(file))}: {count(found.rows)} rows, {count(len(found.columns))} columns{dialect}")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    for title in ("column", "kind", "values", "missing", "role", "why"):
        table.add_column(title, justify="right" if title in ("values", "missing") else "left")
    for column in found.columns:
        values = 0 if column.tells is None else column.tells.values - bool(column.missing)
        numbers = (count(values), count(column.missing) if column.missing else "")
        table.add_row(cell(column.name, 40), column.kind, *numbers, column.role, cell(column.reason, 400))
    console().print(table)
    say(*inspection_lines(found))
    if not quiet and not found.named and found.risk is not None:
        say("The roles are suggestions: only you know what an outsider can know.")


def _following(file: Path, found: Inspection, reading: ReadingOptions, recipe: Path | None) -> list[str]:
    """What to do next, ending with a command that can be copied."""
    from discreet.data.roles import Roles
    from discreet.study import next_command

    path, how = str(file), reading.arguments
    quasi, person = (found.quasi, found.person) if found.named else ((), None)
    asked = Roles(target=found.roles.target, quasi=quasi, person=person)
    write = next_command.inspect_command(path, asked, recipe="recipe.toml", reading=how)
    if not found.quasi:
        return ["Next     name the columns that outsiders may know, in a recipe:", write]
    if recipe is not None:
        place = str(recipe)
        first = []
        if found.undecided:
            first = [f"Decide   {listing(found.undecided)} in {plain(recipe.name)}, under [roles]; then"]
        compare = next_command.recipe_command("compare", path, place, out="study")
        release = next_command.recipe_command("release", path, place, method=next_command.METHOD, out="out")
        return [*first, f"Compare  {compare}", "Next", release]
    return [f"Recipe   {write}", "Next", next_command.release_command(path, found.roles, reading=how)]


def _written(recipe: Path | None, found: Inspection) -> list[str]:
    if recipe is None:
        return []
    left = f", {len(found.undecided)} of them to decide" if found.undecided else ""
    return [
        f"Written  {plain(recipe.name)}: a role for each of {len(found.columns)} columns{left}. Read and correct it."
    ]


def _write_recipe(recipe: Path, file: Path, found: Inspection, reading: ReadingOptions) -> None:
    from discreet.study import first_recipe

    write_recipe(recipe, first_recipe(str(file), found.suggestions, reading=reading.arguments))


def write_recipe(recipe: Path, text: str) -> None:
    """Write a recipe, readable by its owner only since it counts private rows, and the schema for editors beside it."""
    from discreet.foundation.atomic_files import write_whole
    from discreet.study import SCHEMA, schema

    refuse_published(recipe)
    try:
        write_whole(recipe.parent / SCHEMA, schema().encode(), mode=0o644)
        write_whole(recipe, text.encode())
    except OSError as error:
        raise DataError(f"{recipe.name!r} cannot be written ({error.strerror}). Choose another place.") from None


# -- baskets ---------------------------------------------------------------------------------------------------------


def _of_columns(file: Path, options: Options) -> Baskets:
    from discreet.data.baskets import Baskets

    return Baskets.from_columns(options.reading.read(file), target=options.roles.target)


def _of_transactions(file: Path, options: Options) -> Baskets:
    if options.roles.target is not None:
        raise RolesError("Transactions have no columns, so there is no --target; --labels names a file of labels.")
    return options.baskets.transactions(file)


_BASKETS = {"columns": _of_columns, "transactions": _of_transactions}


def _inspect_baskets(
    file: Path, shape: str, options: Options, recipe: Path | None, *, as_json: bool, quiet: bool
) -> None:
    """Count rows and items, but name none: an item is what somebody has."""
    from discreet.risk.basket_inspection import inspect_baskets
    from discreet.study import first_recipe

    data = _BASKETS[shape](file, options)
    with step("Looking for rare items"):
        found = inspect_baskets(data)
    labels = options.baskets.labels
    if recipe is not None:
        from discreet.data.role_suggestions import Suggestion

        target = options.roles.target
        suggestions = [] if target is None else [Suggestion(target, "target", f"{found.classes} classes")]
        where = None if labels is None else os.path.relpath(labels, file.parent)
        write_recipe(
            recipe, first_recipe(str(file), suggestions, shape, labels=where, reading=options.reading.arguments)
        )
    following = _following_baskets(file, shape, options)
    if as_json:
        answer = {"format": 1, "file": _name(file), "shape": shape} | found.to_dict()
        emit(answer | {"recipe": None if recipe is None else str(recipe), "next": following[-1]})
        return
    _print_baskets(file, shape, found)
    if not quiet:
        say("", *([] if recipe is None else [f"Written  {plain(recipe.name)}"]), *following)


def _following_baskets(file: Path, shape: str, options: Options) -> list[str]:
    from discreet.study.next_command import baskets_command

    labels, target = options.baskets.labels, options.roles.target
    before = []
    if shape == "transactions" and labels is None:
        labels = file.with_suffix(".labels")
        if not labels.is_file():
            before = [
                f"Labels   a release needs a label for each row, one per line, in a file such as {labels.name}; then"
            ]
    if shape == "columns" and target is None:
        target = "label"
        before = ["Labels   a release needs a column of labels; if it is called label,"]
    command = baskets_command(
        str(file),
        shape,
        labels=None if labels is None else str(labels),
        target=target,
        separator=options.baskets.separator,
    )
    return [*before, "Next", command]


def _print_baskets(file: Path, shape: str, found: BasketInspection) -> None:
    from discreet.report.inspection_text import groups_in_words
    from discreet.report.wording import approximately, count, number, plural

    per_row = found.items_per_row
    kind = "transactions" if shape == "transactions" else "baskets of 0/1 columns"
    labelled = f", {plural(found.classes, 'class', 'classes')}" if found.classes else ", no labels"
    say(f"{plain(_name(file))}: {kind}, {plural(found.rows, 'row')}, {plural(found.items, 'item')}{labelled}")
    say(f"  filled                {approximately(found.density)} of the cells")
    middle = f"median {number(per_row['median'])}"
    say(f"  items of a row        {count(per_row['least'])} to {count(per_row['most'])}, {middle}")
    few, one = count(found.items_of_few_rows), count(found.items_of_one_row)
    say(f"  rare items            {few} in fewer than 5 rows, {one} in one row only")
    least = "" if found.all_pairs else "at least "
    say(f"  one item singles out  {plural(found.rows_by_one_item, 'row')}")
    say(f"  two items single out  {least}{plural(found.rows_by_two_items, 'row')}")
    say("For an attacker who knows all items of a person:")
    say(*groups_in_words(found.risk))


# -- how a text file is written --------------------------------------------------------------------------------------


def _name(file: Path) -> str:
    from discreet.data.read import source_name

    return source_name(file)


def _dialect(file: Path) -> dict[str, str] | None:
    """Delimiter and quote character of a text file; None for any other."""
    from discreet.data.file_kinds import text_behind
    from discreet.data.file_layout import layout_of
    from discreet.data.held_file import head_of

    source = text_behind(file)
    head = b"\x00" if source is None else head_of(source, 1 << 16)
    if b"\x00" in head:
        return None
    text = head.decode("utf-8", errors="replace").lstrip("\ufeff")
    layout = layout_of(text[: text.rfind("\n") + 1] or text)
    return {"delimiter": layout.delimiter, "quote": layout.quote}


def _dialect_in_words(dialect: dict[str, str] | None) -> str:
    return "" if dialect is None else f", cells separated by {dialect['delimiter']!r}"
