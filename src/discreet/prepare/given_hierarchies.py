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
    """The hierarchies of the quasi-identifiers, by column; a folder may hold further ones, too."""
    if hierarchies is None:
        return {}
    if not isinstance(hierarchies, Mapping):
        return _of_quasi(read_hierarchies(hierarchies), roles)
    strange = sorted(str(name) for name in hierarchies if name not in roles.quasi)
    if strange:
        raise RolesError(
            f"There are hierarchies for {listing(strange)}, which the roles do not call quasi-identifiers."
            f"{did_you_mean(strange[0], roles.quasi)}"
        )
    return {
        name: tree if isinstance(tree, Hierarchy) else read_hierarchy(tree, name) for name, tree in hierarchies.items()
    }


def _of_quasi(found: dict[str, Hierarchy], roles: Roles) -> dict[str, Hierarchy]:
    used = {name: tree for name, tree in found.items() if name in roles.quasi}
    if used:
        return used
    raise RolesError(
        f"No hierarchy file is for a quasi-identifier: the files are for {listing(found)}, the quasi-identifiers are"
        f" {listing(roles.quasi)}.{did_you_mean(next(iter(found)), roles.quasi)} A file is named after its column."
    )


def hierarchy_notes(method: object, roles: Roles) -> list[str]:
    """Which files of a folder a method used, and which it did not."""
    where = getattr(method, "hierarchies", None)
    if not isinstance(where, (str, Path)):
        return []
    found = read_hierarchies(where)
    used, others = [name for name in found if name in roles.quasi], [name for name in found if name not in roles.quasi]
    unused = f" Not used, since they are no quasi-identifiers: {listing(others)}." if others else ""
    return [f"Hierarchy files were used for {listing(used)}.{unused}"]


def public_hierarchies(hierarchies: Mapping[str, Any] | str | Path | None) -> list[str] | str | None:
    """The parameter as a certificate shows it: which columns, not the files."""
    if hierarchies is None:
        return None
    return sorted(map(str, hierarchies)) if isinstance(hierarchies, Mapping) else "given"
