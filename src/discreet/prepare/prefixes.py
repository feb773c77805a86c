# SPDX-License-Identifier: Apache-2.0
"""Codes, such as post codes and those of diagnoses, as a tree of shorter and shorter prefixes: 10115, 1011*, 101**."""

from __future__ import annotations

import re
from functools import lru_cache

from discreet.data.column import SUPPRESSED, Column
from discreet.prepare.automatic_hierarchy import called_post_code, is_post_code
from discreet.prepare.hierarchy import Hierarchy

_MANY, _MANY_PLACES = 16, 8  # values above which codes, post codes by their name, are written by prefix
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9. -]{2,11}")
_LONGER = re.compile(r"[A-Za-z]{0,3}[0-9]{2}[A-Za-z0-9.]{0,9}")


def prefix_tree(column: Column) -> tuple[Hierarchy, dict[str, str]] | None:
    """The tree of shorter and shorter prefixes, and the prefix of each label; None if the values are no codes.

    >>> import pyarrow as pa
    >>> from discreet.data.column import encode
    >>> tree, prefixes = prefix_tree(encode("zip", pa.array([str(10115 + i) for i in range(40)])))
    >>> tree.paths[0], prefixes["101**"]
    (('10115', '1011*', '101**', '10***', '1****', '*'), '101')
    """
    texts = column.texts
    most = _MANY_PLACES if called_post_code(column.name) else _MANY
    if len(texts) <= most or not (is_post_code(column) or (column.kind == "category" and _are_codes(texts))):
        return None
    return _tree(column.name, tuple(texts), column.kind == "number")


@lru_cache(maxsize=8)  # a search asks for the same columns again and again
def _tree(name: str, texts: tuple[str, ...], are_numbers: bool) -> tuple[Hierarchy, dict[str, str]] | None:
    longest, even = max(map(len, texts)), are_numbers or len(set(map(len, texts))) == 1
    prefixes: dict[str, str] = {}
    paths = []
    for text in texts:
        code = text.zfill(longest) if are_numbers else text  # a number has lost its leading zeros
        path = [text]
        for n in range(longest - 1, 0, -1):
            if n <= len(code):
                path.append(code[:n] + SUPPRESSED * (longest - n if even else 1))
                prefixes[path[-1]] = code[:n]
            else:
                path.append(text)
        paths.append((*path, SUPPRESSED))
    if set(texts) & set(prefixes):
        return None
    return Hierarchy(name, texts, tuple(paths), "prefixes of the code"), prefixes


def _are_codes(texts: list[str]) -> bool:
    """Whether all begin with up to three letters and two digits, as codes of diagnoses do, or have digits and one
    length.
    """
    if len({len(text) for text in texts}) == 1:
        return all(_CODE.fullmatch(text) and any(c.isdigit() for c in text) for text in texts)
    return all(_LONGER.fullmatch(text) for text in texts)
