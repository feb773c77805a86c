# SPDX-License-Identifier: Apache-2.0
"""Slow twins of the attacks: plain Python over all pairs of a published row and a known one."""

from discreet.data.column import text_of
from discreet.data.table import Table
from discreet.recoding.patterns import Meaning


def cells(table: Table, name: str) -> list:
    return table.column(name).to_arrow().to_pylist()


def covers(meaning: Meaning, value, named: set[str]) -> bool:
    """Whether a label of this meaning stands for the value; `named` are the texts that the column's labels name."""
    if value is None:
        return meaning.missing
    if meaning.interval is not None:
        low, high = meaning.interval
        return low <= value < high
    text = text_of(value)
    if meaning.but:
        return text not in meaning.texts
    return text in meaning.texts or (meaning.others and text not in named)


def unlisted(labelling, label: str | None, value) -> bool:
    """Whether no list of the column holds the value, though all are spelt out, and the label is more than one value."""
    if labelling.kind != "category" or value is None or label is None:
        return False
    lists = [*(meaning.texts for meaning in labelling.meanings), labelling.known]
    spelt_out = all(not one.others and (not one.but or not one.texts) for one in labelling.meanings)
    meant = dict(zip(labelling.labels, labelling.meanings, strict=True))
    return spelt_out and not any(text_of(value) in texts for texts in lists) and meant[label].texts != {label}


def fits(published, labels: dict, known: dict, *, presences: bool = False) -> bool:
    """Whether a published row, label by column, fits what is known, value by column."""
    recorded = {one.name: one for one in published.recoding.labellings} if published.recoding else {}
    for name, label in labels.items():
        if name not in recorded:
            value = None if known[name] is None else text_of(known[name])
            if label != "*" and (None if label is None else text_of(label)) != value:
                return False
            continue
        labelling = recorded[name]
        named = {text for meaning in labelling.meanings for text in meaning.texts}
        meant = dict(zip(labelling.labels, labelling.meanings, strict=True))
        value = known[labelling.source]
        if labelling.fallback == "0":
            has = covers(labelling.meanings[0], value, named)
            if (has and str(label) == "0") or (not has and str(label) == "1" and not presences):
                return False
        elif label in meant and not covers(meant[label], value, named) and not unlisted(labelling, label, value):
            return False
    return True


def pairs(published, known: Table, columns=None, *, presences: bool = False) -> list[list[bool]]:
    """fits of each known row with each published row."""
    names = list(published.roles.quasi if columns is None else columns)
    rows = [dict(zip(names, row, strict=True)) for row in zip(*(cells(published.data, n) for n in names), strict=True)]
    everyone = [
        dict(zip(known.names, row, strict=True)) for row in zip(*(cells(known, n) for n in known.names), strict=True)
    ]
    return [[fits(published, row, one, presences=presences) for row in rows] for one in everyone]
