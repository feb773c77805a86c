# SPDX-License-Identifier: Apache-2.0
"""Reading a policy: every problem is reported with its line and the nearest correct spelling."""

from __future__ import annotations

import os
from pathlib import Path
from tomllib import TOMLDecodeError
from typing import Any

from pydantic import ValidationError

from discreet.errors import DataError, did_you_mean, listing, quietly, shown
from discreet.foundation.plain_files import read_plain
from discreet.foundation.toml_lines import line_of
from discreet.foundation.toml_text import read_toml
from discreet.privacy import PROMISES
from discreet.report.policy import Policy

_MOST_BYTES = 64 * 1024  # a policy has twenty keys
_MOST_PROBLEMS = 20
_WORDS = {
    "string_type": "must be a text in quotes",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "finite_number": "must be a finite number",
    "greater_than_equal": "must be {ge:g} or more",
    "greater_than": "must be more than {gt:g}",
    "less_than_equal": "must be {le:g} or less; a share of 20 % is written 0.2",
    "tuple_type": "must be a list in brackets",
    "too_long": "must have at most {max_length} entries",
    "string_too_long": "must have at most {max_length} characters",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "must be a public key of 64 hexadecimal digits, as `discreet key show` prints it",
}


def read_policy(path: str | os.PathLike[str]) -> Policy:
    """The policy of a file."""
    name = Path(path).name
    text, failure = quietly(
        read_plain(Path(path), most=_MOST_BYTES, links=True).decode, "utf-8-sig", errors=(ValueError,)
    )
    if failure:
        raise DataError(f"{shown(name)} is not UTF-8, as TOML is. Save it in that encoding.")
    return policy_from(text, name=name)


def policy_from(text: str, *, name: str = "policy") -> Policy:
    """The policy of a text.

    >>> policy_from("format = 1\\nleast_k = 10").limits
    {'least_k': 10}
    """
    try:
        document = read_toml(text)
    except TOMLDecodeError as error:
        place = str(error).rpartition(" (at ")[2].split(",")[0].rstrip(")")
        where = f", {place if place.startswith('line') else f'line {len(text.splitlines())}'}"
        raise DataError(f"{shown(name)}{where}: this is not TOML. Texts stand in quotes, a key stands once.") from None
    problems = _problems(document)
    if problems:
        lines = [f"{_place(text, key)}{what}." for key, what in problems[:_MOST_PROBLEMS]]
        raise DataError(
            f"{shown(name)}, {lines[0]}"
            if len(problems) == 1
            else "\n  ".join(
                [
                    f"{shown(name)} has {len(problems)} errors{' or more' if len(problems) >= _MOST_PROBLEMS else ''}:",
                    *lines,
                ]
            )
        )
    return Policy.model_validate(document)


def _place(text: str, key: str) -> str:
    line = line_of(text, [key]) if key else None
    return ("" if line is None else f"line {line}: ") + (f"{shown(key)[1:-1]}: " if key else "")


def _problems(document: dict[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with each key."""
    known = [*Policy.model_fields]
    problems: list[tuple[str, str]] = []
    for name in document:
        if name not in known and len(problems) < _MOST_PROBLEMS:
            problems.append(
                (name, f"there is no such limit.{did_you_mean(name, known)} Known are {listing(known, 99)}")
            )
    try:
        policy = Policy.model_validate({name: value for name, value in document.items() if name in known})
    except ValidationError as error:
        return problems + [_problem(one) for one in error.errors(include_url=False)]
    for promise in policy.promises or ():
        if promise not in PROMISES:
            problems.append(("promises", f"{shown(promise)} is not a promise.{did_you_mean(promise, PROMISES)}"))
    if not problems and not policy.limits:
        problems.append(("", "it sets no limit. Write one, such as least_k = 5"))
    return problems


def _problem(error: Any) -> tuple[str, str]:
    key, kind, value, context = str(error["loc"][0]), error["type"], error["input"], error.get("ctx", {})
    if key == "format":
        return key, "write format = 1, the version of the format"
    words = _WORDS.get(kind, "has a value of the wrong kind").format(**context)
    if isinstance(value, (bool, int, float, str)):
        words += f". Got {shown(value) if isinstance(value, str) else str(value).lower()[:60]} instead"
    return key, words
