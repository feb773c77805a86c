# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and the two kinds of output: text for people, JSON for programs."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.running import running
from discreet.errors import DataError, Setting, plain, shown

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

FORMAT = 1  # of the answers in JSON; it changes when the meaning of a key does

Json = Annotated[bool, typer.Option("--json", help="Answer in JSON on standard output, and print nothing else there.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar, no remarks.")]


def say(*lines: object, err: bool = False) -> None:
    """Print lines. All output goes through `say`, `cell` or `emit`, since names of columns, files and data sets come
    from outside and must neither control the terminal nor start lines of their own.
    """
    typer.echo("\n".join(map(plain, lines)), err=err)


def emit(answer: dict[str, Any]) -> None:
    """Print the JSON document of a command, with unprintable characters escaped.

    Every document states its format and the warnings that were given.
    """
    warned = running().warned
    told = {"format": FORMAT, **answer, **({"warnings": warned} if warned else {})} | {"format": FORMAT}
    text = json.dumps(told, indent=2, ensure_ascii=False)
    typer.echo("".join(sign if sign.isprintable() or sign == "\n" else json.dumps(sign)[1:-1] for sign in text))


def cell(text: object, most: int = 60, style: str = "") -> Text:
    """A cell of a rich table, in which outside text is neither markup nor an escape sequence."""
    from rich.text import Text

    from discreet.report.wording import short

    return Text(short(plain(text), most), style=style)


def console() -> Console:
    """The console for text that a person reads."""
    from rich.console import Console

    return Console(highlight=False)


def watch(*, quiet: bool, as_json: bool) -> None:
    """Show progress bars, unless nobody is watching."""
    from discreet.foundation import progress

    progress.show(not quiet and not as_json)
    global _watched
    _watched = not quiet and not as_json


_watched = False


@contextmanager
def step(what: str) -> Iterator[None]:
    """Announce a step if it takes longer than a moment."""
    from discreet.foundation.progress import PATIENCE

    timer = threading.Timer(PATIENCE, lambda: say(f"{what} ...", err=True))
    timer.daemon = True
    if _watched:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()


def remark(*sentences: str) -> None:
    """Say something about the data, on the way, where somebody is watching."""
    if _watched and sentences:
        say(*sentences, err=True)


def refuse_published(path: Path) -> None:
    """DataError for a place in a published folder, which holds what its certificate names and nothing else."""
    from discreet.release.certificate import CERTIFICATE

    whole = Path(os.path.abspath(path))
    for folder in (whole, *whole.parents[:2]):  # data in parts are in a folder of their own
        if (folder / CERTIFICATE).is_file():
            raise DataError(
                f"{shown(whole.name)} would be written into the published folder {shown(folder.name)}, which holds"
                f" {CERTIFICATE} and what that names. Choose another place."
            )


def split(values: list[str] | None, columns: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Names from a repeatable option: separated by commas, unless the whole text is one of `columns`.

    >>> split(["age,sex", "zip, code"], columns=("age", "sex", "zip, code"))
    ('age', 'sex', 'zip, code')
    """
    names: list[str] = []
    for value in values or ():
        names += [value] if value in columns else [part.strip() for part in value.split(",") if part.strip()]
    return tuple(names)


def pairs(values: list[str] | None, option: str) -> dict[str, str]:
    """name=value options as a mapping.

    >>> pairs(["zip=category"], "--kind")
    {'zip': 'category'}
    """
    texts: dict[str, str] = {}
    for value in values or ():
        name, equals, text = value.rpartition("=") if option == "--kind" else value.partition("=")
        if not equals or not name.strip():
            raise DataError(f"{option} takes name=value; one was given without a name or without '='.")
        if texts.get(name.strip(), text.strip()) != text.strip():
            raise DataError(f"{option} gives {shown(name.strip())} two values. Give one.")
        texts[name.strip()] = text.strip()
    return texts


def shares(text: str, option: str) -> float | dict[str, float]:
    """A share, or shares by name.

    >>> shares("0.2", "--max-suppressed"), shares("rows=0.05,cells=0.3", "--max-suppressed")
    (0.2, {'rows': 0.05, 'cells': 0.3})
    """
    try:
        if "=" not in text:
            return float(text)
        return {name: float(share) for name, share in pairs(text.split(","), option).items()}
    except ValueError:
        raise DataError(f"{option} takes a share such as 0.2, or rows=0.05,cells=0.3.") from None


def share_or_file(text: str) -> float | str:
    """A share, or the name of a file.

    >>> share_or_file("0.1"), share_or_file("town.csv")
    (0.1, 'town.csv')
    """
    with suppress(ValueError):
        return float(text)
    return text


def values(settings: list[str] | None) -> dict[str, Any]:
    """name=value options with parsed values: JSON (lists may omit brackets), else text.

    >>> values(["k=5", "split=median", 'cuts={"age": [40]}', "weights=0.5,0.5", "attackers=c45,naive-bayes"])
    {'k': 5, 'split': 'median', 'cuts': {'age': [40]}, 'weights': [0.5, 0.5], 'attackers': ['c45', 'naive-bayes']}
    """
    return {name: _value(text) for name, text in pairs(settings, "--set").items()}


def given_once(typed: dict[str, Any], settings: list[str] | None) -> dict[str, Any]:
    """What was typed by options of its own and by `--set`; DataError for what was given both ways."""
    by_set = values(settings)
    if twice := [name for name in typed if name in by_set]:
        name = twice[0]
        raise DataError(Setting(name), f" and --set {name} both give {name!r} a value. Leave one of them out.")
    return typed | by_set


def _value(text: str) -> Any:
    for tried in (text, f"[{text}]" if "," in text else text):
        with suppress(ValueError):
            return json.loads(tried)
    words = [word.strip() for word in text.split(",")]
    return words if len(words) > 1 and all(word.replace("-", "").isalnum() for word in words) else text
