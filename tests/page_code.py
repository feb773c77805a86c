# SPDX-License-Identifier: Apache-2.0
"""The code of the pages: how it is found in their text, and how it is run.

Blocks of a page share a folder and their names, and run in the order of the page. Comments, which no reader sees, say
the rest. `<!-- before: console` (or python), lines, `-->` makes what the next block takes for granted, such as a file
of the reader's own. `<!-- not run: reason -->` stands before a block that cannot run here, and `<!-- no command of this
page is run: reason -->` speaks for all of them. TOML whose first line is a comment with a name is saved by that name.
"""

import contextlib
import doctest
import io
import re
import shlex
import subprocess
from pathlib import Path
from typing import NamedTuple

from typer.main import get_command
from typer.testing import CliRunner

from discreet.cli.app import app

FENCED = re.compile(r"^(`{3,})([^\n`]*)\n(.*?)^\1[ \t]*$", re.MULTILINE | re.DOTALL)
BEFORE = re.compile(r"^<!-- before: (console|python)\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"^<!-- not run: ([^\n]+) -->\n\Z", re.MULTILINE)
NONE_RUN = re.compile(r"^<!-- no command of this page is run: ([^\n]+) -->$", re.MULTILINE)


class Block(NamedTuple):
    language: str
    code: str
    line: int
    why_not: str = ""  # the reason that the page gives for not running it


def blocks(text: str) -> list[Block]:
    """The blocks of a page, and what comes before them, in order."""
    whole = NONE_RUN.search(text)
    found = []
    for match in FENCED.finditer(text):
        language = match[2].strip()
        own = NOT_RUN.search(text, 0, match.start())
        reason = own[1] if own else whole[1] if whole and language == "console" else ""
        found.append((match.start(), Block(language, match[3], text.count("\n", 0, match.start()) + 1, reason)))
    for match in BEFORE.finditer(text):
        found.append((match.start(), Block(match[1], match[2], text.count("\n", 0, match.start()) + 1)))
    return [block for _, block in sorted(found)]


class Command(NamedTuple):
    text: str
    printed: str | None  # what the page shows of its output; None if the block shows commands alone


def commands(block: Block) -> list[Command]:
    """The commands of a block; where one of them shows its output, all of them do."""
    first, *parts = re.split(r"^\$ ", block.code.replace("\\\n", ""), flags=re.MULTILINE)
    assert not first, f"line {block.line}: a block of commands begins with one"
    pairs = [part.partition("\n") for part in parts]
    shown = any(printed for _, _, printed in pairs)
    return [Command(text, printed if shown else None) for text, _, printed in pairs]


def run_commands(block: Block) -> None:
    for command in commands(block):
        status, printed = _run(command.text)
        if command.printed is None:
            assert status == 0, f"{command.text}\n{printed}"
        else:
            pattern = ".*".join(map(re.escape, command.printed.split("...\n")))
            assert re.fullmatch(pattern, printed, re.DOTALL), f"{command.text}\n{printed}"


def _run(command: str) -> tuple[int, str]:
    """Status and output of a command; discreet itself runs in this process."""
    given, pipe, last = command.rpartition(" | ")
    program, *arguments = shlex.split(last, comments=True)
    if program != "discreet":
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr
    fed = subprocess.run(["bash", "-c", given], capture_output=True, check=True).stdout if pipe else None
    done = CliRunner().invoke(app, arguments, input=fed)
    return done.exit_code, done.output


def run_python(block: Block, names: dict, where: str) -> str:
    """What the block prints; a doctest that fails, or any exception, is a failure here."""
    printed = io.StringIO()
    if block.language == "pycon" or block.code.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block.code, names, where, where, block.line)
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        runner.run(test, out=printed.write, clear_globs=False)
        names.update(test.globs)
        assert not runner.summarize(verbose=False).failed, printed.getvalue()
        return ""
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * block.line + block.code, where, "exec"), names)
    return printed.getvalue()


def run_page(text: str, name: str) -> None:
    """All blocks of a page, in the current folder; an ```output holds what the block before it prints."""
    names: dict = {"__name__": "__main__"}
    printed = None
    for block in blocks(text):
        where = f"{name}:{block.line}"
        if block.language == "output":
            assert printed is not None, f"{where}: an output without a block of code before it"
            assert printed == block.code, f"{where}: the code prints something else"
        printed = None
        if block.why_not:
            continue
        if block.language in ("python", "pycon"):
            printed = run_python(block, names, where)
        elif block.language == "console":
            run_commands(block)
        elif block.language == "toml" and (named := re.match(r"# (\S+\.toml)\n", block.code)):
            Path(named[1]).write_text(block.code, encoding="utf-8")


def parse(command: str) -> None:
    """Take a command that cannot be run to the parser of the command line; what is wrong with it ends the command."""
    program, *rest = shlex.split(command.replace("...", "x"), comments=True)
    if program != "discreet":
        return
    found = get_command(app)
    while hasattr(found, "commands") and rest and rest[0] in found.commands:
        found, rest = found.commands[rest[0]], rest[1:]
    found.make_context("discreet", rest, resilient_parsing=False).close()
