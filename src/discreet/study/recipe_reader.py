# SPDX-License-Identifier: Apache-2.0
"""Reading a recipe: every problem is reported with its line and the nearest correct spelling."""

from __future__ import annotations

import os
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from discreet.errors import DataError, did_you_mean, listing, shown
from discreet.foundation.toml_lines import line_of
from discreet.foundation.toml_text import MOST_LETTERS, read_toml
from discreet.study.recipe import Problem, Recipe, misplaced

_LARGEST = 4 * MOST_LETTERS  # bytes


def read_recipe(path: str | os.PathLike[str], *, undecided: bool = False) -> Recipe:
    """The recipe of a file; see `recipe_from`."""
    return recipe_from(text_of_recipe(path), name=Path(path).name, undecided=undecided)


def text_of_recipe(path: str | os.PathLike[str]) -> str:
    """The text of a recipe file."""
    path = Path(path)
    try:
        if path.stat().st_size > _LARGEST:
            raise DataError(f"{shown(path.name)} is too large for a recipe: {path.stat().st_size:,} bytes.")
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise DataError(
            f"There is no recipe {shown(path.name)}. `discreet recipe init DATA -o {path.name}` writes one."
        ) from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DataError(f"{path.name}, line {line}: it is not UTF-8, as TOML is. Save it in that encoding.") from None
    except OSError as error:
        raise DataError(f"The recipe {shown(path.name)} cannot be read ({error.strerror}).") from None


def recipe_from(text: str, *, name: str = "recipe", undecided: bool = False) -> Recipe:
    """The recipe of a text. Columns under `decide` are an error, unless `undecided`.

    >>> recipe_from("format = 1\\n[roles]\\ntarget = 'ill'").roles.target
    'ill'
    """
    try:
        document = read_toml(text)
    except TOMLDecodeError as error:
        raise DataError(f"{name}, {_not_toml(str(error), text)}") from None
    try:
        recipe = Recipe.model_validate(document)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_context=True)
        problems = [
            _problem(one) for one in errors if one["type"] != "too_short" or not one["input"]
        ]  # else it follows
    else:
        problems = [*([] if undecided else recipe.undecided()), *recipe.problems()]
    if problems:
        raise DataError(located(text, problems, name=name))
    return recipe


def _not_toml(message: str, text: str) -> str:
    """What the reader of TOML says, with the line first; it may say "at end of document"."""
    what, _, place = message.rstrip(")").partition(" (at ")
    line = place.split(",")[0] if place.startswith("line") else f"line {len(text.splitlines())}"
    hints = {
        "Cannot overwrite a value": "A key stands there for the second time",
        "Cannot declare": "A table stands there for the second time",
        "Invalid value": "Texts stand in quotes",
    }
    hint = next((f". {hint}" for start, hint in hints.items() if what.startswith(start)), "")
    return f"{line}: this is not TOML: {what[0].lower()}{what[1:]}{hint}."


def located(text: str, problems: Sequence[Problem], *, name: str = "recipe") -> str:
    """What is wrong, with the line of each problem."""
    lines = []
    for where, what in problems:
        line = line_of(text, where)
        key = ".".join(str(part) for part in where if not isinstance(part, int)) or "the file"
        end = "" if what.endswith(("?", ".")) else "."
        lines.append(f"{'' if line is None else f'line {line}: '}{key}: {what}{end}")
    return f"{name}, {lines[0]}" if len(lines) == 1 else "\n  ".join([f"{name} has {len(lines)} errors:", *lines])


_TABLE = "must be a table: its name in brackets, and its keys on the lines below"
_METHODS = "must be a list of tables: [[methods]] above the keys of each"
_WORDS = {
    "string_type": "must be a text in quotes",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "finite_number": "must be a finite number",
    "greater_than_equal": "must be {ge:g} or more",
    "greater_than": "must be more than {gt:g}",
    "less_than_equal": "must be {le:g} or less",
    "too_short": "must name at least one",
    "model_type": _TABLE,
    "dict_type": _TABLE,
}


def _problem(error: Any) -> Problem:
    where: tuple[str | int, ...] = tuple(part for part in error["loc"] if part != "[key]")
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if where == ("format",):
        return where, "write format = 1, the version of the format"
    if where[:1] == ("methods",) and kind in ("model_type", "tuple_type"):
        return where, _METHODS
    if kind == "extra_forbidden":
        keys = _keys(where[:-1])
        near = misplaced(str(where[-1])) or did_you_mean(where[-1], keys)
        return where, f"there is no such key.{near} Known are {listing(keys, 99)}"
    if kind == "literal_error":
        wanted = _options(context["expected"])
        return where, f"must be one of {listing(wanted, 99)}.{did_you_mean(value, wanted)}"
    if kind == "missing":
        meant = get_close_matches(str(where[-1]), value, 1)
        return where, f"is missing.{f' Is it meant by {shown(meant[0])}?' if meant else ''}"
    if kind == "value_error":
        message = str(context["error"])
        key, colon, rest = message.partition(": ")
        return ((key,), rest) if colon and key in Recipe.model_fields else (where, message)
    words = _WORDS.get(kind, error["msg"][0].lower() + error["msg"][1:]).format(**context)
    if isinstance(value, (bool, int, float, str)):
        words += f". Got {shown(value) if isinstance(value, str) else str(value).lower()} instead"
    return where, words


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
