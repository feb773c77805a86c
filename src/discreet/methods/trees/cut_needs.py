# SPDX-License-Identifier: Apache-2.0
"""What both sides of a Mondrian cut need beyond numbers of persons and of different values.

Values are counted on both sides of every place between rows, in one pass over the rows of a node: rows move from the
right to the left, and at each place where a cut could be the counts are compared with what is asked: k persons with
every label, entropy, recursive diversity, or closeness to the whole table. With persons, a value counts once for each
person who has it on that side, and diversity also takes that no value is had by everybody there.

Distances and (c, l) are compared in whole numbers, held exactly in floats, where these are small enough; elsewhere a
cut that is within rounding of what is asked is not made. So the check of the release is never stricter than the cuts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.counting.compiled_entropy import n_log_n
from discreet.counting.row_values import RowValues
from discreet.data.roles import Roles
from discreet.foundation.compiled_kernels import compiled
from discreet.privacy.k_anonymity import KAnonymity
from discreet.privacy.l_diversity import LDiversity
from discreet.privacy.promise import Both, Promise
from discreet.privacy.t_closeness import TCloseness

_LABEL, _ENTROPY, _RECURSIVE, _EQUAL, _ORDERED, _SHARED = range(6)
_EXACT = 2.0**53  # whole numbers up to here are exact as floats


class SideNeeds(NamedTuple):
    """What is asked of a side, a line of each array per need; entries of need i for row r lie from starts[i, r] on."""

    kind: np.ndarray
    limit: np.ndarray  # k, l or t
    upper: np.ndarray  # c or t is upper / lower, in whole numbers; lower is 0 where these would not be exact
    lower: np.ndarray
    ratio: np.ndarray  # c or t
    whole: np.ndarray  # weight of each value in the whole table
    n_values: np.ndarray
    starts: np.ndarray
    value: np.ndarray
    weight: np.ndarray
    key: np.ndarray  # of value and person, -1 where rows are counted
    # room to work in
    left: np.ndarray
    right: np.ndarray
    present: np.ndarray
    is_present: np.ndarray
    seen: np.ndarray
    last: np.ndarray
    stamp: np.ndarray


class _Need(NamedTuple):
    kind: int
    limit: float
    ratio: Fraction
    values: RowValues


def side_needs(promise: Promise, roles: Roles, values_of: Callable[[str], RowValues]) -> SideNeeds | None:
    """The needs of a promise that are no number of different keys; None if there are none."""
    needs: list[_Need] = []
    for part in promise.promises if isinstance(promise, Both) else (promise,):
        if isinstance(part, KAnonymity) and part.label_known:
            needs.append(_Need(_LABEL, part.k, Fraction(0), values_of(str(roles.target))))
        elif isinstance(part, LDiversity):
            kind, c = (_ENTROPY, Fraction(0)) if part.c is None else (_RECURSIVE, Fraction(str(part.c)))
            for values in map(values_of, roles.sensitive):
                needs += [_Need(kind, part.l, c, values)] if part.measure != "distinct" else []
                needs += [_Need(_SHARED, 0, Fraction(0), _with_anybody(values))] if values.person is not None else []
        elif isinstance(part, TCloseness):
            kind = _EQUAL if part.distance == "equal" else _ORDERED
            needs += [_Need(kind, part.t, Fraction(str(part.t)), values_of(name)) for name in roles.sensitive]
    return _packed(needs) if needs else None


def _with_anybody(values: RowValues) -> RowValues:
    """The same with one value more, the last, which every person has."""
    anybody = RowValues.of(values.row, np.zeros_like(values.row), values.weight, values.person, values.n_rows)
    row, value = np.append(values.row, anybody.row), np.append(values.value, anybody.value + len(values.whole))
    person = np.append(values.person, anybody.person)  # type: ignore[arg-type]
    order = np.argsort(row, kind="stable")
    whole = np.append(values.whole, anybody.whole)
    return RowValues(row[order], value[order], np.ones(len(row), np.int64), person[order], whole, values.n_rows)


def _packed(needs: Sequence[_Need]) -> SideNeeds:
    n_values = [len(need.values.whole) for need in needs]
    starts = np.zeros((len(needs), needs[0].values.n_rows + 1), dtype=np.int64)
    whole = np.zeros((len(needs), max(n_values)), dtype=np.float64)
    keys, n_entries, n_keys = [], 0, 0
    for line, need in enumerate(needs):
        values = need.values
        starts[line] = np.searchsorted(values.row, np.arange(values.n_rows + 1)) + n_entries
        whole[line, : n_values[line]] = values.whole
        n_entries += len(values.row)
        key = np.full(len(values.row), -1, dtype=np.int64)
        if values.person is not None:
            _, key = np.unique(values.value * (int(values.person.max()) + 1) + values.person, return_inverse=True)
            key = key.ravel() + n_keys
            n_keys = int(key.max()) + 1
        keys.append(key)
    exact = [_is_exact(need) for need in needs]
    left, right = np.zeros((2, max(n_values)))
    present, is_present = np.zeros((2, max(n_values)), dtype=np.int64)
    return SideNeeds(
        kind=np.array([need.kind for need in needs]),
        limit=np.array([float(need.limit) for need in needs]),
        upper=np.array([float(need.ratio.numerator) if fine else 0.0 for need, fine in zip(needs, exact, strict=True)]),
        lower=np.array(
            [float(need.ratio.denominator) if fine else 0.0 for need, fine in zip(needs, exact, strict=True)]
        ),
        ratio=np.array([float(need.ratio) for need in needs]),
        whole=whole,
        n_values=np.array(n_values),
        starts=starts,
        value=np.concatenate([need.values.value for need in needs]),
        weight=np.concatenate([need.values.weight for need in needs]).astype(np.float64),
        key=np.concatenate(keys),
        left=left,
        right=right,
        present=present,
        is_present=is_present,
        seen=np.full(n_keys, -1, dtype=np.int64),
        last=np.full(n_keys, -1, dtype=np.int64),
        stamp=np.zeros(1, dtype=np.int64),
    )


def _is_exact(need: _Need) -> bool:
    """Whether both sides of the comparison are whole numbers that floats hold."""
    total = float(max(need.values.weight.sum(), need.values.whole.sum()))  # of all rows, though these be some
    largest = total if need.kind == _RECURSIVE else 2 * total * total * max(len(need.values.whole) - 1, 1)
    return largest * max(need.ratio.numerator, need.ratio.denominator) < _EXACT


@compiled
def sides_meet(needs, rows, start, stop, ranks, c, relaxed, fits):
    """Clear `fits` where a side of a cut lacks something; rows are sorted by their ranks in column c."""
    for need in range(len(needs.kind)):
        needs.stamp[0] += 1
        n_present = _gather(needs, need, rows, start, stop)
        for i in range(1, stop - start):
            _move(needs, need, rows[start + i - 1], i - 1)
            if fits[i] and (relaxed or ranks[rows[start + i], c] != ranks[rows[start + i - 1], c]):
                fits[i] = _is_met(needs, need, needs.left, n_present) and _is_met(needs, need, needs.right, n_present)
        for i in range(n_present):
            needs.is_present[needs.present[i]] = 0


@compiled
def _gather(needs, need, rows, start, stop):
    """Put everything on the right; how many different values there are."""
    n_present = 0
    for i in range(start, stop):
        for e in range(needs.starts[need, rows[i]], needs.starts[need, rows[i] + 1]):
            v = needs.value[e]
            if not needs.is_present[v]:
                needs.is_present[v] = 1
                needs.left[v] = needs.right[v] = 0.0
                needs.present[n_present] = v
                n_present += 1
            if needs.key[e] < 0:
                needs.right[v] += needs.weight[e]
            else:
                if needs.seen[needs.key[e]] != needs.stamp[0]:
                    needs.seen[needs.key[e]] = needs.stamp[0]
                    needs.right[v] += 1.0
                needs.last[needs.key[e]] = i - start
    needs.stamp[0] += 1
    return n_present


@compiled
def _move(needs, need, row, place):
    """Move a row from the right to the left."""
    for e in range(needs.starts[need, row], needs.starts[need, row + 1]):
        v, key = needs.value[e], needs.key[e]
        if key < 0:
            needs.left[v] += needs.weight[e]
            needs.right[v] -= needs.weight[e]
        else:
            if needs.seen[key] != needs.stamp[0]:
                needs.seen[key] = needs.stamp[0]
                needs.left[v] += 1.0
            if needs.last[key] == place:
                needs.right[v] -= 1.0


@compiled
def _is_met(needs, need, counts, n_present):
    """Whether a side with these counts has what is asked."""
    kind, total = needs.kind[need], 0.0
    if kind == _SHARED:
        anybody = needs.n_values[need] - 1
        for i in range(n_present):
            if needs.present[i] != anybody and counts[needs.present[i]] == counts[anybody]:
                return False
        return True
    for i in range(n_present):
        count = counts[needs.present[i]]
        if kind == _LABEL and 0 < count < needs.limit[need]:
            return False
        total += count
    if kind == _LABEL:
        return True
    if kind == _ENTROPY:
        bits = n_log_n(total)
        for i in range(n_present):
            bits -= n_log_n(counts[needs.present[i]])
        return 2.0 ** (bits / total) >= needs.limit[need] - 0.9e-9  # the check allows 1e-9
    if kind == _RECURSIVE:
        most, rest = _most_and_rest(needs, counts, n_present, int(needs.limit[need]), total)
        if needs.lower[need] > 0:
            return most * needs.lower[need] < rest * needs.upper[need]
        return most < needs.ratio[need] * rest * (1 - 1e-9)
    far, scale = _distance(needs, need, counts, n_present, total)
    if needs.lower[need] > 0:
        return far * needs.lower[need] <= scale * needs.upper[need]
    return far <= needs.ratio[need] * scale * (1 - 1e-9)


@compiled
def _most_and_rest(needs, counts, n_present, least, total):
    """The largest count, and the sum of all but the least - 1 largest."""
    most, rest, above, taken = 0.0, total, np.inf, 0
    while taken < least - 1:  # one level of equal counts at a time
        level, n_level = 0.0, 0
        for i in range(n_present):
            count = counts[needs.present[i]]
            if level < count < above:
                level, n_level = count, 1
            elif count == level:
                n_level += 1
        most = max(most, level)
        if level == 0.0:
            return most, 0.0
        rest -= level * min(n_level, least - 1 - taken)
        taken += n_level
        above = level
    return most, rest


@compiled
def _distance(needs, need, counts, n_present, total):
    """The distance to the whole table times `scale`, a whole number."""
    whole, n_values, everyone = needs.whole[need], needs.n_values[need], 0.0
    for v in range(n_values):
        everyone += whole[v]
    far = 0.0
    if needs.kind[need] == _EQUAL:
        for i in range(n_present):
            v = needs.present[i]
            far += abs(counts[v] * everyone - whole[v] * total) - whole[v] * total
        return far + everyone * total, 2 * everyone * total
    carried = 0.0
    for v in range(n_values - 1):
        mine = counts[v] if needs.is_present[v] else 0.0
        carried += mine * everyone - whole[v] * total
        far += abs(carried)
    return far, everyone * total * max(n_values - 1, 1)
