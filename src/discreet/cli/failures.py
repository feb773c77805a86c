# SPDX-License-Identifier: Apache-2.0
"""What a command says when it fails, and with which exit status.

0  success
1  a promise is broken, or cannot be verified
2  wrong usage or bad input
70 an error in discreet itself
130 and 143  interrupted by Ctrl-C, or terminated
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass
from typing import Any, get_args

import typer

from discreet.cli.options import emit, say
from discreet.cli.running import Running, in_a_row, spelt
from discreet.cli.spelling import CommandWords
from discreet.errors import DiscreetError, PromiseBroken, did_you_mean, shown

GOOD, BROKEN, WRONG, BUG, STOPPED, TERMINATED = 0, 1, 2, 70, 130, 143


@dataclass(frozen=True)
class Failure:
    """Why a command ends: `kind` is a word for programs, the message one paragraph for people."""

    status: int
    kind: str
    message: str

    def tell(self, *, as_json: bool) -> None:
        """On standard error; with --json on standard output, too, where a program looks for its one document."""
        say(*self.message.split("\n"), err=True)
        if as_json:
            emit({"error": {"status": self.status, "kind": self.kind, "message": self.message}})


def failure_of(error: BaseException, command: Running) -> Failure | None:
    """The failure that an error is; None for those that Typer handles itself."""
    if isinstance(error, DiscreetError):
        status = BROKEN if isinstance(error, PromiseBroken) else WRONG
        return Failure(status, type(error).__name__, error.told(CommandWords(command)))
    if isinstance(error, KeyboardInterrupt):
        return Failure(STOPPED, "Interrupted", "Stopped. Nothing was left half-written.")
    if _is_typer_error(error):
        return None
    if isinstance(error, MemoryError):
        text = "The data does not fit into memory. Try fewer columns, or a machine with more."
        return Failure(WRONG, "MemoryError", text)
    if isinstance(error, OSError):
        why = error.strerror or type(error).__name__
        return Failure(WRONG, "OSError", f"The system refused ({why}). Check paths, permissions and space.")
    place = _place(error)
    return Failure(
        BUG,
        "InternalError",
        f"An error in discreet itself ({type(error).__name__} {place}). Nothing was written. --debug before the"
        f" command shows more, but may show private values: read it before you share it.",
    )


def _is_typer_error(error: BaseException) -> bool:
    ours = isinstance(error, (typer.Exit, typer.Abort, BrokenPipeError, SystemExit, GeneratorExit))
    return ours or hasattr(error, "exit_code") or type(error).__module__.startswith(("click", "typer"))


def _place(error: BaseException) -> str:
    """The innermost line of discreet in the traceback: module and line number, no values."""
    place, trace = "", error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        if name.split(".")[0] == "discreet":
            place = f"in {name}, line {trace.tb_lineno}"
        trace = trace.tb_next
    return place or "outside its own files"


# -- wrong usage ---------------------------------------------------------------------------------------------------


def is_usage_error(error: BaseException) -> bool:
    """Whether Typer refused the options; not the help that it shows instead."""
    return hasattr(error, "format_message") and type(error).__name__ != "NoArgsIsHelpError"


def usage_failure(error: Any, command: Any, path: str) -> Failure:
    """What is wrong with the options, in the words of the other errors: what was asked, what to do."""
    kind = type(error).__name__
    param = getattr(error, "param", None)
    if kind == "NoSuchOption":
        known = [name for one in command.params for name in (*one.opts, *one.secondary_opts) if name[0] == "-"]
        near = did_you_mean(error.option_name, [*known, "--help"]).replace("'", "")
        text = f"`{path}` has no option {shown(error.option_name)[1:-1]}.{near}"
    elif kind == "MissingParameter" and param is not None:
        what = (param.help or "").rstrip(".")
        text = f"`{path}` needs {spelt(param)}{f': {what[0].lower()}{what[1:]}' if what else ''}."
    elif kind == "BadOptionUsage":
        flag = "does not take" in error.message
        text = f"{error.option_name} {'takes no value' if flag else 'needs a value'}."
    elif kind == "BadParameter" and param is not None:
        text = _bad_value(error.message, param)
    elif hasattr(command, "commands") and "No such command" in error.message:
        asked = re.findall(r"'(.*?)'", error.message)[0]
        text = f"`{path}` has no command {shown(asked)}.{did_you_mean(asked, command.commands)}"
    else:
        text = error.format_message().strip()
        text = text if text.endswith((".", "?")) else f"{text}."
    return Failure(WRONG, "UsageError", f"{text} `{path} -h` lists what it takes.")


def _bad_value(message: str, param: Any) -> str:
    """What an option takes, and what it got."""
    takes, choices = _takes(param)
    if not takes:
        return f"{spelt(param)}: {message.rstrip('.')}."
    found = re.search(r"'(.*?)'", message)
    got = "" if found is None or found[1] in choices else f" Got {shown(found[1])}."
    near = did_you_mean(found[1], choices) if found is not None and got else ""
    return f"{spelt(param)} takes {takes}.{got}{near}"


def _takes(param: Any) -> tuple[str, list[str]]:
    """What an option takes, in words, and the words to choose from; nothing where its type does not tell."""
    kind = getattr(getattr(param, "type_descriptor", None), "annotation", None)
    kind = next(iter(get_args(kind)), kind)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        choices = [str(one.value) for one in kind]
        return in_a_row(choices, "or"), choices
    words = {int: "a whole number", float: "a number"}.get(kind, "") if kind is not None else ""
    least = getattr(param, "min", None)
    return (f"{words} of at least {least}" if words and least is not None else words), []
