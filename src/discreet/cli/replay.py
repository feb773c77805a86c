# SPDX-License-Identifier: Apache-2.0
"""discreet replay: make the release of a studio's project again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import Json, Quiet, emit, say, step, watch


def replay(
    project: Annotated[Path, typer.Argument(help="The project file that the studio wrote, project.toml.")],
    data: Annotated[
        Path | None, typer.Argument(help="The table; the file of that name beside the project file if not given.")
    ] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="The folder for the release.")] = Path("out"),
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing release.")] = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make the release that was chosen in the studio again: the same rows, from the same file."""
    from discreet.report.policy import Policy
    from discreet.study.replay import ProjectFile

    watch(quiet=quiet, as_json=as_json)
    read = ProjectFile.read(project)
    with step("Making the release again"):
        release, _ = read.release(project.parent / Path(read.data).name if data is None else data)
        if read.policy:
            Policy.of(read.policy).enforce(release)
        release.save(out, overwrite=overwrite)
    if as_json:
        emit({"format": 1, "release": str(out / "release"), "holds": release.verdict.holds, "chosen": read.chosen})
    else:
        say(f"{read.chosen}: {release.verdict.sentence()}", f"Publish {out}/release; keep {out}/owner.")
