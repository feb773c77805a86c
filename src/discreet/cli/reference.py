# SPDX-License-Identifier: Apache-2.0
"""All commands with all their options as a page: `python -m discreet.cli.reference docs/command-reference.md`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

_INTRODUCTION = """# All commands and options

*Every command, every option, every default.* This page is written from the commands themselves, by `python -m
discreet.cli.reference docs/command-reference.md`. [The command line](command-line.md) shows how they work together. The
column *if not given* says what holds without an option; what is in brackets can be left out. Every command has `-h`.
"""


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command by its path, in the order of the help; a group that does something itself comes first."""
    for name, command in group.commands.items():
        if not hasattr(command, "commands"):
            yield " ".join((*path, name)), command
            continue
        if command.invoke_without_command:
            yield " ".join((*path, name)), command
        yield from commands(command, (*path, name))


def reference() -> str:
    """The page."""
    from discreet.cli.app import app

    root = typer.main.get_command(app)
    return "\n".join([_INTRODUCTION, *(_section(name, command) for name, command in commands(root))])


def _section(name: str, command: Any) -> str:
    arguments = [param for param in command.params if param.param_type_name == "argument"]
    options = [param for param in command.params if param.param_type_name == "option" and not param.hidden]
    usage = " ".join(["discreet", name, *map(_usage, arguments), *(["[OPTIONS]"] if options else [])])
    about = re.sub(r"\s*\n\s*", " ", (command.help or "").strip().replace("\n\n", "\0")).replace("\0", "\n\n")
    lines = [f"## {name}", "", f"`{usage}`", "", _plain(about), ""]
    if arguments:
        lines += ["| argument | meaning |", "|---|---|"]
        lines += [f"| `{param.name.upper()}` | {_plain(param.help or '')} |" for param in arguments] + [""]
    if options:
        lines += ["| option | meaning | if not given |", "|---|---|---|"]
        lines += [_option(param, typer.Context(command)) for param in options] + [""]
    return "\n".join(lines)


def _usage(argument: Any) -> str:
    name = f"{argument.name.upper()}{' ...' if argument.nargs == -1 else ''}"
    return name if argument.required else f"[{name}]"


def _option(param: Any, context: Any) -> str:
    """A row of the table; the help ends with what stands in brackets: the default, the range, `required`."""
    names = ", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts))
    told = param.get_help_record(context)[1]
    text, _, extra = told.rpartition("[") if told.endswith("]") else (told, "", "")
    default = re.search(r"default: \(?(.*?)\)?(;|\]|$)", extra)
    clause = re.search(r"([^;:,.]*) if not given", text)
    absent = "required" if param.required else default[1] if default else clause[1].strip() if clause else "none"
    return f"| {names} | {_plain(text.strip())} | {_plain(absent)} |"


def _plain(text: str) -> str:
    """Text of a help in Markdown, in which some signs have a meaning."""
    return re.sub(r"([|<>*_\\])", r"\\\1", text.replace("`", ""))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8", newline="\n")
