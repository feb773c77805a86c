# SPDX-License-Identifier: Apache-2.0
"""discreet cache: what a folder of kept scores holds, and how to be rid of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import Json, emit, say

app = typer.Typer(help="The scores that discreet evaluate keeps: show them, purge them.", no_args_is_help=True)

Folder = Annotated[Path, typer.Argument(help="The folder that was given as --cache.")]


@app.command("show")
def show(folder: Folder, as_json: Json = False) -> None:
    """How many scores are kept, of which methods, protocols and classifiers."""
    from discreet.evaluate.score_cache import Cache

    found = Cache.existing(folder).summary()
    kinds = [
        {"method": method, "protocol": protocol, "classifier": classifier, "scores": scores}
        for (method, protocol, classifier), scores in found.kinds.items()
    ]
    if as_json:
        emit({"format": 1, "scores": found.entries, "bytes": found.bytes, "damaged": found.damaged, "kinds": kinds})
        return
    say(f"{found.entries:,} scores, {found.bytes:,} bytes; damaged, to be made again: {found.damaged:,}")
    for kind in kinds:
        say(f"  {kind['scores']:>6,}  {kind['method']}, {kind['protocol']}, {kind['classifier']}")


@app.command("purge")
def purge(folder: Folder, as_json: Json = False) -> None:
    """Remove all kept scores, and the folder if nothing else is in it. A folder that is no cache is left alone."""
    from discreet.evaluate.score_cache import Cache

    cache = Cache.existing(folder)
    removed = cache.purge()
    gone = not cache.folder.exists()
    if as_json:
        emit({"format": 1, "removed": removed, "folder_removed": gone})
        return
    rest = "The folder is gone." if gone else "The folder stays: it holds files that are not the cache's."
    say(f"{removed:,} scores removed. {rest}")
