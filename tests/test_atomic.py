# SPDX-License-Identifier: Apache-2.0
import os
import stat
import subprocess
import sys

import pytest

from discreet import DataError
from discreet.atomic import PARTIAL, new_folder


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
        assert folder.name.startswith(PARTIAL)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
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


def test_what_a_dead_process_left_is_removed(tmp_path):
    left = tmp_path / f"{PARTIAL}{dead_process()}-abcdefgh-out"
    left.mkdir()
    (left / "half").write_text("half")
    write(tmp_path / "out")
    assert os.listdir(tmp_path) == ["out"]


def test_what_a_dead_process_was_replacing_is_put_back(tmp_path):
    left = tmp_path / f"{PARTIAL}{dead_process()}-abcdefgh-out"
    (left / "replaced").mkdir(parents=True)
    (left / "replaced" / "file").write_text("old")
    with pytest.raises(DataError, match="exists already"):
        write(tmp_path / "out")
    assert (tmp_path / "out" / "file").read_text() == "old"


def test_folders_of_others_are_left_alone(tmp_path):
    """Of a process that still runs, and of another target whose name begins or ends alike."""
    dead = dead_process()
    names = {f"{PARTIAL}{os.getpid()}-abcdefgh-out", f"{PARTIAL}{dead}-abcdefgh-out-2", f"{PARTIAL}{dead}-abcdefgh-o"}
    for name in names:
        (tmp_path / name).mkdir()
    write(tmp_path / "out")
    assert set(os.listdir(tmp_path)) == {*names, "out"}


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
