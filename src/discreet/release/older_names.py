# SPDX-License-Identifier: Apache-2.0
"""Names of earlier versions that are still read: parameters, in certificates, recipes and commands, and a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from discreet.privacy.noise import PAGE

_OLDER_NAMES = {  # by method: parameter names in certificates of version 0.1, and today's
    "private-fwell": {"neighbours": "strategy"},
    "variance-sketch": {"neighbours": "neighbour_search"},
}
_OLDER_PAGE = "docs/privacy/differential.md"  # of the proofs of noise, in certificates of version 0.1


def renamed(method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a certificate, a recipe or a command under today's names.

    >>> renamed("private-fwell", {"neighbours": "ranks"}), renamed("private-table", {"neighbours": "add-remove"})
    ({'strategy': 'ranks'}, {'neighbours': 'add-remove'})
    """
    older = _OLDER_NAMES.get(method, {})
    now = {older.get(name, name): value for name, value in parameters.items()}
    return now if len(now) == len(parameters) else dict(parameters)  # both names stated: left to be refused


def with_todays_page(note: str) -> str:
    """A note of a certificate, with the page of proofs by its present name.

    >>> with_todays_page("geometric: epsilon 1; proof: docs/privacy/differential.md#geometric-noise")
    'geometric: epsilon 1; proof: docs/privacy/differential_privacy.md#geometric-noise'
    """
    return note.replace(f"proof: {_OLDER_PAGE}#", f"proof: {PAGE}#")
