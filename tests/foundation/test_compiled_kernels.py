# SPDX-License-Identifier: Apache-2.0
"""Where machine code is kept between runs: never where somebody else could put some, and never a reason to fail.

tests/bare.py shows it for a user without a home folder, of an installation that cannot be written.
"""

import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numba
import pytest

from discreet.foundation import compiled_kernels as kernels

NOWHERE = Path("/dev/null/nowhere")  # not even root can write there


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A machine on which nothing can be written but the temporary folder."""
    monkeypatch.setattr(kernels, "_PACKAGE", NOWHERE)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("HOME", str(NOWHERE))
    monkeypatch.setenv("XDG_CACHE_HOME", str(NOWHERE))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    return tmp_path / f"discreet-kernels-{os.geteuid()}"


def test_the_package_comes_first(place, monkeypatch, tmp_path):
    monkeypatch.setattr(kernels, "_PACKAGE", tmp_path)
    assert kernels.choose_folder() == ""  # numba looks there by itself
    assert not place.exists()


def test_then_the_users_cache(place, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert kernels.choose_folder() == str(tmp_path / "cache" / "numba")
    (tmp_path / "cache" / "numba").chmod(0o777)
    assert kernels.choose_folder() == str(place)


def test_then_a_folder_of_ones_own_among_the_temporary_ones(place):
    assert kernels.choose_folder() == str(place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert kernels.choose_folder() == str(place)  # again, by the next run


@pytest.mark.parametrize("mode", [0o770, 0o702, 0o720, 0o777])
def test_a_folder_that_others_can_write_to_is_not_used(place, mode):
    place.mkdir()
    place.chmod(mode)
    assert kernels.choose_folder() == ""


def test_a_link_is_not_followed(place, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    place.symlink_to(tmp_path / "elsewhere")
    assert kernels.choose_folder() == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make folders of others")
@pytest.mark.parametrize("which", ["folder", "parent"])
def test_a_folder_of_another_user_is_not_used(place, which):
    place.mkdir(mode=0o700)
    os.chown(place if which == "folder" else place.parent, 65534, 65534)
    assert kernels.choose_folder() == ""


def test_a_shared_place_must_keep_others_from_renaming(place):
    place.parent.chmod(0o777)
    assert kernels.choose_folder() == ""
    place.parent.chmod(0o1777)
    assert kernels.choose_folder() == str(place)


def test_what_the_user_has_set_is_obeyed_if_it_can_be(place, monkeypatch, tmp_path):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "asked"))
    assert kernels.choose_folder() == ""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(NOWHERE))
    assert kernels.choose_folder() == str(place)


def test_without_any_place_kernels_are_compiled_all_the_same(place, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(NOWHERE))
    assert kernels.choose_folder() == ""
    made = {}
    exec(compile("def double(number):\n    return 2 * number", str(NOWHERE), "exec"), made)
    with pytest.raises(RuntimeError, match="no locator available"):
        numba.njit(cache=True)(made["double"])
    assert kernels.compiled(made["double"])(21) == 42
    assert kernels.compiled(inline="always")(made["double"])(21) == 42


def test_code_lies_beside_the_files_it_is_made_from_or_in_a_private_folder(place, tmp_path):
    assert kernels.folder_for_code(tmp_path) == tmp_path / "__pycache__"
    assert kernels.folder_for_code(NOWHERE) == place
    place.chmod(0o777)
    assert kernels.folder_for_code(NOWHERE) is None


def test_machine_code_is_loaded_without_what_compiling_needs(tmp_path):
    """A kernel that makes an array, so that it needs the runtime; and one that is compiled after one was loaded."""
    (tmp_path / "loaded.py").write_text(
        "import sys\n"
        "import numpy as np\n"
        "from discreet.foundation.compiled_kernels import cache_of_kernels, compiled\n"
        "@compiled\n"
        "def doubled(numbers):\n"
        "    made = np.empty(len(numbers))\n"
        "    for place in range(len(numbers)):\n"
        "        made[place] = 2 * numbers[place]\n"
        "    return made\n"
        "@compiled\n"
        "def summed(numbers):\n"
        "    return doubled(numbers).sum()\n"
        "found = doubled(np.arange(3)).tolist()\n"
        "prepared = 'numba.np.linalg' in sys.modules\n"
        "more = summed(np.arange(3.0)) if len(sys.argv) > 1 else 6.0\n"
        "print(found, prepared, more, cache_of_kernels()[1])\n"
    )
    printed = []
    for more in ([], [], ["more"]):
        command = [sys.executable, str(tmp_path / "loaded.py"), *more]
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        printed.append(subprocess.run(command, capture_output=True, text=True, env=environment, check=True).stdout)
    first, second, third = (line.strip() for line in printed)
    assert first == "[0.0, 2.0, 4.0] True 6.0 0"
    assert second == "[0.0, 2.0, 4.0] False 6.0 1"
    assert third == "[0.0, 2.0, 4.0] False 6.0 1"
