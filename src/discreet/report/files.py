# SPDX-License-Identifier: Apache-2.0
"""A report as other files: on paper (PDF, by a browser that is installed), and its pictures one by one (PNG, SVG).

Pictures are drawn by vl-convert (extra "plots"), which needs no browser and asks nothing of the network.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discreet.errors import DataError, quietly, shown

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
    "--virtual-time-budget=10000",  # what scripts draw is on the page by then
)
_ABOUT = re.compile(rb"(/(?:Creator|Producer|CreationDate|ModDate) ?\()((?:\\.|[^\\)])*)(\))", re.DOTALL)
_WIDTH = 720
_SECONDS = 120


def to_pdf(page: str) -> bytes:
    """The page as it prints; the file does not say when, on what machine and by which browser."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        raise DataError(
            f"A PDF is printed by a browser, and none was found. Install Chromium; looked for {', '.join(BROWSERS)}."
        )
    with tempfile.TemporaryDirectory(prefix="discreet-") as folder:
        source, target = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8")
        command = [browser, *_ALONE, f"--user-data-dir={folder}/profile", f"--print-to-pdf={target}", source.as_uri()]
        _, failure = quietly(_run, command, folder, errors=(OSError, subprocess.SubprocessError))
        if failure or not target.is_file():
            raise DataError(f"The browser {shown(Path(browser).name)} printed no PDF ({failure or 'no file'}).")
        return _ABOUT.sub(_blank, target.read_bytes())


def _blank(found: re.Match[bytes]) -> bytes:
    """As long as it was: a PDF says where each of its parts begins."""
    return found[1] + b" " * len(found[2]) + found[3]


def _run(command: list[str], folder: str) -> None:
    """Run a browser that writes into the folder only; however it ends, nothing of it is left to write there later."""
    none = subprocess.DEVNULL
    there = os.environ | {"TMPDIR": "."}  # and not the long path of the folder, under which a socket cannot be made
    process = subprocess.Popen(
        command, cwd=folder, env=there, stdin=none, stdout=none, stderr=none, start_new_session=True
    )
    try:
        if status := process.wait(timeout=_SECONDS):
            raise subprocess.CalledProcessError(status, command[0])
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # those it started, too
        process.wait()


def to_pictures(pictures: Sequence[dict[str, Any]], kind: str) -> dict[str, bytes]:
    """The pictures of a summary as files, by name; `kind` is "png" or "svg"."""
    try:
        import vl_convert
    except ImportError:
        raise DataError('Pictures as files need the extra "plots": pip install "discreet[plots]".') from None
    found = {}
    for place, picture in enumerate(pictures, start=1):
        spec = {name: part for name, part in picture["spec"].items() if name != "autosize"}
        spec |= {"width": _WIDTH, "background": "white"}
        name = re.sub(r"[^a-z0-9]+", "-", picture["title"].lower()).strip("-")
        if kind == "svg":
            content = vl_convert.vegalite_to_svg(vl_spec=spec).encode()
        else:
            content = vl_convert.vegalite_to_png(vl_spec=spec, scale=2)
        found[f"{place:02d}-{name}.{kind}"] = content
    return found
