# SPDX-License-Identifier: Apache-2.0
"""discreet reproduce: reproduce a paper's tables, in a checkout of the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import Json
from discreet.cli.running import refuse_unused
from discreet.errors import DataError

_WHERE = Path("benchmarks") / "reproduce.py"


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="A paper, or all; page only writes the page; without one, lists them.")
    ] = None,
    table: Annotated[str | None, typer.Option(help='One of its tables, such as 5 or "Figure 1".')] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A few seconds on small data; records nothing.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Measure everything anew, even if up to date.")] = False,
    under: Annotated[float | None, typer.Option(help="Skip units that take this many seconds or more.")] = None,
    as_json: Json = False,
) -> None:
    """Print a paper's tables: published, ours under its protocol, ours under the honest one.

    Works in a checkout of the project: the installed package has no benchmarks.

    Each result is recorded at once, so a stopped run can resume. Results from other code or data are measured again.
    """
    if paper is None or paper == "page":
        refuse_unused("table", "quick", "again", "under", because="no paper is named")
    if quick:
        refuse_unused("again", "under", because="--quick measures everything anew, and records nothing")
    root = checkout(Path.cwd())
    if root is None:
        raise DataError(
            "The folder 'benchmarks', which makes the papers' tables, is in the project's source but not in the"
            " installed package, and there is no checkout here or above. Get the source (git clone, or unpack the"
            " source distribution: pip download --no-binary discreet --no-deps discreet), change to its folder, and"
            " run this command there."
        )
    arguments = [*([paper] if paper else []), *(["--table", table] if table else [])]
    arguments += [name for name, on in (("--quick", quick), ("--again", again)) if on]
    arguments += ["--json"] if as_json else []
    arguments += ["--under", f"{under:g}"] if under is not None else []
    done = subprocess.run([sys.executable, "-m", "benchmarks.reproduce", *arguments], cwd=root, check=False)
    raise typer.Exit(done.returncode)


def checkout(start: Path) -> Path | None:
    """The folder, here or above, that holds the benchmarks."""
    return next((folder for folder in (start, *start.parents) if (folder / _WHERE).is_file()), None)
