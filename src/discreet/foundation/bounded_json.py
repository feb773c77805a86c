# SPDX-License-Identifier: Apache-2.0
"""Untrusted JSON, read within limits: a few megabytes of brackets would become gigabytes of objects.

Only plain JSON is accepted: UTF-8, no NaN, no infinity. Callers compare it with the form that discreet writes, which
also reveals duplicate keys.
"""

from __future__ import annotations

import gc
import json
from typing import Any

MOST_CONTAINERS = 1_000_000  # lists and objects
MOST_KEYS = 100_000  # of one object


def read_json(content: bytes, *, most_keys: int = MOST_KEYS) -> Any:
    """The parsed content; ValueError if it is not plain JSON or exceeds the limits.

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
    gc.disable()  # it would scan the growing lists again and again, and there is no garbage here
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=to_dict, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("too deep") from None
    finally:
        if collecting:
            gc.enable()


def _refuse(constant: str) -> None:
    raise ValueError(constant)
