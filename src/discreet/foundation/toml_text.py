# SPDX-License-Identifier: Apache-2.0
"""TOML from outside, read within bounds: the only place that hands such a text to the reader of the standard library.

That reader notes every beginning of a dotted key, so a key of n parts takes memory in the square of n: some hundred
kilobytes would take all that a machine has. Keys of more parts than anybody writes are refused before it sees them.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any

MOST_LETTERS = 4 << 20  # of a text; a recipe may name very many columns
MOST_PARTS = 16  # of a key, between dots

# Left to right: texts and remarks, in which dots do not matter, and keys. Whatever else stands there is stepped over.
_TEXT = r"\"\"\"(?:[^\\]|\\.)*?\"{3,5}|'''.*?'{3,5}"
_PART = r"(?:[A-Za-z0-9_-]+|\"(?:[^\"\\\n]|\\.)*+\"|'[^'\n]*')"
_TOKENS = re.compile(rf"(?P<text>{_TEXT}|#[^\n]*)|(?P<key>{_PART}(?:[ \t]*\.[ \t]*{_PART})*+)", re.DOTALL)
_PARTS = re.compile(_PART)


def read_toml(text: str) -> dict[str, Any]:
    """The document of a TOML text. TOMLDecodeError, with the line, if it is none or goes deeper than any that is meant.

    >>> read_toml("roles.target = 'ill'")
    {'roles': {'target': 'ill'}}
    >>> read_toml(".".join("abc" * 20) + " = 1")
    Traceback (most recent call last):
    ...
    tomllib.TOMLDecodeError: A key has 60 parts between dots; at most 16 are read (at line 1, column 1)
    """
    if len(text) > MOST_LETTERS:
        raise _refused(f"It has {len(text):,} letters; at most {MOST_LETTERS:,} are read", text, MOST_LETTERS)
    for token in _TOKENS.finditer(text):
        key = token["key"]
        if key is not None and key.count(".") >= MOST_PARTS and (parts := len(_PARTS.findall(key))) > MOST_PARTS:
            raise _refused(
                f"A key has {parts:,} parts between dots; at most {MOST_PARTS} are read", text, token.start()
            )
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise _refused("Lists or tables stand within each other too often", text, len(text)) from None


def _refused(what: str, text: str, place: int) -> tomllib.TOMLDecodeError:
    line = text.count("\n", 0, place) + 1
    return tomllib.TOMLDecodeError(f"{what} (at line {line}, column {place - text.rfind(chr(10), 0, place)})")
