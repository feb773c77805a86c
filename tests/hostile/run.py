# SPDX-License-Identifier: Apache-2.0
"""Makes the hostile folders and says what verify found, a line of JSON for each; `python -m hostile.run FOLDER heavy`
runs those that may eat time or memory, within limits."""

import json
import resource
import shutil
import sys
import time
import traceback
from pathlib import Path

from discreet import verify
from discreet.errors import DiscreetError
from hostile.cases import Case, cases
from hostile.plain import keeps


def make(case: Case, bases: Path, where: Path) -> tuple[Path, str]:
    """The folder of a case, and the name of what was changed where that was drawn."""
    shutil.rmtree(where, ignore_errors=True)
    shutil.copytree(bases / case.base, where)
    shutil.copytree(bases / "signed", where.parent / "signed", dirs_exist_ok=True)
    return where / "release", case.change(where / "release") or ""


def options_of(case: Case, bases: Path, folder: Path) -> dict:
    match case.options:
        case ("owner",):
            return {"owner": folder.parent / "owner"}
        case ("key", keys):
            return {"public_key": bases / keys / "discreet-public.pem"}
        case ("id", number):
            return {"expected_id": number}
    return {}


def outcome(case: Case, bases: Path, where: Path) -> dict:
    """What came of a case, with the seconds that it took."""
    folder, changed = make(case, bases, where)
    start = time.perf_counter()
    found: dict = {"name": case.name, "changed": changed, "error": "", "holds": False, "problems": [], "remarks": []}
    try:
        done = verify(folder, **options_of(case, bases, folder))
        found |= {"holds": done.holds, "problems": list(done.problems), "remarks": list(done.remarks)}
        str(done)
    except DiscreetError as error:
        found["problems"] = [str(error)]
    except BaseException:
        found["error"] = traceback.format_exc()
    found["seconds"] = time.perf_counter() - start
    found["keeps"] = keeps(folder) if found["holds"] else None
    return found


def main(bases: Path) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (300, 300))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for case in cases():
        if case.heavy:
            sys.stdout.write(json.dumps(outcome(case, bases, bases / "heavy" / "case")) + "\n")
    shutil.rmtree(bases / "heavy", ignore_errors=True)
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(json.dumps({"kilobytes": used // (1024 if sys.platform == "darwin" else 1)}) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
