# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels, and where their machine code is cached: use `@compiled` instead of numba's decorators.

Machine code is cached in the package's folder if that is writable, else in the user's cache folder, else in a private
folder among the temporary files, which is often the only choice in containers and service accounts. Without any of
them, kernels are compiled again in each process: slower, but never an error.

Anyone who can write to such a folder can run code as its user, since numba loads what it finds there. So a folder
outside the package is used only if nobody else can write to it or replace it. NUMBA_CACHE_DIR is respected if it names
a writable folder.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
from numba.misc.appdirs import AppDirs

from discreet.errors import quietly

_VARIABLE = "NUMBA_CACHE_DIR"  # read by numba, also in processes started from here
_PACKAGE = Path(__file__).parent


def compiled(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """The function as machine code that releases the interpreter's lock, cached between runs if possible.

    `options` are passed on to numba.

    >>> double = compiled(lambda number: 2 * number)
    >>> double(21)
    42
    """
    if function is None:
        return partial(compiled, **options)
    kernel, failure = quietly(numba.njit(cache=True, nogil=True, **options), function, errors=(RuntimeError, OSError))
    return numba.njit(nogil=True, **options)(function) if failure else kernel


def choose_folder() -> str:
    """The cache folder to set for numba; empty if its own choice is fine, or if there is no safe folder."""
    configured = os.environ.get(_VARIABLE, "")
    if (configured and _writable(Path(configured))) or _writable(_PACKAGE / "__pycache__"):
        return ""
    users = Path(AppDirs(appname="numba", appauthor=False).user_cache_dir)
    temporary, _ = quietly(tempfile.gettempdir, errors=(OSError,))
    own = () if temporary is None else (Path(temporary) / f"discreet-kernels-{_user()}",)
    return next((str(folder) for folder in (users, *own) if _private(folder)), "")


def _writable(folder: Path) -> bool:
    def attempt() -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()

    return not quietly(attempt, errors=(OSError, ValueError))[1]


def _private(folder: Path) -> bool:
    """Is this a writable folder of this user that no other user can write to, rename or replace by a link?"""
    return _writable(folder) and not quietly(_check_private, folder, errors=(OSError,))[1]


def _check_private(folder: Path) -> None:
    if os.name != "posix":
        return  # elsewhere both folders are inside the user's profile
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != _user() or status.st_mode & 0o022:
        raise PermissionError
    parent = folder.parent.resolve(strict=True)
    for above in (parent, *parent.parents):
        status = above.lstat()
        shared = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX
        if shared or status.st_uid not in (0, _user()):
            raise PermissionError


def _user() -> int:
    return os.geteuid() if os.name == "posix" else 0


def _settle() -> None:
    """Set numba's cache folder, once, before the first kernel is compiled."""
    if folder := choose_folder():
        os.environ[_VARIABLE] = folder
        numba.config.CACHE_DIR = folder


_settle()
