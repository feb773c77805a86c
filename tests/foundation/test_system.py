# SPDX-License-Identifier: Apache-2.0
"""What is left where a system has no modes, no locks of Unix, no signals: simulated here, by taking them away."""

import ctypes
import errno
import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
import weakref
from types import SimpleNamespace

import pytest

import discreet as ds
from discreet.foundation import system
from discreet.foundation.atomic_files import PARTIAL, clean, new_folder, scratch_folder, write_whole
from discreet.foundation.job_folder import clean_jobs, job_folder
from discreet.foundation.plain_files import read_plain
from discreet.release.ledger import Ledger
from discreet.release.signature import new_key
from small_study import RECIPE, load, written_clinic

TAKEN = (
    *("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "chown", "fchmod", "fork", "getegid", "geteuid", "getgid"),
    *("getuid", "killpg", "mkfifo", "setsid", "sysconf", "uname"),
)


class Locks:
    """msvcrt: locks of bytes from the current place on, which end with the open file; flock keeps them here."""

    LK_LOCK, LK_NBLCK = 1, 2

    def __init__(self):
        self.gave_up = 0

    def locking(self, descriptor, mode, count):
        assert os.lseek(descriptor, 0, os.SEEK_CUR) > os.fstat(descriptor).st_size  # no byte that anyone reads
        assert count == 1
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if mode == self.LK_LOCK and self.gave_up == 2:
                return fcntl.flock(descriptor, fcntl.LOCK_EX)
            self.gave_up += mode == self.LK_LOCK
            raise OSError(36 if mode == self.LK_LOCK else errno.EACCES, "locked") from None


@pytest.fixture
def elsewhere(monkeypatch, tmp_path):
    """A system without what only Unix has. Folders cannot be opened, files that are open not removed, and those opened
    for reading not synced."""
    opened, unlinked, held = os.open, os.unlink, {}

    def open_no_folder(path, flags, mode=0o777, **given):
        assert not given
        if os.path.isdir(path):
            raise PermissionError(errno.EACCES, "a folder")
        descriptor = opened(path, flags, mode)
        held[descriptor] = os.path.abspath(path)
        return descriptor

    def unlink_closed(path, **given):
        for descriptor, name in held.items():
            try:
                if name == os.path.abspath(path) and os.path.samestat(os.fstat(descriptor), os.lstat(path)):
                    raise PermissionError(errno.EACCES, "in use")
            except OSError as error:
                if isinstance(error, PermissionError):
                    raise  # others: the descriptor is closed, or is another file's
        unlinked(path, **given)

    synced = os.fsync

    def sync_writable(descriptor):
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "opened for reading alone")
        synced(descriptor)

    def refuse(*_, **__):
        raise AssertionError("there are no such things here")

    for name in TAKEN:
        monkeypatch.delattr(os, name)
    for name in ("SIGHUP", "SIGKILL", "pthread_sigmask"):
        monkeypatch.delattr(signal, name)
    for name in ("chmod", "kill", "umask"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr(os, "open", open_no_folder)
    monkeypatch.setattr(os, "unlink", unlink_closed)
    monkeypatch.setattr(os, "fsync", sync_writable)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)
    monkeypatch.setattr(system, "_IS_POSIX", False)
    monkeypatch.setattr(system, "_fcntl", None)
    monkeypatch.setattr(system, "_resource", None)
    monkeypatch.setattr(system, "_msvcrt", Locks())
    processes = {os.getpid()}
    monkeypatch.setattr(system, "_process_runs_on_windows", processes.__contains__)
    return processes


def test_a_release_is_saved_verified_and_replaced(elsewhere, tmp_path):
    rows = {"age": [31, 34, 52, 55], "sex": ["f", "f", "m", "m"], "y": ["n", "y", "n", "y"]}
    release = ds.Mondrian(k=2).release(rows, ds.Roles("y", ["age", "sex"]))
    key, public = new_key(tmp_path / "keys")
    release.save(tmp_path / "out", sign_with=key)
    assert ds.verify(tmp_path / "out" / "release", public_key=public).holds
    release.save(tmp_path / "out", overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["keys", "out"]


def test_the_files_of_a_certificate_have_the_same_names_everywhere(tmp_path):
    rows = {"age": [31, 34, 52, 55], "y": ["n", "y", "n", "y"]}
    ds.Mondrian(k=2).release(rows, ds.Roles("y", ["age"])).save(tmp_path / "out")
    text = (tmp_path / "out" / "release" / "certificate.json").read_bytes()
    assert b"\\" not in text
    assert b"\r" not in text


def test_a_study_runs_and_goes_on(elsewhere, tmp_path):
    clinic = written_clinic(tmp_path, 80)
    text = RECIPE.replace('[[methods]]\nname = "tds"\n', "")
    for _ in range(2):
        study = ds.study.run_study(lambda: load(clinic, text), ds.study.recipe_from(text), tmp_path / "study")
        assert "mondrian-k5" in study.results


def test_a_ledger_keeps_its_account(elsewhere, tmp_path):
    ledger = Ledger(tmp_path / "ledger")
    ledger.set_limit("patients", epsilon=1.0)
    assert not Ledger(tmp_path / "ledger").problems()


def test_jobs_and_leftovers_are_cleaned_up(elsewhere, tmp_path):
    with job_folder(tmp_path / "out", {"k": 5}) as work:
        (work / "done").write_text("1")
        with pytest.raises(ds.DataError, match="Another process is making"), job_folder(tmp_path / "out", {"k": 5}):
            pass
        assert clean_jobs(tmp_path) == ([], [work.name])
    assert not list(tmp_path.iterdir())
    with pytest.raises(SystemExit), job_folder(tmp_path / "out", {"k": 5}) as work:
        raise SystemExit(143)
    assert clean_jobs(tmp_path) == ([work.name], [])
    assert not list(tmp_path.iterdir())
    with scratch_folder(tmp_path) as scratch:
        (scratch / "rows").write_text("1")
        assert clean(tmp_path).in_use == (scratch.parent.name,)
    assert not list(tmp_path.iterdir())


def test_what_a_dead_process_left_is_removed_and_what_a_living_one_is_making_is_not(elsewhere, tmp_path):
    for process in (1234567, os.getpid()):
        (tmp_path / f"{PARTIAL}{process}-abc").mkdir()  # killed before it wrote its mark, or about to write it
    left = tmp_path / f"{PARTIAL}1234568-abc"
    (left / "new").mkdir(parents=True)
    (left / "mark.json").write_text('{"discreet": "partial", "target": "out"}')
    found = clean(tmp_path)
    assert found.removed == (f"{PARTIAL}1234567-abc", left.name)
    assert [path.name for path in tmp_path.iterdir()] == [*found.in_use] == [f"{PARTIAL}{os.getpid()}-abc"]


def test_without_any_locks_a_process_that_runs_keeps_its_work(elsewhere, tmp_path, monkeypatch):
    monkeypatch.setattr(system, "_msvcrt", None)
    with scratch_folder(tmp_path) as scratch:
        assert clean(tmp_path).in_use == (scratch.parent.name,)
        elsewhere.clear()
        assert clean(tmp_path, dry_run=True).removed == (scratch.parent.name,)


def test_a_folder_that_cannot_be_locked_is_everybodys(elsewhere, tmp_path):
    with system.locked_folder(tmp_path) as mine, system.locked_folder(tmp_path) as again:
        assert mine
        assert again


def test_links_are_refused_by_name(elsewhere, tmp_path):
    (tmp_path / "file").write_text("content")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    assert read_plain(tmp_path / "link", links=True) == b"content"
    with pytest.raises(ds.DataError, match="not a plain file that can be read \\(a link\\)"):
        read_plain(tmp_path / "link")


def test_waiting_for_a_lock_outlasts_the_patience_of_the_system(elsewhere, tmp_path):
    write_whole(tmp_path / "file", b"content")
    code = (
        f"import fcntl, time; f = open({str(tmp_path / 'file')!r}); fcntl.flock(f, 2); print(flush=True); time.sleep(1)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        descriptor = system.open_file(tmp_path / "file", os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            system.lock(descriptor)
        system.lock(descriptor, wait=True)
        assert system._msvcrt.gave_up == 2
        assert os.read(descriptor, 7) == b"content"  # from the place where it was
        os.close(descriptor)


def test_modes_tell_nothing_and_a_profile_is_private(elsewhere, tmp_path):
    status = tmp_path.stat()
    assert not system.is_open_to_others(status)
    assert not system.is_anothers(status)
    assert system.is_safe_from_others(tmp_path)
    assert (system.umask(), system.user_number()) == (0, 0)
    with new_folder(tmp_path / "new") as folder:
        assert folder.is_dir()


def test_a_disk_without_hard_links_gets_copies(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("content")

    def refuse(*_):
        raise OSError(errno.EPERM, "not here")

    monkeypatch.setattr(os, "link", refuse)
    system.link_or_copy(tmp_path / "a", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "content"
    assert not (tmp_path / "a").samefile(tmp_path / "b")
    monkeypatch.undo()
    system.link_or_copy(tmp_path / "a", tmp_path / "c")
    assert (tmp_path / "a").samefile(tmp_path / "c")
    with pytest.raises(FileExistsError):
        system.link_or_copy(tmp_path / "a", tmp_path / "c")


def test_a_browser_is_ended_with_its_children(elsewhere, monkeypatch):
    asked = []
    monkeypatch.setattr(subprocess, "run", lambda command, **_: asked.append(command))
    process = SimpleNamespace(pid=77, kill=lambda: asked.append("kill"), wait=lambda: asked.append("wait"))
    system.end_with_children(process)
    assert asked == [["taskkill", "/F", "/T", "/PID", "77"], "kill", "wait"]
    assert set(system.apart()) == {"creationflags"}


def test_the_memory_and_processes_of_windows_are_asked_of_its_kernel(monkeypatch):
    class Kernel:
        def __init__(self, *_, **__):
            self.closed = []

        def GlobalMemoryStatusEx(self, status):  # noqa: N802 (its name there)
            assert status._obj.length == ctypes.sizeof(status._obj) == 64
            status._obj.free = 123 << 20
            return 1

        def OpenProcess(self, access, inherit, process):  # noqa: N802
            return process if process < 3 else 0

        def WaitForSingleObject(self, handle, milliseconds):  # noqa: N802
            return 0x102 if handle == 1 else 0

        def CloseHandle(self, handle):  # noqa: N802
            self.closed.append(handle)

    monkeypatch.setattr(ctypes, "WinDLL", Kernel, raising=False)
    monkeypatch.setattr(ctypes, "get_last_error", lambda: 87, raising=False)
    assert system._of_windows() == 123 << 20
    assert [system._process_runs_on_windows(process) for process in (1, 2, 3)] == [True, False, False]
    monkeypatch.setattr(ctypes, "get_last_error", lambda: 5, raising=False)  # refused: it is another user's
    assert system._process_runs_on_windows(3)


def test_here_a_process_that_runs_is_told_from_one_that_does_not():
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, text=True)
    assert system.process_runs(os.getpid())
    assert not system.process_runs(int(ended.stdout))
    assert system.process_runs(2**70)  # no number of a process: nothing is concluded from it


def test_a_process_that_limits_itself_gets_no_more_memory():
    code = (
        "from discreet.foundation.system import free_memory, limit_itself\n"
        "limit_itself(memory=600 << 20, seconds=60)\n"
        "assert free_memory() < 600 << 20\n"
        "bytearray(800 << 20)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "MemoryError"


def test_without_limits_a_process_is_not_limited(elsewhere):
    system.limit_itself(memory=1, seconds=1)
    assert len(bytearray(1 << 20)) == 1 << 20


def test_free_memory_is_that_of_this_machine():
    assert 2**20 < system.free_memory() <= 2**62


def test_termination_is_handled_as_far_as_there_are_signals(elsewhere, monkeypatch):
    handled = []
    monkeypatch.setattr(signal, "signal", lambda number, handler: handled.append(number))
    system.on_termination(lambda *_: None)
    assert handled == [signal.SIGTERM]
    with system.interrupts_held():
        pass


def test_between_stages_of_work_on_many_rows_what_is_not_needed_is_let_go():
    class Rows:
        pass

    rows = Rows()
    rows.self, gone = rows, weakref.ref(rows)
    gc.disable()
    try:
        del rows
        system.give_back_memory(1000)
        assert gone() is not None  # of few rows there is nothing to gain
        system.give_back_memory(2**21)
        assert gone() is None
    finally:
        gc.enable()
