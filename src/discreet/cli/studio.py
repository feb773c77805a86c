# SPDX-License-Identifier: Apache-2.0
"""discreet studio: the whole flow in the browser, on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.options import Json, emit, say
from discreet.errors import DataError


def studio(
    file: Annotated[
        Path | None, typer.Argument(help="A table to begin with; it can be chosen in the browser, too.")
    ] = None,
    port: Annotated[
        int, typer.Option(min=1024, max=65535, help="The port on 127.0.0.1; the next free one if taken.")
    ] = 8420,
    folder: Annotated[
        Path | None, typer.Option(help="Where the project is kept; without it all is removed when the studio ends.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the link, and open no browser.")] = False,
    as_json: Json = False,
) -> None:
    """Open the studio: from a file to a verified release in the browser. Nothing leaves this machine."""
    try:
        from discreet.studio.running import run_studio
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("fastapi", "uvicorn", "starlette", "multipart"):
            raise DataError("The studio needs more packages. Install them: pip install 'discreet[studio]'.") from None
        raise

    def tell(*lines: str) -> None:
        if not as_json:
            say(*lines)
        elif any("http://" in line for line in lines):
            emit({"format": 1, "link": lines[-1].strip()})

    run_studio(file=file, port=port, folder=folder, browser=not no_browser, say=tell)
