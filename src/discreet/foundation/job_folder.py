# SPDX-License-Identifier: Apache-2.0
"""A private folder beside a target, in which a long job keeps what it has finished, so that a killed one goes on.

The folder has a name that only the target determines, can be read by its owner alone, and holds a mark that says for
what the job is: source, parameters, version. The working process keeps the mark locked. A job for the same purpose
finds what an earlier one left; for any other purpose the folder is emptied first. It is removed when the job ends, with
an error as well, or by Ctrl-C. After a kill, a signal to terminate or a lost terminal it stays, until the same command
is run again, or another one for the same target, or `discreet clean`; the next job beside it removes it after a day.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from discreet.errors import DataError, shown
from discreet.foundation import system
from discreet.foundation.atomic_files import lock

JOB = ".discreet-job-"
MARK = "job.json"
LONGEST = 24 * 3600  # seconds that an abandoned job is kept when others save beside it
_KIND = "job"


@contextmanager
def job_folder(target: Path, purpose: Mapping[str, Any]) -> Iterator[Path]:
    """The folder of the job that makes `target`, with what an earlier job of the same purpose left in it."""
    target = Path(os.path.abspath(target))
    work = target.parent / f"{JOB}{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}"
    mark = _opened(work, target)
    with contextlib.suppress(OSError):  # the folder may be writable but not listable
        clean_jobs(target.parent, older_than=LONGEST)
    keep = False
    try:
        _fill(work, mark, {"discreet": _KIND, "target": target.name, "purpose": dict(purpose)})
        yield work
    except SystemExit:  # terminated from outside, or the terminal is gone: not the wish of who started it
        keep = True
        raise
    finally:
        if not keep:
            _remove(work)
        _close(mark, None if keep else work)


def clean_jobs(folder: Path, *, older_than: float = 0.0, dry_run: bool = False) -> tuple[list[str], list[str]]:
    """Remove abandoned jobs from a folder; the names of those removed, and of those in use or not ours."""
    removed, left = [], []
    for name in sorted(name for name in os.listdir(folder) if name.startswith(JOB)):
        work = folder / name
        try:
            mark = _existing(work)
        except OSError:
            left.append(name)
            continue
        try:
            if time.time() - os.fstat(mark).st_mtime < older_than:
                continue
            if not _is_ours(mark):
                left.append(name)
                continue
            if not dry_run:
                _remove(work)
            removed.append(name)
        finally:
            _close(mark, None if dry_run or name not in removed else work)
    return removed, left


def _opened(work: Path, target: Path) -> int:
    """The locked mark of the folder, which is made if necessary."""
    try:
        work.parent.mkdir(parents=True, exist_ok=True)
        for _ in range(10):
            with contextlib.suppress(FileExistsError):
                work.mkdir(mode=0o700)
            try:
                return _existing(work, create=True)
            except FileNotFoundError:  # another process has just removed it
                continue
    except BlockingIOError:
        raise DataError(f"Another process is making {shown(target.name)} now. Wait for it, or stop it.") from None
    except OSError as error:
        raise DataError(
            f"{shown(work.name)}, in which the job for {shown(target.name)} is kept, cannot be used ({error.strerror})."
            " Choose another folder."
        ) from None
    raise DataError(f"Other processes keep making {shown(target.name)}. Choose another folder.")


def _existing(work: Path, *, create: bool = False) -> int:
    """The locked mark of a folder that belongs to this user alone. BlockingIOError if a process works in it."""
    about = os.lstat(work)
    if not stat.S_ISDIR(about.st_mode) or system.is_open_to_others(about) or system.is_anothers(about):
        raise PermissionError(1, "it is not a folder of this user alone")
    mark = system.open_file(work / MARK, os.O_RDWR | (os.O_CREAT if create else 0))
    try:
        if not stat.S_ISREG(os.fstat(mark).st_mode):
            raise PermissionError(1, "its mark is not a file")
        if not lock(mark):
            raise BlockingIOError(11, "it is in use")
        if not os.path.lexists(work / MARK) or not os.path.samestat(os.fstat(mark), os.lstat(work / MARK)):
            raise FileNotFoundError(2, "it was removed")
    except BaseException:
        os.close(mark)
        raise
    return mark


def _is_ours(mark: int) -> bool:
    content = _read(mark)
    return not content or _purpose(content) is not None


def _read(mark: int) -> bytes:
    os.lseek(mark, 0, os.SEEK_SET)
    return os.read(mark, os.fstat(mark).st_size)


def _purpose(content: bytes) -> Any:
    try:
        said = json.loads(content)
        return said if said["discreet"] == _KIND else None
    except (ValueError, KeyError, TypeError):
        return None


def _fill(work: Path, mark: int, said: dict[str, Any]) -> None:
    """Keep what is in the folder if it is for this purpose; otherwise empty it and say what it is for."""
    if _purpose(_read(mark)) == json.loads(json.dumps(said)):
        os.utime(work / MARK)
        return
    _empty(work)
    os.ftruncate(mark, 0)
    os.lseek(mark, 0, os.SEEK_SET)
    content = json.dumps(said).encode()
    if os.write(mark, content) < len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(mark)


def _empty(work: Path) -> None:
    for path in work.iterdir():
        if path.name != MARK:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()


def _remove(work: Path) -> None:
    """Remove the folder, its mark last: if this process is killed meanwhile, the rest is still recognised."""
    with contextlib.suppress(OSError):
        _empty(work)
    shutil.rmtree(work, ignore_errors=True)


def _close(mark: int, removed: Path | None) -> None:
    """Close the mark. What was removed around it goes with it where an open file cannot be removed."""
    os.close(mark)
    if removed is not None and not system.removes_open_files():
        shutil.rmtree(removed, ignore_errors=True)
