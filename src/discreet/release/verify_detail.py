# SPDX-License-Identifier: Apache-2.0
"""Whether the detail that a certificate states can be true of the published rows.

The figure itself rests on the private table. What anyone can see is that it is stated of what is published and of
nothing else, that a column which says the same in every row has none, that the whole is no more than the mean of the
columns that have some, and that rows drawn with noise state none.
"""

from __future__ import annotations

from collections.abc import Sequence

from discreet.data.content import Content
from discreet.errors import listing
from discreet.release.certificate import Certificate
from discreet.release.information_kept import ITEMS

_HALF = 0.005  # figures are rounded to hundredths
_OF_ITEM = "="  # a 0/1 item of a column is called column=value


def detail_problems(certificate: Certificate, content: Content) -> list[str]:
    """What is wrong with the stated detail, if any is stated."""
    stated = certificate.detail
    if stated is None:
        return []
    if certificate.noise is not None or not content.has_cells:
        return ["The certificate states a detail; a release with noise, or without cells, has none to state."]
    if certificate.shape == "baskets":
        if set(stated.columns) != {ITEMS} or stated.columns[ITEMS] != stated.whole:
            return ["The certificate states another detail of baskets than that of all items together."]
        return []
    problems = []
    quasi = certificate.names("quasi")
    levels = {column.name: column.levels for column in content.value_columns(quasi)}
    told_by = {name: _published_for(name, quasi) for name in stated.columns}
    if strange := [name for name, told in told_by.items() if not told]:
        problems.append(f"The certificate states a detail of {listing(strange)}: no published quasi-identifiers.")
    if silent := sorted(set(quasi).difference(*told_by.values())):
        problems.append(f"The certificate states no detail of {listing(silent)}.")
    blank = [name for name, told in told_by.items() if stated.columns[name] and all(levels[one] < 2 for one in told)]
    if blank and not strange:
        problems.append(f"The certificate states a detail of {listing(blank)}, which say the same in every row.")
    some = [value for value in stated.columns.values() if value]
    if stated.whole > (sum(some) / len(some) if some else 0.0) + 2 * _HALF:
        problems.append("The certificate states a detail of the whole above that of its columns.")
    return problems


def _published_for(name: str, quasi: Sequence[str]) -> list[str]:
    """The published columns that may tell of an original one: itself, or its 0/1 items."""
    return [one for one in quasi if one == name or one.startswith(name + _OF_ITEM)]
