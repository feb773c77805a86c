# SPDX-License-Identifier: Apache-2.0
"""Whether the detail that a certificate states can be true of the published rows.

The figure itself rests on the private table. What anyone can see is that a column which says the same in every row has
none, that the whole is no more than its best column, and that rows drawn with noise state none.
"""

from __future__ import annotations

from discreet.data.content import Content
from discreet.errors import listing
from discreet.release.certificate import Certificate
from discreet.release.information_kept import ITEMS

_HALF = 0.005  # figures are rounded to hundredths


def detail_problems(certificate: Certificate, content: Content) -> list[str]:
    """What is wrong with the stated detail, if any is stated."""
    stated = certificate.detail
    if stated is None:
        return []
    if certificate.noise is not None or not content.has_cells:
        return ["The certificate states a detail; a release with noise, or without cells, has none to state."]
    problems = []
    columns = {column.name: column for column in content.cell_columns(certificate.names("quasi"))}
    if blank := [name for name, value in stated.columns.items() if value and _is_blank(columns.get(name))]:
        problems.append(f"The certificate states a detail of {listing(blank)}, which say the same in every row.")
    if certificate.shape == "baskets" and set(stated.columns) != {ITEMS}:
        problems.append("The certificate states a detail of columns that baskets do not have.")
    if stated.whole > max(stated.columns.values(), default=0.0) + _HALF:
        problems.append("The certificate states a detail of the whole above that of every column.")
    return problems


def _is_blank(column: object) -> bool:
    return column is not None and getattr(column, "levels", 2) < 2
