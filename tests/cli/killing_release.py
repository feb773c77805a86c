# SPDX-License-Identifier: Apache-2.0
"""Releases through DuckDB by the command, each killed before it changes the disk for the nth time, then started again.

python killing_release.py SOURCE PLACE  makes PLACE/N/out for some N: for the last changes, when all is tidied up, and
for others by chance, spread over all. The processes are forked, so that they know all code already.
"""

import builtins
import os
import random
import signal
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from typer.testing import CliRunner

from discreet.cli.app import app

LAST, BY_CHANCE = 6, 8
COLUMNS = ["--target", "y", "--quasi", "age,town", "--sensitive", "ill", "--other", "pay"]
made, kill_at = 0, 0


def turn():
    global made
    made += 1
    if made == kill_at:
        os.kill(os.getpid(), signal.SIGKILL)


def counted(change, counts=lambda *_, **__: True):
    """A change of the disk that is counted, and that kills the process when its turn has come."""

    def wrapper(*arguments, **options):
        if counts(*arguments, **options):
            turn()
        return change(*arguments, **options)

    return wrapper


def watch_the_disk():
    for name in ("replace", "rename", "mkdir", "rmdir", "unlink", "link", "chmod", "ftruncate"):
        setattr(os, name, counted(getattr(os, name)))
    os.open = counted(os.open, lambda path, flags=0, *_, **__: flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
    builtins.open = counted(builtins.open, lambda file, mode="r", *_, **__: mode[0] in "wxa")
    for module, name in ((np, "save"), (pq, "write_table"), (pa.ipc, "new_stream"), (pa.ipc, "new_file")):
        setattr(module, name, counted(getattr(module, name)))


def release(source: str, out: Path) -> None:
    options = ["--method", "mondrian", "--k", "5", "--engine", "duckdb", "--memory", "200MB", "--quiet"]
    done = CliRunner().invoke(app, ["release", source, *COLUMNS, *options, "-o", str(out)])
    if done.exit_code:
        sys.exit(f"{out}: {done.output}")


def forked(source: str, out: Path, at: int = 0) -> int:
    """How it ended."""
    global made, kill_at
    sys.stdout.flush()
    process = os.fork()
    if process:
        return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    made, kill_at = 0, at
    release(source, out)
    os._exit(0)


def main(source: str, place: Path) -> None:
    global made
    release(source, place / "known" / "out")  # all code is
    watch_the_disk()
    made = 0
    release(source, place / "whole" / "out")
    last = range(made - LAST + 1, made + 1)
    stride = (last[0] - 1) // BY_CHANCE  # one moment by chance in each stretch of changes
    moments = random.Random(0)
    for at in (*(1 + stride * place + moments.randrange(stride) for place in range(BY_CHANCE)), *last):
        folder = place / str(at)
        if forked(source, folder / "out", at) != -signal.SIGKILL:
            sys.exit(f"{at}: it was not killed")
        state = "whole" if (folder / "out").exists() else "nothing"
        kept = any(folder.glob(".discreet-job-*/*/done.json"))
        if state == "nothing" and forked(source, folder / "out") != 0:
            sys.exit(f"{at}: it did not go on")
        sys.stdout.write(f"{at} {state} {'kept' if kept else 'anew'}\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
