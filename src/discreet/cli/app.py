# SPDX-License-Identifier: Apache-2.0
"""The command line: all commands. How they run is in command.py, what they say when they fail in failures.py."""

from __future__ import annotations

import importlib
import importlib.util
import os
import signal
import sys
from collections.abc import Iterable
from importlib.machinery import ModuleSpec, PathFinder
from types import FrameType
from typing import Annotated, Any

import typer

from discreet._version import __version__
from discreet.cli.command import Commands, adopt
from discreet.cli.failures import BROKEN, BUG, GOOD, STOPPED, TERMINATED, WRONG
from discreet.cli.options import say
from discreet.foundation.system import on_termination

__all__ = ["BROKEN", "BUG", "GOOD", "STOPPED", "TERMINATED", "WRONG", "app", "main"]

app: typer.Typer  # all commands; it is made when it is first asked for

# In the order of the help. Each has the module of its name: with a function of that name, or a group of commands.
_COMMANDS = (
    *("demo", "studio", "replay", "inspect", "methods", "advise", "release", "verify", "recode", "evaluate", "compare"),
    *("report", "choose", "attack", "risk", "sketch", "data", "audit", "ledger", "recipe", "key", "clean"),
    *("reproduce", "cache"),
)
_GROUPS = {"data", "ledger", "recipe", "key", "cache"}


def app_of(names: Iterable[str]) -> typer.Typer:
    """The command line with these commands only: loading and preparing all of them takes longer than some of them."""
    made = typer.Typer(
        name="discreet",
        cls=Commands,
        help="Hand out a labelled table about people under a privacy promise that was checked.",
        epilog="Start with: discreet demo",
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
        pretty_exceptions_enable=False,  # they would show local variables, that is, private values
    )
    for name in names:
        module = importlib.import_module(f"discreet.cli.{name}")
        if name in _GROUPS:
            made.add_typer(module.app, name=name)
        else:
            made.command(name)(getattr(module, name))
    adopt(made)
    made.callback()(options)
    return made


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()["app"] = made = app_of(_COMMANDS)
    return made


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"discreet {__version__}")
        raise typer.Exit


def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; it may contain private values.")
    ] = False,
) -> None:
    """Hand out a labelled table about people under a privacy promise that was checked."""


def main() -> None:
    """The `discreet` command."""
    on_termination(_terminate)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # for terminals that cannot show every character
    sys.meta_path.insert(0, _Unneeded())
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # else it looks through all installed packages
    named = sys.argv[1:2]
    app_of(named if named and named[0] in _COMMANDS else _COMMANDS)(prog_name="discreet")


class _Unneeded:
    """Keeps modules away that other libraries load and no command uses.

    Arrow asks for pandas with its first array, to recognise values of pandas. A command has none, and loading pandas
    takes longer than many a command: it is not found, except by Spark, which needs it. The others are loaded when
    something of them is used: SciPy loads all that NumPy has, numba YAML for a file of settings, Pydantic the packages'
    metadata for plugins.
    """

    _LATER = frozenset({"numpy.f2py", "numpy.testing", "yaml", "importlib.metadata"})

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name == "pandas" and "pyspark" not in sys.modules:
            raise ModuleNotFoundError("A command has no values of pandas.", name=name)
        if name not in self._LATER:
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            spec.loader = importlib.util.LazyLoader(spec.loader)
        return spec


def _terminate(number: int, frame: FrameType | None) -> None:
    """End as an exception would, so that half-written files are removed on the way out."""
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)
