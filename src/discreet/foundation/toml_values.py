# SPDX-License-Identifier: Apache-2.0
"""Values as TOML writes them; the standard library only reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def toml_value(value: Any) -> str:
    """A text, number, truth value, list or table on one line; JSON's are TOML's too, but for one character.

    >>> print(toml_value({"k": [5, 7], "name": "a\\"b"}))
    {"k" = [5, 7], "name" = "a\\"b"}
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{toml_value(key)} = {toml_value(inner)}' for key, inner in value.items())}}}"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
