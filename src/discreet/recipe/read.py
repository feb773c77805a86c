# SPDX-License-Identifier: Apache-2.0
"""Reading a recipe: what is wrong is named with its line, and with the nearest thing that would be right."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from discreet.errors import DataError, did_you_mean, listing, shown
from discreet.recipe.lines import line_of
from discreet.recipe.model import Recipe


def read_recipe(path: str | os.PathLike) -> Recipe:
    """The recipe of a file."""
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(
            f"There is no recipe {shown(path.name)}. `discreet recipe init DATA -o {path.name}` writes one."
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"The recipe {shown(path.name)} cannot be read ({type(error).__name__}).") from None
    return recipe_from(text, name=path.name)


def recipe_from(text: str, *, name: str = "recipe") -> Recipe:
    """The recipe of a text.

    >>> recipe_from("format = 1\\n[roles]\\ntarget = 'ill'").roles.target
    'ill'
    """
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{name} is not TOML: {error}.") from None
    try:
        recipe = Recipe.model_validate(said)
    except ValidationError as error:
        problems = [_problem(found, text) for found in error.errors(include_url=False, include_context=True)]
        raise DataError(_message(name, problems)) from None
    if problems := [_located(text, where, what) for where, what in recipe.problems()]:
        raise DataError(_message(name, problems))
    return recipe


def _message(name: str, problems: Sequence[str]) -> str:
    if len(problems) == 1:
        return f"{name}, {problems[0]}"
    return "\n".join([f"{name} has {len(problems)} errors:", *(f"  {problem}" for problem in problems)])


def _located(text: str, where: Sequence[str | int], what: str) -> str:
    line = line_of(text, where)
    key = ".".join(str(part) for part in where if not isinstance(part, int)) or "the file"
    end = "" if what.endswith(("?", ".")) else "."
    return f"{'' if line is None else f'line {line}: '}{key}: {what}{end}"


def _problem(found: Any, text: str) -> str:
    where: tuple[str | int, ...] = tuple(found["loc"])
    kind, context = found["type"], found.get("ctx", {})
    if kind == "extra_forbidden":
        known = _keys(where[:-1])
        return _located(
            text, where, f"there is no such key.{did_you_mean(where[-1], known)} Known are {listing(known, 99)}"
        )
    if kind == "literal_error":
        wanted = _options(context["expected"])
        near = did_you_mean(found["input"], wanted)
        return _located(text, where, f"must be one of {listing(wanted, 99)}.{near}")
    if kind == "missing":
        return _located(text, where, "is missing" + (": write format = 1" if where == ("format",) else ""))
    if kind == "value_error":
        said = str(context["error"])
        key, colon, rest = said.partition(": ")
        return _located(text, (key,), rest) if colon and key in Recipe.model_fields else _located(text, where, said)
    return _located(text, where, found["msg"][0].lower() + found["msg"][1:])


def _options(expected: str) -> list[str]:
    return [part.strip(" '") for part in expected.replace(" or ", ", ").split(",") if part.strip()]


def _keys(where: Sequence[str | int]) -> list[str]:
    """The keys that a part of a recipe may have."""
    model: type[BaseModel] = Recipe
    for part in where:
        if isinstance(part, str) and part in model.model_fields:
            kind = model.model_fields[part].annotation
            inner = [kind, *get_args(kind)]
            model = next((t for t in inner if isinstance(t, type) and issubclass(t, BaseModel)), model)
    return [*model.model_fields]
