# SPDX-License-Identifier: Apache-2.0
"""Studies by the command, each killed before it changes the disk for the nth time, and then started again.

python killing.py CLINIC RECIPE PLACE  makes PLACE/whole, without a kill, and PLACE/N for some N: for the last ones,
when reports are written, and some by chance. The processes are forked, so that they know all code already.
"""

import os
import random
import signal
import sys
from pathlib import Path

from typer.testing import CliRunner

from discreet.cli.app import app

CHANGES = ("replace", "rename", "mkdir", "rmdir", "unlink", "open", "chmod")
LAST, BY_CHANCE = 14, 4
made, kill_at = 0, 0


def counted(change):
    """A change of the disk that is counted, and that kills the process when its turn has come."""

    def wrapper(*arguments, **options):
        global made
        if change.__name__ != "open" or (arguments[1] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            made += 1
            if made == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
        return change(*arguments, **options)

    return wrapper


def compare(clinic: str, recipe: str, folder: Path) -> None:
    done = CliRunner().invoke(app, ["compare", clinic, recipe, "-o", str(folder), "--quiet"])
    if done.exit_code:
        sys.exit(f"{folder.name}: {done.output}")


def forked(clinic: str, recipe: str, folder: Path, turn: int = 0) -> int:
    """How it ended."""
    global made, kill_at
    sys.stdout.flush()
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    made, kill_at = 0, turn
    compare(clinic, recipe, folder)
    os._exit(0)


def main(clinic: str, recipe: str, place: Path) -> None:
    global made
    compare(clinic, recipe, place / "known")  # all code is
    for name in CHANGES:
        setattr(os, name, counted(getattr(os, name)))
    compare(clinic, recipe, place / "whole")
    first_of_last = made - LAST + 1
    for turn in (*random.sample(range(1, first_of_last), BY_CHANCE), *range(first_of_last, made + 1)):
        if forked(clinic, recipe, place / str(turn), turn) != -signal.SIGKILL:
            sys.exit(f"{turn}: it was not killed")
        if forked(clinic, recipe, place / str(turn)) != 0:
            sys.exit(f"{turn}: it did not go on")
        sys.stdout.write(f"{turn}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
