# SPDX-License-Identifier: Apache-2.0
"""A user's script under strict mypy: the usual calls pass, and a wrong argument is reported."""

import subprocess
import sys

import pytest

SCRIPT = """
import discreet as ds
from discreet import METHODS, KAnonymity, Method, Mondrian, Roles

roles = Roles(target="y", quasi=["age"], sensitive={"ill"}, identifiers="name")
release = Mondrian(5).release({"age": [1], "y": [0]}, roles)
holds: bool = release.verdict.holds
method: Method = METHODS["mondrian"]()
sets = KAnonymity(3, sets=[["age"]])
mask = ds.GreedySelector(k=5).support_
"""
WRONG = "ds.TreeLadder(q=3)\n"


@pytest.mark.slow
def test_a_script_of_a_user_passes_and_one_with_a_wrong_argument_does_not(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(SCRIPT + WRONG, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "right.py", "wrong.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    *problems, last = done.stdout.splitlines()
    assert [line for line in problems if not line.startswith("wrong.py:")] == []
    assert 'Unexpected keyword argument "q"' in problems[0]
    assert last.startswith("Found 1 error in 1 file")
