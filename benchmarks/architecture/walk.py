# SPDX-License-Identifier: Apache-2.0
"""The way of one table through `release` and of one folder through `verify`: files, switches between folders."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

_SCRIPT = """
import sys, threading
from pathlib import Path
import discreet as ds
root = Path(ds.__file__).parent
roles = ds.Roles(target="readmitted", quasi=["age", "sex", "zip", "occupation", "marital"], sensitive=["diagnosis"],
                 other=["stay_days"], identifiers=["patient_id", "name"])
table = ds.samples.load("clinic", rows=500, seed=7).data
method = ds.TreeLadder(k=5, random_state=1)
out = Path(sys.argv[1])
warm = method.release(table, roles)
warm.save(out / "warm"); ds.verify(out / "warm" / "release")
files, switches, last, calls = set(), 0, None, {}
def watch(frame, event, _):
    global switches, last
    if event != "call":
        return
    path = frame.f_code.co_filename
    if not path.startswith(str(root)):
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
def walked(work):
    global switches, last
    files.clear(); calls.clear(); switches, last = 0, None
    sys.setprofile(watch)
    work()
    sys.setprofile(None)
    print(len(files), switches, calls.get("encode", 0), calls.get("group", 0))
walked(lambda: method.release(table, roles).save(out / "one"))
walked(lambda: ds.verify(out / "one" / "release"))
"""


def walks(source: Path) -> dict[str, tuple[int, int, int, int]]:
    """For release with save, and for verify: files, switches between folders, calls of `encode` and of `group`."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", _SCRIPT, folder],
            env={"PYTHONPATH": str(source.parent), "PATH": "/usr/bin:/bin", "HOME": folder},
            capture_output=True,
            text=True,
            check=True,
        )
    release, verify = (tuple(map(int, line.split())) for line in done.stdout.splitlines()[-2:])
    return {"release": release, "verify": verify}  # type: ignore[dict-item]
