# SPDX-License-Identifier: Apache-2.0
"""discreet recipe: write the file that states a study, or check one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.commands.options import Json, Quiet, emit, read_table, split, watch
from discreet.errors import DataError

app = typer.Typer(no_args_is_help=True, help="The file that states a study: write one to begin with, or check one.")


@app.command()
def init(
    data: Annotated[Path, typer.Argument(help="The table, CSV or Parquet, or a file of transactions.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write.")] = Path("recipe.toml"),
    target: Annotated[str | None, typer.Option(help="The column a classifier is to predict.")] = None,
    k: Annotated[list[str] | None, typer.Option(help="How many persons must be alike, 5,20.")] = None,
    transactions: Annotated[
        bool, typer.Option("--transactions", help="The file holds one transaction per line.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    quiet: Quiet = False,
) -> None:
    """Write a recipe with suggested roles, and beside it the schema that editors use to complete and check it."""
    from discreet.data.roles import suggest
    from discreet.recipe.schema import SCHEMA, schema
    from discreet.recipe.write import first_recipe

    watch(quiet=quiet, as_json=False)
    if out.exists() and not (overwrite and out.is_file()):
        raise DataError(f"{out.name!r} exists already. Choose another file, or add --overwrite.")
    counts = [_count(text) for text in split(k)] or [5, 20]
    if transactions:
        if not data.is_file():
            raise DataError(f"There is no file {data.name!r}. Check the path.")
        text = first_recipe(str(data), [], "transactions", counts)
    else:
        text = first_recipe(str(data), suggest(read_table(data), target=target), "table", counts)
    try:
        out.write_text(text, encoding="utf-8")
        (out.parent / SCHEMA).write_text(schema(), encoding="utf-8")
    except OSError as error:
        raise DataError(f"{out.name!r} cannot be written ({error.strerror}). Choose another place.") from None
    if not quiet:
        typer.echo(f"{out}: read the roles and correct them, then `discreet compare {data.name} {out.name} -o study`.")


@app.command()
def check(
    recipe: Annotated[Path, typer.Argument(help="The recipe.")],
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Check a recipe without its data: exit status 2 if something is wrong with it."""
    from discreet.recipe import read_recipe
    from discreet.recipe.write import default_methods

    watch(quiet=quiet, as_json=as_json)
    found = read_recipe(recipe)
    methods = found.methods or default_methods(found.source.shape)
    releases = sum(1 for method in methods for _ in method.grid(found.promises))
    if as_json:
        emit({"format": 1, "methods": [method.name for method in methods], "releases": releases})
    elif not quiet:
        typer.echo(f"{recipe.name} is fine: {len(methods)} methods, {releases} releases.")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise DataError("--k takes whole numbers from 2 on, such as 5,20.")
    return int(text)
