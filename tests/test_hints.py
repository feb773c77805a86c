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
@pytest.mark.parametrize(("script", "problem"), [(SCRIPT, ""), (SCRIPT + WRONG, 'Unexpected keyword argument "q"')])
def test_a_script_of_a_user(script, problem, tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == bool(problem), done.stdout
    assert problem in done.stdout
