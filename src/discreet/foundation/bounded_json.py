# SPDX-License-Identifier: Apache-2.0
"""JSON that others wrote, read within bounds: a few megabytes of brackets would be gigabytes of objects.

Only plain JSON is read: UTF-8, no NaN, no number without end. Whether it is written in the one way that discreet writes
it is for the reader to compare; a key that stands twice shows there.
"""

from __future__ import annotations

import gc
import json
from typing import Any

MOST_CONTAINERS = 1_000_000  # lists and objects
MOST_KEYS = 100_000  # of one object


def read_json(content: bytes, *, most_keys: int = MOST_KEYS) -> Any:
    """What the bytes say; ValueError where they are no plain JSON, or too much of it.

    >>> read_json(b'{"a": [1, 2.5, null]}')
    {'a': [1, 2.5, None]}
    """
    if content.count(b"[") + content.count(b"{") > MOST_CONTAINERS:
        raise ValueError("too many lists and objects")

    def to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(pairs) > most_keys:
            raise ValueError("an object has too many keys")
        return dict(pairs)

    collecting = gc.isenabled()
    gc.disable()  # it would look at the growing lists again and again, and there is no garbage here
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=to_dict, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("too deep") from None
    finally:
        if collecting:
            gc.enable()


def _refuse(constant: str) -> None:
    raise ValueError(constant)
