# SPDX-License-Identifier: Apache-2.0
"""discreet reproduce: a paper's tables made again, in a checkout of the project."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from discreet.errors import DataError

_WHERE = Path("benchmarks") / "reproduce.py"


def reproduce(
    paper: Annotated[
        str | None, typer.Argument(help="Which one, or all; page only writes the page; none: lists them.")
    ] = None,
    table: Annotated[str | None, typer.Option(help='One table of it, such as 5 or "Figure 1".')] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Seconds, on small data; keeps nothing.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Measure also what is kept and current.")] = False,
    under: Annotated[float | None, typer.Option(help="Leave out units that take so many seconds.")] = None,
) -> None:
    """Print a paper's tables: published, ours under its protocol, ours under the honest one.

    Works in a checkout of the project: the benchmarks are not in the package that is installed. What is measured is
    kept at once, so that a run that was stopped goes on where it was. What was measured with other code or data than
    those at hand is measured anew.
    """
    root = checkout(Path.cwd())
    if root is None:
        raise DataError(
            "The papers' tables are made by the folder 'benchmarks', which is in the project's source and not in the"
            " installed package, and there is no checkout here or above. Get the source (git clone, or unpack the"
            " source distribution: pip download --no-binary discreet --no-deps discreet), change to its folder, and"
            " ask again there."
        )
    asked = [*([paper] if paper else []), *(["--table", table] if table else [])]
    asked += [name for name, on in (("--quick", quick), ("--again", again)) if on]
    asked += ["--under", f"{under:g}"] if under is not None else []
    done = subprocess.run([sys.executable, "-m", "benchmarks.reproduce", *asked], cwd=root, check=False)
    raise typer.Exit(done.returncode)


def checkout(start: Path) -> Path | None:
    """The folder, here or above, that holds the benchmarks."""
    return next((folder for folder in (start, *start.parents) if (folder / _WHERE).is_file()), None)
