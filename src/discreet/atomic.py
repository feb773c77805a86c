# SPDX-License-Identifier: Apache-2.0
"""A folder, or a file, that appears whole or not at all: written beside its place, synced, verified, renamed.

What a killed process left half-written is removed by the next one that saves to the same place; if the process died
while it was replacing an earlier folder, that one is put back first. A process that still runs is left alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from discreet.errors import DataError, shown

PARTIAL = ".discreet-partial-"
_OLD = "replaced"


@contextmanager
def new_folder(target: Path, *, overwrite: bool = False, replaceable: frozenset[str] = frozenset()) -> Iterator[Path]:
    """A folder to write to, which becomes `target` when the block ends without an error.

    A target that holds anything is replaced only with `overwrite`, and only when it holds nothing but `replaceable`.
    """
    target = Path(os.path.abspath(target))
    if target.is_symlink():
        raise DataError(f"{shown(target.name)} is a link to another place. Name the place itself.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _clear_up(target)
        _check_free(target, overwrite, replaceable)
        partial = _beside(target)
    except OSError as error:
        raise DataError(
            f"{shown(target.name)} cannot be written there ({error.strerror}). Choose another folder."
        ) from None
    try:
        yield partial
        _sync(partial)
        _check_free(target, overwrite, replaceable)  # another process may have been quicker
        _put_in_place(partial, target)
    except (OSError, pa.ArrowException) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise DataError(f"Writing {shown(target.name)} failed ({why}); nothing was saved. Is the disk full?") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def write_whole(path: Path, content: bytes, prefix: str = PARTIAL, *, sync: bool = True, mode: int = 0o600) -> None:
    """A file, of this user's alone unless `mode` says more: under a name that begins with `prefix`, then in its place.

    Without `sync` a power cut may leave it short: for files that tell by themselves whether they are whole.
    """
    descriptor, partial = tempfile.mkstemp(prefix=prefix, dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(partial, mode)
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(partial)
        raise


def _check_free(target: Path, overwrite: bool, replaceable: frozenset[str]) -> None:
    if not target.exists():
        return
    inside = {path.name for path in target.iterdir()} if target.is_dir() else {"a file"}
    if inside and not overwrite:
        raise DataError(f"{shown(target.name)} exists already. Choose another folder, or say overwrite.")
    if not inside <= replaceable:
        raise DataError(
            f"{shown(target.name)} holds {len(inside - replaceable)} entries that are not part of an earlier release,"
            f" so it is not overwritten. Choose another folder."
        )


def _beside(target: Path) -> Path:
    """A fresh folder on the same disk, for this user alone, with the number of this process in its name."""
    return Path(tempfile.mkdtemp(prefix=f"{PARTIAL}{os.getpid()}-", suffix=f"-{target.name}", dir=target.parent))


def _clear_up(target: Path) -> None:
    for left in target.parent.iterdir():
        named = re.fullmatch(rf"{re.escape(PARTIAL)}(\d+)-[^-]+-{re.escape(target.name)}", left.name)
        if named and not _runs(int(named[1])):
            if (left / _OLD).exists() and not target.exists():
                os.rename(left / _OLD, target)
            shutil.rmtree(left, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _put_in_place(partial: Path, target: Path) -> None:
    partial.chmod(0o777 & ~_umask())
    if target.exists():
        aside = _beside(target)
        try:
            os.rename(target, aside / _OLD)
            os.rename(partial, target)
        finally:
            if not target.exists():
                os.rename(aside / _OLD, target)
            shutil.rmtree(aside, ignore_errors=True)
    else:
        os.rename(partial, target)
    _sync_folder(target.parent)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _sync(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
        else:
            _sync_folder(path)
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
