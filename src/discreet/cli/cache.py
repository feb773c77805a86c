# SPDX-License-Identifier: Apache-2.0
"""discreet cache: show or purge the scores that `discreet evaluate` cached."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import Json, emit, say

app = typer.Typer(help="The scores that discreet evaluate cached: show them, purge them.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="The folder that was given as --cache.")]


@app.command("show")
def show(folder: Folder, as_json: Json = False) -> None:
    """Count the cached scores by method, protocol and classifier."""
    from discreet.evaluate.score_cache import Cache

    summary = Cache.existing(folder).summary()
    kinds = [
        {"method": method, "protocol": protocol, "classifier": classifier, "scores": scores}
        for (method, protocol, classifier), scores in summary.kinds.items()
    ]
    if as_json:
        emit(
            {"format": 1, "scores": summary.entries, "bytes": summary.bytes, "damaged": summary.damaged, "kinds": kinds}
        )
        return
    say(f"{summary.entries:,} scores, {summary.bytes:,} bytes; damaged, to be computed again: {summary.damaged:,}")
    for kind in kinds:
        say(f"  {kind['scores']:>6,}  {kind['method']}, {kind['protocol']}, {kind['classifier']}")


@app.command("purge")
def purge(folder: Folder, as_json: Json = False) -> None:
    """Remove all cached scores, and the folder if nothing else is in it. A folder that is not a cache is left alone."""
    from discreet.evaluate.score_cache import Cache

    cache = Cache.existing(folder)
    removed = cache.purge()
    gone = not cache.folder.exists()
    if as_json:
        emit({"format": 1, "removed": removed, "folder_removed": gone})
        return
    rest = "The folder is gone." if gone else "The folder stays: it holds files that are not the cache's."
    say(f"{removed:,} scores removed. {rest}")
