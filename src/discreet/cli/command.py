# SPDX-License-Identifier: Apache-2.0
"""How commands run: defaults in their help, errors as one paragraph and an exit status, warnings of our own only."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from discreet.cli.failures import Failure, failure_of, is_usage_error, usage_failure
from discreet.cli.options import refuse_published, say
from discreet.cli.running import Running, run_of
from discreet.errors import LeftOutWarning, PrivacyLeakWarning, UnknownValuesWarning

JSON = "--json"
_WRITTEN = ("out", "plot")  # parameters that name a file or folder to write


class _Told:
    """What commands and groups of them share: the help states every default, wrong usage is one paragraph."""

    params: list[Any]

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        for param in self.params:
            state_default(param)

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        with _usage(self, info_name, args, parent):
            return super().make_context(info_name, list(args), parent, **extra)  # type: ignore[misc]


class Command(_Told, TyperCommand):
    """A command."""

    def invoke(self, ctx: Any) -> Any:
        with _answering(ctx):
            for name in _WRITTEN:
                if ctx.params.get(name):
                    refuse_published(ctx.params[name])
            return super().invoke(ctx)


class Commands(_Told, TyperGroup):
    """A group of commands, or all of them."""

    def invoke(self, ctx: Any) -> Any:
        args = [*getattr(ctx, "_protected_args", ()), *ctx.args]
        with _answering(ctx, as_json=JSON in args), _usage(self, ctx.info_name, args, ctx.parent):
            return super().invoke(ctx)


def adopt(app: typer.Typer) -> None:
    """Let all commands of an app, and those of its groups, run in this way."""
    for command in app.registered_commands:
        command.cls = Command
    for group in app.registered_groups:
        group.cls = Commands
        if group.typer_instance is not None:
            adopt(group.typer_instance)


def state_default(param: Any) -> None:
    """See that the help states what an option means if it is not given, unless its text does."""
    if not hasattr(param, "show_default") or param.required or isinstance(param.show_default, str):
        return
    if param.default is None or param.default in ([], ()):
        text = param.help or ""
        says = "if not given" in text or param.param_type_name == "argument"
        found = re.search(r"; else (\w+)", text)
        param.show_default = False if says else found[1] if found else "none"
    elif param.default is False and not param.secondary_opts:
        param.show_default = "off"


@contextlib.contextmanager
def _usage(command: Any, name: str | None, args: list[str], parent: Any) -> Iterator[None]:
    """Say what is wrong with the options of a command."""
    try:
        yield
    except Exception as error:
        if not is_usage_error(error):
            raise
        path = " ".join(filter(None, (getattr(parent, "command_path", ""), name)))
        _end(usage_failure(error, command, path or "discreet"), as_json=JSON in args)


@contextlib.contextmanager
def _answering(ctx: Any, *, as_json: bool = False) -> Iterator[None]:
    """Turn every error of a command into a message and an exit status."""
    with run_of(ctx) as command, warnings.catch_warnings():
        _only_our_warnings(command)
        try:
            yield
        except (Exception, KeyboardInterrupt) as error:
            failure = failure_of(error, command)
            if failure is None:
                raise
            if ctx.find_root().params.get("debug"):
                _show_traceback()
            _end(failure, as_json=as_json or command.as_json)


def _end(failure: Failure, *, as_json: bool) -> None:
    failure.tell(as_json=as_json)
    raise typer.Exit(failure.status) from None


def _show_traceback() -> None:
    import traceback

    say("The traceback below may contain private values: read it before you share it.", err=True)
    say(*traceback.format_exc().split("\n"), err=True)


def _only_our_warnings(command: Running) -> None:
    """Show our own warnings only: those of other libraries may quote cells, and users cannot act on them."""

    def show(message: Any, category: Any, filename: Any, lineno: Any, file: Any = None, line: Any = None) -> None:
        command.warned.append(str(message))
        say(f"Warning: {message}", err=True)

    warnings.simplefilter("ignore")
    for ours in (LeftOutWarning, PrivacyLeakWarning, UnknownValuesWarning):
        warnings.simplefilter("always", ours)
    warnings.showwarning = show
