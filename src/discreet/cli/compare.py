# SPDX-License-Identifier: Apache-2.0
"""discreet compare: run every method of a recipe on your data, measure all alike, choose one."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.file_options import ReadingOptions
from discreet.cli.given_recipe import RecipePath, recipe_or_refuse
from discreet.cli.options import Json, Quiet, cell, console, emit, remark, say, step, watch
from discreet.errors import DataError, RolesError, listing, shown

if TYPE_CHECKING:
    from discreet.data.role_suggestions import Suggestion
    from discreet.study.recipe import Recipe


def compare(
    data: Annotated[
        Path, typer.Argument(help="The table: CSV, Excel, Parquet, SPSS and others; or a file of transactions.")
    ],
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
    recipe_option: RecipePath = None,
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
    roles: GuessedRoles | None = None
    recipe = recipe_or_refuse(recipe_option, recipe)
    if recipe is None:
        study_recipe, text, roles = _suggested(data, target, labels)
        if roles is not None and not as_json and not quiet:
            say(*roles.announcement())
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
        remark(*study.dataset.notes)
        with step("Writing the report"):
            guessed = () if roles is None else [one.column for one in roles.suggestions]
            summary = summarise_study(study, name=os.fsencode(data.name).decode(errors="replace"), guessed=guessed)
            with StudyFolder(out).alone(wait=True):
                written = write_study(study, summary)
    except (KeyboardInterrupt, SystemExit):
        if out.is_dir():
            say(f"What is done so far is in {out}. The same command resumes it.", err=True)
        raise
    if as_json:
        suggested = None if roles is None else [vars(one) for one in roles.suggestions]
        files = {name: str(path) for name, path in written.items()}
        emit(summary | {"study_format": summary["format"], "guessed_roles": suggested, "files": files})
    else:
        _print(summary, {name: str(path) for name, path in written.items()}, quiet, roles)
    if not summary["candidates"]:
        raise typer.Exit(2)  # no release could be made


@dataclass(frozen=True)
class GuessedRoles:
    """Roles that nobody gave: which column got which, and how to write them down and correct them."""

    file: str
    target: str | None
    suggestions: Sequence[Suggestion]

    def announcement(self) -> list[str]:
        """The guess, column by column, before anything is computed."""
        width = max(len(shown(one.column)) for one in self.suggestions)
        lines = [f"No recipe was given, so the roles of the {len(self.suggestions)} columns are guessed:"]
        for role in ("target", "quasi", "sensitive", "other", "person", "identifiers", "decide", "none"):
            mine = [one for one in self.suggestions if one.role == role]
            lines += [f"  {role:<11} {shown(one.column):<{width}}  {one.reason}" for one in mine]
        return lines

    @property
    def undecided(self) -> list[str]:
        return [one.column for one in self.suggestions if one.role == "decide"]

    @property
    def unpublished(self) -> list[str]:
        """The undecided columns, unless all are: then they are taken as known to outsiders."""
        return self.undecided if any(one.role == "quasi" for one in self.suggestions) else []

    def sentences(self) -> list[str]:
        """What to do about it, before a recommendation."""
        undecided = self.undecided
        target = "" if self.target is None else f" --target {shlex.quote(self.target)}"
        lines = ["Roles    guessed, not given: a wrong role makes every promise worthless. Read them above."]
        if undecided:
            many = "1 column" if len(undecided) == 1 else f"{len(undecided)} columns"
            taken = "not published" if self.unpublished else "taken as known to outsiders"
            lines.append(f"Decide   {many} nobody has decided on, so {taken}: {listing(undecided, most=6)}.")
            lines.append("         What an outsider may know about a person is 'quasi', what nobody can know 'other'.")
        file = shlex.quote(self.file)
        write = f"discreet inspect {file}{target} --recipe recipe.toml"
        return [*lines, f"Correct  {write}; edit it; discreet compare {file} --recipe recipe.toml"]


def _suggested(data: Path, target: str | None, labels: Path | None) -> tuple[Recipe, str, GuessedRoles | None]:
    """A recipe with suggested roles for a table, or for transactions with their labels."""
    from discreet.data.role_suggestions import settled, suggest
    from discreet.study import first_recipe, recipe_from

    roles = None
    if labels is None:
        table = ReadingOptions().read(data)
        suggestions = suggest(table, target=target)
        if not any(one.role == "target" for one in suggestions):
            raise RolesError("No column looks like a target for a classifier. Name it with --target.")
        text = first_recipe(str(data), settled(suggestions))
        roles = GuessedRoles(os.fsencode(data).decode(errors="replace"), target, suggestions)
    elif target is None:
        text = first_recipe(str(data), [], "transactions", labels=os.path.relpath(labels, data.parent))
    else:
        raise DataError("--labels is for transactions, which have no columns; --target is for tables. Give one.")
    return recipe_from(text), text, roles


def _print(summary: dict[str, Any], files: dict[str, str], quiet: bool, roles: GuessedRoles | None) -> None:
    if not quiet:
        if summary["candidates"] or summary["failed"]:
            _print_table(summary)
        for name, why in summary["skipped"].items():
            say(f"Skipped  {name}: {why}")
        for name, failed in summary["failed"].items():
            say(f"Failed   {name} ({failed['error']}). {failed['why']}")
        reasons: dict[str, list[str]] = {}
        for name, why in summary["passed_over"].items():
            reasons.setdefault(why, []).append(name)
        for why, names in reasons.items():
            say(f"Never    {', '.join(names)}: {why}")
    if roles is not None and not quiet:
        say(*roles.sentences())
    _print_choice(summary, files, quiet, roles)
    if not quiet:
        say(f"Report   {files['report']}   (yours: do not publish it)")


def _print_choice(summary: dict[str, Any], files: dict[str, str], quiet: bool, roles: GuessedRoles | None) -> None:
    guessed = roles is not None
    if summary["best"] is None:
        say(f"Chosen   none: {_why_none(summary, 0 if roles is None else len(roles.unpublished))}")
        return
    say(f"Chosen   {'If these roles are right: ' if guessed else ''}{summary['best']}")
    line = next(row for row in summary["candidates"] if row["best"])
    for text in line["warnings"]:
        say(f"Mind     {text}")
    if quiet:
        return
    if summary["why"]:
        say(f"Why      {summary['why']}")
    if summary["otherwise"]:
        way = "By value" if summary["by"] == "rank" else "By rank "
        say(f"{way} {summary['otherwise']} would be chosen: ranks ignore noise, and by how much one is ahead")
    if summary["best_folder"]:
        only = "   (only if these roles are right)" if guessed else ""
        say(f"Publish  {files['study']}/{summary['best_folder']}/release{only}")


def _why_none(summary: dict[str, Any], unpublished: int) -> str:
    if not summary["made"]:
        return "no release was made"
    if summary["passed_over"]:
        return f"no release can be recommended, see above.{_hint(summary, unpublished)}"
    return "they lack a measure that has a weight"


def _hint(summary: dict[str, Any], unpublished: int) -> str:
    """What to try where the table itself does not tell its classes apart by this measure."""
    original, guessing = summary["lines"][0], summary["lines"][-1]
    if None in (original["low"], original["high"], guessing["utility"]):
        return ""
    if not original["low"] <= guessing["utility"] <= original["high"]:
        return ""
    if unpublished:
        without = "the column" if unpublished == 1 else f"the {unpublished} columns"
        return (
            f" Without {without} to decide on, the original is within noise of guessing, too:"
            " decide on them, then compare again"
        )
    measure = "" if summary["measure"] == "auc" else ", another measure ('auc')"
    return f" The original is within noise of guessing, too: more rows{measure} or other classifiers may tell more"


def _print_table(summary: dict[str, Any]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from discreet.choose.reference_lines import WITHOUT_QUASI
    from discreet.report.wording import precise

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
    table.add_column("release", overflow="fold")
    for title in (summary["measure_title"], "not found", "detail", "columns", "score", "E(S)"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in summary["lines"]:
        table.add_row(cell(row["name"], style="italic"), _scored(row), *_figures(row), "", "")
    for row in summary["candidates"]:
        scores = ["" if row[name] is None else precise(round(row[name], 3)) for name in ("score", "e")]
        noise = " ≈" if row["difference"] is not None and row["difference"]["unsure"] else ""
        name = cell(row["name"], style="bold" if row["best"] else "")
        table.add_row(name, _scored(row) + noise, *_figures(row), *scores)
    for failure, failed in summary["failed"].items():
        table.add_row(cell(failure), Text(f"failed: {failed['error']}"))
    console().print(table)
    columns = summary["lines"][0]["size"] if summary["lines"] else 0
    if any(row["name"] == WITHOUT_QUASI and not row["size"] for row in summary["lines"]):
        say("No quasi-identifiers: nothing else is published, so guessing is what is left.")
    weights = ", ".join(f"{name} {weight:g}" for name, weight in summary["weights"].items())
    say("Not found: of 100 persons, by the strongest attack that names a row. ± is half")
    say("a 95 % interval; figures counted on all rows, or promised, have none. ≈ within")
    say("noise: the interval of the difference from the original contains 0.")
    say(f"Detail: information kept, 0 to 1. Columns: with two labels or more, of {columns:,.0f}.")
    say(f"Score by {summary['by']}: {weights}. E(S): as published.")
    if summary["why_measure"]:
        say(f"{summary['measure_title']} decides: {summary['why_measure']}.")
    if summary["by"] == "value":
        say("Utilities within one standard error of the best count as equal.")


def _scored(row: dict[str, Any]) -> str:
    about = "" if row["low"] is None else f" ±{(row['high'] - row['low']) / 2:.3f}"
    return "none" if row["utility"] is None else f"{row['utility']:.3f}{about}"


def _figures(row: dict[str, Any]) -> list[str]:
    """Privacy, detail and size of a release or a line."""
    privacy, found = row["privacy"], row["unfound"] or {"low": None}
    unfound = "" if privacy is None else f"{privacy:.1f}"
    if privacy is not None and found["low"] is not None:
        unfound += f" ±{(found['high'] - found['low']) / 2:.1f}"
    size = "" if row["size"] is None else f"{row['size']:,.0f}"
    return [unfound, "" if row["detail"] is None else f"{row['detail']:.2f}", size]
