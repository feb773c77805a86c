# SPDX-License-Identifier: Apache-2.0
"""discreet compare: run every method of a recipe on your data, measure all alike, choose one."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.file_options import ReadingOptions
from discreet.cli.options import Json, Quiet, cell, console, emit, say, step, watch
from discreet.errors import DataError, RolesError

if TYPE_CHECKING:
    from discreet.study.recipe import Recipe


def compare(
    data: Annotated[Path, typer.Argument(help="The table, CSV or Parquet, or a file of transactions.")],
    recipe: Annotated[
        Path | None, typer.Argument(help="What to compare; without one, methods that suit the data.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of the study, which stays with you.")] = Path(
        "study"
    ),
    target: Annotated[str | None, typer.Option(help="Without a recipe: the column a classifier is to predict.")] = None,
    labels: Annotated[
        Path | None, typer.Option(help="Without a recipe: the data is transactions, and this file has their labels.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(min=1, help="How many cores to use, whatever the recipe says.")] = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Compare methods on this data: what they protect, what they cost, and which one to take.

    The same command resumes a study that was stopped.
    """
    from discreet.report.study_page import summarise_study, write_study
    from discreet.study import load_dataset, recipe_from, run_study, text_of_recipe
    from discreet.study.folder import StudyFolder

    watch(quiet=quiet, as_json=as_json)
    if recipe is None:
        study_recipe, text = _suggested(data, target, labels)
    else:
        if target is not None or labels is not None:
            raise DataError("The recipe describes the data; leave --target and --labels out.")
        text = text_of_recipe(recipe)
        study_recipe = recipe_from(text, name=recipe.name)
    if jobs is not None:
        study_recipe = study_recipe.model_copy(update={"run": study_recipe.run.model_copy(update={"jobs": jobs})})
    written_as = ("", "") if recipe is None else (text, recipe.name)
    load = partial(load_dataset, str(data), study_recipe.model_dump_json(), *written_as)
    try:
        study = run_study(load, study_recipe, out, text=text)
        with step("Writing the report"):
            summary = summarise_study(study, name=os.fsencode(data.name).decode(errors="replace"))
            with StudyFolder(out).alone(wait=True):
                written = write_study(study, summary)
    except (KeyboardInterrupt, SystemExit):
        if out.is_dir():
            say(f"What is done so far is in {out}. The same command resumes it.", err=True)
        raise
    if as_json:
        emit(summary | {"files": {name: str(path) for name, path in written.items()}})
    else:
        _print(summary, {name: str(path) for name, path in written.items()}, quiet)
    if not summary["candidates"]:
        raise typer.Exit(2)  # no release could be made


def _suggested(data: Path, target: str | None, labels: Path | None) -> tuple[Recipe, str]:
    """A recipe with suggested roles for a table, or for transactions with their labels."""
    from discreet.data.roles import suggest
    from discreet.study import first_recipe, recipe_from

    if labels is None:
        suggestions = suggest(ReadingOptions().read(data), target=target)
        if not any(one.role == "target" for one in suggestions):
            raise RolesError("No column looks like a target for a classifier. Name it with --target.")
        text = first_recipe(str(data), suggestions)
    elif target is None:
        text = first_recipe(str(data), [], "transactions", labels=os.path.relpath(labels, data.parent))
    else:
        raise DataError("--labels is for transactions, which have no columns; --target is for tables. Give one.")
    return recipe_from(text), text


def _print(summary: dict[str, Any], files: dict[str, str], quiet: bool) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from discreet.report.wording import precise

    if not quiet and (summary["candidates"] or summary["failed"]):
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
        for title in ("release", "promise"):
            table.add_column(title, overflow="fold")
        for title in (summary["measure_title"], "not found", "columns", "E(S)"):
            table.add_column(title, justify="right", no_wrap=True)
        for row in summary["candidates"]:
            texts = ["" if row[name] is None else precise(row[name]) for name in ("privacy", "size", "score")]
            about = "" if row["low"] is None else f" ±{(row['high'] - row['low']) / 2:.3f}"
            if row["privacy"] is not None and row["unfound"]["low"] is not None:
                texts[0] = f"{row['privacy']:.1f} ±{(row['unfound']['high'] - row['unfound']['low']) / 2:.1f}"
            name = cell(row["name"], style="bold" if row["best"] else "")
            score = "none" if row["utility"] is None else f"{row['utility']:.3f}{about}"
            table.add_row(name, Text(row["promise"]), score, *texts)
        for failure, failed in summary["failed"].items():
            table.add_row(cell(failure), Text(f"failed: {failed['error']}"))
        console().print(table)
        say("Not found: of 100 persons, by the strongest attack that names a row. ± is half")
        say("a 95 % interval; figures counted on all rows, or promised, have none.")
    if not quiet:
        for name, why in summary["skipped"].items():
            say(f"Skipped  {name}: {why}")
        for name, failed in summary["failed"].items():
            say(f"Failed   {name} ({failed['error']}). {failed['why']}")
    why_none = "none: they lack a measure that has a weight" if summary["made"] else "none: no release was made"
    say(f"Chosen   {summary['best'] or why_none}")
    if not quiet:
        if summary["otherwise"]:
            way = "By value" if summary["by"] == "rank" else "By E(S) "
            say(f"{way} {summary['otherwise']} would be chosen: E(S) compares ranks, values how far releases differ")
        if summary["best_folder"]:
            say(f"Publish  {files['study']}/{summary['best_folder']}/release")
        say(f"Report   {files['report']}   (yours: do not publish it)")
