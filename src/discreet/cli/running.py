# SPDX-License-Identifier: Apache-2.0
"""The command that is running: its options, which of them were given, and what it warned of."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

from discreet.errors import DataError


@dataclass
class Running:
    """A run of a command.

    options   its options by the names of the parameters that they fill
    given     those that were typed; what comes from the environment or a default is not among them
    warned    what was said on the way, which the JSON answer repeats
    as_json   whether the answer is JSON
    """

    options: dict[str, Any] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    warned: list[str] = field(default_factory=list)
    as_json: bool = False

    @classmethod
    def of(cls, context: Any) -> Running:
        """The run in a context of Typer."""
        options = {param.name: param for param in context.command.params}
        given = {name for name in options if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"}
        return cls(options, frozenset(given), as_json=bool(context.params.get("as_json")))

    def spelt(self, name: str) -> str:
        """An option as it is typed."""
        option = self.options.get(name)
        return f"--{name.replace('_', '-')}" if option is None else spelt(option)


def spelt(option: Any) -> str:
    """An option or argument as it is typed: by its long name, an argument in capitals."""
    long = [one for one in option.opts if one.startswith("--")]
    return long[0] if long else option.name.upper()


_runs: list[Running] = []


def running() -> Running:
    """The command that runs now; an empty one if none does."""
    return _runs[-1] if _runs else Running()


@contextmanager
def run_of(context: Any) -> Iterator[Running]:
    """The command of a context, while it runs."""
    _runs.append(Running.of(context))
    try:
        yield _runs[-1]
    finally:
        _runs.pop()


def was_given(name: str) -> bool:
    """Whether an option was typed, whatever its value."""
    return name in running().given


def refuse_unused(*names: str, because: str) -> None:
    """DataError if one of these options was typed: it would have no effect, and nobody types one for that.

    `because` completes the sentence "... has no effect: ".
    """
    found = [running().spelt(name) for name in names if was_given(name)]
    if found:
        have, it = ("has", "it") if len(found) == 1 else ("have", "them")
        raise DataError(f"{in_a_row(found)} {have} no effect: {because}. Leave {it} out.")


def names_of(group: type) -> tuple[str, ...]:
    """The options of a group."""
    return tuple(one.name for one in fields(group))


def in_a_row(words: list[str], last: str = "and") -> str:
    """Words in a sentence.

    >>> in_a_row(["--k", "--l", "--t"])
    '--k, --l and --t'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
