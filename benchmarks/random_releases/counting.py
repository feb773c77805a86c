# SPDX-License-Identifier: Apache-2.0
"""The promises, counted from their definitions: sets, loops, fractions. Nothing is shared with what makes releases."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from benchmarks.random_releases.cells import number


def groups(rows: Sequence[tuple], persons: Sequence[Any]) -> dict[tuple, set]:
    """The persons of each different row; missing and suppressed cells are values like others."""
    found: dict[tuple, set] = defaultdict(set)
    for row, person in zip(rows, persons, strict=True):
        found[row].add(person)
    return found


def k_anonymity(rows: Sequence[tuple], persons: Sequence[Any]) -> int:
    return min(map(len, groups(rows, persons).values()))


def containment(rows: Sequence[frozenset], persons: Sequence[Any], absences: int) -> int:
    """Persons left to whoever knows all items of a row, and the worst so many items that it lacks."""
    left, items = [], frozenset().union(*rows)
    held = groups([(row,) for row in rows], persons)
    for (row,) in held:
        containing = [(other - row, whose) for (other,), whose in held.items() if other >= row]
        telling = frozenset().union(*(more for more, _ in containing)) if absences else frozenset()
        for size in range(min(absences, len(items - row)) + 1):
            for lacking in combinations(sorted(telling), min(size, len(telling))):
                lacks = frozenset(lacking)
                left.append(len(set().union(*(whose for more, whose in containing if not more & lacks))))
    return min(left)


def km_anonymity(rows: Sequence[frozenset], persons: Sequence[Any], known: int) -> int:
    """Persons left to whoever knows at most so many items of a row, at worst; all of them where nobody has an item."""
    held: dict[tuple, set] = defaultdict(set)
    for row, person in zip(rows, persons, strict=True):
        for size in range(1, known + 1):
            for items in combinations(sorted(row), size):
                held[items].add(person)
    return min(map(len, held.values()), default=len(set(persons)))


def l_diversity(rows: Sequence[tuple], sensitive: Sequence[Any], persons: Sequence[Any]) -> int:
    """Different sensitive values of the worst group: no more than its persons, and one if everybody has that one."""
    held, values = groups(rows, persons), defaultdict(lambda: defaultdict(set))
    for row, value, person in zip(rows, sensitive, persons, strict=True):
        values[row][value].add(person)
    return min(1 if held[row] in values[row].values() else min(len(values[row]), len(held[row])) for row in held)


def delta_anonymity(records: Sequence[dict[int, int]], components: Sequence[int], delta: float) -> bool:
    """Whether every cell of every record is estimated with a variance of delta or more."""
    asked = Fraction(repr(float(delta)))
    return all(
        sum(x * x for x in record.values()) - max(x * x for x in record.values()) >= m * asked
        for record, m in zip(records, components, strict=True)
    )


def k_variance(records: Sequence[dict[int, int]], components: Sequence[int], k: int) -> bool:
    """Whether the likeness to each of the k nearest neighbours is uncertain by its gap to the greatest possible."""

    def dot(x: dict[int, int], y: dict[int, int]) -> int:
        return sum(count * y.get(item, 0) for item, count in x.items())

    lengths = [dot(record, record) for record in records]
    for place, record in enumerate(records):
        products = [dot(record, other) for other in records]
        cosine = [
            product / math.sqrt(lengths[place] * length) for product, length in zip(products, lengths, strict=True)
        ]
        kth = sorted(cosine[:place] + cosine[place + 1 :], reverse=True)[k - 1]
        for other, near in enumerate(cosine):
            if other == place or near <= kth + 1e-12:  # of those as near as the k-th any may be meant
                continue
            both = lengths[place] * lengths[other]
            squares = sum(count**2 * records[other].get(item, 0) ** 2 for item, count in record.items())
            variance = both + products[other] ** 2 - 2 * squares
            gap = math.sqrt(both) - products[other]
            if math.sqrt(variance / min(components[place], components[other])) < gap - 1e-9:
                return False
    return True


# -- published trees ---------------------------------------------------------------------------------------------------


def leaf(model: dict[str, Any], row: dict[str, str | None]) -> int:
    """The node at which a row ends."""
    place, kinds = 0, {column["name"]: column["kind"] for column in model["columns"]}
    while "class" not in model["nodes"][place]:
        node = model["nodes"][place]
        text = row[node["column"]]
        if "cut" in node:
            cut = math.inf if node["cut"] is None else node["cut"]
            value = math.inf if text is None else number(text, kinds[node["column"]])
            place = node["below"] if value < cut else node["not_below"]
        elif text is None:
            place = node["otherwise"] if node["missing"] is None else node["missing"]
        else:
            path = model["values"][node["column"]].get(text)
            label = None if path is None else path[node["level"]]
            place = node["branches"].get(label, node["otherwise"])
    return place


def model_problems(
    model: dict[str, Any], rows: Sequence[dict[str, str | None]], target: str, persons: Sequence[Any], public: bool
) -> tuple[int, list[str]]:
    """Persons behind the smallest leaf, shown count or, where it is public, class of a leaf; and what is wrong."""
    ends = [leaf(model, row) for row in rows]
    classes = [str(label) for label in model["classes"]]
    sizes, problems = [], []
    for place, node in enumerate(model["nodes"]):
        if "class" not in node:
            continue
        inside = [row for row, end in enumerate(ends) if end == place]
        labels = Counter(rows[row][target] for row in inside)
        sizes.append(len({persons[row] for row in inside}))
        if node["counts"] is not None and node["counts"] != [labels[label] for label in classes]:
            problems.append(f"leaf {place} states {node['counts']}, counted {dict(labels)}")
        if inside and labels[str(node["class"])] < max(labels[label] for label in classes):
            problems.append(f"leaf {place} states a class that is not its commonest")
        if node["counts"] is not None or public:
            sizes += [len({persons[row] for row in inside if rows[row][target] == label}) for label in labels]
    return min(sizes), problems
