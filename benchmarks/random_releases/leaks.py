# SPDX-License-Identifier: Apache-2.0
"""What must not be in published files: words of hidden columns in any byte, and values that too few persons have
wherever a quasi-identifier is written. The border of an interval is the documented exception, unless the interval holds
one value only.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow.parquet as pq

from benchmarks.random_releases.cells import key, number
from benchmarks.random_releases.released import CERTIFICATE, Released
from benchmarks.random_releases.source import Source

Leak = tuple[str, str]  # what kind, and which one
MARK = re.compile(r"Zq[0-9a-f]{8}")  # a word that only hidden and rare values of a random input hold
_INTERVAL = re.compile(r"< (?P<below>.+)|>= (?P<from>.+)|\[(?P<low>[^,\[]+), (?P<high>[^,]+)\)", re.DOTALL)
ITEM_METHODS = ("greedy", "item-groups", "km", "maximal", "optimal", "random-flip")
_SUFFIX, _OTHER = " or missing", "other"
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_AMBIGUOUS = re.compile(r'[{}",]|^not |or missing$|^[<>\[]')


# -- labels ------------------------------------------------------------------------------------------------------------


def elements(label: str, kind: str) -> list[str]:
    """The values that a published label names; of intervals the one value between their borders, if there is but one.

    >>> elements('{a, "b, c"} or missing', "category"), elements("[31, 32)", "number"), elements("[31, 40)", "number")
    (['a', 'b, c'], ['31'], [])
    """
    text = label.removesuffix(_SUFFIX).lstrip("'")
    if kind != "category" and (interval := _INTERVAL.fullmatch(text)):
        return _only(interval, kind)
    if text.startswith(("{", "not {")) and text.endswith("}"):
        return list(_listed(text[text.index("{") + 1 : -1]))
    return list(_listed(text)) if text.startswith('"') else [text]


def borders(label: str) -> list[str]:
    """The borders of an interval."""
    interval = _INTERVAL.fullmatch(label.removesuffix(_SUFFIX))
    return [] if interval is None else [border for border in interval.groups() if border is not None]


def _only(interval: re.Match, kind: str) -> list[str]:
    """The one whole number or day between two borders."""
    low, high = interval["low"], interval["high"]
    try:
        if low is None or number(high, kind) - number(low, kind) != 1 or not number(low, kind).is_integer():
            return []
    except ValueError:  # a value that looks like an interval
        return []
    return [low]


def _listed(text: str) -> Iterator[str]:
    """The elements of a list; those that could be read as something else are quoted."""
    decoder, place = json.JSONDecoder(), 0
    while place < len(text):
        end = text.find(", ", place)
        end = len(text) if end < 0 else end
        value = text[place:end]
        if text[place] == '"':
            with contextlib.suppress(ValueError):
                value, end = decoder.raw_decode(text, place)
        yield value
        place = end + 2


class Rare:
    """Finds values that too few persons have in what is written of a quasi-identifier."""

    def __init__(self, source: Source):
        self.source = source
        self.borders = 0  # of intervals, that are a rare value: documented
        self.published_raw = source.method in ("kactus", "kactus2")
        self.with_times = {
            name for name in source.quasi if any(len(str(key(text))) > 10 for text in source.columns[name] if text)
        }

    def value(self, column: str, text: str | None) -> bool:
        """Whether the text is a rare value, and not a word for many of them."""
        return text is not None and text not in (_OTHER, "not missing") and self.source.is_rare(column, text)

    def listed(self, column: str, text: str) -> bool:
        """Whether the text is a rare value that a list names, and no public one: those are listed whoever has them."""
        return self.value(column, text) and text not in self.source.parameters.get("grids", {}).get(column, ())

    def label(self, column: str, label: str | None) -> str | None:
        """A rare value that the label names, if there is one."""
        if label is None:
            return None
        kind = self.source.kinds[column]
        self.borders += kind != "category" and any(self.source.is_rare(column, border) for border in borders(label))
        if self.published_raw:
            return label if self.value(column, label) else None
        if label in self.source.columns[column] and not self.source.is_rare(column, label):
            return None  # a value that enough persons have, also where it looks like a set
        days = borders(label) or [label.removesuffix(_SUFFIX)]
        if kind == "date" and column in self.with_times and all(_DAY.fullmatch(day) for day in days):
            return None  # a day is an interval of moments, and so is what lies between two days
        named = elements(label, kind)
        if named == [label] and _AMBIGUOUS.search(label):
            return None  # not as a label would write such a value: it is the label of something else
        tells = self.listed if "{" in label else self.value
        return next((text for text in named if tells(column, text)), None)


# -- tables ------------------------------------------------------------------------------------------------------------


def table_leaks(released: Released, source: Source, rare: Rare) -> Iterator[Leak]:
    """Rare values in the data, in the names of items, and in the record of the recoding."""
    for name in released.named("quasi"):
        column = name if name in source.quasi else _column_of_item(name, source)
        if column is None:
            yield "unknown column", f"{name!r} is no quasi-identifier and no item of one"
        elif name != column:
            text = name.removeprefix(f"{column}=")
            missing = text == "missing" and None in source.support[column]
            alone = source.kinds[column] != "category" and rare.label(column, text) is not None
            if not missing and (alone or rare.value(column, text)):
                yield "rare value in the name of an item", f"{column!r}: {text!r}"
        elif source.method not in ITEM_METHODS:  # of an item a 0 says that it is lacking, not which value is there
            for label in set(released.texts[name]):
                if (found := rare.label(column, label)) is not None:
                    yield "rare value in the data", f"{column!r}: {found!r} in the label {label!r}"
    for entry in (released.record or {}).get("columns", []):
        column = entry.get("source", entry["name"])
        for label in entry["labels"]:
            listed = [*label.get("in", ()), *label.get("not_in", ())]
            item = column != entry["name"]
            if not item and (found := rare.label(column, label["label"])) is not None:
                yield "rare value in a label of the record", f"{column!r}: {found!r} in {label['label']!r}"
            for text in listed:
                if rare.listed(column, text) and not (item and text in ("1", "true")):
                    yield "rare value in a meaning of the record", f"{column!r}: {text!r} under {label['label']!r}"


def _column_of_item(name: str, source: Source) -> str | None:
    """The quasi-identifier that an item was made from: the longest one that it begins with."""
    return max((c for c in source.quasi if name.startswith(f"{c}=")), key=len, default=None)


def model_leaks(model: dict[str, Any], source: Source, rare: Rare) -> Iterator[Leak]:
    """Rare values and classes in a published tree."""
    for column, paths in model["values"].items():
        for value, path in paths.items():
            for label in path:  # the value itself stands there as it is, also where it looks like a set
                if rare.value(column, label) or (label != value and rare.label(column, label) is not None):
                    yield "rare value in the model", f"{column!r}: {label!r}"
    for node in model["nodes"]:
        for label in node.get("branches", ()):
            if rare.value(node["column"], label):
                yield "rare value in the model", f"{node['column']!r}: {label!r}"
        cut = node.get("cut")
        rare.borders += cut is not None and rare.value(node["column"], str(cut))
    for label in model["classes"]:
        if rare.value(source.target, str(label)):
            yield "rare class in the model", repr(label)


def parameter_leaks(released: Released, source: Source, rare: Rare) -> Iterator[Leak]:
    """Rare values among the parameters that a certificate states; what the user gave is public."""
    if source.domain is not None or "cuts" in source.parameters:
        return
    said = [released.certificate["method"]["parameters"], released.certificate["verdict"].get("details", {})]
    for text in strings(said):
        for column in source.quasi:
            if text not in source.quasi and source.kinds[column] == "category" and rare.value(column, text):
                yield "rare value in the certificate", f"{column!r}: {text!r}"


def strings(said: Any) -> Iterator[str]:
    """All texts in a JSON document."""
    if isinstance(said, str):
        yield said
    elif isinstance(said, dict):
        for name, value in said.items():
            yield name
            yield from strings(value)
    elif isinstance(said, list):
        for value in said:
            yield from strings(value)


# -- bytes -------------------------------------------------------------------------------------------------------------


def byte_leaks(released: Released, source: Source) -> Iterator[Leak]:
    """Words of hidden columns, of the machine and of the owner in any byte; rare values that are marked words."""
    whole = b"\n".join([name.encode() + b"\n" + content for name, content in released.files.items()])
    for word, what in source.hidden.items():
        if word.encode() in whole or (word.isdigit() and int(word).to_bytes(8, "little") in whole):
            yield f"{what} in a published byte", word
    if source.raw:
        return
    for column in source.quasi:
        for text in source.columns[column]:
            mark = MARK.search(text or "")
            public = text in source.parameters.get("grids", {}).get(column, ())
            if mark and not public and mark.group().encode() in whole and source.is_rare(column, text):
                yield "rare value in a published byte", f"{column!r}: {text!r}"


def moments(released: Released) -> Iterator[Leak]:
    """Times of day near the present in what is not data."""
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d")
    if now.encode() in released.files[CERTIFICATE]:
        yield "time in the certificate", now


def parquet_leaks(released: Released) -> Iterator[Leak]:
    """Metadata, levels that no row has, and statistics of values that are not there."""
    if not released.data_file.endswith(".parquet"):
        return
    path = released.folder / released.data_file
    with pq.ParquetFile(path) as file:
        if file.metadata.metadata:
            yield "metadata in Parquet", repr(sorted(file.metadata.metadata))
        flat = [field.name for field in file.schema_arrow if str(field.type) == "string"]
        for group in range(file.metadata.num_row_groups):
            for place in range(file.metadata.num_columns):
                column = file.metadata.row_group(group).column(place)
                if column.path_in_schema in flat and column.statistics is not None and column.statistics.has_min_max:
                    ends = {column.statistics.min, column.statistics.max}
                    if not ends <= set(released.columns[column.path_in_schema]):
                        yield "statistics in Parquet", f"{column.path_in_schema!r}: {ends!r}"
    for name, chunks in zip(flat, pq.read_table(path, columns=flat, read_dictionary=flat).columns, strict=True):
        for chunk in chunks.chunks:
            unused = len(chunk.dictionary) - len(set(chunk.indices.to_pylist()) - {None})
            if unused:
                yield "unused levels in Parquet", f"{name!r}: {unused}"


def grouped(released: Released, row: Iterable[str]) -> frozenset[str]:
    """The published items of a row of items, where they are groups or steps of scores."""
    record, items = released.record or {}, set(row)
    reached = []
    for score in record.get("scores", []):
        of_items = sum(int(points) * len(items & {*names}) for points, names in score["items"].items())
        of_beginnings = sum(
            int(points) * sum(any(item.startswith(text) for item in items) for text in texts)
            for points, texts in score["beginnings"].items()
        )
        reached.append(of_items + of_beginnings)
    return frozenset(
        one["item"]
        for one in record.get("groups", [])
        if (items & {*one["any_of"]} if "any_of" in one else reached[one["score"]] >= one["at_least"])
    )


def _named(released: Released) -> tuple[set[str], set[str]]:
    """The items and the beginnings of items that the record names, or the published items without a record."""
    if released.record is None:
        return {*released.named("quasi"), *(item for row in released.columns["items"] for item in row)}, set()
    items = {item for one in released.record["groups"] for item in one.get("any_of", [])}
    beginnings = set()
    for score in released.record.get("scores", []):
        items.update(*score["items"].values())
        beginnings.update(*score["beginnings"].values())
    return items, beginnings


def basket_leaks(released: Released, source: Source) -> Iterator[Leak]:
    """Items that too few persons have."""
    if source.k is None:
        return
    items, beginnings = _named(released)
    for item in sorted(items):
        if 0 < source.item_support[item] < source.k:
            yield "rare item published", f"{item!r} of {source.item_support[item]} persons, k = {source.k}"
    persons = range(len(source.baskets)) if source.persons is None else source.persons
    for text in sorted(beginnings):
        rows = zip(persons, source.baskets, strict=True)
        held = len({person for person, row in rows if any(item.startswith(text) for item in row)})
        if held < source.k:
            yield "rare beginning published", f"{text!r} of {held} persons, k = {source.k}"


def refusal_leaks(message: str, source: Source) -> Iterator[Leak]:
    """Cells in the words of a refusal."""
    found = {word for word in source.hidden if word in message} | set(MARK.findall(message))
    if found:
        yield "a refusal names a value", message
