# SPDX-License-Identifier: Apache-2.0
"""A report as PDF, printed by an installed browser, and its plots as PNG or SVG files.

Plots are drawn by vl-convert (extra "plots"), which needs no browser and no network.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet.errors import DataError, quietly, shown
from discreet.foundation import system

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
_ALONE = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-pdf-header-footer",
    "--virtual-time-budget=10000",  # enough for the scripts to draw everything
)
_ABOUT = re.compile(rb"(/(?:Creator|Producer|CreationDate|ModDate) ?\()((?:\\.|[^\\)])*)(\))", re.DOTALL)
_WIDTH = 720
_SECONDS = 120


def to_pdf(page: str) -> bytes:
    """The page as PDF, without metadata on date, machine or browser."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        raise DataError(
            f"Printing a PDF needs a browser, and none was found. Install Chromium; looked for {', '.join(BROWSERS)}."
        )
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        source, target = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8", newline="\n")
        command = [browser, *_ALONE, f"--user-data-dir={folder}/profile", f"--print-to-pdf={target}", source.as_uri()]
        _, failure = quietly(_run, command, folder, errors=(OSError, subprocess.SubprocessError))
        if failure or not target.is_file():
            raise DataError(f"The browser {shown(Path(browser).name)} printed no PDF ({failure or 'no file'}).")
        return _ABOUT.sub(_blank, target.read_bytes())


def _blank(match: re.Match[bytes]) -> bytes:
    """Blank the text but keep its length, since a PDF stores byte offsets."""
    return match[1] + b" " * len(match[2]) + match[3]


def _run(command: list[str], folder: str) -> None:
    """Run a browser that writes into the folder only, and kill all of its processes at the end."""
    none = subprocess.DEVNULL
    there = os.environ | {"TMPDIR": "."}  # the folder's full path would be too long for a socket
    process = subprocess.Popen(command, cwd=folder, env=there, stdin=none, stdout=none, stderr=none, **system.apart())
    try:
        if status := process.wait(timeout=_SECONDS):
            raise subprocess.CalledProcessError(status, command[0])
    finally:
        system.end_with_children(process)


def to_pictures(pictures: Sequence[dict[str, Any]], kind: str) -> dict[str, bytes]:
    """The plots of a summary as file contents by name; `kind` is "png" or "svg"."""
    try:
        import vl_convert
    except ImportError:
        raise DataError('Writing plots as files needs the extra "plots": pip install "discreet[plots]".') from None
    files = {}
    for place, picture in enumerate(pictures, start=1):
        spec = {name: part for name, part in picture["spec"].items() if name != "autosize"}
        spec |= {"width": _WIDTH, "background": "white"}
        name = re.sub(r"[^a-z0-9]+", "-", picture["title"].lower()).strip("-")
        if kind == "svg":
            content = vl_convert.vegalite_to_svg(vl_spec=spec).encode()
        else:
            content = vl_convert.vegalite_to_png(vl_spec=spec, scale=2)
        files[f"{place:02d}-{name}.{kind}"] = content
    return files
