# SPDX-License-Identifier: Apache-2.0
"""discreet cache: compile kernels beforehand; show or purge the scores that `discreet evaluate` cached."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import Json, emit, say, watch
from discreet.errors import DataError

app = typer.Typer(help="Compile beforehand what methods need; show or purge the scores that discreet evaluate cached.")

Folder = Annotated[Path, typer.Argument(help="The folder that was given as --cache.")]


@app.callback(invoke_without_command=True)
def cache(context: typer.Context, as_json: Json = False) -> None:
    """Compile the kernels of all methods beforehand, and cache them; show or purge the scores of discreet evaluate.

    Without a command it compiles, so that no first release waits for it: useful after an installation and in container
    files. It takes some minutes the first time, and seconds later.
    """
    if context.invoked_subcommand is None:
        _compile(as_json=as_json)
    elif as_json:
        raise DataError(f"Write --json after the command: discreet cache {context.invoked_subcommand} ... --json.")


def _compile(*, as_json: bool) -> None:
    from discreet.cli.cache_kernels import compile_kernels
    from discreet.foundation.compiled_kernels import cache_of_kernels

    watch(quiet=False, as_json=as_json)
    _compile_files()
    compile_kernels()
    compiled, loaded, folder = cache_of_kernels()
    if as_json:
        emit({"format": 1, "compiled": compiled, "loaded": loaded, "folder": folder})
        return
    where = f"cached in {folder}" if folder else "not cached: no folder is safe to write to"
    say(f"{compiled:,} kernels compiled, {loaded:,} already cached; {where}.")


def _compile_files() -> None:
    """The modules, and the templates of pages, as bytecode, where the package can be written."""
    import compileall

    from discreet.report.release_page import environment

    compileall.compile_dir(Path(__file__).parent.parent, quiet=2)
    pages = environment()
    for name in pages.list_templates(extensions=["html"]):
        pages.get_template(name)


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
