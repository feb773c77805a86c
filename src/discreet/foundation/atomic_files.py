# SPDX-License-Identifier: Apache-2.0
"""Atomic files and folders: written to a temporary place beside the target, synced, verified, then renamed.

Work in progress is in a separate folder beside the target, which contains a mark (what it is, and for which target) and
the content. The working process keeps the mark locked; the system unlocks it when the process ends, however it ends. So
leftovers of killed processes can be distinguished from work in progress, even from other machines. The next save in the
same folder removes them, and so does `discreet clean`; if a process died while replacing an earlier folder, that folder
is restored first.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from discreet.errors import DataError, shown
from discreet.foundation import system

PARTIAL = ".discreet-partial-"
_NAME = re.compile(rf"{re.escape(PARTIAL)}(\d+)-\w+")
_MARK, _NEW, _OLD = "mark.json", "new", "replaced"
_LONGEST_MARK = 1 << 14


@contextmanager
def new_folder(target: Path, *, overwrite: bool = False, replaceable: frozenset[str] = frozenset()) -> Iterator[Path]:
    """A folder to write to, which becomes `target` when the block ends without an error.

    A target that is not empty is replaced only with `overwrite`, and only if it contains nothing but `replaceable`.
    """
    target = Path(os.path.abspath(target))
    if target.is_symlink():
        raise DataError(f"{shown(target.name)} is a link to another place. Name the place itself.")
    with contextlib.ExitStack() as until_done:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            clean(target.parent)
            _check_free(target, overwrite, replaceable)
            work = until_done.enter_context(_beside(target))
            partial = work / _NEW
            partial.mkdir(mode=0o700)
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
            raise DataError(
                f"Writing {shown(target.name)} failed ({why}); nothing was saved. Is the disk full?"
            ) from None


@contextmanager
def new_file(target: Path, *, mode: int = 0o600) -> Iterator[Path]:
    """A file to write to, which takes the place of `target` when the block ends without an error."""
    with _beside(target) as work:
        (work / _NEW).touch(mode=0o600)
        yield work / _NEW
        system.set_mode(work / _NEW, mode)
        os.replace(work / _NEW, target)


@contextmanager
def scratch_folder(parent: Path | None = None) -> Iterator[Path]:
    """A folder for intermediate files that only this user can read, removed when the block ends.

    If the process is killed, the folder stays until the next one is made in the same place (by default the system's
    temporary folder), which removes it first.
    """
    with _beside(Path(tempfile.gettempdir() if parent is None else parent) / "scratch") as work:
        (work / _NEW).mkdir(mode=0o700)
        yield work / _NEW


class ScratchFolder:
    """A scratch folder that is removed with this object."""

    def __init__(self, parent: Path | None = None):
        until_gone = contextlib.ExitStack()
        self.folder = until_gone.enter_context(scratch_folder(parent))
        weakref.finalize(self, until_gone.close)


def write_whole(path: Path, content: bytes, prefix: str = "", *, sync: bool = True, mode: int = 0o600) -> None:
    """Write a file atomically, readable by this user alone unless `mode` allows more.

    With a `prefix` the temporary file has a name that begins with it, and the owner of the folder cleans up leftovers.
    Without `sync` a power failure may truncate the file: for files that show by themselves whether they are complete.
    """
    if not prefix:
        with new_file(path, mode=mode) as partial:
            _write(system.open_file(partial, os.O_WRONLY), content, sync)
        return
    descriptor, name = tempfile.mkstemp(prefix=prefix, dir=path.parent)
    try:
        _write(descriptor, content, sync)
        system.set_mode(Path(name), mode)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _write(descriptor: int, content: bytes, sync: bool) -> None:
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        if sync:
            file.flush()
            os.fsync(file.fileno())


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


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """A new private folder on the same disk, marked as ours while this process works in it."""
    with contextlib.suppress(OSError):  # the folder may be writable but not listable
        clean(target.parent)
    work = Path(tempfile.mkdtemp(prefix=f"{PARTIAL}{os.getpid()}-", dir=target.parent))
    try:
        descriptor = system.open_file(work / _MARK, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            lock(descriptor)
            os.write(descriptor, json.dumps({"discreet": "partial", "target": target.name}).encode())
            yield work
        finally:
            _remove(work)
            os.close(descriptor)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _put_in_place(partial: Path, target: Path) -> None:
    system.set_mode(partial, 0o777 & ~system.umask())
    if target.exists():
        aside = partial.parent / _OLD
        try:
            os.rename(target, aside)
            os.rename(partial, target)
        finally:
            if not target.exists():
                os.rename(aside, target)
    else:
        os.rename(partial, target)
    system.sync_folder(target.parent)


# -- leftovers of killed processes -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cleaned:
    """Names in a folder: what was removed, which earlier folders were restored, what is in use, and what looks like
    ours but has no mark.
    """

    removed: tuple[str, ...] = ()
    put_back: tuple[str, ...] = ()
    in_use: tuple[str, ...] = ()
    unmarked: tuple[str, ...] = ()


def clean(folder: Path, *, dry_run: bool = False) -> Cleaned:
    """Remove half-written leftovers of killed processes from a folder, and nothing else.

    With `dry_run` it only reports what it would do. Anything that has a name like ours but no mark is left alone.
    """
    result: dict[str, list[str]] = {"removed": [], "put_back": [], "in_use": [], "unmarked": []}
    for name in sorted(name for name in os.listdir(folder) if name.startswith(PARTIAL)):
        match, work = _NAME.fullmatch(name), folder / name
        if not match or work.is_symlink() or not work.is_dir():
            result["unmarked"].append(name)
            continue
        try:
            with _abandoned(work, int(match[1])) as target:
                if target is None:
                    result["unmarked"].append(name)
                    continue
                if target and (work / _OLD).is_dir() and not os.path.lexists(folder / target):
                    result["put_back"].append(target)
                    if not dry_run:
                        os.rename(work / _OLD, folder / target)
                if not dry_run:
                    _remove(work)
                result["removed"].append(name)
            if not dry_run and not system.removes_open_files():
                shutil.rmtree(work, ignore_errors=True)  # its mark, which is closed now
        except OSError:  # in use, owned by another user, or gone in the meantime
            result["in_use"].append(name)
    return Cleaned(**{what: tuple(names) for what, names in result.items()})


@contextmanager
def _abandoned(work: Path, process: int) -> Iterator[str | None]:
    """The name of the target if the folder is ours, "" if none was written yet, None if it is not ours. BlockingIOError
    if it is in use.

    The mark is locked while the block runs, so that two cleaning processes do not interfere.
    """
    try:
        descriptor = system.open_file(work / _MARK, os.O_RDWR)
    except FileNotFoundError:  # killed before the mark was written: then nothing else is in it
        if not os.listdir(work) and system.process_runs(process):
            raise BlockingIOError from None
        yield None if os.listdir(work) else ""
        return
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        if regular and not lock(descriptor, process=process):
            raise BlockingIOError
        mark = os.read(descriptor, _LONGEST_MARK) if regular else b""
        if regular and not mark and system.process_runs(process):  # made a moment ago, and not locked yet
            raise BlockingIOError
        yield _target_of(mark) if regular else None
    finally:
        os.close(descriptor)


def _target_of(mark: bytes) -> str | None:
    """The target that a mark names; "" for a mark that was not written yet; None if it is not a mark of ours."""
    if not mark:
        return ""
    try:
        content = json.loads(mark)
        target = content["target"]
        ours = content["discreet"] == "partial" and isinstance(target, str) and target == os.path.basename(target)
    except (ValueError, KeyError, TypeError):
        return None
    return target if ours and target not in ("", ".", "..") and "\0" not in target else None


def lock(descriptor: int, *, process: int | None = None) -> bool:
    """Lock a mark as long as it is open. False if it is locked already, or, without locks, if its process runs."""
    try:
        system.lock(descriptor)
    except BlockingIOError:
        return False
    except OSError:
        return process is None or not system.process_runs(process)
    return True


def _remove(work: Path) -> None:
    """Remove a folder, its mark last: if this process is killed meanwhile, the rest is still recognised as ours."""
    with contextlib.suppress(OSError):
        for path in work.iterdir():
            if path.name != _MARK:
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)
    shutil.rmtree(work, ignore_errors=True)


# -- the disk ----------------------------------------------------------------------------------------------------------


def _sync(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            system.sync_file(path)
        else:
            system.sync_folder(path)
    system.sync_folder(folder)
