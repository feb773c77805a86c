# SPDX-License-Identifier: Apache-2.0
"""Slow twins, written from the definitions with plain Python. Fast code must equal them."""

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations

# -- tables: rows are tuples of anything hashable ---------------------------------------------------------------------


def group_persons(rows, persons=None):
    """{row: set of persons}; every row is its own person when none are given."""
    groups = defaultdict(set)
    for number, row in enumerate(rows):
        groups[row].add(number if persons is None else persons[number])
    return groups


def k_anonymity(rows, persons=None):
    return min(len(found) for found in group_persons(rows, persons).values())


def _values(rows, sensitive, persons):
    """{row: Counter of persons by sensitive value}, {row: number of persons}."""
    have = defaultdict(lambda: defaultdict(set))
    for number, (row, value) in enumerate(zip(rows, sensitive, strict=True)):
        have[row][value].add(number if persons is None else persons[number])
    counts = {row: Counter({v: len(p) for v, p in values.items()}) for row, values in have.items()}
    return counts, {row: len(set().union(*values.values())) for row, values in have.items()}


def _at_most(diversity, values, people):
    """A group has no more values than persons, and only one if everybody in it has that one."""
    return min(diversity, 1 if max(values.values()) == people else people)


def distinct_l(rows, sensitive, persons=None):
    counts, people = _values(rows, sensitive, persons)
    return min(_at_most(len(values), values, people[row]) for row, values in counts.items())


def entropy_l(rows, sensitive, persons=None):
    counts, people = _values(rows, sensitive, persons)
    found = []
    for row, values in counts.items():
        n = sum(values.values())
        entropy = -sum(c / n * math.log(c / n) for c in values.values())
        found.append(_at_most(math.exp(entropy), values, people[row]))
    return min(found)


def recursive_l(rows, sensitive, c, persons=None):
    """The largest l for which every group is (c, l)-diverse, 0 if none."""
    counts, people = _values(rows, sensitive, persons)
    found = []
    for row, values in counts.items():
        r = sorted(values.values(), reverse=True)
        fine = [i for i in range(1, len(r) + 1) if r[0] < Fraction(str(c)) * sum(r[i - 1 :])]
        found.append(_at_most(max(fine, default=0), values, people[row]))
    return min(found)


def t_closeness(rows, sensitive, ordered, persons=None):
    """The largest earth mover's distance, as a fraction. Ordered: `sensitive` holds the places 0, 1, ..., m-1."""
    counts, _ = _values(rows, sensitive, persons)
    table = Counter(sensitive) if persons is None else Counter(v for v, _ in set(zip(sensitive, persons, strict=True)))
    n, values = sum(table.values()), sorted(table)
    worst = Fraction(0)
    for mine in counts.values():
        m = sum(mine.values())
        difference = [Fraction(mine[v], m) - Fraction(table[v], n) for v in values]
        if ordered:
            total, carried = Fraction(0), Fraction(0)
            for d in difference[:-1]:
                carried += d
                total += abs(carried)
            distance = total / max(len(values) - 1, 1)
        else:
            distance = sum(map(abs, difference)) / 2
        worst = max(worst, distance)
    return worst


# -- baskets: rows are sets of item numbers ---------------------------------------------------------------------------


def ac_of_rows(rows, persons=None):
    """AC(e) of every row: persons with a row that contains it."""
    return [
        len({number if persons is None else persons[number] for number, f in enumerate(rows) if f >= e}) for e in rows
    ]


def km_anonymity(rows, m, persons=None):
    """The fewest persons with any set of at most m items that a row has; all persons if no row has an item."""
    whose = range(len(rows)) if persons is None else persons
    sets = {s for row in rows for size in range(1, m + 1) for s in combinations(sorted(row, key=str), size)}
    left = [len({whose[i] for i, row in enumerate(rows) if row >= set(s)}) for s in sets]
    return min(left, default=len(set(whose)))


def containment(rows, absences=0, persons=None):
    """Persons left to an attacker who knows all items of a row, and the worst so many items that it lacks."""
    whose = range(len(rows)) if persons is None else persons
    items = set().union(*rows)
    left = []
    for e in {frozenset(row) for row in rows}:
        containing = [(f, whose[i]) for i, f in enumerate(rows) if f >= e]
        for size in range(min(absences, len(items - e)) + 1):
            left += [len({p for f, p in containing if not f & set(A)}) for A in combinations(items - e, size)]
    return min(left)


def project(rows, features):
    return [row & set(features) for row in rows]


def is_feasible(rows, features, k, constraint, persons=None):
    projected = project(rows, features)
    if constraint == "containment":
        return min(ac_of_rows(projected, persons)) >= k
    return k_anonymity([frozenset(row) for row in projected], persons) >= k


def unlike_pairs(labels):
    return [(i, j) for i, j in combinations(range(len(labels)), 2) if labels[i] != labels[j]]


def ham_pairs(rows, labels, feature):
    """Pairs of different classes that differ in the feature."""
    return sum((feature in rows[i]) != (feature in rows[j]) for i, j in unlike_pairs(labels))


def dist_pairs(rows, labels, features):
    """Pairs of different classes whose projections differ."""
    projected = project(rows, features)
    return sum(projected[i] != projected[j] for i, j in unlike_pairs(labels))


def misfits(rows, labels, features):
    """CM: rows outside the majority class of their group."""
    groups = defaultdict(Counter)
    for row, label in zip(project(rows, features), labels, strict=True):
        groups[frozenset(row)][label] += 1
    return sum(sum(c.values()) - max(c.values()) for c in groups.values())


def greedy(rows, labels, n_features, k, utility, constraint, on_infeasible, persons=None):
    """The selected features in order; ties to the lowest; every feature of every step recomputed."""
    selected, tried = [], set()
    if utility == "hamdist":
        order = sorted(range(n_features), key=lambda j: (-ham_pairs(rows, labels, j), j))
        for j in order:
            if ham_pairs(rows, labels, j) == 0:
                break
            if _fits(rows, [*selected, j], j, k, constraint, persons):
                selected.append(j)
            elif on_infeasible == "stop":
                break
        return selected
    value = {"distcnt": lambda s: dist_pairs(rows, labels, s), "cm": lambda s: -misfits(rows, labels, s)}[utility]
    while True:
        base = value(selected)
        gains = {j: value([*selected, j]) - base for j in range(n_features) if j not in tried}
        if not gains or max(gains.values()) <= 0:
            return selected
        j = min(gains, key=lambda j: (-gains[j], j))
        tried.add(j)
        if _fits(rows, [*selected, j], j, k, constraint, persons):
            selected.append(j)
        elif on_infeasible == "stop":
            return selected


def _fits(rows, features, new, k, constraint, persons):
    return any(new in row for row in rows) and is_feasible(rows, features, k, constraint, persons)
