# SPDX-License-Identifier: Apache-2.0
"""The parameter `groups` of methods for baskets: a mapping, or a file that says which group each item belongs to."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from pathlib import Path

from discreet.errors import DataError, listing, shown

_HEADS = {"item", "items", "word", "words", "product", "products"}


def given_groups(groups: Mapping[str, str] | str | os.PathLike[str]) -> dict[str, str]:
    """The group of each item; DataError unless every line has an item and a group, and no item has two.

    >>> given_groups({"pear": "fruit", 7: "number"})
    {'pear': 'fruit', '7': 'number'}
    """
    if isinstance(groups, Mapping):
        pairs = [(str(item), str(group)) for item, group in groups.items()]
    else:
        pairs = _read(Path(groups))
    mapping: dict[str, str] = {}
    twice = [item for item, group in pairs if mapping.setdefault(item, group) != group]
    if twice:
        raise DataError(f"Items are in two groups: {listing(twice, most=3)}. Give each one group.")
    blank = sum(not item.strip() or not group.strip() for item, group in pairs)
    if not mapping:
        raise DataError("No groups were given. Name an item and its group, in a mapping or in lines of a file.")
    if blank:
        raise DataError(f"Groups need an item and the name of its group; {blank} of {len(pairs)} lines lack one.")
    return mapping


def _read(path: Path) -> list[tuple[str, str]]:
    """Lines of item and group, separated by a comma, a semicolon or a tab; a first line that names the columns."""
    if not path.is_file():
        raise DataError(f"There is no file {shown(path.name)} with groups. Check the path.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise DataError(f"The file of groups {shown(path.name)} cannot be read as text.") from None
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    rows = [row for row in csv.reader(text.splitlines(), delimiter=separator) if row]
    wrong = sum(len(row) != 2 for row in rows)
    if wrong:
        raise DataError(f"{shown(path.name)}: {wrong} of {len(rows)} lines have not two cells, an item and its group.")
    if rows and rows[0][0].strip().lower() in _HEADS:
        rows = rows[1:]
    return [(item.strip(), group.strip()) for item, group in rows]
