# SPDX-License-Identifier: Apache-2.0
"""The command line: all commands. How they run is in command.py, what they say when they fail in failures.py."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import Annotated, Any

import typer

from discreet._version import __version__
from discreet.cli import cache, data, key, ledger, recipe
from discreet.cli.advise import advise
from discreet.cli.attack import attack
from discreet.cli.audit import audit
from discreet.cli.choose import choose
from discreet.cli.clean import clean
from discreet.cli.command import Commands, adopt
from discreet.cli.compare import compare
from discreet.cli.demo import demo
from discreet.cli.evaluate import evaluate
from discreet.cli.failures import BROKEN, BUG, GOOD, STOPPED, TERMINATED, WRONG
from discreet.cli.inspect import inspect
from discreet.cli.methods import methods
from discreet.cli.options import say
from discreet.cli.recode import recode
from discreet.cli.release import release
from discreet.cli.replay import replay
from discreet.cli.report import report
from discreet.cli.reproduce import reproduce
from discreet.cli.risk import risk
from discreet.cli.sketch import sketch
from discreet.cli.studio import studio
from discreet.cli.verify import verify
from discreet.foundation.system import on_termination

__all__ = ["BROKEN", "BUG", "GOOD", "STOPPED", "TERMINATED", "WRONG", "app", "main"]

app = typer.Typer(
    name="discreet",
    cls=Commands,
    help="Hand out a labelled table about people under a privacy promise that was checked.",
    epilog="Start with: discreet demo",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,  # they would show local variables, that is, private values
)
app.command("demo")(demo)
app.command("studio")(studio)
app.command("replay")(replay)
app.command("inspect")(inspect)
app.command("methods")(methods)
app.command("advise")(advise)
app.command("release")(release)
app.command("verify")(verify)
app.command("recode")(recode)
app.command("evaluate")(evaluate)
app.command("compare")(compare)
app.command("report")(report)
app.command("choose")(choose)
app.command("attack")(attack)
app.command("risk")(risk)
app.command("sketch")(sketch)
app.add_typer(data.app, name="data")
app.command("audit")(audit)
app.add_typer(ledger.app, name="ledger")
app.add_typer(recipe.app, name="recipe")
app.add_typer(key.app, name="key")
app.command("clean")(clean)
app.command("reproduce")(reproduce)
app.add_typer(cache.app, name="cache")
adopt(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"discreet {__version__}")
        raise typer.Exit


@app.callback()
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
    sys.meta_path.insert(0, _NoPandas())
    app(prog_name="discreet")


class _NoPandas:
    """Answers requests for pandas as if it were not installed, except for Spark, which needs it.

    Arrow asks for it with its first array, to recognise values of pandas. A command has none, and loading pandas takes
    longer than many a command.
    """

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name == "pandas" and "pyspark" not in sys.modules:
            raise ModuleNotFoundError("A command has no values of pandas.", name=name)


def _terminate(number: int, frame: FrameType | None) -> None:
    """End as an exception would, so that half-written files are removed on the way out."""
    signal.signal(number, signal.SIG_IGN)
    raise SystemExit(128 + number)
