# SPDX-License-Identifier: Apache-2.0
"""discreet recipe: write the file that defines a study, or check one."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.file_options import ReadingOptions, ShapeOptions
from discreet.cli.inspect import write_recipe
from discreet.cli.option_groups import with_groups
from discreet.cli.options import Json, Quiet, emit, say, split, watch
from discreet.errors import DataError

app = typer.Typer(no_args_is_help=True, help="The file that defines a study: write a first one, or check one.")


@app.command()
@with_groups
def init(
    *,
    data: Annotated[
        Path, typer.Argument(help="The table: CSV, Excel, Parquet, SPSS and others; or a file of transactions.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Where to write.")] = Path("recipe.toml"),
    target: Annotated[str | None, typer.Option(help="The column a classifier is to predict.")] = None,
    k: Annotated[list[str] | None, typer.Option(help="How many persons must be alike, 5,20.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file.")] = False,
    baskets: ShapeOptions,
    reading: ReadingOptions,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Write a recipe with suggested roles, and beside it the schema that editors use to complete and check it."""
    from discreet.data.role_suggestions import suggest
    from discreet.study import first_recipe

    watch(quiet=quiet, as_json=as_json)
    if out.exists() and not (overwrite and out.is_file()):
        raise DataError(f"{out.name!r} exists already. Choose another file, or add --overwrite.")
    counts = [_count(text) for text in split(k)] or [5, 20]
    shape = baskets.shape(data)
    if shape == "transactions":
        if target is not None or reading != ReadingOptions():
            raise DataError("Transactions have no columns. Leave out --target and the options for reading a table.")
        if not data.is_file():
            raise DataError(f"There is no file {data.name!r}. Check the path.")
        where = None if baskets.labels is None else os.path.relpath(baskets.labels, data.parent)
        text = first_recipe(str(data), [], shape, counts, where)
    elif baskets.labels is not None:
        raise DataError("--labels is for transactions; the labels of 0/1 columns are the --target.")
    else:
        table = reading.read(data)
        suggestions = suggest(table, target=target)
        text = first_recipe(str(data), suggestions, shape, counts, reading=reading.arguments)
        if not any(one.role == "target" for one in suggestions):
            say("No column looks like a target for a classifier: name it under [roles].", err=True)
    write_recipe(out, text)
    again = shlex.join(["discreet", "compare", str(data), str(out), "-o", "study"])
    if as_json:
        emit({"recipe": str(out), "shape": shape, "next": again})
    elif not quiet:
        say(f"{out}: read the roles and correct them, then `{again}`.")


@app.command()
def check(
    recipe: Annotated[Path, typer.Argument(help="The recipe.")],
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Check a recipe without its data: exit status 2 if it has an error."""
    from discreet.study import default_methods, read_recipe

    watch(quiet=quiet, as_json=as_json)
    checked = read_recipe(recipe)
    methods = checked.methods or default_methods(checked.source.shape)
    releases = sum(1 for method in methods for _ in method.grid(checked.promises))
    if as_json:
        emit({"format": 1, "methods": [method.name for method in methods], "releases": releases})
    elif not quiet:
        say(f"{recipe.name} is fine: {len(methods)} methods, {releases} releases.")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 2:
        raise DataError("--k takes whole numbers of at least 2, such as 5,20.")
    return int(text)
