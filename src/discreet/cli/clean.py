# SPDX-License-Identifier: Apache-2.0
"""discreet clean: remove half-written files that killed runs left in a folder."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import Json, emit, say
from discreet.errors import DataError, plain, shown


def clean(
    folder: Annotated[Path, typer.Argument(help="The folder in which releases or files were being written.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be removed.")] = False,
    as_json: Json = False,
) -> None:
    """Remove what killed runs left in a folder, half-written files and unfinished jobs, and nothing else.

    Active runs are left alone. Subfolders are not searched. The next save in the folder does the same.
    """
    from discreet.foundation.atomic_files import clean as clean_folder
    from discreet.foundation.job_folder import clean_jobs

    if not folder.is_dir():
        raise DataError(f"There is no folder {shown(folder.name)}. Check the path.")
    report = clean_folder(folder, dry_run=dry_run)
    jobs, working = clean_jobs(folder, dry_run=dry_run)
    report = replace(report, removed=(*report.removed, *jobs), in_use=(*report.in_use, *working))
    if as_json:
        emit({"format": 1, "dry_run": dry_run, **{what: list(names) for what, names in asdict(report).items()}})
        return
    for name in report.removed:
        say(f"  {'would remove' if dry_run else 'removed'}  {plain(name)}")
    for name in report.put_back:
        say(f"  {'would put back' if dry_run else 'put back'}  {plain(name)}, which a killed run was replacing")
    for name in report.in_use:
        say(f"  left alone  {plain(name)}: it is being written, or belongs to another user")
    for name in report.unmarked:
        say(f"  left alone  {plain(name)}: it has no mark of discreet; an earlier version may have left it")
    done = "would be removed" if dry_run else "removed"
    say(f"{len(report.removed):,} half-written entries {done}.")
