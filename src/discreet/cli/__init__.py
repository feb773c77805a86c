# SPDX-License-Identifier: Apache-2.0
"""The commands, one file each: parse options, call the library, print. Heavy imports wait until a command runs."""

from __future__ import annotations


def main() -> None:
    """The `discreet` command."""
    from discreet.cli.app import main as run

    run()
