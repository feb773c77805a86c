# SPDX-License-Identifier: Apache-2.0
"""Messages in the words of a command: parameters are its options, values are written as they are typed."""

from __future__ import annotations

import json
import shlex
from typing import Any

from discreet.cli.running import Running, spelt
from discreet.errors import Outside, Setting, shown, written

_OPTIONS = {  # parameters whose option has another name
    "random_state": "seed",
    "sampling_fraction": "fraction",
    "n_jobs": "jobs",
    "memory_limit": "memory",
    "public_key": "key",
    "expected_id": "release_id",
    "others": "other",
    "records": "owner",
}


_OF_METHODS = {"labels"}  # parameters whose name is that of an option for something else


class CommandWords:
    """How a command names parameters: by its own options, else as `--set name=value` if it takes that."""

    def __init__(self, command: Running) -> None:
        self._options = command.options

    def setting(self, setting: Setting) -> str:
        name, value = setting.name, setting.value
        option = None if name in _OF_METHODS else self._options.get(_OPTIONS.get(name, name))
        if option is not None:
            return spelt(option) if value is ... else _typed(option, value)
        if "settings" in self._options:
            return f"--set {name}" if value is ... else f"--set {shlex.quote(f'{name}={_one(value)}')}"
        if value is ...:
            return shown(name)
        stated = f"{name} = {written(value, _json)}"
        return f"{stated} in the recipe" if "recipe" in self._options else stated

    def outside(self, found: Outside) -> str:
        name = self.setting(Setting(found.name))
        return f"{name} must be {found.allowed.in_words}. Got {_short(found.value)}."


def _short(value: Any) -> str:
    text = written(value, _json)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _typed(option: Any, value: Any) -> str:
    """The option with a value: a flag as itself or its opposite, several values repeated or joined by commas."""
    name = spelt(option)
    if isinstance(value, bool):
        return name if value else next(iter(option.secondary_opts), f"no {name}")
    if isinstance(value, dict):
        return " ".join(f"{name} {shlex.quote(f'{key}={_one(one)}')}" for key, one in value.items())
    if not isinstance(value, list):
        return f"{name} {shlex.quote(_one(value))}"
    if value == [...]:
        return f"{name} ..."
    texts = [_one(one) for one in value]
    apart = any(not text or "," in text or text.startswith("-") for text in texts)
    return " ".join(f"{name} {shlex.quote(text)}" for text in (texts if apart else [",".join(texts)]))


def _one(value: Any) -> str:
    """A value after `=`: text as it is, the rest as JSON."""
    return value if isinstance(value, str) else written(value, _json)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=repr)
