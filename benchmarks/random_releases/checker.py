# SPDX-License-Identifier: Apache-2.0
"""Counts a published folder anew and searches it for leaks. Imports nothing of what made it."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.random_releases import counting, leaks
from benchmarks.random_releases.cells import key
from benchmarks.random_releases.leaks import Leak
from benchmarks.random_releases.released import RECORD, Released
from benchmarks.random_releases.source import Asked, Source

_DOCUMENTS = {"model": "model.json", "names": "names.json", "weights": "weights.json"}


@dataclass
class Found:
    """What is wrong with a release. `borders` counts documented exceptions, `order` is the input row of each
    published row, where that can be told.
    """

    broken: list[Leak] = field(default_factory=list)
    leaks: list[Leak] = field(default_factory=list)
    borders: int = 0
    order: list[int] | None = None


def check(folder: Path, source: Source) -> Found:
    """Everything that can be counted in `folder/release`, with the owner's side where a promise is about persons."""
    released, found = Released(folder / "release"), Found()
    rare = leaks.Rare(source)
    try:
        found.broken += [("files", problem) for problem in released.file_problems()]
        found.broken += _shape_problems(released, source)
        if not found.broken:
            found.broken += _counted(released, folder / "owner", source, found)
        found.leaks += leaks.byte_leaks(released, source)
        found.leaks += _searched(released, source, rare)
    except (ValueError, KeyError, IndexError, TypeError, OSError) as error:  # a file that is not as it should be
        found.broken.append(("unreadable", f"{type(error).__name__}: {error}"))
    found.borders = rare.borders
    return found


def _shape_problems(released: Released, source: Source) -> Iterator[Leak]:
    """The certificate states what was asked, and the data file is of that shape."""
    said = released.certificate
    if said["method"]["name"] != source.method:
        yield "certificate", f"states the method {said['method']['name']!r}"
    if not said["verdict"]["holds"] or said["verdict"]["rows_short"]:
        yield "certificate", "states that the promise does not hold"
    stated = said["promise"].get("promises", [said["promise"]])
    if sorted(map(_level, stated)) != sorted((asked.name, str(asked.level)) for asked in source.promises):
        yield "certificate", f"states {stated}, asked were {source.promises}"
    if said["counted"] != ("rows" if source.persons is None or source.domain is not None else "persons"):
        yield "certificate", f"counts {said['counted']}"
    expected = _DOCUMENTS.get(source.gives)
    if expected is not None and set(released.files) != {expected, "certificate.json"}:
        yield "files", f"a {source.gives} release holds {sorted(released.files)}"
    groups_items = source.method == "item-groups"
    if source.gives in ("baskets", "sketches") and (RECORD in released.files) != groups_items:
        yield "files", "baskets have a record where items are grouped, and nowhere else"


def _level(promise: dict[str, Any]) -> tuple[str, str]:
    return promise["name"], str(promise[_LEVELS.get(promise["name"], "k")])


_LEVELS = {
    "l-diversity": "l",
    "differential privacy": "epsilon",
    "delta-anonymity": "delta",
    "breach increase": "alpha",
}


# -- broken ------------------------------------------------------------------------------------------------------------


def _counted(released: Released, owner: Path, source: Source, found: Found) -> Iterator[Leak]:
    if source.gives in _DOCUMENTS:
        yield from _document_problems(released, source)
        return
    if len(released) != released.certificate["rows"] or not len(released):
        yield "rows", f"{len(released)} rows, the certificate states {released.certificate['rows']}"
    if source.gives == "sketches":
        yield from _sketch_problems(released, owner, source)
        return
    if source.gives == "synthetic":
        yield from _synthetic_problems(released, source)
        return
    yield from _copied_problems(released, source)
    found.order = _order(released, source)
    persons = _persons(released, owner, source, found.order)
    if len(persons) != len(released):
        yield "persons", f"{len(persons)} persons for {len(released)} rows"
        return
    for place, asked in enumerate(source.promises):
        yield from _promise_problems(released, source, asked, place, persons)
    yield from _group_problems(released, source)


def _copied_problems(released: Released, source: Source) -> Iterator[Leak]:
    """Target, sensitive and other cells of a row stay together and are those of the source, but for dropped rows."""
    if source.gives == "baskets":
        after: Counter = Counter(released.columns["label"])
        before: Counter = Counter(source.labels)
        if released.record is not None:  # every row has the groups and scores of its items, and no others
            items = [leaks.grouped(released, row) for row in source.baskets]
            after = Counter(zip(released.columns["label"], map(frozenset, released.columns["items"]), strict=True))
            before = Counter(zip(source.labels, items, strict=True))
    else:
        stated = [column["name"] for column in released.certificate["columns"]]
        if list(released.columns) != stated:
            yield "columns", f"the data has {list(released.columns)}, the certificate {stated}"
            return
        absent = [name for name in source.as_it_is if name not in released.texts]
        if absent:
            yield "columns", f"{absent} are not published"
            return
        before = Counter(zip(*(map(key, source.columns[name]) for name in source.as_it_is), strict=True))
        after = Counter(zip(*(map(key, released.texts[name]) for name in source.as_it_is), strict=True))
    dropped = released.certificate["changes"]["rows_dropped"]
    if not after <= before or before.total() - after.total() != dropped:
        yield "copied cells", f"{(after - before).total()} rows were not in the source; {dropped} dropped"
    if source.k is not None and source.persons is None and dropped >= source.k:
        yield "rows", f"{dropped} rows were dropped, k = {source.k}"


def _order(released: Released, source: Source) -> list[int] | None:
    """The row of the source that each published row is, where a column numbers them."""
    if source.link is None or source.link not in released.texts:
        return None
    cells = source.labels if source.gives == "baskets" else source.columns[source.link]
    place = {key(cell): row for row, cell in enumerate(cells)}
    return [place[key(cell)] for cell in released.texts[source.link]]


def _persons(released: Released, owner: Path, source: Source, order: list[int] | None) -> list[Any]:
    """Whose row each published row is: from the column that numbers them, else from the owner's file."""
    if source.persons is None:
        return list(range(len(released)))
    if order is not None:
        return source.whose(order)
    return pq.read_table(owner / "persons.parquet").column("person").to_pylist()


def _promise_problems(
    released: Released, source: Source, asked: Asked, place: int, persons: list[Any]
) -> Iterator[Leak]:
    verdict = released.certificate["verdict"]
    verdict = verdict["parts"][place] if verdict["parts"] else verdict
    if asked.name == "l-diversity":
        rows, sensitive = _rows(released, released.named("quasi")), source.sensitive
        measured = min(counting.l_diversity(rows, released.texts[name], persons) for name in sensitive)
    elif asked.name == "containment":
        measured = counting.containment(_item_rows(released, source), persons, asked.absences)
    elif asked.name == "(k, m)-anonymity":
        measured = counting.km_anonymity(_item_rows(released, source), persons, asked.known)
    elif asked.name == "k-anonymity":
        names = released.named("quasi") if asked.columns is None else list(asked.columns)
        rows = [(row,) for row in _item_rows(released, source)] if source.gives == "baskets" else _rows(released, names)
        measured = counting.k_anonymity(rows, persons)
    else:
        return
    if measured < asked.level:
        yield asked.name, f"{asked.level} asked, {measured} counted"
    if measured != verdict["measured"]:
        yield f"measured {asked.name}", f"{verdict['measured']} stated, {measured} counted"


def _rows(released: Released, names: list[str]) -> list[tuple]:
    return list(zip(*(released.texts[name] for name in names), strict=True))


def _item_rows(released: Released, source: Source) -> list[frozenset]:
    if source.gives == "baskets":
        return [frozenset(items) for items in released.columns["items"]]
    names = released.named("quasi")
    return [frozenset(n for n, cell in zip(names, row, strict=True) if cell == "1") for row in _rows(released, names)]


def _group_problems(released: Released, source: Source) -> Iterator[Leak]:
    """The groups that the certificate states are those of the rows."""
    stated = released.certificate["groups"]
    if source.gives == "baskets":
        rows, labels = [(row,) for row in _item_rows(released, source)], released.columns["label"]
    else:
        rows, labels = _rows(released, released.named("quasi")), released.texts[source.target]
    classes: dict[tuple, set] = {}
    for row, label in zip(rows, labels, strict=True):
        classes.setdefault(row, set()).add(label)
    pure = {row for row, found in classes.items() if len(found) == 1}
    counted = (len(classes), len(pure), sum(row in pure for row in rows))
    if counted != (stated["groups"], stated["pure_groups"], stated["pure_rows"]):
        yield "groups", f"{stated} stated, {counted} counted"


def _synthetic_problems(released: Released, source: Source) -> Iterator[Leak]:
    """Only values of the public domain; as many rows as are public."""
    assert source.domain is not None
    if set(released.texts) != set(source.domain):
        yield "columns", f"{sorted(released.texts)} are not the columns of the domain"
        return
    for name, allowed in source.domain.items():
        strange = set(map(key, released.texts[name])) - set(map(key, allowed))
        if strange:
            yield "domain", f"{name!r} holds {sorted(map(repr, strange))}"
    public = source.parameters.get("neighbours", "replace-one") == "replace-one" and source.persons is None
    if public and len(released) != len(source):
        yield "rows", f"{len(released)} synthetic rows of {len(source)}"
    yield from _noise_problems(released.certificate["noise"], source)


def _document_problems(released: Released, source: Source) -> Iterator[Leak]:
    said = released.document
    if source.gives == "model":
        (asked,) = source.promises
        rows = [dict(zip(source.columns, row, strict=True)) for row in zip(*source.columns.values(), strict=True)]
        measured, problems = counting.model_problems(said, rows, source.target, source.whose(), asked.public_class)
        yield from (("model", problem) for problem in problems)
        if measured < asked.level:
            yield asked.name, f"{asked.level} asked, {measured} counted"
        if measured < released.certificate["verdict"]["measured"]:
            yield f"measured {asked.name}", f"{released.certificate['verdict']['measured']} stated, {measured} counted"
        return
    names = [column["name"] for column in said["columns"]]
    allowed = source.items if source.domain is None else source.domain["items"]
    if not set(names) <= set(allowed) or len(set(names)) < len(names):
        yield "names", f"{names} are not among {allowed}"
    if source.gives == "names" and (said["names"] != names or len(names) != source.parameters["n_features"]):
        yield "names", f"{len(names)} names; {source.parameters['n_features']} asked"
    if source.gives == "weights":
        weights = said["weights"]
        if len(weights) != len(names) or not all(math.isfinite(weight) for weight in weights):
            yield "weights", "not one finite weight for each column"
    yield from _noise_problems(said["noise"], source)


def _noise_problems(noise: list[dict[str, Any]], source: Source) -> Iterator[Leak]:
    """Uses of pure noise, added up: sensitivity by scale, and per pick twice that. Gaussian noise is left to proofs."""
    if any(use["mechanism"] == "gaussian" or use["delta"] > 1e-9 for use in noise):
        return
    cost = sum(
        use["sensitivity"] / use["scale"] * (2 * use["picks"] if use["mechanism"] in _PICKS else 1) for use in noise
    )
    if cost > source.promises[0].level * (1 + 1e-9):
        yield "differential privacy", f"the noise costs {cost}, asked {source.promises[0].level}"


_PICKS = ("laplace-top", "exponential", "permute-and-flip")


def _sketch_problems(released: Released, owner: Path, source: Source) -> Iterator[Leak]:
    """Labels and lists of whole numbers in public lengths; the promise on the owner's records."""
    if set(released.columns) != {"label", "sketch"}:
        yield "columns", f"sketches have {list(released.columns)}"
        return
    counts = [len(sketch) for sketch in released.columns["sketch"]]
    if source.parameters.get("count_classes", "quarters") == "quarters" and not set(counts) <= _quarters(256):
        yield "sketches", f"{set(counts) - _quarters(256)} components are no public number"
    if max(counts) > source.parameters.get("max_components", 256) or min(counts) < 1:
        yield "sketches", f"{min(counts)} to {max(counts)} components"
    kept = pq.read_table(owner / "evidence.parquet").to_pydict()
    records = [dict(zip(i, c, strict=True)) for i, c in zip(kept["items"], kept["counts"], strict=True)]
    if len(records) != len(counts) or len(counts) != len(source) - released.certificate["changes"]["rows_dropped"]:
        yield "rows", f"{len(counts)} sketches of {len(records)} records"
        return
    for sketch, record in zip(released.columns["sketch"], records, strict=True):
        total = sum(record.values())
        if any(abs(component) > total or (component - total) % 2 for component in sketch):
            yield "sketches", "a component is no sum of signs of the record"
            break
    for asked in source.promises:
        if asked.name == "delta-anonymity" and not counting.delta_anonymity(records, counts, asked.level):
            yield asked.name, f"{asked.level} asked"
        exact = asked.name == "k-variance" and asked.neighbour_search == "exact"
        if exact and not counting.k_variance(records, counts, int(asked.level)):
            yield asked.name, f"{asked.level} asked"


def _quarters(most: int) -> set[int]:
    return {m for m in range(1, most + 1) if m <= 8 or m % (1 << (m.bit_length() - 3)) == 0}


# -- leaks -------------------------------------------------------------------------------------------------------------


def _searched(released: Released, source: Source, rare: leaks.Rare) -> Iterator[Leak]:
    yield from leaks.parquet_leaks(released)
    if not _has_dates(source):
        yield from leaks.moments(released)
    if source.gives == "baskets":
        yield from leaks.basket_leaks(released, source)
    elif source.gives == "model":
        yield from leaks.model_leaks(released.document, source, rare)
    elif source.gives == "table" and not source.raw:
        yield from leaks.table_leaks(released, source, rare)
        yield from leaks.parameter_leaks(released, source, rare)


def _has_dates(source: Source) -> bool:
    texts = json.dumps([source.columns, source.labels, source.items])
    return re.search(r"\d{4}-\d\d-\d\d", texts) is not None
