# SPDX-License-Identifier: Apache-2.0
"""What operating systems do differently: locks, links, owners and modes of files, processes, signals, free memory.

No other file of discreet calls what only some systems have; tests/test_architecture.py sees to it. Each function says
what it does where the system has nothing of the kind. Windows knows owners and access lists instead of modes, and a new
file inherits the list of its folder, which in a user's profile is that user's alone: modes are neither set nor asked.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import os
import shutil
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


_fcntl, _msvcrt, _resource = _module("fcntl"), _module("msvcrt"), _module("resource")
_IS_POSIX = os.name == "posix"
_MANY_ROWS = 2**20  # whose arrays are worth being given back
_BEHIND = 5  # of 19: after what a person waits for, and not starved by other work of the machine

# -- opening and locking -----------------------------------------------------------------------------------------------

_CAREFULLY = ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY")  # a pipe is not waited for, no byte is translated
_LOCKED_BYTE = 0x7FFFFFFF  # behind the end of any file that is locked: who reads the file does not meet the lock


def open_file(path: str | os.PathLike[str], flags: int, *, mode: int = 0o600, links: bool = False) -> int:
    """The descriptor of a file, opened without waiting and, unless `links` allow it, not through a link.

    A system that cannot refuse a link as it opens a file is asked for links by name; the error is the same, ELOOP.
    """
    for name in _CAREFULLY:
        flags |= getattr(os, name, 0)
    if not links:
        if not hasattr(os, "O_NOFOLLOW") and os.path.islink(path):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        flags |= getattr(os, "O_NOFOLLOW", 0)
    return os.open(path, flags, mode)


def lock(descriptor: int, *, wait: bool = False) -> None:
    """Lock an open file until it is closed, which the system does when the process ends, however it ends.

    BlockingIOError if it is locked already, unless `wait`; another OSError where files cannot be locked.
    """
    if _fcntl is not None:
        _fcntl.flock(descriptor, _fcntl.LOCK_EX | (0 if wait else _fcntl.LOCK_NB))
    elif _msvcrt is not None:
        _lock_byte(descriptor, wait)
    else:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))


def _lock_byte(descriptor: int, wait: bool) -> None:
    """Windows locks bytes from the current place on. It gives up waiting after ten seconds."""
    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        while True:
            os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
            try:
                return _msvcrt.locking(descriptor, _msvcrt.LK_LOCK if wait else _msvcrt.LK_NBLCK, 1)
            except OSError as error:
                if error.errno not in (errno.EACCES, errno.EDEADLK, 36):  # 36: EDEADLOCK of Windows
                    raise
                if not wait:
                    raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN)) from None
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)


@contextmanager
def locked_folder(folder: Path, *, wait: bool = False) -> Iterator[bool]:
    """Whether this process holds the lock of the folder. Where folders cannot be locked, every process holds it."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # Windows opens no folders
        yield True
        return
    try:
        try:
            lock(descriptor, wait=wait)
            mine = True
        except BlockingIOError:
            mine = False
        except OSError:
            mine = True
        yield mine
    finally:
        os.close(descriptor)


def sync_file(file: Path) -> None:
    """Write the content of a file to the disk. Windows wants it opened for writing."""
    with file.open("rb" if _IS_POSIX else "r+b") as opened:
        os.fsync(opened.fileno())


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk. Windows does that by itself, and opens no folders."""
    if not _IS_POSIX:
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def removes_open_files() -> bool:
    """Whether a file can be removed while it is open. Elsewhere it must be closed first."""
    return _IS_POSIX


# -- links, owners and modes -------------------------------------------------------------------------------------------


def link_or_copy(file: Path, place: Path) -> None:
    """A further name of a file on the same disk; a copy where the disk knows no such names."""
    try:
        os.link(file, place)
    except FileExistsError:
        raise
    except (OSError, AttributeError, NotImplementedError):
        shutil.copyfile(file, place)


def set_mode(path: Path, mode: int) -> None:
    """Set who may read and write a file or enter a folder; nothing where there are no modes."""
    if _IS_POSIX:
        os.chmod(path, mode)


def umask() -> int:
    """The permissions that new files do not get; none where there are no modes."""
    if not _IS_POSIX:
        return 0
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def is_open_to_others(status: os.stat_result) -> bool:
    """Whether others than the owner may do anything with a file; False where modes do not tell."""
    return _IS_POSIX and bool(stat.S_IMODE(status.st_mode) & 0o077)


def is_anothers(status: os.stat_result) -> bool:
    """Whether a file belongs to another user; False where numbers of users do not tell."""
    return _IS_POSIX and status.st_uid != os.geteuid()


def user_number() -> int:
    """The number of the user, for names in a folder that users share; 0 where each has a folder of their own."""
    return os.geteuid() if _IS_POSIX else 0


def is_safe_from_others(folder: Path) -> bool:
    """Whether no other user can write to the folder, rename it or replace it by a link. OSError if it is not there."""
    if not _IS_POSIX:
        return True  # temporary files and caches are in the user's profile there
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != user_number() or status.st_mode & 0o022:
        return False
    parent = folder.parent.resolve(strict=True)
    for above in (parent, *parent.parents):
        status = above.lstat()
        shared = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX
        if shared or status.st_uid not in (0, user_number()):
            return False
    return True


# -- processes and signals ---------------------------------------------------------------------------------------------


def process_runs(process: int) -> bool:
    """Whether there is a process of this number, whoever's it is."""
    if not _IS_POSIX:
        return _process_runs_on_windows(process)
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _process_runs_on_windows(process: int) -> bool:
    """There, `os.kill(process, 0)` would be Ctrl-C. A process that cannot be asked is taken to run."""
    import ctypes

    synchronize, invalid_parameter, still_waiting = 0x100000, 87, 0x102
    kernel: Any = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined]
    handle = kernel.OpenProcess(synchronize, False, process)
    if not handle:
        return bool(ctypes.get_last_error() != invalid_parameter)  # type: ignore[attr-defined]
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == still_waiting)
    finally:
        kernel.CloseHandle(handle)


def apart() -> dict[str, Any]:
    """What to give to `subprocess.Popen` so that `end_with_children` ends the process with those it starts."""
    if _IS_POSIX:
        return {"start_new_session": True}
    return {"creationflags": 0x200}  # CREATE_NEW_PROCESS_GROUP


def let_others_first(process: int) -> None:
    """Let a process, and those that it starts from now on, come after others that need a core, as far as that can be.

    Where priorities are not numbers, or those of this process may not be changed, it works on like any other.
    """
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process, _BEHIND)


def end_with_children(process: subprocess.Popen[Any]) -> None:
    """Kill a process that was started `apart` with all that it started, and wait for its end."""
    if _IS_POSIX:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        _end_on_windows(process)
    process.wait()


def end_if_given(number: int, argument: str) -> bool:
    """Ask a process to end, if it was started with this argument; False where that is not so, or cannot be known."""
    try:
        given = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
        if os.fsencode(argument) not in given:
            return False
        os.kill(number, signal.SIGTERM)
    except OSError:
        return False
    return True


def _end_on_windows(process: subprocess.Popen[Any]) -> None:
    import subprocess

    none = subprocess.DEVNULL
    with contextlib.suppress(OSError):
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], stdout=none, stderr=none, check=False)
    with contextlib.suppress(OSError):
        process.kill()


def limit_itself(*, memory: int, seconds: int) -> None:
    """Bound the bytes and the processor time of this process, and leave no image of its memory, where that can be."""
    if _resource is None:
        return
    limits = {_resource.RLIMIT_AS: memory, _resource.RLIMIT_CPU: seconds, _resource.RLIMIT_CORE: 0}
    for limit, most in limits.items():
        _, hard = _resource.getrlimit(limit)
        _resource.setrlimit(limit, (most if hard == _resource.RLIM_INFINITY else min(most, hard), hard))


def on_termination(handler: Callable[[int, Any], None]) -> None:
    """Call the handler when the process is asked to end, or its terminal is gone, as far as the system tells."""
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), handler)


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back, here and in processes that are started within; nothing where that is not possible."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ctrl-C does not reach this process, whose parent ends it: also where interrupts cannot be held."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


# -- memory ------------------------------------------------------------------------------------------------------------


def free_memory() -> int:
    """Bytes that this process can still take: of the machine, of its control group, of its own limits."""
    return min([_of_machine(), *_of_control_group(), *_of_process()])


def _of_machine() -> int:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return _of_windows() if not _IS_POSIX else 1 << 62


def give_back_memory(n_rows: int) -> None:
    """Hand memory that was freed, and is kept to be used again, back to the system: that of Arrow, and that of the C
    library where it is glibc. Called between the stages of work on so many rows; for few, nothing is done.
    """
    if n_rows < _MANY_ROWS:
        return
    import ctypes
    import gc

    import pyarrow as pa

    gc.collect()  # a table that is no longer needed may hold itself
    pa.default_memory_pool().release_unused()
    if _IS_POSIX:
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _of_windows() -> int:
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [
            ("length", ctypes.c_uint32),
            ("load", ctypes.c_uint32),
            *((name, ctypes.c_uint64) for name in ("all", "free", "file", "file_free", "own", "own_free", "more")),
        ]

    status = Status()
    status.length = ctypes.sizeof(status)
    kernel: Any = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined]
    told = kernel.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.free) if told else 1 << 62


def _of_control_group() -> list[int]:
    for most, used in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ):
        with contextlib.suppress(OSError, ValueError):
            return [int(Path(most).read_text(encoding="ascii")) - int(Path(used).read_text(encoding="ascii"))]
    return []


def _of_process() -> list[int]:
    if _resource is None:
        return []
    most, _ = _resource.getrlimit(_resource.RLIMIT_AS)
    if most == _resource.RLIM_INFINITY:
        return []
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        return [int(most) - pages * int(_resource.getpagesize())]
    return [int(most)]
