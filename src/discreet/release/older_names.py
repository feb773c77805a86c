# SPDX-License-Identifier: Apache-2.0
"""Parameter names of earlier versions, still read in certificates, recipes and commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_OLDER_NAMES = {  # by method: parameter names in certificates of version 0.1, and today's
    "private-fwell": {"neighbours": "strategy"},
    "variance-sketch": {"neighbours": "neighbour_search"},
}


def renamed(method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a certificate, a recipe or a command under today's names.

    >>> renamed("private-fwell", {"neighbours": "ranks"}), renamed("private-table", {"neighbours": "add-remove"})
    ({'strategy': 'ranks'}, {'neighbours': 'add-remove'})
    """
    older = _OLDER_NAMES.get(method, {})
    now = {older.get(name, name): value for name, value in parameters.items()}
    return now if len(now) == len(parameters) else dict(parameters)  # both names stated: left to be refused
