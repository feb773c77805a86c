# SPDX-License-Identifier: Apache-2.0
"""discreet demo: the whole workflow on made-up people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from discreet.cli.options import Json, Quiet, console, emit, say, watch


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder to write; one of an earlier demo is replaced.")
    ] = Path("discreet-demo"),
    rows: Annotated[int, typer.Option(help="How many made-up people.")] = 5000,
    k: Annotated[int, typer.Option("--k", help="How many persons must be alike.")] = 10,
    seed: Annotated[int, typer.Option(help="The same seed gives the same people and the same releases.")] = 0,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Release made-up hospital patients with two methods, verify both, compare four methods, and write the reports."""
    from discreet.cli.demo_walk import run
    from discreet.report.text import baselines, comparison
    from discreet.report.wording import approximately, count

    watch(quiet=quiet, as_json=as_json)
    silent = quiet or as_json

    def step(text: str) -> None:
        if not silent:
            say(text, err=True)

    done = run(out, rows=rows, k=k, seed=seed, say=step)
    if as_json:
        reports = {"report": str(done.report), "study_report": str(done.study_report)}
        emit({"folder": str(done.folder), **reports, "summary": done.summary, "study": done.study})
        return
    before, columns = done.summary["risk_before"], done.summary["source"]["columns"]
    quasi = [column["name"] for column in columns if column["role"] == "quasi"]
    say(
        "",
        f"clinic: {count(before['rows'])} made-up hospital stays. An attacker may know {', '.join(quasi[:-1])} and"
        f" {quasi[-1]}.",
        f"As they are, {count(before['unique'])} of the rows"
        f" ({approximately(before['unique_share'])}) are unique: anyone who knows their values finds the diagnosis.",
    )
    console().print(comparison(done.summary))
    say(baselines(done.summary))
    say("", f"Compared: {done.study['made']} releases by four methods. Chosen: {_chosen(done.study)}.")
    say("", f"Report: {done.report}   the two releases")
    say(f"Study:  {done.study_report}   all releases compared: plots, choice, attacks")
    say("Next:")
    for command in (  # each can be run as it is
        f"discreet inspect {out / 'clinic.csv'} --target readmitted",
        f"discreet verify {out / 'tree-ladder' / 'release'}",
        f"discreet release {out / 'clinic.csv'} --target readmitted --quasi {','.join(quasi)}"
        f" --sensitive diagnosis --identifiers patient_id,name --method tree-ladder --k {2 * k} -o my-release",
        f"discreet compare {out / 'clinic.csv'} {out / 'study' / 'recipe.toml'} -o my-study",
    ):
        say(f"  {command}")
    say(f"The same in the browser: discreet studio {out / 'clinic.csv'}")


def _chosen(study: dict[str, Any]) -> str:
    from discreet.report.wording import number

    best = next((line for line in study["candidates"] if line["best"]), None)
    if best is None:
        return "none: there are too few rows to measure them"
    before, after = study["lines"][0]["utility"], best["utility"]
    result = f"{best['name']}, {best['promise']}: accuracy {after:.3f} (original {before:.3f})"
    return f"{result}, {number(best['privacy'])} of 100 persons are not found"
