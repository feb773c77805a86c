# SPDX-License-Identifier: Apache-2.0
"""Runs the studio on 127.0.0.1 until Ctrl-C: a port, a link, a private folder."""

from __future__ import annotations

import shutil
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import uvicorn

from discreet.errors import DataError
from discreet.foundation.atomic_files import scratch_folder, write_whole
from discreet.foundation.system import set_mode
from discreet.studio.access import Access
from discreet.studio.project import Project
from discreet.studio.server import Studio, studio_app

_TRIED = 20  # ports


def run_studio(*, file: Path | None, port: int, folder: Path | None, browser: bool, say: Callable[..., None]) -> None:
    """Serve until interrupted. Without a folder of the person's own everything is removed at the end."""
    with ExitStack() as until_done:
        place = until_done.enter_context(scratch_folder()) if folder is None else folder
        project = Project(place)
        if file is not None:
            _take(project, file)
        listening = until_done.enter_context(_free_port(port))
        access = Access(listening.getsockname()[1])
        studio = Studio(project)
        until_done.callback(studio.close)
        studio.prepare()
        until_done.callback(project.runs.close)
        link = access.link()
        say("The studio runs on this machine only. Open this link, which works once:", f"  {link}")
        say("Ctrl-C ends it; what was brought in is " + ("removed then." if folder is None else f"kept in {place}."))
        if browser:
            webbrowser.open(_page_that_opens(access.link(), until_done.enter_context(scratch_folder())).as_uri())
        if sys.stdin is not None and sys.stdin.isatty():
            threading.Thread(target=_links, args=(access, say), daemon=True).start()
        settings = uvicorn.Config(
            studio_app(studio, access), log_level="critical", access_log=False, server_header=False, lifespan="off"
        )
        with suppress(KeyboardInterrupt):  # Ctrl-C is how it ends
            uvicorn.Server(settings).run(sockets=[listening])


def _page_that_opens(link: str, folder: Path) -> Path:
    """A page of this user's alone that leads to the link: what a browser is told is in the list of all processes."""
    page = folder / "open.html"
    refresh = f'<meta http-equiv="refresh" content="0; url={link}">'
    write_whole(page, f"<!doctype html><title>discreet studio</title>{refresh}".encode())
    return page


def _links(access: Access, say: Callable[..., None]) -> None:
    """A new link whenever Enter is pressed."""
    for _ in sys.stdin:
        say(f"  {access.link()}")


def _take(project: Project, file: Path) -> None:
    if not file.is_file():
        raise DataError(f"There is no file {file.name!r}. Check the path.")
    stored = project.place_for(file.name)
    shutil.copyfile(file, stored)
    set_mode(stored, 0o600)
    project.take(file.name, stored)


def _free_port(port: int) -> socket.socket:
    """A socket on the port, or on one of the next."""
    for tried in range(port, min(port + _TRIED, 65536)):
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind(("127.0.0.1", tried))
        except OSError:
            listening.close()
            continue
        listening.listen(128)
        return listening
    raise DataError(f"The ports from {port} to {port + _TRIED - 1} are taken. Choose another with --port.")
