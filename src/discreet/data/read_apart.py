# SPDX-License-Identifier: Apache-2.0
"""Have a file of another program read by a process of its own (`foreign.py`)."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from discreet.data.foreign import REFUSED, received
from discreet.data.held_file import Source
from discreet.errors import DataError, quietly, shown

_NEEDS = {"Excel": "python_calamine"}  # the others need pyreadstat


def read_apart(source: Source, kind: str, options: dict[str, Any]) -> tuple[pa.Table, dict[str, Any]]:
    """The table in a file of this kind, and what is to be said about how it was read."""
    if importlib.util.find_spec(_NEEDS.get(kind, "pyreadstat")) is None:
        raise DataError(
            f"{shown(source.name)} is a file of {kind}; reading it needs the extra `files`: pip install"
            " 'discreet[files]'."
        )
    place = str(source.absolute()) if isinstance(source, Path) else ""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "discreet.data.foreign", kind, source.name, place, json.dumps(options)],
        input=b"" if isinstance(source, Path) else source.content,
        capture_output=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        check=False,
    )
    if done.returncode == REFUSED:
        raise DataError(done.stdout.decode())
    found = quietly(received, done.stdout)[0] if done.returncode == 0 else None
    if found is None:
        raise DataError(
            f"{shown(source.name)} cannot be read as a file of {kind}: it is damaged, or far larger inside than its"
            " size says. Save it again in its program, or as CSV."
        )
    return found
