# SPDX-License-Identifier: Apache-2.0
"""Rivals, each in an environment of its own: they pin versions that exclude each other and ours.

`run("pycanon", "k_anonymity.py", ...)` makes `benchmarks/rivals/pycanon/venv` when it is missing (git ignores it),
calls the worker script there as a process, and returns the JSON it prints.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


class AbsentError(Exception):
    """The rival cannot be had on this machine, or did not finish."""


def python_of(rival: str) -> Path:
    """The interpreter of the rival's environment, which is made when it is missing."""
    venv = HERE / rival / "venv"
    python, done = venv / "bin" / "python", venv / ".ready"
    if not done.exists():
        wanted = HERE / rival / "requirements.txt"
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", wanted]
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True, capture_output=True)
            subprocess.run(install, check=True, capture_output=True)
        except (subprocess.CalledProcessError, OSError):
            raise AbsentError(f"{rival} cannot be installed here") from None
        done.touch()
    return python


def run(rival: str, worker: str, *arguments: object, limit: float = 300) -> dict:
    """What the worker prints, as JSON; AbsentError when it fails or takes longer than `limit` seconds."""
    command = [python_of(rival), HERE / rival / worker, *map(str, arguments)]
    try:
        done = subprocess.run(command, check=True, capture_output=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise AbsentError(f"{rival} did not finish in {limit:.0f} s") from None
    except subprocess.CalledProcessError as error:
        last = error.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise AbsentError(f"{rival} failed: {' '.join(last)}") from None
    return json.loads(done.stdout.splitlines()[-1])
