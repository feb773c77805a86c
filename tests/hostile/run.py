# SPDX-License-Identifier: Apache-2.0
"""Makes the folder of a case, and says what verify found there.

`python -m hostile.run FOLDER` looks at folders that were made before, within limits, and prints a line of JSON for each
and one for the memory that was used.
"""

from __future__ import annotations

import json
import re
import resource
import shutil
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from discreet import verify
from discreet.errors import DiscreetError
from hostile.plain import keeps

if TYPE_CHECKING:
    from hostile.cases import Case

_PLAN = "options.json"


def make(case: Case, bases: Path, where: Path) -> str:
    """Make the folder of a case; the name of what was changed, where that was drawn."""
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(bases / case.base, where, symlinks=True)
    changed = case.change(where / "release") or ""
    plan = {"name": case.name, "changed": changed, "options": _options(case, bases, where)}
    (where / _PLAN).write_text(json.dumps(plan))
    return changed


def _options(case: Case, bases: Path, where: Path) -> dict:
    match case.options:
        case ("owner",):
            return {"owner": str(where / "owner")}
        case ("key", keys):
            return {"public_key": str(bases / keys / "discreet-public.pem")}
        case ("id", number):
            return {"expected_id": number}
    return {}


def look(where: Path) -> dict:
    """What came of a case, with the seconds that it took."""
    plan = json.loads((where / _PLAN).read_text())
    found: dict = {"error": "", "holds": False, "problems": [], "remarks": []}
    start = time.perf_counter()
    try:
        done = verify(where / "release", **plan.pop("options"))
        found |= {"holds": done.holds, "problems": list(done.problems), "remarks": list(done.remarks)}
        str(done)
    except DiscreetError as error:
        found["problems"] = [str(error)]
    except BaseException:
        found["error"] = traceback.format_exc()
    found["seconds"] = time.perf_counter() - start
    found["keeps"] = keeps(where / "release") if found["holds"] else None
    return plan | found


def main(folder: Path) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (300, 300))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for where in sorted(folder.iterdir()):
        sys.stdout.write(json.dumps(look(where)) + "\n")
    sys.stdout.write(json.dumps({"kilobytes": peak()}) + "\n")


def peak() -> int:
    """Kilobytes that this program had at most. What the system calls the maximum includes the process that began it."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+)", status.read_text())[1])  # type: ignore[index]
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "darwin" else 1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
