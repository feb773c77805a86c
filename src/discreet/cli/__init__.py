# SPDX-License-Identifier: Apache-2.0
"""The commands, one file each: parse options, call the library, print. Heavy imports wait until a command runs."""

from __future__ import annotations

import atexit
import gc
import sys

_OBJECTS = 200_000  # new ones after which garbage is looked for


def main() -> None:
    """The `discreet` command.

    Loading modules makes many objects, nearly all to stay. To look for garbage among them as often as Python does, and
    once more at the end, would take a fifth of a release of a small table.
    """
    gc.set_threshold(_OBJECTS)
    atexit.register(_keep_all)
    from discreet.cli.app import main as run

    run()


def _keep_all() -> None:
    """Look for no garbage at the end, unless DuckDB was loaded: it would print a list of what is left of it."""
    if "_duckdb" not in sys.modules:
        gc.freeze()
