# SPDX-License-Identifier: Apache-2.0
"""The way of one table through `release` and of one folder through `verify`: files, switches between folders, calls."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

_SCRIPT = """
import sys
from pathlib import Path
import discreet as ds
root, out = Path(ds.__file__).parent, Path(sys.argv[1])
method = ds.Mondrian(k=5, random_state=1)  # a plain one: TreeLadder also tries ways on held-out rows
def made(name):
    sample = ds.samples.clinic(500, 7)  # nine columns, names and numbers of patients aside
    return lambda: method.release(sample.data, sample.roles).save(out / name)
made("warm")(); ds.verify(out / "warm" / "release")  # whatever is loaded or compiled once is not counted
files, switches, last, calls = set(), 0, None, {}
def watch(frame, event, _):
    global switches, last
    path = frame.f_code.co_filename
    if event != "call" or not path.startswith(str(root)):
        return
    where = Path(path).relative_to(root)
    files.add(where)
    part = where.parent if len(where.parts) > 1 else where
    if last is not None and part != last:
        switches += 1
    last = part
    name = frame.f_code.co_name
    if name in ("encode", "group"):
        calls[name] = calls.get(name, 0) + 1
def walk(work):
    global switches, last
    files.clear(); calls.clear(); switches, last = 0, None
    sys.setprofile(watch)
    work()
    sys.setprofile(None)
    print(len(files), switches, calls.get("encode", 0), calls.get("group", 0))
walk(made("one"))
walk(lambda: ds.verify(out / "one" / "release"))
"""
_VERIFY = """
import sys
import discreet as ds
assert ds.verify(sys.argv[1] + "/one/release").holds
own = [name for name in sys.modules if name.split(".")[0] == "discreet"]
print(len(own), sum(name.startswith("discreet.learning.") for name in own), "numba" in sys.modules)
"""


@dataclass(frozen=True)
class Walk:
    """How many files a call passes, how often it changes folders, how often it calls `encode` and `group`."""

    files: int
    switches: int
    encode: int
    group: int


@dataclass(frozen=True)
class Walks:
    """A release of nine columns with its save, its verification, and what a fresh process loads to verify it."""

    release: Walk
    verify: Walk
    modules: int
    learning: int
    numba: bool


def walks(source: Path) -> Walks:
    with tempfile.TemporaryDirectory() as folder:
        environment = {"PYTHONPATH": str(source.parent), "PATH": "/usr/bin:/bin", "HOME": folder}

        def printed(script: str) -> list[list[str]]:
            command = [sys.executable, "-W", "ignore", "-c", script, folder]
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
            return [line.split() for line in done.stdout.splitlines()]

        release, verify = (Walk(*map(int, words)) for words in printed(_SCRIPT)[-2:])
        modules, learning, numba = printed(_VERIFY)[-1]
    return Walks(release, verify, int(modules), int(learning), numba == "True")
