# SPDX-License-Identifier: Apache-2.0
"""discreet choose: which of the candidates of a study to take."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import Json, Quiet, cell, console, emit, pairs, say, split, step, watch
from discreet.cli.running import refuse_unused
from discreet.errors import DataError, did_you_mean, listing

if TYPE_CHECKING:
    from discreet.choose import Candidate, Measure


class By(StrEnum):
    rank = "rank"
    value = "value"


def choose(
    study: Annotated[
        Path, typer.Argument(help="A folder of saved releases, of results.json|parquet|csv, or such a file.")
    ],
    weights: Annotated[
        str | None,
        typer.Option(
            help="How much each measure counts; they sum to 1, and 0 ignores one."
            " If not given, utility=0.5,privacy=0.25,detail=0.25."
        ),
    ] = None,
    by: Annotated[By, typer.Option(help="Weigh values between worst and best, or ranks as E(S) does.")] = By.value,
    lower: Annotated[list[str] | None, typer.Option(help="Measures where lower is better, a,b; repeatable.")] = None,
    higher: Annotated[list[str] | None, typer.Option(help="Measures where higher is better, a,b; repeatable.")] = None,
    baseline: Annotated[
        str | None, typer.Option(help="What plots compare the candidates with, if not the original.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Write the ranking and its plots to this HTML file.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the file of --plot.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Rank the candidates of a study by weighted measures, and name the best.

    Saved releases are verified first; utility is known for those made with --evaluate.
    """
    from discreet.choose import choose as decide
    from discreet.choose import read_study
    from discreet.choose.weights import in_words
    from discreet.report.choice_page import pictures, summarise_choice, to_page

    watch(quiet=quiet, as_json=as_json)
    if plot is None:
        refuse_unused("overwrite", "baseline", because="only plots use it, and --plot, which writes them, is not given")
    if plot is not None and plot.exists() and not (overwrite and plot.is_file()):
        raise DataError(f"{plot.name!r} exists already. Choose another file, or add --overwrite.")
    wanted = weights_of(in_words() if weights is None else weights)
    with step("Reading and verifying the candidates"):
        candidates, lines, named = read_study(study)
    if not candidates:
        raise DataError(f"{study.name!r} has no candidate to choose from: {listing(lines)} are none.")
    if weights is None and not any("detail" in candidate.measures for candidate in candidates):
        wanted = _without_detail(wanted)
    base = _checked(baseline or named, candidates, lines)
    counting = {name for name, weight in wanted.items() if weight}
    complete = [candidate for candidate in candidates if counting <= candidate.measures.keys()]
    left_out = tuple(c.name for c in candidates if c not in complete) if complete else ()
    choice = decide(
        complete or candidates, wanted, by.value, measures=_ways(split(lower), split(higher), candidates, wanted)
    )
    summary = summarise_choice(choice, name=study.resolve().name, left_out=left_out, lines=lines)
    if plot is not None:
        from discreet.foundation.atomic_files import write_whole

        try:
            write_whole(plot, to_page(summary, pictures(choice, base)).encode())
        except OSError as error:
            raise DataError(f"{plot.name!r} cannot be written ({error.strerror}). Choose another file.") from None
    if as_json:
        emit(summary | {"choice_format": summary["format"]})
    else:
        _print(summary, quiet)
        if plot is not None and not quiet:
            say(f"Plots        {plot}")


def weights_of(text: str) -> dict[str, Fraction]:
    """Weights by name, exact.

    >>> weights_of("utility=0.5, privacy=1/4,size=0.25")["privacy"]
    Fraction(1, 4)
    """
    fractions: dict[str, Fraction] = {}
    parts = text.split(",")
    named = pairs(parts, "--weights")
    if len(named) < len(parts):
        raise DataError("--weights names a measure twice. Give each one weight.")
    for name, number in named.items():
        try:
            fractions[name] = Fraction(number)
        except (ValueError, ZeroDivisionError):
            raise DataError(f"The weight of {name!r} is not a number. Write, say, --weights utility=1/2,...") from None
    return fractions


def _without_detail(weights: dict[str, Fraction]) -> dict[str, Fraction]:
    """The weights in the same proportion without that of the detail, which files of others do not have."""
    say("No candidate has a detail: weighed without it.", err=True)
    rest = {name: weight for name, weight in weights.items() if name != "detail"}
    return {name: weight / sum(rest.values()) for name, weight in rest.items()}


def _checked(name: str | None, candidates: tuple[Candidate, ...], lines: dict[str, Candidate]) -> Candidate | None:
    """The candidate or line of that name; without one the original, if it is known."""
    from discreet.choose.reference_lines import ORIGINAL

    known = lines | {candidate.name: candidate for candidate in candidates}
    if name is not None and name not in known:
        raise DataError(f"There is no candidate {name!r}.{did_you_mean(name, known)} They are {listing(known)}.")
    return known.get(name or ORIGINAL)


def _ways(
    lower: tuple[str, ...], higher: tuple[str, ...], candidates: tuple[Candidate, ...], weights: dict[str, Fraction]
) -> dict[str, Measure]:
    """Measures whose direction was given by --lower or --higher."""
    from discreet.choose import MEASURES, Measure

    if unknown := [name for name in (*lower, *higher) if not weights.get(name)]:
        hint = did_you_mean(unknown[0], weights)
        raise DataError(f"--lower and --higher take measures that have a weight; {listing(unknown)} has none.{hint}")
    if both := set(lower) & set(higher):
        raise DataError(f"{listing(sorted(both))} cannot be in both --lower and --higher.")
    measures = {}
    for name in (*lower, *higher):
        meaning = next(
            (c.meanings[name] for c in candidates if name in c.meanings), MEASURES.get(name, Measure(title=name))
        )
        measures[name] = meaning.model_copy(update={"higher_is_better": name in higher, "scale": None})
    return measures


def _print(summary: dict[str, Any], quiet: bool) -> None:
    from rich import box
    from rich.table import Table

    from discreet.report.wording import number, precise

    if not quiet:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True, header_style="bold")
        score, other = ("E(S)", "by value") if summary["by"] == "rank" else ("score", "by rank")
        table.add_column("candidate")
        for title in (score, *(c["name"] for c in summary["criteria"]), other):
            table.add_column(title, justify="right")
        table.add_column("front")
        for row in summary["ranking"]:
            measured = [f"{precise(row['measures'][name])} ({rank})" for name, rank in row["ranks"].items()]
            rest = row["score_by_value"] if summary["by"] == "rank" else row["score_by_rank"]
            front = "knee" if row["name"] == summary["knee"] else "yes" if row["on_front"] else ""
            table.add_row(cell(row["name"], 48), precise(row["score"]), *measured, precise(rest), front)
        for line in summary["lines"]:
            found = line["measures"]
            measured = [precise(found[c["name"]]) if c["name"] in found else "" for c in summary["criteria"]]
            table.add_row(cell(line["name"], 48), "", *measured, "", "no candidate")
        console().print(table)
        weighed = ", ".join(f"{c['name']} {number(c['weight'])}" for c in summary["criteria"])
        say(f"Weights      {weighed}; in brackets the rank, 1 is the worst")
        if summary["noise"] and summary["by"] == "value":
            say(f"Noise        utilities within {summary['noise']:.3f} of the best, one standard error, count as equal")
    for name, why in () if quiet else summary["passed_over"].items():
        say(f"Never        {name}: {why}")
    say(f"Best         {summary['best'] or 'none can be recommended'}")
    if quiet:
        return
    if summary["second"] is not None:
        say(f"Second best  {summary['second']}")
    say(f"Front        {listing(summary['front'], most=8)}")
    say(f"Knee         {summary['knee'] or 'none: the front does not bend outwards'}")
    if summary["left_out"]:
        say(f"Left out     {listing(summary['left_out'])}: a measure with a weight is missing")
