# SPDX-License-Identifier: Apache-2.0
"""The parameter `hierarchies` of methods: objects, files or a folder, for some of the quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from discreet.data.roles import Roles
from discreet.errors import RolesError, did_you_mean, listing
from discreet.prepare.hierarchy import Hierarchy, read_hierarchies, read_hierarchy

HIERARCHIES = [Mapping, str, Path, None]


def given_hierarchies(hierarchies: Mapping[str, Any] | str | Path | None, roles: Roles) -> dict[str, Hierarchy]:
    """The hierarchies of the quasi-identifiers, by column; a folder may hold more than are needed."""
    if hierarchies is None:
        return {}
    if not isinstance(hierarchies, Mapping):
        return {name: tree for name, tree in read_hierarchies(hierarchies).items() if name in roles.quasi}
    strange = sorted(str(name) for name in hierarchies if name not in roles.quasi)
    if strange:
        raise RolesError(
            f"There are hierarchies for {listing(strange)}, which the roles do not call quasi-identifiers."
            f"{did_you_mean(strange[0], roles.quasi)}"
        )
    return {
        name: tree if isinstance(tree, Hierarchy) else read_hierarchy(tree, name) for name, tree in hierarchies.items()
    }


def public_hierarchies(hierarchies: Mapping[str, Any] | str | Path | None) -> list[str] | str | None:
    """The parameter as a certificate shows it: which columns, not the files."""
    if hierarchies is None:
        return None
    return sorted(map(str, hierarchies)) if isinstance(hierarchies, Mapping) else "given"
