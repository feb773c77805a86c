# SPDX-License-Identifier: Apache-2.0
"""The commands, one file each: parse options, call the library, print. Heavy imports wait until a command runs."""

from __future__ import annotations

import atexit
import gc
import os
import sys

_OBJECTS = 500_000  # new ones after which garbage is looked for


def main() -> None:
    """The `discreet` command.

    Loading modules makes many objects, nearly all to stay. To look for garbage among them as often as Python does, and
    to take them down one by one at the end, would take a fifth of a release of a small table. Linear algebra uses one
    thread, unless the environment says otherwise: its matrices are small here, and threads that wait for each other
    take longer and round differently from machine to machine.
    """
    gc.set_threshold(_OBJECTS)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    leaving = _Leaving()
    atexit.register(leaving.leave)  # the first one to be registered is the last one to be called
    from discreet.cli.app import main as run

    try:
        run()
        leaving.status = 0
    except SystemExit as ended:
        leaving.status = 0 if ended.code is None else ended.code
        raise


class _Leaving:
    """Ends the process once all is said and what others registered is done.

    Python ends it if there is something left to tell: a message as the status, an error outside the command.
    """

    status: object = None

    def leave(self) -> None:
        if not isinstance(self.status, int) or hasattr(sys, "last_type"):
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):  # nobody listens any more, which Python tells by its own exit status
            return
        os._exit(self.status)
