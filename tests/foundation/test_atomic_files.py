# SPDX-License-Identifier: Apache-2.0
import json
import os
import shutil
import stat
import subprocess
import sys

import pytest

from discreet import DataError
from discreet.foundation.atomic_files import PARTIAL, Cleaned, clean, new_file, new_folder, write_whole


def write(target, text="new", **options):
    with new_folder(target, **options) as folder:
        (folder / "file").write_text(text)


def dead_process() -> int:
    """The number of a process that no longer runs."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_the_folder_is_private_until_it_is_whole(tmp_path):
    with new_folder(tmp_path / "out") as folder:
        assert folder.parent.name.startswith(PARTIAL)
        assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
        assert not (tmp_path / "out").exists()
    (tmp_path / "plain").mkdir()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "plain").stat().st_mode  # as the user's mask has it
    (tmp_path / "plain").rmdir()
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, SystemExit])
def test_an_exception_leaves_nothing(tmp_path, error):
    def interrupted():
        with new_folder(tmp_path / "out") as folder:
            (folder / "half").write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert os.listdir(tmp_path) == []


def test_a_failed_replacement_leaves_the_earlier_folder(tmp_path):
    write(tmp_path / "out", "old")

    def interrupted():
        with new_folder(tmp_path / "out", overwrite=True, replaceable=frozenset({"file"})):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        interrupted()
    assert (tmp_path / "out" / "file").read_text() == "old"


def left_behind(folder, target="out", process=None, mark=True, **content):
    """What a killed process leaves."""
    work = folder / f"{PARTIAL}{process or dead_process()}-abcd_{len(os.listdir(folder))}"
    work.mkdir()
    if mark:
        (work / "mark.json").write_text(json.dumps({"discreet": "partial", "target": target}))
    for name, text in content.items():
        (work / name).mkdir()
        (work / name / "file").write_text(text)
    return work


def test_what_a_dead_process_left_is_removed_whatever_it_was_writing(tmp_path):
    for target in ("out", "another", "x" * 200):
        left_behind(tmp_path, target, new="half")
    left_behind(tmp_path, mark=False)  # killed before anything was in it
    write(tmp_path / "out")
    assert os.listdir(tmp_path) == ["out"]


def test_what_a_dead_process_was_replacing_is_put_back(tmp_path):
    left_behind(tmp_path, replaced="old", new="new")
    left_behind(tmp_path, "another", replaced="old", new="new")
    with pytest.raises(DataError, match="exists already"):
        write(tmp_path / "out")
    assert (tmp_path / "out" / "file").read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["another", "out"]


def test_a_file_is_written_whole_and_clears_up_too(tmp_path):
    left_behind(tmp_path, new="half")
    write_whole(tmp_path / "file", b"all")
    assert (tmp_path / "file").read_bytes() == b"all"
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["file"]

    def interrupted():
        with new_file(tmp_path / "file") as partial:
            partial.write_bytes(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        interrupted()
    assert (tmp_path / "file").read_bytes() == b"all"
    assert os.listdir(tmp_path) == ["file"]


def test_what_is_not_certain_to_be_left_by_us_is_left_alone(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "mine").touch()
    folder = tmp_path / "folder"
    folder.mkdir()
    dead = dead_process()
    unmarked = left_behind(folder, mark=False, release="rows")
    strange = left_behind(folder, mark=False)
    (strange / "mark.json").write_text('{"discreet": "something else"}')
    for target in ("../outside", "", "..", 7, "a/b", "nul\0"):
        left_behind(folder, target, replaced="old")
    piped = left_behind(folder, mark=False)
    os.mkfifo(piped / "mark.json")
    linked = left_behind(folder, mark=False)
    (linked / "mark.json").symlink_to(outside / "mine")
    (folder / f"{PARTIAL}{dead}-link").symlink_to(outside)
    (folder / f"{PARTIAL}{dead}-file").touch()
    (folder / f"{PARTIAL}of-an-earlier-version-out").mkdir()
    (folder / "notes").mkdir()
    before = sorted(os.listdir(folder))
    found = clean(folder)
    assert found.removed == found.put_back == ()
    assert sorted(os.listdir(folder)) == before
    assert unmarked.name in found.unmarked
    assert (outside / "mine").exists()


def test_a_link_inside_is_not_followed(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    work = left_behind(tmp_path, new="half")
    (work / "new" / "link").symlink_to(tmp_path / "mine")
    (work / "link").symlink_to(tmp_path / "mine")
    assert clean(tmp_path).removed == (work.name,)
    assert (tmp_path / "mine" / "file").exists()


def test_a_process_at_work_is_left_alone_even_if_its_number_looks_dead(tmp_path):
    with new_folder(tmp_path / "out") as folder:
        work = folder.parent
        other = work.rename(tmp_path / f"{PARTIAL}{dead_process()}-abcdefgh")  # as seen from another machine
        assert clean(tmp_path).in_use == (other.name,)
        write(tmp_path / "another")
        other.rename(work)
    assert sorted(os.listdir(tmp_path)) == ["another", "out"]


def test_a_dry_run_removes_nothing(tmp_path):
    work = left_behind(tmp_path, replaced="old")
    assert clean(tmp_path, dry_run=True) == Cleaned((work.name,), ("out",))
    assert os.listdir(tmp_path) == [work.name]
    assert clean(tmp_path) == Cleaned((work.name,), ("out",))
    assert os.listdir(tmp_path) == ["out"]


KILLS = """
import json, os, random, signal, sys, time
from pathlib import Path
from discreet.foundation.atomic_files import PARTIAL, new_folder

def save(kill, ready):
    for number in range(10**6):
        with new_folder(place / f"out-{kill}-{number}") as folder:
            for part in range(20):
                (folder / str(part)).mkdir()
                (folder / str(part) / "file").write_bytes(bytes(4096))
        if number == 0:
            os.write(ready, b"r")

place, left, moments = Path(sys.argv[1]), [], random.Random(7)
for kill in range(20):
    told, ready = os.pipe()
    process = os.fork()
    if not process:
        save(kill, ready)
    os.read(told, 1)
    time.sleep(0.05 * moments.random())
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
    left.append([name for name in os.listdir(place) if name.startswith(PARTIAL)])
print(json.dumps(left))
"""


def test_twenty_kills_leave_nothing_after_the_next_save(tmp_path):
    """Each kill comes at another moment of a save; each process, forked from one, writes to places of its own."""
    done = subprocess.run([sys.executable, "-c", KILLS, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    left = json.loads(done.stdout)
    assert len(left) == 20
    assert all(len(names) <= 1 for names in left)  # those of the earlier ones are gone
    assert any(left), "no kill hit a save: the test shows nothing"
    for number, last in enumerate(left[-1]):
        shutil.copytree(tmp_path / last, tmp_path / f"{PARTIAL}{dead_process()}-copy{number}")
    write(tmp_path / "last")
    assert not [name for name in os.listdir(tmp_path) if name.startswith(PARTIAL)]
    for whole in tmp_path.glob("out-*"):
        assert len(list(whole.glob("*/file"))) == 20


def test_a_quicker_process_is_not_overwritten(tmp_path):
    def late():
        with new_folder(tmp_path / "out") as folder:
            (folder / "file").write_text("late")
            write(tmp_path / "out", "quick")

    with pytest.raises(DataError, match="exists already"):
        late()
    assert (tmp_path / "out" / "file").read_text() == "quick"


@pytest.mark.parametrize("place", ["somewhere", "nowhere"])
def test_a_link_is_not_followed(tmp_path, place):
    (tmp_path / "somewhere").mkdir()
    (tmp_path / "out").symlink_to(tmp_path / place)
    with pytest.raises(DataError, match="is a link to another place"):
        write(tmp_path / "out", overwrite=True, replaceable=frozenset({"file"}))


def test_only_what_is_replaceable_is_replaced(tmp_path):
    write(tmp_path / "out", "old")
    with pytest.raises(DataError, match="holds 1 entries"):
        write(tmp_path / "out", overwrite=True)
    write(tmp_path / "out", overwrite=True, replaceable=frozenset({"file"}))
    assert (tmp_path / "out" / "file").read_text() == "new"
    assert os.listdir(tmp_path) == ["out"]
    (tmp_path / "plain").write_text("a file")
    with pytest.raises(DataError, match="exists already"):
        write(tmp_path / "plain")
