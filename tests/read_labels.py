# SPDX-License-Identifier: Apache-2.0
"""Published labels read in plain Python, by what the pages say about them, without the package."""

import datetime
import json
import re

_EPOCH = datetime.date(1970, 1, 1)


def _month(year, month):
    return datetime.date(year + (month - 1) // 12, (month - 1) % 12 + 1, 1)


def period(text):
    """The first day of a period and the first day after it."""
    if found := re.fullmatch(r"(\d{3}0)s", text):
        return _month(int(found[1]), 1), _month(int(found[1]) + 10, 1)
    if found := re.fullmatch(r"(\d{4})", text):
        return _month(int(found[1]), 1), _month(int(found[1]) + 1, 1)
    if found := re.fullmatch(r"(\d{4})-Q([1-4])", text):
        first = 3 * int(found[2]) - 2
        return _month(int(found[1]), first), _month(int(found[1]), first + 3)
    if found := re.fullmatch(r"(\d{4})-(\d\d)", text):
        return _month(int(found[1]), int(found[2])), _month(int(found[1]), int(found[2]) + 1)
    day = datetime.date.fromisoformat(text)
    return day, day + datetime.timedelta(days=1)


def members(text):
    """The members of a list, some of them in quotes."""
    decoder, place, found = json.JSONDecoder(), 0, []
    while place < len(text):
        if text[place] == '"':
            value, place = decoder.raw_decode(text, place)
        else:
            end = text.find(", ", place)
            value, place = text[place : len(text) if end < 0 else end], len(text) if end < 0 else end
        found.append(value)
        place += 2
    return found


def holds(label, value, kind, named):
    """Whether a label stands for a value. `named` are the values that some label of the column names.

    None if the label does not say: it is the name of a long set.
    """
    if label == "*":
        return True
    if label is None or label == "not missing":
        return (value is None) == (label is None)
    text = label.removesuffix(" or missing")
    if value is None:
        return text != label or text.startswith("not {")  # missing is not what is left out, if it occurs at all
    if kind == "category" and re.search(r" and \d+ more(?: #\d+)?$", text):
        return None
    if kind == "category" and text.startswith(("{", "not {")):
        inside = any(_is(one, value, named) for one in members(text[text.index("{") + 1 : -1]))
        return inside != text.startswith("not")
    if kind == "category":
        return _is(members(text)[0], value, named)
    return _between(text, value, kind)


def _is(member, value, named):
    if " except " in member:
        whole, but = member.split(" except ")
        return _is(whole, value, named) and not any(_is(one, value, named) for one in but.split(" and "))
    if member == "other":
        return value not in named
    if member.endswith("*") and member.rstrip("*"):
        return value.startswith(member.rstrip("*"))
    return member == value


def _between(text, value, kind):
    def ends(border):
        return (float(border), float(border) + 1) if kind == "number" else period(border)

    if text.startswith("< "):
        return value < ends(text[2:])[0]
    if text.startswith(">= "):
        return value >= ends(text[3:])[0]
    if text.startswith("["):
        low, high = text[1:-1].split(", ")
        return ends(low)[0] <= value < ends(high)[0]
    if text.endswith("*"):
        prefix = text.rstrip("*")
        return str(value).zfill(len(text)).startswith(prefix)
    low, high = ends(text)
    return value == low if kind == "number" else low <= value < high
