# SPDX-License-Identifier: Apache-2.0
"""More than a thousand hostile folders: no broken promise holds, nothing raises, nothing takes long or much memory.

The folders come from hostile/cases.py. Whether a promise is kept is counted by hostile/plain.py, without discreet.
Those that try to eat time or memory run in a process of their own.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from hostile.bases import save_bases
from hostile.cases import cases
from hostile.run import look, make

SECONDS, MEGABYTES = 10, 500
UNTOLD = (
    re.compile(  # figures that no published file tells; each stands in docs/release.md, under "What it cannot check"
        r"discreet|method\.(name|parameters\..+)|changes\.(changed_cells|swapped_cells|rows_dropped|quasi_cells)"
        r"|detail\.(whole|columns\..+)|verdict\.(measured|with_label|rows|details\..+)|document\..+"
    )
)
ALL = {case.name: case for case in cases()}


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    return save_bases(tmp_path_factory.mktemp("hostile"))


def test_there_are_many():
    assert len(ALL) >= 1200
    assert sum(case.expected == "refused" for case in ALL.values()) >= 600


def judge(case, found):
    """What is wrong with what came of a case; nothing, if all is well."""
    if found["error"]:
        return f"{case.name}: raised {found['error']}"
    if found["seconds"] > SECONDS:
        return f"{case.name}: took {found['seconds']:.1f} s"
    if found["holds"] and not found["keeps"]:
        return f"{case.name}: holds, though the promise is broken ({found['changed']})"
    if found["holds"] == bool(found["problems"]):
        return f"{case.name}: holds or has problems, not both: {found['problems']}"
    if case.expected == "refused" and found["holds"]:
        return f"{case.name}: holds"
    if case.expected == "told" and not (found["holds"] and any(case.words in remark for remark in found["remarks"])):
        return f"{case.name}: {found['problems']}, and no remark says {case.words!r}"
    if case.expected == "untold" and found["holds"] and found["changed"] and not UNTOLD.fullmatch(found["changed"]):
        return f"{case.name}: {found['changed']} was changed, and nobody noticed"
    return None


@pytest.mark.slow
def test_no_broken_promise_holds(bases):
    light = [case for case in ALL.values() if not case.heavy]
    wrong, where = [], bases / "light" / "case"
    for case in light:
        make(case, bases, where)
        wrong.append(judge(case, look(where)))
    assert not any(wrong), "\n".join(filter(None, wrong))


@pytest.mark.slow
def test_nothing_hangs_or_eats_the_memory(bases):
    here, heavy = Path(__file__).parent, [case for case in ALL.values() if case.heavy]
    for number, case in enumerate(heavy):
        make(case, bases, bases / "heavy" / f"{number:03}")
    done = subprocess.run(
        [sys.executable, "-m", "hostile.run", str(bases / "heavy")],
        cwd=here,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *lines, used = map(json.loads, done.stdout.splitlines())
    assert [found["name"] for found in lines] == [case.name for case in heavy]
    wrong = [judge(case, found) for case, found in zip(heavy, lines, strict=True)]
    assert not any(wrong), "\n".join(filter(None, wrong))
    assert used["kilobytes"] < MEGABYTES * 1024
