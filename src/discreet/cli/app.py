# SPDX-License-Identifier: Apache-2.0
"""The command line: commands, exit statuses, error handling.

0  success
1  a promise is broken, or cannot be verified
2  wrong usage or bad input
70 an error in discreet itself
130 and 143  interrupted by Ctrl-C, or terminated

An error is one paragraph on standard error. Tracebacks need --debug, since they may contain private values.
"""

from __future__ import annotations

import signal
import sys
import warnings
from types import FrameType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from discreet._version import __version__
from discreet.cli import cache, data, key, ledger, recipe
from discreet.cli.attack import attack
from discreet.cli.audit import audit
from discreet.cli.choose import choose
from discreet.cli.clean import clean
from discreet.cli.compare import compare
from discreet.cli.demo import demo
from discreet.cli.evaluate import evaluate
from discreet.cli.inspect import inspect
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
from discreet.errors import DiscreetError, PrivacyLeakWarning, PromiseBroken

GOOD, BROKEN, WRONG, BUG, STOPPED, TERMINATED = 0, 1, 2, 70, 130, 143


class _Commands(TyperGroup):
    """The commands, with every error turned into a message and an exit status."""

    def invoke(self, ctx: Any) -> Any:
        try:
            with warnings.catch_warnings():
                _only_our_warnings()
                return super().invoke(ctx)
        except KeyboardInterrupt:
            say("Stopped. Nothing was left half-written.", err=True)
            raise typer.Exit(STOPPED) from None
        except Exception as error:
            status, message = _status_and_message(error)
            if status is None:
                raise
            if ctx.params.get("debug"):
                _show_traceback()
            say(*message.split("\n"), err=True)
            raise typer.Exit(status) from None


app = typer.Typer(
    name="discreet",
    cls=_Commands,
    help="Hand out a labelled table about people under a privacy promise that was checked.",
    epilog="Start with: discreet demo",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,  # they would show local variables, that is, private values
)
app.command("demo")(demo)
app.command("studio")(studio)
app.command("replay")(replay)
app.command("inspect")(inspect)
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
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _terminate)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # for terminals that cannot show every character
    sys.meta_path.insert(0, _NoPandas())
    app()


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


def _status_and_message(error: Exception) -> tuple[int | None, str]:
    """Exit status and message of an error; no status for errors that Typer handles itself."""
    if isinstance(error, PromiseBroken):
        return BROKEN, str(error)
    if isinstance(error, DiscreetError):
        return WRONG, str(error)
    if _is_typer_error(error):
        return None, ""
    if isinstance(error, MemoryError):
        return WRONG, "The data does not fit into memory. Try fewer columns, or a machine with more."
    if isinstance(error, OSError):
        return (
            WRONG,
            f"The system refused ({error.strerror or type(error).__name__}). Check paths, permissions and space.",
        )
    return BUG, (
        f"An error in discreet itself ({type(error).__name__} {_place(error)}). Nothing was written. --debug before the"
        f" command shows more, but may show private values: read it before you share it."
    )


def _is_typer_error(error: Exception) -> bool:
    ours = isinstance(error, (typer.Exit, typer.Abort, BrokenPipeError))
    return ours or hasattr(error, "exit_code") or type(error).__module__.startswith(("click", "typer"))


def _place(error: Exception) -> str:
    """The innermost line of discreet in the traceback: module and line number, no values."""
    place, trace = "", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.split(".")[0] == "discreet":
            place = f"in {name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place or "outside its own files"


def _show_traceback() -> None:
    import traceback

    say("The traceback below may contain private values: read it before you share it.", err=True)
    say(*traceback.format_exc().split("\n"), err=True)


def _only_our_warnings() -> None:
    """Show our own warnings only: those of other libraries may quote cells, and users cannot act on them."""

    def show(message: Any, category: Any, filename: Any, lineno: Any, file: Any = None, line: Any = None) -> None:
        say(f"Warning: {message}", err=True)

    warnings.simplefilter("ignore")
    warnings.simplefilter("always", PrivacyLeakWarning)
    warnings.showwarning = show
